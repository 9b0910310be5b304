#!/bin/sh
# SPDX-License-Identifier: MIT
# What precedes the frames of a stack is written into a tree once, whichever nodes need it.
. "${0%/*}/lib/tap.sh"

# Samples of a Java VM and of a program, by turns, as perf tells them
awk 'BEGIN {
	for (i = 0; i < 400; i++) {
		printf "%s %d/%d [000] %d.000000: 1 cycles:\n\t7f00 f%d (/bin/x)\n\t7f00 main (/bin/x)\n\n", i % 2 ? "java" : "web", 10 + i % 2, 10 + i % 2, 1000 + i, i % 7
	}
}' >perf.txt
stkcap -q -o perf.stk perf.txt

# tree_keys TREE: the keys without their numbers
tree_keys() { stkcat -f tsv --only tree_key "$1" | sed 1d | cut -f 2- | sort; }

check 'keys of Java VMs and of others are each there once' '
	stktree -q --leaf 20 -o day.tree perf.stk
	test "$(stkcat -f tsv --only tree_node day.tree | wc -l)" -gt 10
	tree_keys day.tree >got
	printf "java\t1\nweb\t0\n" | same - got
'
check 'a tree that was continued has no key twice' '
	stkcat -q --to @1200 -f stream perf.stk >one.stk
	stkcat -q --from @1200 -f stream perf.stk >two.stk
	stktree -q --leaf 20 -o grown.tree one.stk
	stktree -q --append grown.tree two.stk
	tree_keys grown.tree >got
	printf "java\t1\nweb\t0\n" | same - got
	stktree -q -f folded --from @1000 --to @1390 grown.tree >grown
	stktree -q -f folded --from @1000 --to @1390 day.tree | same - grown
	grep -c "^java;" grown | grep -x 7
'
finish
