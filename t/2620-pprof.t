#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles of pprof, in and out: what a reader and writer without any library of ours says, and protoc where it is.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

profile() { python3 "$t/lib/pprof.py" make "$1"; }
holds() { python3 "$t/lib/pprof.py" print; }
# samples FILE: event, weight, thread, stack
samples() { stkcap -q "$1" | stkcat -q -f tsv --only sample - | sed 1d | awk -F "\t" -v OFS="\t" '{ print $8, $5, $3 "#" $17, $6 }'; }

check 'the least profile, which the format description has in bytes' '
	profile least >a
	stkcap a >x.stk 2>err
	grep "0 dumps, 1 samples, 1 distinct stacks, 0 lines skipped" err
	stkcap -q a | stkcat -q -f folded - >got
	echo "f 3" | same - got
	stkcap -q a | stkcat -q -f ndjson --ids - | grep "\"kind\":\"frame\"" | grep "\"line\":7"
'
check 'each value that is not 0 is a sample; the default type leads, then all in their order; inlined functions, labels' '
	profile heap >a
	stkcap -q a | stkcat -q -f tsv --only sample - | sed 1d | awk -F "\t" -v OFS="\t" "{ print \$8, \$5, \$3 \"#\" \$17, \$6, \$16 }" >got
	sed "s/|/	/g" >wanted <<-END
	inuse_space/bytes|128|#0|main.main|bytes=64bytes
	alloc_objects|10|#0|main.main|bytes=64bytes
	alloc_space/bytes|640|#0|main.main|bytes=64bytes
	inuse_objects|2|#0|main.main|bytes=64bytes
	alloc_objects|3|#0|main.main;main.outer;main.inner|
	alloc_space/bytes|3072|#0|main.main;main.outer;main.inner|
	inuse_space/bytes|16|worker#12|main.main;[libc.so.6]|
	alloc_objects|1|worker#12|main.main;[libc.so.6]|
	alloc_space/bytes|16|worker#12|main.main;[libc.so.6]|
	inuse_objects|1|worker#12|main.main;[libc.so.6]|
	END
	same wanted got
	stkcap -q a | stkcat -q -f folded - >got
	printf "main.main 128\nworker;main.main;[libc.so.6] 16\n" | same - got
	test "$(stkcap -q a | stkcat -q -f tsv --only sample - | sed 1d | cut -f 1 | sort -u)" = 2026-01-01T00:00:00Z
'
check 'order of fields does not matter, nor whether numbers are packed, nor gzip' '
	profile heap-other >b
	samples a >a.rows; samples b >b.rows; same a.rows b.rows
	gzip -c b >b.gz
	samples b.gz | same b.rows -
'
check 'without a default type the last one leads; milliseconds are nanoseconds' '
	profile cpu >c
	samples c >got
	printf "cpu/nanoseconds\t20000000\t#0\tmain\nsamples\t2\t#0\tmain\ncpu/nanoseconds\t10000000\t#0\tmain;work\nsamples\t1\t#0\tmain;work\n" >wanted
	same wanted got
	stkcap -q c | stkcat -q >text
	grep "30ms" text
'
check 'what refers to what is not there, and negative values, are told; the rest is kept' '
	profile lost >d
	status 1 stkcap -o d.stk d 2>err
	grep "d: negative values" err
	grep "d: a profile that refers to what it does not have" err
	stkcat -q -f folded d.stk >got
	echo "main 3" | same - got
'
check 'a profile without samples says so; bytes without a type are none' '
	profile types >e
	status 1 stkcap -o e.stk e 2>err; grep "no stack, no metric and no event" err
	profile empty >e
	status 1 stkcap -o e.stk e 2>err; grep "not a known format" err
	echo hello >e
	status 1 stkcap --format pprof -o e.stk e 2>err; grep "cut off or damaged at byte 2 of 6" err
'
check 'every beginning of a profile: what it has is kept, and that it is cut is told' '
	profile heap >a
	size=$(wc -c <a) n=0 before=0
	while [ $n -lt "$size" ]; do
		head -c $n a >cut
		code=0; stkcap --format pprof -o cut.stk cut 2>err || code=$?
		test $code -le 1
		test $code = 1 || test $n -gt $((size - 20))		# the last two fields may be missing
		code=0; stkcat -q -f tsv --only sample cut.stk >rows 2>err || code=$?
		test $code -le 1
		n=$((n + 1))
	done
'
check 'out: the same stacks, lines, files, modules, threads and values; the leading event is the default; equal bytes again' '
	profile heap >a; stkcap -q -o a.stk a
	stkcat -q -f pprof a.stk >p
	holds <p | sort >got
	holds <a | sort >wanted
	grep -v worker wanted >a.rows; grep -v worker got | same a.rows -
	grep -c "worker#12.*main.main:/src/main.go:33@/opt/shop;\[libc.so.6\]::0@/usr/lib/libc.so.6$" got | grep -x 4
	stkcat -q -f pprof -o q a.stk; cmp p q
	stkcap -q -o again.stk p
	stkcat -q -f folded a.stk | sort >wanted; stkcat -q -f folded again.stk | sort | same wanted -
	stkcat -q -f folded --event alloc_space/bytes a.stk | sort >wanted; stkcat -q -f folded --event alloc_space/bytes again.stk | sort | same wanted -
'
check 'out: thread dumps; sums by stack are those of folded, and what has no place is said' '
	stkcap -q -o j.stk "$t/../scripts/sample/order-service.jstack.txt.gz"
	stkcat -f pprof j.stk >p 2>err
	grep "times, states, locks of samples are left out: pprof has no place for them" err
	stkcap -q -o again.stk p
	for stk in j again; do stkcat -q -f tsv --only sample $stk.stk | sed 1d | awk -F "\t" "{ sum[\$3 FS \$6] += \$5 } END { for (k in sum) print k FS sum[k] }" | sort >$stk; done
	same j again
	for stk in j again; do stkcat -q -f tsv --only sample $stk.stk | cut -f 3,17 | sort -u >$stk; done
	same j again
'
check 'events keep their names and weights, whether these say the unit or not; a profile is a source' '
	awk "BEGIN { split(\"cpu-clock:u cpu/cycles/ page-faults cpu-clock:u\", event, \" \"); split(\"250000 1000 3 7\", weight, \" \")
		for (i = 1; i <= 4; i++) printf \"prog  12 [000]  %d.000000: %10d %s: \\n\\t          401000 f%d+0x10 (/opt/prog)\\n\\n\", i, weight[i], event[i], i % 3 }" >perf.txt
	stkcap -q -o perf.stk perf.txt
	sums() { stkcat -q -f tsv --only sample $1 | sed 1d | awk -F "\t" "{ sum[\$8 FS \$6] += \$5 } END { for (k in sum) print k FS sum[k] }" | sort; }
	sums perf.stk >wanted
	printf "cpu-clock:u\tf1\t250007\ncpu/cycles/\tf2\t1000\npage-faults\tf0\t3\n" | same wanted -
	stkcat -q -f pprof -o p perf.stk
	holds <p | cut -f 1 | sort -u >got
	printf "cpu-clock:u/nanoseconds\ncpu/cycles//count\npage-faults/count\n" | same - got
	stkcap -q -o again.stk p; sums again.stk | same wanted -
	profile cpu >c; cp c d; stkcap -q -o both.stk c d
	stkcat -q -f folded --by source both.stk >got
	printf "c;main 20000000\nc;main;work 10000000\nd;main 20000000\nd;main;work 10000000\n" | same - got
'
check 'out: a sum beyond what a profile holds is said' '
	printf "@1\nmain;f 9223372036854775807\nmain;f 5\n" | stkcap -q --format folded-dumps -o big.stk -
	stkcat -f pprof big.stk 2>err >p
	grep "values beyond 2^63 - 1 are written as that" err
	holds <p | cut -f 2 | grep -x 9223372036854775807
'
check 'out: nothing chosen is a profile without samples; a window is that window' '
	stkcat -q -f pprof --thread nobody j.stk >p || test $? = 1
	holds <p >got; test ! -s got
	status 2 stkcat -f pprof --only dump j.stk
	status 2 script -qec "stkcat -f pprof j.stk" /dev/null >shown
	grep "a compressed profile is not for a terminal: use -o FILE" shown
'
have protoc || skip 'no protoc (Debian: protobuf-compiler)' 'protoc reads both' :
if command -v protoc >/dev/null 2>&1; then
	check 'protoc reads what is written, and has the same fields' '
		stkcat -q -f pprof a.stk | gzip -d >p
		protoc --decode_raw <p >got
		test "$(grep -c "^2 {" got)" = 3
		test "$(grep -c "^1 {" got)" = 4
	'
fi
finish
