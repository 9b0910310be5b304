#!/bin/sh
# SPDX-License-Identifier: MIT
# Reports of simpleperf and traces of Perfetto, both as protocol buffers: what a writer without any library of ours made, and protoc where it is.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

trace() { python3 "$t/lib/traces.py" "$@"; }
# samples FILE: time, process or file, thread#tid, event, weight, processor, stack
samples() {
	stkcap -q "$1" >samples.stk || test $? -eq 1
	stkcat -q -f tsv --only sample samples.stk | sed 1d | awk -F "\t" '{ print $1, $3 "#" $17, $8, $5, $9, $6 }'
}

frames() { stkcat -q -f tsv --only frame "$1"; }

trace simpleperf whole >sp
trace perfetto whole >pf

check 'simpleperf: samples in their order with time, thread, event and weight; Java methods; what has no symbol is its module' '
	status 0 stkcap -o sp.stk --rejects rejects sp 2>err
	grep -x "stkcap: 0 dumps, 4 samples, 2 distinct stacks, 5 lines skipped" err
	samples sp >got
	cat >wanted <<-END
	1.000000001 com.acme.shop#101 cpu-cycles 250000 -1 __libc_init;com.acme.Shop.sell
	1.000000002 worker#102 sched:sched_switch 1000 -1 __libc_init;com.acme.Shop.buy;[[kernel.kallsyms]]
	1.000000003 com.acme.shop#101 cpu-cycles 1 -1 __libc_init;com.acme.Shop.sell
	1.000000004 #999 cpu-cycles 7 -1 
	END
	same wanted got
	sed "s/.*: \([a-z].*\): \([0-9]*\) of them/\2 \1/" rejects >got
	printf "%s\n" "1 switches of threads on and off processors" "1 stacks that simpleperf could not unwind to their root" \
		"3 samples that simpleperf lost while it recorded" | same - got
	stkcat -q -f tsv --only source sp.stk | grep "101	com.acme.shop"
	frames sp.stk >got; grep "com.acme.Shop.buy	/data/app/base.odex	.*java" got; grep "__libc_init	/apex/libc.so	.*native" got
	stkcap -q --addresses sp >x.stk; frames x.stk | grep "__libc_init.*	8704	"
'
check 'simpleperf: a report that lacks samples, files, or its end; a deep stack' '
	trace simpleperf lost >x; status 1 stkcap -o x.stk x 2>err; grep "another number of samples" err; grep " 3 samples" err
	trace simpleperf missing >x; status 1 stkcap -o x.stk x 2>err; grep "refer to what is not there" err; samples x | grep "cpu-cycles 1 -1 \[unknown\]$"
	trace simpleperf deep >x; status 1 stkcap -o x.stk x 2>err; grep "more than 65536 frames" err
	head -c 300 sp >x; status 1 stkcap -o x.stk x 2>err; grep "cut off or damaged" err
	printf "SIMPLEPERF\2\0" >x; status 1 stkcap -o x.stk x 2>err; grep "no report of simpleperf of version 1" err
'
check 'Perfetto: times by the clocks that the trace relates, names of processes and threads, stacks named anew in a sequence' '
	status 0 stkcap -o pf.stk --rejects rejects pf 2>err
	grep -x "stkcap: 0 dumps, 4 samples, 3 distinct stacks, 12 lines skipped" err
	samples pf >got
	cat >wanted <<-END
	2026-11-22T10:26:40.000000001Z /bin/shop#70 cpu-clock 1 2 main;work
	2026-11-22T10:26:40.000000002Z worker#71 cpu-clock 1 2 main;[libc.so]
	2026-11-22T10:26:40.000000003Z net#80 cpu-clock 1 2 main;work
	2026-11-22T10:26:40.000000004Z net#80 cpu-clock 1 2 main;sleep
	END
	same wanted got
	sed "s/.*: \([a-z].*\): \([0-9]*\) of them/\2 \1/" rejects >got
	printf "%s\n" "1 packets of other data than samples" "9 records that the kernel lost while the trace was taken" \
		"1 samples that perfetto could not unwind at all" "1 stacks that perfetto could not unwind to their root" | same - got
	stkcat -q -f tsv --only source pf.stk >got; grep "70	/bin/shop" got; grep "80	netd" got
	frames pf.stk >got; grep "work		shop.c	12	native" got; grep "main	/system/lib64/libc.so" got
'
check 'Perfetto: packets that are compressed; gzip; without the clock of the wall times are since the start' '
	samples pf >wanted
	trace perfetto zlib >x; samples x | same wanted -
	gzip -c pf >x.gz; samples x.gz | same wanted -
	trace perfetto boot >x; samples x | cut -d " " -f 1 >got; printf "5.00000000%d\n" 1 2 3 4 | same - got
'
check 'Perfetto: what the trace lacks, and what is not read of it, is said with status 1' '
	trace perfetto clock >x; status 1 stkcap -o x.stk x 2>err; grep "whose clock the trace does not explain" err; samples x | grep "^- "
	trace perfetto missing >x; status 1 stkcap -o x.stk x 2>err; grep "refer to what is not there" err
	trace perfetto none >x; status 1 stkcap -o x.stk x 2>err; grep "a trace without samples of linux.perf" err
	trace perfetto heap >x; status 1 stkcap -o x.stk x 2>err; grep "heap profiles in a trace are not read" err; grep "samples of another kind" err; grep " 4 samples" err
	trace perfetto bomb >x; status 1 stkcap -o x.stk x 2>err; grep "expands without end" err
'
check 'long ones: as many samples as there are' '
	trace simpleperf many >x; stkcap -o x.stk x 2>err; grep "0 dumps, 10000 samples, 30 distinct stacks, 0 lines skipped" err
	stkcat -q -f folded x.stk | awk "{ n += \$NF } END { print n }" | grep -x 30000
	trace perfetto many >x; stkcap -o x.stk x 2>err; grep "0 dumps, 20000 samples, 2 distinct stacks" err
'
if have protoc; then
	check 'protoc knows all fields of the messages, and what it writes of them is read alike' '
		proto() { protoc --proto_path="$t/data" "$@"; }
		proto --decode=Trace perfetto_samples.proto <pf >text; grep -c "perf_sample {" text | grep -x 6; status 1 grep "^ *[0-9][0-9]*[: ]" text
		proto --encode=Trace perfetto_samples.proto <text >x
		status 1 cmp -s pf x; samples pf >wanted; samples x | same wanted -
		trace records | proto --decode=Records simpleperf_records.proto >text; grep -c "^record {" text | grep -x 12
		status 1 grep "^ *[0-9][0-9]*[: ]" text
		proto --encode=Records simpleperf_records.proto <text | trace report >x; samples sp >wanted; samples x | same wanted -
	'
else
	skip 'no protoc' 'protoc knows all fields' ''
fi
check 'every beginning' '
	for file in sp pf; do
		format=simpleperf; test $file = sp || format=perfetto
		size=$(wc -c <$file) n=1
		while [ $n -lt "$size" ]; do
			head -c $n $file >cut; code=0
			stkcap -q --format $format -o cut.stk cut 2>err || code=$?
			test $code -le 1
			n=$((n + 11))
		done
	done
'
finish
