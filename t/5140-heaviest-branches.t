#!/bin/sh
# SPDX-License-Identifier: MIT
# A call tree for people is cut by weight: nothing that is left out is heavier than anything that is shown, and each sum says what was left out.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

# A day with a deep stack of 1.0 % among others as light, whose names come first, and a pool of 3.4 % that has the last name.
{
	deep=main
	for n in $(seq 60); do deep="$deep;aaa.Deep.f$n"; done
	echo "$deep 10"
	for n in $(seq 45); do echo "aaa.Light$n.run;aaa.Light$n.go;aaa.Light$n.end 10"; done
	echo "main;serve 492"
	for n in $(seq 6); do echo "zzz.ForkJoinPool.scan;zzz.ForkJoinPool.work$n 2"; done
	echo "zzz.ForkJoinPool.scan;zzz.ForkJoinPool.park 22"
	echo "other 14"
} >day.txt
stkcap -q --format folded -o day.stk day.txt

check 'what is heavy is shown, however deep the light stacks before it are' '
	stktree -q -f text day.stk >got
	grep -E "^ +34 +3\.4 +0  zzz.ForkJoinPool.scan$" got
	grep -E "^ +22 +2\.2 +22    zzz.ForkJoinPool.park$" got
	stktree -q -f text --top 3 day.stk >got
	test "$(grep -cE "^ +[0-9]+ +[0-9.]+ +[0-9]+  +[a-z]" got)" -eq 3
	grep -E "^ +34 +3\.4 +0  zzz.ForkJoinPool.scan$" got
	grep -E "^ +34 +3\.4 +    \.\.\. 7 more$" got'
check 'a chain of calls has its numbers once: what is below it at its first function, its own at the last' '
	stktree -q -f text --top 60 day.stk >got
	grep -A 4 "aaa.Deep.f1$" got >chain
	same - chain <<-END
	      10   1.0          aaa.Deep.f1
	                        aaa.Deep.f2
	                        (56 calls)
	                        aaa.Deep.f59
	                  10    aaa.Deep.f60
	END
	stktree -q -f text --top 0 day.stk >got
	test "$(grep -c aaa.Deep got)" -eq 60
	status 1 grep -E "calls\)|left out|more$" got'
check 'what was left out is said once for all, with the options that show it' '
	stktree -q -f text --top 3 day.stk >got
	tail -1 got | grep -E "^  left out: 50.8% in 54 branches, none above 2.2% \(more with --top 0\)$"
	stktree -q -f text --top 3 --min 2 day.stk | tail -1 | grep -E "\(more with --top 0, --min 0\)$"
	stktree -q -f text --min 2 day.stk | tail -1 | grep -E "^  left out: 48.6% in 53 branches \(more with --min 0\)$"
	stktree -q -f text --top 0 --depth 1 day.stk | tail -2 | head -1 | grep -F "... deeper calls"
	stktree -q -f text --top 0 --depth 1 day.stk | tail -1 | grep -E "left out: 98.6% \(more with --depth 0\)$"
	stktree -q -f text --report flat --top 2 day.stk | tail -1 | grep -E "^  left out: 204 functions \(more with --top 0\)$"
	stktree -q -f text --report paths --top 0 --min 40 day.stk | tail -1 | grep -E "^  left out: 54 stacks \(more with --min 0\)$"'
check '--top 0: all rows, in every report' '
	rows() { stktree -q "$@" day.stk | grep -vc "samples\?, .* in weight$\|^  left"; }
	for report in flat paths; do
		test "$(rows -f text --report $report --top 0)" -eq "$(rows -f tsv --report $report)"
		test "$(rows -f tsv --report $report --top 0)" -eq "$(rows -f tsv --report $report)"
		test "$(rows -f text --report $report)" -eq 41
	done
	test "$(rows -f tsv --top 0)" -eq "$(rows -f tsv)"
	test "$(rows -f tsv --top 7)" -eq 8
	seq 50 | sed "s/.*/main;f& 1/" | stkcap -q --format folded -o wide.stk -
	test "$(stktree -q -f text --function main --top 0 wide.stk | grep -c callee)" -eq 50
	stktree -q -f text --function main wide.stk >got && test "$(grep -c "^  callee" got)" -eq 40
	tail -1 got | grep "left out: 10 callers and callees (more with --top 0)"
	test "$(stktree -q -f text --top 0 --report paths wide.stk --diff wide.stk | grep -c "main;f")" -eq 50
	stktree -q -f text --report paths wide.stk --diff wide.stk >got
	test "$(grep -c "main;f" got)" -eq 40
	tail -1 got | grep "left out: 10 stacks (more with --top 0)"'

# judge.py TREE.tsv TEXT TOP MIN: the text, as it was printed for so many rows, against the whole tree
cat >judge.py <<'X'
import re, sys

truth, kids, way = {(): (0, 0)}, {(): []}, []
for line in open(sys.argv[1]).read().splitlines()[1:]:
    level, name, own, total = line.split("\t")
    way = way[:int(level) - 1] + [name]
    truth[tuple(way)] = (int(own), int(total))
    kids[tuple(way)] = []
    kids[tuple(way[:-1])].append(tuple(way))
whole = sum(truth[k][1] for k in kids[()])
top, least = int(sys.argv[3]), float(sys.argv[4])

lines = open(sys.argv[2]).read().splitlines()
head = next(i for i, l in enumerate(lines) if l.split()[1:2] == ["%"])
ends = [lines[head].index(w) + len(w) for w in (lines[head].split()[0], "%", "self")]
branches, at, rest, remark = [], [], {}, None
for line in lines[head + 1:]:
    if line.startswith("  left out"):
        remark = line
        continue
    total, own, label = line[:ends[0]].strip(), line[ends[1]:ends[2]].strip(), line[ends[2] + 2:]
    level = (len(label) - len(label.lstrip())) // 2
    label = label.strip()
    if label.startswith("... "):
        parent = at[level - 1]["tail"] if level else ()
        assert parent not in rest, "two rows for what is left out below " + str(parent)
        rest[parent] = int(total)
        continue
    if total:
        at = at[:level]
        assert len(at) == level, "indented too far: " + line
        at.append({"head": (at[-1]["tail"] if at else ()) + (label,), "own": None})
        at[-1]["tail"] = at[-1]["head"]
        branches.append(at[-1])
        assert int(total) == truth[at[-1]["head"]][1], line
        assert abs(float(line[ends[0]:ends[1]].replace("<0.1", "0.05")) - 100 * int(total) / whole) < 0.051
    elif re.fullmatch(r"\(\d+ calls\)", label):
        for _ in range(int(label[1:].split()[0])):
            assert len(kids[at[-1]["tail"]]) == 1
            at[-1]["tail"] = kids[at[-1]["tail"]][0]
    else:
        assert at[-1]["own"] is None, "below the end of a chain: " + line
        at[-1]["tail"] += (label,)
        assert truth[at[-1]["tail"]][1] == truth[at[-1]["head"]][1], line
    if own:
        at[-1]["own"] = int(own)

shown, left = {b["head"] for b in branches}, 0
lightest = min(truth[h][1] for h in shown)
for tail, own, total in [(b["tail"], b["own"], truth[b["head"]][1]) for b in branches] + [((), 0, whole)]:
    if tail:
        assert own == truth[tail][0], tail
    missing = total - own - sum(truth[k][1] for k in kids[tail] if k in shown)
    assert missing == sum(truth[k][1] for k in kids[tail] if k not in shown)
    assert rest.pop(tail, 0) == (missing if missing * 100 >= whole else 0), tail
    left += missing
    for k in kids[tail]:
        if k not in shown:
            assert truth[k][1] <= lightest, "%s is heavier than what is shown" % (k,)
            assert len(branches) == top or truth[k][1] * 100 < least * whole, "%s has room" % (k,)
assert not rest and (top == 0 or len(branches) <= top)
assert (remark is None) == (left == 0)
if remark:
    said = float(re.search(r"[\d.]+(?=%)", remark).group())
    assert abs(said - 100 * left / whole) < 0.051 or "<0.1%" in remark
X
check 'whatever the stacks are: the heaviest are shown, and what is shown, left out and own is the total' '
	judged=0
	for seed in 1 2 3 4 5; do
		awk -v seed=$seed "BEGIN { srand(seed)
			for (i = 0; i < 60; i++) {
				stack = \"r\" int(rand() * 3); depth = int(rand() * rand() * 30)
				for (d = 0; d < depth; d++) stack = stack \";f\" d \"_\" int(rand() * rand() * 3)
				print stack, 1 + int(200 * rand() ^ 4) } }" >random.txt
		stkcap -q --format folded -o random.stk random.txt
		stktree -q -f tsv --min 0 random.stk >tree.tsv
		for of in "0 0.5" "1 0.5" "5 0" "5 5" "40 0.5" "40 0"; do
			top=${of% *} min=${of#* }
			stktree -q -f text --width 9999 --top $top --min $min random.stk >got
			python3 -SE judge.py tree.tsv got $top $min || { cat got; false; }
			judged=$((judged + 1))
		done
	done
	test $judged -eq 30
'
check 'programs get the heaviest too, each with all that called it' '
	stktree -q -f tsv --min 0 day.stk >all
	for top in 1 3 17 100; do
		stktree -q -f tsv --top $top day.stk | sed 1d >got
		test $(wc -l <got) -eq $top
		awk -F "\t" "{ if (\$1 > last + 1) exit 1; last = \$1 }" got
		sed 1d all | sort -t "	" -k 4,4nr | head -$top | cut -f 4 | sort -n >want
		cut -f 4 got | sort -n | same want -
		grep -Fxf got all | same got -
	done
'
check 'indentation survives, on the narrowest terminal too; what is deeper begins with its depth' '
	awk "BEGIN { stack = \"root\"; for (d = 1; d <= 40; d++) {
		stack = stack \";com.example.service.implementation.Handler\" d \".handleRequest\"; print stack, 1 } }" |
		stkcap -q --format folded -o deep.stk -
	for width in 40 60 100; do
		stktree -q -f text --min 0 --top 0 --width $width deep.stk | sed 1d >got
		test $(wc -l <got) -eq 42
		awk -v width=$width "length > width { exit 1 }" got
		# each is further in than the one before, or has a larger number
		awk "NR == 1 { at = index(\$0, \"function\"); next }
			{ label = substr(\$0, at); match(label, /^ */); blanks = RLENGTH; sub(/^ */, \"\", label)
			number = label ~ /^[+]/ ? substr(label, 2) + 0 : 0
			if (NR > 3 && !(number > last || number == 0 && blanks > before)) { print; exit 1 }
			last = number; before = blanks }" got
		grep -F "+39 " got
	done
'
finish
