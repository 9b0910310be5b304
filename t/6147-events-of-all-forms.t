#!/bin/sh
# SPDX-License-Identifier: MIT
# The same random pairs, points and switches, as each of the tools writes them, have the same time and payload by thread.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

cat >pairs.yaml <<'END'
scheme: pairs
groups:
- {name: load, events: {start: '*load', stop: '*load'}}
- {name: draw, priority: 1, events: {start: '*draw', stop: '*draw'}}
- {name: read, events: {start: '*read', stop: '*read'}}
- {name: mark, events: {point: '*mark'}}
END
cat >write.py <<'END'
"""write.py SEED: one text a format of the same events; odd seeds have switches, and no slices of Chrome, which have none"""
import json, random, sys
seed = int(sys.argv[1])
chance, switches = random.Random(seed), seed % 2
names, processor = {101: "main", 102: "work er", 103: "io-3"}, {101: 0, 102: 1, 103: 0}
now, events, opened, out = 1000, [], {t: [] for t in names}, dict.fromkeys(names, False)
for _ in range((0, 1, 2, 3, 60, 61, 250, 251)[seed % 8]):
    now += chance.choice((1, 2, 5, 50, 333))
    thread, kind = chance.choice(list(names)), chance.random()
    if out[thread]:
        out[thread] = False
        events.append((now, thread, "switch-in", "", 0))
    elif kind < 0.35:
        opened[thread].append(chance.choice(("load", "draw", "read")))
        events.append((now, thread, "start", opened[thread][-1], 0))
    elif kind < 0.7 and opened[thread]:
        events.append((now, thread, "stop", opened[thread].pop(), 0))
    elif kind < 0.85 or not switches:
        events.append((now, thread, "point", "mark", chance.randint(1, 4096)))
    else:
        out[thread] = True
        events.append((now, thread, "switch-out", "", 0))

texts = {form: "" for form in ("events", "events-json", "perf-script", "ftrace", "babeltrace")}
texts["ftrace"] = "# tracer: nop\n#\n"
slices = [{"ph": "M", "name": "thread_name", "pid": 100, "tid": t, "args": {"name": n}} for t, n in names.items()]
for at, thread, kind, what, size in events:
    name, cpu, time = names[thread], processor[thread], f"{at // 1000000 + 50}.{at % 1000000:06d}"
    texts["events"] += f"{time}\t{name}\t{kind}\t{what}\t\t\t\t{cpu}\t100\t{f'bytes={size}' if size else ''}\n"
    texts["events-json"] += json.dumps({"time": float(time), "thread": name, "kind": kind, "name": what, "process": 100,
                                        "values": {"bytes": size} if size else {}}) + "\n"
    if kind.startswith("switch"):
        idle, own = (f"swapper/{cpu}", 0, "R", 0), (name, thread, "S", 1)
        left, next = (own, idle) if kind == "switch-out" else (idle, own)
        words = f"prev_comm={left[0]} prev_pid={left[1]} prev_prio=120 prev_state={left[2]} ==> next_comm={next[0]} next_pid={next[1]} next_prio=120"
        who = (name, 100, thread) if kind == "switch-out" else ("swapper", 0, 0)
        event, traced = "sched:sched_switch", f"{'<idle>' if who[2] == 0 else name:>16}-{who[2]:<7} [{cpu:03d}] d..2. {time}: sched_switch: {words}\n"
        fields = f'prev_comm = "{left[0]}", prev_tid = {left[1]}, prev_prio = 20, prev_state = {left[3]}, next_comm = "{next[0]}", next_tid = {next[1]}, next_prio = 20'
        lttng, context = "sched_switch", (who[1], who[2], left[0])
    else:
        who, context = (name, 100, thread), (100, thread, name)
        event = lttng = "shop:" + what + {"start": "_begin", "stop": "_end", "point": ""}[kind]
        words = f"bytes={size} fd=3" if size else ""
        traced = f"{name:>16}-{thread:<7} [{cpu:03d}] ..... {time}: {event[5:]}: {words}\n"
        fields = f"bytes = {size}, fd = 3" if size else ""
        slices.append({"ph": {"start": "B", "stop": "E", "point": "i"}[kind], "name": what, "pid": 100, "tid": thread, "ts": at + 50000000,
                       "args": {"bytes": size} if size else {}})
    texts["perf-script"] += f"{who[0]} {who[1]}/{who[2]} [{cpu:03d}] {time}: {event}: {words}\n\n"
    texts["ftrace"] += traced
    texts["babeltrace"] += f'[{time}000] (+0.000000000) host {lttng}: {{ cpu_id = {cpu} }}, {{ vpid = {context[0]}, vtid = {context[1]}, procname = "{context[2]}" }}, {{ {fields} }}\n'
if not switches:
    texts["chrome"] = json.dumps(slices)
for form, text in texts.items():
    open("in." + form, "w").write(text)
END
# figures FORMAT: count and time by thread and group, and the bytes by group
figures() {
	stkcap -q --as-events --format "$1" -o "$1.stk" "in.$1"
	stkgroup -q -s pairs.yaml -f tsv --by thread "$1.stk" | awk -F "\t" 'NR > 1 { printf "%s %s %d %.6f\n", $1, $3, $4, $14 }' | LC_ALL=C sort
	stkgroup -q -s pairs.yaml -f tsv --report payloads "$1.stk" | awk -F "\t" '$3 == "bytes" { print $2, $5, $6 }' | LC_ALL=C sort
}
check 'pairs, points and switches of random events: TSV, NDJSON, perf script, ftrace, babeltrace, Chrome' '
	for seed in 3 4 5 6 7 12 15; do
		rm -f in.*
		python3 write.py $seed
		figures events >want
		test -s want
		for form in events-json perf-script ftrace babeltrace chrome; do
			test -e in.$form || continue
			figures $form >got
			same want got || { echo "seed $seed: $form"; false; }
			echo $form >>met
		done
	done
	test "$(sort -u met | wc -l)" -eq 5
'
check 'none, one and two events' '
	for seed in 0 1 2; do
		rm -f in.*
		python3 write.py $seed
		for form in events-json perf-script ftrace babeltrace; do
			stkcap -q --as-events --format $form in.$form >$form.stk 2>said || test $? = 1
			echo "$form: $(stkcat -q -f tsv --only event $form.stk | tail -n +2 | wc -l)"
		done >got
		for form in events-json perf-script ftrace babeltrace; do echo "$form: $seed"; done | same - got
	done
'
finish
