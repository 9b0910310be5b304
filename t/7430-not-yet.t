#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend: a past that is too short is said, with what it takes and what there is.
. "${0%/*}/lib/tap.sh"

short() { awk -v days="$1" 'BEGIN { srand(2); for (i = 0; i < days * 288; i++) { print "@" 1772323200 + i * 300; print "main;serve " 5 + int(rand() * 3) } }' | stkcap -q -f folded-dumps | stkclass -q; }
flat() { tr -s ' \n' ' '; }
check 'anomalies: days of a season, and how many there are' '
	short 3 | stktrend -q --anomalies -f text | flat | grep -q "cannot be judged yet: it takes 14 days to learn their season, 2.99 so far, and then 100 measures (--changes finds what became another; --periods none: without seasons)"'
check 'anomalies: tables for programs have it on standard error, and only there' '
	short 3 | stktrend --anomalies -f tsv >rows 2>said
	test "$(wc -l <rows)" -eq 1
	grep -q "^stktrend: --anomalies: 2 series cannot be judged yet: it takes 14 days to learn their season, 2.99 so far" said'
check 'alerts of changes: the same, but not those of stuck threads or levels' '
	short 3 >three.stk
	stktrend --alert drift three.stk 2>said && grep -q "^stktrend: --alert: 2 series cannot be judged yet: it takes 14 days" said
	stktrend --alert stuck three.stk 2>&1 | same /dev/null -
	stktrend -q --alert drift three.stk 2>&1 | same /dev/null -'
check 'anomalies: what is found without seasons began within the record' '
	awk "BEGIN { for (i = 0; i < 864; i++) { print \"@\" 1772323200 + i * 300; print \"main;serve \" (i % 288 < 96 ? 2 : 6 + i % 3) } }" | stkcap -q -f folded-dumps | stkclass -q |
		stktrend -q --anomalies --periods none -f tsv | awk -F "\t" "NR > 1 { print \$11 }" >began
	grep -q "^2026-03-02T0[0-9]" began
	test -z "$(grep -v "^2026-03-0[123]T" began)"'
check 'factors: the same' '
	short 1 >one.stk
	status 2 stktrend -q --factors one.stk 2>said && grep -q "no series has a season yet: it takes 2 days to learn one, 0.99 so far" said
	status 2 stktrend -q --factors --periods week one.stk 2>said && grep -q "it takes 14 days to learn one, 0.99 so far" said'
check 'without seasons: measures' '
	short 1 | stktrend -q --anomalies --periods none -f text | flat | grep -q "cannot be judged yet: it takes 100 measures, 9[0-9] so far"'
check 'a plain series of too few measures, and one of enough' '
	awk "BEGIN { print \"time,x\"; for (i = 0; i < 5; i++) print 1404691200 + i * 60 \",\" i % 2 }" | stktrend --csv - --anomalies | flat | grep -q "1 series cannot be judged yet: it takes 12 measures, 5 so far"
	awk "BEGIN { srand(1); print \"time,x\"; for (i = 0; i < 50; i++) print 1404691200 + i * 60 \",\" rand() }" | stktrend --csv - --anomalies | flat | grep -q "no anomalies in 1 series"'
finish
