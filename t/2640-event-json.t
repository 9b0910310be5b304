#!/bin/sh
# SPDX-License-Identifier: MIT
# Events as JSON objects give the rows that the same events as lines give.
. "${0%/*}/lib/tap.sh"

cat >one.ndjson <<'END'
{"time": 1.5, "thread": "m\tain", "kind": "begin", "name": "que\"ry", "value": 2.5, "activity": 7, "stack": ["main", "run;x", "q\u00e9"], "processor": 3, "process": "web", "values": {"bytes": 4096, "wa it": "1.5ms", "flag": true}, "other": {"time": 9, "deep": [1, {}]}}
{"time": "2026-03-01T10:00:00+02:00", "happening": "point", "name": "p", "activity": "4bf92f3577b34da6a3ce929d0e0e4736", "process": 12, "stack": "a;b", "values": "rows=2"}

{"thread": "main", "time": "1772358000", "happening": "end", "name": null}
END
{
	printf '1.5\tm ain\tstart\tque"ry\t2.5\t7\tmain;run;x;q\303\251\t3\tweb\tbytes=4096 wa_it=1.5ms flag=\n'
	printf '2026-03-01T08:00:00Z\t\tpoint\tp\t\t4bf92f3577b34da6a3ce929d0e0e4736\ta;b\t\t12\trows=2\n1772358000\tmain\tstop\t\n'
} >one.tsv
rows() { stkcat -q -f tsv --only event "$1"; stkcat -q -f tsv --only sample "$1"; }

check 'objects are recognised and each key is kept, whatever their order; other keys are skipped' '
	stkcap one.ndjson >json.stk 2>said
	stkcap -q one.tsv >tsv.stk
	rows tsv.stk >want; rows json.stk | same want -
	grep -q "^stkcap: 3 events" said
	test "$(stkcat -q -f tsv --only event --process web json.stk | tail -n +2 | wc -l)" = 1
	gzip <one.ndjson | stkcap -q - >gz.stk; rows gz.stk | same want -
'

check 'none, one, and objects that are not events: those around them are read, status 1' '
	stkcap -q --format events-json /dev/null >none.stk || test $? = 1
	head -1 one.ndjson | stkcap -q - >first.stk; test "$(stkcat -q -f tsv --only event first.stk | wc -l)" = 2
	for wrong in "{}" "{\"time\": 1}" "{\"time\": \"x\", \"kind\": \"begin\"}" "{\"time\": 1, \"kind\": \"maybe\"}" "[1, 2]" "7" \
		"{\"time\": 1, \"kind\": \"begin\", \"activity\": -1}"; do
		{ head -1 one.ndjson; echo "$wrong"; tail -1 one.ndjson; } >wrong.ndjson
		status 1 stkcap -q wrong.ndjson >wrong.stk 2>said
		test "$(stkcat -q -f tsv --only event wrong.stk | tail -n +2 | wc -l)" = 2
	done
'

check 'any beginning is read up to its last whole object, and says that it is cut' '
	size=$(wc -c <one.ndjson)
	for n in $(seq 1 23 $size); do
		head -c $n one.ndjson >part.ndjson
		whole=$(head -c $n one.ndjson | grep -c "}$") || :
		stkcap -q --format events-json part.ndjson >part.stk 2>said || test $? = 1
		stkcat --check part.stk >/dev/null 2>said || test $? = 1
		test "$(stkcat -q -f tsv --only event part.stk | tail -n +2 | wc -l)" -le 3
		test "$(stkcat -q -f tsv --only event part.stk | tail -n +2 | wc -l)" -ge "$whole"
	done
'

check 'pairs of JSON reach stkgroup' '
	printf "scheme: s\ngroups:\n- name: io\n  events: {start: read, stop: done}\n" >s.yaml
	printf "{\"time\": 1, \"kind\": \"begin\", \"name\": \"read\"}\n{\"time\": 4, \"kind\": \"end\", \"name\": \"done\"}\n" | stkcap -q - |
		stkgroup -q -s s.yaml -f tsv | awk -F "\t" "NR == 2 { print \$2, \$13 }" >got
	echo "io 3.0" | same - got
'

check 'values that no sum can take are said and counted, status 1; their events and other values stay' '
	printf "{\"time\": 1, \"kind\": \"point\", \"name\": \"read\", \"values\": {\"x\": \"1e400\", \"y\": 1e400, \"bytes\": \"3B\"}}\n" >large.ndjson
	printf "1\t\tpoint\tread\t\t\t\t\t\tx=1e400 bytes=3B\n2\t\tpoint\tread\t\t\t\t\t\tbytes=4B path=/1e400\n" >large.tsv
	status 1 stkcap large.ndjson >large.stk 2>said
	grep -q "too large to be summed" said
	test "$(stkcat -q -f tsv --only event large.stk | tail -n +2 | wc -l)" = 1
	status 1 stkcap large.tsv >table.stk 2>said
	grep -q "^stkcap: large.tsv:1: a value is too large to be summed" said
	test "$(stkcat -q -f tsv --only event table.stk | tail -n +2 | wc -l)" = 2
	printf "scheme: s\ngroups:\n- name: io\n  events: {point: read}\n" >s.yaml
	stkgroup -q -s s.yaml -f ndjson table.stk | grep -q "\"payload\":7.0"
'
finish
