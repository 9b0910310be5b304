#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --ticks: what processors do, counted; the counts add up, and agree with programs whose use of them is known.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"
. "$t/lib/ticks_near.sh"
by_turns

test -n "$java_homes" || skip_all 'no JDK'
java=${java_homes%%
*}/bin/java
program=Duty
java_flags="-XX:+UseSerialGC -Xms64m"
load spinner spin
status 0 stkcap -q --jvm $spinner --ticks 99 --count 1 -o can.stk 2>why || { unload spinner; skip_all "$(cat why)"; }
load sleeper sleep; load collector collect

# last FILE SOURCE STATE: the sum over processors of the last counts
last() { stkcat -f tsv --only counter "$1" | awk -F '\t' -v source="$2" -v state="$3" '$2 == source && $4 == state && $3 >= 0 { at[$3] = $5 } END { for (c in at) n += at[c]; print n + 0 }'; }
begin_of_ticks $spinner
stkcap -q --jvm "$spinner,$sleeper,$collector" --ticks 499 --count 6 -o ticks.stk
end_of_ticks $spinner
for pid in $spinner $sleeper $collector; do
	name=$(stkcat -f tsv --only source ticks.stk | awk -F '\t' -v pid=$pid '$4 == pid { print $2 }')
	test $pid != $spinner || spin_name=$name
	test $pid != $sleeper || sleep_name=$name
	test $pid != $collector || collect_name=$name
done

check 'expected is seen, missed and lost; seen is what the states are, on every processor' '
	stkcat --check ticks.stk
	stkcat -f tsv --only counter ticks.stk | awk -F "\t" "NR > 1 { n[\$1 \" \" \$3 \" \" \$4] += \$5; if (\$4 == \"inside\") k[\$1 \" \" \$3]++ }
		END { for (i in k) if (k[i] == 3 && (i \" expected\") in n) {	# all are still there, with the processors
			if (n[i \" expected\"] != n[i \" seen\"] + n[i \" missed\"] + n[i \" lost\"]) bad++
			all = n[i \" inside\"] + n[i \" gc\"] + n[i \" vm-internal\"] + n[i \" outside\"] + n[i \" idle\"] + n[i \" self\"] + n[i \" unmet\"]
			if (all != n[i \" seen\"]) bad++
			rows++ }
		  exit bad > 0 || rows < 6 }"
'
check 'a program that spins is inside, one that sleeps is nowhere' '
	inside=$(last ticks.stk "$spin_name" inside)
	ticks_are_near $inside 499 $((1000 * $(last ticks.stk "" expected) / 499 / $(nproc)))
	test $(last ticks.stk "$sleep_name" inside) -le 30
'
check 'a program that collects 30 %% of the time is in gc 30 %% of its ticks' '
	gc=$(last ticks.stk "$collect_name" gc) inside=$(last ticks.stk "$collect_name" inside)
	echo "gc $gc, inside $inside"
	awk "BEGIN { n = $gc + $inside; share = $gc / n; chance = 4 * sqrt(.21 / n); if (chance < .12) chance = .12; exit !(share > .3 - chance && share < .3 + chance) }"
'
check 'shares of time by state, VM and processor, as a table for people' '
	stkcat -f text ticks.stk | sed -n "/^Ticks of the processors/,/^\$/p" >table
	test -s table
	stkcat -f tsv --only counter ticks.stk | awk -F "\t" -v spin="$spin_name" "# of each processor, between its first counts and its last ones
		\$3 >= 0 && \$2 == \"\" && \$4 == \"expected\" { if (!(\$3 in all0)) all0[\$3] = \$5; all[\$3] = \$5 }
		\$3 >= 0 && \$2 == spin && \$4 == \"inside\" { if (!(\$3 in in0)) in0[\$3] = \$5; inside[\$3] = \$5 }
		END { for (c in inside) n += 100 * (inside[c] - in0[c]) / (all[c] - all0[c]); print n }" >counted
	awk "NR == FNR { counted = \$1; next } \$NF == \"$spin_name\" { n += \$2 } END { d = n - counted; print n, d; exit !(n > 0 && d > -1 && d < 1) }" counted table
'
check 'of each VM how many processors it kept busy, and what part of its own time it collected: as its counts say' '
	stkcat -f text ticks.stk | sed -n "/^Processors that processes kept busy/,/^\$/p" >table
	of() { awk -v name="$1" -v column=$2 "\$NF == name && NF == 5 { print \$column + 0 }" table; }
	grown() { stkcat -f tsv --only counter ticks.stk | awk -F "\t" -v state=$1 -v name="$collect_name" "\$2 == name && \$4 == state { if (!(\$3 in from)) from[\$3] = \$5; to[\$3] = \$5 } END { for (c in to) n += to[c] - from[c]; print n + 0 }"; }
	gc=$(grown gc) inside=$(grown inside) vm=$(grown vm-internal)
	echo "$(of "$collect_name" 3) % of $gc, $inside, $vm"
	awk "BEGIN { d = $(of "$collect_name" 3) - 100 * $gc / ($gc + $inside + $vm); exit !(d > -.1 && d < .1) }"
	awk "BEGIN { exit !($(of "$spin_name" 2) > 90 && $(of "$spin_name" 1) > 0 && $(of "$spin_name" 1) < 1.2) }"
	awk "/processors/ { next } NF == 5 { if (last != \"\" && \$1 > last) bad = 1; last = \$1 } END { exit bad }" table
'
check 'samples: each tick inside, with thread and processor; weights are time' '
	stkcat -f tsv --only sample ticks.stk >samples
	test $(($(wc -l <samples) - 1)) -ge $(($(last ticks.stk "$spin_name" inside) * 9 / 10))
	grep -q "cpu-clock" samples
'
check 'samples: each tick in the threads of the VM itself, by what they do for it; as many as its counts say' '
	stkcat -q -f folded --by source,thread ticks.stk | grep "^$collect_name;.*;\[[a-z-]*\] [0-9]*\$" >own
	cat own
	sum() { awk -v of="$1" "index(\$0, of \" \") { n += \$NF } END { print int(n / 2004008 + .5) }" own; }	# ns of a tick
	near() { echo "$1 samples, $2 counted"; test $(($1 - $2)) -le 5 -a $(($2 - $1)) -le 5; }	# what came after the last count was read
	near $(sum ";VM Thread;[gc]") $(last ticks.stk "$collect_name" gc)	# of a serial collector
	near $(($(sum ";[compiler]") + $(sum ";[vm-internal]"))) $(last ticks.stk "$collect_name" vm-internal)
'
check '... by thread over time, and as groups' '
	stktree -q -f tsv --by source,thread --step 2s ticks.stk | grep "VM Thread" >steps
	cat steps
	test $(cut -f 1 steps | sort -u | wc -l) -ge 3
	stkgroup -q -s jvm -f tsv --by thread --step 2s ticks.stk >steps
	grep "^.*VM Thread" steps
	test $(grep "VM Thread.*GC" steps | cut -f 1 | sort -u | wc -l) -ge 3
'
check 'a thread has one name in dumps and at ticks' '
	stkcap -q --jvm "$spinner" --every 500ms --ticks 99 --count 4 -o both.stk
	stkcat -f tsv --only sample both.stk | awk -F "\t" "\$3 == \"java\" { bad++ } \$3 == \"main\" { n++ } END { exit bad > 0 || n < 6 }"
	stkcat -f tsv --only thread both.stk | awk -F "\t" "\$3 == \"main\" { n++ } END { exit n != 1 }"
'
check 'through the agent: the stacks are those of the program, and their age is known' '
	for try in 1 2 3 4 5; do	# where the processors are busy, it answers in time seldom
		status 0 stkcap -q --jvm $spinner --agent --ticks 499 --count 3 -o stacks.stk
		stkcat -q -f folded stacks.stk >folded
		test $(stkcat -f ndjson --ids --only sample stacks.stk | grep -c "\"age\":[1-9]") -lt 10 || break
	done
	grep -q ";Duty.main;Duty.spin " folded
	test $(stkcat -f ndjson --ids --only sample stacks.stk | grep -c "\"age\":[1-9]") -ge 10
'
check 'of a VM that keeps frame pointers, without copies: the callers at the tick itself, compiled methods by name' '
	java_flags="-XX:+UseSerialGC -XX:+PreserveFramePointer"; load kept spin; java_flags=
	sleep 1		# until it is compiled
	status 0 stkcap -q --jvm $kept --ticks 199 --count 4 --stack-copy 0 -o callers.stk
	stkcat -f ndjson --ids --only sample callers.stk >samples
	test $(wc -l <samples) -ge 10
	test $(stkcat -f folded callers.stk | awk "/;Duty[.]spin [0-9]+\$/ { n += \$NF } { all += \$NF } END { print int(100 * n / all) }") -ge 80
	stkcat -f folded callers.stk | grep -q "JavaCalls.*;Interpreter;"
	test ! -e /tmp/perf-$kept.map
	unload kept
'
check 'one VM after another; orders; conditions' '
	status 0 stkcap -q --jvm "$spinner,$collector" --ticks 199 --rotate-interest 1s --count 4 -o turns.stk
	for name in "$spin_name" "$collect_name"; do test $(stkcat -f tsv --only counter turns.stk | grep -c "inside") -gt 4; done
	test $(last turns.stk "" outside) -ge 50
	# ticks that were expected: those of the turns of both are those of the processor
	stkcat -f tsv --only counter turns.stk | awk -F "\t" "\$3 == 0 && \$4 == \"expected\" { n[\$2] = \$5 }
		END { for (name in n) if (name != \"\") sum += n[name]; print sum, n[\"\"]; exit sum < .9 * n[\"\"] || sum > 1.1 * n[\"\"] }"
	stkcat -f text turns.stk | grep "VMs were counted one after another"
	status 0 stkcap -q --jvm $spinner --ticks 99 --order count --count 2 -o count.stk
	test $(stkcat -f tsv --only sample count.stk | wc -l) -eq 1
	status 0 stkcap -q --jvm $spinner --ticks 99 --order statistics --count 3 -o statistics.stk
	stkcat -f tsv --only metric statistics.stk | grep -q "ticks.share.inside"
	stkcat -f tsv --only metric statistics.stk | awk -F "\t" "\$3 == \"ticks.processors\" && \$4 > 0 && \$4 < 1.3 { n++ } END { exit n < 1 }"
	status 0 stkcap -q --jvm $spinner --ticks 99 --order read --count 2 -o read.stk
	stkcat -f tsv --only counter read.stk | grep -q "cpu-clock"
	status 0 stkcap -q --jvm $spinner --ticks 99 --when file=$PWD/there --count 2 -o unmet.stk
	test $(last unmet.stk Duty inside) -eq 0 -a $(last unmet.stk "" unmet) -ge 10
	: >there
	status 0 stkcap -q --jvm $spinner --ticks 99 --when file=$PWD/there --when user=$(id -un) --when "process=Duty" --order spin --count 2 -o met.stk
	test $(last met.stk Duty inside) -ge 10
	status 2 stkcap -q --jvm $spinner --ticks 99 --when moon=full -o x.stk
	status 2 stkcap -q --jvm $spinner --ticks 99 --order dance -o x.stk
	status 2 stkcap -q --jvm $spinner --on nonsense -o x.stk
'
check 'an event that this machine has not is refused with its name; one that it has is counted' '
	stkcap -q --jvm $spinner --on page-faults:10 --count 2 -o faults.stk
	stkcat --check faults.stk
	stkcap -q --jvm $spinner --on cycles:10000000 --count 2 -o cycles.stk 2>err || { test $? = 3 && grep -q "no counter of cycles" err; }
'
unload spinner sleeper collector
finish
