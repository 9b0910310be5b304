#!/bin/sh
# SPDX-License-Identifier: MIT
# What is built by awk is the same with each awk.
. "${0%/*}/lib/tap.sh"

check 'a page is the same with mawk, gawk and the one of Kernighan, as far as they are here' '
	mkdir as
	for with in awk mawk gawk original-awk; do
		program=$(command -v /usr/bin/$with) || continue
		ln -sf "$program" as/awk
		PATH=$PWD/as:$PATH "$t/../scripts/embed-page" "$t/../lib/plot/page" chart >$with.c
		grep -q "^const struct page_source chart_page_source = " $with.c
		test -s first || cp $with.c first
		cmp first $with.c
	done
	test -s first
'
finish
