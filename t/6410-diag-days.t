#!/bin/sh
# SPDX-License-Identifier: MIT
# stkdiag over generated days of a service of which every incident is known.
. "${0%/*}/lib/tap.sh"
make=${BUILD:-}/t/tools/make_incidents
test -x "$make" || skip_all 'no make_incidents: run by make check'

check 'a day without incidents: nothing is found, and what was looked at is said' '
	"$make" 7 truth 288 60 0 >dumps
	test ! -s truth
	stkcap -q dumps >day.stk
	status 0 stkdiag -q -f tsv day.stk >out
	cut -f 3 out | grep -v "^rule$\|^hot$" >found
	echo healthy | same - found
	grep -q "nothing wrong in 288 dumps with 13248 threads of 1 process" out
'
check '12 days: of each rule every clear incident is found, and every finding is of one' '
	(cd "$t/.." && STKBIN=$(dirname "$(command -v stkdiag)") scripts/diag-accuracy 12 1000) >table
	cat table >&3
	awk -F "\t" "NR > 1 { clear += \$3; found += \$4; findings += \$7; right += \$8; if (\$3 > 0) rules++ }
		END { print rules, clear, found, findings, right; exit !(rules == 10 && found >= 0.95 * clear && right >= 0.95 * findings) }" table
'
check 'the times are those of the incident, to the dump' '
	"$make" 1 truth >dumps
	stkcap -q dumps >day.stk
	stkdiag -q -f tsv day.stk >out || test $? = 4
	for rule in deadlock spin finalizer convoy; do
		awk -F "\t" -v rule=$rule "\$1 == rule && \$5 >= 4 && (rule != \"convoy\" || \$4 >= 4) { print \$2, \$3 }" truth
		awk -F "\t" -v rule=$rule "\$3 == rule { print \$1, \$2 }" out | sed "s/^/found /"
	done | sort >times
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
