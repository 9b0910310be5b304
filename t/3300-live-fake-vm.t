#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --jvm against processes that answer as a VM does, and as none should.
. "${0%/*}/lib/tap.sh"

have python3 || skip_all 'no python3'
zcat "$t/../scripts/sample/order-service.jstack.txt.gz" | awk '/^Full thread dump/ && n++ { exit } { line[++lines] = $0 } END { for (i = 1; i < lines; i++) print line[i] }' >one.txt
DUMP=$PWD/one.txt
export DUMP

# fake NAME MODE [N]: starts one, and sets NAME to its pid. Those that a failure leaves are ended with the test, which would be waited for with them.
fakes=
trap 'test -z "$fakes" || kill $fakes 2>/dev/null || true' EXIT
fake() {
	rm -f "$1.pid"
	python3 "$t/lib/fake_vm.py" "$2" ${3:-} >"$1.pid" &
	fakes="$fakes $!"
	for _ in $(seq 3000); do test ! -s "$1.pid" || break; sleep .02; done
	read -r pid <"$1.pid" || return 1
	eval "$1=$pid"
}
# unfake NAME...: ends it
unfake() {
	for fake_name; do eval "kill \$$fake_name; wait \$$fake_name 2>/dev/null || true; rm -f /tmp/.java_pid\$$fake_name"; done
}
# counted FILE STATE: the last count of a state, of all sources
counted() { stkcat -f tsv --only counter "$1" | awk -F '\t' -v state="$2" '$4 == state { last[$2] = $5 } END { for (s in last) n += last[s]; print n + 0 }'; }

fake right right; fake version2 version2; fake drip drip
as_text() { stkcat -f dumps "$@" | tail -n +2; }		# without the time
stkcap -q --source order one.txt | as_text >wanted
check 'a dump that comes through the socket is the dump that is read from a file' '
	for pid in $right $version2 $drip; do
		rm -f got.stk
		status 0 stkcap -q --source order --jvm $pid -o got.stk
		stkcat --check got.stk
		as_text got.stk | same wanted -
		test $(wc -l <wanted) -gt 100
		test "$(counted got.stk seen)" = 1
	done
'
check 'several: one event, one row of each, the counters add up; nothing is left in /tmp' '
	status 0 stkcap -q --jvm $right,$version2,$drip --budget 0 --every 100ms --count 5 -o several.stk
	stkcat -f tsv --only dump several.stk | awk -F "\t" "NR > 1 { n[\$4]++; if (\$5 < 0 || \$12 != 0) exit 1 } END { for (e = 1; e <= 5; e++) if (n[e] < 1 || n[e] > 3) exit 1 }"
	test $(counted several.stk expected) -eq 15
	test $(($(counted several.stk seen) + $(counted several.stk skipped) + $(counted several.stk owed) + $(counted several.stk late))) -eq 15
	status 2 ls /tmp/.attach_pid$right /proc/$right/cwd/.attach_pid$right 2>/dev/null
'
check 'a second capture adds to the file, and two at once do not mix' '
	status 0 stkcap -q --jvm $right -o add.stk
	status 0 stkcap -q --jvm $right -o add.stk
	stkcat --check add.stk
	test $(stkcat -f tsv --only dump add.stk | grep -c order-service) -le 2
	test $(stkcat -f tsv --only dump add.stk | grep -vc "^id") -eq 2
	stkcap -q --jvm $right --budget 0 --every 50ms --count 30 -o busy.stk &
	sleep .5
	status 3 stkcap -q --jvm $right -o busy.stk 2>err
	grep -q "another capture is writing to it" err
	wait $!
	stkcat --check busy.stk
'
check 'what is there and no stream is not touched' '
	echo mine >mine
	status 3 stkcap -q --jvm $right -o mine 2>err
	grep -q "not a record stream" err
	test "$(cat mine)" = mine
'
unfake version2 drip

size=$(wc -c <one.txt)
check 'a reply that is cut: at every 1999th byte what came is kept and marked, and never taken for whole' '
	for n in $(seq 2 1999 $size); do
		fake cut cut $n
		rm -f cut.stk
		status 1 stkcap -q --jvm $cut -o cut.stk 2>err
		stkcat --check cut.stk 2>/dev/null || test $? = 1
		test "$(counted cut.stk partial)" = 1 -a "$(counted cut.stk seen)" = 0
		stkcat -f tsv --only dump cut.stk | awk -F "\t" "NR > 1 && \$12 != 1 { exit 1 }"
		unfake cut
	done
	fake cut cut 0
	status 1 stkcap -q --jvm $cut 2>err >cut.stk
	grep -q "without an answer" err
	unfake cut
'
check 'a gigabyte: 64 MB of it are read, memory stays bounded' '
	fake huge huge
	(case $BUILD in *address*) ;; *) ulimit -v 1500000 ;; esac; status 1 stkcap -q --deadline 20s --jvm $huge -o huge.stk) 2>err
	grep -q "longer than 64 MB" err
	stkcat --check huge.stk
	test "$(counted huge.stk partial)" = 1
	unfake huge
'
check 'garbage, nothing, a refusal: each is told, and the good one goes on' '
	fake garbage garbage; fake empty empty; fake refuses status 101
	status 1 stkcap -q --jvm $garbage,$empty,$refuses,$right --budget 0 --every 100ms --count 3 -o bad.stk 2>err
	grep -q "does not begin as a reply" err
	grep -q "closed the connection without an answer" err
	grep -q "refused (101): no reason is good enough" err
	test $(counted bad.stk seen) -ge 1 -a $(counted bad.stk refused) -ge 1 -a $(counted bad.stk partial) -ge 2
	test $(($(counted bad.stk seen) + $(counted bad.stk refused) + $(counted bad.stk partial) + $(counted bad.stk skipped))) -eq 12
	unfake garbage empty refuses
'
check 'one that never answers is asked once; one that answers late is asked again when it has' '
	fake never never; fake late late 1
	status 1 stkcap -q --deadline 300ms --jvm $never,$late,$right --budget 0 --every 100ms --count 50 -o late.stk 2>err
	test $(counted late.stk expected) -eq 150
	for pid in $never $late $right; do
		stkcat -f tsv --only source late.stk | grep -q "	$pid	"
	done
	{ stkcat -f tsv --only source late.stk; stkcat -f tsv --only counter late.stk; } | awk -F "\t" "
		\$4 ~ /^[0-9]/ { pid[\$2] = \$4 } \$4 ~ /^(late|seen)\$/ { last[pid[\$2] \" \" \$4] = \$5 }
		END { for (k in last) print k, last[k] }" >counts
	grep -qx "$never late 1" counts
	awk "\$1 == $late && \$2 == \"late\" && \$3 >= 2 && \$3 <= 5 { n++ } END { exit n != 1 }" counts
	test $(awk "\$1 == $right && \$2 == \"seen\" { print \$3 }" counts) -ge 10
	unfake never late
'
check 'a dump whose connection stays open is late, and not believed' '
	fake noend noend
	status 1 stkcap -q --deadline 300ms --jvm $noend -o noend.stk 2>err
	grep -q "in time" err
	test "$(counted noend.stk late)" = 1
	unfake noend
'
check 'a process that is no VM gets no signal; a number that is nobody, a name that is nothing, too much' '
	sleep 100 & sleeper=$!
	rm -f /tmp/.java_pid$sleeper		# of a VM that was killed and had this number
	status 1 stkcap -q --jvm $sleeper -o none.stk 2>err
	grep -q "it is not a Java VM" err
	kill -0 $sleeper
	: >"/tmp/.java_pid$sleeper"; rm -f /tmp/.java_pid$sleeper
	python3 -c "import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])" /tmp/.java_pid$sleeper		# nobody listens there any more
	status 1 stkcap -q --jvm $sleeper -o none2.stk 2>err
	kill -0 $sleeper
	rm -f /tmp/.java_pid$sleeper
	kill $sleeper
	status 1 stkcap -q --jvm 4194303 -o none3.stk 2>err; grep -q "no such process" err
	status 1 stkcap -q --jvm "no-such-*" -o none4.stk 2>err; grep -q "no process of that name" err
	status 2 stkcap -q --jvm "" -o none5.stk 2>err
	status 2 stkcap -q --jvm 1,,2 -o none6.stk 2>err
'
check 'another process behind the socket is not believed' '
	python3 -B -c "
import sys, time
sys.path.insert(0, sys.argv[1])
from library import map_library
map_library(\"libjvm.so\")
print(flush=True)
time.sleep(100)" "$t/lib" >ready & sleeper=$!
	for _ in $(seq 200); do test ! -s ready || break; sleep .02; done
	rm -f /tmp/.java_pid$sleeper		# of a VM that was killed and had this number
	python3 -c "
import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(1); s.settimeout(10)
c, _ = s.accept(); c.settimeout(2); sys.exit(0 if c.recv(10) == b\"\" else 1)" /tmp/.java_pid$sleeper & other=$!
	for _ in $(seq 200); do test ! -S /tmp/.java_pid$sleeper || break; sleep .02; done
	status 1 stkcap -q --jvm $sleeper -o other.stk 2>err
	grep -q "another process listens" err
	wait $other
	rm -f /tmp/.java_pid$sleeper
	kill $sleeper
'

# --- files ---

check 'killed at any moment: what is there reads, the next capture goes on, and nothing of before is lost' '
	for i in 1 2 3 4 5 6 7 8; do
		stkcap -q --jvm $right --budget 0 --every 10ms -o killed.stk 2>/dev/null &
		sleep 0.$((i * 7 % 10 + 1))
		before=$(stkcat -q -f tsv --only dump killed.stk 2>/dev/null | grep -vc "^id") || true
		kill -9 $!
		wait $! 2>/dev/null || true
		test $(stkcat -q -f tsv --only dump killed.stk 2>/dev/null | grep -vc "^id") -ge $before
	done
	status 0 stkcap -q --jvm $right -o killed.stk
	stkcat -f tsv --only dump killed.stk 2>/dev/null | grep -v "^id" | awk -F "\t" "\$12 != 0 { exit 1 }"
	stkcat --check killed.stk 2>err || grep -qv damaged err
'
check 'a file an hour, a second here; parts of a size; the oldest go' '
	status 0 stkcap -q --jvm $right --budget 0 --every 100ms --count 35 -o "second-%H%M%S.stk"
	test $(ls second-*.stk | wc -l) -ge 3
	for f in second-*.stk; do stkcat --check $f; done
	cat second-*.stk >second.all
	test $(stkcat -f tsv --only dump second.all | grep -vc "^id") -eq $(counted second.all seen)
	test $(counted second.all expected) -eq 35
	echo mine >part-mine.stk
	status 0 stkcap -q --jvm $right --budget 0 --every 20ms --count 60 --max-size 10k --keep 3 -o "part-%Y.stk"
	test $(ls part-2*.stk | wc -l) -eq 3
	for f in part-2*.stk; do stkcat --check $f; done
	test "$(cat part-mine.stk)" = mine
'
check 'SIGHUP: the file that was moved away is whole, and a new one goes on' '
	stkcap -q --jvm $right --budget 0 --every 50ms --count 40 -o hup.stk & capture=$!
	sleep .7
	mv hup.stk hup.old
	kill -HUP $capture
	wait $capture
	stkcat --check hup.old
	stkcat --check hup.stk
	cat hup.old hup.stk >hup.all
	test $(stkcat -f tsv --only dump hup.all | grep -vc "^id") -eq $(counted hup.all seen)
	test $(counted hup.all expected) -eq 40
'
if test "$(id -u)" = 0 && mkdir -p full && mount -t tmpfs -o size=64k none full 2>/dev/null; then
	check 'a full disk: told once, the capture goes on, what is there reads; and with room again it writes' '
		stkcap -q --jvm $right --budget 0 --every 10ms --count 400 -o full/c.stk 2>err & capture=$!
		sleep 2
		stkcat -q -f tsv --only dump full/c.stk >before.tsv 2>/dev/null || test $? = 1
		cp full/c.stk saved.stk; : >full/c.stk
		status 1 wait $capture
		test $(grep -c "No space left" err) -ge 1 -a $(wc -l <err) -le 6
		test $(wc -l <before.tsv) -gt 10
	'
	umount full
else
	skip 'needs root and tmpfs' 'a full disk: told once, the capture goes on, what is there reads; and with room again it writes'
fi
unfake right
finish
