#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot report: what is wrong first, then pictures, in one page without scripts; its words and numbers are those of stkdiag, stkplot states and flame.
. "${0%/*}/lib/tap.sh"
have stkplot python3 zstd || skip_all 'no stkplot, python3 or zstd'

stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" -o orders.stk
stkplot report -q -o report.html orders.stk
# text: what a reader sees of a page
cat >text.py <<'X'
import html, re, sys
page = open(sys.argv[1], encoding="ascii").read()
print(html.unescape(re.sub("<[^>]*>", "", page[page.index("<body>"):])))
X

check 'the findings of stkdiag come first, word by word' '
	python3 text.py report.html >text
	stkdiag -q -f tsv orders.stk >found || test $? = 4
	awk -F "\t" "NR > 1 { print \$8 \".\" }" found >wanted
	test "$(wc -l <wanted)" = 2
	while read -r line; do grep -qF "$line" text; done <wanted
	grep "^warning, blocked, 2026-11-20T23:54:00Z to 23:54:20Z: all 8 threads\|^What threads did" text >order
	head -n 1 order | grep -q "^warning"
	test "$(wc -l <order)" = 2
'
check 'the pictures are those of states and of icicle; under each is a command that runs' '
	grep -o "<title>[^<]*</title>" report.html | tail -n +2 | sort -u >have
	stkplot states -q -f svg orders.stk | grep -o "<title>[^<]*</title>" | sort -u >states
	stkplot icicle -q -f svg orders.stk | grep -o "<title>[^<]*</title>" | sort -u >icicle
	test "$(wc -l <states)" -gt 20 -a "$(wc -l <icicle)" -gt 20
	test -z "$(comm -13 have states)"
	test -z "$(comm -13 have icicle)"
	grep -o "<code>[^<]*" report.html | cut -c 7- >commands
	test "$(wc -l <commands)" = 6
	while read -r command; do (sh -c "$command") >shown 2>&1 || test $? = 4; done <commands
	test -s states.html -a -s icicle.html -a -s diff.html -a -s heat.html
'
check 'functions with most of their own have the numbers of stktree, and when they were counted' '
	python3 -c "
import html, re
page = open(\"report.html\").read()
for self, total, when, name in re.findall(r\"<tr><td class=number>([0-9.]+) %<td class=number>([0-9.]+) %<td class=when>([^<]*)<th scope=row>(.*)\", page):
	print(html.unescape(name), self, total, len(html.unescape(when)) > 24)" >have
	stktree -q -f tsv --report flat orders.stk | awk -F "\t" "NR > 1 { whole += \$2; line[NR] = \$1; own[NR] = \$2; all[NR] = \$3 } END { for (i in line) if (own[i] > 0) printf \"%s %.1f %.1f True\n\", line[i], 100 * own[i] / whole, 100 * all[i] / whole }" >want
	test "$(wc -l <have)" = 11
	while read -r line; do grep -qxF "$line" want || { echo "$line"; false; }; done <have
'
check 'samples over time: a column has as many as its window, and leads to the flame graph of that' '
	python3 -c "
import html, re, subprocess
page = open(\"report.html\").read()
columns = re.findall(r\"<a href=.#(w[0-9]+). aria-label=.([^ ]*)T([^ ]*) to ([^ ]*): ([0-9]+) samples?.>\", page)
assert len(columns) == 12 and sum(int(c[4]) for c in columns) == 440, columns
def run(*words): return subprocess.run([\"stkplot\", \"icicle\", \"-q\", \"-f\", \"svg\", *words, \"orders.stk\"], check=True, capture_output=True).stdout.decode()
def titles(svg): return sorted(html.unescape(t) for t in re.findall(r\"<title>([^<]*)</title>\", svg) if \"all (\" in t or \".\" in t)
for name, day, start, end, count in columns:
	graph = page[page.index(\"<div id=\" + name + \">\"):]
	graph = graph[:graph.index(\"</div>\")]
	wanted = titles(run(\"--window\", day + \"T\" + start + \"..\" + day + \"T\" + end))
	assert titles(graph) == wanted and wanted[-1 if len(wanted) == 1 else 0:] and \"all (\" + count + \" samples, 100%)\" in wanted, (name, titles(graph)[:5], wanted[:5])
	assert re.search(r\"<summary>\" + day + \"T\" + start + \" to \" + end + \": \" + count + r\" samples?, most in [^<]+ \\([0-9.]+ %\\)</summary>\\s*<div id=\" + name + \">\", page), name"
'
check '--max-size: flame graphs of several columns, of none; never larger, and said' '
	stkplot report --max-size 120K -o small.html orders.stk 2>err
	test "$(wc -c <small.html)" -le $((120 << 10))
	grep -q "columns share a flame graph (see --max-size)" err
	python3 text.py small.html | grep -q "a flame graph, which [0-9]* columns share"
	stkplot report --max-size 70K -o least.html orders.stk 2>err
	test "$(wc -c <least.html)" -le $((70 << 10))
	grep -q "no flame graphs of columns" err
	status 1 grep -q "<a \|<div id=w" least.html
	stkplot report --max-size 1K -o less.html orders.stk 2>err
	grep -q "the page has [0-9]* kB" err
	stkplot report -o default.html orders.stk 2>err
	test ! -s err
'
. "$t/lib/hand_dumps.sh"
check 'what was different in the worst finding: the functions of stktree --diff, the picture of stkplot diff' '
	locked_dumps | stkcap -q -o locked.stk -
	stkplot report -q locked.stk >locked.html
	grep -o "<code>stkplot diff [^<]*" locked.html | cut -c 7- >command
	echo "stkplot diff --rate share -o diff.html locked.stk --diff 2026-03-01T09:59:50Z..2026-03-01T10:09:50Z 2026-03-01T10:09:50Z..2026-03-01T10:19:50Z" |
		same command -
	stktree -q -f tsv --report flat locked.stk --diff 10:00..10:09:50 10:09:50..10:20 >rows.tsv
	python3 -c "
import csv, html, re
page = open(\"locked.html\").read()
rows = {row[\"function\"]: row for row in csv.DictReader(open(\"rows.tsv\"), delimiter=\"\t\")}
told = re.findall(r\"<tr><td class=number>([0-9.]+) %<td class=number>([0-9.]+) %<td class=number>([-+0-9.]+)<td>(self|total)<th scope=row>(.*)\", page)
assert len(told) == 3, told
for a, b, points, of, name in told:
	row = rows[html.unescape(name)]
	x, y = float(row[of + \"_a\"]), float(row[of + \"_b\"])
	assert (of == \"total\" or row[\"significant\"] == \"1\") and a == \"%.1f\" % (100 * x) and b == \"%.1f\" % (100 * y) and points == \"%+.1f\" % (100 * (y - x)), (name, row, a, b)
assert \"a.Stock.reserve\" in [name for *_, name in told]"
	sed "s/-o diff.html/-q -f svg/" command >again
	sh again | grep -o "<title>[^<]*</title>" | tail -n +2 | sort -u >wanted
	grep -o "<title>[^<]*</title>" locked.html | sort -u >have
	test "$(wc -l <wanted)" -gt 5
	test -z "$(comm -13 have wanted)"
	grep -q "Finding 1, 2026-03-01T10:09:50Z.*(270 samples), against .* before it (270)\." locked.html
	# what is written on fills is in groups, whose text is black in a dark page, too
	tr "\n" " " <locked.html | grep -q "<g> <rect [^>]*/><text [^>]*>+ more</text> .*>gone</text> </g>"
	for without in "--from 10:10:10 locked.stk" "none.stk"; do
		test "$without" != none.stk || stkcat -q -S --grep nobody locked.stk >none.stk
		stkplot report -q $without | status 1 grep "What was different"
	done
	stkplot report -q - <locked.stk | status 1 grep "What was different"
	stkplot report -q --thread "^w-[12]$" --window 10:05..10:15 locked.stk >part.html
	grep -q "(30 samples), against .* before it (30)\." part.html
'
check 'findings that are the same but for their time are one line; beyond nine lines they are folded, and none is lost' '
	repeated_dumps | stkcap -q -o repeats.stk -
	stkdiag -q -f tsv repeats.stk | cut -f 3 | grep -c stuck | grep -qx 20
	stkplot report -q repeats.stk >repeats.html
	grep -c "<li class=warning>.*; 2 in all, 2026-03-01T10:00:00Z to 10:05:30Z.</li>" repeats.html | grep -qx 10
	sed -n "/<ol class=safe>/,/<.ol>/p" repeats.html | grep -c "<li" | grep -qx 8
	grep -q "<details><summary>[0-9]* more findings</summary>" repeats.html
	sed -n "/<ol class=safe start=9>/,/<.ol>/p" repeats.html | grep -c "; 2 in all" | grep -qx 2
'
check 'groups and trends are there where the stream has their records, as stkplot groups and trend draw them' '
	stkgroup -q -s jvm --step 2s -f stream orders.stk >groups.stk
	stkplot report -q -o groups.html groups.stk
	stkplot groups -q -f svg groups.stk | grep -o "<title>[^<]*</title>" | sort -u >wanted
	grep -o "<title>[^<]*</title>" groups.html | sort -u >have
	test "$(wc -l <wanted)" -gt 5
	test -z "$(comm -13 have wanted)"
	grep -q "<code>stkplot groups -o groups.html groups.stk<" groups.html
	stkclass -q -f stream orders.stk >classes.stk
	stkplot report -q -o classes.html classes.stk
	stkplot classes -q -f svg classes.stk | grep -o "[0-9]* in all, [0-9]* of its own, [0-9]* in the last dump" | sort >wanted
	grep -o "[0-9]* in all, [0-9]* of its own, [0-9]* in the last dump" classes.html | sort >have
	test "$(wc -l <have)" -gt 15
	test -z "$(comm -13 wanted have)"
	python3 text.py classes.html | grep -q " was one way ([0-9.]* per dump), split after "
	grep -q "<code>stkplot classes -o classes.html classes.stk<" classes.html
	status 1 grep -q "<h2>Classes" groups.html
	awk "BEGIN { for (i = 0; i < 400; i++) printf \"%d,heap.used,%d\n\", 1772323200 + i * 1800, 2e9 + 2e6 * i + 1e7 * (i % 7) }" | sed "1i time,metric,value" >heap.csv
	sed -i 1d heap.csv
	stkcap -q heap.csv | stktrend -q --periods day -f stream --limit heap.used=4G >trend.stk
	stkplot report -q -o trend.html trend.stk
	python3 text.py trend.html | grep -q "4.0G is reached on"
	grep -q "<code>stkplot trend -o trends.html trend.stk<" trend.html
	stkplot report -q --window 23:53:55..23:54:05 groups.stk | grep -q "Of the whole input, whatever samples were chosen"
	status 1 grep -q "<h2>Groups\|<h2>Trends" report.html
'
check 'no script, no address; ASCII; the same bytes each time; the title' '
	status 1 grep -qi "<script\|href=.[^#]\|src=\|style=\"\|<style>.*<style>" report.html
	LC_ALL=C status 1 grep -q "[^ -~	]" report.html
	stkplot report -q orders.stk >again
	same report.html again
	stkplot report -q --title "</title><script>x" orders.stk >titled
	status 1 grep -q "<script>" titled
	grep -q "<h1>&#x3C;/title&#x3E;&#x3C;script&#x3E;x</h1>" titled
'
check 'none, one and two dumps' '
	stkcat -q -S --grep nobody orders.stk >none.stk
	stkplot report -q none.stk >none.html
	grep -q "No thread dumps: nothing was looked at" none.html
	for window in 23:53:55..23:53:56 23:53:55..23:53:58; do
		stkplot report -q --window $window orders.stk >few.html
		grep -q "nothing wrong in [12] dump" few.html
	done
'
check '--rules: the findings of stkdiag with these thresholds, also in states and locks, and in the commands' '
	echo "holder-idle: off" >rules.yaml
	stkplot report -q --rules rules.yaml -o strict.html orders.stk
	python3 text.py strict.html >text
	stkdiag -q -f tsv --rules rules.yaml orders.stk >found || test $? = 4
	tail -n +2 found | cut -f 3 | grep -v "^hot$" >rules
	echo blocked | same - rules
	grep -q "^warning, blocked" text
	status 1 grep "holder-idle" text
	grep -c -- "--rules rules.yaml" text | grep -x 2
	for picture in states locks; do
		stkplot $picture -q -f term --width 80 orders.stk | grep -q holder-idle
		stkplot $picture -q -f term --width 80 --rules rules.yaml orders.stk | status 1 grep holder-idle
	done
	status 3 stkplot states --rules missing.yaml orders.stk 2>err
	grep -q "missing.yaml" err
	status 2 stkplot flame --rules rules.yaml orders.stk 2>err
	grep -q "rules has no effect on flame" err
'
check 'a damaged recording: the page says so, and has what is left; one whose capture read bad input, too' '
	status 1 grep "may be incomplete" report.html
	size=$(wc -c <orders.stk)
	head -c $((size - 200)) orders.stk >cut.stk
	status 1 stkplot report -o cut.html cut.stk 2>err
	python3 text.py cut.html | grep -q "^Part of the input was lost (1 place): this report may be incomplete"
	head -c 4000 "$t/../scripts/sample/order-service.jstack.txt.gz" >cut.txt.gz
	status 1 stkcap -q -o part.stk cut.txt.gz 2>err
	stkplot report -q -o part.html part.stk 2>err || test $? = 1
	python3 text.py part.html | grep -q "may be incomplete"
'
check 'and so does the title of every other picture, also a title that was given' '
	stkclass -q orders.stk >classes.stk
	head -c $(($(wc -c <classes.stk) - 200)) classes.stk >cut-classes.stk
	for picture in "flame cut.stk" "icicle cut.stk" "heat cut.stk" "states cut.stk" "locks cut.stk" "diff orders.stk --with cut.stk" "classes cut-classes.stk"; do
		status 1 stkplot $picture -q -o cut.html 2>err
		grep -aq "<title>.*(incomplete: part of the input was lost)</title>" cut.html || { echo "$picture"; false; }
	done
	status 1 stkplot flame -q --title "My day" -o cut.svg cut.stk 2>err
	grep -q "My day (incomplete: part of the input was lost)" cut.svg
	stkplot flame -q --title "My day" -o whole.svg orders.stk
	status 1 grep incomplete whole.svg
'
check 'what has no effect is refused' '
	status 2 stkplot report -f svg orders.stk 2>err
	grep -q "expected html for report" err
	status 2 stkplot report --width 100 -o x.html orders.stk 2>err
	grep -q "width has no effect on report" err
'
finish
