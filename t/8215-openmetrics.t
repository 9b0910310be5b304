#!/bin/sh
# SPDX-License-Identifier: MIT
# Metrics as OpenMetrics text: by hand, and as promtool reads it.
. "${0%/*}/lib/tap.sh"

printf 'time,name,value\n2026-01-02T03:04:06.5Z,heap.used,200\n2026-01-02T03:04:05Z,heap.used,100\n' >a.csv
printf '2026-01-02T03:04:06Z,gc.cause.G1 "Evac" Pause,0.25\n' >>a.csv
printf 'time,name,value\n2026-01-02T03:04:06.123456789Z,heap.used,3e9\n' >'b\.csv'
stkcap -q -o ab.stk a.csv 'b\.csv'

check 'families together, series in the order of time, sources as labels, escapes' '
	stkcat -f openmetrics ab.stk >got 2>err
	cat >wanted <<-"END"
	# TYPE stk_heap_used gauge
	stk_heap_used{source="a.csv"} 100.0 1767323045
	stk_heap_used{source="a.csv"} 200.0 1767323046.5
	stk_heap_used{source="b\\.csv"} 3000000000.0 1767323046.123456789
	# TYPE stk_gc_cause_G1__Evac__Pause gauge
	stk_gc_cause_G1__Evac__Pause{source="a.csv"} 0.25 1767323046
	# EOF
	END
	same wanted got
	test ! -s err
'
check 'names that become the same are told apart by a label' '
	printf "time,name,value\n2026-01-02T03:04:06Z,a.b,1\n2026-01-02T03:04:06Z,a_b,2\n2026-01-02T03:04:06Z,c,3\n" >c.csv
	stkcap -q c.csv | stkcat -q -f openmetrics >got
	grep -Fx "stk_a_b{source=\"c.csv\",name=\"a.b\"} 1.0 1767323046" got
	grep "name=\"a_b\"} 2.0 1767323046" got
	grep -v "name=" got | grep "stk_c{source=\"[^\"]*\"} 3.0"
'
check 'of one moment the last is kept, which is said; a window chooses; no metric is only the end' '
	printf "time,name,value\n2026-01-02T03:04:06Z,x,1\n2026-01-02T03:04:06Z,x,2\n2026-01-02T03:04:07Z,x,3\n" >d.csv
	stkcap -q -o d.stk d.csv
	status 1 stkcat -f openmetrics d.stk >got 2>err
	grep "stkcat: openmetrics: of 1 metrics at the same moment the last is kept" err
	test "$(grep -c "^stk_x" got)" = 2; grep "} 2.0 1767323046" got
	stkcat -q -f openmetrics --from 2026-01-02T03:04:07Z d.stk | grep -c "^stk_x" | grep -x 1
	test "$(echo "a;b 1" | stkcap -q | stkcat -q -f openmetrics)" = "# EOF"
'
check 'other kinds are refused' '
	status 2 stkcat -f openmetrics --only sample ab.stk 2>err
	grep "has metrics only" err
'
cat >labels.prom <<-"END"
# TYPE http_requests_total counter
http_requests_total{method="get",code="200"} 1027 1767323045000
http_requests_total{method="post",code="a\"b\\c\nd"} 3 1767323045000
http_requests_total 7 1767323045000
up{source="x",name="y"} 1 1767323045000
END
printf 'time,name,value\n2026-01-02T03:04:05Z,"odd{a=""1"",a=""2""}",1\n2026-01-02T03:04:05Z,"odd{__name__=""x""}",2\n2026-01-02T03:04:05Z,"odd{a}",3\n' >odd.csv
check 'labels of a name are labels again, with what is ours beside them; what is none stays in the name' '
	stkcap -q -o l.stk labels.prom odd.csv
	stkcat -f openmetrics l.stk >got
	cat >wanted <<-"END"
	# TYPE stk_http_requests_total gauge
	stk_http_requests_total{source="labels.prom",method="get",code="200"} 1027.0 1767323045
	stk_http_requests_total{source="labels.prom",method="post",code="a\"b\\c\nd"} 3.0 1767323045
	stk_http_requests_total{source="labels.prom"} 7.0 1767323045
	# TYPE stk_up gauge
	stk_up{source="labels.prom",exported_source="x",name="y"} 1.0 1767323045
	# TYPE stk_odd_a__1__a__2__ gauge
	stk_odd_a__1__a__2__{source="odd.csv"} 1.0 1767323045
	# TYPE stk_odd___name____x__ gauge
	stk_odd___name____x__{source="odd.csv"} 2.0 1767323045
	# TYPE stk_odd_a_ gauge
	stk_odd_a_{source="odd.csv"} 3.0 1767323045
	# EOF
	END
	same wanted got
	stkcap -q got | stkcat -q -f tsv --only metric | grep -F "method=\"get\",code=\"200\""
'
if have promtool; then
check 'promtool takes labels' '
	stkcat -q -f openmetrics l.stk >om
	promtool tsdb create-blocks-from openmetrics om labelled >made
	awk "NR == 2 { print \$(NF - 3) }" made | grep -x 7
'
check 'promtool makes a database of it, with every row' '
	stkcat -q -f openmetrics ab.stk >om
	promtool tsdb create-blocks-from openmetrics om blocks >made
	awk "NR == 2 { print \$(NF - 3) }" made | grep -x 4
'
else
	skip 'no promtool' 'promtool makes a database of it' ''
fi
finish
