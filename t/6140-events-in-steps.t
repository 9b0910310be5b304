#!/bin/sh
# SPDX-License-Identifier: MIT
# Time of pairs counts where it is: in the windows that are chosen, in the steps that it goes through, for the key of its
# thread. What a few lines of Python count out of random events is the same.
. "${0%/*}/lib/tap.sh"

cat >pairs.yaml <<'END'
scheme: pairs
groups:
- name: io
  events: {start: read, stop: done}
- name: lock
  events: {start: lock, stop: unlock}
- name: alloc
  events: {point: bytes}
END

{
	printf '1\tt\tstart\tread\n1.5\tu\tstart\tlock\n2.25\tt\tpoint\tbytes\t100\n'
	printf '4\tt\tstop\tdone\n4.5\tu\tstop\tunlock\n'
} >five.tsv

paired() { stkgroup -q -s pairs.yaml --events five.tsv -f tsv "$@" | tail -n +2; }

check 'a window has the part of a pair that is in it, its points and its payload' '
	paired | cut -f 2,3,11,13 >got
	printf "io\t1\t100.0\t3.0\nlock\t1\t0.0\t3.0\nalloc\t1\t0.0\t0.0\n" | same - got
	paired --from @1.25 --to @2.5 | cut -f 2,3,11,13 >got
	printf "io\t0\t100.0\t1.25\nlock\t1\t0.0\t1.0\nalloc\t1\t0.0\t0.0\n" | same - got
	paired --window @1.25..@1.75 --window @3..@9 | cut -f 2,3,11,13 >got
	printf "io\t0\t0.0\t1.5\nlock\t1\t0.0\t1.75\n" | same - got
	paired --from @5 >got; test ! -s got
'

check 'a step has the part of a pair that is in it; steps add up to the whole' '
	paired --step 1s | cut -f 1,3,4,14 >got
	for row in "1 io 1 1.0" "1 lock 1 0.5" "2 io 0 1.0" "2 lock 0 1.0" "2 alloc 1 0.0" "3 io 0 1.0" "3 lock 0 1.0" \
		"4 lock 0 0.5"; do
		set -- $row
		printf "1970-01-01T00:00:0%sZ\t%s\t%s\t%s\n" "$1" "$2" "$3" "$4"
	done | same - got
	paired --step 1h | cut -f 2- >got
	paired | same - got
	stkgroup -q -s pairs.yaml --events five.tsv -f text --step 2s >got
	test "$(grep -c " to " got)" = 3
'

check 'a key has the pairs of its threads' '
	paired --by thread | cut -f 1,3,14 >got
	printf "t\tio\t3.0\nt\talloc\t0.0\nu\tlock\t3.0\n" | same - got
	paired --by thread --step 2s | cut -f 2,4,15 >got
	printf "t\tio\t1.0\nu\tlock\t0.5\nt\tio\t2.0\nt\talloc\t0.0\nu\tlock\t2.0\nu\tlock\t0.5\n" | same - got
'

check 'events as records give the same as events of a file, in windows and steps, by threads' '
	stkcap five.tsv >five.stk 2>said; grep -qx "stkcap: 5 events, 0 lines skipped" said
	stkcap -q --source a five.tsv >named.stk
	for how in "" "--from @1.25 --to @2.5" "--step 1s" "--step 2s --window @1.25..@1.75 --window @3..@9"; do
		paired $how >want
		stkgroup -q -s pairs.yaml $how -f tsv five.stk | tail -n +2 | same want -
		stkcat -q -f stream five.stk | stkgroup -q -s pairs.yaml $how -f tsv | tail -n +2 | same want -
	done
	paired --by thread | LC_ALL=C sort >want
	stkgroup -q -s pairs.yaml --by thread -f tsv five.stk | tail -n +2 | LC_ALL=C sort | same want -
	paired | grep -v lock | cut -f 1-4,6,7,9- >want
	stkgroup -q -s pairs.yaml --thread t -f tsv five.stk | tail -n +2 | cut -f 1-4,6,7,9- | same want -
	test -z "$(stkgroup -q -s pairs.yaml --thread none -f tsv five.stk | tail -n +2)"
	test "$(stkgroup -q -s pairs.yaml --by source -f tsv named.stk | tail -n +2 | cut -f 1,3,14 | head -1)" = "a	io	3.0"
'

check 'each column of an event is kept: the text, an independent count of rows, wrong lines, any prefix' '
	printf "time\tthread\thappening\tname\tvalue\tactivity\tstack\n# note\n\n" >all.tsv
	printf "2026-03-01T10:00:00\tmain\tbegin\tquery\t2.5\t12\tmain;run;q\r\n" >>all.tsv
	printf "2026-03-01T11:00:00+02:00\tother\tend\tquery\n@1772358000\t\tpoint\t\t-1\n" >>all.tsv
	stkcap -q --zone Europe/Berlin all.tsv >all.stk
	stkcat -q -f tsv --only event all.stk | tail -n +2 >got
	printf "2026-03-01T09:00:00Z\tmain\tstart\tquery\t2.5\t12\tmain;run;q\t\t-1\n" >want
	printf "2026-03-01T09:00:00Z\tother\tstop\tquery\t0.0\t0\t\t\t-1\n2026-03-01T09:40:00Z\t\tpoint\t\t-1.0\t0\t\t\t-1\n" >>want
	same want got
	{ cat all.tsv; echo "no event"; } >wrong.tsv
	status 1 stkcap --rejects why wrong.tsv >wrong.stk 2>said
	grep -q "an event is a time, a thread, a happening and a name" why
	stkcat -q -f tsv --only event wrong.stk | tail -n +2 | wc -l | grep -qx 3
	size=$(wc -c <all.tsv)
	for n in $(seq 1 7 $size); do
		head -c $n all.tsv >part.tsv
		stkcap -q --format events part.tsv >part.stk 2>said || test $? = 1
		stkcat --check part.stk 2>said || test $? = 1
	done
'

check 'a payload outside of pairs belongs to the group of its stack' '
	printf "scheme: s\ngroups:\n- name: db\n  members: [q*]\n- name: io\n  events: {start: read, stop: done}\n" >db.yaml
	printf "1\tt\tpoint\tbytes\t64\t\tmain;query\n2\tt\tstart\tread\n3\tt\tpoint\tbytes\t32\t\tmain;query\n4\tt\tstop\tdone\n" |
		stkcap -q --format events - | stkgroup -q -s db.yaml -f tsv >got
	awk -F "\t" "NR > 1 && \$2 != \"(none)\" { print \$2, \$11 }" got | sort >rows
	printf "db 64.0\nio 32.0\n" | same - rows
'

check 'threads of one stream are not those of the next, nor of a file' '
	printf "0\tt\tstart\tread\n4\tt\tstop\tdone\n" >one.tsv
	printf "1\tu\tstart\tread\n3\tu\tstop\tdone\n" >two.tsv
	stkcap -q --source x one.tsv >x.stk; stkcap -q --source y two.tsv >y.stk
	for order in "x.stk y.stk" "y.stk x.stk"; do
		stkgroup -q -s pairs.yaml --by source -f tsv $order | tail -n +2 | cut -f 1,3,4,14 | LC_ALL=C sort >got
		printf "x\tio\t1\t4.0\ny\tio\t1\t2.0\n" | same - got
	done
	stkgroup -q -s pairs.yaml --events two.tsv -f tsv x.stk | tail -n +2 | cut -f 2,3,13 >got
	printf "io\t2\t6.0\n" | same - got
	printf "0\tt\tstart\tread\n" | stkcap -q --format events - >open.stk
	status 1 stkgroup -q -s pairs.yaml -f tsv open.stk y.stk >got 2>said
	grep -q "events: 1 start without a stop (it counts up to the last event of its thread)$" said
'

check 'columns in another order are refused' '
	printf "time\tname\tkind\tthread\n1\ta\tbegin\tt\n" >other.tsv
	status 1 stkcap -q --format events other.tsv >other.stk 2>said
	status 1 stkgroup -q -s pairs.yaml --events other.tsv -f tsv >got 2>said
	grep -q "other.tsv:1: not an event" said
'

check 'what does not choose events of a file is said; of a stream events have no state' '
	stkgroup -s pairs.yaml --events five.tsv --thread t -f tsv 2>said | tail -n +2 | cut -f 2,3,11,13 >got
	paired | cut -f 2,3,11,13 | same - got
	grep -q "^stkgroup: --thread does not choose events of --events: all of five.tsv count; stkcap" said
	test -z "$(stkgroup -s pairs.yaml --state runnable -f tsv five.stk | tail -n +2)"
	stkgroup -q -s pairs.yaml --state unknown -f tsv five.stk | tail -n +2 >got
	paired | same - got
'
check 'no events, one, and a pair that ends where a step begins' '
	: >none.tsv
	test -z "$(stkgroup -q -s pairs.yaml --events none.tsv --step 1s -f tsv | tail -n +2)"
	printf "1\tt\tpoint\tbytes\t5\n" >one.tsv
	test "$(stkgroup -q -s pairs.yaml --events one.tsv --step 1s -f tsv | tail -n +2 | cut -f 3,12)" = "alloc	5.0"
	printf "1\tt\tstart\tread\n2\tt\tstop\tdone\n" >edge.tsv
	test "$(stkgroup -q -s pairs.yaml --events edge.tsv --step 1s -f tsv | tail -n +2 | cut -f 1,3,14)" = "1970-01-01T00:00:01Z	io	1.0"
'

check 'steps with samples and steps with events alone, in order' '
	printf "prog 1/1 2.500000: 1000000 cpu-clock:\n\t1 f (/bin/x)\n\n" | stkcap -q --format perf-script - >one.stk
	stkgroup -q -s pairs.yaml --events five.tsv --step 1s -f tsv one.stk | tail -n +2 | cut -f 1,3,4,14 >got
	cut -f 1 got | LC_ALL=C sort -c
	test "$(grep -c "^2	(none)	1" got)" = 1
	grep -v "(none)" got >events
	paired --step 1s | cut -f 1,3,4,14 | sed "s/^1970-01-01T00:00:0\(.\)Z/\1/" | same - events
'

have python3 || { skip 'no python3' 'random events in random windows and steps' ''; finish; exit; }
cat >count.py <<'END'
"""random events; or what pairs of them have, by step, thread and group: the innermost pair that is open has the time"""
import random, sys
seed, step, windows = int(sys.argv[2]), int(sys.argv[3]), [tuple(map(int, w.split(":"))) for w in sys.argv[4:]]
chance = random.Random(seed)
events, now = [], 0
for _ in range((0, 1, 2, 3, 60, 200)[seed % 6]):
    now += chance.randrange(0, 900)
    thread = chance.choice("abc")
    events.append((now, thread, *chance.choice((("start", "read"), ("stop", "done"), ("start", "lock"), ("stop", "unlock"), ("point", "bytes"), ("switch-out", ""), ("switch-in", "")))))
if sys.argv[1] == "make":
    for at, thread, kind, name in events:
        print(f"{at / 1000:.3f}\t{thread}\t{kind}\t{name}" + ("\t7" if name == "bytes" else ""))
    sys.exit()
group = {"read": "io", "done": "io", "lock": "lock", "unlock": "lock", "bytes": "alloc"}
has = {}


def inside(at):
    return not windows or any(a <= at < b for a, b in windows)


def add(at, thread, name, place, amount):
    row = has.setdefault((at // step * step if step else 0, thread, name), [0, 0, 0])
    row[place] += amount


threads = {}
for at, thread, kind, name in events:
    t = threads.setdefault(thread, {"open": [], "out": False, "last": None})
    if t["last"] is not None and not t["out"]:
        for ms in range(t["last"], at):
            if inside(ms):
                add(ms, thread, t["open"][-1] if t["open"] else "(none)", 1, 1)
    t["last"] = at
    if kind.startswith("switch"):
        t["out"] = kind == "switch-out"
        continue
    if kind == "start":
        t["open"].append(group[name])
        if inside(at):
            add(at, thread, group[name], 0, 1)
    elif kind == "stop":
        for i in reversed(range(len(t["open"]))):
            if t["open"][i] == group[name]:
                del t["open"][i]
                break
    else:
        if inside(at):
            add(at, thread, "alloc", 0, 1)
            add(at, thread, t["open"][-1] if t["open"] else "alloc", 2, 7)
for (part, thread, name), (count, ms, payload) in sorted(has.items()):
    if count or ms or payload:
        print(f"{part / 1000:.3f}\t{thread}\t{name}\t{count}\t{ms / 1000:.3f}\t{payload:.1f}")
END
check 'random events in random windows and steps' '
	for seed in 0 1 2 3 4 5; do
		python3 count.py make $seed 0 >random.tsv
		for how in "0" "1000" "250 2000:9000" "0 0:100 5000:60000" "3000 1:2 2:40000"; do
			set -- $how; step=$1; shift
			python3 count.py count $seed $step "$@" >want
			options=
			test $step = 0 || options="--step ${step}ms"
			for w; do options="$options --window @$(echo $w | awk -F: "{ printf \"%.3f..@%.3f\", \$1 / 1000, \$2 / 1000 }")"; done
			stkgroup -q -s pairs.yaml --events random.tsv --by thread -f tsv $options >rows 2>said || test $? = 1
			tail -n +2 rows | awk -F "\t" -v step=$step "{
				from = 0; i = 0
				if (step > 0) {
					split(\$1, p, /[T:Z]/); from = p[2] * 3600 + p[3] * 60 + p[4]; i = 1
				}
				printf \"%.3f\t%s\t%s\t%d\t%.3f\t%.1f\n\", from, \$(1 + i), \$(3 + i), \$(4 + i), \$(14 + i), \$(12 + i) }" |
				LC_ALL=C sort >got
			LC_ALL=C sort want | same - got || { echo "seed $seed: $how"; false; }
		done
	done
'

check 'a pair that is open at the end of a stream ends there, which is reported with the way out: merged files have it whole' '
	{ printf "1\tw\tstart\treq\n2\tw\tpoint\tx\n" | stkcap -q --format events >a.stk; } 2>&1
	{ printf "3\tw\tpoint\tx\n5\tw\tstop\treq\n" | stkcap -q --format events >b.stk; } 2>&1
	printf "groups:\n  - name: req\n    events: { start: req, stop: req }\n" >req.yaml
	status 1 stkgroup -s req.yaml -f tsv a.stk b.stk >cut 2>said
	grep -q "stkcat --merge makes one stream of them" said
	test "$(awk -F "\t" "\$2 == \"req\" { print \$6 }" cut)" = 1.0
	stkcat --merge a.stk b.stk | status 0 stkgroup -s req.yaml -f tsv >whole 2>said
	test "$(awk -F "\t" "\$2 == \"req\" { print \$6 }" whole)" = 4.0
	test "$(grep -c merge said)" -eq 0
	status 1 stkgroup -s req.yaml -f tsv a.stk >one 2>said
	test "$(grep -c merge said)" -eq 0
'
finish
