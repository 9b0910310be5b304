#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --moments: what all processors do at one moment. VMs that are bound to processors are the truth: two on one
# processor never run at the same moment, and none runs on a processor that it may not use. No load changes that.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"
by_turns

test -n "$java_homes" || skip_all 'no JDK'
have taskset || skip_all 'no taskset (Debian: util-linux)'
processors=$(getconf _NPROCESSORS_ONLN)
java=${java_homes%%
*}/bin/java
program=Duty
java_flags="-XX:+UseSerialGC -Xms64m"
run_as="taskset -c 0"
load one spin
status 0 stkcap -q --jvm $one --ticks 99 --moments --count 1 -o can.stk 2>why || { unload one; skip_all "$(cat why)"; }
load two spin
load three collect

# moments FILE: the values of its moments
moments() { stkcat -f tsv --only event "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["name"] == "moment" { print $at["values"] }'; }
# counted STATE: a counter of all.stk
counted() { stkcat -f tsv --only counter all.stk | awk -F '\t' -v state="$1" '$4 == state { n = $5 } END { print n + 0 }'; }

stkcap -q --jvm "$one,$two,$three" --ticks 499 --moments --count 6 -o all.stk
moments all.stk >all

check 'each moment has a number, and what each processor did' '
	stkcat --check all.stk
	test "$(wc -l <all)" = "$(counted moments)"
	test "$(wc -l <all)" -ge 500
	awk -v processors=$processors "NF != processors { print; bad = 1 } END { exit bad }" all
	stkcat -f tsv --only event all.stk | awk -F "\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next } \$at[\"activity\"] != ++n { print; exit 1 }"
'
check 'no tick contradicts the records of which thread runs' '
	test "$(counted moments.contradicted)" = 0
'
check 'a VM that is bound to a processor runs on no other' '
	status 1 grep -E "(^| )[1-9][0-9]*=(inside|gc|vm-internal):" all
	grep -E "(^| )0=inside:" all
'
check 'of VMs on one processor at most one runs at a moment, and all of them do in turn' '
	awk "{ n = 0; for (i = 1; i <= NF; i++) n += \$i ~ /:/; if (n > 1) { print; bad = 1 } } END { exit bad }" all
	test "$(tr " " "\n" <all | sed -n "s/.*=inside:\(Duty.*\)/\1/p" | sort -u | wc -l)" = 3
'
check 'the report says of each pair how often one did this while the other did that' '
	stkcat -f text all.stk | sed -n "/^At the same moments/,/^\$/p" >report
	cat report
	test "$(grep -c "Duty" report)" -ge 3
	grep -E "Duty +inside +Duty#?[23]? +0% +0% +0% +[1-9]" report
	# the shares of a pair, one VM of which does one thing at a moment, add up
	awk "\$1 ~ /^Duty/ && \$3 ~ /^Duty/ { pair = \$1 \" \" \$3; for (i = 4; i <= 7; i++) { sub(/[%<]/, \"\", \$i); sub(/%/, \"\", \$i); sum[pair] += \$i } }
		END { for (p in sum) { n++; if (sum[p] < 99 || sum[p] > 101) { print p, sum[p]; bad = 1 } } exit bad || n != 3 }" report
'
check 'shares are those of the ticks' '
	for vm in Duty Duty#2; do
		tick=$(stkcat -f tsv --only counter all.stk | awk -F "\t" -v vm=$vm "\$2 == vm && \$3 == 0 && \$4 == \"inside\" { n = \$5 } \$2 == \"\" && \$3 == 0 && \$4 == \"seen\" { all = \$5 } END { print n / all }")
		moment=$(awk -v vm=$vm "{ for (i = 1; i <= NF; i++) if (\$i == \"0=inside:\" vm) n++ } END { print n / NR }" all)
		echo "$vm: ticks $tick, moments $moment"
		awk "BEGIN { d = $tick - $moment; exit d > 0.05 || d < -0.05 }"
	done
'
unload two three
check 'events of another kind have moments too' '
	status 0 stkcap -q --jvm $one --on context-switches:20 --moments --count 2 -o switches.stk
	moments switches.stk >switches
	test -s switches
	stkcat -f text switches.stk | grep "a pair takes two processes"
'
unload one
run_as="taskset -c $((processors - 1))"
load asleep nap
test "$processors" -gt 1 && check 'a processor on which nothing runs is idle, not where the last thread was that ran there' '
	status 0 stkcap -q --jvm $asleep --ticks 499 --moments --count 3 -o asleep.stk
	moments asleep.stk >states
	test "$(wc -l <states)" -ge 20
	awk "/=inside:/ { n++ } END { print n + 0, \"of\", NR; exit n > NR / 10 }" states
'
one=$asleep
check 'without ticks it has no effect, and is refused' '
	status 2 stkcap --jvm $one --moments -o x.stk 2>err
	grep -e "--moments" err
'
unload one
finish
