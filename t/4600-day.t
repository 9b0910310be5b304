#!/bin/sh
# SPDX-License-Identifier: MIT
# A day of a real program's dumps (scripts/sample/capture-day), twice on one JDK and once on another: classes outlive a restart.
. "${0%/*}/lib/tap.sh"

for run in 17a 17b 25a; do
	stkcap -q --source shop "$t/data/day-$run.txt.gz" >$run.stk
	stkclass -q -f tsv $run.stk | tail -n +2 | cut -f 2,5 | sort >$run.folded
	stkclass -q -f tsv --exact $run.stk | tail -n +2 | cut -f 2,5 | sort >$run.exact
done

# common A B KIND   the share of A's threads that stand in classes of B too, in percent
common() { join -a 1 $1.$3 $2.$3 | awk '{ all += $2; if (NF == 3) both += $2 } END { printf "%d", 100 * both / all }'; }

check 'after a restart nearly all threads stand in classes of before; with generated names they do not' '
	test "$(common 17a 17b folded)" -ge 99
	test "$(common 17b 17a folded)" -ge 99
	test "$(common 17a 17b exact)" -lt 80
'
check '... also where the other run is counted on: from a state, few classes are new' '
	stkclass -q --resume shop.state -f tsv 17a.stk | tail -n +2 | wc -l >before
	zcat "$t/data/day-17b.txt.gz" | sed "s/^2026-03-02/2026-03-03/" | stkcap -q --source shop | stkclass -q --resume shop.state -f tsv | tail -n +2 | wc -l >after
	test $(cat after) -le $(($(cat before) + 5)) -a $(cat before) -ge 10
'
check 'another JDK: the program'"'"'s own segments are the same where the library did not change' '
	for run in 17a 25a; do stkclass -q --segments -f tsv $run.stk | tail -n +2 | cut -f 7 | tr ";" "\n" | grep "^DayShop" | sort -u >$run.own; done
	test "$(join 17a.own 25a.own | wc -l)" -ge 8
'
check 'the day shows: visitors by day, not by night' '
	stkclass -q 17a.stk | stkcat -f tsv --only intensity | awk -F "\t" "\$3 == \"class\" { hour = substr(\$1, 12, 2) + 0; if (hour >= 9 && hour < 18) day += \$6; else if (hour < 6) night += \$6 }
		END { exit !(day / 9 > 1.2 * night / 6) }"
'
finish
