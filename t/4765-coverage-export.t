#!/bin/sh
# SPDX-License-Identifier: MIT
# stkpath coverage -f lcov, -f json: counts of calls, lines and branches by hand, and beside those of another instrumentation.
. "${0%/*}/lib/tap.sh"
. "$t/lib/probed.sh"

cat >steps.c <<'END'
int twice(int x)
{
	if (x > 2)
		return x;
	return 2 * x;
}
int never(int x)
{
	if (x) return 1;
	return 2;
}
int sum(int n)
{
	int s = 0;
	for (int i = 0; i < n;
	     i++)
		switch (i % 4) {
		case 0:
			s += twice(i);
			break;
		case 3:
			continue;
		default:
			s++;
		}
	while (s > 100)
		s -= 100;
	return s;
}
int main(void)
{
	return sum(10) + sum(0) == 99;
}
END
# run SOURCE METHOD: its records in counts.stk
run() {
	assembly program "$1"
	plain program
	probed program --method "$2"
}

check 'each line where a block begins, each way out of a block, by hand' '
	run steps.c epp
	stkpath coverage -f lcov counts.stk >lcov 2>said
	test ! -s said
	grep "^FN" lcov >functions
	same - functions <<-END
	FN:1,twice
	FN:7,never
	FN:12,sum
	FN:32,main
	FNDA:3,twice
	FNDA:0,never
	FNDA:2,sum
	FNDA:1,main
	FNF:4
	FNH:3
	END
	grep "^DA" lcov >lines
	# twice of 0, 4, 8; the loop is tested 11 times and once, and goes 10 rounds: 0 4 8, 3 7, and five others
	for line in 1,3 4,2 5,1 6,3 7,0 12,2 15,12 16,10 17,10 19,3 22,2 24,5 25,8 26,2 27,0 28,2 32,1; do
		grep -qx "DA:$line" lines || { echo "no $line"; cat lines; false; }
	done
	for way in "1,.*,1" "1,.*,2" "17,.*,3" "17,.*,2" "17,.*,5" "15,.*,10" "15,.*,2"; do
		grep -qx "BRDA:$way" lcov || { echo "no $way"; grep BRDA lcov; false; }
	done
	grep -qx "BRDA:7,[0-9]*,[01],-" lcov
	test "$(sed -n "s/^LF://p" lcov)" -eq "$(grep -c ^DA lcov)"
	test "$(sed -n "s/^LH://p" lcov)" -eq "$(grep ^DA lcov | grep -vc ,0\$)"
	test "$(sed -n "s/^BRF://p" lcov)" -eq "$(grep -c ^BRDA lcov)"
	test "$(tail -1 lcov)" = end_of_record
'
check 'coverage without prime paths: lines, branches, blocks and edges by hand, by function and file; the sums are those of lcov' '
	stkpath coverage counts.stk 2>said | cut -f 1,3- >got
	sort got >sorted
	# of 24 lines of code, 20 where a block begins
	sort <<-END | same - sorted
	function	lines	lines_taken	branches	branches_taken	blocks	blocks_taken	edges	edges_taken	edges_unknown
	never	4	0	2	0	4	0	5	0	0
	sum	11	10	7	6	12	11	16	14	0
	main	1	1	0	0	1	1	1	1	0
	twice	4	4	2	2	4	4	5	5	0
	END
	sed -n 2p got | grep -q ^never
	grep -q "3 of 4 functions were called; 15 of 20 lines, 8 of 11 branches, 16 of 21 blocks and 20 of 27 edges were taken" said
	stkpath coverage -q --by file counts.stk | cut -f 2-7 | sed 1d >got
	echo $(sed -n "s/^\(FNF\|FNH\|LF\|LH\|BRF\|BRH\):/\1 /p" lcov) | awk "{ for (i = 1; i < NF; i += 2) n[\$i] = \$(i + 1); print n[\"FNF\"], n[\"FNH\"], n[\"LF\"], n[\"LH\"], n[\"BRF\"], n[\"BRH\"] }" | tr " " "\t" | same - got
	stkpath coverage -q -f text --by folder counts.stk | grep -qE "^ +75.0% +15 +20 +8 +11 +16 +21 +20 +27 +4  $(pwd -P)\$"
	status 4 stkpath coverage -q --fail-under 1 counts.stk
'
check 'by whole paths the same' '
	cp lcov by_epp
	run steps.c pap
	stkpath coverage -q -f lcov counts.stk | same by_epp -
'
check 'two runs together count twice' '
	run steps.c epp
	cat counts.stk counts.stk >both
	stkpath coverage -q -f lcov both >lcov
	sed -n "s/^\(FNDA\|DA\):\(.*\)/\2/p" lcov | awk -F, "{ n = /^[0-9]/ ? \$2 : \$1; sum += n } END { print sum }" >twice
	sed -n "s/^\(FNDA\|DA\):\(.*\)/\2/p" by_epp | awk -F, "{ n = /^[0-9]/ ? \$2 : \$1; sum += n } END { print 2 * sum }" | same - twice
'
if have python3; then
check 'JSON has the same figures' '
	run steps.c epp
	stkpath coverage -q -f json counts.stk >json
	python3 -c "
import json
one = json.load(open(\"json\"))
files = one[\"files\"]
assert len(files) == 1, files
lines = {line[\"line\"]: line[\"count\"] for line in files[0][\"lines\"]}
want = dict(tuple(map(int, row[3:].split(\",\"))) for row in open(\"by_epp\") if row.startswith(\"DA:\"))
assert lines == want, (lines, want)
by_name = {f[\"name\"]: f for f in files[0][\"functions\"]}
assert by_name[\"sum\"][\"calls\"] == 2 and by_name[\"never\"][\"blocks_taken\"] == 0
assert by_name[\"twice\"][\"blocks_taken\"] == by_name[\"twice\"][\"blocks\"]
assert all(f[\"edges_taken\"] + f[\"edges_unknown\"] <= f[\"edges\"] for f in by_name.values())
"
'
else
skip 'no python3' 'JSON has the same figures'
fi
if have python3; then
check 'Cobertura has the figures of lcov, by folder and file; functions of util.c in two folders are told apart, those of a header are one' '
	mkdir -p src/a src/b
	printf "static inline int both(int x)\n{\n\tif (x > 5)\n\t\tx = 5;\n\treturn x;\n}\n" >src/both.h
	for name in a b; do
		printf "#include \"../b/../both.h\"\nstatic int pick(int x)\n{\n\tif (x > 1)\n\t\treturn both(x);\n\treturn 0;\n}\nint $name(int x) { return pick(x); }\n" >src/$name/util.c
		(cd src/$name && assembly util util.c && stkpath instrument -q util.ll -o probed.ll && clang -w -c probed.ll -o util.o)
	done
	echo "int a(int), b(int); int main(void) { return a(7) + a(2) + b(0) != 7; }" >src/main.c
	assembly main src/main.c && stkpath instrument -q main.ll -o probed.ll
	clang -w probed.ll src/a/util.o src/b/util.o "$runtime" -lpthread -o util
	rm -f counts.stk; STKPATH_FILE=counts.stk ./util
	stkpath coverage -q -f cobertura counts.stk >xml
	stkpath coverage -q -f lcov counts.stk >lcov
	python3 -c "
import os, xml.etree.ElementTree as tree
root = tree.parse(\"xml\").getroot()
place = root.find(\"sources/source\").text
assert os.path.realpath(place) == os.path.realpath(\"src\"), place
lines, branches, files = {}, [0, 0], []
for package in root.iter(\"package\"):
    for file in package.iter(\"class\"):
        name = file.get(\"filename\")
        files.append((package.get(\"name\"), name, sorted(m.get(\"name\") for m in file.iter(\"method\"))))
        for line in file.find(\"lines\"):
            lines[place + \"/\" + name, int(line.get(\"number\"))] = int(line.get(\"hits\"))
            if line.get(\"branch\") == \"true\":
                taken, found = line.get(\"condition-coverage\").split(\"(\")[1].rstrip(\")\").split(\"/\")
                branches[0] += int(taken)
                branches[1] += int(found)
assert files == [(\".\", \"both.h\", [\"both\"]), (\".\", \"main.c\", [\"main\"]), (\"a\", \"a/util.c\", [\"a\", \"pick\"]), (\"b\", \"b/util.c\", [\"b\", \"pick\"])], files
want, file, way = {}, None, [0, 0]
for row in open(\"lcov\"):
    key, _, rest = row.strip().partition(\":\")
    if key == \"SF\": file = rest
    if key == \"DA\": want[file, int(rest.split(\",\")[0])] = int(rest.split(\",\")[1])
    if key == \"BRH\": way[0] += int(rest)
    if key == \"BRF\": way[1] += int(rest)
assert lines == want, (lines, want)
assert branches == way == [int(root.get(\"branches-\" + k)) for k in (\"covered\", \"valid\")], (branches, way)
assert (sum(n > 0 for n in lines.values()), len(lines)) == (int(root.get(\"lines-covered\")), int(root.get(\"lines-valid\")))
assert branches == [4, 6], branches
assert lines[place + \"/both.h\", 1] == 2 and lines[place + \"/a/util.c\", 5] == 2 and lines[place + \"/b/util.c\", 5] == 0
"
'
else
skip 'no python3' 'Cobertura has the figures of lcov'
fi
if have llvm-cov; then
check 'beside the counters of clang: equal calls, and equal lines of all calls that ended' '
	run "$t/data/shapes.c" epp
	stkpath coverage -q -f lcov counts.stk >lcov
	cp "$t/data/shapes.c" .
	clang --coverage -g -O0 -w shapes.c -lm -o counted && { ./counted >/dev/null || :; }
	llvm-cov gcov -f counted-shapes.gcda shapes.gcda >/dev/null 2>&1 || llvm-cov gcov shapes.c >/dev/null
	awk -F: "{ gsub(/[ *]/, \"\", \$1); gsub(/ /, \"\", \$2); if (\$1 != \"-\" && \$2 > 0) print \$2, (\$1 == \"#####\" ? 0 : \$1) }" shapes.c.gcov | sort >theirs
	sed -n "s/^DA:\(.*\),/\1 /p" lcov | sort >ours
	join theirs ours >both
	test "$(wc -l <both)" -gt 60
	# more by clang: of a line within a block (31, 52), and of calls that longjmp or exit left
	awk "\$3 > \$2" both | same /dev/null -
	# 8 of 11 branches, as above
	clang --coverage -w steps.c -o counted && ./counted
	llvm-cov gcov -b steps.c | grep -qx "Taken at least once:72.73% of 11"
	test "$(awk "\$2 == \$3" both | wc -l)" -ge "$(($(wc -l <both) - 14))"
'
else
skip 'no llvm-cov' 'beside the counters of clang: equal calls, and equal lines of all calls that ended'
fi
if have lcov; then
check 'lcov reads it' '
	lcov --summary by_epp >summary 2>&1
	grep -q "3 of 4 functions" summary
'
else
skip 'no lcov' 'lcov reads it'
fi
check 'what cannot be known is left out and said: prime paths, chosen paths' '
	run steps.c epp
	probed program --method ac --prime
	status 1 stkpath coverage -f lcov counts.stk 2>err >out
	grep -q "left out: 4 functions whose prime paths were counted" err
	test ! -s out
	stkpath cfg program.ll --function sum >sum.yaml
	stkpath paths -q -g sum.yaml --random 1 >one.yaml
	stkpath plan -q -g sum.yaml -p one.yaml -m psp2 -o sum.plan
	probed program sum.plan
	status 1 stkpath coverage -f lcov counts.stk 2>err
	grep -q "left out: 1 functions of which only paths of interest were counted" err
'
check 'options without effect are refused' '
	for wrong in "coverage -f lcov --function sum" "coverage -f json --fail-under 80" "run -f lcov" "coverage --plan x -f json" "coverage -f xml"; do
		status 2 stkpath $wrong counts.stk 2>err
		test -s err
	done
'
finish
