#!/bin/sh
# SPDX-License-Identifier: MIT
# What is counted has a unit, which is said; dumps and ticks of one capture are two events, and are never added up silently.
. "${0%/*}/lib/tap.sh"

zcat "$t/data/day-17a.txt.gz" | stkcap -q -o dumps.stk -
awk 'BEGIN { for (i = 0; i < 300; i++)
	printf "java 10/%d [000] %.6f: 10101010 cpu-clock: \n\t1 f%d (app)\n\t3 main (app)\n\n", 10 + i % 2, 1000 + i / 10, i % 5 }' |
	stkcap -q --format perf-script -o ticks.stk -
cat dumps.stk ticks.stk >both.stk
cat ticks.stk dumps.stk >other.stk
printf 'a;b 3\n' | stkcap -q --format folded -o untimed.stk -
sum() { awk '{ n += $NF } END { printf "%.0f\n", n }'; }

check 'dumps and ticks are two events: one is counted, the first, and what is left out is said' '
	for program in stkcat stktree; do
		test "$($program -f folded --by none both.stk 2>said | sum)" = 1082 && grep -q "counted samples without an event only" said
		test "$($program -f folded --by none other.stk 2>said | sum)" = 3030303000 && grep -q "counted samples of event cpu-clock only" said
		test "$($program -q -f folded --event none other.stk | sum)" = 1082
		test "$($program -q -f folded --event cpu-clock both.stk | sum)" = 3030303000
		test "$($program -q -f folded --event all both.stk | sum)" = 3030304082
	done
	stktree -f folded dumps.stk ticks.stk 2>said | sum | grep -x 1082 && grep -q "without an event only" said
	stktree -f folded ticks.stk dumps.stk 2>said | sum | grep -x 3030303000 && grep -q "of event cpu-clock only" said
	stktree -f folded dumps.stk 2>said >/dev/null && test ! -s said'
check '... so does a tree, and beside a recording without one' '
	stktree -q -o dumps.tree dumps.stk && stktree -q -o ticks.tree ticks.stk
	stktree -o both.tree both.stk 2>said && grep -q "counted samples of one event only; 300 samples of others" said
	stktree -f folded both.tree 2>said | sum | grep -x 1082 && grep -q "counted samples without an event only" said
	stktree -q -f folded --event cpu-clock both.tree | sum | grep -x 3030303000
	stktree -o other.tree other.stk 2>said && grep -q "counted samples of one event only; 1082 samples of others" said
	stktree -f folded other.tree 2>said | sum | grep -x 3030303000 && grep -q "of event cpu-clock only" said
	stktree -q -f folded --event none other.tree | sum | grep -x 1082
	stktree -f folded dumps.tree ticks.tree 2>said | sum | grep -x 1082
	stktree -f folded ticks.stk dumps.tree 2>said | sum | grep -x 3030303000
	test "$(stkcat -q -f tsv --only tree dumps.tree | tail -1 | cut -f 7)" = none
	status 2 stktree --merge -o no.tree dumps.tree ticks.tree'
check 'adding up several events is asked for and said' '
	stktree -f folded --event all both.stk 2>said >/dev/null && grep -q "several events are added up" said
	stktree -f folded --event all dumps.stk ticks.stk 2>said >/dev/null && grep -q "several events are added up" said
	for options in --samples "--diff ..@1010 @1010.. -f tsv"; do	# which count samples
		stktree -f folded --event all both.stk $options 2>said >/dev/null && grep -q "several events are added up, each as 1$" said
	done
	stktree -f folded --event all ticks.stk 2>said >/dev/null && test ! -s said
	stktree -q -f text --event all both.stk | head -1 | grep -q "1382 samples, 3.03G in weight, of all events$"'
check 'each table says its unit, and time is shown as such' '
	stktree -q -f text ticks.stk | head -1 | grep -qx "@1000 to @1029.900: 300 samples, 3.03s of cpu time (cpu-clock)"
	stktree -q -f text ticks.stk | sed -n 2,3p >got
	printf "  cpu time      %%   self  function\n     3.03s  100.0     0s  main\n" | same - got
	stktree -q -f text --report flat ticks.stk | sed -n 2p | grep -qx "   self  self %  total cpu time  total %  function"
	stktree -q -f text --report flat dumps.stk | sed -n 2p | grep -q "total samples"
	stktree -q -f text --report paths ticks.stk | sed -n 2p | grep -q "^  cpu time  "
	stktree -q -f text --function f1 ticks.stk | sed -n 3p | grep -q "^  caller  *606ms  20.0  main$"
	stktree -q -f text --samples ticks.stk | sed -n 2p | grep -q "^  total "
	stktree -q -f text untimed.stk | sed -n 2p | grep -q "^  weight "
	stkcat -q -f text --event cpu-clock both.stk | grep -q "3.03s of cpu time (cpu-clock)"
	stkcat -q -f text both.stk | status 1 grep -q "[0-9]ns\b"'
check 'threads without frames have a row, so that rows add up to the total' '
	stktree -q -f tsv --report flat dumps.stk | awk -F "\t" "NR > 1 { n += \$2 } END { exit n != 1082 }"
	stktree -q -f tsv --report flat dumps.stk | grep -qx "(no frames)	383	383"
	stktree -q -f tsv dumps.stk | awk -F "\t" "NR > 1 { n += \$3; if (\$1 == 1) top += \$4 } END { exit n != 1082 || top != 1082 }"
	stktree -q -f ndjson dumps.stk | grep -qx "{\"level\":1,\"function\":\"(no frames)\",\"self\":383,\"total\":383}"
	stktree -q -f text --top 0 --report flat dumps.stk | grep -q "(no frames)$"
	stktree -q -f text dumps.stk | grep -q "(no frames)$"
	stktree -q -f tsv ticks.stk | status 1 grep "no frames"'
check '... and in comparisons, for programs too' '
	stktree -q -f tsv --report flat --diff ..-12h -12h.. dumps.stk >flat
	awk -F "	" "NR > 1 { a += \$2; b += \$3; if (\$1 == \"(no frames)\") rows++ } END { exit rows != 1 || a < 0.999999 || b < 0.999999 }" flat
	stktree -q -f tsv --report tree --diff ..-12h -12h.. dumps.stk >tree
	awk -F "	" "NR > 1 && \$1 == 1 { a += \$5; b += \$6; if (\$2 == \"(no frames)\") rows++ } END { exit rows != 1 || a < 0.999999 || b < 0.999999 }" tree'
check 'times of a clock without a date are shown as they are typed; unknown ones are not shown as 1970' '
	for options in "" "--from @1010" "--window @1000..@1001 --window @1020..@1021" "--step 10s" "--step 10s -f tsv" "--from @2000"; do
		stktree -f text $options ticks.stk >got 2>&1 || true
		test -s got && status 1 grep 1970 got
	done
	stktree -q -f text --window @1000..@1000.5 --window @1020..@1021 ticks.stk | head -1 | grep -q "^@1000 to @1000.500, @1020 to @1021: 15 samples"
	stktree -q -f text --from @5000 ticks.stk 2>/dev/null | head -1 | grep -qx "from @5000: 0 samples"
	stktree -q -f text --from @3 untimed.stk 2>/dev/null | head -1 | grep -qx "from @3: 0 samples"
	stktree -q -f text untimed.stk | head -1 | grep -qx "1 sample, 3 in weight"
	stktree -q -f text both.stk | head -1 | grep -qx "times of two clocks: 1082 samples"'
check 'two windows are shown as two, not as their hull' '
	stktree -q -f text --window 09:00..10:00 --window 12:00..13:00 dumps.stk | head -1 >got
	samples=$(stkcat -q -f folded --window 09:00..10:00 --window 12:00..13:00 dumps.stk | sum)
	echo "2026-03-02T09:00:00Z to 10:00:00Z, 2026-03-02T12:00:00Z to 13:00:00Z: $samples samples" | same - got
	set --
	for hour in 01 03 05 07 09; do set -- "$@" --window $hour:00..$hour:30; done
	stktree -q -f text --width 400 "$@" dumps.stk | head -1 | grep -q "05:30:00Z and 2 more windows: "'
check 'classes and groups that are nowhere: how to get them is said, and nothing is printed' '
	status 2 stktree --report classes dumps.stk >got 2>said && test ! -s got && grep -q "stkclass dumps.stk | stktree --report classes" said
	status 2 stktree --report groups -f tsv dumps.stk >got 2>said && test ! -s got && grep -q "stkgroup -s SCHEME dumps.stk | stktree --report groups" said
	stkclass -q dumps.stk | stktree -q --report classes -f tsv - | status 1 grep -q "^(none)	1082"'
finish
