#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend -f openmetrics: the table of series as gauges that Prometheus reads, also from node_exporter's textfile folder: the values of the table, names that need
# quoting, no times, what is not known left out.
. "${0%/*}/lib/tap.sh"

awk 'BEGIN { print "time,name,value"; for (h = 0; h < 24 * 10; h++) for (n = 0; n < 2; n++)
	printf "2026-03-%02dT%02d:00:00Z,%s,%.6g\n", 1 + h / 24, h % 24, n ? "heap \"x\\y\"" : "busy", n ? 1000 + h : 5 + 3 * cos(h % 24 / 24 * 6.2831853) }' >made
stkcap -q --format metrics --source app -o made.stk made
stktrend -q -f openmetrics -o gauges made.stk
# values NAME: of a gauge, in the order of the table
values() { sed -n "s/^$1{[^}]*} //p" gauges; }

check 'each value is that of the table, each gauge has a help and a type before its lines' '
	stktrend -q -f tsv made.stk | sed 1d >table
	test "$(wc -l <table)" = 2
	column=2; for name in level rate_per_day - - residual forecast forecast_low forecast_high findings; do
		if [ $name != - ]; then
			awk -F"\t" -v c=$column "{ if (\$c != \"nan\") printf \"%.6g\n\", \$c }" table >want
			values stk_trend_$name | awk "{ printf \"%.6g\n\", \$1 }" | same want -
		fi
		column=$((column + 1))
	done
	values stk_trend_last_measure_timestamp_seconds | sort -u | awk "{ printf \"%d\n\", \$1 }" >got
	echo 1773183600 | same - got
	awk "/^# HELP/ { help = \$3; next } /^# TYPE/ { if (\$3 != help || \$4 != \"gauge\" || seen[\$3]++) exit 1; type = \$3; next } /^# EOF/ { next } { split(\$0, a, \"{\"); if (a[1] != type) exit 1 }" gauges
	test "$(tail -n 1 gauges)" = "# EOF"; test "$(grep -c "^# EOF" gauges)" = 1
'
check 'quotes and backslashes are escaped; no line has a time' '
	grep -F "{series=\"heap \\\"x\\\\y\\\"@app\",kind=\"metric\"} " gauges | wc -l | grep -x "[678]"
	grep -v "^#" gauges >lines; status 1 grep -v "^[a-z_]*{.*} [-+0-9.e]*\$" lines
'
check 'what is not known is left out, with its gauge' '
	printf "2026-03-01T09:00:00Z,a,3\n2026-03-01T09:01:00Z,a,3\n2026-03-01T09:02:00Z,a,3\n" >few
	stkcap -q --format metrics few | stktrend -q -f openmetrics >got
	grep "^stk_trend_level{series=\"a@few\",kind=\"metric\"} 3.0$" got; status 1 grep -i -e forecast -e nan got
'
check 'nothing but the table can be written so; no series is bad input, and an end' '
	for option in --anomalies --factors --changes "--forecast 1h" "--limit a=3" "--explain a"; do
		status 2 stktrend -f openmetrics $option made.stk 2>err; grep "f openmetrics writes the table of series" err
	done
	status 2 stktrend -f openmetrics --alert shift made.stk
	stkcap -q --format folded /dev/null >none.stk 2>err || :
	status 1 stktrend -q -f openmetrics none.stk 2>err
	status 3 stktrend -q -f openmetrics made.stk >/dev/full
'
if have promtool; then
	check 'promtool accepts it' '
		promtool check metrics <gauges >said 2>&1 || { cat said; false; }
		test ! -s said
	'
else
	skip 'no promtool' 'promtool accepts it' ''
fi
finish
