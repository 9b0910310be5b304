#!/bin/sh
# SPDX-License-Identifier: MIT
# A record stream is a legal zstd file, with checksums.
. "${0%/*}/lib/tap.sh"

have zstd || skip_all 'no zstd'
tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_stream" || skip_all "no $tools/make_stream: run by make check"

"$tools/make_stream" 7 200 64 >a.stk
stkcap -q "$t/data/orders.jstack.txt" >b.stk
cat a.stk b.stk >ab.stk

for file in a b ab; do
check "$file: zstd -t, zstd -l and zstdcat accept it" '
	zstd -q -t $file.stk
	zstd -q -t <$file.stk
	zstd -l $file.stk | tail -1 | grep "XXH64 *$file.stk"
	zstdcat $file.stk >content
	test -s content
'
done
check 'a header for each block, and a frame for each stored column: frames less skippable ones' '
	set -- $(zstd -l a.stk | tail -1)
	test $2 -ge 35 -a $1 -gt 100
'
check 'what zstd finds damaged, stkcat does too' '
	size=$(wc -c <a.stk)
	{ head -c $((size / 2)) a.stk; printf "\125\252\125"; tail -c +$((size / 2 + 4)) a.stk; } >bad.stk
	status 1 stkcat --check bad.stk 2>/dev/null
'
check 'a stream that was compressed once more is refused with a word, not read as text or noise' '
	gzip -c b.stk >b.stk.gz
	stkcat -f ndjson --ids b.stk >want
	stkcat -f ndjson --ids b.stk.gz >got 2>err && same want got || test -s err
'
finish
