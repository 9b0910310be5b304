#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --off-cpu: how long threads are away from the processors, and where they wait. The second way is the scheduler's
# own account: a thread's time on processors (schedstat), and what is left of the time is what it was away.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"
by_turns

test -n "$java_homes" || skip_all 'no JDK'
java=${java_homes%%
*}/bin/java
program=Waits
load waits
status 0 stkcap -q --jvm $waits --ticks 99 --off-cpu 1 --count 1 -o can.stk 2>why || { unload waits; skip_all "$(cat why)"; }
test -r /proc/$waits/task/$waits/schedstat || { unload waits; skip_all 'the kernel has no schedstat'; }

# ran: the time that each thread ran so far, in nanoseconds, and now
ran() {
	for task in /proc/$waits/task/*; do
		echo "$(cat $task/comm | tr ' ' _) $(cut -d ' ' -f 1 $task/schedstat)"
	done
	echo "now $(date +%s%N)"
}
# rows FILE: thread, event, state, weight in nanoseconds, and when it began, in seconds of the day (of the next one: more than 86400)
rows() {
	stkcat -f tsv --only sample "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			split(substr($at["time"], 12), clock, /[:Z]/)
			second = clock[1] * 3600 + clock[2] * 60 + clock[3]
			if (NR == 2) first = second
			if (second < first - 43200) second += 86400
			printf "%s\t%s\t%s\t%s\t%.9f\n", $at["thread"], $at["event"], $at["state"], $at["weight"], second
		}'
}

ran >before
stkcap -q --jvm $waits --ticks 199 --off-cpu 1 --stack-copy 8K --count 8 -o waits.stk
ran >after
rows waits.stk >rows
# the seconds that were captured, by the clock of the ticks
seconds=$(stkcat -f tsv --only counter waits.stk | awk -F '\t' '$2 == "" && $3 == 0 && $4 == "expected" { n = $5 } END { print n / 199 }')

check 'away and on processors are all of a thread, within 2 %' '
	stkcat --check waits.stk
	lost=$(stkcat -f tsv --only counter waits.stk | awk -F "\t" "\$4 == \"off-cpu.lost\" { n = \$5 } END { print n + 0 }")
	awk -F "[ \t]" -v seconds=$seconds -v lost=$lost "
		FILENAME == \"before\" { from[\$1] = \$2; next }
		FILENAME == \"after\" { ran[\$1] = \$2 - from[\$1]; next }
		\$2 == \"off-cpu\" {
			away[\$1] += \$4 / 1e9
			if (!(\$1 in began) || \$5 < began[\$1]) began[\$1] = \$5
			if (\$5 + \$4 / 1e9 > ended[\$1]) ended[\$1] = \$5 + \$4 / 1e9
		}
		END {
			for (t in away) {
				if (t !~ /^(sleeper|quarter|holder|wanter)\$/) continue
				whole = ended[t] - began[t]
				most = ran[t] / 1e9
				least = most - (ran[\"now\"] / 1e9 - whole)	# before its first wait and after its last one
				if (least < 0) least = 0
				print t, \"away\", away[t], \"on\", least, most, \"of\", whole, \"s\"
				n++
				if (whole < .9 * seconds || away[t] + least > 1.02 * whole || (away[t] + most < .98 * whole && lost == 0)) bad = 1
			}
			exit bad || n != 4
		}" before after rows
'
check 'a thread that sleeps is asleep, and has hardly a tick' '
	# of the time from its first wait to the end of its last one, but for what others had the processor while it could have run: how
	# soon the capture begins, and how often that is so, depends on the load
	awk -F "\t" -v seconds=$seconds "\$1 == \"sleeper\" && \$2 == \"off-cpu\" {
			if (\$3 == \"sleeping\") n += \$4 / 1e9
			else put_off += \$4 / 1e9
			if (!began || \$5 < began) began = \$5
			if (\$5 + \$4 / 1e9 > ended) ended = \$5 + \$4 / 1e9
		}
		END { print n, put_off + 0, ended - began, seconds; exit n < .95 * (ended - began - put_off) || ended - began < .9 * seconds }" rows
	awk -F "\t" -v seconds=$seconds "\$1 == \"sleeper\" && \$2 == \"cpu-clock\" { n += \$4 / 1e9 } END { print n; exit n > .05 * seconds }" rows
'
check 'where they wait: asleep within the lock, and for it' '
	stkcat -f folded --event off-cpu waits.stk >folded
	awk "/;Waits.hold;Waits.nap;.*[Ss]leep/ { n += \$NF } END { print n / 1e9; exit n < .5e9 * $seconds }" folded
	awk "/;Waits.want;.*ObjectMonitor.*[Ee]nter/ { n += \$NF } END { print n / 1e9; exit n < .5e9 * $seconds }" folded
	awk "/;Waits.burn/ && / [0-9]+\$/ { n += \$NF } END { print n / 1e9; exit n > .8e9 * $seconds }" folded
'
check 'every Nth wait is weighed N times' '
	status 0 stkcap -q --jvm $waits --ticks 99 --off-cpu 5 --count 8 -o some.stk
	rows some.stk | awk -F "\t" "\$2 == \"off-cpu\" { n++; s += \$4 / 1e9 } END { print n, s; exit n < 20 || s < 16 || s > 64 }"
	test "$(rows some.stk | grep -c off-cpu)" -lt "$(grep -c off-cpu rows)"
'
# where tracefs is not mounted, in a place of its own that has it
has_wakers() { unshare -m sh -c 'test -r /sys/kernel/tracing/events/sched/sched_waking/id || mount -t tracefs none /sys/kernel/tracing' 2>/dev/null; }
with_tracefs() { unshare -m sh -c 'test -r /sys/kernel/tracing/events/sched/sched_waking/id || mount -t tracefs none /sys/kernel/tracing; exec "$@"' - "$@"; }
woken='who woke them: the holder of a lock, and timers'
if has_wakers; then
	check "$woken" '
		with_tracefs stkcap --jvm $waits --ticks 99 --off-cpu 1 --stack-copy 8K --count 6 -o woken.stk 2>err
		status 1 grep "who wakes threads is not known" err
		stkcat -f tsv --only sample woken.stk | awk -F "\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
			\$at[\"event\"] == \"off-cpu\" && \$at[\"state\"] == \"sleeping\" { print \$at[\"thread\"] \"\t\" \$at[\"note\"] \"\t\" \$at[\"weight\"] }" >notes
		# a thread that wants a lock looks again from time to time, by a timer; in the end its holder wakes it, and nobody else.
		# Some kernels keep back what interrupts do while a processor is idle: these wakeups are counted.
		awk -F "\t" "\$1 == \"wanter\" && \$2 != \"\" { all++; holder += \$2 ~ /^woken by holder \\([0-9]+\\)\$/; timer += \$2 == \"woken by an interrupt\" }
			END { print \"wanter\", all, holder, timer; exit !(holder >= 3 && holder + timer >= .9 * all) }" notes
		awk -F "\t" "\$1 == \"sleeper\" && \$2 != \"\" { n++; if (\$2 != \"woken by an interrupt\") other++ } END { print \"sleeper\", n, other + 0; exit other > .1 * n }" notes
		# the last wait of a thread is one of them where it came back before the end
		counted=$(stkcat -f tsv --only counter woken.stk | awk -F "\t" "\$4 == \"off-cpu.unknown-waker\" { n = \$5 } END { print n }")
		awk -F "\t" -v counted=$counted "\$2 == \"\" { n++ } { last[\$1] = \$2 } END { for (t in last) at_end += last[t] == \"\"
			print counted, n + 0, at_end + 0; exit !(counted <= n && counted >= n - at_end) }" notes
	'
else
	skip 'tracefs cannot be mounted' "$woken" ''
fi
check 'where the kernel does not say who woke them, that is reported, and all else is there' '
	stkcap --jvm $waits --ticks 99 --off-cpu 1 --count 1 -o plain.stk 2>err
	test -r /sys/kernel/tracing/events/sched/sched_waking/id || grep "who wakes threads is not known: /sys/kernel/tracing/events/sched/sched_waking cannot be read" err
	rows plain.stk | grep -q off-cpu
	grep "^stkcap: off-cpu of Waits ($waits): [0-9]* stacks walked" err
	stkcap --native all --ticks 99 --off-cpu 5 --count 1 -o all.stk 2>err
	grep "^stkcap: off-cpu of [0-9]* process[es]*: [0-9]* stacks walked" err
'
check 'ticks alone are as before, and without ticks it is refused' '
	status 0 stkcap -q --jvm $waits --ticks 99 --count 2 -o ticks.stk
	rows ticks.stk >got
	status 1 grep off-cpu got
	status 2 stkcap --jvm $waits --off-cpu 1 -o x.stk 2>err
	status 2 stkcap --jvm $waits --ticks 99 --off-cpu 0 -o x.stk 2>err
'
unload waits
finish
