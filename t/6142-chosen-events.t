#!/bin/sh
# SPDX-License-Identifier: MIT
# Which of the open pairs has the time, events that come out of order, conditions on events, and what steps, headings and
# shares say of pairs. What some lines of Python count out of random events is the same.
. "${0%/*}/lib/tap.sh"

cat >tree.yaml <<'END'
scheme: tree
groups:
- name: A
  priority: 5
  events: {start: a, stop: a}
- name: B
  events: {start: b, stop: b}
  children:
  - name: C
    events: {start: c, stop: c}
- name: D
  members: [d*]
  events: {start: d, stop: d, point: p}
- name: E
  priority: 5
  events: {start: e, stop: e}
END

# THREAD HAPPENING NAME..., a second apart
events() {
	at=0
	for e; do
		printf "%d\t%s\n" $at "$(echo "$e" | tr " " "\t")"
		at=$((at + 1))
	done
}
time_of() { stkgroup -q -s tree.yaml -f tsv "$@" | awk -F "\t" 'NR > 1 { printf "%s%s %g", n++ ? ", " : "", $2, $6 } END { print "" }'; }

check 'of open pairs the highest priority has the time, then a group before the one that contains it, then the last' '
	events "t start a" "t start b" "t stop b" "t stop a" | stkcap -q --format events - | time_of >got
	events "t start c" "t start b" "t stop b" "t stop c" | stkcap -q --format events - | time_of >>got
	events "t start c" "t start d" "t start b" "t stop b" "t stop d" "t stop c" | stkcap -q --format events - | time_of >>got
	events "t start c" "t start d" "t stop d" "t start b" "t stop c" "t stop b" | stkcap -q --format events - | time_of >>got
	events "t start a" "t start e" "t start d" "t stop a" "t stop e" "t stop d" | stkcap -q --format events - | time_of >>got
	events "t start d" "t start d" "t start b" "t stop d" "t stop d" "t stop b" >twice.tsv
	status 1 stkgroup -q -s tree.yaml --events twice.tsv -f tsv >/dev/null 2>said
	time_of --events twice.tsv >>got 2>/dev/null || test $? = 1
	printf "%s\n" "A 3, B 0" "B 0, B/C 3" "B 0, B/C 2, D 3" "B 1, B/C 3, D 1" "A 1, D 1, E 3" "B 3, D 2" | same - got
'

check 'a payload belongs to the group that has the time' '
	printf "0\tt\tstart\ta\n1\tt\tstart\tb\n2\tt\tpoint\tbytes\t64\n3\tt\tstop\tb\n4\tt\tstop\ta\n" | stkcap -q --format events - |
		stkgroup -q -s tree.yaml -f tsv | awk -F "\t" "NR > 1 && \$11 > 0 { print \$2, \$11 }" >got
	echo "A 64.0" | same - got
'

check 'events that come after later ones are sorted, in a file and in a stream, which is said' '
	events "t start a" "t stop a" "u start b" "t start d" "u stop b" "t stop d" >sorted.tsv
	for n in 6 2 4 1 5 3; do sed -n "${n}p" sorted.tsv; done >mixed.tsv
	stkgroup -q -s tree.yaml --events sorted.tsv -f tsv >want
	stkgroup -s tree.yaml --events mixed.tsv -f tsv 2>said | same want -
	grep -qx "stkgroup: events: 5 came after later ones, and were sorted" said
	stkcap mixed.tsv >mixed.stk 2>said; grep -q "^stkcap: 5 events came after later ones" said
	stkgroup -q -s tree.yaml -f tsv mixed.stk | same want -
	stkgroup -q -s tree.yaml --step 2s -f tsv mixed.stk >steps
	stkgroup -q -s tree.yaml --step 2s --events sorted.tsv -f tsv | same - steps
'

check 'figures of steps in a stream have pairs, points and payload; samples and pairs add up to the tables' '
	{ events "t start a" "t start b" "t stop b" "t stop a"; printf "3.5\tu\tpoint\tp\t7\n"; } >pairs.tsv
	stkcap -q pairs.tsv | stkgroup -q -s tree.yaml --step 2s -f stream >steps.stk
	stkcat -q -f tsv --only group_figure steps.stk | tail -n +2 | cut -f 1,4,10-13 >got
	{
		printf "1970-01-01T00:00:00Z\t1\t2000000000\t1\t0\t0.0\n1970-01-01T00:00:00Z\t2\t0\t1\t0\t0.0\n"
		printf "1970-01-01T00:00:02Z\t1\t1000000000\t0\t0\t0.0\n1970-01-01T00:00:02Z\t4\t0\t0\t1\t7.0\n"
	} | same - got
	printf "prog 1/1 2.500000: 1000000 cpu-clock:\n\t1 dd (/bin/x)\n\n" | stkcap -q --format perf-script - >one.stk
	stkcap -q pairs.tsv >pairs.stk
	stkgroup -q -s tree.yaml --step 2s -f stream one.stk pairs.stk | stkcat -q -f tsv --only group_figure - | tail -n +2 | cut -f 4,7,9,10 >got
	printf "4\t1\t1000000\t0\n1\t0\t0\t2000000000\n2\t0\t0\t0\n1\t0\t0\t1000000000\n4\t0\t0\t0\n" >want
	same want got
'

check 'a heading tells samples from pairs and points; without any of them it says 0 samples' '
	stkgroup -q -s tree.yaml --step 1m -f text one.stk pairs.stk | head -1 | grep -q ": 1 sample, 2 pairs, 1 point$"
	stkgroup -q -s tree.yaml --step 1m -f text pairs.stk | head -1 | grep -q ": 2 pairs, 1 point$"
	stkgroup -q -s tree.yaml --step 1m -f text one.stk | head -1 | grep -q ": 1 sample$"
	stkgroup -q -s tree.yaml -f text pairs.stk | head -1 | grep -q "count"
	status 1 grep -q samples "$(stkgroup -q -s tree.yaml -f text pairs.stk >text; echo text)"
'

check 'shares of pairs are of time, with what no group has; those of samples alone of their weight' '
	events "t start a" "t stop a" "t point x" "t start c" "t stop c" >parts.tsv
	stkgroup -q -s tree.yaml --events parts.tsv -f tsv | tail -n +2 | cut -f 2,5,8 >got
	printf "A\t0.25\t0.25\nB\t0.0\t0.25\nB/C\t0.25\t0.25\n(none)\t0.5\t0.5\n" | same - got
	awk -F "\t" -v OFS="\t" "{ \$1 /= 1000; print }" parts.tsv >short.tsv
	stkgroup -q -s tree.yaml --events short.tsv -f tsv | tail -n +2 | cut -f 2,5,8 | same got -
	stkgroup -q -s tree.yaml --events parts.tsv --min 30 -f tsv | tail -n +2 | cut -f 2 >got
	echo "(none)" | same - got
	stkgroup -q -s tree.yaml -f tsv --timing sampled one.stk pairs.stk | awk -F "\t" "\$2 == \"D\" { print \$5 }" >got
	echo 1.0 | same - got
'

check '--where, --grep, --event and --state choose pairs by thread, stack, name, group and time' '
	{
		printf "0\tt\tstart\ta\t\t\tmain;load\n1\tt\tstart\te\t5\t\tmain;save\n3\tt\tstop\te\n4\tt\tstop\ta\n"
		printf "0\tu\tstart\ta\n5\tu\tpoint\tp\t9\t\tmain;load\n6\tu\tstop\ta\n"
	} | stkcap -q --format events - >two.stk
	for how in "--where|thread = t" "--where|group = E" "--where|not group = E" "--where|function = load" "--where|event = e" "--where|time in @2..@3" \
		"--where|thread = t and (time in ..@0.5 or time in @3.25..)" "--grep|save" "--event|e" "--state|blocked" "--state|unknown"; do
		stkgroup -q -s tree.yaml -f tsv "${how%%|*}" "${how#*|}" two.stk | awk -F "\t" "NR > 1 { printf \"%s %d %g %g \", \$2, \$3, \$11, \$13 } END { print \"\" }"
	done >got
	{
		echo "A 1 0 2 E 1 5 2 "; echo "E 1 5 2 "; echo "A 2 9 8 D 1 0 0 "; echo "A 1 9 2 D 1 0 0 "; echo "E 1 5 2 "; echo "A 0 0 1 E 0 0 1 "
		echo "A 1 0 1.25 "; echo "E 1 5 2 "; echo "E 1 5 2 "; echo; echo "A 2 9 8 D 1 0 0 E 1 5 2 "
	} >want
	same want got
	stkgroup -q -s tree.yaml -f tsv --grep save --invert two.stk | awk -F "\t" "NR > 1 { printf \"%s %g \", \$2, \$13 }" >got
	printf "A 8 D 0 " | same - got
'

check 'conditions choose event rows of a stream: by thread, time, function, name and group' '
	for how in "--where|thread = u" "--where|event = e" "--grep|load" "--where|function = load" "--where|time in @4.." "--state|blocked"; do
		stkcat -q -f tsv --only event "${how%%|*}" "${how#*|}" two.stk | tail -n +2 | wc -l
	done | tr "\n" " " >got
	printf "3 2 2 2 3 0 " | same - got
	stkgroup -q -s tree.yaml --where "group = E" -f stream two.stk | stkcat -q -f tsv --only event - | tail -n +2 | cut -f 4 | tr "\n" " " >got
	printf "e e " | same - got
'

check 'a million starts without a stop, and stops of outer pairs, take no longer than others' '
	awk "BEGIN { for (i = 0; i < 200000; i++) printf \"%d\tt\tstart\t%s\n\", i, i % 2 ? \"b\" : \"d\"; for (i = 0; i < 100000; i++) printf \"%d\tt\tstop\td\n\", 200000 + i }" >deep.tsv
	status 1 timeout 60 stkgroup -q -s tree.yaml --events deep.tsv -f tsv >got 2>said
	grep -q "100000 starts without a stop" said
	awk -F "\t" "NR > 1 { print \$2, \$13 }" got >times
	printf "B 199998.0\nD 100000.0\n" >want
	awk -F "\t" "NR > 1 { s += \$13 } END { print s }" got >sum; echo 299999 | same - sum
'

have python3 || { skip 'no python3' 'random events with priorities, out of order' ''; finish; exit; }
cat >count.py <<'END'
"""random events; or what each group has of them: of the open groups those of the highest priority, of these none that
contains another, of the rest the one that began last"""
import random, sys
seed = int(sys.argv[2])
chance = random.Random(seed)
events, now = [], 0
for _ in range((1, 2, 3, 40, 300)[seed % 5]):
    now += chance.randrange(1, 900)
    events.append((now, chance.choice("tu"), chance.choice(("start", "stop", "start", "stop", "switch-out", "switch-in")), chance.choice("abcde")))
if sys.argv[1] == "make":
    chance.shuffle(events)
    for at, thread, kind, name in events:
        print(f"{at / 1000:.3f}\t{thread}\t{kind}\t{name if kind.startswith('st') else ''}")
    sys.exit()
priority = {"a": 5, "b": 0, "c": 0, "d": 0, "e": 5}
named = {"a": "A", "b": "B", "c": "B/C", "d": "D", "e": "E", "": "(none)"}
has, threads = {}, {}


def winner(pairs):
    if not pairs:
        return ""
    most = max(priority[p] for p in pairs)
    rest = [p for p in pairs if priority[p] == most]
    if "c" in rest:
        rest = [p for p in rest if p != "b"]
    return rest[-1]


for at, thread, kind, name in events:
    t = threads.setdefault(thread, {"open": [], "out": False, "last": at})
    if not t["out"]:
        group = named[winner(t["open"])]
        has[group] = has.get(group, 0) + at - t["last"]
    t["last"] = at
    if kind.startswith("switch"):
        t["out"] = kind == "switch-out"
    elif kind == "start":
        t["open"].append(name)
    elif name in t["open"]:
        i = len(t["open"]) - 1 - t["open"][::-1].index(name)
        del t["open"][i]
for group, ms in sorted(has.items()):
    if ms:
        print(f"{group} {ms}")
END
check 'random events with priorities, out of order' '
	for seed in 0 1 2 3 4 8 9 14 19; do
		python3 count.py make $seed >random.tsv
		python3 count.py count $seed >want
		stkgroup -q -s tree.yaml --events random.tsv -f tsv >rows 2>said || test $? = 1
		awk -F "\t" "NR > 1 && \$13 > 0 { printf \"%s %d\n\", \$2, \$13 * 1000 + 0.5 }" rows | LC_ALL=C sort >got
		LC_ALL=C sort want | same - got || { echo "seed $seed"; false; }
	done
'
finish
