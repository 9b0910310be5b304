#!/bin/sh
# SPDX-License-Identifier: MIT
# A file of queries: each is answered by the rows that --where, --by and --step give one at a time, and by what some lines of Python count.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

cat >two.yaml <<'END'
scheme: two
groups:
- name: A
  members: [a*]
  children:
  - name: B
    members: [b*]
- name: C
  members: [c*]
END
cat >queries.yaml <<'END'
queries:
- query: all of A
  group: A
- query: often
  having: total >= 30 and total_share > 10% or time > 200ms
- query: one processor
  processor: 1
  process: [t1, "*2"]
  by: process,thread
- query: early
  time: ..1970-01-01T00:16:40.500Z
  where: function = b1 or function = "c*"
  step: 100ms
- query: not grouped
  group: (none)
  thread: t2*
END

# Samples of three processes on three processors, as perf prints them, and what each query is to answer.
cat >make.py <<'END'
import random
random.seed(7)
group_of = {"a1": "A", "b1": "A/B", "b2": "A/B", "c1": "C", "z1": "(none)"}
rows, time = [], 1000.0
for i in range(500):
    time = round(time + random.choice([0.001, 0.002, 0.004]), 6)
    pid = random.choice([11, 12, 13])
    rows.append((time, "t%d" % (pid - 10), pid * 10 + random.choice([1, 2]), random.randrange(3), random.choice([1, 3]), random.choice(sorted(group_of)), pid))
with open("in.txt", "w") as out:
    for time, name, tid, cpu, ms, leaf, pid in rows:
        out.write("%s %d/%d [%03d] %.6f: %d cpu-clock:\n\t2 %s (/bin/x)\n\t1 main (/bin/x)\n\n" % (name, pid, tid, cpu, time, ms * 1000000, leaf))

def answer(query, chosen, wanted, key="-", step="-"):
    whole = sum(r[4] for r in chosen)
    for group in ["A", "A/B", "C", "(none)"]:
        own = [r for r in chosen if group_of[r[5]] == group]
        below = [r for r in chosen if (group_of[r[5]] + "/").startswith(group + "/")]
        ms = sum(r[4] for r in own)
        if below and wanted(group, ms, len(below), sum(r[4] for r in below) / whole):
            print(query, step, key, group, len(own), "%.6f" % (ms / 1000), len(below), "%.6f" % (sum(r[4] for r in below) / whole), sep="\t")

every = lambda *figures: True
answer("all of A", rows, lambda group, *rest: group in ("A", "A/B"))
answer("often", rows, lambda group, ms, total, share: total >= 30 and share > 0.1 or ms > 200)
chosen = [r for r in rows if r[3] == 1 and r[1] in ("t1", "t2")]
for name in sorted(set(r[1] for r in chosen), key=[r[1] for r in chosen].index):
    answer("one processor", [r for r in chosen if r[1] == name], every, key=name + ";" + name)
chosen = [r for r in rows if r[0] < 1000.5 and r[5] in ("b1", "c1")]
for step in sorted(set(int(r[0] * 10 + 1e-6) for r in chosen)):
    answer("early", [r for r in chosen if int(r[0] * 10 + 1e-6) == step], every, step="%.1f" % (step / 10))
answer("not grouped", [r for r in rows if r[1] == "t2"], lambda group, *rest: group == "(none)")
END
python3 make.py >want && stkcap -q in.txt >in.stk

check 'each query is answered as Python counts, and its having and group choose rows without changing them' '
	stkgroup -q -s two.yaml --queries queries.yaml -f tsv in.stk >all.tsv
	test "$(head -n 1 all.tsv | cut -f 1-5 | tr "\t" ,)" = query,from,key,scheme,group
	awk -F "\t" "NR > 1 { printf \"%s\t%s\t%s\t%s\t%d\t%.6f\t%d\t%.6f\n\", \$1, \$2 == \"\" ? \"-\" : sprintf(\"%.1f\", \$2), \$3 == \"\" ? \"-\" : \$3, \$5, \$6, \$9, \$10, \$11 }" all.tsv >got
	test "$(wc -l <want)" -gt 20
	same want got
'
check 'a query gives the rows that its conditions give as options' '
	stkgroup -q -s two.yaml -f tsv --by process,thread --where "(processor = 1) and (process = t1 or process = \"*2\")" in.stk | sed 1d >want1
	sed -n "s/^one processor\t\t//p" all.tsv | same want1 -
	stkgroup -q -s two.yaml -f tsv --step 100ms --where "time in ..1970-01-01T00:16:40.5Z and function = [bc]1" in.stk | sed 1d | tr "\t" " " >want1
	sed -n "s/^early\t//p" all.tsv | sed "s/\t\t/\t/" | tr "\t" " " | same want1 -
	test -s want1
'
check 'into a pipe each row is an object of JSON; people read a table of each query that has rows' '
	stkgroup -q -s two.yaml --queries queries.yaml in.stk >all.json
	python3 -c "
import json, csv
rows = list(csv.DictReader(open(\"all.tsv\"), delimiter=\"\t\"))
said = [json.loads(line) for line in open(\"all.json\")]
assert len(rows) == len(said)
for row, one in zip(rows, said):
    assert list(row) == list(one), one
    assert [row[k] for k in (\"query\", \"group\", \"count\", \"total\")] == [str(one[k]) for k in (\"query\", \"group\", \"count\", \"total\")]
    assert (row[\"key\"] or None) == one[\"key\"] and (row[\"from\"] == \"\") == (one[\"from\"] is None)
"
	printf "queries:\n- {query: few, having: total < 1}\n- {query: C, group: C}\n" >few.yaml
	stkgroup -s two.yaml --queries few.yaml -f text in.stk >got 2>said
	grep -qx "stkgroup: query .few.: no rows" said
	sed -n "s/: .*samples\$//p; s/^  C .*/row/p" got >said
	printf "C\nrow\n" | same - said
'
check 'a subscriber has the rows of a step while the pipe is still open' '
	mkfifo hold rows
	{ cat in.stk; cat hold; } | timeout 60 stkgroup -q -s two.yaml --queries queries.yaml --follow >rows & filter=$!
	exec 7>hold
	{ read -r first; echo "$first" >first; exec 7>&-; cat >rest; } <rows
	wait $filter
	grep -q "\"query\":\"early\",\"from\":\"1000\"" first
	cat first rest | sort >got
	sort all.json | same - got
'
check 'the processor is a condition in every filter' '
	for processor in 0 1 "[02]"; do
		stkcat -q -f ndjson --only sample --where "processor = $processor" in.stk | wc -l >got
		grep -c "\[00$processor\]" in.txt | same - got
	done
	printf "main;a1 3\nmain;b1 2\n" | stkcap -q --format folded -o none.stk -
	for processor in "?" 0; do stkcat -q -f ndjson --only sample --where "processor = $processor" none.stk | wc -l; done >got
	printf "2\n0\n" | same - got
'
check 'a pair has the processor of the last event of its thread: one at a time the processors have what --by processor gives each' '
	printf "groups:\n- {name: P, events: {start: p, stop: q}}\n- {name: R, events: {start: r, stop: s, point: x}}\n" >p.yaml
	python3 -c "
import random
random.seed(3)
for i in range(400):
    name, happening = random.choice([(\"p\", \"start\"), (\"q\", \"stop\"), (\"r\", \"start\"), (\"s\", \"stop\"), (\"x\", \"point\"), (\"\", \"switch-out\"), (\"\", \"switch-in\")])
    print(i, random.choice(\"tuv\"), happening, name, random.choice([\"\", \"7\"]) if happening == \"point\" else \"\", \"\", \"\", random.randrange(3), sep=\"\t\")
" >e.tsv
	stkcap -q --format events e.tsv -o e.stk
	stkgroup -q -s p.yaml --by processor -f tsv e.stk 2>said | sed 1d >want1 || test $? = 1
	test "$(cut -f 1 want1 | sort -u | wc -l)" = 3
	for processor in $(cut -f 1 want1 | uniq); do
		{ stkgroup -q -s p.yaml --where "processor = $processor" -f tsv e.stk 2>said || test $? = 1; } | sed "1d; s/^/$processor\t/"
	done | cut -f 1-4,7,8,11- >got
	cut -f 1-4,7,8,11- want1 | same - got
'
check 'what a file of queries may not say is refused, with its place' '
	try() { printf "$1" >bad.yaml; status 2 stkgroup -q -s two.yaml --queries bad.yaml in.stk 2>said || return 1; grep -F -e "$2" said; }
	try "queries: []\n" "bad.yaml:1:10: expected a list of 1 to 64 queries"
	try "queries:\n- {group: A}\n" "bad.yaml:2:3: expected a map with query: NAME"
	try "queries:\n- {query: x, grop: A}\n" "bad.yaml:2:14: unknown key: expected query, group, process,"
	try "queries:\n- {query: x}\n- {query: x}\n" "bad.yaml:3:3: a query of this name is above"
	try "queries:\n- {query: x, group: Z}\n" "query '"'x'"': no scheme has a group '"'Z'"'"
	try "queries:\n- query: x\n  where: state = idle) or (thread = x\n" "bad.yaml:3:10: --where: at character 13: expected and, or, or the end"
	try "queries:\n- query: x\n  where: group = Z\n" "--where: no scheme has a group"
	try "queries:\n- query: x\n  having: share > 20\n" "bad.yaml:3:11: having: at character 9: expected a percentage such as 20%"
	try "queries:\n- query: x\n  having: time > 3 and\n" "expected a time such as 500ms"
	try "queries:\n- query: x\n  having: load > 3\n" "expected count, weight, share, time,"
	try "queries:\n- query: x\n  having: count >= 3 andcount = 3\n" "expected and, or, or the end"
	try "queries:\n- query: x\n  time: yesterday\n" "expected FROM..TO"
	try "queries:\n- query: x\n  step: 10\n" "bad.yaml:3:9: "
	try "queries:\n- query: x\n  by: cpu\n" "is not one of source, host,"
	for option in "--where thread=x" "--by thread" "--events in.txt" "-f folded" "-f stream" "--report hierarchy" --coverage; do
		status 2 stkgroup -q -s two.yaml --queries queries.yaml $option in.stk
	done
'
finish
