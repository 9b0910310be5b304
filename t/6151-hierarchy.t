#!/bin/sh
# SPDX-License-Identifier: MIT
# The table by process, thread and group: each level has its own totals, from when to when, how long, how busy, and its shares of the level above and of all.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

cat >two.yaml <<'END'
scheme: two
groups:
- name: A
  members: [a*]
  children:
  - name: B
    members: [b*]
- name: C
  members: [b2, c*]
END

# Samples of three processes on three processors, as perf prints them, and what is to be read of them. b2 is in B and in C.
cat >make.py <<'END'
import collections, random
random.seed(5)
groups_of = {"a1": ["A"], "b1": ["A/B"], "b2": ["A/B", "C"], "c1": ["C"], "z1": ["(none)"]}
rows, time = [], 1000.0
for i in range(600):
    time = round(time + random.choice([0.001, 0.002, 0.004]), 6)
    pid = random.choice([11, 12, 13])
    rows.append((time, pid, pid * 10 + random.choice([1, 2]), random.randrange(3), random.choice([1000000, 3000000]), random.choice(sorted(groups_of))))
with open("in.txt", "w") as out:
    for time, pid, tid, cpu, ns, leaf in rows:
        out.write("t%d %d/%d [%03d] %.6f: %d cpu-clock:\n\t2 %s (/bin/x)\n\t1 main (/bin/x)\n\n" % (tid, pid, tid, cpu, time, ns, leaf))

def line(level, key, group, chosen, above):
    seconds = sum(r[4] for r in chosen) / 1e9
    elapsed = rows[-1][0] - rows[0][0] + sum(r[4] for r in rows) / 1e9 / len(rows)
    return "%s %s %s %.6f %.6f %.6f %.4f %.4f %.4f %d %.6f" % (level, key, group, chosen[0][0], chosen[-1][0], chosen[-1][0] - chosen[0][0],
        seconds / elapsed, seconds * 1e9 / sum(r[4] for r in above), seconds * 1e9 / sum(r[4] for r in rows), len(chosen), seconds)

def table(levels, path, chosen, above, name, key_of):
    yield line(name, path or "-", "-", chosen, above)
    if not levels:
        for group in "A", "A/B", "C", "(none)":
            of = [r for r in chosen if any(g == group or g.startswith(group + "/") for g in groups_of[r[5]])]
            if of:
                yield line("group", path, group, of, chosen)
        return
    below = collections.defaultdict(list)
    for r in chosen:
        below[str(key_of[levels[0]](r))].append(r)
    for k in sorted(below):
        yield from table(levels[1:], path + ";" + k if path else k, below[k], chosen, levels[0], key_of)

key_of = {"pid": lambda r: r[1], "thread": lambda r: "t%d" % r[2], "processor": lambda r: r[3]}
for levels in [["pid", "thread"], ["processor"], ["processor", "pid", "thread"]]:
    with open(",".join(levels) + ".want", "w") as out:
        for text in table(levels, "", rows, rows, "all", key_of):
            print(text, file=out)
END
python3 make.py && stkcap -q -o in.stk in.txt || exit 99

# rows KEYS: the table in the form of make.py
rows() {
	stkgroup -q -s two.yaml --report hierarchy -f tsv --by "$1" in.stk | tail -n +2 | awk -F "\t" '
		{ printf "%s %s %s %.6f %.6f %.6f %.4f %.4f %.4f %d %.6f\n", $2, $3 == "" ? "-" : $3, $4 == "" ? "-" : $4, $5, $6, $7, $8, $9, $10, $11, $12 }'
}

for keys in pid,thread processor processor,pid,thread; do
	check "by $keys: as a reference in Python has it" '
		rows "$keys" >got
		same "$keys.want" got
	'
done

check 'by default it is by process and thread' '
	stkgroup -q -s two.yaml --report hierarchy -f tsv in.stk | cut -f 2 | sort | uniq -c | awk "{ print \$1, \$2 }" >got
	printf "1 all\n%s group\n1 level\n3 process\n6 thread\n" "$(grep -c ^group pid,thread.want)" | same - got
'
check 'for people: processes first, the largest of each level first, clocks as percent of a processor; --depth and --min leave out rows' '
	stkgroup -q -s two.yaml --report hierarchy --by processor --width 120 in.stk >table
	head -1 table | grep -qx "@1000.004 to @1001.360"
	sed -n 2p table | grep -q "name.*start.*end.*lasted.*cpu %.*of key %.*of all %.*count.*cpu time"
	sed -n 3p table | awk "{ exit !(\$1 == \"all\" && \$6 == \"100.0\" && \$8 == 600) }"
	awk "/^    [0-9]/ { if (NR > 4 && \$7 > last) exit 1; last = \$7 }" table
	grep -q "^ *B " table
	stkgroup -q -s two.yaml --report hierarchy --by processor --depth 1 in.stk >flat
	test "$(grep -c "^ *B " flat)" -eq 0 && grep -q "^ *A " flat
	test "$(stkgroup -q -s two.yaml --report hierarchy --by pid,thread -f tsv --min 16 in.stk | awk -F "\t" "NR > 1 && \$4 != \"(none)\" && \$10 < .16" | wc -l)" -eq 0
'

check 'pairs of events have start, end and time as well, by step and by thread of a text' '
	printf "groups:\n- {name: P, events: {start: p, stop: q}}\n" >p.yaml
	printf "1\tt\tstart\tp\n4\tt\tstop\tq\n2\tu\tstart\tp\n8\tu\tstop\tq\n" >e.tsv
	stkgroup -q -s p.yaml --events e.tsv --report hierarchy --by thread -f tsv | awk -F "\t" "{ print \$2, \$3, \$4, substr(\$5, 18, 2), substr(\$6, 18, 2), \$7, \$8, \$9, \$12 }" >got
	same - got <<END
level key group   duration load key_share time
all   01 08 7.0 1.2857142857142858 1.0 9.0
thread t  01 04 3.0 0.42857142857142855 0.3333333333333333 3.0
group t P 01 04 3.0 0.42857142857142855 1.0 3.0
thread u  02 08 6.0 0.8571428571428571 0.6666666666666666 6.0
group u P 02 08 6.0 0.8571428571428571 1.0 6.0
END
	stkgroup -q -s p.yaml --events e.tsv --report hierarchy --step 5s -f tsv | awk -F "\t" "\$3 == \"all\" { print substr(\$1, 18, 2), \$8, \$9, \$13 }" >got
	printf "00 4.0 1.2 6.0\n05 3.0 0.6 3.0\n" | same - got
'

check 'hosts; a processor that is not known; and where it does not work' '
	stkgroup -q -s two.yaml --report hierarchy --by host -f tsv in.stk | sed -n 3p | cut -f 2-3 >got
	test "$(cut -f 1 got)" = host
	printf "main;a1 3\n" | stkcap -q -o f.stk -
	stkgroup -q -s two.yaml --by processor -f tsv f.stk | sed -n 2p | cut -f 1,3 >got
	printf "?\tA\n" | same - got
	status 2 stkcat -f folded --by processor in.stk 2>said
	grep -q "works only in stkgroup" said
	status 2 stkgroup -s two.yaml --report hierarchy -f folded in.stk 2>said
'
finish
