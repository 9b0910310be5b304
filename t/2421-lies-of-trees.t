#!/bin/sh
# SPDX-License-Identifier: MIT
# Time trees whose checksums are right and whose rows say what cannot be: it is the file that is wrong, not the command line, and nothing is answered from it.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/alter" || skip_all "no $tools/alter: run by make check"
awk 'BEGIN { for (i = 0; i < 40; i++) print "@" 1772323200 + i * 60 "\nmain;serve;a 2\nmain;idle 3" }' | stkcap -q --format folded-dumps -o dumps.stk -
stktree -q --leaf 16 --by thread --split-by calendar --zone Europe/Berlin -o tree.stk dumps.stk
stktree -q -f tsv --by thread tree.stk >want

# refused WHY KIND COLUMN ROW VALUE: the tree with this value is refused, for a report and for --append, which leaves it as it is
refused() {
	ASAN_OPTIONS=detect_leaks=0 "$tools/alter" "$2" "$3" "$4" "$5" <tree.stk >bad.stk
	status 3 stktree -q -f tsv bad.stk 2>err >out
	grep "^stktree: .*$1" err
	cp bad.stk before.stk
	stktree -q --append bad.stk dumps.stk 2>err && code=0 || code=$?
	test $code = 1 -o $code = 3
	grep "^stktree: .*$1" err
	cmp bad.stk before.stk
}

check 'alter changes the value, and no other' '
	ASAN_OPTIONS=detect_leaks=0 "$tools/alter" tree leaf 0 16 <tree.stk >same.stk
	stkcat --check same.stk
	stktree -q -f tsv --by thread same.stk | same want -
	ASAN_OPTIONS=detect_leaks=0 "$tools/alter" tree leaf 0 17 <tree.stk | stkcat -f tsv --only tree - >got
	stkcat -f tsv --only tree tree.stk | sed "2s/^16	/17	/" | same - got
'
check 'what stands before its stacks is nothing that --by knows' '
	refused "the tree begins stacks with .colour., which this version does not know" tree by 0 colour
	refused "which this version does not know" tree by 0 thread,,
'
check 'the keys of its counts are out of order' '
	refused "the tree has key 4294967297 where 1 is expected" tree_key id 0 4294967297
'
check 'its shape, its rule or its zone is none: --append does not go on by another' '
	for lie in "leaf 0" "split 18446744073709551615" "rule moon" "zone Nowhere/Else"; do
		ASAN_OPTIONS=detect_leaks=0 "$tools/alter" tree ${lie% *} 0 ${lie#* } <tree.stk >bad.stk
		cp bad.stk before.stk
		stktree -q --append bad.stk dumps.stk 2>err && code=0 || code=$?
		test $code = 1 -o $code = 3 || { echo "status $code: $lie"; cat err; false; }
		grep "^stktree: .*the tree\( has a shape that stktree does not make\|.s calendar\)" err
		cmp bad.stk before.stk
	done
'
finish
