#!/bin/sh
# SPDX-License-Identifier: MIT
# stk-nightly over a month of a service of which every incident is known: each is in the report of its day, and nothing else is.
. "${0%/*}/lib/tap.sh"
make=${BUILD:-}/t/tools/make_incidents
test -x "$make" || skip_all 'no make_incidents: run by make check'
have flock || skip_all 'no flock'

nightly=$t/../scripts/stk-nightly
first=1772352000		# 2026-03-01T08:00:00Z
day=1
mkdir dumps truths
while [ $day -le 30 ]; do
	date=2026-03-$(printf %02d $day)
	# every third day nothing happens
	"$make" $((day + 40)) truths/$date 60 60 $((day % 3 == 0 ? 0 : 2)) $((first + (day - 1) * 86400)) >dumps/shop.txt
	# a heap of 4 GB, of which 100 MB more are in use each day after collections
	awk -v day=$day -v date=$date 'BEGIN { for (i = 0; i < 60; i++) printf "[%sT%02d:%02d:00.000+0000][info][gc] GC(%d) Pause Young (Normal) (G1 Evacuation Pause) %dM->%dM(4096M) 12.000ms\n", date, 8 + int(i / 60), i % 60, i, day * 100 + 900, day * 100 }' >dumps/gc.log
	"$nightly" --dumps dumps --state state --out out --date $date >said 2>&1
	echo "$date $?" >>statuses
	cat said >>messages
	day=$((day + 1))
done

# a herd is information: many threads do one thing, which may be all right
wrong() { awk -F '\t' '$1 != "herd" { n++ } END { exit !n }' "$1"; }
check '30 days: 30 reports, each with a page, nothing on stderr; 4 where something was wrong, else 0' '
	test "$(ls out/*.txt | wc -l)" -eq 30
	test "$(ls out/*.html | wc -l)" -eq 30
	test "$(ls out | wc -l)" -eq 60
	test ! -s messages
	for report in out/*.txt; do grep -qF "<h1>$(head -n 1 "$report")</h1>" "${report%.txt}.html"; done
	for truth in truths/*; do
		if wrong $truth; then echo "${truth#truths/} 4"; else echo "${truth#truths/} 0"; fi
	done | same - statuses
'
# the rows of the incidents in a report: date, begin, end, severity, rule
rows() {
	awk '/^INCIDENTS/ { on = 1; next } /^[A-Z]+ ?[A-Z]*/ && !/^[0-9]/ { on = 0 } on && /^[0-9][0-9]:/ { print }' "out/$1.txt" |
		awk -v date="$1" '{ split($1, at, "-"); sub(",", "", $2); rule = $3; sub(/[;,].*/, "", rule); print date, at[1], (at[2] == "" ? at[1] : at[2]), $2, rule }'
}
for truth in truths/*; do rows "${truth#truths/}"; done >listed
for truth in truths/*; do awk -F '\t' -v date="${truth#truths/}" '{ print date, substr($2, 12, 5), substr($3, 12, 5), $1, $4, $5, $6 }' $truth; done >planted

check 'every clear incident is in the report of its day, from the same minute on' '
	test "$(wc -l <planted)" -ge 20
	awk "
		function same(a, b) { return a == b || (a ~ /convoy|blocked|holder-idle/ && b ~ /convoy|blocked|holder-idle/) }
		FILENAME == \"listed\" { day[++n] = \$1; from[n] = \$2; to[n] = \$3; rule[n] = \$5; next }
		\$7 == \"faint\" || \$4 == \"herd\" { next }
		{ clear++; hit = 0
		  for (i = 1; i <= n; i++) if (day[i] == \$1 && same(rule[i], \$4) && from[i] <= \$3 && to[i] >= \$2) hit = 1
		  if (!hit) { print \"missing:\", \$0; bad = 1 } }
		END { print clear, \"clear\"; exit bad || clear < 15 }" listed planted
'
check 'and nothing is in a report that did not happen on that day' '
	awk "
		function same(a, b) { return a == b || (a ~ /convoy|blocked|holder-idle/ && b ~ /convoy|blocked|holder-idle/) }
		FILENAME == \"planted\" { day[++n] = \$1; from[n] = \$2; to[n] = \$3; rule[n] = \$4; next }
		{ hit = 0
		  for (i = 1; i <= n; i++) if (day[i] == \$1 && same(rule[i], \$5) && from[i] <= \$3 && to[i] >= \$2) hit = 1
		  if (!hit) { print \"false:\", \$0; bad = 1 } }
		END { exit bad }" planted listed
	for truth in truths/*; do
		wrong $truth || { report=out/${truth#truths/}.txt; head -n 1 $report | grep "nothing wrong$"; status 1 grep "^INCIDENTS" $report; }
	done
'
check 'what is new is marked: no incident of that rule was there the day before' '
	sed -n "/^INCIDENTS/,/^[A-Z]/p" out/2026-03-02.txt >&3
	grep -l "; NEW" out/*.txt | wc -l >new
	test "$(cat new)" -ge 10
	status 1 grep "; NEW" out/2026-03-01.txt
	grep "There are no dumps of 2026-02-28" out/2026-03-01.txt
'
check 'lines of at most 72 columns, no tab, plain text' '
	status 1 grep -nE "^.{73}" out/*.txt
	status 1 grep -n "$(printf "\t")" out/*.txt
	status 1 grep -nP "[^\x20-\x7e]" out/*.txt
'
check 'the heap: when it is full, to the day; with little past it says so; chance is no cause' '
	tr -s "\n " " " <out/2026-03-01.txt | grep "too little past to say what is unusual: that takes two weeks, and this is day 1; too little past for a forecast"
	tr -s "\n " " " <out/2026-03-01.txt | grep "Too little past to say what it goes with"
	grep "Dumps of 1 hours a day are too few" out/2026-03-30.txt
	status 1 grep -i "too little past" out/2026-03-30.txt
	status 1 grep "Likely cause" out/*.txt
	grep "^  2.9 GB in use, of 4.0 GB.$" out/2026-03-30.txt
	tr -s "\n " " " <out/2026-03-30.txt >line
	grep -o "heap.used[^ ]* reaches 4096M on about 2026-04-[0-9]*" line >&3
	# 3000 MB on day 30, 100 MB more a day: 4096 MB are reached on day 41
	grep -E "heap.used@[^ ]*gc.log reaches 4096M on about 2026-04-(09|10|11)" line
'
check 'the same day once more: the same report, and the same state' '
	cp -r out out.before
	cp -r state state.before
	"$make" 70 truth 60 60 0 $((first + 29 * 86400)) >dumps/shop.txt
	status 0 "$nightly" --dumps dumps --state state --out out --date 2026-03-30
	diff -r out out.before
	diff -r state state.before
'
finish
