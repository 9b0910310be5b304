#!/bin/sh
# SPDX-License-Identifier: MIT
# Conditions choose rows: kinds, times, frames, threads, processes, states; and records stay records.
. "${0%/*}/lib/tap.sh"

sample() {	# COMM PID TID SECONDS FRAME...
	printf '%s %s/%s [000] %s: 1 cycles:\n' "$1" "$2" "$3" "$4"
	shift 4
	for frame; do printf '\t7f00 %s (/bin/x)\n' "$frame"; done
	echo
}
{
	sample web 10 10 5.000000 read parse main
	sample web 10 11 3.000000 hash work main
	sample db 20 20 4.000000 read work main
	sample db 20 20 1.000000 idle main
} >perf.txt
stkcap -q perf.txt >perf.stk
stkcap -q perf.txt >again.stk

folded='stkcat -q -f folded --by none'
when() { stkcat -f tsv --only sample "$@" | sed 1d | cut -f1 | tr '\n' ' '; }

check '--only: these kinds, and no others' '
	stkcat -f ndjson --ids --only thread,source perf.stk | sed "s/,.*//" | sort | uniq -c | tr -s " " >got
	printf " 2 {\"kind\":\"source\"\n 3 {\"kind\":\"thread\"\n" >want
	same want got
	test -z "$(stkcat -f ndjson --ids --only nothing perf.stk)"
	stkcat -f ndjson --ids --only "#9" perf.stk | grep -c sample | grep -x 4
'
check '--from is in, --to is out' '
	test "$(when --from @3 --to @5 perf.stk)" = "3 4 "
	test "$(when --from @4 perf.stk)" = "5 4 "
	test "$(when --to @3.5 perf.stk)" = "3 1 "
	status 2 stkcat -f tsv --from yesterdayish perf.stk
'
check '--grep looks at every frame of a stack, --invert turns it round' '
	test "$(when --grep "^work " perf.stk)" = "3 4 "
	test "$(when --grep "^(read|idle) .*bin/x" perf.stk)" = "5 4 1 "
	test "$(when --grep work --invert perf.stk)" = "5 1 "
	status 2 stkcat -f tsv --grep "(" perf.stk
'
check '--thread and --process' '
	test "$(when --process "^web$" perf.stk)" = "5 3 "
	test "$(when --process "^20$" perf.stk)" = "4 1 "
	test "$(when --thread d perf.stk)" = "4 1 "
	test -z "$(when --thread nobody perf.stk)"
'
check '--state takes the names of either side' '
	test "$(when --state unknown perf.stk | wc -w)" = 4
	test -z "$(when --state RUNNABLE,TIMED_WAITING perf.stk)"
	status 2 stkcat --state asleep -f tsv perf.stk
'
check 'conditions hold together' '
	test "$(when --process web --grep work perf.stk)" = "3 "
'
check 'records pass as they are, byte for byte, when nothing is asked' '
	stkcat -S perf.stk >got
	cmp perf.stk got
	cat perf.stk again.stk >two
	stkcat -S perf.stk again.stk >got
	cmp two got
'
check 'records with a condition are records: definitions stay, rows are chosen' '
	stkcat -S --grep work perf.stk >got
	stkcat --check got
	test "$(when got)" = "3 4 "
	stkcat -f ndjson --ids --only stack got >a
	stkcat -f ndjson --ids --only stack perf.stk >b
	same b a
'
check '--only in records keeps definitions and drops rows' '
	stkcat -S --only metric perf.stk >got
	stkcat --check got
	stkcat --contents -f tsv got >stats
	status 1 grep sample stats
	grep thread stats
'
check '--sort: by time' '
	stkcat --sort perf.stk >got
	stkcat --check got
	test "$(when got)" = "1 3 4 5 "
	$folded perf.stk >want
	$folded got | same want -
'
check '--merge: one stream, equal things once' '
	stkcat --merge perf.stk again.stk >got
	stkcat --check got
	stkcat --contents -f tsv got >stats
	grep -x "head	1	[0-9]*" stats
	grep -x "sample	8	[0-9]*" stats
	stkcat --contents -f tsv perf.stk | grep "^stack	" | cut -f 1,2 >want
	grep "^stack	" stats | cut -f 1,2 | same want -
	cat perf.stk again.stk | $folded >want
	$folded got | same want -
'
check '--merge --sort: rows of all inputs by time' '
	stkcat --merge --sort perf.stk again.stk >got
	test "$(when got)" = "1 1 3 3 4 4 5 5 "
'
check 'merging unlike things renumbers them and changes nothing' '
	{ sample other 30 31 9.000000 zed main; sample web 10 10 2.000000 read parse main; } | stkcap -q - >third.stk
	stkcat --merge third.stk perf.stk >got
	cat third.stk perf.stk | stkcat -f tsv --only sample | cut -f 1,3-6 | sort >want
	stkcat -f tsv --only sample got | cut -f 1,3-6 | sort | same want -
'
check 'the same bytes with any number of threads' '
	stkcat --threads 1 --merge --sort perf.stk again.stk >one
	stkcat --threads 8 --merge --sort perf.stk again.stk >eight
	cmp one eight
'
check '--only with a kind that no stream knows: said, 1; one that a stream could have, or a number: 0' '
	stkcap -q --source x "$t/data/orders.jstack.txt" >known.stk
	status 1 stkcat -f ndjson --ids --only unheard-of known.stk >out 2>err
	test ! -s out
	grep "has the kind .unheard-of." err
	status 1 stkcat -f ndjson --only dump,unheard-of known.stk >out 2>err
	test "$(wc -l <out)" -eq 3
	status 0 stkcat -f ndjson --ids --only forecast known.stk >out
	status 0 stkcat -f ndjson --ids --only "#99" known.stk >out
	test ! -s out
'
check 'a filter that is asked for some samples passes on these and no others' '
	zcat "$t/../scripts/sample/order-service.jstack.txt.gz" | stkcap -q -o orders.stk -
	for choice in "--thread http-worker-1" "--state blocked" "--grep Stock" "--from 23:54:10" "--running"; do
		stkcat -f stream $choice orders.stk | stkcat -q -f tsv --only sample,dump,deadlock - >want
		test -s want
		for filter in "stkclass -q" "stkgroup -q -s jvm" "stktrend -q"; do
			$filter -f stream $choice orders.stk >passed.stk || test $? = 1		# no series
			stkcat -q -f tsv --only sample,dump,deadlock passed.stk >got
			cmp want got || { echo "$filter $choice"; false; }
		done
	done
'
finish
