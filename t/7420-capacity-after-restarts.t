#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend --limit and --alert: a heap that is set back by restarts still leaks.
. "${0%/*}/lib/tap.sh"

# heap DAYS EVERY SLOPE: a leak of SLOPE a day from 500 on, set back every EVERY days
heap() {
	awk -v days="$1" -v every="$2" -v slope="$3" 'BEGIN { srand(1); print "time,name,value"
		for (i = 0; i < days * 96; i++) { d = i / 96; printf "%d,heap.used,%.3f\n", 1772323200 + i * 900, 500 + slope * (d - int(d / every) * every) + 20 * rand() } }' | stkcap -q -
}
heap 24 10 40 >saw.stk
check 'the rate is that between restarts, and the limit is reached from where the last one set it' '
	stktrend -q --limit heap.used=1500 -f tsv saw.stk >table
	head -1 table | grep -q "	kind	about	restarts	since	next_restart	ended_before	as_old	trials$"
	awk -F "\t" "NR == 2 { exit !(\$4 > 39 && \$4 < 41 && \$6 ~ /^2026-04-1[4-5]/ && \$11 == 2 && \$12 == \"2026-03-21T00:00:00Z\") }" table'
check 'people are told of the restarts, of the next one, and of how long earlier runs were' '
	stktrend -q --limit heap.used=1500 -f text saw.stk >seen
	tr -s " \n" " " <seen | grep -q "heap.used: reached at that time without a restart; 2 restarts so far, the last at 2026-03-21T00:00; the next is due about 2026-03-31, before that; 2 of 2 earlier runs of this age ended before they would have reached it"
	awk -F "\t" "NR == 2 { exit !(\$13 == \"2026-03-31T00:00:00Z\" && \$14 == 2 && \$15 == 2 && \$16 >= 6) }" table'
check 'the table below has the rate of the line, not another one' '
	stktrend -q --limit heap.used=1500 -f text saw.stk | awk "\$1 == \"heap.used\" { rate[n++] = n == 1 ? \$4 : \$3 } END { print rate[0], rate[1]; exit !(n == 2 && rate[0] == rate[1]) }"'
check 'the alert of a limit goes by the same line' '
	status 4 stktrend -q --alert "heap.used reaches 1500 within 30d" saw.stk | grep -q "reaches 1.5k at 2026-04-1[4-5]T.* (95 %: 2026-04-1[3-5]T.* to 2026-04-1[4-6]T.*), growing by .* a day, if not restarted$"
	status 0 stktrend -q --alert "heap.used reaches 1500 within 10d" saw.stk >said && test ! -s said'
check 'without a restart nothing is different, and nothing is remarked' '
	heap 24 100 40 >leak.stk
	stktrend -q --limit heap.used=2500 -f tsv leak.stk | awk -F "\t" "NR == 2 { exit !(\$4 > 39 && \$4 < 41 && \$11 == 0 && \$12 == \"2026-03-01T00:00:00Z\") }"
	stktrend -q --limit heap.used=2500 -f text leak.stk >seen; status 1 grep -q "fell back" seen'
check 'a state goes on to the same answer' '
	for p in "--to @1773500000" "--from @1773500000"; do stkcat $p -f stream saw.stk >piece.stk 2>/dev/null; stktrend -q --resume state --limit heap.used=1500 -f tsv piece.stk >again; done
	same table again'

# work NAME SLOPE GARBAGE FALL: measures every five minutes for four weeks from a Monday on, high from 9 to 18 o'clock, with collections every half hour
work() {
	awk -v name="$1" -v slope="$2" -v garbage="$3" -v fall="$4" 'BEGIN { srand(2); print "time,name,value"
		for (i = 0; i < 28 * 288; i++) { d = i / 288; h = i % 288 / 12; at = d >= 17 ? d - 17 * fall : d
			printf "%d,%s,%.3f\n", 1772409600 + i * 300, name, 500 + slope * at + (h >= 9 && h < 18 ? 300 : 0) + garbage * (i % 6) + 4 * rand() } }' | stkcap -q -
}
check 'a fall each evening is no restart, one that lasts is; of a heap an hour is what collections leave' '
	work heap.used 30 40 1 >day.stk
	stktrend -q --limit heap.used=1500 -f tsv day.stk | awk -F "\t" "NR == 2 { exit !(\$4 > 29 && \$4 < 31 && \$6 == \"2026-04-11T09:00:00Z\" && \$11 == 1 && \$12 == \"2026-03-19T00:00:00Z\") }"'
check 'of another metric an hour is its mean, and the limit is met at the height of a day' '
	work queue.length 30 40 0 >queue.stk
	stktrend -q --limit queue.length=1900 -f tsv queue.stk | awk -F "\t" "NR == 2 { exit !(\$4 > 29.9 && \$4 < 30.1 && \$6 == \"2026-04-04T09:00:00Z\" && \$11 == 0) }"'
check 'more measures than are kept as they came count by the hour, in a state, too' '
	awk "BEGIN { print \"time,name,value\"; for (i = 0; i < 40 * 720; i++) { d = i / 720; printf \"%d,heap.used,%.2f\\n\", 1772323200 + i * 120, 500 + 10 * (d % 10) + 3 * (i * 7919 % 101) / 101 } }" | stkcap -q - >long.stk
	stktrend -q --limit heap.used=900 -f tsv long.stk >whole
	awk -F "\t" "NR == 2 { exit !(\$4 > 9.9 && \$4 < 10.1 && \$11 == 3) }" whole
	for p in "--to @1774000000" "--from @1774000000"; do stkcat $p -f stream long.stk >piece.stk 2>/dev/null; stktrend -q --resume long.state --limit heap.used=900 -f tsv piece.stk >again; done
	same whole again'
finish
