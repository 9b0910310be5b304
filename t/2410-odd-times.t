#!/bin/sh
# SPDX-License-Identifier: MIT
# Times beyond what can be believed, ranges that lie, and steps without number: every filter says what it leaves out, gives the same answer, and ends.
. "${0%/*}/lib/tap.sh"
have python3 zstd timeout || skip_all 'no python3, zstd or timeout'

printf 'web 10/10 [000] 5.000000: 1 cycles:\n\t7f00 read (/bin/x)\n\t7f01 main (/bin/x)\n\n' | stkcap -q - >good.stk
stkcat -f ndjson --ids --only head good.stk | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["schema"], end="")' >schema
dirty='times outside 1823 to 2116 in 2 of 3 rows; they count as unknown'

# write SPEC: python that fills a list of blocks, behind definitions of a source, a thread and a stack (2, main;work)
write() {
	cat >spec.py <<X
import json, sys
YEAR, LEAST, MOST = 365 * 86400 * 10**9, -(1 << 63) + 1, (1 << 63) - 1
def words(n, *v): return {"number": n, "words": list(v)}
def span(times): return [min(times), max(times)]
def samples(*times, said=None):
    n = len(times)
    return {"kind": 9, "range": said or span(times), "columns": [words(0, *times), words(2, *[1] * n), words(3, *[2] * n), words(4, *[1] * n), words(7, *[2] * n)]}
blocks = [{"kind": 1, "first": 1, "columns": [{"number": 0, "texts": ["main", "work", "worker-1", "shop"]}]},
	{"kind": 2, "first": 1, "columns": [words(0, 1, 2), words(4, 1, 1)]}, {"kind": 3, "first": 1, "columns": [words(0, 0, 1), words(1, 1, 2)]},
	{"kind": 4, "first": 1, "columns": [words(0, 4), words(1, 1), words(6, 1)]}, {"kind": 5, "first": 1, "columns": [words(0, 1), words(1, 3)]}]
$1
json.dump({"schema": open("schema").read().splitlines(), "blocks": blocks}, sys.stdout)
X
	python3 spec.py | python3 "$t/reader/stkwrite.py" - -
}

write 'blocks.append(samples(LEAST, 0, MOST))' >wide.stk
write 'blocks.append(samples(-150 * YEAR // 2, 0, 145 * YEAR))' >centuries.stk
write 'blocks += [samples(i, 9 * 10**15 - i) for i in range(40)]' >months.stk
write 'blocks.append(samples(10**9, 2 * 10**9, 3 * 10**9)); blocks.append(samples(10**9, 2 * 10**9, said=[10**9, 7 * 10**9]))' >lie.stk
write '
blocks.append({"kind": 8, "first": 1, "range": [LEAST, MOST], "columns": [words(0, LEAST, 5 * 10**9, MOST), words(1, 1, 1, 1)]})
blocks.append({"kind": 9, "range": [LEAST, MOST], "columns": [words(0, LEAST, 5 * 10**9, MOST), words(1, 1, 2, 3), words(2, 1, 1, 1), words(3, 2, 2, 2), words(4, 1, 1, 1), words(7, 2, 2, 2)]})' >dumps.stk
write 'blocks.append({"kind": 10, "range": [LEAST, MOST], "columns": [words(0, LEAST, 0, MOST), words(1, 1, 1, 1), words(2, 1, 2, 2), {"number": 3, "texts": ["begin", "begin", "end"]}]})' >events.stk
printf 'scheme: x\ngroups:\n  - name: pay\n    members: [work]\n    events: {start: begin, stop: end}\n' >x.yaml

# told COMMAND...: status 1, within a minute, one message about the times
told() {
	status 1 timeout 60 "$@" >out 2>err
	grep -c "$dirty" err >&3
	test "$(grep -c "$dirty" err)" = "${times:-1}"
}

check 'times that are not believed are told once by every form of stkcat' '
	for form in text tsv ndjson dumps; do			# folded text has no times
		told stkcat -q -f $form wide.stk
	done
	told stkcat -q --check wide.stk
	told stkcat -q --sort wide.stk
	stkcat -q -f ndjson --ids --only sample out >rows || test $? = 1
	test "$(grep -c "\"time\":null" rows)" = 2
'
check 'and by every other filter' '
	told stktree -q -f text wide.stk
	told stktree -q -f text --step 1s wide.stk
	told stktree -q -f text --diff ..@0.5 --diff @0.. wide.stk
	told stktree -q -o wide.tree wide.stk
	told stkclass -q -f text wide.stk
	told stkclass -q -f text --step 1h wide.stk
	told stkgroup -q -s x.yaml -f text wide.stk
	told stkgroup -q -s x.yaml -f text --step 1h wide.stk
	told stkgroup -q -s x.yaml --step 1h wide.stk
'
check 'a stream and its tree give the same answer' '
	for window in "..@0.5" "@0.." "@-9223372036..@9223372036"; do
		status 1 stktree -q -f tsv --window $window wide.stk >of_stream 2>err
		stktree -q -f tsv --window $window wide.tree >of_tree 2>err || test $? = 1	# 1: it has to look at those samples
		same of_stream of_tree
	done
	status 0 stktree -q --report flat -f tsv wide.tree >out
	test "$(awk "NR == 2 { print \$3 }" out)" = 3
'
check 'a tree over a sorted stream is the same' '
	for rule in time samples calendar; do
		status 0 timeout 60 stktree -q -o $rule.tree --split-by $rule --leaf 2 centuries.stk
		status 0 stktree -q -f tsv $rule.tree >out
		status 0 stktree -q -f tsv centuries.stk >want
		same want out
	done
'
check 'a range that lies is damage: the block is left out of every answer' '
	for program in "stkcat -f ndjson --ids" "stkcat -f text" "stktree -f tsv" "stkclass -f text" "stkgroup -s x.yaml -f text"; do
		status 1 timeout 60 $program lie.stk >out 2>err
		grep "the times of the block are not those in its header" err
	done
	test "$(stkcat -f ndjson --ids --only sample lie.stk 2>err | wc -l)" = 3
'
check 'steps are bounded, whatever the times' '
	status 2 timeout 60 stktree -q -f text --step 1s centuries.stk 2>err
	grep "more than ten million steps" err
	status 0 timeout 60 stktree -q -f tsv --step 5000d centuries.stk >out
	test "$(wc -l <out)" -gt 3
	status 0 timeout 60 stktree -q -f tsv --step 53375d centuries.stk >out
	status 0 timeout 60 stktree -q -f tsv --from @-9223372036 --to @9223372036 --step 53375d centuries.stk >out
	test "$(wc -l <out)" -gt 3
	status 2 timeout 60 stktree -q -f tsv --step 53377d centuries.stk 2>err
	grep "too long: expected at most 53375d" err
'
check 'the first SIGTERM ends a walk in steps' '
	stktree -q -f tsv --step 1s months.stk >out 2>err &
	walk=$!
	while test "$(cut -d " " -f 14 /proc/$walk/stat)" -lt 50; do sleep 0.1; done	# half a second of CPU time: it walks
	kill -TERM $walk
	(sleep 60; kill -9 $walk) 2>/dev/null &
	wait $walk && got=0 || got=$?
	kill $! 2>/dev/null || true
	test $got = 143
'
check 'long steps, slices and windows work on times centuries apart' '
	for long in 1ns 1h 53375d; do
		status 0 timeout 60 stkclass -q -f text --step $long centuries.stk >out
		status 0 timeout 60 stkgroup -q -s x.yaml -f text --step $long centuries.stk >out
		status 0 timeout 60 stkgroup -q -s x.yaml --step $long centuries.stk >out.stk
		status 0 timeout 60 stkcat -q -f ndjson --ids out.stk >out
	done
	status 0 timeout 60 stktree -q -o thin.tree --thin 10d:raw,50000d:53375d centuries.stk
	status 0 stktree -q -f tsv thin.tree >out
	status 0 stktree -q -f tsv --diff "@-9223372036..@0.000000001" --diff "@0..@9223372036" centuries.stk >out
'
check 'dumps with such times: both their rows and their samples are told' '
	times=2 told stkcat -q -f text dumps.stk
	times=2 told stkclass -q -f text dumps.stk
	status 1 stkclass -q --resume x.state dumps.stk >out 2>err
	status 0 timeout 60 stkclass -q --resume x.state -f text centuries.stk >out
'
check 'time between events is not made of such times' '
	told stkgroup -q -s x.yaml --timing paired -f tsv events.stk
	grep "events: 2 have no time" err
	status 1 grep -E "[0-9]{9}" out
'
check 'stkcap says which times of a text it does not believe, and writes none' '
	printf "web 10/10 [000] 9000000000.000000: 1 cycles:\n\t7f00 read (/bin/x)\n\nweb 10/10 [000] 5.000000: 1 cycles:\n\t7f00 read (/bin/x)\n\n" >far.perf
	status 1 stkcap -q far.perf >far.stk 2>err
	grep "a time outside 1823 to 2116 counts as unknown" err
	status 0 stkcat -f ndjson --ids --only sample far.stk >out
	grep -c "\"time\":null" out | grep -x 1
	printf "time,name,value\n2200-01-01 00:00:00,a,1\n2020-01-01 00:00:00,a,2\n" >far.csv
	status 1 stkcap -q --format metrics far.csv >far.stk 2>err
	status 0 stkcat -f ndjson --ids --only metric far.stk >out
'
finish
