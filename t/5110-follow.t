#!/bin/sh
# SPDX-License-Identifier: MIT
# stktree --follow: wherever its commits fall, the tree is that of what came by then; a killed one leaves what was committed.
# FOLLOW_RUNS=200 FOLLOW_KILLS=300 FOLLOW_LIVE=60 (seconds) are a longer campaign.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_dumps" || skip_all "no $tools/make_dumps: run by make check"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

dumps=${FOLLOW_RUNS:+3000}
"$tools/make_dumps" 1 "${dumps:-400}" >dumps.stk
"$tools/make_dumps" 2 200 1700000100 >next.stk
follow() { python3 "$t/lib/follow.py" "$@" --leaf 50 --split 3; }

# answers_alike A B: their samples, and what windows of them hold
answers_alike() {
	for each in "$1" "$2"; do
		stkcat -q -f ndjson --ids --only sample "$each" | sort >samples
		for window in "--from @0" "--from @1700000001 --to @1700000003.005" "--to @1700000002"; do
			stktree -q -f folded $window "$each" || test $? -eq 1
		done | cat samples - >"answers.${each##*/}"
	done
	cmp "answers.${1##*/}" "answers.${2##*/}"
}
# wait_for 'shell text': until it holds
wait_for() {
	tries=0
	until eval "$1"; do
		tries=$((tries + 1))
		test $tries -lt 1200 || { echo "waited in vain for: $1"; return 1; }
		sleep 0.05
	done
}

total() { stktree -q -f folded "$1" | awk '{ n += $NF } END { print n }'; }

if have python3; then
	check 'one stream in random pieces: at each commit all answers are those of a tree of what came by then' '
		follow pieces dumps.stk 1 "${FOLLOW_RUNS:-4}"'
	check 'killed at random: what was committed is there, whole, and the next goes on' '
		follow kills dumps.stk next.stk 1 "${FOLLOW_KILLS:-5}" 2>said'
	check 'a commit that reached the file in part: what was committed before is there, nothing of the rest stays, and the next goes on' '
		follow torn dumps.stk next.stk 1 8 2>said'
	check 'live: what a capture writes' '
		cat >dump.sh <<-"END"
			n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n
			printf "2026-03-01 10:00:00\nFull thread dump OpenJDK 64-Bit Server VM (21 mixed mode):\n\n"
			for i in 1 2 3; do
				printf "\"w-%s\" #%s prio=5 os_prio=0 tid=0x00%s nid=0x1%s runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.f%s(B.java:1)\n\tat a.B.g%s(B.java:2)\n\n" $i $i $i $i $((n % 17)) $((n * i % 7))
			done
		END
		follow live "stkcap -q --every 20ms --budget 0 --exec \"sh dump.sh\"" 1 "${FOLLOW_LIVE:-3}"'
else
	skip 'no python3' 'commits, kills, torn commits and a live capture' ''
fi

check 'several streams one after another, one of them cut: the tree is that of all' '
	head -c $(($(wc -c <dumps.stk) / 2)) dumps.stk >cut.stk
	cat cut.stk next.stk dumps.stk >three.stk
	status 1 stktree -q -o want.tree three.stk 2>said
	rm -f got.tree
	(cat cut.stk; sleep 0.05; cat next.stk; sleep 0.05; cat dumps.stk) | status 1 stktree -q --follow --every 1ms -o got.tree - 2>said
	grep "damaged\|cut\|middle of a block\|no block here" said
	answers_alike got.tree want.tree
	status 1 stkcat --check got.tree 2>said && grep "incomplete" said'
check 'a block of the middle is lost: rows that refer to it do so in vain, and never to what another stream defines' '
	"$tools/make_dumps" 1 40 1700000000 2 3 >lost.stk
	rm -f got.tree
	(cat lost.stk; sleep 0.05; cat next.stk) | status 1 stktree -q --follow --every 1ms -o got.tree - 2>said
	grep "13 samples have stacks that the stream does not define" said
	status 1 stktree -q -f folded lost.stk >want 2>said
	status 1 stktree -q -f folded --to @1700000050 got.tree >got 2>said
	same want got
	stkcat -q -f folded next.stk >want && stktree -q -f folded --from @1700000050 got.tree | same want -'
check 'what was reported as lost is not reported again when something else is added' '
	"$tools/make_dumps" 1 3 1700000000 2 1 >lost.stk
	status 1 stktree -q --append again.tree lost.stk 2>said && grep "^stktree: 3 samples have stacks" said
	status 0 stktree -q --append again.tree next.stk 2>said && same /dev/null said'
check 'nothing, a head alone, and one sample' '
	rm -f got.tree && status 1 stktree -q --follow -o got.tree - </dev/null 2>said && grep "empty" said && stkcat --check got.tree
	"$tools/make_dumps" 1 0 >none.stk
	rm -f got.tree && status 1 stktree -q --follow -o got.tree - <none.stk 2>said && grep "no samples" said && stkcat --check got.tree
	"$tools/make_dumps" 1 1 >one.stk
	(cat none.stk; sleep 0.05; cat one.stk; sleep 0.05; cat none.stk) | status 0 stktree -q --follow --every 1ms -o got.tree -
	stktree -q -o want.tree one.stk && answers_alike got.tree want.tree'
check 'a commit that finds nothing new does not touch the file' '
	mkfifo pipe && rm -f got.tree
	stktree -q --follow --every 1ms -o got.tree pipe & pid=$!
	exec 9>pipe && cat one.stk >&9
	wait_for "test -e got.tree && stktree -q -f folded got.tree >got 2>said && test -s got"
	touch -r one.stk got.tree && before=$(stat -c %Y.%s got.tree)
	cat none.stk >&9 && sleep 0.2 && exec 9>&-
	wait $pid
	test "$(stat -c %Y.%s got.tree)" = "$before"
	stkcat --check got.tree'
check 'a tree that a reader opens late, or while it grows, is that of the last commit' '
	rm -f got.tree
	stktree -q --follow --every 1ms -o got.tree pipe & pid=$!
	exec 9>pipe && cat dumps.stk >&9
	stktree -q -o want.tree dumps.stk
	wait_for "test \"\$(total got.tree 2>said)\" = $(total dumps.stk) && stkcat --check got.tree 2>said"
	answers_alike got.tree want.tree
	exec 9>&- && wait $pid'
check 'thinned nodes of the last stream count when it ends, even if all else was committed before' '
	stktree -q -o dumps.tree dumps.stk && stktree -q --thin 1s:raw,1000s:500ms -o thin.tree dumps.tree
	rm -f got.tree
	{ cat thin.tree; until test -s got.tree; do sleep 0.05; done; sleep 0.1; } | stktree -q --follow --every 10ms -o got.tree -
	test "$(total got.tree)" -eq "$(total thin.tree)"
'
check 'nodes of the input that were thinned are followed too, and kept in a tree that has such' '
	stktree -q --thin 1s:raw,1000s:500ms -o thin.tree dumps.stk
	rm -f got.tree && cat thin.tree | stktree -q --follow -o got.tree - && test $(total got.tree) -eq $(total thin.tree)
	stktree -q --follow -o got.tree next.stk && test $(total got.tree) -eq $(($(total thin.tree) + $(total next.stk)))'
check 'what has columns and kinds of a later version passes as it is, over commits' '
	"$tools/make_future" 1 7 >future.stk 2>index
	rm -f got.tree
	(head -c 3000 future.stk; sleep 0.05; tail -c +3001 future.stk) | status 1 stktree -q --follow --every 1ms -o got.tree - 2>said		# it has no samples
	stkcat -f ndjson --ids future.stk >want && stkcat -f ndjson --ids got.tree | grep -v "kind...tree" | same want -'
check 'the tree as its own input is a mistake' '
	status 2 stktree -q --follow -o got.tree got.tree 2>said && grep "the tree itself" said
	status 2 stktree -q --follow -o got.tree - <got.tree 2>said && grep "the tree itself" said
	ln -s got.tree link && status 2 stktree -q --follow -o got.tree link 2>said'
check 'a tree that was moved away is said, and no other file is written to' '
	rm -f got.tree
	stktree -q --follow --every 1ms -o got.tree pipe 2>said & pid=$!
	exec 9>pipe && cat one.stk >&9
	wait_for "test -e got.tree && stkcat --check got.tree 2>/dev/null"
	cat dumps.stk >&9		# once they are all there, the follower has the file open, and nothing more to write
	wait_for "test \"\$(total got.tree 2>/dev/null)\" = $(($(total one.stk) + $(total dumps.stk)))"
	cp next.stk other && ln got.tree moved.tree && mv other got.tree
	cat next.stk >&9 || true	# its first commit ends the follower, maybe before it has read the rest
	exec 9>&-
	wait $pid && rc=0 || rc=$?
	test $rc -eq 3 && grep "the tree was replaced by another file" said
	cmp next.stk got.tree && stkcat --check moved.tree'
check 'a commit that fails ends it with status 3, and what was committed stays' '
	rm -f got.tree
	(ulimit -f $(($(wc -c <dumps.stk) / 512 + 40)); exec stktree -q --follow --every 1ms -o got.tree pipe 2>said) & pid=$!
	exec 9>pipe && cat one.stk >&9
	wait_for "test -e got.tree && stkcat --check got.tree 2>/dev/null"
	cat dumps.stk dumps.stk dumps.stk >&9 2>/dev/null || true
	exec 9>&-
	wait $pid && rc=0 || rc=$?
	test $rc -ne 0 && test $rc -ne 134 && test $rc -ne 139
	stkcat -q -f tsv --only sample one.stk >want && stkcat -q -f tsv --only sample got.tree 2>said2 | head -$(wc -l <want) | same want -'
finish
