#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend: series are shown and asked for by what they are about, and rows for programs say it, too.
. "${0%/*}/lib/tap.sh"

awk 'BEGIN { srand(3); for (i = 0; i < 5 * 288; i++) { print "@" 1772323200 + i * 300; w = i % 288
	print "main;serve;work " 4 + (w > 96 && w < 240) * 8 + int(rand() * 3); print "main;index " 2 + int(rand() * 2) } }' |
	stkcap -q -f folded-dumps | stkclass -q >days.stk
# column NAME FILE: its values
column() { awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; if (!at) exit 1; next } { print $at }' "$2"; }

# the distinct series of a file, with kind and what they are about
names_in() { for name in series kind about; do column $name "$1" >column.$name; done; paste column.series column.kind column.about | sort -u; }

check 'forecasts and factors: every row has a kind and what it is about, as the table of series has' '
	stktrend -q -f tsv days.stk >table
	names_in table >known
	test $(wc -l <known) -ge 3
	grep -q "	class	index < main$" known
	for view in "--forecast 1h" --factors; do
		stktrend -q -f tsv $view days.stk >rows
		names_in rows | cmp - known
	done
'
check 'factors: for people by label, with the time of day of a slot' '
	stktrend -q -f text --factors --series "work*" --kind class days.stk >factors
	head -n 1 factors | tr -s " " | grep -qx " series period slot at factor low high"
	sed -n 34p factors | tr -s " " | grep -q "^ work < serve day 32 08:00 "
	stktrend -q -f text --factors days.stk | tr -s " " | grep -q "^ index < main class day 0 00:00 "
	stktrend -q -f tsv --factors --series "work*" --kind class days.stk >one
	test "$(column slot one | tail -n 1)" = 95 -a "$(column at one | tail -n 1)" = 23:45
	test "$(column about one | sort -u)" = "work < serve < main"
'
check 'a series is asked for by its stack wherever it is named, in a stream and in a state' '
	stktrend -q -f tsv --kind class --series "index*" days.stk >by_stack
	test "$(column about by_stack)" = "index < main"
	stktrend -q -f tsv --kind class --series "$(column series by_stack)" days.stk | cmp - by_stack
	stktrend -q -f tsv --resume state days.stk >/dev/null
	stktrend -q -f tsv --resume state --kind class --series "index*" /dev/null | cmp - by_stack
	stktrend -q --explain "index < main" --kind class days.stk | grep -q "index < main"
	stktrend -q -f tsv --limit "*work < serve*=99" --kind class days.stk >limit
	test "$(column about limit)" = "work < serve < main"
	status 2 stktrend -q --explain "*nothing*" days.stk 2>said
	grep -q "no series .\*nothing\*. in the input" said
'
check 'threads that are stuck in one place are one row, and with --all and for programs one each' '
	awk "BEGIN { for (i = 0; i < 8; i++) { printf \"2026-03-01 09:%02d:00\\nFull thread dump OpenJDK 64-Bit Server VM (17):\\n\\n\", i * 4
		for (k = 1; k <= 5; k++) if (k < 5 || i > 1) printf \"\\\"worker-%d\\\" #%d prio=5 os_prio=0 tid=0x%d nid=0x%d runnable\\n   java.lang.Thread.State: RUNNABLE\\n\\tat a.%s(X.java:1)\\n\\n\", k, k, k, k, k < 4 ? \"Loop.spin\" : \"Pool.wait\" } }" |
		stkcap -q | stkclass -q >stuck.stk
	stktrend -q -f text --anomalies stuck.stk >people
	grep -q "^ *2026-03-01 09:00  3 threads in a.Loop.spin .*stuck .* 12m" people
	grep -q "2 threads in a.Pool.wait" people
	test $(grep -c stuck people) = 2
	grep -q "threads in one place are one row" people
	test $(stktrend -q -f text --anomalies --all stuck.stk | grep -c stuck) = 5
	test $(stktrend -q -f tsv --anomalies stuck.stk | grep -c "	stuck	") = 5
'
finish
