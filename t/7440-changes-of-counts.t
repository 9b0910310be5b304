#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend: counts are judged as counts, dump by dump; what began together is one finding, told once, whatever the pieces in which it came.
. "${0%/*}/lib/tap.sh"

# Dumps ten minutes apart from Monday 2026-03-02 on, with a daily wave: counts DAYS SEED CHANGED. From day 16, 10:00 on, if CHANGED: orders twice, mail gone, search new.
counts() {
	awk -v days="$1" -v seed="$2" -v changed="$3" 'function poisson(m, l, p, k) { l = exp(-m); for (p = rand(); p > l; p *= rand()) k++; return k + 0 }
		function print_class(stack, mean, k) { k = poisson(mean); if (k > 0) print stack " " k }
		BEGIN { srand(seed); for (i = 0; i < days * 144; i++) {
			print "@" 1772409600 + i * 600; wave = 1 + 0.6 * cos((i % 144 - 84) / 144 * 6.2832); after = changed && i >= 16 * 144 + 60
			for (k = 0; k < 9; k++) print_class("run;serve;page" k ";read", (k + 1) / 2 * wave)
			print_class("run;serve;orders;db;read", (after ? 5 : 2.5) * wave)
			print_class("run;batch;mail;send", after ? 0 : 2 * wave)
			print_class("run;serve;search;index;find", after ? 1.5 * wave : 0)
		} }'
}
counts 20 1 1 | stkcap -q -f folded-dumps | stkclass -q -o rollout.stk
stktrend -q --anomalies -f tsv rollout.stk >rows
column() { awk -F '\t' -v what="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == what) c = i; next } { print $c }' rows; }
check 'a rollout is one finding, which began when it did, and each class in it is told once' '
	test "$(column finding | sort -u | wc -l)" = 1
	column finding | grep -q "^2026-03-18T\(0[89]\|1[01]\):"
	test "$(grep -c "	gone	.*	send < mail" rows)" = 1
	test "$(grep -c "	new	.*	find < index < search" rows)" = 1
	test "$(grep -c "	\(shift\|burst\)	.*	read < db < orders" rows)" -ge 1
	test "$(grep -c "page" rows)" = 0 && test "$(wc -l <rows)" -lt 8'
check 'all of it is told within a day, with limits that hold the truth' '
	column told | awk "\$1 > \"2026-03-19T10\" { exit 1 }"
	awk -F "\t" "\$3 == \"gone\" { if (\$14 > 0 || \$15 > 1) exit 1; n++ } END { exit !n }" rows'
check 'a quiet record has nothing, and says of how many series' '
	for seed in 2 3; do counts 22 $seed 0 | stkcap -q -f folded-dumps | stkclass -q | stktrend --anomalies -f text >seen && grep -q "no anomalies in [0-9]* series" seen; done'
check 'rules know what is new and what is gone' '
	status 4 stktrend -q --alert new --alert gone rollout.stk >said && test "$(wc -l <said)" = 2
	grep -q "send < mail.*: gone from" said && grep -q "find < index.*: new from" said
	status 0 stktrend -q --alert "variance of *" rollout.stk >said && test ! -s said'
check 'what began together is one line of an alert, with how many there are of each kind and the greatest by name' '
	status 4 stktrend -q --alert any rollout.stk >said && test "$(wc -l <said)" = 1
	grep -q "^2026-03-18T[01][0-9]:[0-9:]*Z 3 changes that began together: 1 gone, 1 shift, 1 new; .*read < db.*: shift from .*; .*: gone from .*; .*: new from " said
	status 4 stktrend -q --alert new,gone rollout.stk | grep -q "Z 2 changes that began together: 1 gone, 1 new; .*: gone from .*: new from 0"'
check 'pieces tell what the whole tells, and leave the same state, byte for byte' '
	stktrend -q --anomalies --all -f tsv --resume whole rollout.stk | tail -n +2 | sort >one
	: >many; from=1772409600
	for hours in 100 217.5 24.2 47 0.5 3 8 0.2 30 1 200; do
		to=$(awk "BEGIN { printf \"%d\", $from + $hours * 3600 }")
		stkcat -q -f stream --from @$from --to @$to rollout.stk | stktrend -q --anomalies --all -f tsv --resume parts | tail -n +2 >>many
		from=$to
	done
	sort many >sorted && same one sorted && test -s one && cmp whole parts'
# From day 16, 10:00 on much of what old did is done by its sibling, fast, and slow as before.
awk 'function poisson(m, l, p, k) { l = exp(-m); for (p = rand(); p > l; p *= rand()) k++; return k + 0 }
	BEGIN { srand(5); for (i = 0; i < 20 * 144; i++) {
		print "@" 1772409600 + i * 600; after = i >= 16 * 144 + 60
		k = poisson(after ? 2 : 8); if (k) print "run;serve;old;read " k
		k = poisson(after ? 8 : 2); if (k) print "run;serve;fast;read " k
		k = poisson(3); if (k) print "run;serve;slow;read " k
		k = poisson(6); if (k) print "run;batch;mail;send " k } }' |
	stkcap -q -f folded-dumps | stkclass -q -o moved.stk
check 'work that moved to a sibling is one finding, and the second of the two is called a cost shift' '
	stktrend -q --anomalies -f tsv moved.stk >rows
	column finding | sort -u >finding && test "$(wc -l <finding)" = 1 && grep -q "^2026-03-18T\(09\|1[01]\):" finding
	test "$(grep -c "	shift	" rows)" = 1 && test "$(grep -c "	cost-shift	" rows)" = 1
	awk -F "\t" "\$3 ~ /shift/ { sum += \$8 - \$7; if (\$8 - \$7 > 4) won = 1; if (\$7 - \$8 > 4) lost = 1 } END { exit !(won && lost && sum * sum < 4) }" rows
	status 4 stktrend -q --alert "cost-shift of *" moved.stk >said && test "$(wc -l <said)" = 1 && grep -q "cost-shift from" said'
check 'what became rarer is not gone, though a dump is without it: it is at the level that is true' '
	test "$(grep -c "	gone	" rows)" = 0
	awk -F "\t" "\$3 == \"shift\" { n++; bad += !(\$14 < 2 && \$15 > 2) } END { exit !(n == 1 && bad == 0) }" rows'
check 'in pieces it is called the same, and the state is the same' '
	stktrend -q --anomalies -f tsv --resume all-moved moved.stk >/dev/null
	: >many; from=1772409600
	for hours in 384 10.2 0.4 0.4 1 1 3 20 200; do
		to=$(awk "BEGIN { printf \"%d\", $from + $hours * 3600 }")
		stkcat -q -f stream --from @$from --to @$to moved.stk | stktrend -q --anomalies -f tsv --resume parts-moved | tail -n +2 >>many
		from=$to
	done
	sort many >sorted && tail -n +2 rows | sort | same sorted - && cmp all-moved parts-moved'
check 'a state that is cut, or whose rows cannot be, is refused and kept' '
	head -c 20000 whole >cut && cp cut kept
	stktrend -q --resume cut -f tsv </dev/null >/dev/null 2>said && exit 1 || test $? = 3
	cmp cut kept'
finish
