#!/bin/sh
# SPDX-License-Identifier: MIT
# TSV and NDJSON: each record a line, ids joined to names in the one and, by --ids, as they are in the other.
. "${0%/*}/lib/tap.sh"

cat >dump.txt <<'X'
2026-03-01 12:00:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):

"tab	and \" #11 prio=5 os_prio=0 cpu=1.25ms elapsed=2.00s tid=0x00007f0000000001 nid=0x11 in Object.wait()  [0x00007f0000000000]
   java.lang.Thread.State: WAITING (on object monitor)
	at java.lang.Object.wait(java.base@17.0.1/Native Method)
	- waiting on <0x00000000ff200730> (a a.Queue)
	at a.B.run(B.java:1)
	- locked <0x00000000ff200730> (a a.Queue)

X
stkcap -q --zone UTC dump.txt >dump.stk
printf 'prog 7/8 [003] 10.000001: 5 cycles:\n\t7f01 f\303\251;g (/bin/prog)\n\t7f02 x\377 (/bin/prog)\n\n' >perf.txt
stkcap -q perf.txt >perf.stk

check 'samples as tsv: the header that scripts rely on, and a row' '
	stkcat -f tsv --only sample dump.stk >got
	{
		printf "time\tsource\tthread\tstate\tweight\tstack\tdump\tevent\tprocessor\tcondition\tcpu\telapsed\tallocated\tclasses\tlocks\tnote\ttid\tnumber\tpool\n"
		printf "2026-03-01T12:00:00Z\tdump.txt\ttab\\\\tand \\\\\\\\\twaiting\t1\ta.B.run;java.lang.Object.wait\t1\t\t-1\tin Object.wait()\t1250000\t2000000000\t0\t0\t"
		printf "waiting-on a.Queue 0xff200730 @1, locked a.Queue 0xff200730 @2\t\t17\t11\t"; printf "%s\n" "tab\\tand \\\\"
	} >want
	same want got
'
check 'a clock that counts from an unknown moment gives seconds' '
	test "$(stkcat -f tsv --only sample perf.stk | sed -n 2p | cut -f1,3-6,8,9)" = "$(printf "10.000001\tprog\tunknown\t5\tx\377;f\303\251:g\tcycles\t3")"
'
check '--zone shows times in a zone' '
	stkcat -f tsv --only sample --zone +02:00 dump.stk | grep "^2026-03-01T14:00:00+02:00"
	status 2 stkcat -f tsv --zone Nowhere/City dump.stk
'
check '--ids shows ids' '
	stkcat -f tsv --only stack --ids dump.stk | cut -f 1,2 >got
	printf "id\tparent\n1\t0\n2\t1\n" >want
	same want got
'
check 'other kinds have their schema as header, ids joined' '
	stkcat -f tsv --only dump dump.stk >got
	test "$(head -1 got)" = "$(printf "id\ttime\tsource\tevent\tskew\ttook\tthreads\tlisted\texiting\tjni_refs\tweak_refs\tcut")"
	grep "^1	2026-03-01T12:00:00Z	dump.txt	" got
'
check 'several kinds: each table says of what it is' '
	stkcat -f tsv --only string,frame dump.stk | grep -c "^# kind" >n
	test "$(cat n)" -ge 2
'
check 'a table of one kind has its header though there are no rows' '
	test "$(stkcat -f tsv --only counter dump.stk)" = "$(printf "time\tsource\tcpu\tstate\tcount")"
'
check 'samples as ndjson with ids, column by column' '
	cat >want <<X
{"kind":"sample","time":1772366400000000000,"dump":1,"thread":1,"stack":2,"weight":1,"event":0,"processor":-1,"state":"waiting","condition":C,"locks":2,"objects":2,"cpu":1250000,"elapsed":2000000000,"allocated":0,"classes":0,"note":0,"age":0}
X
	stkcat -f ndjson --ids --only sample dump.stk | sed "s/\"condition\":[0-9]*/\"condition\":C/" >got
	same want got
'
check 'texts: escapes, UTF-8 as it is, other bytes as \udcNN' '
	stkcat -f ndjson --ids --only string perf.stk >got
	grep "\"text\":\"f$(printf "\303\251");g\"" got
	grep "\"text\":\"x.udcff\"" got
	stkcat -f ndjson --ids --only string dump.stk | grep "\"text\":\"tab.tand ..\""
'
check 'every line of ndjson is JSON, and python reads it' '
	if ! have python3; then exit 0; fi
	stkcat -f ndjson --ids dump.stk perf.stk | python3 -c "
import json, sys
kinds = [json.loads(line)[\"kind\"] for line in sys.stdin.buffer.read().decode().splitlines()]
assert kinds.count(\"head\") == 2 and kinds.count(\"sample\") == 2, kinds"
'
if have python3 zstd; then
check 'the second reader says the same' '
	stkcat -f ndjson --ids dump.stk perf.stk >got
	cat dump.stk perf.stk | python3 "$t/reader/stkread.py" - | grep -v "^{.kind.:.\(index\|end\)." >want
	same want got
'
else
skip 'no python3 or zstd' 'the second reader says the same'
fi
finish
