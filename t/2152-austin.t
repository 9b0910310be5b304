#!/bin/sh
# SPDX-License-Identifier: MIT
# What austin prints of Python programs, in the forms of its versions: processes, threads, frames with files and lines, weights, idle threads. The text is made by
# hand after what its source prints.
. "${0%/*}/lib/tap.sh"

seed=$t/fuzz/seed/austin/wall
# rows FILE: process, thread, tid, state, weight and stack
rows() {
	stkcap -q "$1" >rows.stk
	stkcat -q -f ndjson --ids --only source,thread rows.stk >ids
	stkcat -q -f ndjson --only sample rows.stk | sed "s/.*\"thread\":\"\([^\"]*\)\",\"stack\":\(\[[^]]*\]\),\"weight\":\([0-9]*\),.*\"state\":\"\([a-z]*\)\".*\"tid\":\([0-9]*\),.*/\1 \5 \4 \3 \2/"
}

check 'wall time, full metrics, a thread without frames; facts are no rejects' '
	status 0 stkcap --rejects rejects -o a.stk "$seed" 2>err
	test ! -s rejects; grep "0 dumps, 3 samples, 2 distinct stacks" err
	rows "$seed" >got
	same - got <<-END
	0:4711 4711 unknown 1000 ["<module>","run"]
	0:4712 4712 sleeping 250 ["wait",":GC:"]
	0x7f00aa:1 1 unknown 7 []
	END
	grep "\"kind\":\"source\"" ids | sed "s/.*\"pid\":\([0-9]*\),\"process\":\([0-9]*\),.*/\1 \2/" >got; printf "42 0\n43 0\n" | same - got
	stkcat -q -f tsv --only frame a.stk | sed 1d | cut -f 2-5 >got
	printf "%s\t\t%s\t%s\n" "<module>" /srv/work.py 30 run /srv/work.py 12 wait /usr/lib/threading.py 320 :GC: "" 0 | same - got
'
check 'threads by an id alone, as earlier versions write them; files with blanks, colons and semicolons as far as they can be told; no metric is a text' '
	cat >a <<-"END"
	P7;T139876;C:\my app\a.py:f:3 12
	P7;T7f00aa;a.py:f:3 1,0,8
	P7;T139876;native@7f00:42;no line 5
	END
	rows a >got
	same - got <<-"END"
	139876 139876 unknown 12 ["f"]
	7f00aa 0 running 1 ["f"]
	139876 139876 unknown 5 ["native@7f00:42","no line"]
	END
	stkcat -q -f ndjson --only frame rows.stk | grep -F "\"file\":\"C:\\\\my app\\\\a.py\",\"line\":3"
'
check 'found within a log, by two lines; one is not enough; folded stacks stay folded' '
	{ echo "INFO started"; sed -n 5,6p "$seed"; echo "INFO ended"; } >a; rows a | wc -l | grep -x 2
	{ echo "INFO started"; sed -n 5p "$seed"; echo "INFO ended"; echo "INFO x"; } >a; status 1 stkcap -q -o a.stk a
	printf "P1;main;f 3\nP1;main;g 4\n" >a; stkcap -q a | stkcat -q -f folded --by none - >got; printf "P1;main;f 3\nP1;main;g 4\n" | same - got
'
check 'what is damaged is reported, the rest kept' '
	for bad in "P42;T0:1;a.py:f:3 x" "P42;T0:1;a.py:f:3" "P42;T;a.py:f:3 4" "P42;T0:1;a.py:f:3 1,2,3" "P42;T0:1;a.py:f:3 1,0" "P42;T0:1;a.py:f:3 1,0,-" "P42;T0:1;a 99999999999999999999999"; do
		{ cat "$seed"; echo "$bad"; } >a
		status 1 stkcap --rejects rejects -o a.stk a 2>err
		grep -xF "a:9: a line that is not a sample of austin: $bad" rejects; grep "3 samples" err
	done
'
check 'every beginning, CR LF, behind a prefix, and the binary form' '
	size=$(wc -c <"$seed") n=1; while [ $n -lt "$size" ]; do head -c $n "$seed" >cut; code=0; stkcap -q -o c.stk cut 2>err || code=$?; test $code -le 1; n=$((n + 5)); done
	rows "$seed" >wanted
	sed "s/\$/\r/" "$seed" >a; rows a | same wanted -
	sed "s/^/2026-01-02 03:04:05.123 INFO  [stdout] (main) /" "$seed" >a; rows a | same wanted -
	printf "MOJ\003\001mode\000wall\000" >a; status 1 stkcap -o a.stk a 2>err; grep "austin.s binary form: mojo2austin" err
'
check 'a few samples among lines of a log are those of austin, not folded stacks' '
	printf "starting\nwaiting\nP7;T0:1;/srv/a.py:run:3;/srv/a.py:read:3 913\nP7;T0:2;/srv/a.py:run:3 1718\n" >log
	stkcap -q log | stkcat -q -f folded --by tid - >got; printf "1;run;read 913\n2;run 1718\n" | same - got
'
finish
