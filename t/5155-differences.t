#!/bin/sh
# SPDX-License-Identifier: MIT
# stktree A --diff B: what is new in B. Two weeks with a restart between them; sides of several files and windows; every report; what is refused.
. "${0%/*}/lib/tap.sh"
. "$t/lib/weeks_of_dumps.sh"

week_of_dumps 2 1 3 1 >week1.txt
week_of_dumps 9 2 7 3 >week2.txt		# restarted, and one function tripled
week_of_dumps 16 3 5 1 >week3.txt		# restarted, and nothing else
for week in 1 2 3; do
	stkcap -q -o week$week.stk week$week.txt
	stktree -q -o week$week.tree --leaf 500 week$week.stk
	stkclass -q -f stream week$week.stk >classes$week.stk
done
tab=$(printf '\t')

# marked FILE COLUMN: rows of a tsv that are marked, other than those of the function that changed; and how many there are
marked() { awk -F "\t" -v mark="$2" 'NR > 1 && !/Discount.evaluateRules/ { n++; marks += $mark } END { print marks + 0, n + 0 }' "$1"; }
# few MARKED ALL: at most 5 %
few() { test "$2" -gt 20 && test $(($1 * 20)) -le "$2"; }

check 'after a restart the function that was tripled is first, and of the others at most 5 % are marked' '
	stktree -q -f tsv --report flat week1.tree --diff week2.tree >flat
	test "$(head -1 flat)" = "$(printf "function\tself_a\tself_b\ttotal_a\ttotal_b\tdelta\tlow\thigh\tsignificant")"
	test "$(sed -n 2p flat | cut -f 1,9)" = "com.acme.shop.Discount.evaluateRules${tab}1"
	awk -F "\t" "NR == 2 && \$2 > 0.01 && \$2 < 0.02 && \$3 > 0.03 && \$3 < 0.06 && \$7 > 0.01 { good = 1 } END { exit !good }" flat
	few $(marked flat 9)
	stktree -q -f tsv --report paths week1.tree --diff week2.tree >paths
	sed -n 2p paths | grep "evaluateRules${tab}"
	few $(marked paths 7)
	stktree -q -f text week1.tree --diff week2.tree >text
	sed -n 2p text | grep "[*]  .*Discount.evaluateRules$"
	grep "+ is more in b" text
'
check '... by classes too, which are called by their frames' '
	stktree -q -f tsv --report classes classes1.stk --diff classes2.stk >got
	sed -n 2p got | cut -f 9,10 | grep "^1${tab}com.acme.shop.Discount.evaluateRules < com.acme.shop.Service[012].call < .*Proxy.handle < .* < java.lang.Thread.run$"
	few $(marked got 9)
	stktree -q -f text --report classes classes1.stk --diff classes2.stk | sed -n 2p | grep "[*]  Discount.evaluateRules < Service"
	stktree -q -f tsv --report classes classes1.stk >got
	test "$(head -1 got)" = "function${tab}self${tab}total${tab}stack"
	cut -f 1,4 got | grep -E "^[0-9a-f]{16}${tab}com.acme.shop.Discount.evaluateRules < "
	stktree -q -f text --top 0 --report classes classes1.stk | grep " Discount.evaluateRules < "
'
check 'a restart alone changes nothing, and with --exact everything that was generated' '
	stktree -q -f tsv --report flat week1.tree --diff week3.tree >flat
	few $(marked flat 9)
	status 1 grep -E "Lambda[$]|0x|Accessor[0-9]|Proxy[0-9]" flat
	stktree -q -f tsv --report paths week1.tree --diff week3.tree >paths
	few $(marked paths 7)
	grep -F "pool-*-thread;" paths
	stktree -q -f tsv --exact --report paths week1.tree --diff week3.tree >exact
	test "$(awk -F "\t" "/Lambda/ && \$2 > 0 && \$3 > 0" exact | wc -l)" -eq 0
	test "$(awk -F "\t" "/Lambda/" exact | wc -l)" -gt "$(awk -F "\t" "/Lambda/" paths | wc -l)"
	set -- $(marked exact 7)
	test $(($1 * 5)) -gt "$2"
'
check 'bursts: functions in which threads queue differ tenfold in the counts, and are not marked' '
	grep -E "Stock[0-9]" flat >stock
	test "$(awk -F "\t" "\$9 == 1" stock | wc -l)" -eq 0
	test "$(awk -F "\t" "\$3 > 3 * \$2 || \$2 > 3 * \$3" stock | wc -l)" -ge 1
'
check 'from the tree and from the samples: the same' '
	for report in flat tree paths pools; do
		stktree -q -f tsv --report $report week1.tree --diff week2.tree | sort >want
		stktree -q -f tsv --report $report week1.stk --diff week2.stk | sort | same want -
	done
'
check 'a and b are shares of the whole, or samples a second; delta is b less a, the largest first' '
	stktree -q -f tsv --report paths week1.stk --diff week2.stk >got
	awk -F "\t" "NR > 1 { a += \$2; b += \$3; if (\$4 > last && NR > 2) exit 1; last = \$4; d = \$3 - \$2 - \$4
		if (d > 1e-9 || d < -1e-9 || \$5 > \$4 || \$4 > \$6) exit 1 } END { exit !(a > 0.999999 && a < 1.000001 && b > 0.999999 && b < 1.000001) }" got
	stktree -q -f tsv --rate second --report paths week1.stk --diff week2.stk >got
	awk -F "\t" "NR > 1 { a += \$2 } END { exit !(a > 10080 / 603000 && a < 10080 / 603000 + 1e-6) }" got
'
check 'the tree: each function below its caller, totals with their callees, the largest growth first among callees' '
	stktree -q -f tsv --report tree week1.stk --diff week2.stk >got
	test "$(head -1 got)" = "$(printf "level\tfunction\tself_a\tself_b\ttotal_a\ttotal_b\tdelta\tlow\thigh\tsignificant")"
	awk -F "\t" "NR > 1 { if (\$1 > level + 1) exit 1; level = \$1; if (\$1 > 1 && (\$5 > of_a[\$1 - 1] + 1e-9 || \$6 > of_b[\$1 - 1] + 1e-9)) exit 2
		of_a[\$1] = \$5; of_b[\$1] = \$6; if (level == before && \$7 > delta[level] + 1e-9) exit 3; delta[level] = \$7; before = level }" got
	stktree -q -f text --report tree week1.stk --diff week2.stk >text
	grep "[*]  .*Discount.evaluateRules$" text
	test "$(wc -l <text)" -le 60
	stktree -q -f tsv --report tree --depth 2 week1.stk --diff week2.stk | cut -f 1 | sort -u >levels
	test "$(tr "\n" " " <levels)" = "1 2 level "
'
check 'callers and callees of a function, by its name with or without what is generated' '
	stktree -q -f tsv --function com.acme.shop.Discount.evaluateRules week1.stk --diff week2.stk >got
	test "$(head -1 got)" = "$(printf "relation\tfunction\ta\tb\tdelta\tlow\thigh\tsignificant")"
	test "$(cut -f 1 got | sort | uniq -c | tr -s " \n" " ")" = " 3 caller 1 relation 1 self 1 total "
	stktree -q -f tsv --report callers --function com.acme.shop.Discount.evaluateRules week1.stk --diff week2.stk | same got -
	stktree -q -f tsv --function "com.acme.shop.Handler\$\$Lambda.run" week1.stk --diff week2.stk >got
	grep "^total" got
	stktree -q -f tsv --function "com.acme.shop.Handler\$\$Lambda\$4/0x000030000001000.run" week1.stk --diff week2.stk | same got -
'
check 'pools: how many samples each has, with --diff and without' '
	stktree -q -f tsv --report pools week1.stk >got
	printf "function\tself\ttotal\nhttp-nio-8080-exec\t8064\t8064\npool-3-thread\t2016\t2016\n" | same - got
	stktree -q -f tsv --report pools week1.stk --diff week2.stk | cut -f 1-3 | sort >got
	printf "function\tself_a\tself_b\nhttp-nio-*-exec\t0.8\t0.8\npool-*-thread\t0.2\t0.2\n" | same - got
'
check 'groups, as a tree' '
	for week in 1 2; do stkgroup -q -s jvm -f stream week$week.stk >groups$week.stk; done
	stktree -q -f tsv --report groups groups1.stk --diff groups2.stk >got
	sed -n 2p got | cut -f 2 | grep .
	awk -F "\t" "\$1 == 1 { a += \$5; b += \$6 } END { exit !(a > 0.999999 && b > 0.999999) }" got
'

check 'rules believe no burst either' '
	printf "rules:\n  - name: changed\n    of: function\n    change: 30%%\n    at least: 0.3%%\n    significant: yes\n" >rules.yaml
	status 4 stktree -q -f tsv --rules rules.yaml week1.stk --diff week2.stk >got
	grep "evaluateRules$" got
	status 1 grep "Stock" got
	grep -v significant rules.yaml >any.yaml
	status 4 stktree -q -f tsv --rules any.yaml week1.stk --diff week2.stk >any
	grep "Stock" any
'

# sides
check 'each side is one file or several, of which every sample counts' '
	stkcat -q -f stream --merge -o both.stk week1.stk week3.stk
	stktree -q -f tsv both.stk --diff week2.stk | sort >want
	stktree -q -f tsv week1.stk week3.stk --diff week2.stk | sort | same want -
	stktree -q -f tsv week2.stk --diff both.stk | cut -f 1-4 | sort >want
	stktree -q -f tsv week2.stk --diff week1.stk week3.stk | cut -f 1-4 | sort | same want -
	stktree -q -f tsv --diff week1.stk week3.stk -q week2.stk | cut -f 1-4 | sort | same want -
'
for n in 0 1 2 3; do
	awk -v seed=$n 'BEGIN { srand(seed); for (i = 0; i < 100; i++) { t += int(rand() * 300) / 1000
		printf "app 1/1 %.3f: 10 cycles: \n", t + seed; for (d = int(rand() * 3); d >= 0; d--) printf "\t%d f%d (app)\n", d + 1, rand() * (4 + seed)
		printf "\t9 main (app)\n\n" } }' | stkcap -q --format perf-script -o side$n.stk -
done
stktree -q -o side1.tree --leaf 10 --split 2 side1.stk && stktree -q -o side3.tree --leaf 20 --split 3 side3.stk
title='random files, streams and trees, and windows of each side are as rows of stkcat counted by a script'
if have python3; then
	check "$title" '
		python3 -SE "$t/lib/random_sides.py" ${SEED-1} ${SIDES-40} side0.stk side1.tree side2.stk side3.tree'
else
	skip 'no python3' "$title"
fi
check 'windows of one recording, of the other side, and several with commas' '
	stkcat -q -f stream -o monday.stk --from 2026-11-02 --to 2026-11-03 week1.stk
	stkcat -q -f stream -o tuesday.stk --from 2026-11-03 --to 2026-11-04 week1.stk
	stkcat -q -f stream -o friday.stk --from 2026-11-06 --to 2026-11-07 week1.stk
	stktree -q -f tsv monday.stk --diff tuesday.stk | cut -f 1-4 | sort >want
	stktree -q -f tsv week1.stk --diff 2026-11-02..2026-11-03 2026-11-03..2026-11-04 | cut -f 1-4 | sort | same want -
	stktree -q -f tsv --diff 2026-11-02..2026-11-03 2026-11-03..2026-11-04 week1.stk | cut -f 1-4 | sort | same want -
	stktree -q -f tsv --from 2026-11-02 --to 2026-11-03 week1.stk --diff 2026-11-03..2026-11-04 | cut -f 1-4 | sort | same want -
	stktree -q -f tsv monday.stk --diff week1.stk 2026-11-03..2026-11-04 | cut -f 1-4 | sort | same want -
	stktree -q -f tsv monday.stk --diff tuesday.stk friday.stk | cut -f 1-4 | sort >want
	stktree -q -f tsv monday.stk --diff week1.stk 2026-11-03..2026-11-04 2026-11-06..2026-11-07 | cut -f 1-4 | sort | same want -
	stktree -q -f tsv week1.stk --diff 2026-11-02..2026-11-03 2026-11-06..2026-11-07,2026-11-03..2026-11-04 | cut -f 1-4 | sort | same want -
	stktree -q -f tsv week1.stk --diff 2026-11-02..2026-11-03 2026-11-06..2026-11-07,2026-11-03..2026-11-04,2026-11-06..2026-11-06T09:00 | cut -f 1-4 | sort | same want -
'
check 'several sides: each --diff is one, and rows begin with it' '
	stktree -q -f tsv week1.stk --diff week2.stk --diff week2.stk week3.stk >got
	test "$(head -1 got | cut -f 1)" = with
	test "$(cut -f 1 got | tail -n +2 | uniq | tr "\n" ",")" = "week2.stk,week2.stk week3.stk,"
	stktree -q -f tsv week1.stk --diff week2.stk | tail -n +2 | cut -f 1-4 >want
	grep "^week2.stk${tab}" got | cut -f 2-5 | same want -
	stktree -q -f ndjson --report flat week1.stk --diff week2.stk | head -1 >got
	grep -E "^\{\"function\":\"com.acme.shop.Discount.evaluateRules\",\"self_a\":0.0[0-9]+,\"self_b\":0.0[0-9]+,\"total_a\":0.0[0-9]+,\"total_b\":0.0[0-9]+,\"delta\":0.0[0-9]+,\"low\":0.0[0-9]+,\"high\":0.0[0-9]+,\"significant\":1,\"overweight\":null\}$" got
'

# what is said and refused
refused() {
	said=$1
	shift
	status 2 stktree "$@" >out 2>err
	grep -e "$said" err
	test ! -s out
}
check 'what has no effect, or two meanings, is refused' '
	refused "expected the files to compare with before it" --diff week1.stk week2.stk
	refused "named twice" week1.stk week1.stk --diff week2.stk
	refused "name .week2.stk. before its windows" week1.stk --diff -1d.. week2.stk
	refused "no effect with two windows" --from 09:00 week1.stk --diff -2d..-1d -1d..
	refused "is a window" week1.stk -1d.. --diff week2.stk
	refused "expected --function as well" --report callers week1.stk --diff week2.stk
	refused "flat and --function: only one" --report flat --function x week1.stk --diff week2.stk
	refused "by has no effect" --report pools --by thread week1.stk --diff week2.stk
	refused "f folded: expected text, tsv or ndjson" -f folded week1.stk --diff week2.stk
	refused "f stream: expected text, tsv or ndjson" -f stream week1.stk --diff week2.stk
	refused "exact has no effect without --diff" --exact week1.stk
	refused "without a file: write a comma" week1.stk --diff -2d..-1d -1d.. --diff week2.stk
	refused "window -1d..-2d holds nothing" week1.stk --diff -1d..-2d -1d..
'
check 'the status: 0 whatever differs, 1 where there is nothing to compare, which is said' '
	status 0 stktree -f tsv week1.stk --diff week2.stk >out
	status 0 stktree -f tsv week1.stk --diff week1.stk >out
	awk -F "\t" "NR > 1 && (\$4 != 0 || \$7 != 0) { exit 1 }" out
	status 1 stktree -f tsv week1.stk --diff week2.stk 2027-01-01.. 2>err >out
	grep "week2.stk: the window is outside the recording" err
	grep "week2.stk 2027-01-01..: no samples there" err
	status 3 stktree -f tsv week1.stk --diff nowhere.stk 2>err
	grep "nowhere.stk" err
'
check 'folded stacks are compared by their counts, or --samples; without times nothing is known of bursts, which is said' '
	printf "a;b 300\na;c 100\n" | stkcap -q --format folded -o x.stk -
	printf "a;b 100\na;c 300\n" | stkcap -q --format folded -o y.stk -
	stktree -f text x.stk --diff y.stk >got 2>err
	test "$(grep -c "too few moments to tell bursts from changes" got)" -eq 2
	stktree --rate second -f tsv x.stk --diff y.stk 2>err >got
	grep "its times say no length: shares are compared" err
	test "$(cut -f 1-4,7 got | tail -n +2)" = "$(printf "a;c\t0.25\t0.75\t0.5\t1\na;b\t0.75\t0.25\t-0.5\t1")"
	stktree --samples -f tsv x.stk --diff y.stk | grep "^a;c${tab}0.5${tab}0.5${tab}0.0${tab}"
'
check 'trees that leave stacks out or were thinned: the true difference is within the limits of every report, and none is marked that is none' '
	for week in 1 2 3; do
		stktree -q --keep-percent 85 -o week$week.85 --leaf 500 week$week.stk
		stktree -q --thin 1d:raw,90d:1d -o week$week.thin week$week.tree
	done
	cat >within.py <<-"X"
		import csv, sys
		exact, got = [{r["stack" if "stack" in r else "function"]: r for r in csv.DictReader(open(f), delimiter="\t")} for f in sys.argv[1:3]]
		known = [name for name in got if name != "(left out)"]
		assert len(known) > 20 and all(name in exact for name in known), known
		for name in known:
		    assert float(got[name]["low"]) - 1e-9 <= float(exact[name]["delta"]) <= float(got[name]["high"]) + 1e-9, name
		assert all(r["significant"] == "0" for name, r in got.items() if name == "(left out)" or "Discount" not in name and len(sys.argv) > 3)
	X
	for report in flat paths; do
		for kind in 85 thin; do
			stktree -q -f tsv --report $report week1.tree --diff week2.tree >exact
			stktree -q -f tsv --report $report week1.$kind --diff week2.$kind >got
			python3 within.py exact got
			stktree -q -f tsv --report $report week1.tree --diff week1.$kind >got
			awk -F "\t" "NR > 1 && \$NF != 0 { exit 1 }" got
			stktree -q -f tsv --report $report week1.tree --diff week3.tree >exact
			stktree -q -f tsv --report $report week1.$kind --diff week3.$kind >got
			python3 within.py exact got equal
		done
	done
	stktree -q -f text week1.85 --diff week2.85 >text
	test "$(tr "\n" " " <text | tr -s " " | grep -o "week[12].85: the tree leaves out the stacks of [0-9.]* % of the samples; limits allow for them" | wc -l)" -eq 2
	stktree -q -f text week1.tree --diff week2.thin ..2026-11-10T11:00 >text
	tr "\n" " " <text | tr -s " " | grep "samples are estimated; limits allow for none or all"
	printf "rules:\n  - of: function\n    change: 100%%\n    significant: yes\n    at least: 2%%\n" >tripled.yaml
	status 4 stktree -q week1.tree --diff week2.thin --rules tripled.yaml -f tsv >got
	cut -f 6 got | tail -n +2 | sort -u | grep "^com.acme.shop.Discount.evaluateRules$"
'
check 'overweight: growth against that of all samples, in text where there is such, and in ndjson; tsv has the columns that it always had' '
	# ten seconds each: 400 samples, then 600: a function that grew as all did, one three times as much, one that did not, one that is gone, one that is new
	for side in "1 0:200 1:100 2:60 3:40" "2 0:300 1:250 2:20 4:30"; do
		awk -v counts="${side#* }" "BEGIN { n = split(counts, of, \" \"); for (i = 1; i <= n; i++) { split(of[i], one, \":\"); all += one[2] }
			for (i = 1; i <= n; i++) { split(of[i], one, \":\"); for (k = 0; k < one[2]; k++) name[at++ * 7919 % all] = \"f\" one[1] }
			for (k = 0; k < all; k++) printf \"app 1 [000] %.6f: cpu-clock:\n\\t    1000 %s (/bin/app)\n\n\", 1000 + k * 10 / (all - 1), name[k] }" |
			stkcap -q -o side${side%% *}.stk --format perf-script -
	done
	stktree -q -f text side1.stk --diff side2.stk --width 120 >text
	head -1 text | grep "delta %  overweight %"
	for row in "100 .* f0" "300 .* f1" "-133 .* f2" "gone .* f3" "new .* f4"; do grep -E " $row\$" text; done
	grep "growth of a row in percent of that of all samples (+50 % a second)" text
	stktree -q -f ndjson --report flat side1.stk --diff side2.stk >rows
	grep "\"function\":\"f1\".*\"overweight\":300[.0-9]*}" rows && grep "\"function\":\"f4\".*\"overweight\":null}" rows
	stktree -q -f text side1.stk --diff side1.stk >text
	status 1 grep overweight text
	stktree -q -f ndjson side1.stk --diff side1.stk >rows
	test "$(grep -c "\"overweight\":null}" rows)" -eq 4
	printf "a;b 300\na;c 100\n" | stkcap -q --format folded -o untimed.stk -
	stktree -q -f text untimed.stk --diff untimed.stk >text
	status 1 grep overweight text
'
check 'damage and lost ids are said once, as often as they are there' '
	size=$(wc -c <week2.stk)
	head -c $((size * 2 / 3)) week2.stk >cut.stk
	status 1 stktree -f tsv week1.stk --diff cut.stk >out 2>err
	sort err | uniq -d >twice
	test ! -s twice
	grep "cut.stk" err
'
finish
