#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot flame, icicle and diff: still pictures, drawings for terminals, pages as files.
. "${0%/*}/lib/tap.sh"
have stkplot python3 || skip_all 'no stkplot or python3'

printf 'a;b;c 10\na;b;d 5\na;e 3\nf 2\n' >four.folded
stkcap -q --format folded four.folded >four.stk
stkcap -q "$t/../scripts/sample/order-service.perf.txt.gz" >perf.stk

# places.py FOLDED SVG: frames are where flamegraph.pl puts them: by sorted lines, scaled to 1,180 pixels from 10 on, rounded to a tenth; without those under 0.1
cat >places.py <<'X'
import re, sys, xml.etree.ElementTree as xml
lines = sorted(open(sys.argv[1], encoding="utf-8").read().splitlines())
whole = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
wanted, open_, time = [], [], 0
def close(to):
	while len(open_) > to:
		name, begin = open_.pop()
		if time - begin >= 0.1 / (1180 / whole):
			wanted.append((name, len(open_) + 1, begin, time))
for line in lines:
	path, count = line.rsplit(" ", 1)
	names = path.split(";")
	common = 0
	while common < min(len(names), len(open_)) and open_[common][0] == names[common]:
		common += 1
	close(common)
	open_ += [(name, time) for name in names[common:]]
	time += int(count)
close(0)
wanted.append(("all", 0, 0, whole))
root = xml.parse(sys.argv[2]).getroot()
space = "{http://www.w3.org/2000/svg}"
high = int(root.get("height"))
got = []
# every frame, with where its groups are moved: pixels by the outermost, tenths of pixels and levels by columns
def frames(g, x, level):
	moved = re.match(r"translate\((\d+) (\d+)(\.5\) scale\(\.1 16)?\)$", g.get("transform", "translate(0 0)"))
	x, level = x + int(moved[1]), level + ((int(moved[2]) - 44) // 16 if moved[3] else int(moved[2]))
	if g.find(space + "path") is not None:
		yield g, x, level
	for inner in g.findall(space + "g"):
		yield from frames(inner, x, level)
for g, column, base in (frame for g in root.findall(space + "g") for frame in frames(g, 0, 0)):
	path, title = g.find(space + "path"), g.find(space + "title")
	x, level, width = (int(number) for number in re.match(r"M(\d+) ?(-?\d+)h(\d+)$", path.get("d")).groups())
	x, level = x + column, level + base
	title = title.text
	name, count = re.match(r"(.*) \(([0-9,]+) (?:%s), [0-9.]+%%\)$" % (sys.argv[3] if len(sys.argv) > 3 else "samples"), title, re.S).groups()
	got.append((name, (high - 34 - 36) // 16 - 1 - level, x / 10, width / 10, int(count.replace(",", ""))))
assert len(got) == len(wanted), (len(got), len(wanted))
for have, want in zip(sorted(got), sorted((n, d, round(10 + b * 1180 / whole, 1), round(round(10 + e * 1180 / whole, 1) - round(10 + b * 1180 / whole, 1), 1), e - b) for n, d, b, e in wanted)):
	assert have[:2] == want[:2] and have[4] == want[4], (have, want)
	assert abs(have[2] - want[2]) < 0.11 and abs(have[3] - want[3]) < 0.21, (have, want)
print(len(got))
X

# units_of OPTION-OR-FILE...: what six pictures say that their numbers are of
units_of() {
	stkplot flame -q -f svg "$@" >unit.svg
	stkplot flame -q -f html "$@" >unit-flame.html
	stkplot heat -q -f html "$@" >unit-heat.html
	stkplot flame -f term --color never --width 40 "$@" >unit.flame 2>&1
	stkplot heat -f term --color never --width 60 "$@" >unit.heat 2>&1
	sed -n "s/.*<title>all ([0-9,]* \(.*\), 100%)<.*/\1/p" unit.svg
	sed -n "s/.*call paths under.* ([0-9.]*% of the \(.*\))<.*/\1/p" unit.svg
	grep -aho "\"unit\":\"[^\"]*\"" unit-flame.html unit-heat.html | sed "s/.*:\"\(.*\)\"/\1/"
	tr "\n" " " <unit.flame | sed -n "s/  */ /g; s/.*% of [0-9]* \([^)]*\)).*/\1\n/p"
	tr "\n" " " <unit.heat | sed -n "s/  */ /g; s/.* scale from [0-9]* to [0-9]* \(.*\) $/\1\n/p"
}
check 'numbers have their unit in every picture: samples, what the weights of an event are, or weight where events are mixed' '
	awk "BEGIN { for (i = 0; i < 4000; i++) printf \"a 1 [000] %d.0: %d %s:\n\t%d f%d (x)\n\n\", i, 5 + i % 3, i % 2 ? \"faults\" : \"cycles\", i, i }" | stkcap -q >events.stk
	for case in "events.stk|cycles" "--event faults events.stk|faults" "--samples --event all events.stk|samples" \
		"--event all events.stk|in weight, of several events" "--samples perf.stk|samples" "perf.stk|ns of cpu-clock:pppH"; do
		units_of ${case%|*} | sort | uniq -c >units
		echo "$case: $(cat units)"
		test "$(wc -l <units)" = 1
		grep -Eqx " *[56] ${case#*|}" units
	done
	stkplot flame -q -f svg --samples --event all events.stk | grep -q "<title>all (4,000 samples, 100%)<"
	stkplot flame -f svg --event all events.stk 2>&1 >/dev/null | grep -q "several events are added up, whose weights have different units"
	stkplot report -q -o report.html perf.stk
	grep -q "<title>all ([0-9,]* ns of cpu-clock:pppH, 100%)<" report.html
	grep -q ">2062.569 s to 2062.889 s: 20.2ms of cpu-clock:pppH<" report.html
'
check 'SVG: frames have the titles, places and widths of flamegraph.pl' '
	stkplot flame -q -o four.svg four.stk
	test "$(python3 places.py four.folded four.svg)" = 7
	grep -q "<title>b (15 samples, 75.00%)</title>" four.svg
	grep -q "<title>all (20 samples, 100%)</title>" four.svg
	stkcat -q -f folded perf.stk >with.folded
	stkplot flame -q --by command -o perf.svg perf.stk
	test "$(python3 places.py with.folded perf.svg "ns of cpu-clock:pppH")" -gt 200
'
check 'SVG of many frames: in the same places, in at most half of the bytes of flamegraph.pl' '
	awk "BEGIN { srand(7); for (i = 0; i < 3000; i++) { line = \"start\"
		for (d = 0; d < 2 + 40 * rand(); d++) line = line \";com.acme.shop.Part\" int(rand() * 9) \".call\" int(exp(rand() * 3))
		print line, int(1 + exp(9 * rand())) } }" >many.folded
	stkcap -q --format folded many.folded | stkplot flame -q -o many.svg
	test "$(grep -c "^<g transform=.translate([0-9]* [0-9]*).>" many.svg)" -gt 10
	stkcap -q --format folded many.folded | stkcat -q -f folded >sorted.folded
	test "$(python3 places.py sorted.folded many.svg)" -gt 9000
	# what flamegraph.pl writes for each of these frames
	python3 -c "
import re
text = open(\"many.svg\").read()
peer = sum(len(title) + len(\"<g >\\n<rect x=\\\"597.7\\\" y=\\\"885\\\" width=\\\"0.1\\\" height=\\\"15.0\\\" fill=\\\"rgb(243,178,42)\\\" rx=\\\"2\\\" ry=\\\"2\\\" />\\n<text  x=\\\"600.69\\\" y=\\\"895.5\\\" ></text>\\n</g>\\n\")
	for title in re.findall(\"<title>.*?</title>\", text))
print(len(text), peer, len(text) / peer)
assert len(text) <= peer / 2"
'
check 'SVG: beside its titles a frame takes less than 64 bytes, half of the whole is that of flamegraph.pl at most' '
	python3 -c "
import re
text = open(\"perf.svg\").read()
titles = re.findall(\"<title>.*?</title>\", text)
each = (len(text) - sum(map(len, titles))) / len(titles)
print(each)
assert len(titles) > 200 and each < 64"
'
check 'SVG: an icicle has its root at the top; --width; the title' '
	stkplot icicle -f svg --width 300 --title "<&>" four.stk >icicle.svg
	python3 -c "
import xml.etree.ElementTree as x
root = x.parse(\"icicle.svg\").getroot()
assert root.get(\"width\") == \"300\"
paths = {g[1].text.split(\" \")[0]: g[0].get(\"d\") for g in root.iter() if len(g) == 2 and g[1].tag.endswith(\"title\")}
assert len(paths) == 7 and paths[\"all\"] == \"M100 0h2800\" and paths[\"a\"] == \"M100 1h2520\"
assert [e.text for e in root if e.get(\"class\") == \"t\"] == [\"<&>\"]"
'
check 'SVG: what is too narrow is not drawn, and said' '
	{ echo "a;b 100000000"; echo "c;d 1"; } | stkcap -q --format folded - | stkplot flame -f svg >narrow.svg
	grep -q "2 call paths under 0.1 pixels are not drawn (0.00% of the samples)" narrow.svg
	status 1 grep -q "<title>c" narrow.svg
'
check 'SVG and terminal: names are only shown' '
	python3 -c "
names = [\"</title><script>x</script>\", \"a\\x1b[31m\\x07\", \"b\\u202ec\", \"\\\" onload=\\\"x\", \"]]>\", \"\\ufffe\", \"d\\x85\", \"&amp:\", \"y\" * 65536, \"\\u05d0\"]
open(\"names\", \"w\", encoding=\"utf-8\").write(\"\".join(\"top;\" + n + \" 7\\n\" for n in names))
open(\"names\", \"ab\").write(b\"top;\\xff\\xc0\\x80 9\\n\")"
	stkcap -q --format folded names >names.stk
	stkplot flame -f svg names.stk >names.svg
	python3 -c "
import xml.etree.ElementTree as x
root = x.parse(\"names.svg\").getroot()
assert {e.tag.split(\"}\")[1] for e in root.iter()} == {\"svg\", \"style\", \"rect\", \"path\", \"text\", \"g\", \"title\"}
titles = [t.text for t in root.iter() if t.tag.endswith(\"title\")]
assert len(titles) == 13 and any(t.startswith(\"</title><script>\") for t in titles)"
	for colour in always never; do
		COLORTERM=truecolor stkplot flame -f term --color $colour --width 200 names.stk >drawn
		python3 -c "
import re
text = open(\"drawn\", encoding=\"utf-8\").read()
text = re.sub(r\"\\x1b\\[(0|30;48;2;\\d+;\\d+;\\d+)m\", \"\", text)
assert not re.search(\"[\\x01-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u202e]\", text)"
	done
'
check 'terminal: as wide as was asked for, without colours, with 16, 256, and all' '
	stkplot flame -f term --width 40 --color never four.stk >plain
	cat >wanted <<-\END
		|c                  |d
		|b                            |e
		|a                                  |f
		|all
	END
	same plain wanted
	stkplot icicle -f term --width 40 --color never four.stk | tac >turned
	same turned wanted
	TERM=xterm COLORTERM= stkplot flame -f term --width 40 --color always four.stk | grep -q "\[30;10[0-9]m c  "
	TERM=xterm-256color COLORTERM= stkplot flame -f term --width 40 --color always four.stk | grep -q "\[30;48;5;[0-9]*m c"
	COLORTERM=truecolor stkplot flame -f term --width 40 --color always four.stk | grep -q "\[30;48;2;[0-9;]*m c"
	COLORTERM=truecolor stkplot flame -q -f term --width 60 --color always perf.stk |
		grep -q "^.\[30;48;2;238;41;24m perf-9779.map 48.3% .\[0m .\[30;48;2;[0-9;]*m .kernel.kallsyms. 24.1% .\[0m$"
	stkplot flame -q -f term --width 60 --color never perf.stk | status 1 grep "perf-9779.map"
	stkplot flame -q -f term --width 80 --color never perf.stk >drawn
	awk "length(\$0) > 80 { print; bad = 1 } END { exit bad }" drawn
	grep -q "[0-9] call paths are narrower than a letter and not drawn ([0-9.]*% of" drawn
'
check 'levels in which no name fits are not drawn, and counted; one name that fits is enough' '
	printf "%s\n" "main 39" "main;x1;x2;x3 1" | stkcap -q | stkplot flame -f term --width 40 >drawn
	printf "%s\n" "|main" "|all" "  3 levels have no room for any name and" "  are not drawn: try a greater --width" | same - drawn
	printf "%s\n" "main 39" "main;x1;x2;x3 3" | stkcap -q | stkplot icicle -f term --width 40 >drawn
	status 1 grep "no room" drawn
	grep "|x3" drawn
'
check 'terminal: a frame of 2 to 4 columns has its whole name or none, a wider one the first letters' '
	printf "%s\n" "one 1" "a_long_name_of_two 2" "of_three 3" "of_four 4" "of_five 5" "io 3" "gc 2" "broad 20" |
		stkcap -q --format folded - >narrow.stk
	stkplot flame -f term --width 40 --color never narrow.stk >drawn
	same drawn - <<-\END
		| |broad              | |io|of_~|   |  |
		|all
	END
	COLORTERM=truecolor stkplot flame -f term --width 40 --color always narrow.stk |
		sed "s/\x1b\[30;[0-9;]*m./|/g; s/\x1b\[0m//g; s/ *\$//" >coloured
	sed "s/ *\$//" drawn | same coloured -
'
check 'the same bytes each time; the form follows the name of the output' '
	for form in html svg term; do
		stkplot flame -q -f $form perf.stk >a
		stkplot flame -q -f $form perf.stk >b
		same a b
	done
	stkplot flame -q -o x.svg four.stk
	test "$(head -c 4 x.svg)" = "<svg"
	stkplot flame -q <four.stk | head -c 15 | grep -qi "<!doctype html>"
'
check 'none and one sample' '
	stkcat -q -S --grep nobody four.stk >none.stk
	stkplot flame -f svg none.stk | grep -q "no samples"
	stkplot flame none.stk >none.html
	stkplot flame -f term none.stk 2>err >out
	test ! -s out
	grep -qx "stkplot: no samples" err
	printf "main 1\n" | stkcap -q --format folded - | stkplot flame -f term --color never --width 40 >out
	printf "|main\n|all\n" >wanted
	same out wanted
'
check 'an option without effect is refused' '
	refused() { words=$1; shift; status 2 stkplot "$@" 2>err >out; grep -q -e "$words" err || { cat err; false; }; }
	refused "function has no effect on flame" flame --function x four.stk
	refused "by has no effect on graph" graph --by pool four.stk
	refused "with has no effect on flame" flame --with x four.stk
	refused "max-size has an effect only on -f html" flame -f svg --max-size 1M four.stk
	refused "width has no effect on -f html" flame -f html --width 80 four.stk
	refused "title has no effect on -f term" flame -f term --title x four.stk
	refused "diff: expected what is compared with what" diff four.stk
	refused "compared with itself" diff four.stk --with four.stk
	refused "expected html svg term for flame" flame -f dot four.stk
	refused "a page without data has" flame --max-size 10k four.stk
	refused "nothing" flame --by nothing four.stk
	refused "nothing" flame --scheme nothing four.stk
	refused "expected flame, icicle, " picture
'
check 'a page without data is under 40 kB; with 200,000 call paths under 2 MB, and says what is not kept apart' '
	test "$(stkplot flame none.stk | wc -c)" -lt 40000
	awk "BEGIN { for (i = 0; i < 200000; i++) printf \"m%d;f%d;g%d;h%d %d\\n\", i % 7, i % 311, i % 7919, i, 1 + i % 3 }" >many.folded
	stkcap -q --format folded many.folded >many.stk
	stkplot flame -o many.html many.stk 2>err
	test "$(wc -c <many.html)" -lt 2097152
	grep -q "call paths with fewer than [0-9]* of 399999 samples are shown as (rest)" err
'
check '--palette: each fill but those of heat carries black text at 4.6, pages have the same as still pictures, and those of comparisons are there' '
	cd "$t/.."
	python3 - <<-\X
		import re
		line = lambda p: p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4
		bright = lambda fill: sum(k * line(int(fill[i:i + 2], 16) / 255) for k, i in ((0.2126, 0), (0.7152, 2), (0.0722, 4)))
		contrast = lambda fill: (bright(fill) + 0.05) / 0.05
		table = open("lib/plot/palette.c").read()
		of = lambda name: re.findall(r"\{ 0x([0-9A-F]{6}),", re.search(name + r"\[PALETTE.*?\n\};", table, re.S)[0])
		modules, groups, steps, chances, heats = map(of, ("modules", "safe_groups", "steps", "chances", "heats"))
		looks = re.findall(r"\{ 0x([0-9A-F]{6}),", open("lib/plot/thread_looks.c").read())
		fills = modules + groups + steps + chances + of("others") + of("alarms") + looks
		assert len(fills) == 3 * (12 + 11 + 1 + 1 + 2 + 18) + 21 and min(map(contrast, fills)) >= 4.6, min(map(contrast, fills))
		assert len(heats) == 30 and groups[:12] == modules[:12]
		for at, dark in (0, 5), (10, 4), (20, 5):
		    light = list(map(bright, heats[at:at + 10]))
		    assert light == sorted(light) and contrast(heats[at + dark]) >= 4.6 and 1.05 / (light[dark - 1] + 0.05) >= 4.6
		lines = re.findall(r"\"([0-9A-F]{6})\"", re.search(r"palette_lines lines.*?\n\};", table, re.S)[0])
		assert len(lines) == 18
		behind = [bright("FFFFFF"), bright("16181D")]
		for at, fill in enumerate(lines):
		    a, b = sorted((bright(fill), behind[at // 3 % 2]))
		    assert (b + 0.05) / (a + 0.05) >= 3, fill
		safe = [modules[:12], steps[6:11], steps[4::-1], [steps[5], chances[0]], heats[:10], groups[12:]]
		script = open("lib/plot/page/page_colours.js").read().replace("\\\n", "")
		assert re.search(r"SAFE = .(.*?).;", script)[1] == "|".join(" ".join(part) for part in safe)
	X
	cd - >/dev/null
	stkplot flame -q four.stk -f svg >plain
	stkplot flame -q --palette safe four.stk -f svg >safe
	same plain safe
	stkplot flame -q --palette grey four.stk -f svg | grep -o "stroke=\"#......\"" | sort -u >used
	status 1 grep -v "#\(..\)\1\1\"" used
	test -s used
	stkplot flame -q --palette warm four.stk -f html | grep -aq "\"palette\":\"FFE97A FFD24D"
	printf "a 1000\nf 1000\n" | stkcap -q --format folded - >even.stk
	printf "a 100\nf 1900\n" | stkcap -q --format folded - >uneven.stk
	COLORTERM=truecolor stkplot diff even.stk --diff uneven.stk --palette warm -f term --color always --width 60 >drawn
	grep -q "48;2;255;82;82m|f" drawn && grep -q "48;2;122;122;255m|a" drawn
	status 2 stkplot graph -f term --palette grey four.stk 2>err
	grep -q "no effect on -f term" err
	status 2 stkplot flame -f term --color never --palette grey four.stk 2>err
	grep -q "no effect without colours" err
'
check 'scripts of pages never make code or markup of text' '
	cd "$t/../lib/plot/page"
	status 1 grep -nE "innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|setTimeout\([\"\x27]|\.on[a-z]+ ?=[^=]|javascript:" *.js
	status 1 grep -nE "[[:space:]](on[a-z]+|style)=|https?:" *.html
	status 1 grep -nE "url\(|@import" *.css
	for file in *.js; do sed -n 2,4p "$file" | grep -q "use strict" || { echo "$file: not strict"; false; }; done
'
finish
