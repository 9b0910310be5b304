#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend --regressions: lines that count time, and lines that count measures.
. "${0%/*}/lib/tap.sh"

# A month that grows by 2 a day, a measure each quarter of an hour; in three hours of congestion one each two seconds, 150 higher.
awk 'BEGIN { srand(1); print "time,heap"
	for (i = 0; i < 30 * 96; i++) { at = 1772323200 + i * 900; storm = i >= 480 && i < 484 || i >= 1000 && i < 1004 || i >= 1500 && i < 1504
		for (k = 0; k < (storm ? 450 : 1); k++) printf "%d,%.4f\n", at + 2 * k, 1000 + 2 * i / 96 + (storm ? 150 : 0) + 4 * (rand() + rand() - 1) } }' >storm.csv
check 'lines that count time have the slope; those that count measures are drawn away by three hours' '
	stktrend --csv storm.csv --periods none --regressions heap -f text >seen
	awk "NR > 2 && \$(NF - 4) == \"time\" { t++; if (!(\$(NF - 3) > 1.9 && \$(NF - 3) < 2.1)) bad = 1 } NR > 2 && \$(NF - 4) == \"measures\" { m++; if (\$(NF - 3) > 1 && \$(NF - 3) < 2.5) bad = 1 }
		END { exit bad || t != 3 || m != 3 }" seen || { cat seen; false; }'
check 'the rows are the measures, and each line is the weighted mean of what its weights leave' '
	stktrend --csv storm.csv --periods none --regressions heap -f tsv >rows
	test "$(wc -l <rows)" -eq "$(wc -l <storm.csv)" -a "$(sed 1d rows | cut -f 13-15 | sort -u)" = "heap	metric	"
	awk -F "\t" "BEGIN { n = 0 } NR > 1 { y[n] = \$3; w[0, n] = \$4; w[1, n] = \$4 * \$5; w[2, n] = \$4 * \$6; for (m = 0; m < 3; m++) l[m, n] = \$(7 + m); n++ }
		END { for (m = 0; m < 3; m++) { s = e = 0; for (i = 0; i < n; i++) { s += w[m, i]; e += w[m, i] * (y[i] - l[m, i]) } if (!(e / s < 1e-6 && e / s > -1e-6)) { print m, e / s; bad = 1 } } exit bad }" rows'
if have Rscript; then
check 'they are the lines of R with these weights, to 1e-6' '
	cat >lm.R <<-END
		r <- read.delim("rows"); x <- as.numeric(as.POSIXct(r\$time, format = "%Y-%m-%dT%H:%M:%SZ", tz = "UTC")) / 86400
		off <- function(line, w) max(abs(fitted(lm(r\$level ~ x, weights = w)) - line))
		stopifnot(off(r\$by_time_ls, r\$weight) < 1e-6, off(r\$by_time_huber, r\$weight * r\$kept_huber) < 1e-6, off(r\$ls, rep(1, nrow(r))) < 1e-6)
		k <- r\$kept_bisquare > 0
		line <- lm(r\$level[k] ~ x[k], weights = (r\$weight * r\$kept_bisquare)[k])
		stopifnot(max(abs(fitted(line) - r\$by_time_bisquare[k])) < 1e-6, min(r\$kept_huber) > 0, max(r\$kept_huber) <= 1, sum(!k) > 1000)
	END
	Rscript lm.R'
else
skip 'no R: apt install r-base-core' 'they are the lines of R with these weights, to 1e-6' ''
fi
check 'of a series that was set back they are those since' '
	awk "BEGIN { srand(2); print \"time,name,value\"; for (i = 0; i < 20 * 96; i++) printf \"%d,heap.used,%.3f\\n\", 1772323200 + i * 900, 500 + 40 * (i / 96 % 10) + 20 * rand() }" | stkcap -q - >saw.stk
	stktrend -q --regressions heap.used -f text saw.stk | tr -s " \n" " " | grep -q "heap.used: 960 measures from 2026-03-11T00:00 to 2026-03-20T23:45, since the last restart"'
check 'no such series, several, too few measures: refused' '
	status 2 stktrend --csv storm.csv --regressions none 2>said && grep -q "no series .none." said
	head -5 storm.csv >few.csv; status 2 stktrend --csv few.csv --regressions heap 2>said && grep -q "8 needed" said
	printf "time,a1,a2\n2026-01-01,1,2\n2026-01-02,2,3\n" >two.csv; status 2 stktrend --csv two.csv --regressions "a*" 2>said && grep -q "is 2 series" said'
finish
