#!/bin/sh
# SPDX-License-Identifier: MIT
# A tree is of all its inputs, whatever they are called and however they come; and of all their samples, however they are ordered.
. "${0%/*}/lib/tap.sh"

# make_profile NAME COUNT [LATE]   a sample each 10 ms; the one of number LATE is half a second too early
make_profile() {
	awk -v n="$2" -v late="${3:--1}" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "web 10/10 %.6f: 1 cycles: \n\t1 f%d (app)\n\t3 main (app)\n\n", 1000 + i / 100 - (i == late ? 0.5 : 0), i % 7
	}' | stkcap -q -o "$1" --format perf-script -
}
total() { stktree -q -f folded "$1" | awk '{ n += $NF } END { print n + 0 }'; }
# counts WANTED INPUT...   what a tree of the inputs holds
counts() {
	wanted=$1
	shift
	stktree -q -o counted.tree "$@" && got=$(total counted.tree) && test "$got" -eq "$wanted" || { echo "${got-}, expected $wanted: $*"; return 1; }
}

make_profile long.stk 4000
stktree -q --thin 2s:raw,1000s:5s -o thin.tree long.stk
cp thin.tree copy.tree
ln thin.tree hard.tree
ln -s thin.tree soft.tree
mkdir folder && ln thin.tree folder/thin.tree
gzip -c thin.tree >thin.tree.gz

check 'a thinned tree is as much as it was thinned of' '
	test $(total thin.tree) -eq 4000
	counts 4000 thin.tree'
check 'twice the same file is as much as a file and its copy, by whatever names' '
	counts 8000 thin.tree copy.tree
	counts 8000 thin.tree thin.tree
	counts 8000 thin.tree ./thin.tree
	counts 8000 thin.tree hard.tree
	counts 8000 thin.tree soft.tree
	counts 12000 thin.tree thin.tree thin.tree
	counts 8000 folder folder
	counts 8000 thin.tree.gz thin.tree.gz'
check 'so it is through standard input, a file or a pipe' '
	counts 4000 - <thin.tree
	cat thin.tree | counts 4000 -
	counts 8000 thin.tree - <thin.tree
	counts 8000 - thin.tree <thin.tree
	cat thin.tree | counts 8000 - thin.tree
	test ! -e /dev/stdin || { counts 4000 /dev/stdin <thin.tree && counts 8000 /dev/stdin thin.tree <thin.tree; }'
check 'and of streams that stand in one file' '
	cat thin.tree copy.tree long.stk >three
	counts 12000 three
	cat three | counts 12000 -'
check 'appended again, a tree of which everything is thinned counts twice, though it defines nothing new' '
	stktree -q --thin 0s:raw,1000s:5s -o all.tree long.stk 2>/dev/null || stktree -q --thin 10ms:raw,1000s:5s -o all.tree long.stk
	rm -f grown.tree
	for n in 1 2 3; do stktree -q --append grown.tree --again all.tree && test $(total grown.tree) -eq $((n * 4000)); done'
check '--merge does not read a pipe twice' '
	cat thin.tree | status 2 stktree -q --merge -o merged.tree thin.tree - 2>said && grep "pipe" said
	stktree -q --merge -o merged.tree thin.tree thin.tree && test $(total merged.tree) -eq 8000'
check 'nodes with thinned samples that cannot be read are said: status 1' '
	have python3 || exit 0
	python3 - <<-"X"
	import subprocess
	tree = open("thin.tree", "rb").read()
	for at in range(len(tree) - 1, 0, -7):          # the nodes are in the last part of it
	    bad = bytearray(tree)
	    bad[at] ^= 0x41
	    open("part.stk", "wb").write(bad)
	    run = subprocess.run(["stktree", "-o", "counted.tree", "part.stk"], capture_output=True, text=True)
	    if "nodes of the inputs\x27 trees cannot be read" in run.stderr:
	        assert run.returncode == 1, run.stderr
	        break
	else:
	    raise SystemExit("no node was damaged")
	X
	status 1 stkcat --check counted.tree 2>said && grep "incomplete" said'
check 'a sample out of order inside of a late block: the nodes that were begun in vain leave no trace' '
	make_profile late.stk 120000 119000
	stktree -q -o late.tree --leaf 100 late.stk
	stkcat --check late.tree
	for w in "@1000 @1700.005" "@1100 @3000" "@2180 @2190"; do
		set -- $w
		stkcat -q -f folded --from $1 --to $2 late.stk >want && stktree -q -f folded --from $1 --to $2 late.tree | same want -
	done
	stkcat -f tsv --only tree_node late.tree | awk "NR > 1 && \$1 != NR - 1 { exit 1 }"'
check 'the same ids of two streams are other stacks: each is counted for its own' '
	awk "BEGIN { for (i = 0; i < 3; i++) print \"@\" 1772323200 + i * 60 \"\nmain;a;b 2\nidle 1\nmain;c 1\" }" | stkcap -q --format folded-dumps -o x.stk -
	awk "BEGIN { for (i = 0; i < 3; i++) print \"@\" 1772323200 + i * 60 \"\nidle 1\nmain;c;d 2\nmain;a 1\" }" | stkcap -q --format folded-dumps -o y.stk -
	printf "%s\n" "idle 6" "main;a 3" "main;a;b 6" "main;c 3" "main;c;d 6" >want
	stktree -q -f folded x.stk y.stk | same want -
	stkcat -q -f folded x.stk y.stk | same want -
	printf "%s\t%s\t%s\t%s\n" level function self total 1 main 0 18 2 a 3 9 3 b 6 6 2 c 3 9 3 d 6 6 1 idle 6 6 >want
	stktree -q -f tsv x.stk y.stk | same want -
	stktree -q -f tsv --min 1 x.stk y.stk | same want -
'
# One dump has all of the 601 stacks; the first has three of them and the last two: totals are then made in another way.
check 'limits that leave nothing out change nothing, of many stacks and of few' '
	awk "BEGIN { for (i = 0; i < 3; i++) { print \"@\" 1772323200 + i * 60
		for (k = 0; k <= 600; k++) if (i == 1 || k % 300 == i) print (k % 2 ? \"web-1\" : \"db-1\") \";f\" k % 7 \";g\" k % 31 \";h\" k, 1 + k % 5 } }" | stkcap -q --format folded-dumps -o many.stk -
	for window in "" "--to 2026-03-01T00:00:30Z" "--from 2026-03-01T00:01:30Z"; do
		stktree -q -f tsv $window many.stk >want
		for limits in "--min 0.0001" "--depth 4" "--min 0.0001 --depth 4"; do
			stktree -q -f tsv $window $limits many.stk | same want -
		done
		wc -l <want
	done >lines
	test "$(sort -u lines | wc -l)" -eq 3
	awk "NR > 1 { total[\$1] += \$4; self += \$3 } END { exit !(total[1] == self && self > 0) }" want
'
make_profile late.stk 4000 3000
check 'what is in order is written in its place at once, and what is not is sorted in temporary files' '
	for input in long.stk late.stk; do
		stktree -q -o want.tree $input
		stktree -q -o - $input >piped.tree
		test $(total want.tree) -eq 4000
		stktree -q -f tsv want.tree >want
		stktree -q -f tsv piped.tree | same want -
	done
	stktree -q -o want.tree long.stk
	TMPDIR=$PWD/nowhere stktree -q -o placed.tree long.stk
	cmp want.tree placed.tree
	status 3 env TMPDIR="$PWD/nowhere" stktree -q -o sorted.tree late.stk 2>said
	grep "cannot create a temporary file in .*nowhere" said
	test ! -e sorted.tree
	test -z "$(ls -A | grep "^[.]sorted[.]tree")"
'
finish
