#!/bin/sh
# SPDX-License-Identifier: MIT
# Concatenation is legal: what stkcat says of `cat a b` is what it says of a, then of b.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_stream" || skip_all "no $tools/make_stream: run by make check"

"$tools/make_stream" 1 40 16 >a.stk
"$tools/make_stream" 2 25 >b.stk
"$tools/make_stream" 3 0 >empty.stk
stkcap -q "$t/data/orders.jstack.txt" >dumps.stk
stkcap -q "$t/data/shop.perf.txt" >perf.stk
cat a.stk b.stk >ab.stk
cat dumps.stk perf.stk dumps.stk >three.stk
cat empty.stk a.stk empty.stk >around.stk

check 'the parts differ, and each says something' '
	status 1 cmp a.stk b.stk
	for file in a b dumps perf; do test "$(stkcat -f ndjson --ids $file.stk | wc -l)" -gt 20; done
'
for format in ndjson tsv; do
check "-f $format: lines of a, then lines of b" '
	{ stkcat -f $format a.stk; stkcat -f $format b.stk; } >want
	cat a.stk b.stk | stkcat -f $format >got
	same want got
	stkcat -f $format ab.stk | same want -
	stkcat -f $format a.stk b.stk | same want -
	cat b.stk | stkcat -f $format a.stk - | same want -
'
check "-f $format: of what stkcap made" '
	for file in dumps perf dumps; do stkcat -f $format $file.stk; done >want
	stkcat -f $format three.stk | same want -
'
check "-f $format: a stream without rows is no row" '
	stkcat -f $format empty.stk a.stk empty.stk >want
	stkcat -f $format a.stk | grep -v -e head -e major >rows
	grep -v -e head -e major want | same rows -
	stkcat -f $format around.stk | same want -
'
done
check '-f tsv of one kind: one header, then the rows of both' '
	{ stkcat -f tsv --only sample dumps.stk; stkcat -f tsv --only sample perf.stk | sed 1d; stkcat -f tsv --only sample dumps.stk | sed 1d; } >want
	stkcat -f tsv --only sample three.stk | same want -
'
check '-f folded: the counts of both add up by text' '
	{ stkcat -q -f folded dumps.stk; stkcat -q -f folded dumps.stk; stkcat -q -f folded perf.stk; } |
		awk "{ n = \$NF; sub(/ [0-9]+\$/, \"\"); sum[\$0] += n } END { for (s in sum) print s, sum[s] }" | sort >want
	stkcat -q -f folded --event all three.stk | sed "s/x/x/" >got
	stkcat -q -f folded --event all perf.stk | grep -c . >/dev/null
	{ for file in dumps perf dumps; do stkcat -q -f folded --event all $file.stk; done; } |
		awk "{ n = \$NF; sub(/ [0-9]+\$/, \"\"); sum[\$0] += n } END { for (s in sum) print s, sum[s] }" | sort >want
	same want got
'
check '-f dumps: text of a, then text of b' '
	{ stkcat -f dumps dumps.stk; stkcat -f dumps perf.stk; stkcat -f dumps dumps.stk; } >want
	stkcat -f dumps three.stk | same want -
'
check '-f stream: the bytes of a, then the bytes of b' '
	for level in 3 9; do
		stkcat -S --level $level a.stk >a1.stk; stkcat -S --level $level b.stk >b1.stk
		cat a1.stk b1.stk >want.stk
		stkcat -f stream --level $level ab.stk | cmp - want.stk
		cat ab.stk | stkcat -S --level $level | cmp - want.stk
		stkcat -S --level $level a.stk b.stk | cmp - want.stk
	done
	stkcat -S --level 3 b.stk | cmp - b.stk		# what make_stream wrote, as it was
	for file in three around; do
		stkcat -S $file.stk >once.stk
		stkcat -S once.stk >twice.stk
		cmp once.stk twice.stk
		test "$(wc -c <once.stk)" -gt 1000
	done
'
check '--check: whole and whole is whole' '
	status 0 stkcat --check ab.stk three.stk around.stk >out 2>&1
	cat ab.stk three.stk around.stk | status 0 stkcat --check >>out 2>&1
	test ! -s out
'
check '--check: what is wrong with one is wrong with both, once, at its offset' '
	head -c $(($(wc -c <a.stk) - 64)) a.stk >cut.stk
	status 1 stkcat --check cut.stk 2>err
	test "$(wc -l <err)" -eq 1
	cat b.stk cut.stk b.stk >both.stk
	status 1 stkcat --check both.stk 2>err
	test "$(wc -l <err)" -eq 1
	grep "both.stk:$(($(wc -c <b.stk) + $(wc -c <cut.stk))): " err
'
check '--contents: rows and bytes of both add up' '
	{ stkcat --contents -f tsv a.stk; stkcat --contents -f tsv b.stk; } | grep -v "^kind	" | awk -F"\t" "{ rows[\$1] += \$2; bytes[\$1] += \$3 } END { for (k in rows) print k, rows[k], bytes[k] }" | sort >want
	stkcat --contents -f tsv ab.stk | sed 1d | tr "\t" " " | sort >got
	same want got
	stkcat --contents -f tsv a.stk b.stk | sed 1d | tr "\t" " " | sort | same want -
'
check 'ids do not leak: b alone and b behind a have the same names' '
	stkcat -f tsv --only sample dumps.stk >want
	cat perf.stk dumps.stk | stkcat -f tsv --only sample --process "jstack" | sed 1d | cut -f 2- >got
	sed 1d want | cut -f 2- | same got -
'
check 'an end is not the end of the input: bytes behind it that are no stream are told' '
	{ cat a.stk; echo something else; } >more.stk
	status 1 stkcat --check more.stk 2>err
	test "$(wc -l <err)" -eq 1
	grep ":$(wc -c <a.stk): .*15 bytes are left out" err
	stkcat -f ndjson --ids a.stk >want
	status 1 stkcat -f ndjson --ids more.stk 2>/dev/null >got
	same want got
'
finish
