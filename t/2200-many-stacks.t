#!/bin/sh
# SPDX-License-Identifier: MIT
# Millions of distinct stacks: memory grows with them and with nothing else. STK_SLOW=1 tries ten million; 300,000 otherwise.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/peak" || skip_all "no $tools/peak: run by make check"
case ${BUILD:-} in *address*) skip_all 'memory is the sanitizer'"'"'s' ;; esac

stacks=300000
test "${STK_SLOW:-0}" != 1 || stacks=10000000

# Each stack is one of 1,000 beginnings with a leaf of its own.
distinct() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "main;run;a%d;leaf%d 1\n", i % 1000, i }'
}

check "$stacks distinct stacks: at most 64 MB and 320 bytes each" '
	distinct $stacks | "$tools/peak" peak stkcap - >out.stk 2>err
	grep "^stkcap: 0 dumps, $stacks samples, $stacks distinct stacks, 0 lines skipped" err
	echo "$(cat peak) kB" >&3
	test "$(cat peak)" -le $((65536 + stacks * 320 / 1024))
'
check 'they come back, each once' '
	stkcat --check out.stk
	stkcat --contents -f tsv out.stk | grep "^sample	$stacks	"
	"$tools/peak" peak stkcat -q -f folded out.stk >folded
	test "$(wc -l <folded)" -eq $stacks
	test "$(sort -u folded | wc -l)" -eq $stacks
'
check 'the same stacks again cost nothing' '
	distinct 20000 >some.txt
	"$tools/peak" once stkcap -q some.txt >/dev/null
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat some.txt; done >often.txt
	"$tools/peak" often stkcap -q often.txt >/dev/null
	test "$(cat often)" -le $(($(cat once) + 20000)) || { echo "$(cat once) kB, then $(cat often) kB"; false; }
'
finish
