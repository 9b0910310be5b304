#!/bin/sh
# SPDX-License-Identifier: MIT
# An id is what the stream defines under it and nothing else: not an index, not a size. Streams with right checksums and senseless ids.
. "${0%/*}/lib/tap.sh"
have python3 zstd || skip_all 'no python3 or zstd'

printf 'a;b 1\n' | stkcap -q - | stkcat -f ndjson --ids --only head | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["schema"], end="")' >schema

# write NAME CHANGES: a stream of six dumps of two threads of two processes, events, classes, groups and metrics. CHANGES is python that may change
# `of`, which gives the id that a kind's n-th definition has; `rows`, the rows of each kind; `before`, further blocks to begin with.
write() {
	cat >spec.py <<X
import sys
sys.path.insert(0, "$t/reader")
from stkwrite import input_bytes
STRING, FRAME, STACK, SOURCE, THREAD, DUMP, SAMPLE, EVENT, METRIC = 1, 2, 3, 4, 5, 8, 9, 10, 11
def of(kind, n): return n
strings = ["main", "read", "parse", "wait", "web-1", "worker-1", "worker-2", "Z", "db-1", "worker-3"]
frames = [1, 2, 3, 4]			# their functions
stacks = [(0, 1), (1, 2), (1, 3), (3, 4)]	# parent, frame
sources = [(5, 100), (9, 200)]		# name, pid
threads = [(1, 6, 11), (1, 7, 12), (2, 10, 13)]	# source, name, tid
second = 10 ** 9
start = 1700000000 * second
dumps = [(start + i * 20 * second, 1 + i % 2) for i in range(6)]
samples = [(d + 1, t, 2 + (d + t) % 3) for d in range(6) for t in ([1, 2] if d % 2 == 0 else [3])]	# dump, thread, stack
events = [(start + i * second, 1 + i % 3, 1 + i % 4, 1 + i % 2) for i in range(12)]	# time, thread, stack, happening
metrics = [(start + i * 20 * second, 1 + i % 2) for i in range(6)]
before, after = [], []
$2
def column(n, values): return {"number": n, "words": [v & (1 << 64) - 1 for v in values]}
def ids(kind, n, values): return column(n, [of(kind, v) if 0 < v < 100000 else v for v in values])
blocks = []
def define(kind, count, columns):
	for i in range(count):
		blocks.append({"kind": kind, "first": of(kind, i + 1), "columns": [dict(c, **{k: [c[k][i]] for k in ("words", "texts") if k in c}) for c in columns]})
define(STRING, len(strings), [{"number": 0, "texts": strings}])
define(FRAME, len(frames), [ids(STRING, 0, frames)])
define(STACK, len(stacks), [ids(STACK, 0, [s[0] for s in stacks]), ids(FRAME, 1, [s[1] for s in stacks])])
define(SOURCE, len(sources), [ids(STRING, 0, [s[0] for s in sources]), column(2, [s[1] for s in sources]), column(6, [1] * len(sources))])
define(THREAD, len(threads), [ids(SOURCE, 0, [t[0] for t in threads]), ids(STRING, 1, [t[1] for t in threads]), column(3, [t[2] for t in threads])])
define(DUMP, len(dumps), [column(0, [d[0] for d in dumps]), ids(SOURCE, 1, [d[1] for d in dumps]), column(5, [2] * len(dumps))])
times = [dumps[s[0] - 1][0] if s[0] <= len(dumps) else start for s in samples]
blocks.append({"kind": SAMPLE, "range": [min(times), max(times)], "columns": [column(0, times), ids(DUMP, 1, [s[0] for s in samples]),
	ids(THREAD, 2, [s[1] for s in samples]), ids(STACK, 3, [s[2] for s in samples]), column(4, [1] * len(samples)), column(7, [2] * len(samples))]})
blocks.append({"kind": EVENT, "columns": [column(0, [e[0] for e in events]), ids(THREAD, 1, [e[1] for e in events]), column(2, [e[3] for e in events]),
	{"number": 3, "texts": ["parse"] * len(events)}, ids(STACK, 6, [e[2] for e in events])]})
blocks.append({"kind": METRIC, "columns": [column(0, [m[0] for m in metrics]), ids(SOURCE, 1, [m[1] for m in metrics]),
	{"number": 2, "texts": ["heap.used"] * len(metrics)}, {"number": 3, "reals": [1000.0 + i for i in range(len(metrics))]}]})
open("$1", "wb").write(input_bytes({"schema": open("schema").read(), "blocks": before + blocks + after}))
X
	PYTHONDONTWRITEBYTECODE=1 python3 spec.py
}

printf 'scheme: g\ngroups: [{name: parsing, members: [parse], events: {start: parse, stop: parse}}, {name: reading, members: [read]}]\n' >groups.yaml

# bounded COMMAND...: within 400 MB, which are far more than it needs, and one minute. Sanitizers reserve more room than they use.
bounded() {
	case ${BUILD:-} in *address*) timeout 60 "$@" ;; *) (ulimit -v 400000; exec timeout 60 "$@") ;; esac
}

# each FILE COMMAND...: all that filters do with a stream, one after the other
questions='stkcat -f text
stkcat -f tsv --only sample
stkcat -f folded --by source,process,thread,pool
stkcat --merge -f stream
stkclass -f text
stkclass -f stream
stkclass --codes frequency
stkclass --resume STATE -f text
stkgroup -s groups.yaml -f text
stkgroup -s groups.yaml -f stream
stkdiag -f text
stkdiag -f stream
stktrend -f text
stktrend --resume STATE -f text
stktree -f text --by source,thread
stktree -f text --from 2023-11-14T22:13:20Z --to 2023-11-14T22:14:20Z
stktree --leaf 2 --split 2 -o TREE'

# ask FILE NAME: every question of a file; answers into NAME.N, statuses and words into NAME.N.err
ask() {
	n=0
	rm -f state
	echo "$questions" | while read -r question; do
		n=$((n + 1))
		rm -f state
		question=$(echo "$question" | sed "s/STATE/state/; s/TREE/$2.tree/")
		bounded $question "$1" >"$2.$n" 2>"$2.$n.err" </dev/null && got=0 || got=$?
		echo "$got $question" >>"$2.statuses"
		case $got in 0|1) ;; 4) case $question in stkdiag*) ;; *) return 1 ;; esac ;; *) echo "status $got: $question $1"; cat "$2.$n.err"; return 1 ;; esac
	done
}

check 'ids far from each other give the answers that dense ones give, in the same room' '
	write dense.stk ""
	write sparse.stk "
def of(kind, n): return n * 300000007 % 4294967290"
	write topmost.stk "
def of(kind, n): return 4294967280 + n"
	write afar.stk "
def of(kind, n): return 2147483000 + n * 65"
	status 0 stkcat --check dense.stk
	ask dense.stk dense
	for kind in topmost afar; do
		status 0 stkcat --check $kind.stk
		ask $kind.stk $kind
		n=0
		echo "$questions" | while read -r question; do
			n=$((n + 1))
			case $question in *-f\ stream*|*--codes*|*--stats*) continue ;; esac
			cut -f 1-6,8- dense.$n >want		# without the column that is an id
			cut -f 1-6,8- $kind.$n | sed "s/$kind/dense/g" | same want - || { echo "of: $question"; false; }
		done
		stkcat -f tsv --only sample dense.tree | cut -f 1-6,8- >want
		stkcat -f tsv --only sample $kind.tree | cut -f 1-6,8- | sed "s/$kind/dense/g" | same want -
	done
'
check 'ids in no order at all are a stream whose heads were lost: told, and no more memory for it' '
	ask sparse.stk sparse
'

# lost FILE KIND [QUESTION...]: a filter that is asked of it ends with status 1 and tells what is not defined
lost() {
	file=$1 kind=$2
	shift 2
	for question; do
		rm -f state
		status 1 bounded $question "$file" >out 2>err </dev/null || { echo "of: $question"; cat err; return 1; }
		grep -q "a $kind that the input does not define" err || { echo "no word of $question"; cat err; return 1; }
	done
}

for id in 77 4294967295 4294967297 18446744073709551615; do
check "id $id, which nothing has: told and counted by all who would use it, and the rest is answered" "
	write some.stk 'dumps = [(d[0], $id) for d in dumps]; metrics = [(m[0], $id) for m in metrics]; stacks = [(s[0], $id) for s in stacks]
events = [(e[0], $id, e[2], e[3]) for e in events]; samples = [(s[0], $id, s[2]) for s in samples]'
	lost some.stk source 'stkclass -f text' 'stkclass -f stream' 'stkclass --resume state -f text' 'stkclass --codes frequency' 'stktrend -f text'
	lost some.stk thread 'stkgroup -s groups.yaml -f text' 'stktree -f text' 'stkclass -f text'
	lost some.stk frame 'stkclass -f text' 'stkgroup -s groups.yaml -f text' 'stktree -f text'
	case $id in *5) ask some.stk some ;; esac
	write others.stk 'samples = [($id, s[1], $id) for s in samples]; stacks = [($id, s[1]) for s in stacks]'
	lost others.stk stack 'stkclass -f text' 'stkgroup -s groups.yaml -f text' 'stktree -f text'
	lost others.stk dump 'stkclass -f text' 'stkgroup -s groups.yaml -f text'
	case $id in *5) ask others.stk others ;; esac
"
done
check 'parents that are their own children, or come later, end the way to the root, and are told' '
	write self.stk "stacks = [(i + 1, s[1]) for i, s in enumerate(stacks)]"
	write later.stk "stacks = [(i + 2, s[1]) for i, s in enumerate(stacks)]"
	write circle.stk "stacks = [(len(stacks) - i, s[1]) for i, s in enumerate(stacks)]"
	for file in self.stk later.stk circle.stk; do
		lost $file stack "stkclass -f text" "stkgroup -s groups.yaml -f text" "stktree -f text"
		test "$(stktree -q -f tsv $file 2>err | wc -l)" -gt 2
	done
'
check 'a class, segment, part, scheme and group may have any number' '
	write rows.stk "
def word(n, *v): return {\"number\": n, \"words\": list(v)}
def text(n, *v): return {\"number\": n, \"texts\": list(v)}
big = [(1 << 64) - 1, 1 << 63, (1 << 32) - 1, 1 << 31, 1 << 30, 5]
for kind in range(14, 33):
	after.append({\"kind\": kind, \"columns\": [word(c, *big) for c in range(3)]})"
	for question in "stktrend -f text" "stktrend -f stream" "stktree -f text" "stktree -f text --as classes" "stktree -f text --as groups" "stkclass -f text" "stkgroup -s groups.yaml -f text" "stkclass --restore"; do
		bounded $question rows.stk >out 2>err && got=0 || got=$?
		test $got -le 3 || { echo "status $got: $question"; cat err; false; }
		status 1 grep "out of memory" err
	done
'
check 'ten thousand definitions far from each other take room for ten thousand' '
	write many.stk "before = [{\"kind\": STACK, \"first\": 1 + i * 400000, \"columns\": [{\"number\": 1, \"words\": [7]}]} for i in range(10000)]
def of(kind, n): return n if kind != STACK else 4200000000 + n"
	ask many.stk many
'
finish
