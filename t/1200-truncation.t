#!/bin/sh
# SPDX-License-Identifier: MIT
# A stream that was cut is told from a whole one, at any length, and reads to its last whole block. (t/unit/reader_damage.c tries every length.)
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_stream" || skip_all "no $tools/make_stream: run by make check"

"$tools/make_stream" 5 12 6 >whole.stk
size=$(wc -c <whole.stk)
stkcat -f ndjson --ids whole.stk >whole.ndjson
head=$(($(LC_ALL=C grep -abo stk1 whole.stk | sed -n "2s/:.*//p") - 8))		# bytes of the first block

check 'the whole: silent, and 0' '
	status 0 stkcat --check whole.stk >out 2>&1
	status 0 stkcat --check <whole.stk >>out 2>&1
	test ! -s out
'
check 'a cut one: one line or two on stderr, and 1; from a file and from a pipe' '
	lengths=0
	for length in 1 2 3 4 5 7 8 11 12 15 16 17 40 100 300 900 $((head - 1)) $head $((head + 1)) $(seq $((head + 600)) 997 $size) $((size - 200)) $((size - 65)) $((size - 64)) $((size - 63)) $((size - 16)) $((size - 1)); do
		head -c $length whole.stk >cut.stk
		status 1 stkcat --check cut.stk >out 2>err
		lines=$(wc -l <err)
		test ! -s out -a \( $lines -eq 1 -o $lines -eq 2 \) || { echo "length $length:"; cat out err; false; }
		grep -q "^stkcat: cut.stk:[0-9]*: " err
		head -c $length whole.stk | status 1 stkcat --check >out 2>err.pipe
		sed "s/cut.stk/-/" err | same - err.pipe
		lengths=$((lengths + 1))
	done
	test $lengths -gt 50
'
check 'what a cut one says is a beginning of what the whole says, whole blocks, and 1' '
	for length in $(seq $((head + 40)) 1103 $size) $((size - 64)) $((size - 1)); do
		head -c $length whole.stk >cut.stk
		status 1 stkcat -f ndjson --ids cut.stk >got 2>/dev/null
		head -n $(wc -l <got) whole.ndjson | same - got
		echo $(($(wc -l <got) % 6)) >>blocks
	done
	test "$(sort -u blocks)" = 1		# the head, and blocks of six rows
'
check 'only the last 64 bytes are missing: every row is there, and yet it is not whole' '
	head -c $((size - 64)) whole.stk | status 1 stkcat -f ndjson --ids >got 2>err
	same whole.ndjson got
	grep "without its end record: it is truncated" err
'
check 'no bytes at all: that is no stream, and 1' '
	status 1 stkcat --check /dev/null 2>err
	test "$(wc -l <err)" -eq 1
	grep "empty" err
	status 1 stkcat -f ndjson --ids </dev/null 2>err >out
	test ! -s out -a "$(wc -l <err)" -eq 1
'
check 'rewritten, a cut stream ends whole, but says what was lost' '
	head -c $((size / 2)) whole.stk >cut.stk
	status 1 stkcat -f stream cut.stk >mended.stk 2>/dev/null
	zstd -q -t mended.stk 2>/dev/null || ! have zstd
	stkcat -f ndjson --ids mended.stk >got 2>/dev/null || test $? -eq 1
	head -n $(wc -l <got) whole.ndjson | same - got
	status 1 stkcat --check mended.stk 2>err
	grep "lost\|incomplete" err
'
check 'several inputs: the cut one is named, the others are read' '
	head -c 3000 whole.stk >cut.stk
	status 1 stkcat --check whole.stk cut.stk whole.stk 2>err
	grep -c "cut.stk" err >/dev/null
	status 1 grep "whole.stk" err
	status 1 stkcat -f ndjson --ids whole.stk cut.stk whole.stk >got 2>/dev/null
	head -n $(wc -l <whole.ndjson) got | same whole.ndjson -
	tail -n $(wc -l <whole.ndjson) got | same whole.ndjson -
'
check '-f text, tsv, folded, dumps, --contents: 1, and no crash' '
	stkcap -q "$t/data/orders.jstack.txt" >dumps.stk
	for length in 100 1500 2500 $(($(wc -c <dumps.stk) - 64)); do
		head -c $length dumps.stk >cut.stk
		for form in "-f text" "-f tsv" "-f folded" "-f dumps" "--contents" "--merge" "--sort"; do
			status 1 stkcat $form cut.stk >out 2>err
			test -s err
		done
	done
'
finish
