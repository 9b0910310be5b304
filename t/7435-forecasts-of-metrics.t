#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend --forecast of metrics in a stream: along the line by which limits are reached, and by models of their past.
. "${0%/*}/lib/tap.sh"

# heap DAYS: a leak of 40 a day, restarted every ten days, with a wave of the day
heap() {
	awk -v days="$1" 'BEGIN { srand(1); print "time,name,value"
		for (i = 0; i < days * 96; i++) { d = i / 96; printf "%d,heap.used,%.3f\n", 1772323200 + i * 900, 500 + 40 * (d % 10) + 60 * cos((d % 1 - 0.6) * 6.2831853) + 8 * rand() } }' | stkcap -q -
}
heap 25 >saw.stk
check 'a forecast is at the limit when --limit says so' '
	stktrend -q --limit heap.used=1200 -f tsv saw.stk | awk -F "\t" "NR == 2 { print substr(\$6, 1, 13) }" >when
	stktrend -q --forecast 20d -f tsv saw.stk >ahead
	awk -F "\t" "NR > 1 && \$2 >= 1200 { print substr(\$1, 1, 10); exit }" ahead >crossed
	test "$(cut -c 1-10 when)" = "$(cat crossed)"'
check 'bands of 90 % hold most of what comes without a restart, not all' '
	heap 30 >longer.stk
	stktrend -q --forecast 4d --confidence 90 -f tsv saw.stk >ahead
	stkcat -q -f tsv --only metric longer.stk | cut -f 1,4 >came
	awk -F "\t" "NR == FNR { low[substr(\$1, 1, 19)] = \$3; high[substr(\$1, 1, 19)] = \$4; next }
		{ at = substr(\$1, 1, 19) } at in low && at != \"time\" { all++; held += \$2 >= low[at] && \$2 <= high[at] }
		END { printf \"%d of %d\n\", held, all >\"/dev/stderr\"; exit !(all > 350 && held > 0.85 * all && held < all) }" ahead came'
check 'a metric that does not grow has a season, and no bands that grow without end' '
	awk "BEGIN { srand(4); print \"time,name,value\"; for (i = 0; i < 28 * 96; i++) printf \"%d,queue,%.3f\\n\", 1772409600 + i * 900, 50 + 30 * sin(i * 6.2831853 / 96) + 4 * (rand() + rand() - 1) }" | stkcap -q - >queue.stk
	stktrend -q --forecast 7d --confidence 90 -f tsv queue.stk | awk -F "\t" "NR > 1 { wrong = \$2 - 50 - 30 * sin((NR - 2) * 6.2831853 / 96); off += wrong < 0 ? -wrong : wrong; width += \$4 - \$3; n++ }
		END { exit !(n == 672 && off / n < 1 && width / n > 4 && width / n < 8) }"'
check 'a heap that only falls at times, as at weekends on Friday and Saturday, was not set back by restarts' '
	awk "function normal(  sum, k) { for (k = 0; k < 12; k++) sum += rand(); return sum - 6 }
		BEGIN { srand(5); for (h = 0; h < 24 * 35; h++) {
			if (h % 24 == 0) day = exp(normal() / 10) * (int(h / 24) % 7 >= 5 ? 0.4 : 1)
			way = 0.8 * way + 0.15 * normal(); noise = 0.7 * noise + 21 * normal()
			printf \"%d,heap.used,%.1f\\n\", 1772323200 + h * 3600, 500 + 115 * day * (1 + 0.6 * cos(6.2831853 * (h % 24 - 14) / 24)) * exp(way) + noise } }" >held.csv
	{ echo time,name,value; head -n 672 held.csv; } | stkcap -q - >held.stk
	stktrend -q --forecast 7d --step 1h -f tsv held.stk | tail -n +2 | cut -f 2 >ahead
	tail -n 168 held.csv | cut -d , -f 3 | paste ahead - | awk "{ off += \$1 > \$2 ? \$1 - \$2 : \$2 - \$1 } END { print off / NR >\"/dev/stderr\"; exit !(NR == 168 && off / NR < 60) }"
	stktrend -q --forecast 7d --step 1h -f tsv saw.stk | awk -F "\t" "NR == 120 { exit !(\$2 > 750) }"'
check 'pieces give the same forecast as all at once' '
	stktrend -q --forecast 3d -f tsv saw.stk >whole
	for p in "--to @1773500000" "--from @1773500000"; do stkcat $p -f stream saw.stk >piece.stk 2>/dev/null; stktrend -q --resume state --forecast 3d -f tsv piece.stk >pieces; done
	tail -n +2 whole | head -5 >a; tail -n +2 pieces | head -5 >b
	same a b'
check 'with a past that is too short the filters forecast, and with none at all that is said' '
	heap 1 >day.stk
	stktrend -q --forecast 1h -f tsv day.stk | awk -F "\t" "NR == 2 { exit !(\$2 > 400 && \$2 < 700) }"
	stkcat -q -f stream --to @1772326800 day.stk >few.stk 2>/dev/null
	status 2 stktrend -q --forecast 1h -f tsv few.stk 2>said
	grep -q "a forecast takes more: 4 of 20 steps seen" said'
# grows WAVE: a month of hours that grow faster each day, and the true value five days after it
grows() {
	awk -v wave="$1" 'BEGIN { srand(3); pi = atan2(0, -1); print "time,name,value"
		for (i = 0; i < 720; i++) { d = i / 24; printf "%d,queue.length,%.4f\n", 1772323200 + i * 3600, (100 + 2 * d + 0.8 * d * d) * (1 + wave * sin(2 * pi * d)) + 6 * (rand() + rand() - 1) } }' | stkcap -q - >grows.stk
}
check 'growth that grows goes on, with a season and without, inside of narrow limits' '
	for wave in 0 0.2; do
		grows $wave
		stktrend -q --forecast 5d -f tsv grows.stk | tail -1 | awk -F "\t" -v wave=$wave "{ d = 35 - 1 / 24; want = (100 + 2 * d + 0.8 * d * d) * (1 + wave * sin(2 * atan2(0, -1) * d)); print \$2, \$3, \$4, want
			exit !(\$2 > 0.98 * want && \$2 < 1.02 * want && \$3 < want && want < \$4 && \$4 - \$3 < 0.06 * want) }"
	done'
finish
