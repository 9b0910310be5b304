#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that a capture is still writing is read as far as it is: that is said, and is no damage. Without its writer it is.
. "${0%/*}/lib/tap.sh"
have flock || skip_all 'no flock (Debian: util-linux)'

# dumps N: thread dumps of N moments
dumps() {
	for second in $(seq 10 $((9 + $1))); do
		printf '2026-03-01 00:00:%s\nFull thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n' "$second"
		printf '"main" #1 prio=5 tid=0x1 nid=0x1 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n\n'
	done
}
dumps 20 | stkcap -q -o whole.stk -
size=$(stat -c %s whole.stk)
# the first byte of the block of samples, and of what ends the stream
samples=$(stkcat -q --contents -f tsv whole.stk >/dev/null 2>&1; stkcat -f tsv --only sample -q whole.stk | tail -n +2 | wc -l)

# while_written COMMAND: with growing.stk locked as a capture locks it
while_written() { flock -x growing.stk sh -c "$1"; }

check 'cut anywhere, a file without a writer is damaged' '
	for cut in 1 20 60; do
		head -c $((size - cut)) whole.stk >growing.stk
		status 1 stkcat -f tsv --only sample growing.stk >out 2>err || { echo "cut $cut"; false; }
	done
'
check '... and with one it is only read as far as it goes, in every filter' '
	for cut in 1 20 60 100; do
		head -c $((size - cut)) whole.stk >growing.stk
		for filter in "stkcat -f tsv --only sample" "stktree -f tsv" "stkgroup -s jvm -f tsv" "stkclass -f tsv" "stkdiag -f tsv"; do
			while_written "$filter growing.stk" >out 2>err || { echo "$filter, cut $cut: $?"; cat err; false; }
			grep -q "growing.stk: still being written; read as far as it is now" err || { echo "$filter, cut $cut"; cat err; false; }
			test "$(grep -c . err)" -le 2 || { cat err; false; }
		done
	done
'
# The head is whole from 2,500 bytes on.
check 'what is whole of it is all there: every prefix has the samples of its whole blocks, and no other message' '
	test "$samples" = 20
	before=0
	for end in $(seq 2500 7 "$size"); do
		head -c "$end" whole.stk >growing.stk
		while_written "stkcat -f tsv --only sample growing.stk" 2>err | tail -n +2 >out || true
		grep -v "still being written" err && { echo "at $end"; cat err; false; }
		now=$(wc -l <out)
		test "$now" -ge "$before" || { echo "at $end: $now after $before"; false; }
		before=$now
	done
	test "$before" = 20
'
check 'damage in the middle is damage, also while it is written' '
	head -c $((size - 20)) whole.stk >growing.stk
	printf "\377\377\377\377" | dd of=growing.stk bs=1 seek=2500 conv=notrunc 2>/dev/null
	status 1 while_written "stkcat -f tsv --only sample growing.stk" >out 2>err
	grep -v "still being written" err
'
check 'a whole file is whole, whoever has it open' '
	cp whole.stk growing.stk
	while_written "stkcat -f tsv --only sample growing.stk" >out 2>err && test ! -s err
'
check 'a running capture can be looked at' '
	dumps 1 >dump.txt
	stkcap -q --exec "cat dump.txt" --every 200ms -o live.stk 2>capture.err & capture=$!
	tries=0
	until test "$(stkcat -q -f tsv --only sample live.stk 2>err | tail -n +2 | wc -l)" -ge 2 || test $tries -eq 200; do sleep 0.1; tries=$((tries + 1)); done
	stkcat -f tsv --only sample live.stk >out 2>err && grep "live.stk: still being written" err
	kill $capture; wait $capture || true
	stkcat -f tsv --only sample live.stk >out 2>err && test ! -s err
'
finish
