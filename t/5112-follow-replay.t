#!/bin/sh
# SPDX-License-Identifier: MIT
# stktree --follow: whatever comes through the pipe, at every moment and after every restart its tree answers as one that is built of the same.
# REPLAY_RUNS=500 REPLAY_SEED=1 is a longer campaign.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_dumps" || skip_all "no $tools/make_dumps: run by make check"
have python3 || skip_all 'no python3'
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# ticks EVENT COMMAND COUNT FROM
ticks() {
	awk -v event="$1" -v command="$2" -v n="$3" -v from="$4" 'BEGIN { srand(n); for (i = 0; i < n; i++)
		printf "%s %d/1%d %.6f: %d %s: \n\t1 f%d (app)\n\t2 g%d (app)\n\t3 main (app)\n\n", command, 7 + i % 3, i % 3, from + i / 50, 1 + i % 3, event, rand() * 9, i % 4 }'
}
"$tools/make_dumps" 1 150 >one.stk
"$tools/make_dumps" 2 100 1700000001 3 >three.stk				# several VMs at the same times
"$tools/make_dumps" 3 80 1700000090 2 5 >lost.stk				# with references to nothing
{ ticks cycles web 300 1000; ticks faults web 60 1002; } | stkcap -q --format perf-script --source ticks -o ticks.stk -
ticks faults db 200 1004 | stkcap -q --format perf-script --source ticks -o faults.stk -
awk 'BEGIN { for (i = 0; i < 60; i++) printf "@%d\nr;a;x;park 3\nr;b;y%d 1\n", 1772355600 + 60 * (i * 7 % 60), i % 9 }' | stkcap -q --format folded-dumps --source host-a -o mixed.stk -
zcat "$t/data/day-17a.txt.gz" | stkcap -q - | stkclass -q -o classed.stk -
stktree -q -o one.tree one.stk
stktree -q -o ticks.tree ticks.stk && stktree -q --thin 2s:raw,1000s:500ms -o thin.ticks.tree ticks.tree
"$tools/make_dumps" 7 800 1000 | stktree -q --thin 2s:raw,1000s:500ms -o thin.tree -
stkcat -q --merge --sort one.stk ticks.stk >merged.stk

# replay SEED RUNS STREAM...
replay() { python3 "$t/lib/follow_replay.py" "$@" 2>said; }

check 'streams of several VMs, one after another, cut, again, and the follower killed and started again' '
	replay "${REPLAY_SEED:-1}" "${REPLAY_RUNS:-4}" one.stk three.stk lost.stk classed.stk'
check 'of samples without dumps, of two events, out of order, with another clock' '
	replay "${REPLAY_SEED:-2}" "${REPLAY_RUNS:-4}" ticks.stk faults.stk mixed.stk merged.stk one.stk'
check 'of trees, one of them thinned' '
	replay "${REPLAY_SEED:-3}" "${REPLAY_RUNS:-4}" one.tree thin.tree three.stk'
check 'counts of thinned samples are of one event: where others came before them, they are refused' '
	for stream in one.stk faults.stk; do
		status 2 stktree -q -o t.tree $stream thin.ticks.tree 2>said && grep "event .cycles., and these cannot be counted as .*expected --event cycles" said
		rm -f f.tree && cat $stream thin.ticks.tree | status 2 stktree -q --follow -o f.tree - 2>said && grep "expected --event cycles" said
		stktree -q -o t.tree --event cycles $stream thin.ticks.tree
		stktree -q -f folded thin.ticks.tree >want && stktree -q -f folded t.tree | same want -
	done
	stktree -q --thin 1ms:raw,1000s:500ms -o old.tree thin.ticks.tree && stktree -q -o t.tree --event cycles old.tree one.stk
	stktree -q -o u.tree old.tree one.stk && cmp t.tree u.tree
	replay "${REPLAY_SEED:-4}" "${REPLAY_RUNS:-3}" thin.ticks.tree faults.stk one.tree'
check 'the event that is counted is the first of the input, whatever comes later without a sample, or with earlier ones' '
	ticks faults db 50 900 | stkcap -q --format perf-script --source ticks -o early.stk -
	printf "time,name,value\n1000,heap.used,5\n" | stkcap -q --format metrics --source ticks -o metrics.stk -
	event() { stkcat -q -f ndjson --only tree "$1" | tail -1 | grep -o "\"event\":\"[a-z]*\""; }
	stktree -q -o built.tree ticks.stk early.stk && test "$(event built.tree)" = "\"event\":\"cycles\""
	for way in --append "--follow -o"; do
		rm -f t.tree
		for each in ticks.stk metrics.stk early.stk; do
			stktree -q $way t.tree $each && test "$(event t.tree)" = "\"event\":\"cycles\""
		done
		for event in all cycles faults; do
			stktree -q -f folded --samples --event $event built.tree >want && test -s want
			stktree -q -f folded --samples --event $event t.tree | same want -
		done
	done'
finish
