#!/bin/sh
# SPDX-License-Identifier: MIT
# stkclass --segment: the classes that contain a segment, of one segment, of two, and of a segment that was split.
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
finish
