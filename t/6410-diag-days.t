#!/bin/sh
# SPDX-License-Identifier: MIT
# stkdiag over generated days of a service of which every incident is known.
. "${0%/*}/lib/tap.sh"
# and make_foreign, for scripts/diag-accuracy
make=${BUILD:-}/t/tools/make_incidents
test -x "$make" || skip_all 'no make_incidents: run by make check'

check 'a day without incidents: nothing is found, and what was looked at is said, in the text of any JDK' '
	for jdk in 8 17 21; do
		"$make" 7 truth 288 60 0 1772352000 0 $jdk >dumps
		test ! -s truth
		stkcap -q dumps >day.stk
		status 0 stkdiag -q -f tsv day.stk >out
		cut -f 3 out | grep -v "^rule$\|^hot$" >found
		echo healthy | same - found
		grep -q "nothing wrong in 288 dumps with $(grep -c "^\"\|^   Mounted" dumps) samples of 1 process" out
	done
'
check 'a night in which nobody works: nothing is found' '
	"$make" 7 truth 60 60 0 1772352000 0 17 | awk "BEGIN { RS = \"\"; ORS = \"\n\n\" } !/shop\./ || /EPoll/" >dumps
	stkcap -q dumps >night.stk
	status 0 stkdiag -q -f tsv night.stk >out
	cut -f 3 out | tail -n +2 >found
	echo healthy | same - found
'
check '30 days: of each rule nearly every clear and strong incident is found, and nearly every finding is of one' '
	(cd "$t/.." && STKBIN=$(dirname "$(command -v stkdiag)") scripts/diag-accuracy 30 1000) >table
	cat table >&3
	awk -F "\t" "NR > 1 { clear += \$4 + \$7; found += \$5 + \$8; findings += \$10; right += \$11; if (\$4 + \$7 > 0) rules++ }
		END { print rules, clear, found, findings, right; exit !(rules == 24 && found >= 0.95 * clear && right >= 0.95 * findings) }" table
'
check 'the times are those of the incident, to the dump' '
	for seed in 1 2 3 4 5 6 7 8 9; do
		"$make" $seed truth 288 60 7 1772352000 0 17 >dumps
	stkcap -q dumps >day.stk
	stkdiag -q -f tsv day.stk >out || test $? = 4
	for rule in deadlock spin finalizer convoy; do
		awk -F "\t" -v rule=$rule "\$1 == rule && \$5 >= 4 && (rule != \"convoy\" || \$4 >= 4) { print \$2, \$3 }" truth
		awk -F "\t" -v rule=$rule "\$3 == rule { print \$1, \$2 }" out | sed "s/^/found /"
	done; done | sort >times
	test "$(grep -vc "^found" times)" -ge 6
	grep -q "^2026" times
	grep -v "^found" times | while read -r from to; do grep -qx "found $from $to" times || { echo "$from $to"; cat times; false; }; done
'
check 'dumps that are cut, shuffled by file, or of two days: never a crash; time that goes back is said' '
	"$make" 1 truth 40 60 1 >dumps
	split -n 7 dumps part.
	for part in part.*; do
		stkcap -q "$part" >part.stk 2>err || true
		stkdiag -q -f tsv part.stk >out 2>err || test $? = 4 || test $? = 1
	done
	stkcap -q dumps >day.stk
	cat day.stk day.stk >twice.stk
	stkdiag -f tsv twice.stk >out 2>err || test $? = 1
	grep -q "1 dump is earlier than the one before it" err
'
finish
