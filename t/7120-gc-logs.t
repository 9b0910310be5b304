#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs of G1 as JDK 8 writes them: the heap is some lines below the pause, may be missing, and then the pause counts alone.
. "${0%/*}/lib/tap.sh"

first() { echo "2014-07-01T00:00:0$1.000+0000: $1.0: [GC pause (G1 Evacuation Pause) (young), 0.00${1}0000 secs]"; }
heap() { echo "   [Eden: 24.0M(24.0M)->0.0B(13.0M) Survivors: 0.0B->3072.0K Heap: 24.0M(256.0M)->4.0M(256.0M)]"; }
between() { awk -v n="$1" 'BEGIN { while (n-- > 0) print "   [Parallel Time: 2.5 ms, GC Workers: 4]" }'; }
metrics() { stkcap -q --format gc-log - | stkcat -f tsv --only metric - | sed 1d | cut -f 1,3,4 | tr '\t' ' '; }

pause() { printf '2014-07-01T00:00:0%sZ gc.pause 0.00%s\n2014-07-01T00:00:0%sZ gc.cause.G1 Evacuation Pause 0.00%s\n' "$1" "$1" "$1" "$1"; }
whole() {
	printf "2014-07-01T00:00:0${1}Z %s\n" 'heap.before 25165824.0' 'heap.used 4194304.0' 'heap.used.young 4194304.0' 'heap.total 268435456.0'
	pause "$1"
}

check 'with its heap below' '
	{ first 4; between 3; heap; } | metrics >got
	whole 4 | same - got
'
check 'at the end of the log, before its heap' '
	first 4 | metrics >got
	pause 4 | same - got
	{ first 4; between 3; } | metrics >got
	pause 4 | same - got
'
check 'with 40 lines between; a heap that is further below is not its own' '
	{ first 4; between 40; heap; } | metrics >got
	whole 4 | same - got
	{ first 4; between 41; heap; } | metrics >got
	pause 4 | same - got
'
check 'followed by another one, before its heap' '
	{ first 4; first 5; between 3; heap; } | metrics >got
	{ pause 4; whole 5; } | same - got
'
check 'lines that are no collection are counted, and no others' '
	{ first 4; first 5; heap; } | stkcap --format gc-log -o good.stk - 2>err
	grep ", 0 lines skipped" err
	{ first 4; echo hello; first 5; heap; between 2; } | stkcap --format gc-log -o noise.stk - 2>err
	grep ", 3 lines skipped" err
'
check 'a time without a digit before its point is none' '
	echo "[.s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.455ms" >no-time.log
	echo "[1.0s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.455ms" >>no-time.log
	stkcap --format gc-log -o no-time.stk no-time.log 2>err || test $? = 1
	grep ", 1 lines skipped" err
'
finish
