#!/bin/sh
# SPDX-License-Identifier: MIT
# stktree --follow behind tail -F of a file that is rotated, from several VMs: every answer is that of a scan of all that was in the file.
. "${0%/*}/lib/tap.sh"
tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_dumps" || skip_all "no $tools/make_dumps: run by make check"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

"$tools/make_dumps" 1 400 >dumps.live
total() { stktree -q -f folded "$1" 2>said | awk '{ n += $NF } END { print n + 0 }'; }
# wait_for_samples FILE...: until the tree has those of all of them
wait_for_samples() {
	want=0 tries=0
	for each in "$@"; do want=$((want + $(total $each))); done
	until test -e rotated.tree && test $(total rotated.tree) -eq $want; do
		tries=$((tries + 1))
		test $tries -lt 600 || { echo "the tree has $(total rotated.tree) samples, not $want"; return 1; }
		sleep 0.1
	done
}
"$tools/make_dumps" 2 300 1700000100 3 >next.live		# three VMs
"$tools/make_dumps" 3 100 1700000050 >last.live			# shorter: that is how tail sees that a file was truncated
check 'the input is renamed and replaced, and then truncated and written anew: tail -F gives all of it, and the tree has it' '
	cp dumps.live log.stk && mkfifo pipe
	tail -s 0.1 -c +1 -F log.stk >pipe 2>tail.said & tail=$!
	stktree -q --follow --every 1ms --leaf 50 -o rotated.tree - <pipe & pid=$!
	wait_for_samples dumps.live
	cp next.live log.new && mv log.stk log.1 && mv log.new log.stk
	wait_for_samples dumps.live next.live
	cp last.live log.stk
	wait_for_samples dumps.live next.live last.live
	kill $tail && wait $pid
	stkcat --check rotated.tree
	cat dumps.live next.live last.live >all.live
	for window in "--from @0" "--from @1700000001 --to @1700000101.5" "--from @1700000050.2 --to @1700000100.7"; do
		for by in none source,thread; do
			stkcat -q -f folded --by $by $window all.live >want && test -s want
			stktree -q -f folded --by $by $window rotated.tree | same want -
		done
		for filter in "--thread worker-[12]" "--grep f3|g1" "--process vm"; do
			stkcat -q -f folded --by none $window $filter all.live >want
			stktree -q -f folded --by none $window $filter rotated.tree | same want -
		done
	done
	# started again on what the file has now, it adds nothing
	stktree -q --follow -o rotated.tree log.stk && test $(total rotated.tree) -eq $(total all.live)'
finish
