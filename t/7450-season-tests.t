#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend --seasons: which cycles are alike, by the tests of the source, with every pair; and the zone in which days are days.
. "${0%/*}/lib/tap.sh"

# year NOISE: a measure a day for four years, highest in June
year() {
	awk -v noise="$1" 'BEGIN { srand(1); pi = atan2(0, -1); print "time,load"
		for (i = 0; i < 1461; i++) { day = 1640995200 + i * 86400; at = (i % 365.25) / 365.25
			printf "%d,%.9f\n", day, 100 * (1 + 0.3 * cos(2 * pi * (at - 0.45))) + noise * (rand() - 0.5) } }'
}
year 0 >year.csv
check 'an annual season without noise is one beyond all doubt, and its months are those around June' '
	stktrend --csv year.csv --seasons -f tsv >pairs
	awk -F "\t" "\$2 == \"year\" { n++; if (!(\$3 == \"2025-01-01\" && \$5 == 12 && \$6 > 0.9999 && \$8 < 1e-20 && \$10 == \"yes\" && \$11 == \"2025-05-01\" && \$12 == \"2025-08-01\")) bad = 1 } END { exit bad || n != 3 }" pairs
	stktrend --csv year.csv --seasons -f text | tr -s " \n" " " | grep -q "load: its high season is May to July, above 1.2[0-9] of the mean of 4 years; the latest was seen from"'
check 'weeks that are equal to the last digit: t is inf, in text as well' '
	awk "BEGIN { print \"time,load\"; for (i = 0; i < 70; i++) printf \"%d,%d\n\", 1640995200 + i * 86400, 100 + i % 7 }" >equal.csv
	stktrend --csv equal.csv --seasons -f text >text
	grep -q "week .* inf  " text
	if grep -q "infE" text; then false; fi'
check 'noise has no season of a year' '
	awk "BEGIN { srand(3); print \"time,load\"; for (i = 0; i < 1461; i++) printf \"%d,%.6f\\n\", 1640995200 + i * 86400, 100 + rand() }" >noise.csv
	stktrend --csv noise.csv --seasons -f tsv | awk -F "\t" "\$2 == \"year\" && \$10 == \"yes\" { n++ } END { exit n > 1 }"'

# work: seven weeks of quarters of an hour from a Monday on, in UTC
awk 'BEGIN { srand(2); pi = atan2(0, -1); print "time,load"
	for (i = 0; i < 49 * 96; i++) { day = int(i / 96) % 7; at = i % 96 / 96
		printf "%d,%.6f\n", 1772409600 + i * 900, (day < 5 ? 100 : 40) * (1 + 0.4 * sin(2 * pi * at)) + 30 * (rand() - 0.5) } }' >work.csv
check 'the correlation of two days, its t and n are those of a second way to get them' '
	stktrend --csv work.csv --seasons -f tsv >pairs
	awk -F "\t" "\$2 == \"weekday\" { print; exit }" pairs >first
	awk -F "[,\t]" "
		FNR == NR { latest = \$3; earlier = \$4; n = \$5; r = \$6; t = \$7; next }
		FNR > 1 { d = int((\$1 - 1772409600) / 86400); if (d == 46) a[\$1 % 86400] = \$2; if (d == 45) b[\$1 % 86400] = \$2 }
		END {
			for (k in a) { ma += a[k] / 96; mb += b[k] / 96 }
			for (k in a) { aa += (a[k] - ma) ^ 2; bb += (b[k] - mb) ^ 2; ab += (a[k] - ma) * (b[k] - mb) }
			want = ab / sqrt(aa * bb); wt = want * sqrt(94 / (1 - want * want))
			print latest, earlier, n, r, want, t, wt
			exit !(latest == \"2026-04-17\" && earlier == \"2026-04-16\" && n == 96 && (r - want) ^ 2 < 1e-18 && (t - wt) ^ 2 < 1e-14)
		}" first work.csv'
check 'every kind of cycle that the past holds twice has its pairs, the latest against each earlier' '
	awk -F "\t" "NR > 1 { n[\$2]++ } END { exit !(n[\"day\"] == 48 && n[\"weekday\"] == 34 && n[\"weekend\"] == 6 && n[\"week\"] == 6 && n[\"year\"] == 0) }" pairs
	awk -F "\t" "\$2 ~ /^week/ && \$10 != \"yes\"" pairs >no; test ! -s no'
if have Rscript; then
check 'p of every pair is that of R: t, and Fisher, to 1e-6' '
	stktrend --csv work.csv --seasons --season-test fisher -f tsv >fisher
	cat >p.R <<-END
		t <- read.delim("pairs"); z <- read.delim("fisher")
		a <- pt(t\$r * sqrt((t\$n - 2) / (1 - t\$r^2)), t\$n - 2, lower.tail = FALSE)
		b <- pnorm(atanh(z\$r) * sqrt(z\$n - 3), lower.tail = FALSE)
		stopifnot(nrow(t) == 94, max(abs(a - t\$p)) < 1e-6, max(abs(b - z\$p)) < 1e-6, max(abs(log(a / t\$p))[a > 0 & t\$p > 0]) < 1e-6)
	END
	Rscript p.R'
else
skip 'no R: apt install r-base-core' 'p of every pair is that of R: t, and Fisher, to 1e-6' ''
fi
check 'by permutations p is one of a thousand, by rotation one of the slots' '
	stktrend --csv work.csv --seasons --season-test permutation -f tsv | awk -F "\t" "\$2 == \"week\" && !(\$8 >= 0.001 && \$8 < 0.0011) { bad = 1 } END { exit bad }"
	stktrend --csv work.csv --seasons --season-test shift -f tsv | awk -F "\t" "NR > 1 && (\$8 != \$9 || (\$2 == \"weekday\" && (\$8 * 96) % 1 > 1e-9)) { bad = 1 } END { exit bad }"'
check 'series of a stream have theirs, too; text has a line for each cycle' '
	sed "s/,/,heap.used,/; s/heap.used,load/name,value/" work.csv | stkcap -q - >work.stk
	stktrend -q --seasons -f tsv work.stk >again
	cut -f 2-10 pairs >want; cut -f 2-10 again >got; same want got
	stktrend -q --seasons -f text work.stk >seen
	grep -q "heap.used .*week  *yes  *6 of 6" seen && test "$(grep -c "^  heap.used  *[dw]" seen)" -eq 4'
check 'too short a past, a state, and a test without --seasons are refused' '
	head -90 work.csv >short.csv
	status 2 stktrend --csv short.csv --seasons 2>said && grep -q "two whole cycles" said
	status 2 stktrend --seasons --resume state work.stk 2>said && grep -q -- "--resume" said
	status 2 stktrend --csv work.csv --season-test t 2>said && grep -q "season-test has no effect without --seasons" said'

# fitted OFFSET: what is said of the zone of weeks that are OFFSET seconds ahead of UTC
fitted() {
	awk -v offset="$1" 'BEGIN { srand(4); pi = atan2(0, -1); print "time,load"
		for (i = 0; i < 35 * 96; i++) { at = 1772323200 + i * 900; local = at + offset; day = (int(local / 86400) + 3) % 7
			printf "%d,%.4f\n", at, (day < 5 ? 100 : 50) * (1 + 0.5 * sin(2 * pi * (local % 86400) / 86400)) + 5 * (rand() - 0.5) } }' >zone.csv
	stktrend --csv zone.csv --zone fit --explain load 2>&1 >explained | grep "zone of"
}
check 'the zone in which days are days is found to the quarter of an hour, and told' '
	fitted 19800 | grep -q "load: its days fit best with a zone of +05:30 from UTC"
	grep -q "zone  *a zone of +05:30 from UTC" explained
	fitted -34200 | grep -q "zone of -09:30 from UTC"
	fitted 20700 | grep -q "zone of +05:45 from UTC"
	head -100 zone.csv >few.csv; status 2 stktrend --csv few.csv --zone fit 2>said && grep -q "fitted to 3 cycles of week periods or more: 0.1 seen" said'

check 'zones that could not be tried are reported: no list of them, and a list that names more than is there' '
	mkdir none part && printf "#\nDE\t+5230+01322\tEurope/Berlin\nXX\t+0000+00000\tNo/Such_Zone\n" >part/zone1970.tab
	export TZDIR="$PWD/none"
	fitted 3600 | grep -q "a zone of +01:00 from UTC; zones whose clocks change were not tried: cannot read $PWD/none/zone1970.tab$"
	grep -q "zones whose clocks change were not tried" explained
	TZDIR=$PWD/part
	fitted 3600 | grep -q "+01:00 from UTC; 2 zones of $PWD/part/zone1970.tab cannot be read and were not tried$"
	status 2 stktrend --csv zone.csv --zone Europe/Berlin 2>said && grep -q "cannot open $PWD/part/Europe/Berlin" said
	unset TZDIR'

# clocks ZONE FROM DAYS NOISE: what is said of the zone of weeks of ZONE
if python3 -c 'import zoneinfo; zoneinfo.ZoneInfo("Europe/Berlin")' 2>/dev/null && test -e /usr/share/zoneinfo/zone1970.tab; then
clocks() {
	python3 -c 'import sys, math, random, datetime, zoneinfo
zone, begin, days, noise = zoneinfo.ZoneInfo(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
chance = random.Random(1)
print("time,load")
for at in range(begin, begin + days * 86400, 900):
    local = datetime.datetime.fromtimestamp(at, zone)
    of_day = math.sin(2 * math.pi * (local.hour * 60 + local.minute) / 1440)
    print("%d,%.4f" % (at, (100 if local.weekday() < 5 else 50) * (1 + 0.5 * of_day) + noise * (chance.random() - 0.5)))' "$@" >clocks.csv
	stktrend --csv clocks.csv --zone fit --explain load 2>&1 >explained | grep "days fit best"
}
check 'a zone whose clocks were changed on the way is found, with how many have the same; where none were changed it is an offset' '
	clocks Europe/Berlin 1771545600 56 5 >said; cat said
	grep -Eq "load: its days fit best with the zone Europe/Berlin, one of [0-9]+ whose clocks were the same in this time$" said
	grep -q "zone  *the zone Europe/Berlin, one of" explained
	clocks America/New_York 1771545600 56 5 >said; cat said
	grep -Eq "with the zone America/New_York, one of [0-9]+ whose clocks were the same in this time" said
	clocks Asia/Tokyo 1771545600 56 5 | grep -q "with a zone of +09:00 from UTC$"
	clocks UTC 1771545600 56 5 | grep -q "with a zone of +00:00 from UTC$"'
check 'what the measures cannot tell is said: noise that hides the days, and clocks that were changed within the first weeks' '
	clocks UTC 1771545600 56 200 | grep "not certain: [0-9]* other offsets fit about as well"
	clocks Europe/Berlin 1774310400 35 5 >said; cat said
	grep -q "zone Europe/Berlin\|zone of +02:00 from UTC; clocks that were changed on the way, such as those of [A-Z]" said'
else
skip 'no zones in python3 or no zone1970.tab' 'a zone whose clocks were changed is found' ''
fi

# upon SEED: three years of hours: a year upon weeks upon days
upon() {
	awk -v seed="$1" 'BEGIN { srand(seed); pi = atan2(0, -1); print "time,load"
		for (i = 0; i < 1096 * 6; i++) { at = 1640995200 + i * 14400; day = int(i / 6); weekday = (int(at / 86400) + 3) % 7
			printf "%d,%.4f\n", at, (100 + day / 50) * (1 + 0.3 * cos(2 * pi * (day - 166) / 365.25)) * (weekday < 5 ? 1.1 : 0.75) * (1 + 0.4 * sin(2 * pi * (i % 6) / 6)) * (0.95 + 0.1 * rand()) } }'
}
# away PERIODS: the mean error in per cent of forecasts of the last two months from the time before
away() {
	stktrend --csv past.csv --forecast 60d --periods "$1" -f tsv | tail -n +2 | cut -f 1-4 | paste - future.csv | awk -F "[\t,]" '{ e = $2 / $6 - 1; sum += e < 0 ? -e : e } END { printf "%.0f\n", 1000 * sum / NR }'
}
check 'a year upon weeks and days foresees two months of spring better than weeks alone' '
	upon 1 >whole.csv; head -6217 whole.csv >past.csv; tail -360 whole.csv | head -360 >future.csv
	year=$(away "week*months") week=$(away week)
	echo "$year $week" && test "$year" -lt 60 && test "$((year * 3))" -lt "$((week * 2))"'
check 'its parts are those that were put in, and are told' '
	stktrend --csv whole.csv --periods "week*months" --factors -f tsv >factors
	awk -F "\t" "\$1 == \"months\" { n++; want = 1 + 0.3 * cos(2 * atan2(0, -1) * (\$2 * 30.44 + 15 - 166) / 365.25); if ((\$3 - want) ^ 2 > 0.0009) { print \$2, \$3, want; bad = 1 } } END { exit bad || n != 12 }" factors
	stktrend --csv whole.csv --periods "week*quarters" --explain load | tr -s " \n" " " | grep -q "upon it a year of 4 parts, from 0.7[0-9]* to 1.2[0-9]*"'
check 'less than two years have none, and a stream is refused' '
	head -3600 whole.csv >short.csv
	status 2 stktrend --csv short.csv --periods "week*months" --forecast 7d 2>said && grep -q "two years are needed, 600 days seen" said
	stktrend --csv short.csv --periods "week*months" -f tsv 2>said >seen && grep -q "load: the season of the year is left out: two years" said
	status 2 stktrend --periods "week*months" work.stk 2>said && grep -q "needs --csv" said
	status 2 stktrend --csv whole.csv --periods "*months" 2>said; status 2 stktrend --csv whole.csv --periods "week*weeks" 2>said'
check 'a high season that is too short for the periods, or not known, is said' '
	sed "s/,/,heap.used,/; s/heap.used,load/name,value/" year.csv | stkcap -q - >year.stk
	status 2 stktrend --against heap.used --high-season --periods months year.stk 2>said && grep -q "has less than two cycles of its periods" said
	stktrend -q --against heap.used --high-season --periods week year.stk -f text | grep -q "of its high season, from 2025-05-01 to 2025-07-31"
	status 2 stktrend --against heap.used --high-season work.stk 2>said && grep -q "a whole year of heap.used is needed" said
	status 2 stktrend --high-season work.stk 2>said && grep -q "no effect without --against" said'
finish
