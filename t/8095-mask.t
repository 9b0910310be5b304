#!/bin/sh
# SPDX-License-Identifier: MIT
# Names become tokens, wherever they are in a stream, and names again; the figures stay.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

umask 022
dump() {	# TIME
	cat <<X
2026-03-01 $1
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):

"main" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=3.00s tid=0x0000000000000001 nid=0x1 waiting on condition
   java.lang.Thread.State: TIMED_WAITING (sleeping)
	at java.lang.Thread.sleep(java.base@17.0.1/Native Method)
	at com.mybank.ledger.Booker\$Queue.drain(mybank-core@2.7/Booker.java:12)
	at com.mybank.ledger.Booker\$\$Lambda\$14/0x00007f3b7c006240.run(Unknown Source)
	at com.mybank.ledger.Booker.lambda\$kickoff\$0(Booker.java:40)
	at java.lang.Thread.run(java.base@17.0.1/Thread.java:840)

"ledger-worker-12" #2 prio=5 os_prio=0 cpu=1.00ms elapsed=3.00s tid=0x0000000000000002 nid=0x2 waiting for monitor entry
   java.lang.Thread.State: BLOCKED (on object monitor)
	at com.mybank.ledger.Journal.append(Journal.java:7)
	- waiting to lock <0x00000000ff20b110> (a com.mybank.ledger.Journal)
	at org.example.web.Handler.serve(Handler.java:3)

"C2 CompilerThread0" #3 daemon prio=9 os_prio=0 cpu=9.00ms elapsed=3.00s tid=0x0000000000000003 nid=0x3 runnable
   java.lang.Thread.State: RUNNABLE
   Compiling: 4711       4       com.mybank.ledger.Journal::append (42 bytes)

Found one Java-level deadlock:
=============================
"ledger-worker-12":
  waiting to lock monitor 0x0000000000000000 (object 0x00000000ff20b110, a com.mybank.ledger.Journal),
  which is held by "ledger-worker-13"

"ledger-worker-13":
  waiting to lock monitor 0x0000000000000000 (object 0x00000000ff20b120, a [Lcom.mybank.Audit;),
  which is held by "ledger-worker-12"

JNI global refs: 1, weak refs: 0

X
}
for at in 10:00:00 10:00:10 10:00:20; do dump $at; done >mybank-prod.txt
stkcap -q --zone UTC --source mybank-prod -o a.stk mybank-prod.txt
sed 's/ledger/teller/g; s/drain/refill/' mybank-prod.txt | stkcap -q --zone UTC --source mybank-prod -o b.stk -
secrets='mybank|ledger|Booker|Journal|drain|append|Audit|teller|Queue|kickoff'

# bytes FILE: everything in a stream: its own bytes, and those of all frames, decompressed
bytes() {
	cat "$1"
	python3 - "$1" <<'X'
import subprocess, sys
data = open(sys.argv[1], 'rb').read()
at = data.find(b'\x28\xb5\x2f\xfd')
while at >= 0:
    end = data.find(b'\x28\xb5\x2f\xfd', at + 4)
    done = subprocess.run(['zstd', '-dcq'], input=data[at:end if end >= 0 else len(data)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    sys.stdout.buffer.write(done.stdout)
    at = end
X
	stkcat -q -f ndjson "$1" && stkcat -q -f ndjson --ids "$1" && stkcat -q -f tsv "$1"
}
# rows FILE: all rows, without ids and the remark that names are masked
rows() {
	for kind in sample dump event metric deadlock thread; do stkcat -q -f ndjson --only $kind "$1"; done
	for kind in frame source locks; do stkcat -q -f tsv --only $kind "$1" | cut -f 2- | sort; done
}

check 'a new key is made, for its owner alone, and said' '
	status 0 stkcat --mask "com.mybank.**,thread:,source:" --mask-key key a.stk -o masked.stk 2>err
	test "$(stat -c %a key)" = 600
	grep "^stkcat: key: made a key" err
	stkcat --check masked.stk
'
if have zstd; then
	check 'the test sees names in blocks that are compressed' '
		bytes a.stk | grep -aq mybank
	'
	check 'no name is left in any byte of the stream' '
		bytes masked.stk >all
		test $(wc -c <all) -gt 5000
		status 1 grep -aiE "$secrets" all
		status 0 stkcat -q --mask all: --mask-key key a.stk -o everything.stk
		bytes everything.stk >all
		status 1 grep -aiE "$secrets|example|Handler" all
	'
fi
check 'depth, inner classes, lambdas, numbers of pools, files, names of the platform stay' '
	stkcat -f ndjson --only frame masked.stk >got
	w="[xX][a-z]{11}"
	grep -qE "\"function\":\"com\.$w\.$w\.$w[\$]$w\.$w\",\"module\":\"$w-$w@2\.7\",\"file\":\"$w\.java\",\"line\":12" got
	grep -qE "\"function\":\"com\.$w\.$w\.$w[\$][\$]Lambda[\$]14/0x00007f3b7c006240\.$w\"" got
	grep -qE "\"function\":\"com\.$w\.$w\.$w\.lambda[\$]$w[\$]0\"" got
	grep -q "\"function\":\"java.lang.Thread.run\",\"module\":\"java.base@17.0.1\",\"file\":\"Thread.java\"" got
	grep -q "\"function\":\"org.example.web.Handler.serve\"" got
	stkcat -f tsv --only thread masked.stk | cut -f 3 | sort >names
	grep -x "main" names
	grep -x "C2 CompilerThread0" names
	grep -xE "$w-$w-12" names
	stkcat -f tsv --only deadlock masked.stk | grep -E "\[Lcom\.$w\.$w;"
'
check 'a name has the same token in frames, locks, deadlocks and remarks' '
	stkcat -f tsv --only frame masked.stk | cut -f 2 | grep -oE "X[a-z]+\.x[a-z]+$" | sort -u >functions
	stkcat -f tsv --only sample masked.stk | cut -f 16 | grep -oE "[xX][a-z]{11}::[xX][a-z]{11}" | sort -u >compiled || true
	stkcat -f tsv --only sample masked.stk | cut -f 16 | sort -u >remarks
	stkcat -q --mask "com.mybank.**" --mask-key key a.stk | stkcat -f tsv --only sample - | cut -f 16 | grep -oE "[xX][a-z]{11}::[xX][a-z]{11}" | sort -u | sed "s/::/./" >compiled
	grep -Fxq -f compiled functions
'
check '--unmask with the key gives every row back' '
	rows a.stk >want
	stkcat --unmask --mask-key key masked.stk -o back.stk
	rows back.stk | same want -
	stkcat --unmask --mask-key key <masked.stk | stkcat -f tsv --only note - >notes
	test $(wc -l <notes) = 1
'
check 'masked again with the same key it is the same, and is unmasked once' '
	stkcat -q --mask all: --mask-key key masked.stk -o twice.stk
	stkcat -q --mask all: --mask-key key a.stk -o once.stk
	rows once.stk >want
	rows twice.stk | same want -
	stkcat --unmask --mask-key key twice.stk -o back.stk
	rows a.stk >want
	rows back.stk | same want -
'
check 'streams that were masked with one key and merged are as when masked after that' '
	stkcat -q --mask all: --mask-key key a.stk -o ma.stk
	stkcat -q --mask all: --mask-key key b.stk -o mb.stk
	stkcat -q --merge ma.stk mb.stk -o merged.stk
	stkcat -q --merge a.stk b.stk | stkcat -q --mask all: --mask-key key -o after.stk
	rows merged.stk >want
	rows after.stk | same want -
	stkcat -q --mask all: --mask-key key a.stk b.stk -o both.stk
	rows ma.stk >want
	rows mb.stk >>want
	stkcat -q -f tsv --only sample ma.stk >samples
	stkcat -q -f tsv --only sample mb.stk | tail -n +2 >>samples
	stkcat -q -f tsv --only sample both.stk | same samples -
'
check 'figures of classes, trends and groups are those of the names' '
	stkcap -q --zone UTC "$t"/data/day-17a.txt.gz -o day.stk
	stkcat -q --mask "DayShop**,thread:" --mask-key key day.stk -o mday.stk
	for f in day mday; do
		stkclass -q -f tsv $f.stk | cut -f 4-8,10-12 | sort >$f.classes
		stkclass -q $f.stk | stktrend -q -f tsv | cut -f 2-5,10 | sort >$f.trends
		stkgroup -q -s jvm -f tsv $f.stk >$f.groups
	done
	test $(wc -l <day.classes) -gt 5
	same day.classes mday.classes
	same day.trends mday.trends
	same day.groups mday.groups
'
check 'a scheme is masked as a stream of its names is' '
	echo "DayShop\$Store.find 1" | stkcap -q --format folded - | stkcat -q --mask "DayShop**" --mask-key key | stkcat -f folded | sed "s/ 1\$//; s/.*;//" >token
	printf "groups:\n  - name: store\n    members: [\"%s\"]\n" "DayShop\$Store.find" >plain.yaml
	printf "groups:\n  - name: store\n    members: [\"%s\"]\n" "$(cat token)" >tokens.yaml
	stkgroup -q -s plain.yaml -f tsv day.stk | cut -f 2- >want
	grep -q "^store" want
	stkgroup -q -s tokens.yaml -f tsv mday.stk | cut -f 2- | same want -
'
check 'what was computed from names is left out, and said' '
	stkclass -q a.stk | stkgroup -q -s jvm | stktrend -q >derived.stk
	status 0 stkcat --mask com.mybank --mask-key key derived.stk -o out.stk 2>err
	grep "left out what was computed from names.*class.*group" err
	stkcat --contents -f tsv out.stk | cut -f 1 >kinds
	status 1 grep -E "^(class|group|segment|filter_state)" kinds
	rows out.stk >got
	stkcat -q --mask com.mybank --mask-key key a.stk -o plain.stk
	rows plain.stk | same got -
'
check 'texts that have masked words and are not masked are reported; a pattern without effect too' '
	status 0 stkcat --mask "com.mybank.**" --mask-key key a.stk -o out.stk 2>err
	grep "texts that are not masked have words that are masked" err
	status 1 stkcat --mask "com.mybank.**,com.other.**" a.stk -o out.stk 2>err
	grep "^stkcat: --mask com.other.\*\*: matches nothing in the input" err
	status 1 grep "com.mybank" err
'
check 'without a key file it is a random one, and said; two runs differ' '
	status 0 stkcat --mask "com.mybank.**" a.stk -o one.stk 2>err
	grep "random key that is not kept" err
	stkcat -q --mask "com.mybank.**" a.stk -o two.stk
	stkcat -f tsv --only frame one.stk >1
	stkcat -f tsv --only frame two.stk >2
	status 1 cmp -s 1 2
'
check 'a key that others can read, that is damaged, cut, or none is refused, and stays as it is' '
	cp key k; cp -p k want
	chmod 640 k
	status 3 stkcat --mask com.mybank --mask-key k a.stk -o no.stk 2>err
	grep "others may read it (mode 640, expected 600)" err
	chmod 600 k
	for edit in "2s/[0-9a-f]\$/g/" "3s/./y/" "\$d" "4d" "\$s/.\$//" "1s/1/2/"; do
		sed "$edit" want >k
		cp k before
		status 3 stkcat --mask com.mybank --mask-key k a.stk -o no.stk 2>err
		grep "k: damaged or truncated, or not a mask key" err
		cmp k before
	done
	: >k
	status 3 stkcat --unmask --mask-key k masked.stk -o no.stk
	status 3 stkcat --unmask --mask-key . masked.stk -o no.stk
	status 3 stkcat --unmask --mask-key none masked.stk -o no.stk
	status 3 stkcat --mask com.mybank --mask-key none/key a.stk -o no.stk
	test ! -e no.stk && test ! -e none
'
check 'another key unmasks nothing, with status 1 and a word' '
	stkcat -q --mask com.mybank --mask-key other a.stk -o out.stk
	status 1 stkcat --unmask --mask-key other masked.stk -o out.stk 2>err
	grep "masked with another key: nothing is unmasked" err
	status 1 stkcat --unmask --mask-key other a.stk -o out.stk 2>err
	grep "no name of this key is in the input" err
'
check 'options that do not go together, and patterns that are none, are refused' '
	status 2 stkcat --mask com.mybank --unmask --mask-key key a.stk -o no.stk
	status 2 stkcat --mask com.mybank --merge a.stk -o no.stk
	status 2 stkcat --mask com.mybank --sort a.stk -o no.stk
	status 2 stkcat --mask com.mybank --follow a.stk -o no.stk
	status 2 stkcat --mask com.mybank -f text a.stk
	status 2 stkcat --mask com.mybank --check a.stk
	status 2 stkcat --mask-key key a.stk
	status 2 stkcat --unmask masked.stk -o no.stk
	for bad in a, ,a "a,,b" "threads:x" "x:" "a\\"; do
		status 2 stkcat --mask "$bad" a.stk -o no.stk 2>err
		grep -F -- "--mask" err
	done
	test ! -e no.stk
'
check 'roles: hosts, processes, metrics, paths; addresses of networks are no numbers of pools' '
	printf "t 1/1 [000] 1.0: 1 cycles:\n\t7f f (/opt/mybank/lib.so)\n\n" | stkcap -q - -o perf.stk
	stkcat -q --mask "path:" --mask-key key perf.stk | stkcat -f tsv --only frame - >got
	status 1 grep mybank got
	sed "s/ledger-worker-12/conn 10.20.30.40:8080 acct 123456789/" mybank-prod.txt | stkcap -q --zone UTC - | stkcat -q --mask thread: --mask-key key | stkcat -f tsv --only thread - | cut -f 3 >got
	status 1 grep -E "10|20|30|123456789|conn" got
	printf "2026-03-01T10:00:00Z,orders.mybank,1\n2026-03-01T10:00:00Z,heap.used,2\n" | stkcap -q --format metrics -o m.stk -
	stkcat -q --mask metric: --mask-key key m.stk | stkcat -f tsv --only metric - | cut -f 3 | sort -u >got
	status 1 grep mybank got
	grep -x "heap.used" got
'
check 'hostile names: of 64 kB, not UTF-8, with control characters: masked, and given back' '
	python3 -c "
import sys
w = sys.stdout.buffer.write
w(b\"com.mybank.\" + b\"a\" * 65000 + b\".run;com.mybank.\\xff\\xfe\\x80.\\x01x\\x7f;com.mybank.\" + b\"b.\" * 9000 + b\"c 3\\n\")
w(b\"com.mybank.xabcdefghijk;com.mybank.\\xc3\\xa9t\\xc3\\xa9 2\\n\")" >odd.txt
	stkcap -q --format folded odd.txt -o odd.stk
	stkcat -q --mask "com.mybank.**" --mask-key key odd.stk -o modd.stk
	stkcat -f folded modd.stk >got
	status 1 grep -a "mybank\|aaaa" got
	stkcat --unmask --mask-key key modd.stk | stkcat -f folded >got
	stkcat -f folded odd.stk | cmp - got
'
check 'a damaged stream: what is whole is masked, status 1, and nothing refers to another name' '
	python3 -c "
data = bytearray(open(\"a.stk\", \"rb\").read())
for at in range(len(data) // 3, len(data) // 3 + 4): data[at] ^= 0x55
open(\"hurt.stk\", \"wb\").write(data)"
	status 1 stkcat -q --mask all: --mask-key key hurt.stk -o mhurt.stk 2>err
	stkcat -f ndjson mhurt.stk >got
	status 1 grep -iE "$secrets" got
'
check 'two runs with one key at once lose no name' '
	rm -f shared
	stkcat -q --mask com.none --mask-key shared a.stk -o out.stk || true
	stkcat -q --mask all: --mask-key shared a.stk -o one.stk &
	stkcat -q --mask all: --mask-key shared b.stk -o two.stk
	wait
	stkcat --unmask --mask-key shared one.stk -o back.stk
	rows a.stk >want
	rows back.stk | same want -
	stkcat --unmask --mask-key shared two.stk -o back.stk
	rows b.stk >want
	rows back.stk | same want -
'
finish
