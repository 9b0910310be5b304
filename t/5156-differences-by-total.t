#!/bin/sh
# SPDX-License-Identifier: MIT
# stktree A --diff B for people: a function that only calls is there if its total changed; the numbers are those that programs get.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

# Of 4000 dumps of one thread each: some in `a.leaf`, which two callers call more or less often; `only.in.b` is what b alone calls.
side() {
	awk -v more="$1" 'BEGIN { for (i = 0; i < 4000; i++) { k = i * 7919 % 4000
		printf "@%d\nmain;%s;%s 1\n", 1772355600 + i, k < 1200 + more ? "caller.hot" : k < 3000 ? "caller.less" : "caller.same",
			k % 20 == 0 ? "leaf.self" : k % 3 ? "leaf.park" : "leaf.wait" } }' | stkcap -q --format folded-dumps -
}
side 0 >a.stk
side 900 >b.stk

check 'a function whose total changed, and that has nothing of its own, is shown; the remark says what t is' '
	stktree -f text --width 80 a.stk --diff b.stk >text
	sed -n 2p text | tr -s " " | grep "^ 0 0 30.0 52.5 +22.5 \*t caller.hot$"
	sed "/^  not shown/q" text | tail -2 | head -1 | tr -s " " | grep "^ 0 0 45.0 22.5 -22.5 \*t caller.less$"
	grep "^  t: the difference is that of the total" text
	status 1 grep "caller.same\| main$" text
	awk "{ if (length > 80) exit 1 }" text
	stktree -f text --top 0 a.stk --diff b.stk >all
	grep " caller.same$" all && grep " main$" all'
check 'what has no mark keeps its own difference, and where no total is larger nothing is said of t' '
	grep -E " leaf.(park|wait|self)$" text | sed 1q | grep .
	status 1 grep " t .*leaf\|[*]t .*leaf" text
	printf "@1772355600\na 3\nb 1\n@1772355601\na 3\nb 1\n" | stkcap -q --format folded-dumps -o x.stk -
	printf "@1772355600\na 1\nb 3\n@1772355601\na 1\nb 3\n" | stkcap -q --format folded-dumps -o y.stk -
	stktree -f text x.stk --diff y.stk >flat
	grep " b$" flat && status 1 grep "t: the difference" flat'
cat >compare.py <<'X'
import csv, re, sys
of = {r["function"]: r for r in csv.DictReader(open(sys.argv[1]), delimiter="\t")}
seen = 0
for line in open(sys.argv[2]).read().splitlines()[1:]:
    cells = line.split()
    if len(cells) < 6 or not re.match(r"[-+]?[0-9.]+$", cells[4]):
        continue
    name, r = cells[-1], [v for k, v in of.items() if k == cells[-1]]
    if not r:
        continue
    r, seen = r[0], seen + 1
    shown = [float(c) / 100 for c in cells[:5]]
    exact = [float(r[c]) for c in ("self_a", "self_b", "total_a", "total_b")]
    by_total = cells[-2] in ("t", "*t")
    exact.append(exact[3] - exact[2] if by_total else float(r["delta"]))
    assert all(abs(s - e) <= 0.0006 for s, e in zip(shown, exact)), (line, exact)
    assert by_total or (cells[-2] == "*") == (r["significant"] == "1"), line
    assert abs(exact[1] - exact[0]) <= abs(shown[4]) + 0.0006 or not by_total or "*" in cells[-2], line
assert seen >= 4, seen
X
check 'at 80 columns and at any other the numbers are those of tsv' '
	stktree -f tsv --report flat a.stk --diff b.stk >tsv
	for width in 80 100 200; do stktree -f text --width $width a.stk --diff b.stk >text; python3 compare.py tsv text; done
	. "$t/lib/weeks_of_dumps.sh"
	week_of_dumps 2 1 3 1 | stkcap -q -o week1.stk - && week_of_dumps 9 2 7 3 | stkcap -q -o week2.stk -
	stktree -f tsv --report flat week1.stk --diff week2.stk >tsv
	stktree -f text --width 200 week1.stk --diff week2.stk >text
	sed -i "s/com\.acme\.[a-z.]*\.\([A-Z]\)/\1/" text tsv && python3 compare.py tsv text'
check 'the smallest: nothing, one function, one function on one side' '
	printf "@1772355600\na 1\n" | stkcap -q --format folded-dumps -o one.stk -
	printf "@1772355600\nb 1\n" | stkcap -q --format folded-dumps -o other.stk -
	stktree -q -f text one.stk --diff one.stk >got && grep " a$" got
	stktree -q -f text one.stk --diff other.stk >got && grep " a$" got && grep " b$" got
	status 1 stktree -q -f text one.stk --diff one.stk 2027-01-01.. >got 2>said && grep "no samples there" said'
finish
