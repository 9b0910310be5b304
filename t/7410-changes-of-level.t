#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend --csv --anomalies: changes of level in a whole record, where they began, and what is none.
. "${0%/*}/lib/tap.sh"

# record STEP COUNT EXPRESSION: measures STEP seconds apart; u is uniform noise
record() {
	awk -v step="$1" -v count="$2" "BEGIN { srand(7); print \"time,x\"; for (i = 0; i < count; i++) { u = rand(); printf \"%d,%.6f\n\", 1404691200 + i * step, $3 } }"
}
places() { stktrend -q --csv - --anomalies -f tsv | awk -F '\t' 'NR > 1 { print $3, $11 }'; }
check 'levels are told with their moments, whatever the interval, and a wild value is not told' '
	for step in 1 900 86400; do
		record $step 300 "100 + 2 * u + (i >= 100 ? 6 : 0) - (i >= 200 ? 3 : 0) + (i == 150 ? 40 : 0)" | places >got
		for i in 100 200; do TZ=UTC date -u -d "@$((1404691200 + i * step))" "+shift %Y-%m-%dT%H:%M:%SZ" 2>/dev/null || echo; done >want
		if grep -q shift want; then same want got; else test "$(wc -l <got)" = 2; fi
	done'
check 'the table shows both levels, and programs get began last' '
	record 3600 300 "100 + 2 * u + (i >= 100 ? 6 : 0)" >step.csv
	stktrend --csv step.csv --anomalies -f text >seen && grep -q "2014-07-11 04:00  x  *shift  *101  *107" seen
	stktrend --csv step.csv --anomalies -f tsv | head -1 | grep -q "	kind	about	began	told	finding	low	high$"
	stktrend --csv step.csv --anomalies -f ndjson | grep -q "\"began\":\"2014-07-11T04:00:00Z\""
	status 4 stktrend --csv step.csv --alert "shift of x" | grep -q "x: shift from 101 to 107"'
check 'noise, a record that only grows, and one that stands still have none' '
	test -z "$(record 3600 400 u | places)"
	test -z "$(record 3600 400 "100 + i / 10 + u" | places)"
	test -z "$(record 3600 400 5 | places)"'
check 'none, one, two and three measures; eleven are too few, twelve are enough' '
	for n in 1 2 3 11; do record 3600 $n "i < $n / 2 ? 1 : 9" | places >got && test ! -s got; done
	record 3600 0 u | status 3 stktrend --csv - --anomalies -f tsv 2>said
	test "$(record 3600 12 "i < 6 ? 1 : 9" | places)" = "shift 2014-07-07T06:00:00Z"'
finish
