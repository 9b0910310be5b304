#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures that are no numbers, infinite or absurd: told, counted, left out by everybody, and no figure is made of them.
. "${0%/*}/lib/tap.sh"
have python3 zstd timeout || skip_all 'no python3, zstd or timeout'

printf 'web 10/10 [000] 5.000000: 1 cycles:\n\t7f00 read (/bin/x)\n\t7f01 main (/bin/x)\n\n' | stkcap -q - >good.stk
stkcat -f ndjson --ids --only head good.stk | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["schema"], end="")' >schema

# write SPEC: python that fills a list of blocks, behind definitions of a source and a thread
write() {
	cat >spec.py <<X
import json, sys
HOUR = 3600 * 10**9
def words(n, *v): return {"number": n, "words": list(v)}
blocks = [{"kind": 1, "first": 1, "columns": [{"number": 0, "texts": ["shop", "worker"]}]},
	{"kind": 4, "first": 1, "columns": [words(0, 1), words(6, 1)]}, {"kind": 5, "first": 1, "columns": [words(0, 1), words(1, 2)]}]
def metric(name, values):
    times = [(500000 + i) * HOUR for i in range(len(values))]
    blocks.append({"kind": 11, "range": [times[0], times[-1]], "columns": [words(0, *times), words(1, *[1] * len(values)), {"number": 2, "text": name}, {"number": 3, "reals": values}]})
$1
json.dump({"schema": open("schema").read().splitlines(), "blocks": blocks}, sys.stdout)
X
	python3 spec.py | python3 "$t/reader/stkwrite.py" - -
}

write '
metric("heap", [1, 2, float("nan"), float("inf"), -float("inf"), 1e308, -1.7e308, 3])
metric("lost", [float("nan"), float("inf")])' >odd.stk
write '
metric("heap", [1, 2, 3])' >few.stk
write '
values = [100 + i % 24 for i in range(24 * 30)]
for i in range(5, len(values), 7): values[i] = [float("nan"), 1e308, -1e308, float("inf")][i % 4]
metric("heap", values)' >month.stk
write '
metric("heap", [[1e100, -1e100][i % 2] for i in range(24 * 30)])' >largest.stk
write '
blocks.append({"kind": 10, "range": [0, 30], "columns": [words(0, 0, 10, 20, 30), words(1, 1, 1, 1, 1), words(2, 1, 0, 0, 2), {"number": 3, "texts": ["begin", "x", "x", "end"]},
	{"number": 4, "reals": [float("inf"), 2.5, float("nan"), 1e308]}]})' >events.stk
printf 'scheme: x\ngroups:\n  - name: pay\n    events: {start: begin, stop: end}\n' >x.yaml

check 'the summary counts numbers only, and says how many are none' '
	status 1 stkcat -q -f text odd.stk >out 2>err
	grep "values not finite or beyond 1e100 in 5 of 8 rows; they are left out" err
	grep "values not finite or beyond 1e100 in 2 of 2 rows; they are left out" err
	grep -E "^ *3 +1 +1 +3 +3 +heap" out
	status 1 grep -Ei "nan|inf|e\+|lost" out
'
check 'rows are printed without them' '
	status 1 stkcat -q -f ndjson --ids --only metric odd.stk >out 2>err
	test "$(grep -c "\"value\":null" out)" = 7
	status 1 stkcat -q -f tsv --only metric odd.stk >out 2>err
	status 1 grep -Ei "inf|e\+" out
'
check 'trends are those of the numbers' '
	for view in "" "--forecast 1d" "--anomalies"; do
		timeout 60 stktrend -q -f tsv $view month.stk >out 2>err && got=0 || got=$?
		test $got = 1
		grep "values not finite or beyond 1e100" err
		status 1 grep -Ei "nan|inf|e\+[0-9]" out
	done
	status 1 stktrend -q --resume x.state month.stk 2>err
	status 0 stktrend -q --resume x.state -f tsv few.stk >out
	status 1 grep -Ei "nan|inf|e\+[0-9]" out
'
check 'the largest that are believed harm nobody' '
	status 0 stkcat -q -f text largest.stk >out
	grep "1e+100" out
	status 0 timeout 60 stktrend -q -f tsv largest.stk >out
	cut -f 2-4,6-9 out | status 1 grep -Ei "nan|inf"
'
check 'payloads of events: the sum is that of the numbers' '
	status 1 stkgroup -q -s x.yaml --timing paired -f tsv events.stk >out 2>err
	grep "values not finite or beyond 1e100 in 3 of 4 rows" err
	status 1 grep -Ei "nan|inf|e\+" out
	grep "2\.5" out
'
check 'names in quotes, with quotes, separators, a backslash and nothing, row for row as Python reads them' '
	printf "time,name,value\n" >names.csv
	for name in "\"a\"" "\"a\"\"b\"" "\"\"\"\"" "\"\"\"\"\"\"" "\"{x=\"\"1\"\",y=\"\"2\"\"}\"" "\"a,b;c\"" "\"a\"\"\"" "\"\"\"a\"" plain; do
		printf "2020-01-01T00:00:00Z,%s,1\n" "$name"
	done >>names.csv
	python3 -c "import csv; print(*(r[1] for r in list(csv.reader(open(\"names.csv\")))[1:]), sep=\"\n\")" >wanted
	stkcap -q names.csv | stkcat -q -f tsv --only metric | sed 1d | cut -f 3 >got
	same wanted got
'
check 'texts with such numbers: the line is left out, and told' '
	printf "time,name,value\n2020-01-01T00:00:00Z,a,1\n2020-01-01T00:00:01Z,a,1e308\n2020-01-01T00:00:02Z,a,nan\n2020-01-01T00:00:03Z,a,2\n" >odd.csv
	status 1 stkcap -q --format metrics odd.csv >odd.csv.stk 2>err
	test "$(stkcat -f ndjson --ids --only metric odd.csv.stk | wc -l)" = 2
	printf "time,a\n2020-01-01T00:00:00Z,1\n2020-01-01T01:00:00Z,1e308\n2020-01-01T02:00:00Z,inf\n2020-01-01T03:00:00Z,2\n" >series.csv
	status 1 stktrend -q -f tsv --csv series.csv >out 2>err
	test "$(grep -c "expected a number" err)" = 2
	printf "time\tthread\thappening\tname\tvalue\n0\tt\tpoint\tbegin\t1e308\n1\tt\tpoint\tbegin\tinf\n2\tt\tpoint\tbegin\t2\n" >events.tsv
	status 1 stkgroup -q -s x.yaml --events events.tsv --timing paired -f tsv >out 2>err
'
finish
