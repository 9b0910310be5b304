#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --adaptive=FILE: a VM whose load has a season is asked as stktrend --rate-plan says. The season is of slots of
# ten seconds, so that a minute shows some of them.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"

# Three days of it: 2.5 and 12 threads at a time.
awk 'BEGIN { for (i = 0; i < 3 * 17280; i++) {
	print "@" 1772323200 + i * 5
	print "come;busy " (int(i / 2) % 2 == 0 ? 2 + i % 2 : 12)
	print "main 3" } }' | stkcap -q --format folded-dumps - | stkclass -q >season.stk
stktrend -q -f tsv --kind class season.stk | awk -F '\t' 'NR > 1 && $2 > 5 { print $1 }' >busy
plan() {
	stktrend -q --kind class --periods day --season-step 10s --step 10s --rate-plan --confidence 90 --series "$(cat busy)" "$@" season.stk
}

check 'a plan as a file has the intervals of the table' '
	test -s busy
	plan -o plan.yaml
	plan -f yaml >same.yaml
	same plan.yaml - <same.yaml
	grep -q "fewer$" plan.yaml
	plan -f tsv | awk -F "\t" "NR > 1 { print \$5 }" >dumps
	test "$(wc -l <dumps)" = 8640
	awk "/^    [0-9][0-9]:[0-9:]*: / {
			split(\$1, at, \":\")
			for (slot = (at[1] * 3600 + at[2] * 60 + at[3]) / 10; n < slot; n++) print is
			is = substr(\$2, 1, length(\$2) - 1) }
		END { for (; n < 8640; n++) print is }" plan.yaml >intervals
	test "$(wc -l <intervals)" = 8640
	paste dumps intervals | awk "{ n = int(10 / \$2); n += n < 10 / \$2; bad += n != \$1 } END { exit bad > 0 }"
'
check 'it holds the class that was named: the error by its own arithmetic is what the plan says, and at most that asked for' '
	awk "/^    worst:/ { sub(/%/, \"\"); exit !(\$2 > 9 && \$2 <= 10) }" plan.yaml
	# z^2 / e^2 / mean dumps of independent counts, of 12.33 cycles that a gain of 0.15 looks back over
	awk "NR <= 2 { m = NR == 1 ? 2.5 : 12; n = (1.64485 / 0.1) ^ 2 / m / ((2 - 0.15) / 0.15)
			want = int(n); want += want < n; bad += \$1 != want } END { exit bad > 0 }" dumps
'
check 'a plan that is not one is refused, as is a format that only plans have' '
	status 2 stkcap --jvm all --adaptive=nothing.yaml -o x.stk 2>said
	grep -q "nothing.yaml" said
	sed "s/^zone: UTC/zone: Nowhere/" plan.yaml >bad.yaml
	status 2 stkcap --jvm all --adaptive=bad.yaml -o x.stk 2>said
	grep -q "bad.yaml:4:7: " said
	status 2 stkcap --jvm all --adaptive= -o x.stk 2>said
	grep -q "the value is empty" said
	printf "output: x.stk\njvm: all\nadaptive: bad.yaml\n" >service.yaml
	status 2 stkcap --config service.yaml 2>said
	grep -q "bad.yaml:4:7: " said
	printf "output: x.stk\njvm: all\nadaptive: [1]\n" >service.yaml
	status 2 stkcap --config service.yaml 2>said
	grep -q "service.yaml:3:11: expected yes or no" said
	status 2 stktrend -f yaml season.stk 2>said
	grep -q "needs --rate-plan" said
	test ! -e x.stk
'
check 'a named series without a season is reported, with status 1' '
	awk "BEGIN { for (i = 0; i < 900; i++) { print \"@\" 1772323200 + i * 300; print \"a;b 5\"; if (i > 800) print \"new 3\" } }" |
		stkcap -q --format folded-dumps - | stkclass -q >young.stk
	status 1 stktrend -f yaml --kind class --periods day --rate-plan --series "*" young.stk >plan 2>said
	grep -q "(new) is left out: it has no season yet" said
	test "$(grep -c "series:" plan)" = 1
'
if test -z "$java_homes"; then
	skip 'a VM is asked as planned' 'no JDK'
	finish
fi
java=${java_homes%%
*}/bin/java
by_turns
program=Season
load one 2.5 12
check 'a VM is asked as planned: 9 and 2 times in a slot, so 39 % less often than at one rate that holds the class' '
	stkcap --jvm $one --adaptive=plan.yaml --budget 0 --count 38 -o live.stk
	stkcat -q -f tsv --only dump live.stk | awk -F "\t" "NR > 1 { print substr(\$2, 12, 8) }" >times
	stkcat -q -f tsv --only counter live.stk | awk -F "\t" "\$4 == \"expected\" { n = \$5 } END { print n }" >expected
	# no slot has more; and those that the machine did not let happen were counted
	awk "{ split(\$1, at, \":\"); s = at[1] * 3600 + at[2] * 60 + at[3]; if (NR == 1) first = s; last = s
			n[int(s / 10)]++ }
		END { getline expected <\"expected\"
			for (slot in n) { most = slot % 2 == 0 ? 9 : 2; if (n[slot] > most + (slot == int(first / 10))) bad = 1 }
			for (s = int(first / 10); s <= int(last / 10); s++) { m = s % 2 == 0 ? 9 : 2
				for (k = 0; k < m; k++) { at_ = s * 10 + k * 10 / m; planned += at_ > first && at_ <= last } }
			print planned, expected
			exit bad || expected < planned - 2 || expected > planned + 3 }" times
'
check 'both kinds of slots are seen as they are' '
	stkcat -q -f tsv --only sample --grep Season.busy live.stk | awk -F "\t" "NR > 1 { print substr(\$1, 12, 8) }" >samples
	awk "FNR == NR { split(\$1, at, \":\"); dumps[int(at[3] / 10) % 2]++; next }
		{ split(\$1, at, \":\"); n[int(at[3] / 10) % 2]++ }
		END { low = n[0] / dumps[0]; high = n[1] / dumps[1]; print low, high; exit !(low > 1 && low < 5 && high > 2 * low) }" times samples
'
unload one
finish
