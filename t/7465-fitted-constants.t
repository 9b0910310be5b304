#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend --fit-constants: one set of constants for the series of a stream, which does predict better.
. "${0%/*}/lib/tap.sh"

# Three weeks of two metrics: a heap that is set back, and a queue with the day.
awk 'BEGIN { srand(1); pi = atan2(0, -1); print "time,name,value"
	for (i = 0; i < 21 * 96; i++) { at = 1772323200 + i * 900; d = i / 96
		printf "%d,heap.used,%.3f\n%d,queue.length,%.3f\n", at, 500 + 40 * (d % 10) + 20 * rand(), at, 50 * (1 + 0.5 * sin(2 * pi * d)) + 5 * rand() } }' | stkcap -q - >two.stk

# error OPTION...: the mean size of errors of one step in the third week, of the heap and of the queue, as the records have them
error() { stktrend -q -f stream "$@" two.stk | stkcat -q --only measure -f tsv | awk -F '\t' '$2 > "2026-03-15" && $4 + 0 == $4 { e = $3 - $4; sum[$1] += e < 0 ? -e : e; n[$1]++ } END { print sum[1] / n[1], sum[2] / n[2] }'; }
check 'the constants are an option that can be used as it is, and with them nothing is left to gain' '
	stktrend -q --fit-constants -f text two.stk >seen
	sed -n 1p seen >option
	grep -qx -- "--constants alpha=[0-9.e-]*,beta=[0-9.e-]*,kappa=0,gamma=[0-9.e-]*,delta=0.02,phi=[0-9.e-]*" option
	grep -q "mean error of one step: [4-9][0-9][0-9.]* % of what it is with the constants in use, over 2 series together" seen
	stktrend -q --fit-constants -f tsv two.stk | awk -F "\t" "NR == 2 { exit !(\$7 < 0.9 && \$8 == 2) }"
	stktrend -q $(cat option) --fit-constants -f tsv two.stk | awk -F "\t" "NR == 2 { print; exit !(\$7 > 0.97 && \$7 <= 1) }"'
check 'the errors of the records are smaller with them by as much' '
	echo "$(error) $(error $(cat option)) $(stktrend -q --fit-constants -f tsv two.stk | tail -1 | cut -f 7)" >errors
	awk "{ by = (\$3 / \$1 + \$4 / \$2) / 2; print \$0, by; exit !(by < 0.9 && (by - \$5) ^ 2 < 0.01) }" errors'
check 'what is too short, a state and a plain file are refused' '
	printf "time,name,value\n1772323200,a,1\n1772324200,a,2\n" | stkcap -q - >short.stk
	status 2 stktrend --fit-constants short.stk 2>said && grep -q "no series has more" said
	status 2 stktrend --fit-constants --resume state two.stk 2>said && grep -q -- "--resume" said
	status 2 stktrend --fit-constants -f stream two.stk 2>said && grep -q "cannot be written as records" said
	status 2 stktrend --fit-constants --csv x.csv 2>said && grep -q -- "--csv" said'
finish
