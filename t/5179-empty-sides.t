#!/bin/sh
# SPDX-License-Identifier: MIT
# What has no samples has no shares to compare; and times of a clock that counts from an unknown start are no dates.
. "${0%/*}/lib/tap.sh"

for i in 1 2 3 4 5 6 7 8; do printf "app 1/1 100$i.000000: 10 cycles: \n\t1 f$((i % 2)) (app)\n\t2 main (app)\n\n"; done |
	stkcap -q --format perf-script -o ticks.stk -
stktree -q -o ticks.tree --leaf 2 ticks.stk

check 'a side without samples: no share, no difference, no limits, no mark, in each report and format' '
	for report in flat tree paths classes; do
		of=ticks.tree; test $report = classes && { stkclass -q ticks.stk >classes.stk; of=classes.stk; }
		for way in "a @1..@2" "b @1..@2 @1001..@1009"; do
			side=${way%% *}
			set -- $of --report $report --diff ${way#* }
			status 1 stktree -q -f tsv "$@" >got 2>said
			grep -q "@1..@2: no samples there" said
			awk -F "\t" -v side=$side "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
				{ rows++; if (\$at[\"delta\"] \$at[\"low\"] \$at[\"high\"] != \"\" || \$at[\"significant\"] != 0) exit 1
				for (name in at) if (name ~ (side == \"a\" ? \"_b\\$|^b\\$\" : \"_a\\$|^a\\$\") && \$at[name] != \"\") exit 1
				for (name in at) if (name ~ (side == \"a\" ? \"_a\\$|^a\\$\" : \"_b\\$|^b\\$\") && \$at[name] == \"\") exit 1 }
				END { if (rows == 0) exit 1 }" got
			status 1 stktree -q -f ndjson "$@" >got 2>said
			test $(grep -c "\"delta\":null,\"low\":null,\"high\":null,\"significant\":0" got) -gt 1
			status 1 stktree -q -f text "$@" >got 2>said
			grep -q "@1..@2: no samples, so it has no shares to compare" got
			status 1 grep -e "more than chance" -e "-100" -e " 0.00" got
			status 1 grep "@1..@2: too few" got
		done
	done'
check 'beside another side, which is compared; both without samples; rates, where no samples in a time is a rate' '
	status 1 stktree -q -f tsv --report flat ticks.tree --diff ticks.tree --diff @1..@2 >got 2>said
	test "$(awk -F "\t" "\$1 != \"with\" { print \$1, \$7 }" got | sort -u | tr "\n" ,)" = "@1..@2 ,ticks.tree 0.0,"
	status 1 stktree -q -f tsv ticks.tree --diff @1..@2 @3..@4 >got 2>said && test $(wc -l <got) = 1
	status 1 stktree -q -f tsv --rate second ticks.tree --diff @1002.5..@1002.7 >got 2>said
	awk -F "\t" "NR > 1 && (\$4 >= 0 || \$3 != 0) { exit 1 }" got && test $(wc -l <got) -gt 1
	printf "rules:\n  - of: function\n    change: 10%%\n" >rules.yaml
	status 1 stktree -q --rate share --rules rules.yaml ticks.tree --diff @1..@2 >got 2>said && test ! -s got'
check 'thinned samples are missed in every window, also in one that begins within the last node of a block' '
	awk "BEGIN { for (i = 0; i < 70000; i++) printf \"app 1/1 %.2f: 10 cycles: \n\t1 f%d (app)\n\n\", 1000 + i / 100, i % 3 }" |
		stkcap -q --format perf-script -o many.stk -
	stktree -q --leaf 1 --thin 1s:raw,100d:10ms -o many.thin many.stk
	start=$(stkcat -q -f tsv --only tree_node many.thin | awk -F "\t" "\$1 == 65536 { printf \"%.3f\", \$2 }")
	for of in many.thin -; do
		status 1 stkcat -q -f folded --window @$(awk "BEGIN { print $start + 0.002 \"..@\" $start + 0.008 }") $of <many.thin 2>said >got
		grep -q "1 samples from .* are thinned" said && test ! -s got
	done'
check 'where such a clock was thinned, and where a window is outside it' '
	stktree -q --thin 2s:raw,100s:2s -o thin.tree ticks.tree
	for filter in "stkcat -f folded" "stkplot flame -f svg -o x.svg"; do
		status 1 $filter thin.tree 2>said >out
		grep -q "thin.tree: [0-9]* samples from @1000 to @100[0-9.]* are thinned" said || { cat said; false; }
	done
	for filter in "stkcat -f folded" "stktree -f folded" "stkplot flame -f svg -o x.svg"; do
		status 1 $filter --window @1..@2 ticks.tree 2>said >out || true
		grep -q "the window is outside the recording, which is from @1001 to @1008\$" said || { cat said; false; }
		status 1 grep -q 1970 said
	done
	status 1 stktree -f folded --window @1..@2 --window @3..@4 --window @1001..@1002 ticks.tree 2>said >out	# each is said once
	grep -x "stktree: ticks.tree: 2 of the 3 windows are outside the recording, which is from @1001 to @1008" said
	test "$(grep -c outside said)" = 1'
finish
