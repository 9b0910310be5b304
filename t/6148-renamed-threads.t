#!/bin/sh
# SPDX-License-Identifier: MIT
# A thread that gets another name, by exec for example, is the same for pairs: one that is open goes on. What a few lines
# of Python count by numbers of threads is the same.
. "${0%/*}/lib/tap.sh"

cat >work.yaml <<'END'
groups:
- name: work
  events: {start: 'probe:begin', stop: 'probe:end'}
END
line() { printf '%s %s [000] %s: %s: (0)\n' "$1" "$2" "$3" "$4"; }
grouped() { stkcap -q --as-events "$1" | stkgroup -s work.yaml -f tsv ${2-} 2>said; }
work() { grouped "$1" "--by thread" | awk -F '\t' 'NR > 1 && $3 == "work" { print $1, $4, $14 }'; }

check 'a pair over exec counts for each name while the thread has it, and once' '
	{ line sh 1234 100.000000 probe:begin; line sh 1234 100.500000 probe:other; line sleep 1234 100.750000 probe:other
	line sleep 1234 102.000000 probe:end; } >exec.txt
	work exec.txt >got
	printf "sh 1 0.75\nsleep 0 1.25\n" | same - got
	test ! -s said
'
check 'inner pairs go on, too, and a thread that has its first name again' '
	{ line a 7 1.000000 probe:begin; line b 7 1.500000 probe:begin; line a 7 2.000000 probe:end; line a 7 2.500000 probe:end; } >back.txt
	work back.txt >got
	printf "a 1 1.0\nb 1 0.5\n" | same - got
	test ! -s said
'
check 'a second later the number may be of another thread, unless it began a program' '
	{ line sh 9 1.000000 probe:begin; line sleep 9 2.000001 probe:end; } >late.txt
	work late.txt >got
	printf "sh 1 0.0\n" | same - got
	grep -q "1 stop without a start, 1 start without a stop" said
	{ line sh 9 1.000000 probe:begin; line sleep 9 5.000000 sched:sched_process_exec; line sleep 9 5.500000 probe:end; } >told.txt
	work told.txt >got
	printf "sh 1 4.0\nsleep 0 0.5\n" | same - got
'
check 'no event, one, and threads without a number' '
	: >none.txt; work none.txt >got; test ! -s got
	line sh 5 1.000000 probe:begin >one.txt
	work one.txt >got; printf "sh 1 0.0\n" | same - got
	{ line swapper 0 1.000000 probe:begin; line idle 0 1.500000 probe:end; } >zero.txt
	work zero.txt >got; printf "swapper 1 0.0\n" | same - got
'
check 'the same number in two recordings is two threads' '
	line sh 3 1.000000 probe:begin >x.txt; line sleep 3 1.500000 probe:end >y.txt
	stkcap -q --as-events x.txt y.txt >two.stk; status 1 stkgroup -s work.yaml -f tsv two.stk 2>said >got
	grep -q "1 stop without a start, 1 start without a stop" said
'
cat >random.py <<'END'
import random
random.seed(6148)
time, depth, name, began, total, pairs = 1000, {}, {}, {}, 0, 0

def line(tid, what):
    print("%s %d [000] %d.%03d000: probe:%s: (0)" % (name.get(tid, "n0"), 100 + tid, time // 1000, time % 1000, what), file=out)

with open("random.txt", "w") as out:
    for number in range(3000):
        time += random.randrange(1, 20)         # milliseconds
        tid = number % 5
        if random.random() < 0.2:
            name[tid] = "n%d" % random.randrange(4)
        stop = depth.get(tid, 0) > 0 and (random.random() < 0.6 or number >= 2900)
        if not stop:
            pairs += 1
            if depth.get(tid, 0) == 0:
                began[tid] = time
        depth[tid] = depth.get(tid, 0) + (-1 if stop else 1)
        if stop and depth[tid] == 0:
            total += time - began[tid]
        line(tid, "end" if stop else "begin")
    for tid in range(5):
        while depth[tid] > 0:
            time += 1
            depth[tid] -= 1
            line(tid, "end")
            if depth[tid] == 0:
                total += time - began[tid]
print(pairs, "%.3f" % (total / 1000))
END
random_pairs='pairs of random threads with random names are those of Python by numbers'
if have python3; then
	check "$random_pairs" '
		python3 random.py >want
		grouped random.txt | awk -F "\t" "\$2 == \"work\" { printf \"%d %.3f\n\", \$3, \$13 }" | same want -
		test "$(cut -d " " -f 1 random.txt | sort -u | wc -l)" = 4
		test ! -s said
	'
else
	skip 'no python3' "$random_pairs"
fi
finish
