#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks that tracers print with their counts: maps of bpftrace, aggregations of DTrace, SystemTap; and the threads of lldb.
. "${0%/*}/lib/tap.sh"

seeds=$t/fuzz/seed
tab=$(printf '\t')
# rows FILE: event, weight, thread, note and stack of each sample
rows() { stkcap -q "$1" | stkcat -q -f ndjson --only sample - | python3 -c '
import json, sys
for line in sys.stdin:
    r = json.loads(line)
    print("|".join([str(r.get(k) or "") for k in ("event", "weight", "thread", "note")] + [";".join(r.get("stack") or [])]))'; }
prefixes() { # FORM FILE: every beginning ends well, and what is there of a sample is said
	size=$(wc -c <"$2") n=1
	while [ $n -lt "$size" ]; do
		head -c $n "$2" >cut; code=0
		stkcap -q --format "$1" -o cut.stk cut 2>err || code=$?
		test $code -le 1
		n=$((n + $3))
	done
}

gc="[0.105s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.345ms"

check 'bpftrace: stacks of kernel and program, keys before and after them, the mode perf, an empty stack' '
	rows "$seeds/bpftrace/maps" >got
	same - got <<-END
	offcpu|3|shop|shop, 4711|[unknown];shop::work;__lll_lock_wait;futex_wait;__schedule
	offcpu|9|swapper/0|swapper/0, 0|
	offcpu|2|shop||main.run
	|5|||[unknown];read;entry_SYSCALL_64
	END
	stkcap "$seeds/bpftrace/maps" 2>&1 >a.stk | grep "0 dumps, 4 samples, 3 distinct stacks, 2 lines skipped"
	stkcat -q -f folded --event offcpu --names full a.stk | grep "^shop;\[unknown\];shop::work(int, std::vector<int>);__lll_lock_wait;futex_wait;__schedule 3$"
	stkcat -q -f tsv --only frame a.stk | cut -f 2,3 | grep "^read${tab}/usr/lib/libc.so.6$"
	stkcap -q --addresses "$seeds/bpftrace/maps" | stkcat -q -f tsv --only frame - | cut -f 7 | grep "^139640830081844$"
'
check 'bpftrace: what has no count, or more than one number, is left out with status 1' '
	{ cat "$seeds/bpftrace/maps"; printf "@h[\n    f+1\n]: \n[0, 1)   3 |@@@|\n\n@s[\n    f+1\n]: count 3, average 2, total 6\n@[\n    f+1\n@[\n    g+1\n]: 7\nLost 12 events\n@[\n    f+1\n"; } >a
	status 1 stkcap --rejects said -o a.stk a 2>err
	grep "5 samples" err
	test "$(grep -c "value is not one number" said)" -ge 2; grep "a stack without its value" said; grep "events that bpftrace lost" said
	stkcat -q -f tsv --only sample a.stk | grep -c "${tab}g${tab}" | grep -x 1
'
check 'bpftrace: lines of a log and collections within its stacks are none of it' '
	printf "%s\n" "@[" "12:00:00 WARN late: 3" "    work+12" "$gc" "    main+8" "]: 7" "$gc" "@[" "    main+8" "]: 2" >mixed
	status 0 stkcap --rejects rejects -o out.stk mixed
	cut -d: -f2 rejects | grep -x 2; test "$(wc -l <rejects)" -eq 1
	stkcat -q -f folded --by none out.stk | sort >got; printf "main 2\nmain;work 7\n" | same - got
	test "$(stkcat -q -f tsv --only metric out.stk | grep -c "gc.pause")" -eq 2
'
check 'DTrace and SystemTap: the same; of a stack without its count the lines are rejected once' '
	printf "%s\n" "   app\`work+0x5d" "12:00:00 WARN late: 3" "$gc" "   app\`main+0x5d" "    7" "" " 0x7f00aa12 : run+0x10/0x60 [/a.so]" "[INFO] ready" "	3" >mixed
	status 0 stkcap --rejects rejects -o out.stk mixed; test "$(wc -l <rejects)" -eq 2
	stkcat -q -f folded --by none out.stk | sort >got; printf "main;work 7\nrun 3\n" | same - got
	for text in "@[\n    work+12\n12:00:00 WARN late: 3\n" "   app\`work+0x5d\n12:00:00 WARN late: 3\n"; do
		for form in bpftrace dtrace; do
			printf "$text" | stkcap --format $form --rejects rejects -o out.stk - 2>err || true
			grep "lines: 0 taken, 0 blank, $(wc -l <rejects) rejected" err
		done
	done
'
check 'bpftrace: in a log, CR LF, every beginning' '
	rows "$seeds/bpftrace/maps" >wanted
	{ echo "2026-03-01 09:00:00 start"; cat "$seeds/bpftrace/maps"; echo "2026-03-01 09:00:10 end @[ nothing"; } >a; rows a | same wanted -
	sed "s/$/\r/" "$seeds/bpftrace/maps" >a; rows a | same wanted -
	prefixes bpftrace "$seeds/bpftrace/maps" 7
'
check 'DTrace: kernel and program are one stack, keys above it, frames without a module' '
	rows "$seeds/dtrace/aggregation" >got
	same - got <<-END
	|1|shop||[unknown];java/lang/String.indexOf;std::function<int (int)>::operator();__write;sys_syscall;fop_write
	|12|swapper|swapper                                                4711|mach_cpu_idle
	END
	stkcap "$seeds/dtrace/aggregation" 2>&1 >a.stk | grep "0 dumps, 2 samples, 2 distinct stacks, 2 lines skipped"
	stkcat -q -f tsv --only frame a.stk | cut -f 2,3 | grep "^fop_write${tab}genunix$"
'
check 'DTrace and SystemTap: as awk counts them; a stack without a count; in a log; every beginning' '
	rows "$seeds/dtrace/systemtap" >got
	same - got <<-END
	|2404|||cpu_idle;native_safe_halt
	|3|||[shop];__write
	END
	awk "BEGIN { for (i = 0; i < 20000; i++) { printf \"              unix\`f%d+0x%x\n              unix\`main+0x1\n%17d\n\n\", i % 50, i, i % 7
		sum[\"main;f\" i % 50] += i % 7 } for (k in sum) print k, sum[k] >\"wanted\" }" >a
	stkcap -q a | stkcat -q -f folded - | sort >got
	sort wanted | same - got
	{ cat "$seeds/dtrace/systemtap"; printf "              unix\`f+0x1\nnothing here\n"; } >a
	status 1 stkcap --rejects said -o a.stk a 2>err; grep "2 samples" err; grep "a stack without a count below it" said
	{ echo "2026-03-01 09:00:00 start"; cat "$seeds/dtrace/systemtap"; echo "2026-03-01 09:00:10 end"; } >a
	rows a >got; rows "$seeds/dtrace/systemtap" | same - got
	prefixes dtrace "$seeds/dtrace/aggregation" 11; prefixes dtrace "$seeds/dtrace/systemtap" 5
'
check 'lldb: names with quotes, values of arguments, inlined functions; where it stopped is no dump' '
	stkcap "$seeds/process_dump/lldb" 2>&1 >a.stk | grep "1 dumps, 2 samples, 2 distinct stacks"
	stkcat -q -f folded --by thread --names full a.stk | tr "\047" . >got
	same - got <<-END
	it.s me;_start (th);__libc_start_call_main (libc.so.6);std::_Function_handler<int(int), run(void*)::<lambda(int)> >::_M_invoke (th);operator (inlined);deep (th);__libc_pause (libc.so.6) 1
	pool;[unknown];__psynch_cvwait (libsystem_kernel.dylib) 1
	END
	stkcat -q -f tsv --only frame a.stk | cut -f 2,4,5 | grep "^deep${tab}th.cc${tab}5$"
	stkcat -q -f tsv --only thread a.stk | grep 813
	prefixes process-dump "$seeds/process_dump/lldb" 13
'
finish
