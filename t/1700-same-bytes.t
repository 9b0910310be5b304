#!/bin/sh
# SPDX-License-Identifier: MIT
# Same input, same bytes: whatever the threads, the way the bytes come in, the moment, the place and the zone of the machine.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/chop" || skip_all "no $tools/chop: run by make check"

# Text of a few pieces, so that several threads have something to do.
jstack=$t/../scripts/sample/order-service.jstack.txt.gz perf=$t/../scripts/sample/order-service.perf.txt.gz
{ gzip -dc "$jstack"; cat "$t/data/orders.jstack.txt"; } >jstack.txt
gzip -dc "$perf" >perf.txt
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "main;a%d;b%d;c%d %d\n", i % 7, i % 31, i % 1009, i % 5 + 1 }' >folded.txt

for format in jstack perf folded; do
check "$format: --threads 1, 2 and 8 give the same bytes" '
	for level in 1 9; do
		stkcap -q --level $level --threads 1 $format.txt >1.stk
		test -s 1.stk
		for threads in 2 3 8; do stkcap -q --level $level --threads $threads $format.txt | cmp - 1.stk; done
		stkcap -q --level $level $format.txt | cmp - 1.stk
	done
'
check "$format: file, stdin, pipe, gzip and zstd give the same bytes" '
	stkcap -q --source x $format.txt | cat >want.stk
	stkcap -q --source x <$format.txt | cmp - want.stk
	cat $format.txt | stkcap -q --source x - | cmp - want.stk
	gzip -c $format.txt >$format.txt.gz
	stkcap -q --source x $format.txt.gz | cmp - want.stk
	stkcap -q --source x - <$format.txt.gz | cmp - want.stk
	if have zstd; then
		zstd -q -c $format.txt >$format.txt.zst
		stkcap -q --source x $format.txt.zst | cmp - want.stk
		cat $format.txt.zst | stkcap -q --source x | cmp - want.stk
	fi
'
check "$format: little by little through a pipe gives the same bytes" '
	"$tools/chop" 3000 <$format.txt | stkcap -q --source x | cmp - want.stk
	"$tools/chop" 700 <$format.txt.gz | stkcap -q --source x --threads 8 | cmp - want.stk
'
done
check 'the name of a compressed file counts without its ending' '
	stkcap -q perf.txt | cat >want.stk
	stkcap -q perf.txt.gz | cmp - want.stk
	! have zstd || stkcap -q perf.txt.zst | cmp - want.stk
'
check 'not the clock, the zone, the locale, the host or the folder' '
	stkcap -q jstack.txt | cat >want.stk
	mkdir elsewhere; cp jstack.txt elsewhere
	touch -d 2001-01-01 jstack.txt elsewhere/jstack.txt
	(cd elsewhere; TZ=Asia/Tokyo LC_ALL=C.UTF-8 COLUMNS=40 stkcap -q jstack.txt) | cmp - want.stk
	sleep 1
	stkcap -q jstack.txt | cmp - want.stk
'
check 'to a file and to a pipe the rows are the same, and with the level said the bytes too' '
	stkcap -q -o file.stk jstack.txt
	stkcat -f ndjson --ids file.stk >want
	stkcap -q jstack.txt | stkcat -f ndjson --ids | same want -
	stkcap -q --level 5 -o file.stk jstack.txt
	stkcap -q --level 5 jstack.txt | cmp - file.stk
'
check 'stkcat too: any threads, file or pipe' '
	stkcap -q jstack.txt perf.txt folded.txt >all.stk
	cat all.stk all.stk >twice.stk
	for form in "-f stream" "--merge" "--sort" "-f text" "-f tsv" "-f ndjson" "-f folded" "-f dumps"; do
		stkcat -q --threads 1 $form twice.stk | cat >want
		test -s want
		stkcat -q --threads 8 $form twice.stk | cmp - want
		cat twice.stk | stkcat -q --threads 2 $form | cmp - want
	done
	stkcat -q --merge twice.stk | cat >want
	"$tools/chop" 5000 <twice.stk | stkcat -q --merge | cmp - want
'
check 'the writer: --threads 1 and 8, small blocks and all kinds' '
	for level in 1 3 9; do
		"$tools/make_stream" 9 500 100 $level 1 >1.stk
		"$tools/make_stream" 9 500 100 $level 8 | cmp - 1.stk
	done
'
finish
