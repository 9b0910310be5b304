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
	head -1 table | grep -q "	kind	about	restarts	since$"
	awk -F "\t" "NR == 2 { exit !(\$4 > 39 && \$4 < 41 && \$6 ~ /^2026-04-1[4-5]/ && \$11 == 2 && \$12 == \"2026-03-21T00:00:00Z\") }" table'
check 'people are told of the restarts, and of how long earlier times between were' '
	stktrend -q --limit heap.used=1500 -f text saw.stk >seen
	tr -s " \n" " " <seen | grep -q "heap.used: fell back 2 times, last at 2026-03-21T00:00; what is shown is by its growth since then, if it is not set back again"
	tr -s " \n" " " <seen | grep -q "2 of 2 earlier times between, as long as this one, ended before"'
check 'the alert of a limit goes by the same line' '
	status 4 stktrend -q --alert "heap.used reaches 1500 within 30d" saw.stk | grep -q "reaches .* at 2026-04-1[4-5]T"
	status 0 stktrend -q --alert "heap.used reaches 1500 within 10d" saw.stk >said && test ! -s said'
check 'without a restart nothing is different, and nothing is remarked' '
	heap 24 100 40 >leak.stk
	stktrend -q --limit heap.used=2500 -f tsv leak.stk | awk -F "\t" "NR == 2 { exit !(\$4 > 39 && \$4 < 41 && \$11 == 0 && \$12 == \"2026-03-01T00:00:00Z\") }"
	stktrend -q --limit heap.used=2500 -f text leak.stk >seen; status 1 grep -q "fell back" seen'
check 'a state goes on to the same answer' '
	for p in "--to @1773500000" "--from @1773500000"; do stkcat $p -f stream saw.stk >piece.stk 2>/dev/null; stktrend -q --resume state --limit heap.used=1500 -f tsv piece.stk >again; done
	same table again'
finish
