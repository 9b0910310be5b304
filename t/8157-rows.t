#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot rows: rows of a table as lines over numbers, or as bars beside each other where x has names.
. "${0%/*}/lib/tap.sh"

tab() { sed 's, | ,	,g'; }
whole() { python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"; }
tab <<'END' >lines.tsv
function | method | paths of interest | time, ns a call
relax | pap | 10 | 40
relax | pap | 100 | 44.5
relax | psp0 | 10 | 12
relax | psp0 | 100 | -
factor | pap | 10 | 80
factor | psp0 | 10 | -5
END
check 'lines: a panel for each name of the first column, axes with their names, a point for each known value' '
	stkplot rows lines.tsv --title "Loops & <paths>" -o lines.svg
	whole lines.svg
	grep -q ">Loops &#38; &#60;paths&#62;<" lines.svg
	test $(grep -c ">time, ns a call<" lines.svg) = 2
	test $(grep -c ">paths of interest<" lines.svg) = 2
	grep -q ">relax<" lines.svg && grep -q ">factor<" lines.svg
	test $(grep -c "<title>.*</title></path>" lines.svg) = 5
	grep -qF "<title>pap, 100: 44.5</title>" lines.svg
	test $(grep -c "<rect" lines.svg) = 0
'
check 'bars: where a value of x is a name; below zero too; the legend names every series' '
	{ head -1 lines.tsv; printf "all\tspp\ttest_ifs\t3\nall\tpsp0\ttest_ifs\t-2\nall\tpsp0\t10\t1\n"; } | stkplot rows -f svg - >bars.svg
	whole bars.svg
	test $(grep -c "<rect" bars.svg) = 3
	grep -qF "<title>psp0, test_ifs: -2</title>" bars.svg
	grep -q ">spp</text>" bars.svg && grep -q ">psp0</text>" bars.svg
'
check 'what is no such table, or too large: the line, status 2, no picture' '
	printf "a\tb\tc\n" | status 2 stkplot rows - 2>err >out
	grep -q "standard input: line 1: expected the names of four columns" err
	printf "a\tb\tc\td\n" | status 2 stkplot rows - 2>err >>out
	grep -q "has no row" err
	printf "a\tb\tc\td\np\ts\tx\tmany\n" | status 2 stkplot rows - 2>err >>out
	grep -q "line 2: expected a panel, a series, x and a number" err
	{ echo "a	b	c	d"; for i in $(seq 41); do echo "p$i	s	1	1"; done; } | status 2 stkplot rows - 2>err >>out
	grep -q "line 42: more than 40 panels" err
	status 2 stkplot rows lines.tsv lines.tsv 2>err >>out
	status 2 stkplot rows -f html lines.tsv 2>err >>out
	status 3 stkplot rows missing.tsv 2>err >>out
	grep -q missing.tsv err
	test ! -s out
'
finish
