#!/bin/sh
# SPDX-License-Identifier: MIT
# Traces of SJK, of its three versions. The files are made by t/lib/sjk.py after SJK's source; SJK's own reader reads the same in them.
. "${0%/*}/lib/tap.sh"

have python3 || skip_all 'no python3'
for v in 1 2 4; do python3 "$t/lib/sjk.py" $v >v$v; done
# rows FILE: time, number, thread, state, cpu, allocated, stack
rows() {
	stkcap -q -o rows.stk "$1" && stkcat -q -f tsv --only sample rows.stk | sed 1d | cut -f 1,3,4,6,11,13,18
}
tab=$(printf '\t')

check 'version 2: threads with names, states, what they computed and allocated; their stacks' '
	status 0 stkcap -o a.stk v2 2>err; grep "0 dumps, 4 samples, 3 distinct stacks, 0 lines skipped" err
	rows v2 | tr "\t" "|" >got
	same - got <<-END
	2026-01-01T00:00:00Z|main|runnable|java.lang.Thread.run;shop.Till.read;java.net.SocketInputStream.socketRead0|1200000000|4096|11
	2026-01-01T00:00:00.500Z|till 🛒 2|timed-waiting|java.lang.Thread.run;shop.Till\$1.run;java.lang.Object.wait|0|0|12
	2026-01-01T00:00:01Z|till 🛒 2|blocked|java.lang.Thread.run;Main.go|3000000|1099511627776|12
	2026-01-01T00:00:01.500Z|empty|terminated||0|0|13
	END
'
check 'version 4 gives the same, and collections as metrics of the heap and of pauses' '
	rows v2 >wanted; rows v4 | same wanted -
	stkcat -q -f tsv --only metric rows.stk | sed 1d | cut -f 1,3,4 | tr "\t" "|" >got
	same - got <<-END
	2026-01-01T00:00:09Z|heap.before|10000.0
	2026-01-01T00:00:09Z|heap.used|1500.0
	2026-01-01T00:00:09Z|gc.pause|0.049
	2026-01-01T00:00:09Z|gc.cause.PS Scavenge|0.049
	END
'
check 'version 1 has neither names nor states' '
	rows v2 | cut -f 1,4,7 >wanted; rows v1 | cut -f 1,4,7 | same wanted -
	rows v1 | cut -f 2,3 | sort -u >got; same - got <<-END
	${tab}unknown
	END
'
check 'frames are those of a thread dump with the same stacks' '
	cat >dump <<-END
	2026-01-01 00:00:00
	Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):

	"main" #11 prio=5 tid=0x1 nid=0x1 runnable
	   java.lang.Thread.State: RUNNABLE
		at java.net.SocketInputStream.socketRead0(Native Method)
		at shop.Till.read(Till.java:9)
		at java.lang.Thread.run(Thread.java:833)

	"till" #12 prio=5 tid=0x1 nid=0x1 waiting on condition
	   java.lang.Thread.State: TIMED_WAITING (on object monitor)
		at java.lang.Object.wait(Native Method)
		at shop.Till\$1.run(Unknown Source)
		at java.lang.Thread.run(Thread.java:833)

	"till" #12 prio=5 tid=0x1 nid=0x1 waiting on condition
	   java.lang.Thread.State: BLOCKED
		at Main.go(Main.java)
		at java.lang.Thread.run(Thread.java:833)

	END
	stkcap -q dump | stkcat -q -f tsv --only frame - | sed 1d | cut -f 2- | sort >wanted
	stkcap -q v4 | stkcat -q -f tsv --only frame - | sed 1d | cut -f 2- | sort | same wanted -
	stkcap -q --only-stacks v4 | stkcat -q -f tsv --only sample - | sed 1d | cut -f 11,13 | sort -u >got; same - got <<-END
	0${tab}0
	END
'
check 'every beginning; what is cut off or damaged is said, and what precedes it is kept' '
	for v in 1 2 4; do
		size=$(wc -c <v$v) n=12
		while [ $n -lt "$size" ]; do
			head -c $n v$v >cut
			status 1 stkcap -o cut.stk cut 2>err
			grep -q -e "ends early" -e "cannot be read" err
			n=$((n + 7))
		done
	done
	{ head -c 12 v2; head -c 400 /dev/zero; } >x; status 1 stkcap -o x.stk x 2>err; grep "a record that cannot be read" err
	{ head -c 12 v2; python3 -c "import sys, zlib; sys.stdout.buffer.write(zlib.compress(b\"\\x09\"))"; } >x; status 1 stkcap -o x.stk x 2>err; grep "a record that cannot be read" err
	# a stack whose second frame is not there
	{ head -c 12 v2; python3 -c "import sys, zlib; sys.stdout.buffer.write(zlib.compress(b\"\\1\\0\\1a\\2\\0\\1\\1\\1\\5\\3\\7\\0\\0\\0\\2\\1\\2\"))"; } >x
	status 1 stkcap -o x.stk x 2>err; grep "references to what the trace does not have" err
	stkcat -q -f folded x.stk | grep "a.a 1"
'
check 'deltas of tags that have no end, or no set before them' '
	for bytes in "\\6\\1\\0\\1" "\\6\\1\\7\\0" "\\5\\1\\0\\6" "\\3\\5"; do
		{ head -c 12 v4; python3 -c "import sys, zlib; sys.stdout.buffer.write(zlib.compress(b\"$bytes\"))"; } >x
		status 1 stkcap -q -o x.stk x
	done
'
finish
