#!/bin/sh
# SPDX-License-Identifier: MIT
# Levels may have an N of their own, and a calendar holds together: whatever the shape, answers are those of a scan.
. "${0%/*}/lib/tap.sh"

# seconds COUNT START STEP: samples of five stacks
seconds() {
	awk -v n="$1" -v start="$2" -v step="$3" 'BEGIN { for (i = 0; i < n; i++)
		printf "t 1/1 [000] %.6f: 1 cycles:\n\t7f01 f%d (/bin/x)\n\n", start + i * step, i * i % 5 }' | stkcap -q --format perf-script -
}
seconds 6000 60 1 >even.stk
seconds 4000 3600.05 0.9 >later.stk		# no sample of one is also in the other: those would be the same
nodes() { stkcat -q -f tsv --only tree_node "$1" | tail -n +2 | wc -l; }
answers() {	# TREE RECORDING...
	tree=$1; shift
	for window in @0..@100000 @61..@62 @119.5..@3000.25 @1000..@1001 @5000..@5600 @60..@6060 @3590..@3700; do
		cat "$@" | stkcat -q -f folded --window $window >want
		stktree -q -f folded --window $window $tree | same want -
	done
}

check 'the root in 4 parts, its parts in 5, as in the example of the method; the last N goes on' '
	stktree -q --leaf 20 --split 4,5,2 --span @0..@8000 -o tree even.stk
	stkcat -q -f tsv --only tree tree | tail -1 | cut -f 3,4 | grep -x "4	time 4,5,2"
	stkcat --check tree && answers tree even.stk
	stkcat -q -f tsv --only tree_node tree | awk -F "\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
		{ l = \$at[\"length\"]; c = \$at[\"children\"] }
		l == 2000000000000 { five += c == 5; n++ } l == 400000000000 { two += c == 2; m++ }
		END { exit !(n == 3 && five == 3 && m > 10 && two == m) }"'
check 'such trees are appended to, merged, thinned and followed as others are' '
	stktree -q --leaf 20 --split 4,5,2 -o even.tree even.stk && stktree -q --leaf 20 --split 4,5,2 -o later.tree later.stk
	cp even.tree grown.tree && stktree -q --append grown.tree later.stk && answers grown.tree even.stk later.stk
	stkcat -q -f tsv --only tree grown.tree | tail -1 | cut -f 3,4 | grep -x "4	time 4,5,2"
	stktree -q --merge -o merged.tree even.tree later.tree && answers merged.tree even.stk later.stk
	stktree -q --leaf 20 --split 4,5,2 -o whole.tree even.stk later.stk && cmp merged.tree whole.tree
	stktree -q --leaf 20 --split 4,5,3 -o other.tree later.stk
	status 2 stktree --merge -o no.tree even.tree other.tree 2>said && grep -q "split by time 4,5,2 .* by time 4,5,3" said
	stktree -q --follow --leaf 20 --split 4,5,2 -o followed.tree even.stk && answers followed.tree even.stk'
check 'a calendar does not go straight from minutes to seconds' '
	stktree -q --leaf 50 --split-by calendar -o tree even.stk
	test "$(nodes tree)" -lt 600 && answers tree even.stk
	for leaf in 2 7 20 61 1000; do
		stktree -q --leaf $leaf --split-by calendar -o tree even.stk && answers tree even.stk
		test "$(nodes tree)" -lt $((6000 * 2)) && test "$(nodes tree)" -lt $((6000 * 8 / leaf + 6000 / 2))
	done'
check '... and in a zone whose clock is set back, windows are those of a scan' '
	seconds 9000 1761436800 0.8 >berlin.stk
	for leaf in 20 100 500; do
		stktree -q --leaf $leaf --split-by calendar --zone Europe/Berlin -o tree berlin.stk
		for window in @1761436800..@1761440000 @1761440390..@1761440420 @1761437000.5..@1761443999; do
			stkcat -q -f folded --window $window berlin.stk >want && test -s want
			stktree -q -f folded --window $window tree | same want -
		done
	done'
check 'what is not a list of N is refused' '
	for split in 1 0 4, ,4 4,1 4,,5 4,5,x -4 1025 2,2,2,2,2,2,2,2,2 "4 5" "" 99999999999999999999; do
		status 2 stktree --split "$split" -o no.tree even.stk 2>said && test ! -e no.tree
	done
	status 2 stktree --split 4,5 --split-by samples -o no.tree even.stk 2>said && grep -q "begin at the leaves" said'
finish
