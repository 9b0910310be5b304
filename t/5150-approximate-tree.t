#!/bin/sh
# SPDX-License-Identifier: MIT
# A tree that keeps a part of its counts (--keep-percent) says in every report what it leaves out, and how wrong a row can be.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

# samples NAME LETTERS   one a millisecond from @1 on, each of the function that a letter names, in two modules: A is a of the other
samples() {
	printf '%s' "$2" | awk '{ for (i = 1; i <= length($0); i++) { c = substr($0, i, 1)
		printf "app 1/1 %.6f: 10 cycles: \n\t1 %s (%s)\n\t2 main (app)\n\n", 1 + i / 1000, tolower(c), c == tolower(c) ? "app" : "lib" } }' |
		stkcap -q --format perf-script -o "$1.stk" -
	stktree -q -o "$1.tree" --leaf 5 --split 2 --keep-percent 80 "$1.stk"
}
tabs() { tr ' ' '\t'; }

check 'of ten samples the tree keeps eight: the other two are a row, and shares are of ten' '
	samples ten aababcabda
	stktree -q --report flat -f tsv ten.tree >got
	{ echo "function self total self_low self_high total_low total_high coverage"
	  echo "a 50 50 50 70 50 70 0.8"
	  echo "b 30 30 30 50 30 50 0.8"
	  echo "(left_out) 20 20 0 20 0 20 0.8"
	  echo "main 0 80 0 20 80 100 0.8"; } | tabs | sed "s/left_out/left out/" | same - got
	stktree -q --report paths -f tsv ten.tree >got
	{ echo "samples share stack low high coverage"
	  echo "50 0.5 app;main;a 50 60 0.8"
	  echo "30 0.3 app;main;b 30 40 0.8"
	  echo "20 0.2 (left_out) 0 10 0.8"; } | tabs | sed "s/left_out/left out/; s/app;//" | same - got
	stktree -q --report paths -f ndjson ten.tree | tail -1 >got
	echo "{\"samples\":20,\"share\":0.2,\"stack\":\"(left out)\",\"low\":0,\"high\":10,\"coverage\":0.8}" | same - got
	stktree -q -f folded ten.tree | sort >got
	printf "# coverage 80.00%%: counts cover 8 of 10 samples; no stack has more than 1 beyond those shown\n(left out) 20\napp;main;a 50\napp;main;b 30\n" | same - got
	stktree -q -f folded --samples ten.tree | stkcap -q --format folded - | stkcat -q -f folded - | sort >again	# readers take it for a comment
	printf "(left out) 2\napp;main;a 5\napp;main;b 3\n" | same - again'
check 'in the call tree, and in callers, the bounds of a function are all that is left out' '
	stktree -q -f tsv ten.tree >got
	{ echo "level function self total self_low self_high total_low total_high coverage"
	  echo "1 main 0 80 0 20 80 100 0.8"
	  echo "2 a 50 50 50 70 50 70 0.8"
	  echo "2 b 30 30 30 50 30 50 0.8"
	  echo "1 (left_out) 20 20 0 20 0 20 0.8"; } | tabs | sed "s/left_out/left out/" | same - got
	stktree -q --function a -f tsv ten.tree >got
	{ echo "relation samples function low high coverage"
	  echo "caller 50 main 50 70 0.8"
	  echo "total 50 a 50 70 0.8"
	  echo "self 50 a 50 70 0.8"; } | tabs | same - got'
check 'rows of a step have the coverage of that step' '
	samples steps aababcabdaaaaaabacdeaaaaaaaafaaa
	stktree -q --report flat --step 16ms -f tsv steps.tree | cut -f 1,10 | uniq -c | tr -s " " >got
	{ echo " 1 from coverage"; echo " 4 0.992 1.0"; echo " 7 1.008 0.9375"; echo " 3 1.024 0.888888"; } | sed "s/\\([a-z0-9.]*\\)$/@\\1/; s/ @/\t/" | same - got
	stktree -q --report tree --step 16ms -f ndjson steps.tree | tail -1 | grep -q "\"coverage\":0.888888}$"'
check 'people read the share of what is left out, and the bound, below the table' '
	stktree --report flat -f text ten.tree >got 2>said
	head -1 got | grep -q ": 10 samples, 100 cycles$"
	grep -q "20  *20.0  *20  *20.0  *(left out)$" got
	tr -s " \n" " " <got | grep -q "(left out): the tree keeps counts of 80.00 % of the samples; a stack can have 10.00 % (10) more than its row"
	grep -q "coverage 80.00%: counts cover 8 of 10 samples; no stack has more than 1 beyond those shown" said'
check 'records have what is left out as a stack, and coverage and bound as a note' '
	stktree -q --from @0 -f stream ten.tree >got.stk
	stkcat -q -f folded --by none got.stk | sort >got
	printf "(left out) 20\nmain;a 50\nmain;b 30\n" | sort | same - got
	stkcat -f tsv --only note got.stk | tail -1 | cut -f 2,3 >got
	printf "coverage\tcoverage 80.00%%: counts cover 8 of 10 samples; no stack has more than 1 beyond those shown\n" | same - got'
check 'stacks that are shown as one have a bound together' '
	samples alike aaaaafaFaa
	stktree -q --report paths -f tsv alike.tree >got
	{ echo "samples share stack low high coverage"
	  echo "80 0.8 main;a 80 100 0.8"
	  echo "20 0.2 (left_out) 0 20 0.8"; } | tabs | sed "s/left_out/left out/" | same - got
	stkcat -f tsv --only tree_node alike.tree | tail -1 | cut -f 10,11,14-16 >got
	printf "8\t1\t20\t2\t20\n" | same - got'
check 'nothing, one, two and three samples are all there: no row, and bounds that are the count' '
	for letters in a ab abc; do
		samples few $letters
		stktree -q --report flat -f tsv few.tree >got
		status 1 grep "left out" got
		awk -F "\t" "NR > 1 && (\$4 != \$2 || \$5 != \$2 || \$6 != \$3 || \$7 != \$3) { exit 1 }" got
		test "$(tail -1 got)" = "$(echo "main 0 ${#letters}0 0 0 ${#letters}0 ${#letters}0 1.0" | tabs)"
	done
	status 1 stktree -q --from @0.5 --to @1 --report flat -f tsv few.tree >got
	test "$(wc -l <got)" = 1'
check 'a condition on stacks is answered by the samples, and has no bounds' '
	stktree -q --grep "^d" --report paths -f tsv ten.tree >got
	printf "samples\tshare\tstack\n10\t1.0\tmain;d\n" | same - got'

# 40,000 samples of 60 stacks, of which many are rare
cat >make.py <<'X'
import random, sys
random.seed(int(sys.argv[1]))
hot = int(sys.argv[2])
for i in range(int(sys.argv[3])):
    s = hot if random.random() < 0.03 else int(60 * random.random() * random.random())
    print("app 1/1 %.6f: %d cycles: \n\t1 s%02d (app)\n\t2 main (app)\n" % (1000 + i / 1000, 1 + s % 3, s))
X
make() {	# NAME SEED HOT
	python3 make.py "$2" "$3" 20000 | stkcap -q --format perf-script -o "$1.stk" -
	stktree -q -o "$1.80" --leaf 300 --keep-percent 80 "$1.stk"
	stktree -q -o "$1.95" --leaf 300 --keep-percent 95 "$1.stk"
	stktree -q -o "$1.100" --leaf 300 "$1.stk"
}
make a 1 50 && make b 2 50 && make c 3 55
cat >windows.py <<'X'
import random, subprocess, sys
times, stacks, weights = [], [], []
for line in subprocess.run(["stkcat", "-q", "-f", "ndjson", "--only", "sample", "a.stk"], capture_output=True, text=True, check=True).stdout.splitlines():
    import json
    row = json.loads(line)
    stacks.append(row["stack"]), weights.append(row["weight"])
random.seed(11)
wrong = left = 0
for n in range(int(sys.argv[1])):
    a, b = sorted(random.sample(range(20001), 2))
    tree, samples = random.choice(["a.80", "a.95"]), random.choice([True, False])
    rows = subprocess.run(["stktree", "-q", "--report", "paths", "-f", "tsv", "--window", "@%.3f..@%.3f" % (1000 + a / 1000, 1000 + b / 1000), tree] +
        (["--samples"] if samples else []), capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    truth, whole = {}, 0
    for i in range(a, b):
        w = 1 if samples else weights[i]
        name = "main;s" + stacks[i][-1][1:] if stacks[i][0] == "main" else "main;" + stacks[i][0]
        truth[name] = truth.get(name, 0) + w
        whole += w
    bound = total = 0
    for row in rows:
        count, share, stack, low, high, coverage = row.split("\t")
        total += int(count)
        if abs(float(share) - int(count) / whole) > 1e-9:
            wrong += 1
        if stack == "(left out)":
            bound, left = int(high), left + 1
            wrong += samples and abs(float(coverage) - 1 + int(count) / whole) > 1.1e-6
        elif not int(low) <= truth.pop(stack) <= int(high):
            wrong += 1
            print(n, tree, row)
    if total != whole or any(count > bound for count in truth.values()):
        wrong += 1
        print(n, tree, a, b, total, whole, bound, truth)
print("# %d windows with samples left out" % left)
sys.exit(wrong > 0 or left == 0)
X
check 'in random windows totals and shares are those of all samples, and every bound holds' '
	python3 windows.py "${WINDOWS-60}"'
check 'a recording differs from itself at another P in nothing, and from its like in next to nothing' '
	for pair in "a.100 a.80" "a.80 a.95" "a.95 a.100"; do
		set -- $pair
		for rate in second share; do
			stktree -q $1 --rate $rate --diff $2 -f tsv | cut -f 7 | sort -u | tr "\n" " " >got
			echo "0 significant " | tr -d "\n" | same - got
		done
	done
	test "$(stktree -q a.80 --diff b.80 -f tsv | awk -F "\t" "\$7 == 1" | wc -l)" -le 1'
check 'what differs by more than can be left out is found still' '
	stktree -q a.100 --diff c.100 -f tsv | awk -F "\t" "\$7 == 1 { print \$1 }" | sort >exact
	grep -q "app;main;s50" exact && grep -q "app;main;s55" exact
	stktree -q a.95 --diff c.95 -f tsv | awk -F "\t" "\$7 == 1 { print \$1 }" | sort >found
	grep -q "app;main;s50" found && comm -23 found exact | same - /dev/null
	stktree -q a.95 --diff c.95 -f tsv | awk -F "\t" "NR > 1 && !(\$5 <= \$4 && \$4 <= \$6) { exit 1 }"
	stktree -q a.95 --rate share --diff a.100 -f tsv | awk -F "\t" "NR > 1 && !(\$5 <= 0 && 0 <= \$6) && \$1 != \"(left out)\" { exit 1 }"'
check 'rules hold for certain, not for what a tree leaves out' '
	for of in function stack; do
		printf "rules:\n  - of: %s\n    change: 20%%\n  - of: %s\n    change: 5%%\n    significant: yes\n" $of $of >change.yaml
		for pair in "a.100 a.80" "a.80 a.100" "a.95 a.80"; do
			set -- $pair
			status 0 stktree -q $1 --diff $2 --rules change.yaml
		done
	done
	status 4 stktree -q a.95 --diff c.95 --rules change.yaml -f tsv >got
	grep -q "main;s50$" got'
finish
