#!/bin/sh
# SPDX-License-Identifier: MIT
# How much time samples stand for: by clocks, by dumps, by the period of other events; whatever is chosen of them.
. "${0%/*}/lib/tap.sh"

# figures OPTION... FILE: group and time, a row a line
figures() {
	stkgroup -q -s s.yaml -f tsv "$@" | awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ print $column["group"], $column["time"] }'
}
# seconds OPTION... FILE: the time of all groups
seconds() { figures "$@" | awk '{ t += $2 } END { printf "%.6g\n", t }'; }
# group NAME OPTION... FILE: its time
group() { name=$1; shift; figures "$@" | awk -v name="$name" '$1 == name { t += $2 } END { printf "%.6g\n", t }'; }
# dump TIME THREAD...: a thread dump; threads whose name begins with w are blocked in c.d, the others run a.b
dump() {
	printf '2026-03-01 %s\nFull thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n' "$1"
	shift
	for name in "$@"; do
		case $name in
		w*) state=BLOCKED frame=c.d ;;
		*) state=RUNNABLE frame=a.b ;;
		esac
		printf '"%s" #1 prio=5 tid=0x1 nid=0x1 runnable [0x1]\n   java.lang.Thread.State: %s\n\tat %s(X.java:1)\n\n' "$name" $state $frame
	done
}
# perf COMM PROCESSOR TIME EVENT PERIOD FUNCTION: a sample of perf script
perf() { printf '%s 1/1 [00%s] %s: %s %s:\n\tffff %s (/bin/x)\n\n' "$1" "$2" "$3" "$5" "$4" "$6"; }

cat >s.yaml <<'END'
scheme: s
groups:
  - { name: runs, members: [a.b, one] }
  - { name: waits, members: [c.d, two] }
END

check 'a thread of a dump stands for half of the way to the dumps before and after' '
	{ dump 00:00:00 r w1 w2; dump 00:00:10 r w1; dump 00:00:40 r; dump 00:00:50 r w1; } | stkcap -q -o d.stk -
	# the ways: 10, 30, 10; r: 10 + 20 + 20 + 10, w1: 10 + 20 + 10, w2: 10
	test "$(group runs d.stk)" = 60
	test "$(group waits d.stk)" = 50
	test "$(seconds d.stk)" = 110
'
check '... whatever is chosen' '
	test "$(seconds --state blocked d.stk)" = 50
	test "$(seconds --thread w2 d.stk)" = 10
	test "$(seconds --where "thread = w1" d.stk)" = 40
	test "$(seconds --from "2026-03-01 00:00:40" d.stk)" = 40
	test "$(seconds --to "2026-03-01 00:00:10" d.stk)" = 30
	test "$(seconds --step 20s d.stk)" = 110
	test "$(seconds --by thread d.stk)" = 110
	test "$(seconds --step 10s --thread w1 d.stk)" = 40
	stkcat -q -o b.stk --state blocked d.stk && test "$(seconds b.stk)" = 50
	stkcat -q -S d.stk | seconds - | grep -x 110
'
check '1 dump has no time, which is shown; 2 have the way between them' '
	dump 00:00:00 r w1 | stkcap -q -o one.stk -
	test "$(seconds one.stk)" = 0
	stkgroup -q -s s.yaml -f text one.stk | grep "^  runs.* -$"
	{ dump 00:00:00 r; dump 00:00:07 r w1; } | stkcap -q -o two.stk -
	test "$(group runs two.stk)" = 14 && test "$(group waits two.stk)" = 7
'
check 'a pause of the recording is not waited through: at most three usual distances count' '
	{ for s in 00 10 20 30 40; do dump 00:00:$s w1; done; for s in 00 10 20; do dump 09:00:$s w1; done; } | stkcap -q -o p.stk -
	# 10 + 3 * 10 + (5 + 15) + (15 + 5) + 2 * 10
	test "$(seconds p.stk)" = 100
'
check 'each source has its own distances, also when it goes on in another file' '
	{ dump 00:00:00 r; dump 00:00:10 r; } | stkcap -q --source A -o a1.stk -
	{ dump 00:00:20 r; dump 00:00:30 r; } | stkcap -q --source A -o a2.stk -
	{ dump 00:00:01 w1; dump 00:01:01 w1; } | stkcap -q --source B -o b1.stk -
	test "$(seconds a1.stk a2.stk)" = 40
	test "$(group runs a1.stk b1.stk a2.stk)" = 40
	test "$(group waits a1.stk b1.stk a2.stk)" = 120
	stkcat -q --merge -o m.stk a1.stk b1.stk a2.stk
	test "$(group runs m.stk)" = 40 && test "$(group waits m.stk)" = 120
'
check 'times that go back' '
	{ dump 00:01:00 r; dump 00:01:10 r; dump 00:00:00 r; dump 00:00:10 r; } | stkcap -q -o back.stk -
	test "$(seconds back.stk)" = 40
'
check 'dumps of one moment, as times in whole seconds have them, share its time' '
	{ dump 00:00:00 r w1; dump 00:00:00 r; dump 00:00:01 r w1; dump 00:00:01 r; dump 00:00:01 r; dump 00:00:01 r; } |
		stkcap -q -o same.stk -
	test "$(group runs same.stk)" = 2
	test "$(group waits same.stk)" = 0.75
	stkcat -q -S same.stk | seconds - | grep -x 2.75
	{ dump 00:00:00 r; dump 00:00:00 r; } | stkcap -q -o alone.stk -
	test "$(seconds alone.stk)" = 0
'
check 'the weight of a clock is its time, on any number of processors' '
	for i in 1 2 3 4 5; do perf x 0 1.00${i}000 cpu-clock 1000000 one; perf x 1 1.00${i}000 cpu-clock 1000000 two; done | stkcap -q -o c.stk -
	test "$(seconds c.stk)" = 0.01 && test "$(group runs c.stk)" = 0.005
	test "$(seconds --where "function = two" c.stk)" = 0.005
	test "$(stkgroup -q -s s.yaml -f text c.stk | head -1 | tr -s " ")" = " group total % own % samples cpu time"
'
check 'so is that of an event that lasts; its heading is not that of a processor' '
	for event in off-cpu jdk.ThreadPark delay/nanoseconds; do
		{ perf x 0 10.000000 $event 5000000000 one; perf x 0 20.000000 $event 5000000000 one; perf x 0 31.000000 $event 5000000000 two; } | stkcap -q -o c.stk -
		test "$(seconds c.stk)" = 15 && test "$(group runs c.stk)" = 10 && test "$(seconds --where "function = two" c.stk)" = 5
		test "$(stkgroup -q -s s.yaml -f text c.stk | head -1 | tr -s " ")" = " group total % own % samples time"
	done
'
check 'samples of another event stand for its period on their processor, and none for the time between' '
	{ for i in 1 2 3 4 5 6; do
		perf x 0 1.00${i}000 cycles 900 one
		case $i in 1 | 3 | 5) perf y 1 1.00${i}000 cycles 900 two ;; esac
	done; perf x 0 9.001000 cycles 900 one; } | stkcap -q -o e.stk -
	test "$(group runs e.stk)" = 0.007		# seven samples of 1 ms; nobody has the 8 s
	test "$(group waits e.stk)" = 0.006		# three of 2 ms
	test "$(seconds --thread y e.stk)" = 0.006
	test "$(seconds --where "function = one" e.stk)" = 0.007
'
check 'the thread is switched out: six samples of a millisecond are six milliseconds' '
	{ for i in 0 1 2; do perf x 0 1.00${i}000 cycles 900 one; done; for i in 6 7 8; do perf x 0 1.00${i}000 cycles 900 two; done; } | stkcap -q -o switch.stk -
	test "$(seconds switch.stk)" = 0.006
	test "$(group runs switch.stk)" = 0.003
'
check 'filters change no time where a file is read in part: 20,000 samples by thread' '
	awk "BEGIN { for (i = 0; i < 20000; i++) { t = 1 + i / 1000; name = i < 10000 ? \"early\" : \"late\";
		printf \"%s 1/%d [000] %.6f: 900 cycles:\n\tffff %s (/bin/x)\n\n\", name, i < 10000 ? 7 : 8, t, i % 2 ? \"one\" : \"two\" } }" | stkcap -q -o long.stk -
	test "$(seconds long.stk)" = 20
	test "$(seconds --thread early long.stk)" = 10 && test "$(seconds --thread late long.stk)" = 10
'
check 'folded stacks without times have none, and no error' '
	printf "x;a.b 6\nx;c.d 4\n" | stkcap -q -o f.stk -
	test "$(seconds f.stk)" = 0
	stkgroup -q -s s.yaml -f text f.stk | grep -q "^  runs *60.0 *60.0 *1 *-$"
'
check 'threads of dumps in folded form count as often as they say' '
	printf "@2026-03-01 00:00:00\na.b 3\n@2026-03-01 00:00:10\na.b 5\nc.d 1\n" | stkcap -q --format folded-dumps -o fd.stk - ||
		printf "@2026-03-01T00:00:00Z\na.b 3\n@2026-03-01T00:00:10Z\na.b 5\nc.d 1\n" | stkcap -q -o fd.stk -
	test "$(group runs fd.stk)" = 80 && test "$(group waits fd.stk)" = 10
'

cat >shared.yaml <<'END'
scheme: s
groups:
  - name: P
    children:
      - { name: A, members: [f] }
      - { name: B, members: [f, g] }
  - { name: Q, members: [f] }
END
check 'a sample in several groups: shares are of the profile, and a parent has it once' '
	printf "x;f 6\nx;g 4\n" | stkcap -q -o fg.stk -
	stkgroup -q -s shared.yaml -f tsv fg.stk | cut -f 2,4,5,8 >got
	printf "group\tweight\tshare\ttotal_share\nP\t0\t0.0\t1.0\nP/A\t6\t0.6\t0.6\nP/B\t10\t1.0\t1.0\nQ\t6\t0.6\t0.6\n" | same - got
	{ dump 00:00:00 r; dump 00:00:10 r; } | stkcap -q -o r.stk -
	sed "s/\[f/[a.b/g" shared.yaml >shared-time.yaml
	stkgroup -q -s shared-time.yaml -f text r.stk >text; grep "^  P .* 20s$" text; grep "^    A .* 20s$" text
'
check 'figures as records have their durations' '
	stkgroup -q -s s.yaml --step 20s d.stk | stkcat -q -f ndjson --only group_figure - >figures
	test "$(jq -s "map(.duration) | add" figures 2>/dev/null || awk -F "\"duration\":" "{ n += \$2 } END { printf \"%d\", n }" figures)" = 110000000000
'
finish
