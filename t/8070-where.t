#!/bin/sh
# SPDX-License-Identifier: MIT
# --where: conditions on samples, the same in stkcat, stktree and stkgroup; each against what the options for it say, or by hand.
. "${0%/*}/lib/tap.sh"

zcat "$t/data/day-17a.txt.gz" | stkcap -q -o d.stk -
count() { stkcat -q -f folded --where "$1" d.stk | awk '{ n += $NF } END { print n + 0 }'; }
all=$(stkcat -q -f folded d.stk | awk '{ n += $NF } END { print n }')

check 'a condition is what the option for it is' '
	stkcat -q -f folded --thread "^exec" d.stk >want && stkcat -q -f folded --where "thread ~ ^exec" d.stk | same want -
	stkcat -q -f folded --state waiting,timed-waiting d.stk >want && stkcat -q -f folded --where "state = waiting or state = timed-waiting" d.stk | same want -
	stkcat -q -f folded --state waiting,timed-waiting d.stk >want && stkcat -q -f folded --where "state = *waiting" d.stk | same want -
	stkcat -q -f folded --grep "Object.wait" d.stk >want && stkcat -q -f folded --where "function = *Object.wait*" d.stk | same want -
	test -s want'
check 'of several streams in a file, each has ids of its own' '
	awk "BEGIN { for (i = 0; i < 50; i++) print \"m;f\" i % 9 \" 1\" }" | stkcap -q -o one.stk -
	awk "BEGIN { for (i = 0; i < 50; i++) print \"m;f\" i % 7 + 3 \" 1\" }" | stkcap -q -o two.stk -
	cat one.stk two.stk >both.stk
	for condition in "function = f3" "not function ~ ^f[4-8]"; do
		stkcat -q -f folded --where "$condition" both.stk | LC_ALL=C sort >want
		stktree -q -f folded --where "$condition" both.stk | LC_ALL=C sort | same want -
	done
'
check 'not, and, or: together they are all' '
	a=$(count "state = runnable") b=$(count "not state = runnable") && test $((a + b)) = $all && test $a -gt 0
	test $(count "state != runnable") = $b
	test $(count "state = runnable and state = waiting") = 0
	test $(count "state = runnable or not state = runnable") = $all
	test $(count "not (state = runnable or state = waiting)") = $(count "not state = runnable and not state = waiting")
	test $(count "state = waiting and function = *park or state = runnable") = $(count "(state = waiting and function = *park) or state = runnable")
	test $(count "function != *park*") = $(($(count "thread = *") - $(count "function = *park*")))'
check 'windows, and quotes' '
	from=$(stkcat -f tsv --only dump d.stk | sed -n 3p | cut -f 2)
	stkcat -q -f folded --from "$from" d.stk >want && stkcat -q -f folded --where "time in $from.." d.stk | same want -
	test $(count "thread = \"G1 Main Marker\"") = $(count "thread ~ \"^G1 Main Marker$\"")'
check 'in stktree and stkgroup the same' '
	stkcat -q -f folded --where "state = waiting and function = *park" d.stk >want
	stktree -q -f folded --where "state = waiting and function = *park" d.stk | same want -
	stkgroup -q -s jvm -f tsv --where "state = waiting and function = *park" d.stk | awk -F "\t" "NR > 1 { n += \$4 } END { print n }" >got
	awk "{ n += \$NF } END { print n }" want | same - got'
check 'groups, in stkgroup' '
	stkgroup -q -s jvm -f tsv d.stk >all
	stkgroup -q -s jvm -f tsv --where "group under waiting" d.stk >part
	test "$(grep -c "	waiting/" all)" = "$(grep -c "	waiting/" part)" && test "$(grep -vc "	waiting" part)" = 1
	test "$(stkgroup -q -s jvm -f tsv --where "group = VM/GC" d.stk | cut -f 2,4 | tail -1)" = "$(grep "	VM/GC	" all | cut -f 2,4)"
	status 2 stkcat --where "group = a" d.stk 2>said && grep -q "the input has no groups" said'
check 'what is wrong is told with the character where it is' '
	for wrong in "1 state" "7 state waiting" "1 stat = x" "9 state = " "17 state = waiting state = x" "5 not" "18 (state = waiting" "11 thread = \"a" "6 time = now" "9 time in now" "10 thread ~ (" "7 state under x" "1 )"; do
		place=${wrong%% *} text=${wrong#* }
		status 2 stkcat --where "$text" d.stk 2>said >/dev/null
		grep -q -- "--where: at character" said || { echo "of $text"; cat said; false; }
	done
	status 2 stkcat --where "" d.stk 2>said && grep -q -- "--where: the value is empty" said
	status 2 stkcat --where "state waiting" d.stk 2>said && grep -q "at character 7: expected =, != or ~, not .waiting." said
	deep=$(awk "BEGIN { for (i = 0; i < 200; i++) printf \"(\" }")
	status 2 stkcat --where "$deep" d.stk 2>said && grep -q "100 conditions" said'
finish
