#!/bin/sh
# SPDX-License-Identifier: MIT
# stkclass --segment: the classes that contain a segment, of one segment, of two, and of a segment that was split; and the
# ratios of its halves, each with what it is.
. "${0%/*}/lib/tap.sh"

printf 'a;b 1\na;c;d;e 2\nf 1\n' | stkcap -q --format folded -o in.stk -

# holders FRAMES: classes of the segment of these frames, leaf first
holders() {
	id=$(stkclass -q --segments in.stk | awk -v end="  $1" 'substr($0, length($0) - length(end) + 1) == end { print $1 }')
	stkclass -q --segment "$id" in.stk | sed -n 's/^ *classes *//p' | sed 's/ *$//'
}

check 'one of one segment, and one of two' '
	test "$(holders f)" = 3
	test "$(holders "e < d < c")" = 2
'
check 'a segment that was split is in the classes of its halves' '
	test "$(holders b)" = 1
	test "$(holders a)" = "1 2"
	test "$(holders "b < a")" = 1
'

# Of ten threads in a, four are in b, dump after dump.
awk 'BEGIN { for (d = 0; d < 300; d++) print "@" 1772355600 + 20 * d "\na;b 4\na;c 6" }' | stkcap -q --format folded-dumps - >dumps.stk
check 'ratios of the halves of a segment' '
	stkclass -q --segment 1 dumps.stk | sed -n "s/ of late.*//p" | tr -s " " >got
	printf " %s\n" "whole/first 0.4" "whole/second 1" "second/first 0.4" "whole 4" "first 10" "second 4" | same - got
'
check 'records: the stack of a segment ends in its frames, also where another one ends in a half of it alone' '
	printf "@1772323200\nm;a;b;c;d;e;f;g 1\n@1772323260\nm;h;f;g;i;h;f;g;i;h;d;e;f;g;i;h 1\n@1772323320\nm;h 2\n@1772323380\nm;a;j;d;e;f;g;i 1\n" |
		stkcap -q -f folded-dumps -o four.stk -
	stkclass -q --segments -f tsv four.stk | awk -F "\t" "NR > 1 { print \$2, \$7 }" | sort >wanted
	stkclass -q -f stream four.stk | stkcat -f ndjson --only segment - | grep -v "stack.:\[\]" |
		sed "s/.*name\":\"\([0-9a-f]*\).*stack\":\[\"\(.*\)\"\],\"frames\":\([0-9]*\).*/\1 \3 \2/; s/\",\"/;/g" |
		awk "{ n = split(\$3, f, \";\"); text = \"\"; for (i = n - \$2 + 1; i <= n; i++) text = text (text == \"\" ? \"\" : \";\") f[i]; print \$1, text }" | sort -u >got
	test "$(wc -l <got)" = 12
	same wanted got
'
finish
