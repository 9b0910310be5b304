#!/bin/sh
# SPDX-License-Identifier: MIT
# The critical path of an activity: over threads, each moment once, by hand and by random.
. "${0%/*}/lib/tap.sh"

cat >work.yaml <<'END'
scheme: work
groups:
- name: db
  events: {start: query, stop: done}
- name: render
  events: {start: draw, stop: drawn}
END
tab() { tr "|" "\t"; }
paths() { stkgroup -q -s work.yaml --report critical-path -f tsv "$@" | tail -n +2 | cut -f 1,3,4,6,8,9 | tr "\t" "|"; }

# Two workers: the first is done before the second, for which alone the end waited.
tab >workers.tsv <<'END'
0|main|start|request||7
2|main|start|draw
3|w1|start|job||7
4|w1|start|query
5|w2|start|job||7
7|w1|stop|done
8|w1|stop|job||7
9|main|stop|drawn
12|w2|stop|job||7
20|main|stop|request||7
END
check 'a worker that ended before another is not on the path; groups are those of the pairs on it' '
	paths --events workers.tsv >got
	same - got <<END
7|0.0|2.0|main|(none)|at work
7|2.0|3.0|main|render|at work
7|5.0|7.0|w2|(none)|at work
7|12.0|8.0|main|(none)|at work
END
	stkcap -q --format events workers.tsv >w.stk
	paths w.stk | same got -
	stkgroup -q -s work.yaml --report critical-path -f tsv w.stk | head -1 | tr "\t" " " >head
	echo "activity start at seconds share key scheme group state" | same - head
	stkgroup -q -s work.yaml --report critical-path -f tsv w.stk | awk -F "\t" "NR > 1 { sum += \$5 } END { print sum }" >sum
	echo 100 | same - sum
'

# One after the other, the second of which has a pair; the third is within the second.
tab >calls.tsv <<'END'
0|main|start|request||7
1|w1|start|job||7
4|w1|stop|job||7
5|w2|start|job||7
6|w2|start|query
6.5|w3|start|job||7
7|w3|stop|job||7
8|w2|stop|done
9|w2|stop|job||7
10|main|stop|request||7
END
check 'one after the other, and one within another' '
	paths --events calls.tsv >got
	same - got <<END
7|0.0|1.0|main|(none)|at work
7|1.0|3.0|w1|(none)|at work
7|4.0|1.0|main|(none)|at work
7|5.0|1.0|w2|(none)|at work
7|6.0|0.5|w2|db|at work
7|6.5|0.5|w3|(none)|at work
7|7.0|1.0|w2|db|at work
7|8.0|1.0|w2|(none)|at work
7|9.0|1.0|main|(none)|at work
END
'

# Handed over: b begins while a goes on; then the activity is on no thread, in a queue, until c takes it.
tab >queue.tsv <<'END'
0|a|start|job||7
4|b|start|job||7
5|a|stop|job||7
8|b|stop|job||7
11|c|start|job||7
12|c|stop|job||7
END
check 'handed over, and on no thread for a while' '
	paths --events queue.tsv >got
	same - got <<END
7|0.0|4.0|a|(none)|at work
7|4.0|4.0|b|(none)|at work
7|8.0|3.0|(no thread)|(none)|between
7|11.0|1.0|c|(none)|at work
END
'

# The same calls of main; it is known that main ran while w1 ended, and was switched out when w2 did.
check 'a thread that ran when another ended did not wait for it, if its switches are known' '
	{ cat calls.tsv; printf "4.5\tmain\tswitch-out\n9.5\tmain\tswitch-in\n"; } | sort -n >switches.tsv
	paths --events switches.tsv >got
	same - got <<END
7|0.0|4.5|main|(none)|at work
7|4.5|0.5|main|(none)|switched out
7|5.0|1.0|w2|(none)|at work
7|6.0|0.5|w2|db|at work
7|6.5|0.5|w3|(none)|at work
7|7.0|1.0|w2|db|at work
7|8.0|1.0|w2|(none)|at work
7|9.0|0.5|main|(none)|switched out
7|9.5|0.5|main|(none)|at work
END
'

check 'no activity, one without an end, and one that took no time are reported' '
	printf "0\ta\tpoint\tx\n" | stkcap -q --format events - >none.stk
	status 1 stkgroup -s work.yaml --report critical-path -f tsv none.stk >out 2>said
	grep -q "no activity has a beginning and an end" said; test "$(wc -l <out)" -eq 1
	printf "0\ta\tstart\tx\t\t3\n2\ta\tpoint\ty\n2\tb\tstart\tx\t\t4\n2\tb\tstop\tx\t\t4\n" | stkcap -q --format events - >odd.stk
	stkgroup -s work.yaml --report critical-path -f tsv odd.stk 2>said | tail -n +2 | cut -f 1,4,6 | tr "\t" " " >got
	echo "3 2.0 a" | same - got
	grep -q "1 activities have no end on a thread" said; grep -q "1 activities took no time" said
'
check 'for people the longest ones, and how many more there are' '
	awk "BEGIN { for (i = 1; i <= 30; i++) printf \"%d\ta\tstart\tx\t\t%d\n%.2f\ta\tstop\tx\t\t%d\n\", i, i, i + i / 100, i }" >many.tsv
	stkcap -q --format events many.tsv >many.stk
	stkgroup -s work.yaml --report critical-path -f text many.stk 2>said | wc -l >count
	echo 21 | same - count
	grep -q "20 of 30 activities are shown, the longest" said
	test "$(paths many.stk | wc -l)" -eq 30
	paths --top 2 many.stk | cut -d "|" -f 1 | tr "\n" " " >got
	printf "29 30 " | same - got
'
check 'what would cut activities is refused' '
	for option in "--step 1s" --follow "--from 00:00" "--where thread=main" "--by activity" "--depth 1"; do
		status 2 stkgroup -s work.yaml --report critical-path $option -f tsv w.stk 2>said
		grep -q . said
	done
'

have python3 || { skip 'no python3' 'random activities'; finish; exit; }
cat >path.py <<'END'
"""random activities on four threads; or their critical paths, step by step as the manual page has it"""
import random, sys
chance = random.Random(int(sys.argv[2]))
now, rows, busy = 0, [], int(sys.argv[2]) % 3
for _ in range((3, 12, 60, 300)[int(sys.argv[2]) % 4]):
    now += chance.randrange(0 if busy else 1, 9)
    thread = chance.choice("abcd")
    what = chance.choice(("start", "stop", "start", "stop", "stop", "query", "done", "out", "in")[:7 if busy < 2 else 9])
    rows.append((now, thread, what, chance.randrange(1, 4)))
if sys.argv[1] == "make":
    for at, thread, what, activity in rows:
        if what in ("start", "stop"):
            print(f"{at / 1000:.3f}\t{thread}\t{what}\tjob\t\t{activity}")
        elif what in ("out", "in"):
            print(f"{at / 1000:.3f}\t{thread}\tswitch-{what}")
        else:
            print(f"{at / 1000:.3f}\t{thread}\t{'start' if what == 'query' else 'stop'}\t{what}")
    sys.exit()

# what each thread does from one of its events to the next: activity, in a pair, out
opened, opener, spans, since, last = {t: [] for t in "abcd"}, {}, {}, {}, {}
state, states = {t: (False, False) for t in "abcd"}, {t: [] for t in "abcd"}
pairs = dict.fromkeys("abcd", 0)


def present(thread):
    return opened[thread][-1] if opened[thread] else 0


def turn(thread, before, at):
    if present(thread) != before:
        if before and since[thread] < at:
            spans.setdefault(before, []).append((since[thread], at, thread))
        since[thread] = at


for at, thread, what, activity in rows:
    last[thread] = at
    before = present(thread)
    if what == "start":
        opened[thread].append(activity)
        opener[activity] = thread
        turn(thread, before, at)
    elif what == "stop":
        where = thread if activity in opened[thread] else opener.get(activity)
        if where and activity in opened[where]:
            before = present(where)
            i = len(opened[where]) - 1 - opened[where][::-1].index(activity)
            del opened[where][i]
            turn(where, before, at)
    elif what == "query":
        pairs[thread] += 1
    elif what == "done":
        pairs[thread] = max(0, pairs[thread] - 1)
    out = {"out": True, "in": False}.get(what, state[thread][1])
    state[thread] = (pairs[thread] > 0, out)
    states[thread].append((at, state[thread]))
for thread in "abcd":
    if present(thread) and since[thread] < last[thread]:
        spans.setdefault(present(thread), []).append((since[thread], last[thread], thread))


def state_at(thread, at):
    return ([(False, False)] + [s for t, s in states[thread] if t <= at])[-1]


def may_wait(thread, at):
    if not any(s[1] for _, s in states[thread]):
        return True
    return state_at(thread, at)[1] or state_at(thread, at - 1e-6)[1]


for activity, all_spans in sorted(spans.items(), key=lambda item: (min(item[1])[0], item[0])):
    all_spans.sort(key=lambda s: (s[0], -s[1], s[2]))
    ids = range(len(all_spans))
    present_span = max(ids, key=lambda i: (all_spans[i][1], all_spans[i][0], i))
    until, waiting, pieces = all_spans[present_span][1], [], []
    while True:
        begin, _, thread = all_spans[present_span]
        inner = [i for i in ids if begin < all_spans[i][1] <= until and (all_spans[i][0] > begin or (all_spans[i][0] == begin and i > present_span))
                 and i != present_span and may_wait(thread, all_spans[i][1])]
        if inner:
            nearest = max(inner, key=lambda i: (all_spans[i][1], all_spans[i][0], i))
            pieces.append((all_spans[nearest][1], until, thread))
            until = all_spans[nearest][1]
            waiting.append(present_span)
            present_span = nearest
            continue
        pieces.append((begin, until, thread))
        until = begin
        while waiting and all_spans[waiting[-1]][0] >= until:
            waiting.pop()
        if waiting:
            present_span = waiting.pop()
            continue
        opened_there = [i for i in ids if all_spans[i][0] < until <= all_spans[i][1]]
        if opened_there:
            present_span = max(opened_there)
            continue
        ended = [i for i in ids if all_spans[i][1] < until]
        if not ended:
            break
        present_span = max(ended, key=lambda i: (all_spans[i][1], all_spans[i][0], i))
        pieces.append((all_spans[present_span][1], until, "(no thread)"))
        until = all_spans[present_span][1]
    lines, start = [], until
    for begin, end, thread in reversed(pieces):
        cuts = [begin] + sorted({t for t, _ in states.get(thread, []) if begin < t < end}) + [end]
        for a, b in zip(cuts, cuts[1:]):
            if a == b:
                continue
            paired, out = (False, False) if thread not in states else state_at(thread, a)
            what = (thread, "db" if paired and not out else "(none)", "between" if thread not in states else "switched out" if out else "at work")
            if lines and lines[-1][2] == what and lines[-1][1] == a:
                lines[-1][1] = b
            else:
                lines.append([a, b, what])
    for a, b, what in lines:
        print(activity, a - start, b - a, *what, sep="|")
END
check 'random activities: as a walk in Python that examines all spans at each step' '
	for seed in $(seq 0 31); do
		python3 path.py make $seed >e.tsv
		python3 path.py path $seed >want
		stkgroup -q -s work.yaml --report critical-path -f tsv --events e.tsv >rows 2>said || test $? = 1
		tail -n +2 rows | awk -F "\t" "{ printf \"%d|%.0f|%.0f|%s|%s|%s\n\", \$1, \$3 * 1000, \$4 * 1000, \$6, \$8, \$9 }" >got
		same want got || { echo "seed $seed"; false; }
		cat want >>all
	done
	test "$(wc -l <all)" -gt 500 && grep -q "between" all && grep -q "switched out" all && grep -q "db" all
'
finish
