#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend --changes: what is another after a moment than before it, and which moment; each change told once.
. "${0%/*}/lib/tap.sh"

# Two weeks from Monday 2 March 2026, a dump every half hour, days and weekends. From DAY (with a fraction) on the three
# classes of Pay stand twice as high, New is there, Old is not, and 6 of Left's 8 threads are Right's.
shop() {	# DAY DAYS
	awk -v from="$1" -v days="$2" 'function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
		function add(stack, mean,   n) { n = poisson(mean * share); if (n) print stack " " n }
		BEGIN { srand(7); for (i = 0; i < days * 48; i++) {
			print "@" 1772409600 + i * 1800
			share = (int(i / 48) % 7 > 4 ? 0.4 : 1) * (1 + 0.8 * sin((i % 48 - 16) * 0.1309)); on = i >= from * 48
			for (k = 0; k < 3; k++) add("main;serve;Pay;step" k, on ? 4 : 2)
			for (k = 0; k < 12; k++) add("main;serve;Index;part" k, 0.5 + k / 4)
			add("main;batch;" (on ? "New" : "Old"), 2)
			add("main;queue;Left", on ? 2 : 8); add("main;queue;Right", on ? 8 : 2) } }' | stkcap -q -f folded-dumps
}
shop 7.5 14 >samples.stk
stkclass -q samples.stk >rollout.stk
shop 99 14 | stkclass -q >quiet.stk
names() { awk -F "\t" 'NR > 1 { sub(/ < .*/, "", $5); print $4, $5, $6, $16 }' "$1" | sort; }

check 'the moment is found, and each change is told once: what Pay has in common as one, with what is in it' '
	stktrend -q --changes -f tsv rollout.stk >rows
	test "$(head -1 rows)" = "from	to	series	kind	about	what	before	after	ratio	low	high	usual	p	q	began	within"
	test "$(awk -F "\t" "NR > 1 { print \$1, \$2 }" rows | sort -u)" = "2026-03-09T12:00:00Z 2026-03-09T12:00:00Z"
	names rows >told
	test "$(cat told)" = "class Left cost-shift 0
class New new 0
class Old gone 0
class Right cost-shift 0
segment Pay more 6"'
check 'ratios hold the truth in their limits, and levels are threads a dump without the season' '
	awk -F "\t" "NR > 1 && \$5 ~ /^Pay/ { exit !(\$10 < 2 && 2 < \$11 && \$11 / \$10 < 1.5 && \$7 > 3 && \$8 / \$7 - \$9 < 1e-6 && \$8 / \$7 - \$9 > -1e-6) }" rows
	awk -F "\t" "\$6 == \"new\" { exit !(\$7 == 0 && \$9 == \"inf\" && \$11 == \"inf\" && \$10 > 5) }" rows
	awk -F "\t" "\$6 == \"gone\" { exit !(\$8 == 0 && \$9 == 0 && \$10 == 0 && \$11 < 0.2) }" rows'
check 'the given moment, and the time between two, say the same' '
	stktrend -q --changes --at 2026-03-09T12:00 -f tsv rollout.stk | same rows -
	stktrend -q --changes --between 2026-03-09T06:00..2026-03-09T18:00 -f tsv rollout.stk >between
	names between | same told -
	stktrend -q --changes --at 2026-03-09T13:00 --zone Europe/Berlin -f tsv rollout.stk | cut -f 3-9 >zone
	cut -f 3-9 rows | awk -F "\t" "{ print \$1, \$4 }" | sort >plain
	awk -F "\t" "{ print \$1, \$4 }" zone | sort | same plain -'
check 'times are relative to the end of a file' '
	stktrend -q --changes --at -155h30m -f tsv rollout.stk | same rows -'
check 'where nothing changed there is no moment, and no row at a moment that is given' '
	test "$(stktrend -q --changes -f tsv quiet.stk | wc -l)" = 1
	test "$(stktrend -q --changes --at 2026-03-09T12:00 -f tsv quiet.stk | wc -l)" = 1
	stktrend -q --changes --at 2026-03-09T12:00 -f text quiet.stk >none
	head -1 none | grep -q "^2026-03-09 12:00 UTC; 0 changes: 0 new, 0 gone, 0 more or less; all threads"
	grep -q "series compared: at most 5 %" none
	test "$(grep -c within none)" = 0
	stktrend -q --changes -f text quiet.stk | grep -q "no moment at which anything changed clearly"'
check 'a side with other days or other times of day is compared as far as it can be, which is said' '
	stkcat -q -f stream --from 2026-03-06 --to 2026-03-08 quiet.stk | stktrend -q --changes --at 2026-03-07T00:00 -f text >days
	grep -q "other kinds of days" days
	stkcat -q -f stream --from 2026-03-03T06:00 --to 2026-03-03T18:00 quiet.stk | stktrend -q --changes --between 2026-03-03T12:00..2026-03-03T12:15 -f text >times
	tr "\n" " " <times | tr -s " " | grep -q "other times of day"'
check 'for people: the moment, counts of kinds and all threads first' '
	stktrend -q --changes -f text --width 120 rollout.stk >table
	head -1 table | grep -q "^2026-03-09 12:00 UTC, give or take 15m; 5 changes: 1 new, 1 gone, 3 more or less; all threads"
	grep -q "Old < batch" table
	stktrend -q --changes -f text --top 2 rollout.stk | grep -q "and 3 more (--top 5)"'
check 'ndjson has the same rows' '
	stktrend -q --changes -f ndjson rollout.stk | python3 -c "
import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert len(rows) == 5 and all(row[\"q\"] <= .05 for row in rows), rows"'
check 'groups of samples are compared too, and what holds them is not told again' '
	printf "groups:\n  - name: queue\n    members: [queue]\n    children:\n      - {name: left, members: [Left]}\n      - {name: right, members: [Right]}\n  - {name: index, members: [Index]}\nexamples:\n  - {stack: queue, group: queue}\n" >shop.yaml
	stkgroup -q -s shop.yaml samples.stk | stktrend -q --changes -f tsv >groups
	test "$(awk -F "\t" "NR > 1 { print \$4, \$3, \$6 }" groups | grep -v none | sort | tr "\n" ,)" = "group shop/queue/left cost-shift,group shop/queue/right cost-shift,"'
# One day, a dump every two minutes, three classes that rise and fall with it, or with BELL have a busy noon; c0 is RATIO as high from 16:40 on.
day() {	# RATIO [BELL]
	awk -v ratio="$1" -v bell="${2-}" 'function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
		BEGIN { srand(11); for (i = 0; i < 720; i++) {
			print "@" 1772409600 + i * 120
			for (k = 0; k < 3; k++) { n = poisson((bell ? (15 + k) * (0.3 + 0.7 * exp(-((i - 390) / 135) ^ 2)) : (5 + k) * (1 + 0.5 * sin((i - 240) * 0.0087266))) * (k == 0 && i >= 500 ? ratio : 1)); if (n) print "main;serve;c" k " " n } } }' |
		stkcap -q -f folded-dumps | stkclass -q
}
check 'one day: what jumps is found in the slot in which it did, though all rises and falls; without a jump there is no moment' '
	day 2.2 | stktrend -q --changes -f tsv >jumps
	test "$(awk -F "\t" "NR > 1 { print \$1, substr(\$5, 1, 2), \$6, \$15 }" jumps)" = "2026-03-02T16:45:00Z c0 more 2026-03-02T16:45:00Z"
	test "$(day 1 | stktrend -q --changes -f tsv | wc -l)" = 1
'
check 'limits of a jump hold where the day bends the lines through its hours' '
	day 3 bell | stktrend -q --changes -f tsv | awk -F "\t" "NR > 1 && \$5 ~ /^c0/ { exit !(\$10 < 3 && 3 < \$11 && \$11 / \$10 < 1.8) }"'
check 'what begins within a slot is new, though that slot has some of it' '
	awk "BEGIN { for (i = 0; i < 720; i++) { print \"@\" 1772409600 + i * 120; print \"main;old 3\"; if (i >= 500) print \"main;young 3\" } }" | stkcap -q -f folded-dumps | stkclass -q >young.stk
	stktrend -q --changes -f tsv young.stk | awk -F "\t" "\$5 ~ /^young/ { n++; bad += \$6 != \"new\" } END { exit !n || bad }"
'
# Forty days, a dump every half hour, with days and weekends. b stands half as high again from day 32.5 on; a doubles for
# good on day 10, and b had four times as many threads on days 2 to 17.
past() {
	awk 'function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
		function add(stack, mean,   n) { n = poisson(mean * share); if (n) print stack " " n }
		BEGIN { srand(7); for (i = 0; i < 40 * 48; i++) { day = i / 48
			print "@" 1772409600 + i * 1800
			share = (int(day) % 7 > 4 ? 0.4 : 1) * (1 + 0.8 * sin((i % 48 - 16) * 0.1309))
			add("main;a", day < 10 ? 2 : 4); add("main;b", day >= 32.5 ? 6 : day >= 2 && day < 17 ? 16 : 4)
			for (k = 0; k < 10; k++) add("main;c" k, 1 + k / 4) } }' | stkcap -q -f folded-dumps | stkclass -q
}
check 'a change weeks before the moment is none of it, and hides none: two weeks on either side are compared, which is said' '
	past >past.stk
	stktrend -q --changes --at 2026-04-03T12:00 -f tsv past.stk | awk -F "\t" "NR > 1 { n++; bad += \$5 !~ /^b/ || \$6 != \"more\" || \$10 > 1.5 || \$11 < 1.5 || \$11 / \$10 > 1.5 || \$15 !~ /^2026-04-03/ } END { exit n != 1 || bad }"
	stktrend -q --changes --at 2026-04-03T12:00 -f text past.stk | grep -q "up to 14d before and after it are compared"'
check 'one day, and a moment that is given: lines through the same hours, as where it is searched for; its morning is not compared with its evening' '
	day 2.2 >day.stk
	stktrend -q --changes --at 2026-03-02T16:45 -f tsv day.stk | same jumps -
	test "$(day 1 | stktrend -q --changes --at 2026-03-02T16:45 -f tsv | wc -l)" = 1
	stktrend -q --changes --at 2026-03-02T16:45 -f text day.stk | tr "\n" " " | tr -s " " | grep -q "5h before and after the moment"'
host() {	# NAME SEED: ten classes, of which c1 doubles on both hosts, and c0 on b alone
	awk -v host="$1" -v seed="$2" 'function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
		BEGIN { srand(seed); for (i = 0; i < 14 * 48; i++) {
			print "@" 1772409600 + i * 1800; on = i >= 7.5 * 48
			for (k = 0; k < 10; k++) { n = poisson((2 + k / 4) * (on && (k == 1 || k == 0 && host == "b") ? 2 : 1)); if (n) print "main;serve;c" k " " n } } }' >host-$1.txt
	stkcap -q -f folded-dumps host-$1.txt -o host-$1.stk
}
check 'sources that are counted apart are compared apart' '
	host a 3
	host b 4
	stkcat -q --merge --sort -f stream host-a.stk host-b.stk | stkclass -q --by source | stktrend -q --changes -f tsv >hosts
	test "$(awk -F "\t" "NR > 1 && \$4 == \"class\" { part = \$3; sub(/.*@source=host-/, \"\", part); print \$1, substr(\$5, 1, 2), substr(part, 1, 1), \$6 }" hosts | sort | tr "\n" ,)" = \
		"2026-03-09T12:00:00Z c0 b more,2026-03-09T12:00:00Z c1 a more,2026-03-09T12:00:00Z c1 b more,"'
check 'no series, and one dump' '
	printf "@1772409600\nmain;a 1\n" | stkcap -q -f folded-dumps >tiny.stk
	status 1 stktrend -q --changes -f tsv tiny.stk >rows.none 2>said && test "$(wc -l <rows.none)" = 1
	stkclass -q tiny.stk | stktrend -q --changes -f tsv >rows.one && test "$(wc -l <rows.one)" = 1
	stkclass -q tiny.stk | status 1 stktrend -q --changes --at 2026-03-02T00:00 -f tsv'
check 'what cannot be answered is said, a moment outside, or refused: options without effect' '
	status 1 stktrend -q --changes --at 2026-03-01T00:00 rollout.stk
	status 1 stktrend -q --changes --at 2027-03-01T00:00 rollout.stk
	status 2 stktrend -q --at 2026-03-09T12:00 -f tsv rollout.stk
	status 2 stktrend -q --changes --between 2026-03-09T12:00..2026-03-09T11:00 -f tsv rollout.stk
	status 2 stktrend -q --changes --between 2026-03-09T12:00.. -f tsv rollout.stk
	status 2 stktrend -q --changes --at 2026-03-09T12:00 --between 2026-03-09T12:00..2026-03-09T13:00 rollout.stk
	status 2 stktrend -q --changes -f stream rollout.stk
	status 2 stktrend -q --changes --resume s.state rollout.stk
	status 2 stktrend -q --anomalies --fdr 1 -f tsv rollout.stk
	test ! -e s.state'
check '--top is refused where all rows are written' '
	for form in tsv ndjson openmetrics stream; do
		status 2 stktrend -q --top 3 -f $form rollout.stk >out 2>err
		grep -q "top works only with -f text" err
		test ! -s out
	done
	stktrend -q --top 3 -f text rollout.stk >out'
finish
