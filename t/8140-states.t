#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot states: what each thread did over time, as a still picture and as text; its numbers are those of stkcat and stkdiag.
. "${0%/*}/lib/tap.sh"
have stkplot python3 zstd || skip_all 'no stkplot, python3 or zstd'

stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" -o orders.stk

# counts.py TSV SVG: the samples of each state by thread and by pool, as stkcat lists them, are those of the titles
cat >counts.py <<'X'
import collections, csv, re, sys, xml.etree.ElementTree as xml
rows = csv.DictReader(open(sys.argv[1]), delimiter="\t", quoting=csv.QUOTE_NONE)
thread, pool = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
for row in rows:
	thread[row["thread"]][row["state"]] += 1
	pool[re.sub("[0-9]+$", "*", row["thread"])][row["state"]] += 1
root, seen = xml.parse(sys.argv[2]).getroot(), 0
space = "{http://www.w3.org/2000/svg}"
for g in root.iter(space + "g"):
	title = g.find(space + "title")
	got = title is not None and re.match(r"(.*?)( \([0-9]+\))?, ([0-9]+) samples?: (.*)$", title.text)
	if not got:
		continue
	have = collections.Counter()
	for count, state in re.findall(r"([0-9]+) ([a-z-]+)", got[4]):
		have[state] += int(count)
	want = pool[got[1]] if got[2] else thread[got[1]]
	assert have == want and sum(want.values()) == int(got[3]), (title.text, want)
	seen += 1
print(seen)
X

check 'SVG: samples by state are those of stkcat, of threads and of pools' '
	stkplot states -q -o orders.svg orders.stk
	stkcat -q -f tsv --only sample orders.stk >orders.tsv
	test "$(python3 counts.py orders.tsv orders.svg)" -ge 12
	grep -q "<title>http-worker-\* (8), 96 samples: " orders.svg
'
check 'SVG: findings are those of stkdiag: rule, times, threads, samples, time lost' '
	stkdiag -q -f tsv orders.stk >found || test $? = 4
	awk -F "\t" "NR > 1 { printf \"%s, %s: %s, %s to %s, %d threads, %d samples, %.1f s lost\n\", \$4, \$3, \$5, \$1, substr(\$2, 12), \$6, \$7, \$10 }" found >wanted
	test "$(wc -l <wanted)" = 2
	while read -r line; do grep -qF "<title>$line" orders.svg || { echo "$line"; false; }; done <wanted
'
. "$t/lib/hand_dumps.sh"
# A thread that stands thrice for six dumps, and works in between; and one that works.
for i in $(seq 0 29); do
	begin $((i * 30))
	if test $((i % 10)) -lt 6; then thread job-1 1 RUNNABLE $((10 + i / 10)) app.Db.read app.Job.run
	else thread job-1 1 RUNNABLE $((10 + i * 100)) "app.Job.step$i" app.Job.run; fi
	thread other 2 RUNNABLE $((i * 1000)) "app.Other.a$i" app.Other.run
done >repeats.txt
stkcap -q repeats.txt -o repeats.stk
check 'findings that are the same but for their time share a line, with a mark for each' '
	stkdiag -q -f tsv repeats.stk >found || test $? = 4
	test "$(wc -l <found)" = 4
	stkplot states -q -f svg repeats.stk >repeats.svg
	awk -F "\t" "NR > 1 { printf \"%s, %s: %s, %s to %s, %d threads, %d samples, %.1f s lost\n\", \$4, \$3, \$5, \$1, substr(\$2, 12), \$6, \$7, \$10 }" found |
		while read -r line; do grep -qF "<title>$line" repeats.svg || { echo "$line"; exit 1; }; done
	grep -c "fill=\"#FCC17C\"" repeats.svg | grep -qx 3
	grep -c ">1 x3 stuck: job-" repeats.svg | grep -qx 1
	stkplot states -q -f term --color never --width 120 repeats.stk >drawn
	head -n 2 drawn | tr "\n" " " | grep -q "^1 warning, stuck, 2026-03-01T10:00:00Z to 10:02:30Z: job-1 stands in app.Db.read.*; 3 in all, 2026-03-01T10:00:00Z to 10:12:30Z. $"
	grep -qx "1 x3 stuck  *--*  *--*  *--*" drawn
'
check 'a selection draws what it selects; holders of others are not lost' '
	stkplot states -q -f svg --thread "^http-worker-[12]$" orders.stk >two.svg
	stkcat -q -f tsv --only sample --thread "^http-worker-[12]$" orders.stk >two.tsv
	test "$(python3 counts.py two.tsv two.svg)" = 3
	stkplot states -q -f svg --window 23:54:08..23:54:12 orders.stk >part.svg
	stkcat -q -f tsv --only sample --window 23:54:08..23:54:12 orders.stk >part.tsv
	test "$(python3 counts.py part.tsv part.svg)" -ge 3
'
check 'terminal: what is wrong first, then a line a finding, then threads; small letters wait for work' '
	stkplot states -q -f term --color never --width 80 orders.stk >drawn
	awk "length(\$0) > 80 { print; bad = 1 } END { exit bad }" drawn
	head -n 1 drawn | grep -q "^1 warning, blocked, 2026-11-20T23:54:00Z to 23:54:20Z: all 8 threads of"
	grep -qx "1 blocked  *-*" drawn
	grep -qx "http-worker-\* (8) *U*B*U*B*U*B*" drawn
	grep -qx "  http-worker-2 *U*w*B*w*U*w*B*U*B*" drawn
	grep -qx "stock-recount *T*" drawn
	grep -qx "[0-9]* threads only waited for work" drawn
	grep -q "^12 dumps, 78 threads, 2026-11-20T23:53:55Z to 23:54:20Z.$" drawn
	stkplot states -q -f term --color never --width 40 orders.stk >narrow
	awk "length(\$0) > 40 { print; bad = 1 } END { exit bad }" narrow
	TERM=xterm COLORTERM= stkplot states -q -f term --color always orders.stk | grep -q "\[30;101mB"
	TERM=xterm-256color COLORTERM= stkplot states -q -f term --color always orders.stk | grep -q "\[30;48;5;203mB"
	COLORTERM=truecolor stkplot states -q -f term --color always orders.stk | grep -q "\[30;48;2;238;102;119mB"
'
check 'none, one and two dumps' '
	stkcat -q -S --grep nobody orders.stk >none.stk
	stkplot states -f term none.stk >out 2>err
	test ! -s out
	grep -qx "stkplot: no thread dumps" err
	stkplot states -q -f svg none.stk | grep -q "no thread dumps"
	for window in 23:53:55..23:53:56 23:53:55..23:53:58; do
		stkplot states -q -f svg --window $window orders.stk >few.svg
		stkcat -q -f tsv --only sample --window $window orders.stk >few.tsv
		test "$(python3 counts.py few.tsv few.svg)" -ge 4
		stkplot states -q -f term --window $window orders.stk | grep -q "^http-worker"
	done
'
check 'samples of a profiler are not of dumps, which is said' '
	printf "main;f 3\n" | stkcap -q --format folded - | stkplot states -f term 2>err >out
	grep -q "of a profiler, not of thread dumps: states and locks do not have them" err
'
check 'a gap in the dumps is a gap in the picture' '
	stkcat -q -S --window 23:53:55..23:54:02 orders.stk >a.stk
	stkcat -q -S --window 23:54:14..23:54:21 orders.stk >b.stk
	stkplot states -q -f term --color never --width 100 a.stk b.stk >drawn
	grep -qx "http-worker-\* (8) *[A-Za-z]*  *[A-Za-z]*" drawn
'
check 'names are only shown' '
	python3 -c "
names = [\"</title><script>x</script>\", \"a\\x1b[31m\\x07\", \"b\\u202ec\", \"]]>\", \"\\ufffe\", \"d\\x85\", \"&amp;\", \"y\" * 65536, \"\\u05d0\", \"\"]
text = \"\"
for second in range(3):
	text += \"2026-01-01 00:00:0%d\\nFull thread dump OpenJDK 64-Bit Server VM (21 mixed mode):\\n\\n\" % second
	for number, name in enumerate(names):
		text += \"\\\"%s\\\" #%d prio=5 tid=0x%x nid=0x%x runnable\\n   java.lang.Thread.State: RUNNABLE\\n\\tat a.b.C.d(C.java:1)\\n\\n\" % (name.replace(\"\\\"\", \"\"), number + 1, number + 1, number + 1)
open(\"names\", \"w\", encoding=\"utf-8\").write(text)"
	stkcap -q --format thread-dump names >names.stk
	stkplot states -q -f svg --title "<&>" names.stk >names.svg
	python3 -c "
import xml.etree.ElementTree as x
root = x.parse(\"names.svg\").getroot()
assert {e.tag.split(\"}\")[1] for e in root.iter()} <= {\"svg\", \"style\", \"rect\", \"text\", \"g\", \"title\", \"line\"}
assert any(t.text.startswith(\"</title><script>x\") for t in root.iter() if t.tag.endswith(\"title\"))"
	for colour in always never; do
		COLORTERM=truecolor stkplot states -q -f term --color $colour --width 200 names.stk >drawn
		python3 -c "
import re
text = open(\"drawn\", encoding=\"utf-8\").read()
text = re.sub(r\"\\x1b\\[(0|30;48;2;\\d+;\\d+;\\d+)m\", \"\", text)
assert not re.search(\"[\\x01-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u202e]\", text)"
	done
'
make=${BUILD:-}/t/tools/make_incidents
if test -x "$make"; then
	check 'a day of 2,880 dumps is as large as its pixels; what one part of the time stands for is said' '
		"$make" 11 truth 2880 30 4 1772352000 | stkcap -q -o day.stk -
		stkplot states -q -o day.svg day.stk
		test "$(wc -c <day.svg)" -lt 1000000
		grep -q "What a thread did for most of 4m27s is shown" day.svg
		stkplot states -q -f term --color never --width 80 day.stk >drawn
		tr "\n" " " <drawn | grep -q "What a thread did for most of 26m40s is shown"
		grep -qx "  http-nio-8080-exec-1  *TBB.*" drawn
	'
else
	skip 'no make_incidents: run by make check' 'a day of 2,880 dumps is as large as its pixels; what one part of the time stands for is said'
fi
check 'an option without effect is refused; the same bytes each time' '
	refused() { words=$1; shift; status 2 stkplot "$@" 2>err >out; grep -q -e "$words" err || { cat err; false; }; }
	refused "with has no effect on states" states --with x orders.stk
	refused "by has no effect on states" states --by pool orders.stk
	refused "samples has no effect on states" states --samples orders.stk
	refused "title has no effect on -f term" states -f term --title x orders.stk
	refused "at least 600 pixels wide" states -f svg --width 100 orders.stk
	refused "max-size has an effect only on -f html" states -f svg --max-size 1M orders.stk
	for form in svg term; do
		stkplot states -q -f $form orders.stk >a
		stkplot states -q -f $form orders.stk >b
		same a b
	done
'
finish
