#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot trend, groups and classes: still pictures and drawings for terminals have the numbers of the filters that computed them.
. "${0%/*}/lib/tap.sh"
have stkplot python3 || skip_all 'no stkplot or python3'

# Nine days of dumps of two classes every half hour; "new" takes over on day 7. And a heap that grows.
awk 'function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
	BEGIN { srand(1); for (i = 0; i < 9 * 48; i++) {
		print "@" 1772323200 + i * 1800 >"dumps.txt"
		a = i < 7 * 48 ? 9 : 1
		x = poisson(a); y = poisson(10 - a); z = poisson(3)
		if (x) print "main;serve;old " x >"dumps.txt"; if (y) print "main;serve;new " y >"dumps.txt"; if (z) print "main;index " z >"dumps.txt"
		printf "%d,heap.used,%.0f\n", 1772323200 + i * 1800, 2e9 + 2e6 * i + 1e7 * rand() >"heap.csv"
	} }'
stkcap -q --format folded-dumps dumps.txt >dumps.stk
stkcap -q heap.csv >heap.stk
stkclass -q -f stream dumps.stk >classes.stk
stkcat --merge -f stream classes.stk heap.stk >both.stk
stktrend -q --periods day -f stream --limit heap.used=4G both.stk >trend.stk
stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" >jstack.stk
stkgroup -q -s jvm --step 2s -f stream jstack.stk >groups.stk

# titles of SVG, one a line, lines of one joined by a tab
cat >titles.py <<'X'
import sys, xml.etree.ElementTree as xml
for e in xml.parse(sys.argv[1]).getroot().iter():
	if e.tag.endswith("}title"):
		print((e.text or "").replace("\n", "\t"))
X

cat >rows.py <<'X'
import csv, re
rows = list(csv.DictReader(open("measures"), delimiter="\t"))
heap = [r for r in rows if float(r["value"]) > 1e9]
titles = [t.split("\t") for t in open("titles").read().splitlines()]
got = {t[0]: dict(p.rsplit(" ", 1) for p in t[1:] if not p.startswith("expected")) for t in titles if re.match(r"2026.*measured", "\t".join(t)) and "G" in "".join(t)}
count = 0
for r in heap:
	moment = r["time"][:16].replace("T", " ")
	if moment in got:
		value = float(r["value"]) / 2 ** 30
		assert got[moment]["measured"] == "%.1fG" % value, (moment, got[moment], value)
		count += 1
assert count > 100, count
X

check 'stktrend writes measures with what was expected of them, and when limits are reached; a second run drops those of the first' '
	stkcat -f tsv --only measure trend.stk >measures
	head -1 measures | grep -qx "id	time	value	expected	low	high	level"
	awk -F "\t" "NR > 1 && \$4 != \"nan\" { n++; in_ += \$3 >= \$5 && \$3 <= \$6; bad += \$5 > \$4 || \$4 > \$6 } END { exit !(n > 1000 && bad == 0 && in_ > 0.85 * n) }" measures
	stktrend -q --periods day -f tsv --limit heap.used=4G both.stk | cut -f 2-5,11 | tail -1 >table
	stkcat -f tsv --only capacity trend.stk | awk -F "\t" "NR == 2 { printf \"%.1f\t%.1f\t%.3f\t%.3f\t%d\n\", \$2, \$3, \$4, \$5, \$9 }" >record
	awk -F "\t" "{ printf \"%.1f\t%.1f\t%.3f\t%.3f\t%d\n\", \$1, \$2, \$3, \$4, \$5 }" table | same record -
	stktrend -q --periods day -f stream --limit heap.used=4G trend.stk | stkcat -f tsv --only measure - | same measures -
	status 2 stktrend -q -f stream --limit nobody=1 both.stk >/dev/null 2>err
	grep -q "no series .nobody. in the input" err
'
check 'trend, SVG: what was measured, expected and found; the limit with its interval; what it says first' '
	stkplot trend -o trend.svg trend.stk
	python3 titles.py trend.svg >titles
	grep -q "^2026-03-01 00:30	measured [0-9.]*G	level " titles
	grep -q "^2026-03-09 .*expected .* (.* to .*)" titles
	test "$(grep -c " shift from " titles)" -eq "$(stkcat -f tsv --only anomaly trend.stk | awk -F "\t" "\$2 != \"segment\" && \$5 == \"shift\" && \$12 == 1" | wc -l)"
	grep -q ">heap.used @ heap.csv: 4.0G is reached on 2026-0[3-4]-.* (2026-.* to 2026-.*); " trend.svg
'
check '... numbers are those of the records' '
	python3 rows.py
'
check 'trend, terminal: as wide as was asked for; what it says first; a finding with its moment' '
	stkplot trend -f term --width 80 --color never trend.stk >drawn
	python3 -c "assert max(len(line.rstrip(chr(10))) for line in open(\"drawn\", encoding=\"utf-8\")) <= 80"
	head -1 drawn | grep -q "^heap.used @ heap.csv: 4.0G is reached on 2026-"
	grep -q "^ *! 2026-03-0[78] ..:.. shift from " drawn
	grep -qF "\$ stkcat -f tsv --only measure trend.stk" drawn
	for colour in 16 256 true; do
		case $colour in 16) TERM=xterm COLORTERM= ;; 256) TERM=xterm-256color COLORTERM= ;; true) COLORTERM=truecolor ;; esac
		export TERM COLORTERM
		stkplot trend -f term --width 80 --color always trend.stk | sed "s/.\[[0-9;]*m//g" | same drawn -
	done
'
check 'trend and classes, terminal: ASCII where the locale is not UTF-8; as high and as long as the blocks' '
	for drawing in trend classes; do
		LC_ALL=C stkplot $drawing -q -f term --width 80 --color never $drawing.stk >letters
		LC_ALL=C.UTF-8 stkplot $drawing -q -f term --width 80 --color never $drawing.stk >blocks
		python3 -c "
import re
letters, blocks = open(\"letters\", encoding=\"ascii\").read(), open(\"blocks\", encoding=\"utf-8\").read()
assert re.search(\"[\u2581-\u2588]\", blocks)
for a, b in zip(letters.split(chr(10)), blocks.split(chr(10)), strict=True):
	a, b = a.ljust(80), re.sub(\"[\u2581-\u2588]\", \"#\", b).replace(chr(183), \" \").ljust(80)
	assert len(a) == len(b) and all(x == y or y == \"#\" and x in \".:-=+*@\" for x, y in zip(a, b)), (a, b)
"
	done
'
check 'groups, SVG: time and samples of each group are those of stkgroup' '
	stkplot groups -o groups.svg groups.stk
	python3 titles.py groups.svg | sed -n "s/^\(.*\): \([0-9.]* s, [0-9]*\) samples\{0,1\}, .*/\1	\2/p" | sort >have
	stkgroup -q -s jvm --step 2s -f tsv jstack.stk | awk -F "\t" "NR > 1 { t[\$3] += \$7; n[\$3] += \$4 }
		END { for (g in t) if (n[g] > 0) printf \"%s\t%.1f s, %d\n\", g, t[g], n[g] }" | sort >want
	same have want
	test "$(wc -l <want)" -gt 10
	grep -q ">threads per step of 2s, by group; all: " groups.svg
'
check 'trend: what explains a series, as stktrend --against says, comes right after it; else a sentence says that nothing does' '
	awk "function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
		BEGIN { srand(4); for (i = 0; i < 6 * 144; i++) {
			t = 1772323200 + i * 600; w = 6.2832 * i / 144; print \"@\" t >\"ranked.txt\"
			for (c = 0; c < 6; c++) { n = poisson((c + 1) * (1 + 0.6 * sin(w + c))); if (n > 0) printf \"main;work%d %d\n\", c, n >\"ranked.txt\"; if (c == 1) held = n }
			printf \"%d,heap.used,%.0f\n\", t, 1e9 + 3e8 * held >\"ranked.csv\"; printf \"%d,heap.used,%.0f\n\", t, 1e9 + 1e8 * rand() >\"alone.csv\" } }"
	stkcap -q --format folded-dumps ranked.txt | stkclass -q -o ranked.stk -
	for heap in ranked alone; do
		stkcap -q "$heap.csv" -o "$heap-heap.stk"
		stkcat --merge -f stream ranked.stk "$heap-heap.stk" >ranked-both.stk
		stktrend -q -f stream --against heap.used ranked-both.stk >"$heap-trend.stk"
	done
	stktrend -q -f tsv --kind class,metric --against heap.used ranked-both.stk | tail -n +2 | awk -F "\t" "\$5 <= 0.05" >claimed
	test ! -s claimed
	stkplot trend -f svg alone-trend.stk >alone.svg
	grep -q "None of [0-9]* series explains heap.used" alone.svg
	status 1 grep -q "; explains heap.used" alone.svg
	stkcat -f tsv --only rank ranked-trend.stk | awk -F "\t" "NR == 2 { printf \"explains heap.used: correlation %.2f, q %s\n\", \$6, \$9 < 0.0001 ? \"below 0.0001\" : \$9 }" >wanted
	stkplot trend -f svg ranked-trend.stk | grep -v "^<title\|<desc" >ranked.svg
	grep -o "explains heap.used: correlation [^<]*" ranked.svg | head -1 | same wanted -
	grep -o ">heap.used @ ranked.csv<\|>work[0-9][^<:]*<" ranked.svg | head -2 | tr -d "<>" | sed "s/ .*//" | tr "\n" " " | grep -qx "heap.used work1 "
	stkplot trend -f term --width 100 --color never ranked-trend.stk | head -1 | grep -q "^work1 < main: explains heap.used"
'
check '... and in each step' '

	python3 titles.py groups.svg | grep "^2026-11-20 23:53:5[46]	" >steps
	stkgroup -q -s jvm --step 2s -f tsv jstack.stk | awk -F "\t" "\$1 == \"2026-11-20T23:53:54Z\" && \$3 == \"VM/GC\" { printf \"VM/GC %g\n\", \$7 / 2 }" >want
	tr "\t" "\n" <steps | grep "^VM/GC " | head -1 | same want -
'
check 'groups, terminal: letters, and the same sums without colours' '
	stkplot groups -f term --width 80 --color never groups.stk >drawn
	grep -q "^most: " drawn
	grep -q "^     a .* s, [0-9]* samples, " drawn
	grep -q "aaaa" drawn
	python3 -c "assert max(len(line.rstrip(chr(10))) for line in open(\"drawn\", encoding=\"utf-8\")) <= 80"
	COLORTERM=truecolor stkplot groups -f term --width 80 --color always groups.stk | sed "s/.\[[0-9;]*m//g" | same drawn -
'
check 'groups: of several schemes each has its panel, --scheme chooses; more than twenty groups are (other) with their amount' '
	stkgroup -q -s jvm -s java-data --step 2s -f stream jstack.stk >two.stk
	stkplot groups -f svg two.stk | grep -c "per step of 2s, by group" | grep -qx 2
	stkplot groups -f svg --scheme java-data two.stk >one.svg
	test "$(grep -c "per step of 2s, by group" one.svg)" = 1
	{ echo "scheme: many"; echo "groups:"; for i in $(seq 30); do printf "  - name: g%d\n    members: [f%d]\n" "$i" "$i"; done; } >many.yaml
	awk "BEGIN { for (i = 0; i < 40; i++) { print \"@\" 1772323200 + i * 60; for (k = 1; k <= 30; k++) print \"main;f\" k \" \" k } }" |
		stkcap -q --format folded-dumps - | stkgroup -q -s many.yaml --step 1m -f stream - >many.stk
	stkplot groups -f svg many.stk >many.svg
	python3 titles.py many.svg | grep -q "^(other): [0-9.]* s, 400 samples, 11.8 %"
'
check 'groups --by source: a small picture of each, with the colours of the first; stkgroup names the groups of all stacks, with --step and without' '
	stkcap -q --source other "$t/data/orders.jstack.txt" -o other.stk
	stkcat --merge -f stream jstack.stk other.stk | stkgroup -q -s jvm --step 1h -f stream - >both-groups.stk
	stkplot groups --by source -f svg both-groups.stk >by.svg
	test "$(grep -c "samples per step of 7h; all: " by.svg)" = 2
	grep -q "samples per step of 7h; all: 440 samples" by.svg
	status 2 stkplot groups --by pool -f svg groups.stk 2>err >/dev/null
	grep -q "expected processor, source, host or activity for groups, not .pool." err
	stkcap -q "$t/../scripts/sample/order-service.perf.txt.gz" >perf.stk
	stkgroup -q -s libc-native -f stream perf.stk | stkcat -f tsv --only group_of_stack - | sort >without
	stkgroup -q -s libc-native --step 100ms -f stream perf.stk | stkcat -f tsv --only group_of_stack - | sort | same without -
	test "$(wc -l <without)" -gt 50
'
cat >mixed.yaml <<'X'
scheme: mixed
groups:
- name: io
  members: ['serve']
  events: {start: read, stop: done}
- name: lock
  events: {start: lock, stop: unlock}
X
awk 'BEGIN { for (i = 0; i < 12; i++) print "@" 1772323200 + i "\nmain;serve;x " i % 3 + 1 "\nmain;idle 2" }' | stkcap -q --format folded-dumps - >some.stk
printf '1772323200\tt\tstart\tread\n1772323205\tu\tstart\tlock\n1772323209\tt\tstop\tdone\n1772323211\tu\tstop\tunlock\n1772323202\tt\tstart\tnap\n1772323203.5\tt\tstop\tnap\n' |
	stkcap -q --format events - >events.stk
check 'groups --by processor: time between events of one name, of all and of each processor' '
	printf "%s\n" "scheme: two" "groups:" "- name: order" "  events: {start: order, stop: order}" "- name: pay" "  events: {start: pay, stop: pay}" >two.yaml
	awk "BEGIN { for (i = 0; i < 300; i++) { t = 100 + i * 0.37; n = i % 4 ? \"order\" : \"pay\"
		printf \"%.3f\tT%d\tstart\t%s\t0\t0\tmain\t%d\n%.3f\tT%d\tstop\t%s\t0\t0\tmain\t%d\n\", t, i, n, i % 3, t + 0.1 + i % 7 * 0.9, i, n, (i + 1) % 3 } }" |
		sort -n >pairs.tsv
	stkcap -q --format events -o pairs.stk pairs.tsv
	stkgroup -q -s two.yaml --step 5s -f stream pairs.stk >pair-steps.stk
	stkplot groups -q -f term --width 120 --by processor pair-steps.stk >drawn
	stkcat -q -f tsv --only event pair-steps.stk | python3 -c "
import csv, datetime, sys
open_at, sums = {}, {}
for row in csv.DictReader(sys.stdin, delimiter=\"\t\"):
	at = datetime.datetime.fromisoformat(row[\"time\"].replace(\"Z\", \"+00:00\")).timestamp()
	key = row[\"thread\"], row[\"name\"]
	if row[\"happening\"] == \"start\": open_at[key] = at, row[\"processor\"]
	else:
		begin, processor = open_at.pop(key)
		for key in (\"time between events\", row[\"name\"]), (\"processor %s, between events\" % processor, \"all:\"):
			sums[key] = sums.get(key, 0) + at - begin
for key, seconds in sums.items(): print(*key, \"%.1f\" % seconds)" | sort >wanted
	test "$(wc -l <wanted)" = 5
	awk "/between events\$/ { panel = \$0 }
		panel == \"time between events\" && / s, [0-9]* events, / { print panel, \$2, \$3 }
		panel ~ /^processor/ && / all: / { print panel, \"all:\", \$(NF - 4) }" drawn | sort | same wanted -
	status 1 grep -q "all: 0 samples" drawn
'
check 'pairs of two names: a stop whose name begins nothing ends what began last of its thread, as stkgroup counts it; not what a stop of its own name ends' '
	printf "%s\n" "scheme: lock" "groups:" "- name: lock" "  events: {start: take, stop: release}" "- name: order" "  events: {start: order, stop: order}" >lock.yaml
	awk "BEGIN { srand(3)
		for (i = 0; i < 40; i++) for (k = 0; k < 5; k++) { t = 100 + i + k * 20 + rand(); deep = i % 3
			printf \"%.3f\tT%d\tstart\ttake\t0\t0\tmain\t%d\n\", t, i, i % 2
			for (d = 0; d < deep; d++) printf \"%.3f\tT%d\tstart\ttake\t0\t0\tmain\t0\n\", t + 1 + d, i
			for (d = 0; d <= deep; d++) printf \"%.3f\tT%d\tstop\trelease\t0\t0\tmain\t0\n\", t + 5 + d * 2, i
			printf \"%.3f\tU%d\tstart\torder\t0\t0\tmain\t2\n%.3f\tU%d\tstop\trelease\t0\t0\tmain\t2\n%.3f\tU%d\tstop\torder\t0\t0\tmain\t2\n\", t, i, t + 2, i, t + 3, i } }" /dev/null |
		sort -n >locks.tsv
	stkcap -q --format events -o locks.stk locks.tsv
	status 1 stkgroup -q -s lock.yaml --step 5s -f stream locks.stk >lock-steps.stk 2>/dev/null
	stkplot groups -q -f term --width 120 --by processor lock-steps.stk >drawn
	stkcat -q -f tsv --only event lock-steps.stk | python3 -c "
import csv, datetime, sys
open_at, sums, count = {}, {}, {}
for row in csv.DictReader(sys.stdin, delimiter=\"\t\"):
	at = datetime.datetime.fromisoformat(row[\"time\"].replace(\"Z\", \"+00:00\")).timestamp()
	name, stack = row[\"name\"], open_at.setdefault((row[\"thread\"], row[\"name\"].replace(\"release\", \"take\")), [])
	if row[\"happening\"] == \"start\": stack.append(at)
	elif stack:
		name = name.replace(\"release\", \"take\")
		sums[name] = sums.get(name, 0) + at - stack.pop(); count[name] = count.get(name, 0) + 1
for name in sums: print(name, \"%.1f\" % sums[name], count[name])" | sort >wanted
	test "$(wc -l <wanted)" = 2
	awk "/between events\$/ { panel = \$0 }
		panel == \"time between events\" && / s, [0-9]* events, / { print \$2, \$3, \$5 }" drawn | sort | same wanted -
	grep -q "400 events last until a stop of another name" drawn || tr "\n" " " <drawn | tr -s " " | grep -q "$(sed -n "s/^take .* //p" wanted) events last until a stop of another name"
	awk "\$3 == \"start\" && \$4 == \"take\" && !open[\$2]++ { from[\$2] = \$1 } \$3 == \"start\" && \$4 == \"take\" { depth[\$2]++ }
		\$4 == \"release\" && depth[\$2] > 0 && --depth[\$2] == 0 { sum += \$1 - from[\$2]; open[\$2] = 0 } END { printf \"%.1f\n\", sum }" locks.tsv >outermost
	stkgroup -q -s lock.yaml -f tsv locks.stk 2>/dev/null | awk -F "\t" "\$2 == \"lock\" { printf \"%.1f\n\", \$13 }" | same outermost -
'
check 'groups --by activity: a lane for each of the twelve that took longest, under way while more was begun than has ended; time of each by name' '
	awk "BEGIN { srand(7); for (i = 0; i < 20; i++) for (k = 0; k < 5; k++) { t = 100 + i + k * 40 + rand() * 20; a = i % 17
		printf \"%.3f\tT%d\tstart\tcall\t0\t%d\n%.3f\tU%d\tstart\tinner\t0\t%d\n%.3f\tU%d\tstop\tinner\t0\t%d\n%.3f\tV%d\tpoint\tdone\t0\t%d\n%.3f\tT%d\tstop\t%s\t0\t%d\n\",
		t, i, a, t + 1, i, a, t + 3 + i / 10, i, a, t + 4, i, a, t + 5 + i / 10, i, k == 2 ? \"other\" : \"call\", a } }
		END { print \"310.0\tT\tstart\tcall\t0\t5\n330.0\tT\tstart\tcall\t0\t18446744073709551615\" }" /dev/null | sort -n >work.tsv
	stkcap -q --format events -o work.stk work.tsv
	printf "%s\n" "scheme: w" "groups:" "- name: call" "  events: {start: call, stop: call}" >w.yaml
	status 1 stkgroup -q -s w.yaml --step 10ms -f stream work.stk >work-steps.stk 2>/dev/null
	stkplot groups -q --by activity -f svg work-steps.stk >work.svg
	python3 titles.py work.svg | grep "^#[0-9]*, 19" >lanes
	stkcat -q -f tsv --only event work-steps.stk | python3 -c "
import csv, datetime, re, sys
events, last = {}, 0
for row in csv.DictReader(sys.stdin, delimiter=\"\t\"):
	at = datetime.datetime.fromisoformat(row[\"time\"].replace(\"Z\", \"+00:00\")).timestamp()
	events.setdefault(int(row[\"activity\"]), []).append((at, {\"start\": 0, \"point\": 1, \"stop\": 2}[row[\"happening\"]]))
	last = max(last, at)
under_way = {}
events.pop(0)
for activity, of in events.items():
	depth = total = 0
	for at, kind in sorted(of):
		if kind == 0: depth += 1; begin = at if depth == 1 else begin
		elif kind == 2 and depth:
			depth -= 1
			total += at - begin if depth == 0 else 0
	under_way[activity] = total + (last - begin if depth else 0)
drawn = {}
for line in open(\"lanes\"):
	number, lasted = re.match(r\"#(\d+), [^,]*(?:, ([^,]*))?\", line).groups()
	size = re.match(r\"([\d.]+)(ms|s|m)?\", lasted or \"0\").groups()
	drawn[int(number)] = drawn.get(int(number), 0) + float(size[0]) * {\"ms\": .001, \"m\": 60, None: 1, \"s\": 1}[size[1]]
longest = sorted(under_way, key=lambda a: -under_way[a])[:12]
assert set(drawn) == set(longest), (sorted(drawn), sorted(longest))
for activity in drawn: assert abs(drawn[activity] - under_way[activity]) < 1.5, (activity, drawn[activity], under_way[activity])
"
	grep -q "5 activities, [0-9.]* s together, are not drawn: lanes are those that took longest" work.svg
	grep -q "2 activities have not ended: they are drawn up to the end of the picture" work.svg
'
check 'groups: what was measured between events is beside what was sampled, in the same colours; also where there are no samples' '
	stkcat --merge -q -f stream some.stk events.stk >together.stk
	stkgroup -q -s mixed.yaml --step 1s -f stream together.stk >mixed.stk
	stkplot groups -q -f term --width 80 --color never mixed.stk >drawn
	stkgroup -q -s mixed.yaml -f tsv events.stk | awk -F "\t" "NR > 1 { printf \"%s %.1f\n\", \$2, \$13 }" >wanted
	grep -q "^io 9.0$" wanted && grep -q "^lock 6.0$" wanted
	sed -n "/^mixed, events$/,\$p" drawn | sed -n "s/^     [a-z] \([a-z]*\)  \([0-9.]*\) s, 1 event, .*/\1 \2/p" | same wanted -
	grep -q "^     a io  24.0 s, 12 samples, 50.0 %$" drawn && grep -q "^     a io  9.0 s, 1 event, 60.0 %$" drawn && grep -q "^     b lock " drawn
	tr "\n" " " <drawn | tr -s " " | grep -q "2 events last until a stop of another name, in the same thread and activity"
	stkplot groups -q -f svg mixed.stk >mixed.svg
	test "$(grep -c "fill=\"#F0E442\" stroke" mixed.svg)" = 2
	grep -q "<title>nap, 2026-03-01 00:00:02, 1500ms</title>\|<title>nap, 2026-03-01 00:00:02, 1.5s</title>" mixed.svg
	stkgroup -q -s mixed.yaml --step 1s -f stream events.stk >only.stk
	test "$(stkcat -f tsv --only scheme only.stk | wc -l)" = 2
	stkplot groups -q -f term --width 80 --color never only.stk >drawn
	grep -q "^most: io, 9.0 s, 1 event, 60.0 %" drawn
	grep -q "^     a io  9.0 s" drawn && grep -q "^     b lock  6.0 s" drawn
	status 1 grep -q sample drawn
'
check 'classes, SVG: totals of all ways are those of stkclass --tree' '
	stkplot classes -o classes.svg classes.stk
	python3 titles.py classes.svg | sed -n "s/^\(.*\)	\([0-9]*\) in all, \([0-9]*\) of its own, \([0-9]*\) in the last dump$/\1	\2	\3	\4/p" >have
	stkclass -q --tree -f tsv dumps.stk | awk -F "\t" "NR > 1 { print \$9 \"\t\" \$5 \"\t\" \$6 \"\t\" \$4 }" >want
	sort have >a
	sort want >b
	same a b
	grep -q "new grew from .* threads per dump at 2026-03-0[78]" classes.svg
'
check 'classes, terminal' '
	stkplot classes -f term --width 80 --color never classes.stk >drawn
	python3 -c "assert max(len(line.rstrip(chr(10))) for line in open(\"drawn\", encoding=\"utf-8\")) <= 80"
	grep -q "^ *[0-9.k]* .*  main" drawn
	tail -3 drawn | tr "\n" " " | grep -q " 2 splits of ways that nobody was on before are not marked"
'
# What goes on as before, and what does not, counted from the dumps: serve parts at dump 10, a at dump 30.
awk 'BEGIN { for (i = 0; i < 40; i++) {
	print "@" 1772323200 + i * 1800 "\nidle;wait 4"
	if (i < 10) print "main;a;serve;old;x 8"; else print "main;a;serve;old;x " (i < 30 ? 3 : 1) "\nmain;a;serve;new 7"; if (i >= 30) print "main;a;late 2" } }' |
	stkcap -q --format folded-dumps - | stkclass -q -f stream >split.stk
cat >lineage <<'X'
2026-03-01 05:00 main to x was one way (8 per dump), split after serve: since then 9.3 per dump come there, 2.3 go on to old, 7 elsewhere
2026-03-01 15:00 main to serve was one way (9.3 per dump), split after a: since then 10 per dump come there, 8 go on to serve, 2 elsewhere
X
check 'classes: what each split after the first dump made of its threads, at a terminal and in SVG' '
	stkcat -f tsv --only split split.stk | tail -n +2 | cut -f 1 | cut -c 1-16 | tr T " " >times
	cut -c 1-16 lineage | same times -
	stkplot classes -q -f term --width 300 --color never split.stk | sed -n "s/^ *! //p" | same lineage -
	stkplot classes -q -f svg split.stk | sed -n "s/.*>\(2026-03-01 ..:..\): \(.* was one way .*\)<\/text>/\1 \2/p" | same lineage -
	stkplot classes -q -f term --width 300 split.stk | grep -q "^4 classes in 40 dumps, 2 splits since; new grew"
'
check 'names are only shown' '
	python3 -c "
names = [\"</title><script>x</script>\", \"a\\x1b[31m\\x07\", \"b\\u202ec\", \"\\\" onload=\\\"x\", \"]]>\", \"\\ufffe\", \"d\\x85\", \"&amp:\", \"y\" * 65536, \"\\u05d0\"]
with open(\"names\", \"w\", encoding=\"utf-8\") as f:
	for i in range(30):
		f.write(\"@%d\\n\" % (1772323200 + i * 900) + \"\".join(\"top;\" + n + \" 7\\n\" for n in names))"
	stkcap -q --format folded-dumps names | stkclass -q -f stream - >names.stk
	stktrend -q -f stream names.stk >names-trend.stk
	stkgroup -q --generate packages names.stk >names.yaml 2>/dev/null || true
	for kind in "trend names-trend.stk" "classes names.stk"; do
		stkplot ${kind% *} -q --title "</title><script>x</script>" -f svg ${kind#* } >names.svg
		python3 -c "
import xml.etree.ElementTree as x
root = x.parse(\"names.svg\").getroot()
assert {e.tag.split(\"}\")[1] for e in root.iter()} <= {\"svg\", \"style\", \"defs\", \"pattern\", \"rect\", \"text\", \"g\", \"title\", \"path\"}
assert not [k for e in root.iter() for k in e.keys() if k.startswith(\"on\")]"
		stkplot ${kind% *} -q -f term --color never --width 80 ${kind#* } >drawn
		python3 -c "
import re
assert not re.search(\"[\\x01-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u202e]\", open(\"drawn\", encoding=\"utf-8\").read())"
	done
'
check 'the same bytes each time, in each form; the form follows the name of the output' '
	for what in "trend trend.stk" "groups groups.stk" "classes classes.stk"; do
		for form in html svg term; do
			stkplot ${what% *} -q -f $form ${what#* } >a
			stkplot ${what% *} -q -f $form ${what#* } >b
			same a b
		done
		stkplot ${what% *} -q -o x.svg ${what#* }
		test "$(head -c 4 x.svg)" = "<svg"
		stkplot ${what% *} -q <${what#* } | head -c 15 | grep -qi "<!doctype html>"
	done
'
check 'nothing, one dump and two: said, and drawn' '
	stkcat -q -S --grep nobody --only sample dumps.stk >nothing.stk
	for what in trend groups classes; do
		for form in html svg term; do
			status 1 stkplot $what -f $form nothing.stk >x 2>err
			grep -q "^stkplot: no .* in the input (expected the output of stk" err
		done
	done
	for dumps in 1 2 3; do
		awk -v n=$dumps "BEGIN { for (i = 0; i < n; i++) { print \"@\" 1772323200 + i * 60; print \"main;a 3\"; print \"main;b 1\" } }" | stkcap -q --format folded-dumps - >few.stk
		stkclass -q -f stream few.stk | stkplot classes -f term --width 60 --color never >out
		grep -q "^2 classes in $dumps dump" out
		stkclass -q -f stream few.stk | stktrend -q -f stream | stkplot trend -f term --width 60 --color never >out
		grep -q "^[1-9] series were followed; no level changed for good" out
		stkclass -q -f stream few.stk | stktrend -q -f stream | stkplot trend -f svg | grep -q "<title>2026-03-01"
		stkgroup -q -s jvm --step 1m -f stream few.stk | stkplot groups -f svg >out
		grep -q "</svg>" out
	done
'
check 'an option without effect is refused' '
	refused() { words=$1; shift; status 2 stkplot "$@" 2>err >out; grep -q -e "$words" err || { cat err; false; }; }
	refused "function has no effect on trend" trend --function x trend.stk
	refused "from has no effect on classes" classes --from 09:00 classes.stk
	refused "scheme has no effect on trend" trend --scheme jvm trend.stk
	refused "max-size has an effect only on -f html" groups -f svg --max-size 1M groups.stk
	refused "width has no effect on -f html" trend -f html --width 80 trend.stk
	refused "width: a picture is at least" trend -f svg --width 80 trend.stk
	refused "title has no effect on -f term" classes -f term --title x classes.stk
	refused "a page without data has" trend --max-size 10k trend.stk
	refused "expected html svg term for groups" groups -f dot groups.stk
'
check 'a page without data is under 40 kB; one with data is not larger than --max-size, and says what it leaves out' '
	test "$(stkplot classes -q nothing.stk 2>/dev/null | wc -c)" -lt 40000
	stkplot trend --max-size 75k -o small.html trend.stk
	test "$(wc -c <small.html)" -le 76800
'
finish
