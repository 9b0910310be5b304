#!/bin/sh
# SPDX-License-Identifier: MIT
# The half file beside an output never stays: who ends removes his own, and what was killed too suddenly for that is removed by the next run of that output.
. "${0%/*}/lib/tap.sh"

have perl || skip_all 'no perl'
dump=$t/data/orders.jstack.txt
mkfifo slow
mkdir d

# afresh COMMAND...: with the signals as they are by default, and no core file
afresh() {
	exec perl -e '$SIG{$_} = "DEFAULT" for qw(INT HUP TERM PIPE QUIT ALRM USR1 USR2 XCPU VTALRM); exec @ARGV or die' "$@"
}
# begin OUTPUT: a run that has its output open and waits for input; its process is $pid. end: it gets no input
begin() {
	(ulimit -c 0; afresh stkcap -q -o "$1" slow 2>err) & pid=$!
	exec 9>slow
	tries=0
	until ls -A "$(dirname "$1")" | grep -q "\.$pid\..*tmp$"; do
		tries=$((tries + 1))
		test $tries -lt 600 || { echo "no file beside $1"; return 1; }
		sleep 0.1
	done
}
end() {
	exec 9>&-
	wait $pid 2>/dev/null && got=0 || got=$?
}
files() { ls -A d | tr '\n' ' '; }

check 'a run that was killed leaves a file with its process and when that began in the name; the next one removes it' '
	echo old >d/o
	begin d/o
	start=$(sed "s/.*) //" /proc/$pid/stat | cut -d " " -f 20)
	kill -9 $pid
	end
	test "$(files)" = ".o.$pid.$start.0.tmp o " || { files; false; }
	test "$(cat d/o)" = old
	stkcap -q -o d/o "$dump"
	test "$(files)" = "o "
	status 0 stkcat --check d/o
'
check 'also when it fails itself, and when it is of another filter' '
	begin d/o; kill -9 $pid; end
	status 1 stkcap -q -o d/o /nowhere 2>err
	test "$(files)" = "o "
	begin d/o; kill -9 $pid; end
	stkcat -f tsv -o d/o "$scratch/d/o" 2>err || true
	test "$(files)" = "o "
'
check 'what a living run writes stays, and is its output at the end' '
	begin d/o
	first=$pid
	stkcap -q -o d/o "$dump"
	test "$(ls -A d | grep -c "^\.o\.$first\..*\.tmp$")" -eq 1
	cat "$dump" >&9
	end
	test $got -eq 0
	test "$(files)" = "o "
'
check 'only regular files of exactly this name and form are removed' '
	for name in .o.999999999.1.tmp .o.999999999.1.0.tmp.bak .o.999999999.1.0.tmpx .o.-5.1.0.tmp .o.999999999.1.0x.tmp .o.+9.1.0.tmp .o.999999999..0.tmp .o.99999999999999999999.1.0.tmp \
		.oo.999999999.1.0.tmp .p.999999999.1.0.tmp o.999999999.1.0.tmp .o.999999999.1.101.tmp; do echo precious >d/$name; done
	mkdir d/.o.999999999.2.0.tmp
	echo precious >aside
	ln -s ../aside d/.o.999999999.3.0.tmp
	mkfifo d/.o.999999999.4.0.tmp
	files >before
	echo rubbish >d/.o.999999999.5.0.tmp
	stkcap -q -o d/o "$dump"
	files | same before -
	test "$(cat aside)" = precious
	rm -rf d/.[op]* d/o.*
'
if have flock; then
check 'a file that is locked belongs to somebody, also when the process cannot be seen from here' '
	echo theirs >d/.o.999999999.1.0.tmp
	flock d/.o.999999999.1.0.tmp stkcap -q -o d/o "$dump"
	test "$(cat d/.o.999999999.1.0.tmp)" = theirs
	stkcap -q -o d/o "$dump"
	test "$(files)" = "o "
'
else
skip 'no flock' 'a file that is locked belongs to somebody, also when the process cannot be seen from here' ''
fi
if test "$(id -u)" = 0; then
check 'a file of another user stays' '
	echo theirs >d/.o.999999999.1.0.tmp
	chown 1 d/.o.999999999.1.0.tmp
	stkcap -q -o d/o "$dump"
	test "$(cat d/.o.999999999.1.0.tmp)" = theirs
	rm d/.o.999999999.1.0.tmp
'
else
skip 'only root can give files away' 'a file of another user stays' ''
fi
check 'a process number used again is not the process that is gone' '
	sleep 100 & sleeper=$!
	echo rubbish >d/.o.$sleeper.1.0.tmp
	echo theirs >d/.o.$sleeper.$(sed "s/.*) //" /proc/$sleeper/stat | cut -d " " -f 20).0.tmp
	stkcap -q -o d/o "$dump"
	test "$(ls -A d | wc -l)" -eq 2
	kill $sleeper
	wait $sleeper 2>/dev/null || true
	stkcap -q -o d/o "$dump"
	test "$(files)" = "o "
'
check 'a state beside an output: both are removed' '
	stkcap -q -o one.stk "$dump"
	mkfifo states
	(afresh stkclass -q --resume d/s -o d/o states) & pid=$!
	exec 9>states
	cat one.stk >&9
	tries=0
	until ls -A d | grep -q "\.o\.$pid\..*tmp$" || test $tries -gt 600; do tries=$((tries + 1)); sleep 0.1; done
	kill -9 $pid
	end
	stkclass -q --resume d/s -o d/o one.stk
	test "$(files)" = "o s s.lock "
	rm -f d/s d/s.lock
'
for signal in INT TERM HUP QUIT PIPE ALRM USR1 USR2 XCPU VTALRM; do
check "SIG$signal leaves the old file and nothing beside it, and the shell sees it" '
	echo old >d/o
	begin d/o
	kill -'$signal' $pid
	end
	test $got -gt 128 && test "$(kill -l $got)" = '$signal' || { echo "status $got"; false; }
	test "$(files)" = "o " -a "$(cat d/o)" = old || { files; false; }
'
done
check 'a second signal, which ends it at once, as well' '
	mkdir e
	i=0
	while test $i -lt 10; do
		(afresh stktree -q -o e/o one.stk slow) & pid=$!
		exec 9>slow
		kill -TERM $pid 2>/dev/null; kill -TERM $pid 2>/dev/null || true
		end
		test $got -eq 143 || { echo "status $got"; false; }
		test -z "$(ls -A e)" || { ls -A e; false; }
		i=$((i + 1))
	done
'
check 'a limit of the size of files is told like a full disk: 3, the old file stays' '
	awk "BEGIN { for (i = 0; i < 20000; i++) { x = (x * 69069 + 1) % 4294967296; print \"main;f\" x \";g\" i \" 1\" } }" >many.folded
	stkcap -q -o big.stk many.folded
	test "$(wc -c <big.stk)" -gt 40000
	stkcap -q -o small.stk "$dump"
	stktree -q -o small.tree small.stk
	echo old >d/o
	cp small.tree d/t
	for run in "stkcap -q -o d/o many.folded" "stkcat -f stream -o d/o big.stk" "stkcat -f tsv -o d/o big.stk" "stkclass -q -o d/o big.stk" "stktree -q -o d/o big.stk" "stktree -q --append d/t big.stk" \
		"stkclass -q -f tsv --resume d/s big.stk"; do
		(ulimit -f 16; exec $run) >/dev/null 2>err && got=0 || got=$?
		test $got -eq 3 || { echo "status $got: $run"; cat err; false; }
		grep "File too large" err || { echo "no reason: $run"; cat err; false; }
		test "$(cat d/o)" = old || { echo "gone: $run"; false; }
		cmp small.tree d/t
		rm -f d/s.lock
		test "$(files)" = "o t " || { files; false; }
	done
	rm d/t
'
case ${BUILD:-} in
*address*) skip 'the sanitizer needs more' 'a run without memory leaves nothing' ;;
*)
check 'a run without memory leaves nothing' '
	awk "BEGIN { for (i = 0; i < 300000; i++) { x = (x * 69069 + 1) % 4294967296; print \"main;a.rather.long.name.of.a.function\" x \";and.another\" i \" 1\" } }" >most.folded
	echo old >d/o
	status 3 sh -c "ulimit -v 60000; exec stkcap -q --threads 1 -o d/o most.folded" 2>err
	grep "out of memory" err
	test "$(files)" = "o " -a "$(cat d/o)" = old
' ;;
esac
finish
