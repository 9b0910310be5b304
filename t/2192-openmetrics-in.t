#!/bin/sh
# SPDX-License-Identifier: MIT
# What Prometheus scrapes is read: samples with their labels, times in seconds or milliseconds, many scrapes in one file.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/openmetrics_text/prometheus" prometheus
cp "$t/fuzz/seed/openmetrics_text/openmetrics" openmetrics
# rows FILE: time, name with labels, value
rows() { stkcap -q "$@" | stkcat -q -f tsv --only metric - | sed 1d | cut -f 1,3,4 | tr '\t' ' '; }

check 'the text format, which Prometheus documents: labels, escapes, times in milliseconds, none; what is infinite is said' '
	stkcap -o x.stk --rejects rejects prometheus 2>err
	grep -x "stkcap: 8 metrics, 1 lines skipped" err
	printf "%s\n" "prometheus:13: a value that is not a finite number: something_weird{problem=\"division by zero\"}" | same - rejects
	stkcat -q -f ndjson --only metric x.stk | sed "s/.*\"time\"/\"time\"/; s/\"source\":\"[^\"]*\",//" >got
	cat >wanted <<-"END"
	"time":"2014-03-17T14:26:03.123Z","name":"http_requests_total{method=\"post\",code=\"200\"}","value":1027.0}
	"time":"2014-03-17T14:26:03.123Z","name":"http_requests_total{method=\"post\",code=\"400\"}","value":3.0}
	"time":null,"name":"msdos_file_access_time_seconds{path=\"C:\\\\DIR\\\\FILE.TXT\",error=\"Cannot find } file:\\n\\\"FILE.TXT\\\"\"}","value":1458255915.0}
	"time":null,"name":"metric_without_timestamp_and_labels","value":12.47}
	"time":null,"name":"http_request_duration_seconds_bucket{le=\"0.05\"}","value":24054.0}
	"time":null,"name":"http_request_duration_seconds_bucket{le=\"+Inf\"}","value":144320.0}
	"time":null,"name":"http_request_duration_seconds_sum","value":53423.0}
	"time":null,"name":"http_request_duration_seconds_count","value":144320.0}
	END
	same wanted got
'
check 'OpenMetrics: times in seconds, empty braces; exemplars are told' '
	rows openmetrics >got
	cat >wanted <<-"END"
	2026-11-22T10:26:40.500Z jvm_memory_used_bytes{area="heap"} 1048576.0
	2026-11-22T10:26:40.250Z foo_total 17.0
	2026-11-22T10:26:40.250Z foo_created 1520430000.123
	END
	same wanted got
	stkcap -q --rejects rejects openmetrics >x.stk
	grep -c "an exemplar: # {trace_id" rejects | grep -x 1
	grep -c "not a finite number: up$" rejects | grep -x 1
'
check 'units are those that names end with' '
	stkcap -q openmetrics | stkcat -q -f text --only metric - >text
	grep " 1.05 MB  jvm_memory_used_bytes{area" text
	printf "# TYPE a_seconds summary\na_seconds{quantile=\"0.5\"} 0.25 1\na_seconds_sum 90 1\na_seconds_count 90 1\n# TYPE b_ratio gauge\nb_ratio 0.5 1\n" >x
	stkcap -q x | stkcat -q -f text --only metric - >text
	grep "250ms  a_seconds{quantile" text; grep "1m30s  a_seconds_sum" text; grep " 90  a_seconds_count" text; grep "50.0%  b_ratio" text
'
check 'scrapes one after the other, each with a date above: as date prints it, ISO with a zone or without, seconds since 1970' '
	for date in "2026-11-20T22:14:44Z" "Fri Nov 20 22:14:44 UTC 2026" "2026-11-20 23:14:44+01:00" 1795212884 "2026-11-20 22:14:44"; do
		{ echo "$date"; echo "# TYPE up gauge"; echo "up{job=\"a\"} 1"; echo "2026-11-20T22:15:44Z"; echo "# TYPE up gauge"; echo "up{job=\"a\"} 0"; } >x
		rows x >got
		printf "2026-11-20T22:14:44Z up{job=\"a\"} 1.0\n2026-11-20T22:15:44Z up{job=\"a\"} 0.0\n" | same - got
	done
	rows --zone Europe/Berlin x | head -1 | grep "^2026-11-20T21:14:44Z"
'
check 'one without any time has that of the file, if it is asked for' '
	printf "# TYPE up gauge\nup 1\n" >x; touch -d 2026-03-04T05:06:07Z x
	rows --time-from mtime x | grep -x "2026-03-04T05:06:07Z up 1.0"
'
check 'long files, from a file and a pipe, are the rows that awk has' '
	awk "BEGIN { for (i = 0; i < 300; i++) { print 1795212884 + i * 15; print \"# TYPE a_total counter\"; for (k = 0; k < 150; k++) printf \"a_total{code=\\\"%d\\\"} %d\\n\", k, i * k } }" >x
	test "$(wc -c <x)" -gt 800000
	awk "/^[0-9]/ { time = \$1 } /^a/ { print time, \$1, \$2 \".0\" }" x >wanted
	for way in "stkcap -q x" "stkcap -q -"; do
		$way <x | stkcat -q -f tsv --only metric - >got
		sed 1d got | awk -F "\t" "{ print \$3, \$4 }" >parts; cut -d " " -f 2,3 wanted | same - parts
		sed 1d got | cut -f 1 | sort | uniq -c | awk "{ print \$1 }" | sort | uniq -c | awk "{ print \$1, \$2 }" | grep -x "300 150"
		sed 1d got | cut -f 1 | head -1 | grep 2026-11-20T22:14:44Z
	done
'
check 'within a log, with CR LF, compressed' '
	{ echo "2026-11-20 22:14:44 INFO started"; cat openmetrics; echo "2026-11-20 22:14:44 INFO done"; } >x
	rows openmetrics >wanted; rows x | same wanted -
	sed "s/$/\r/" openmetrics | gzip >x.gz; rows x.gz | same wanted -
'
check 'what cannot be read is said and the rest is kept; what is no such text is not taken' '
	printf "# TYPE up gauge\nup{a=\"1} 1\nup{a=\"1\"} x\n{\"my.metric\"} 1\nup{a=\"1\"} 2 y\nup{a=\"1\"} 3 5\n" >x
	status 1 stkcap -o x.stk x 2>err
	grep "1 metrics, 4 lines skipped" err
	printf "# TYPE up gauge\nup 3 15066363123\nup 4 1e300\nup 5 -1e300\n" >x; status 1 stkcap -o x.stk x 2>err; grep "3 metrics" err; rows x | grep -c "^- " | grep -x 3
	printf "a 1\nb 2\nc 3\n" >x; status 1 stkcap -o x.stk x 2>err; grep "not a known format" err
	printf "# TYPE of thing\nmain;work 3\nmain 2\n" >x; test "$(stkcap -q x | stkcat -q -f folded)" = "$(printf "main 2\nmain;work 3")"
	size=$(wc -c <openmetrics) n=1
	while [ $n -lt "$size" ]; do
		head -c $n openmetrics >cut; code=0
		stkcap -q --format openmetrics -o cut.stk cut 2>err || code=$?
		test $code -le 1
		n=$((n + 11))
	done
'
if have promtool; then
	check 'promtool accepts the texts and makes as many samples of them' '
		sed "/^something_weird/d; /quantile/d" prometheus >x; promtool check metrics <x || test $? -eq 3
		awk "BEGIN { print \"# TYPE a_total counter\"; for (k = 0; k < 150; k++) for (i = 0; i < 30; i++) printf \"a_total{code=\\\"%d\\\"} %d %d.5\\n\", k, i * k, 1795212884 + i * 15; print \"# EOF\" }" >x
		promtool tsdb create-blocks-from openmetrics x blocks >made
		awk "NR == 2 { print \$(NF - 3) }" made | grep -x 4500
		rows x | wc -l | grep -x 4500
		stkcap -q openmetrics | stkcat -q -f openmetrics >back; promtool tsdb create-blocks-from openmetrics back blocks2 >made
		awk "NR == 2 { print \$(NF - 3) }" made | grep -x 3
	'
else
	skip 'no promtool' 'promtool accepts the texts' ''
fi
finish
