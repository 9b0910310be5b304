#!/bin/sh
# SPDX-License-Identifier: MIT
# Dumps as codes: small, and restored exactly: each thread's class in its place, or how many stood in each class.
. "${0%/*}/lib/tap.sh"

jstack=$BUILD/bench/make_jstack
test -x "$jstack" || skip_all "no $jstack: run by make check"
"$jstack" --sections "$t/../scripts/bench/jstack.sections" --dumps 60 -o text 2>/dev/null
stkcap -q --source bench text >day.stk

# threads FILE   time and functions of each sample, in order
threads() { stkcat -f tsv --only sample "$1" | cut -f 1,6 | tail -n +2; }
# counts FILE   time, functions, and how many threads
counts() { stkcat -f tsv --only sample "$1" | awk -F '\t' 'NR > 1 { n[$1 "\t" $6] += $5 } END { for (k in n) print k "\t" n[k] }' | sort; }

for order in frequency arrival; do
	check "$order: each thread in its place" '
		stkclass -q --exact --codes $order -o codes day.stk
		stkcat --check codes
		stkclass -q --restore codes >restored.stk
		stkcat --check restored.stk
		threads day.stk >want
		threads restored.stk | same want -
		test "$(wc -l <want)" -gt 10000
	'
done
check 'counts: how many in each class of each dump' '
	stkclass -q --exact --codes counts -o codes day.stk
	stkclass -q --restore codes >restored.stk
	counts day.stk >want
	counts restored.stk | same want -
	test "$(wc -l <want)" -gt 500
'
check 'generated names are folded in codes, and exact ones are exact' '
	printf "@1\na;b\$\$Lambda\$1/0x0000000800c03000.run 2\na;c 1\n@2\na;c 3\n" | stkcap -q --format folded-dumps - >lambda.stk
	for order in frequency arrival counts; do
		stkclass -q --codes $order --exact lambda.stk | stkclass -q --restore | counts - >got
		counts lambda.stk | same - got
		stkclass -q --codes $order lambda.stk | stkclass -q --restore | stkcat -q -f folded | tr "\n" " " >got
		printf "a;b\$\$Lambda.run 2 a;c 4 " | same - got
	done
'
check 'arrival: a dump is written when it ends; the beginning of a cut stream restores' '
	stkclass -q --exact --codes arrival day.stk >codes
	head -c $(($(wc -c <codes) / 2)) codes | stkclass -q --restore >restored.stk 2>err || test $? -eq 1
	threads restored.stk >got
	threads day.stk | head -n "$(wc -l <got)" | same - got
'
check 'damaged codes: said, status 1, and no crash' '
	size=$(wc -c <codes) said=0
	for at in $(seq 50 997 $size); do
		cp codes bad
		printf "\\252" | dd of=bad bs=1 seek=$at conv=notrunc 2>/dev/null
		cmp -s bad codes && continue
		stkclass -q --restore bad >out.stk 2>err && code=0 || code=$?
		test $code -le 1 || { echo "status $code at $at"; cat err; false; }		# 0: in the index, which nobody asked for
		said=$((said + code))
	done
	test $said -gt 20
'
check 'no codes, no samples: said' '
	status 1 stkclass -q --restore day.stk 2>err >out
	grep "no codes in the input" err
	status 2 stkclass --codes 2>err </dev/null
	status 2 stkclass --codes some day.stk 2>err
	status 2 stkclass --stats day.stk 2>err
	status 2 stkclass --codes counts --tree day.stk 2>err
'
check '--stats: codes are smaller than the stream, the stream than zstd -19 of the text, that than gzip, gzip than the text' '
	for order in frequency counts; do
		stkclass --codes $order --stats -o codes day.stk 2>err
		size() { grep "$1" err | sed "s/.* \([0-9]*\) bytes.*/\1/"; }
		test "$(size "codes and dictionary")" -eq "$(wc -c <codes)"
		test "$(size "the stream read")" -eq "$(wc -c <day.stk)"
		test "$(size "codes and dictionary")" -lt "$(size "the stream read")"
		test "$(size "text, zstd")" -lt "$(size "text, gzip")"
		test "$(size "text, gzip")" -lt "$(size "text, folded")"
		test "$(size "codes and dictionary")" -lt "$(size "text, zstd")"
	done
'
finish
