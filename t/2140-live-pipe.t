#!/bin/sh
# SPDX-License-Identifier: MIT
# What comes through a pipe little by little goes on as it comes: nobody waits for a buffer to fill.
. "${0%/*}/lib/tap.sh"

have mkfifo || skip_all "no mkfifo"
sample() { printf 'web 10/%d %d.000000:          1 cycles: \n\t    1 f%d (app)\n\t    2 main (app)\n\n' "$1" "$1" "$1"; }
rows() { stkcat -q -f tsv --only sample seen.stk 2>/dev/null | grep -c "cycles"; }
arrived() { for try in $(seq 50); do test "$(rows)" -ge "$1" && return 0; sleep 0.2; done; echo "# $(rows) of $1 rows"; return 1; }

check 'samples of perf script are in the stream while their writer waits' '
	mkfifo pipe
	stkcap -q - <pipe >seen.stk 2>err &
	pid=$!
	exec 9>pipe
	{ sample 1; sample 2; sample 3; } >&9
	arrived 2
	{ sample 4; sample 5; } >&9
	arrived 4
	exec 9>&-
	wait $pid
	test "$(rows)" = 5
	stkcat --check seen.stk'
check '... and what comes in pieces of a few bytes is what comes at once' '
	for i in 1 2 3 4 5; do sample $i; done >whole.txt
	{ for part in 70 30 41 100 1; do dd bs=1 count=$part 2>/dev/null; sleep 0.3; done; cat; } <whole.txt | stkcap -q - | stkcat -f tsv --only sample - >got
	stkcap -q - <whole.txt | stkcat -f tsv --only sample - | same - got'
check 'lines of metrics too' '
	mkfifo metrics
	stkcap -q --format metrics - <metrics >seen.stk 2>err &
	pid=$!
	exec 9>metrics
	printf "2026-03-01T09:00:00Z,heap.used,1\n2026-03-01T09:00:01Z,heap.used,2\n" >&9
	for try in $(seq 50); do test "$(stkcat -q -f tsv --only metric seen.stk 2>/dev/null | grep -c heap)" = 2 && break; sleep 0.2; done
	test "$(stkcat -q -f tsv --only metric seen.stk 2>/dev/null | grep -c heap)" = 2
	exec 9>&-
	wait $pid'
arrived_of() {	# KIND ROWS
	for try in $(seq 50); do test "$(stkcat -q -f tsv --only $1 seen.stk 2>/dev/null | grep -c "a.B.c")" -ge $2 && return 0; sleep 0.2; done
	echo "$(stkcat -q -f tsv --only $1 seen.stk 2>/dev/null | grep -c "a.B.c") of $2 rows: $1"
	return 1
}
check 'a thread dump is in the stream when the next one begins, with its classes where stkclass is in the pipe' '
	mkfifo dumps
	stkcap -q - <dumps | stkclass -q -f stream >seen.stk &
	exec 9>dumps
	for second in 1 2 3; do
		printf "2026-03-01 09:00:0%d\nFull thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n\"web\" #1 prio=5 tid=0x1 nid=0x1 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c$second(B.java:1)\n\n" $second >&9
		arrived_of sample $((second - 1))
		arrived_of class_of_stack $((second - 2))
	done
	exec 9>&-
	wait
	test "$(stkcat -q -f tsv --only sample seen.stk | grep -c "a.B.c")" = 3
	stkcat --check seen.stk'
check 'a dump that comes in pieces stays one' '
	zcat "$t/data/day-17a.txt.gz" | head -400 >dump.txt
	{ dd bs=5000 count=1 2>/dev/null; sleep 0.5; dd bs=3000 count=1 2>/dev/null; sleep 0.5; cat; } <dump.txt | stkcap -q - 2>/dev/null | stkcat -f tsv --only dump,sample - >got
	stkcap -q - <dump.txt 2>/dev/null | stkcat -f tsv --only dump,sample - | same - got'
finish
