#!/bin/sh
# SPDX-License-Identifier: MIT
# Time, payloads and samples belong to the activity that is open on their thread, over threads.
. "${0%/*}/lib/tap.sh"

cat >work.yaml <<'END'
scheme: work
groups:
- name: db
  members: [q*]
  events: {start: query, stop: done}
- name: rest
  members: [f*]
END
tab() { tr "|" "\t"; }
figures() { stkgroup -q -s work.yaml -f tsv "$@" | tail -n +2 | awk -F "\t" '{ print $1, $3, $4, $7, $12 }'; }

tab >one.tsv <<'END'
0|t|start|request||7
1|t|start|query
2|t|point|rows|3
3|t|stop|done
4|t|start|request||8
5|t|start|query
6|t|stop|done
7|t|stop|request||8
8|t|stop|request||7
9|t|point|rows|5|7
10|u|point|rows|1
11|t|point|end
END

check 'pairs, the time of none, and payloads by activity: the one opened last; a point may name its own' '
	stkcap -q one.tsv >one.stk
	figures --by activity one.stk >got
	tab >want <<END
7 db 1 2.0 3.0
7 (none) 0 3.0 5.0
8 db 1 1.0 0.0
8 (none) 0 2.0 0.0
(none) (none) 0 3.0 1.0
END
	LC_ALL=C sort want >sorted; LC_ALL=C sort got | same sorted -
	stkgroup -q -s work.yaml --events one.tsv --by activity -f tsv | cut -f 1,3,7 | LC_ALL=C sort >file
	stkgroup -q -s work.yaml --by activity -f tsv one.stk | cut -f 1,3,7 | LC_ALL=C sort | same file -
	figures --by thread,activity one.stk | cut -d " " -f 1 | LC_ALL=C sort -u >got
	printf "t;(none)\nt;7\nt;8\nu;(none)\n" | same - got
'

check 'an activity that another thread stops ends on the thread that started it' '
	printf "0\tt\tstart\tjob\t\t9\n2\tu\tstop\tjob\t\t9\n5\tt\tpoint\tx\n5\tu\tpoint\tx\n6\tu\tstop\tjob\t\t4\n" | stkcap -q --format events - >two.stk
	status 1 stkgroup -q -s work.yaml --by thread,activity -f tsv two.stk >rows 2>said
	tail -n +2 rows | awk -F "\t" "\$7 > 0 { print \$1, \$7 }" | LC_ALL=C sort >got
	printf "t;(none) 3.0\nt;9 2.0\nu;(none) 4.0\n" | same - got
	grep -q "1 stops of activities that no thread had started" said
'

printf 't 1/11 0.500000: 1000000 cpu-clock:\n\t1 fa (/bin/x)\n\nt 1/11 4.000000: 1000000 cpu-clock:\n\t1 qb (/bin/x)\n\nt 1/11 8.000000: 1000000 cpu-clock:\n\t1 fa (/bin/x)\n\nu 1/12 5.000000: 1000000 cpu-clock:\n\t1 fa (/bin/x)\n\n' >samples.txt

check 'a sample is in the activity that is open on its thread, from the start on and before the stop' '
	stkcap -q --source app samples.txt one.tsv >both.stk
	stkgroup -q -s work.yaml --by activity -f tsv both.stk | awk -F "\t" "NR > 1 && \$5 > 0 { print \$1, \$3, \$5 }" | LC_ALL=C sort >got
	printf "(none) rest 2000000\n7 rest 1000000\n8 db 1000000\n" | same - got
	stkgroup -q -s work.yaml --by activity --step 4s -f tsv both.stk | awk -F "\t" "NR > 1 && \$6 > 0 { print substr(\$1, 18, 2), \$2, \$4, \$6 }" | LC_ALL=C sort >got
	printf "00 7 rest 1000000\n04 (none) rest 1000000\n04 8 db 1000000\n08 (none) rest 1000000\n" | same - got
	stkcap -q --source app one.tsv samples.txt | stkgroup -q -s work.yaml --by activity -f tsv | cut -f 1,3,5 | LC_ALL=C sort >other
	stkgroup -q -s work.yaml --by activity -f tsv both.stk | cut -f 1,3,5 | LC_ALL=C sort | same other -
'

check 'samples of another source, of another process, or of one of two threads of a name, are in no activity' '
	{ cat samples.txt; sed -n "s/11/13/; 1,3p" samples.txt; } >twins.txt
	stkcap -q --source other samples.txt >s.stk; stkcap -q --source app one.tsv >e.stk
	for how in "s.stk e.stk" twins; do
		test "$how" != twins || { stkcap -q --source app twins.txt one.tsv >twins.stk; how=twins.stk; }
		stkgroup -q -s work.yaml --by activity -f tsv $how | awk -F "\t" "NR > 1 && \$5 > 0 { print \$1 }" | LC_ALL=C sort -u >got
		echo "(none)" | same - got
	done
	awk -F "\t" -v OFS="\t" "{ \$9 = 2; print }" one.tsv >process.tsv
	stkcap -q --source app samples.txt process.tsv | stkgroup -q -s work.yaml --by activity -f tsv | awk -F "\t" "NR > 1 && \$5 > 0 { print \$1 }" | LC_ALL=C sort -u >got
	echo "(none)" | same - got
	awk -F "\t" -v OFS="\t" "{ \$9 = 1; print }" one.tsv >process.tsv
	stkcap -q --source app samples.txt process.tsv | stkgroup -q -s work.yaml --by activity -f tsv | awk -F "\t" "NR > 1 && \$5 > 0 { print \$1 }" | LC_ALL=C sort -u >got
	printf "(none)\n7\n8\n" | same - got
'

check 'what it does not work with is refused' '
	status 2 stkgroup -s work.yaml --by activity -f folded one.stk 2>said
	status 2 stkgroup -s work.yaml --by activity -f stream one.stk 2>said
	status 2 stkgroup -s work.yaml --by activity one.stk >out 2>said
	status 2 stkgroup -s work.yaml --by activity --follow -f tsv one.stk 2>said
	status 2 stkgroup -s work.yaml --by activity,thread -f tsv one.stk 2>said
'

have python3 || { skip 'no python3' 'random events and samples of activities' ''; finish; exit; }
cat >count.py <<'END'
"""random events and samples of two threads; or what each activity has of them, in milliseconds and samples"""
import random, sys
chance = random.Random(int(sys.argv[2]))
now, rows = 0, []
for _ in range((0, 1, 2, 3, 50, 400)[int(sys.argv[2]) % 6]):
    now += chance.randrange(1, 50)
    rows.append((now, chance.choice("tu"), chance.choice(("start", "stop", "start", "stop", "point", "sample", "sample")), chance.randrange(1, 5)))
if sys.argv[1] == "make":
    with open("e.tsv", "w") as events, open("s.txt", "w") as samples:
        for at, thread, what, activity in rows:
            if what == "sample":
                print(f"{thread} 1/{ord(thread)} {at / 1000:.6f}: 1000000 cpu-clock:\n\t1 fa (/bin/x)\n", file=samples)
            else:
                print(f"{at / 1000:.3f}\t{thread}\t{what}\tjob\t\t{activity if what != 'point' else ''}", file=events)
    sys.exit()
last = {}
for at, thread, what, _ in rows:
    if what != "sample":
        last[thread] = at
opened, opener, since, has = {"t": [], "u": []}, {}, {}, {}


def add(key, place, amount):
    has.setdefault(key or "(none)", [0, 0])[place] += amount


def present(thread):
    return opened[thread][-1] if opened[thread] else 0


def pass_time(thread, at):
    if thread in since and since[thread] < at:
        add(present(thread), 0, at - since[thread])
        since[thread] = at


for at, thread, what, activity in rows:
    if what == "sample":
        add(present(thread), 1, 1)
        continue
    pass_time(thread, at)
    since[thread] = at
    if what == "start":
        opened[thread].append(activity)
        opener[activity] = thread
    elif what == "stop":
        where = thread if activity in opened[thread] else opener.get(activity)
        if where and activity in opened[where]:
            pass_time(where, at)
            i = len(opened[where]) - 1 - opened[where][::-1].index(activity)
            del opened[where][i]
for key, (ms, samples) in sorted(has.items(), key=str):
    if ms or samples:
        print(key, ms, samples)
END
check 'random events and samples of activities' '
	for seed in 0 1 2 3 4 5 10 11 17; do
		python3 count.py make $seed
		test -s e.tsv || continue
		python3 count.py count $seed | LC_ALL=C sort >want
		stkcap -q --source app --format events e.tsv >e.stk
		if test -s s.txt; then stkcap -q --source app e.tsv s.txt >both.stk; else cp e.stk both.stk; fi
		stkgroup -q -s work.yaml --by activity -f tsv both.stk >rows 2>said || test $? = 1
		awk -F "\t" "NR > 1 { ms[\$1] += \$14 * 1000; n[\$1] += \$5 / 1000000 } END { for (k in n) if (ms[k] > 0.5 || n[k] > 0) printf \"%s %d %d\n\", k, ms[k] + 0.5, n[k] }" rows | LC_ALL=C sort >got
		same want got || { echo "seed $seed"; false; }
	done
'
check 'an activity that another thread ends adds no time to a thread without further events: all keys together have the same time' '
	printf "0\tw\tstart\treq\t\t7\n2\tw\tpoint\tx\n3\tv\tpoint\tx\n9\tv\tstop\treq\t\t7\n" >ended.tsv
	printf "groups:\n  - name: req\n    events: { start: req, stop: req }\n" >req.yaml
	stkcap -q --format events -o ended.stk ended.tsv
	for by in thread source activity; do
		stkgroup -q -s req.yaml --by $by -f tsv ended.stk | awk -F "\t" "NR > 1 { of[\$3] += \$7 } END { print of[\"req\"], of[\"(none)\"] }"
	done >got
	printf "2 6\n2 6\n2 6\n" | same got -
	printf "10\tw\tstop\treq\n" | cat ended.tsv - | stkcap -q --format events | stkgroup -q -s req.yaml --by activity -f tsv | awk -F "\t" "NR > 1 && \$7 > 0 { print \$1, \$3, \$7 }" | LC_ALL=C sort >got
	printf "%s\n" "(none) (none) 6.0" "(none) req 1.0" "7 req 9.0" | same got -
'

finish
