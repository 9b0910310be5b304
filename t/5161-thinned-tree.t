#!/bin/sh
# SPDX-License-Identifier: MIT
# A tree of which old samples are counts answers what counts can answer, estimates what is inside of an interval, and says what it cannot see.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

# record NAME TIME:FUNCTION...   a sample for each, of weight 10, of the threads web/2 (a, c) and svc/1 (b)
record() {
	name=$1; shift
	for one; do
		f=${one#*:}
		case $f in b) who='svc 1/1' ;; *) who='web 2/2' ;; esac
		printf '%s %.6f: 10 cycles: \n\t1 %s (app)\n\t2 main (app)\n\n' "$who" "${one%:*}" "$f"
	done | stkcap -q --format perf-script -o "$name.stk" -
	stktree -q -o "$name.tree" --leaf 5 --split 2 "$name.stk"
}
tabs() { tr ' ' '\t'; }
rows() { stktree -q --samples --report paths -f tsv --window "$@" | tail -n +2; }
counted() { { stktree -q --samples -f folded "$@" || true; } 2>/dev/null | awk '{ n += $NF } END { print n + 0 }'; }

# 40 seconds, a and b in turn; what is older than 10 seconds is counted by 10 seconds
record day $(i=0; while test $i -lt 40; do echo "$i:$(test $((i % 2)) = 0 && echo a || echo b)"; i=$((i + 1)); done)
stktree -q --thin 10s:raw,1d:10s -o thin.tree day.tree

check 'a whole interval is exact, and a part of one is in proportion to its length, from none to all' '
	{ echo "5 0.5 main;a 5 5 1.0"; echo "5 0.5 main;b 5 5 1.0"; } | tabs >want
	rows @0..@10 thin.tree | same want -
	{ echo "3 0.6 main;a 0 5 1.0"; echo "2 0.4 main;b 0 5 1.0"; } | tabs >want
	rows @0..@5 thin.tree | same want -
	{ echo "8 0.5333333333333333 main;a 5 10 1.0"; echo "7 0.4666666666666667 main;b 5 10 1.0"; } | tabs >want
	rows @0..@15 thin.tree | same want -
	rows @3..@3.000001 thin.tree >got || true
	{ echo "0 0.0 main;a 0 5 1.0"; echo "0 0.0 main;b 0 5 1.0"; } | tabs | same - got
	{ echo "5 0.5 main;a 5 5 1.0"; echo "5 0.5 main;b 5 5 1.0"; } | tabs >want
	rows @30..@40 thin.tree | same want -'
check 'one, two and three samples of an interval are spread over it, and parts add up' '
	record few 1:a 11:a 12:a 21:a 22:a 23:a 50:b
	stktree -q --thin 10s:raw,1d:10s -o few.thin few.tree
	for w in 0..10=1 0..4.999=0 0..5=1 5..10=0 10..20=2 10..15=1 15..20=1 20..30=3 20..25=2 25..30=1 30..40=0 0..30=6 4..26=5 40..51=1; do
		range=${w%=*}
		test "$(counted --window "@${range%..*}..@${range#*..}" few.thin)" = "${w#*=}" || { echo "$w: $(counted --window "@${range%..*}..@${range#*..}" few.thin)"; false; }
	done
	for step in 1s 700ms 3s 9.99s; do
		stktree -q --samples --window @0..@40 --step $step --report paths -f tsv thin.tree | awk -F "\t" "NR > 1 { n += \$3 } END { exit n != 40 }"
	done'
check 'what is thinned ends where samples begin: the last ten seconds are exact' '
	stkcat -f tsv --only tree_node thin.tree | awk -F "\t" "\$4 == \"thinned\" { print \$2, \$3, \$5 }" >got
	{ echo "0 10000000000 10"; echo "10 10000000000 10"; echo "20 9000000001 10"; } | same - got
	stktree --stats --window @29.5.. -f folded thin.tree >got 2>said
	grep -q "coverage 100%" said && status 1 grep "estimated" said
	stkcat -q -f folded --from @29.5 day.stk | same - got'
check 'an estimate says so: in the heading, below the table, in a message, in records' '
	stktree --report flat -f text --window @0..@5 thin.tree >got 2>said
	head -1 got | grep -q ": about 5 samples, 50 cycles$"
	tr -s " \n" " " <got | grep -q "estimated: of intervals that the window cuts only counts are left; 50 of 100 are taken to be in the window, and it can be 0 to 100"
	grep -q "estimated: the window cuts intervals that have only counts; of their 10 samples a part" said
	stktree -q --window @0..@5 -f stream thin.tree | stkcat -f tsv --only note | grep -q "estimate.*of their 10 samples"
	stktree -q --window @0..@10 --report flat -f text thin.tree | head -1 | grep -q ": 10 samples"'

# a longer one: 3,000 samples of 30 stacks in two processes, one each second, kept for 10 minutes
cat >make.py <<'X'
import random
random.seed(7)
for i in range(3000):
    s = int(30 * random.random() * random.random())
    print("%s %d/%d %.6f: %d cycles: \n\t1 s%02d (app)\n\t2 g%d (app)\n\t3 main (app)\n" % ("web" if s % 2 else "svc", 1 + s % 2, 1 + s % 2, 36000 + i, 1 + s % 3, s, s % 4))
X
python3 make.py | stkcap -q --format perf-script -o long.stk -
cat >two.yaml <<'X'
scheme: two
siblings:
  - { name: even, members: [g0, g2] }
  - { name: odd, members: [g1, g3] }
X
stkclass -q long.stk | stkgroup -q -s two.yaml -o named.stk -
for of in long named; do
	stktree -q -o $of.tree --leaf 50 $of.stk
	stktree -q --thin 10m:raw,30m:1m,1d:10m -o $of.thin $of.tree
done
stktree -q -o part.tree --leaf 50 --keep-percent 80 long.stk
stktree -q --thin 10m:raw,30m:1m,1d:10m -o part.thin part.tree

check 'conditions on stacks, keys of the tree, classes and groups are answered from counts, as from all samples' '
	for w in "" "--window @36000..@37200" "--window @36600..@37200 --window @37260..@37320" "--window @37800.."; do
		for of in "--grep s0[1-5]" "--grep g1 --invert" "--by none" "--by none --grep s07" "--grep nothing"; do
			stktree -q -f folded $w $of long.stk >want || true
			stktree -q -f folded $w $of long.thin >got || true
			same want got
		done
		for of in classes:1-3,8 groups:1-4; do			# without the columns of bounds
			stktree -q -f tsv --report ${of%:*} $w named.tree >want
			stktree -q -f tsv --report ${of%:*} $w named.thin | cut -f ${of#*:} >got
			same want got
		done
	done
	stktree --stats -f folded --grep s01 long.thin 2>&1 >got | grep -q "coverage 100%"'
check 'some of the keys of a tree, in any order, are answered from its counts' '
	stktree -q -o keys.tree --leaf 50 --by process,tid,command,pid long.stk
	stktree -q --thin 10m:raw,30m:1m,1d:10m -o keys.thin keys.tree
	for by in process pid,process tid,pid command none process,tid,command,pid pid,pid; do
		for of in "" "--grep g1" "--window @36000..@37200"; do
			stktree -q -f folded --by $by $of long.stk >want
			for tree in keys.tree keys.thin; do
				stktree --stats -f folded --by $by $of $tree 2>said | same want -
				grep -q "coverage 100%" said
				test "$tree" = keys.thin || grep -q "^stktree: nodes 1, " said || test "$of" = "--window @36000..@37200"
			done
		done
	done
	status 1 stktree -q -f folded --by thread keys.thin 2>said >got
	grep -q "which do not know these keys or this event" said'
check 'what counts do not know is said: how many samples, and where, in so far as they are in the window' '
	for of in "--state running" "--running" "--where function=*s01" "--by pid" "--by thread --grep s01" "--event other"; do
		stktree --stats -f folded $of long.thin >got 2>said && got=0 || got=$?
		test $got = 1
		grep -q "from @36000 to @38399.000000001, 2400 samples are thinned to counts, which do not know" said
		grep -q "coverage unknown" said || test "$of" = "--event other"
	done
	status 1 stktree -q --window @36030..@36090 --by pid -f folded long.thin 2>said >got
	grep -q "from @36030 to @36090, 600 samples are thinned" said
	stktree --stats --window @38399.5.. --by pid -f folded long.thin >got 2>said
	status 1 grep "thinned" said
	stktree -q --window @38399.5.. --by pid -f folded long.stk | same - got'
check 'threads and processes are told by the usual keys, where these tell enough' '
	for of in "--thread ^web" "--process 2" "--process ^web --thread web" "--thread w --grep s0" "--event cycles"; do
		stkcat -q -f folded $of long.stk >want
		stktree -q -f folded $of long.thin 2>said | same want - && test ! -s said
	done
	stktree -q --report flat -f tsv --samples --thread ^svc long.stk >want
	stktree -q --report flat -f tsv --samples --thread ^svc long.thin | cut -f 1-3 | same want -
	status 1 stktree -q -f folded --process 2 --state running long.thin >got 2>said && grep -q "2400 samples are thinned" said'
check 'the other filters say that they do not see it, quiet or not; and not of a window without it' '
	for filter in "stkcat -f folded" "stkcat -f text" "stkclass -f text" "stkgroup -s two.yaml -f tsv" "stktrend -f tsv" "stkclass" "stkcat -S --thread web"; do
		$filter -q long.thin >out 2>said && got=0 || got=$?
		test $got = 1 || { echo "$filter: $got"; cat said; false; }
		grep -q "long.thin: 2400 samples from @36000 to @38399.000000001 are thinned to counts" said || { echo "$filter"; cat said; false; }
		$filter -q --from @38400 long.thin >out 2>said || true
		status 1 grep "thinned" said
		$filter -q long.tree >out 2>said || true
		status 1 grep "thinned" said
	done
	stkcat -q -f tsv --only sample long.thin >out 2>said
	stkcat --check long.thin && stkcat -q -S -o passed.stk long.thin && cmp passed.stk long.thin
	status 1 stkcat -q -f folded --window @37000..@37030 long.thin >out 2>said
	grep -q "600 samples from @36600 to @37199.000000001" said'
check 'samples that are chosen from a stream do not bring the tree of all' '
	stkcat -q -S --process 2 long.tree | stktree -q -f folded - | awk "{ n += \$NF } END { print n }" >got
	stkcat -q -f folded --process 2 long.stk | awk "{ n += \$NF } END { print n }" | same - got
	stkcat -q -S --sort long.tree | stktree -q -f folded - >got
	stktree -q -f folded long.tree | same - got'

cat >windows.py <<'X'
import json, random, subprocess, sys
stacks, weights = [], []
for line in subprocess.run(["stkcat", "-q", "-f", "ndjson", "--only", "sample", "long.stk"], capture_output=True, text=True, check=True).stdout.splitlines():
    row = json.loads(line)
    stack = row["stack"] if row["stack"][0] == "main" else row["stack"][::-1]
    stacks.append(";".join(stack)), weights.append(row["weight"])
random.seed(12)
wrong = estimated = 0
error = []
for n in range(int(sys.argv[1])):
    a, b = sorted(random.sample(range(3001), 2))
    tree, samples = random.choice(["long.thin", "part.thin"]), random.choice([True, False])
    grep = random.choice([None, None, "s0[0-4]", "g2"])
    run = subprocess.run(["stktree", "--report", "paths", "-f", "tsv", "--window", "@%d..@%d" % (36000 + a, 36000 + b), tree] +
        (["--samples"] if samples else []) + (["--grep", grep] if grep else []), capture_output=True, text=True)
    truth = {}
    for i in range(a, b):
        import re
        if grep is None or re.search(grep, stacks[i]):
            truth[stacks[i]] = truth.get(stacks[i], 0) + (1 if samples else weights[i])
    whole, total, bound, exact, loose = sum(truth.values()), 0, 0, True, 0
    for row in run.stdout.splitlines()[1:]:
        count, share, stack, low, high, coverage = row.split("\t")
        total += int(count)
        if stack == "(left out)":
            bound = int(high)
            continue
        exact = exact and low == high
        there = truth.pop(stack, 0)
        if not int(low) <= there <= int(high) or not int(low) <= int(count) <= int(high) or (coverage != "1.0") > (tree != "long.thin"):
            wrong += 1
            print(n, tree, a, b, grep, row, there)
    if any(count > bound for count in truth.values()):
        wrong += 1
        print(n, tree, a, b, grep, bound, truth)
    if "estimated" in run.stderr:
        estimated += 1
        error.append(abs(total - whole) / (whole + 1))
    elif tree == "long.thin" and (not exact or total != whole or truth):
        wrong += 1
        print(n, tree, a, b, grep, total, whole, run.stderr)
error.sort()
print("# %d windows estimated, median error of the total %.4f" % (estimated, error[len(error) // 2]))
sys.exit(wrong > 0 or estimated == 0 or error[len(error) // 2] > 0.05)
X
check 'in random windows every bound holds, and what is not estimated is exact' '
	python3 windows.py "${WINDOWS-60}"'
check 'thinned and raw trees are merged, appended and built anew with all that they have' '
	record raw 36001:a 37001:b 37002:b 39500:c
	stktree -q -o raw.tree --leaf 50 raw.stk
	stktree -q --merge -o merged.tree long.thin raw.tree
	cp long.thin appended.tree && stktree -q --append appended.tree raw.stk
	stktree -q -o anew.tree --leaf 50 long.thin raw.tree
	for w in "@36000..@36600" "@36600..@37800" "@38400..@39600" "@36000..@40000"; do
		{ stktree -q -f folded --window $w long.stk; stktree -q -f folded --window $w raw.stk; } | awk "{ n[\$1] += \$2 } END { for (s in n) print s, n[s] }" | sort >want
		for of in merged appended anew; do
			stktree -q -f folded --window $w $of.tree | sort | same want -
		done
	done'
check 'counts of some keys or of one event cannot become those of others: refused' '
	status 2 stktree -o no.tree --by pid long.thin 2>said
	grep -q -- "--by: the tree has samples that are thinned to counts by .pool or command., and these cannot be counted by .pid." said
	status 2 stktree -o no.tree --event all long.thin 2>said
	grep -q -- "--event: the tree has samples that are thinned to counts of event .cycles., and these cannot be counted as .all." said
	test ! -e no.tree
	stktree -q --thin 1m:10m,1d:10m -o counts.tree long.thin && stktree -q --thin 1s:10m,1d:10m -o counts.tree counts.tree
	stkcat -f tsv --only tree counts.tree | tail -1 | grep -q cycles'
check 'a thinned recording differs in nothing from what it was, whatever the window' '
	for w in "" "--from @36100 --to @36500" "--from @37000 --to @38000" "--from @36030"; do
		for pair in "long.thin long.tree" "long.tree part.thin" "part.thin long.thin"; do
			set -- $pair
			stktree -q $1 --diff $2 $w -f tsv | cut -f 7 | sort -u | tr -d "\n" >got
			printf "0significant" | same - got
		done
	done'
finish
