#!/bin/sh
# SPDX-License-Identifier: MIT
# A step has all samples of its time, also where sources come one after the other and where times go back: the same as
# a window each, in the table and in the figures of the stream.
. "${0%/*}/lib/tap.sh"

stkcap -q "$t/data/day-17a.txt.gz" "$t/data/day-17b.txt.gz" >day.stk
hours() {	# STEP: its beginnings in the day of the recording
	seq 0 "$1" 23
}
windows() {	# STEP [OPTION...]: group, count, weight, total of each step, asked for alone
	step=$1; shift
	for hour in $(hours "$step"); do
		from=$(printf "2026-03-02T%02d:00" "$hour")
		to=$(date -u -d "$from UTC + $step hours" +%Y-%m-%dT%H:%M)
		stkgroup -q -s jvm -f tsv "$@" --from "$from" --to "$to" day.stk | tail -n +2 | sed "s/^/$from:00Z\t/"
	done
}

check 'two sources, one after the other: steps are windows' '
	for step in 1 6 24; do
		windows $step | cut -f 1-5,7,8 >want
		stkgroup -q -s jvm -f tsv --step ${step}h day.stk | tail -n +2 | cut -f 1-5,7,8 | same want -
	done
'

check '... by a key, and several schemes; sums of all steps are those of the whole' '
	stkgroup -q -s jvm -f tsv --by pool --step 6h day.stk | tail -n +2 |
		awk -F "\t" "{ n[\$2 \" \" \$4] += \$5 } END { for (k in n) if (n[k] > 0) print k, n[k] }" | LC_ALL=C sort >got
	stkgroup -q -s jvm -f tsv --by pool day.stk | tail -n +2 |
		awk -F "\t" "{ n[\$1 \" \" \$3] += \$4 } END { for (k in n) if (n[k] > 0) print k, n[k] }" | LC_ALL=C sort | same - got
	stkgroup -q -s jvm -s waits -f tsv --step 6h day.stk | tail -n +2 | grep "	jvm	" | cut -f 1,3- >both
	stkgroup -q -s jvm -f tsv --step 6h day.stk | tail -n +2 | cut -f 1,3- | same both -
'

check 'figures in the stream: rows of a step add up to the same numbers' '
	stkgroup -q -s jvm -f stream --step 6h day.stk >grouped.stk
	stkcat --check grouped.stk
	stkcat -q -f tsv --only group_figure grouped.stk >figures
	awk -F "\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
		{ n[\$at[\"time\"]] += \$at[\"samples\"] }
		END { for (k in n) print k, n[k] }" figures | LC_ALL=C sort >got
	stkgroup -q -s jvm -f tsv --step 6h day.stk | awk -F "\t" "NR > 1 { n[\$1] += \$4 } END { for (k in n) print k, n[k] }" |
		LC_ALL=C sort | same - got
	test "$(awk "{ s += \$2 } END { print s }" got)" = 2142
'

check 'two files: each source has its own, as in one stream of both' '
	stkcap -q "$t/data/day-17a.txt.gz" >a.stk
	stkcap -q "$t/data/day-17b.txt.gz" >b.stk
	for key in source thread pool; do
		stkgroup -q -s jvm -f tsv --by $key day.stk | tail -n +2 | LC_ALL=C sort | cut -f 1-5,8 >want
		stkgroup -q -s jvm -f tsv --by $key a.stk b.stk | tail -n +2 | LC_ALL=C sort | cut -f 1-5,8 | same want -
	done
	test "$(stkgroup -q -s jvm -f tsv --by source b.stk a.stk | tail -n +2 | cut -f 1 | LC_ALL=C sort -u | wc -l)" = 2
'

check 'times that go back within a source' '
	awk "BEGIN { for (i = 0; i < 300; i++) { s = (i * 7919) % 97; printf \"t 1/1 %d.5: 1 cycles:\n\t1 f%d (/bin/x)\n\n\", s, i % 3 } }" >mixed.perf
	stkcap -q --format perf-script mixed.perf >mixed.stk
	printf "scheme: f\ngroups:\n- {name: zero, members: [f0]}\n- {name: one, members: [f1]}\n" >f.yaml
	stkgroup -q -s f.yaml -f tsv --step 10s mixed.stk | tail -n +2 | cut -f 1,3,4 | tr "\t" " " >got
	awk "BEGIN { for (i = 0; i < 300; i++) n[int(((i * 7919) % 97) / 10) * 10 \" \" (i % 3 == 0 ? \"zero\" : i % 3 == 1 ? \"one\" : \"(none)\")]++
		for (k in n) print k, n[k] }" | sort -k 1,1n -k 2,2 >want
	sort -k 1,1n -k 2,2 got | same want -
	cut -d " " -f 1 got | sort -n -c
'

check 'no samples, one' '
	head -c 0 /dev/null | stkcap -q --format perf-script - >none.stk || test $? = 1
	test -z "$(stkgroup -q -s jvm -f tsv --step 1s none.stk 2>/dev/null | tail -n +2)"
	head -3 mixed.perf | stkcap -q --format perf-script - | stkgroup -q -s f.yaml -f tsv --step 1s | tail -n +2 | cut -f 3,4 >got
	printf "zero\t1\n" | same - got
'

check 'a followed pipe shows a step when the next begins, and ends with its writer; not followed, a live one is told of that' '
	dump() { printf "@%s\nf0 1\n" "$1" | stkcap -q --format folded-dumps -; }
	{ dump 1000; dump 1020; dump 1040; } >three.stk
	timeout 60 sh -c "cat three.stk | stkgroup -s f.yaml --follow --step 10s -f tsv" >got 2>said
	stkgroup -s f.yaml --step 10s -f tsv three.stk | same - got
	test ! -s said
	timeout 60 sh -c "cat three.stk | stkcat -q --follow -f tsv --only sample" >got
	stkcat -q -f tsv --only sample three.stk | same - got
	cat three.stk | stkgroup -s f.yaml --step 10s -f tsv 2>said >got && test ! -s said
	now=$(date +%s)
	{ dump $((now - 20)); dump $now; } >now.stk
	cat now.stk | stkgroup -s f.yaml --step 10s -f tsv 2>said >got
	test "$(grep -c -e "--follow shows each" said)" = 1
	stkgroup -s f.yaml --step 10s -f tsv now.stk 2>said >got && test ! -s said
'
finish
