#!/bin/sh
# SPDX-License-Identifier: MIT
# Javacores of OpenJ9 and IBM's VMs. The text is made by hand after what OpenJ9's writer prints; no such VM can be had here.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/javacore/openj9" a
rows() { stkcat -q -f tsv --only "$@" | sed 1d; }
folded() { stkcap -q "$@" | stkcat -q -f folded -; }

check 'five threads, one of them current and so listed twice: stacks, states, ids, clocks' '
	stkcap -o a.stk a 2>err
	grep "1 dumps, 7 samples, 5 distinct stacks" err
	rows thread a.stk | cut -f 3- >got
	printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n" main 1 4712 666112 5 5 java  till-1 16 4720 666368 5 5 daemon \
		"till \"2\", J9VMThread:0x1" 17 4721 666624 7 7 daemon  "GC Worker" 0 4722 666880 5 5 vm  "Anonymous native thread" 0 4713 0 0 0 vm | same - got
	stkcat -q -f folded --by state a.stk >got
	sort >wanted <<-END
	unknown 1
	runnable 1
	waiting;shop.Till.main;java.lang.Object.wait;java.lang.Object.wait 1
	waiting;shop.Drawer.close;jdk.internal.misc.Unsafe.park 1
	blocked;java.lang.Thread.run;shop.Till\$\$Lambda\$17/0x00000000A4011A30.run;shop.Drawer.open 1
	END
	sort got | same wanted -
	stkcat -q -f dumps a.stk | grep -c "cpu=1264.47ms\|cpu=3500.00ms\|cpu=10.00ms" | grep -x 3
'
check 'native stacks are samples of an event of their own, leaf first in the text' '
	stkcat -q -f folded --event native a.stk >got
	printf "Anonymous native thread;__select 1\nmain;clone;[libj9thr29.so];pthread_cond_wait 1\n" | same - got
	stkcat -q -f folded --event native --names full a.stk | grep "libj9thr29.so"
	stkcat -f dumps a.stk 2>err | grep -c "^\".* nid=\|^\"GC" | grep -x 5
	grep "left out the native stacks" err
	stkcat -q -f dumps --event native a.stk | grep -c "^\".* nid=" | grep -x 2
'
check 'locks, with their objects: what is waited for, and what is held, at the frames that did it' '
	stkcat -q -f dumps a.stk | grep -e "- " >got
	printf "\t- %s\n" "waiting on <0x0000000087f5c000> (a shop.Till)" "locked <0x0000000087f5c000> (a shop.Till)" "waiting to lock <0x0000000087f5a1a8> (a shop.Drawer)" \
		"parking to wait for  <0x0000000087f5b1a8> (a java.util.concurrent.locks.ReentrantLock\$NonfairSync)" "locked <0x0000000087f5a1a8> (a shop.Drawer)" | same - got
	stkcat -q -f dumps a.stk | grep -A1 "at java.lang.Object.wait(Object.java:221)" | grep "locked"
	rows sample a.stk | grep -c -e "Owned by: \"till-1\"" -e "Owned by: \"till \"2\", J9VMThread:0x1\"" | grep -x 2
	rows deadlock a.stk | cut -f 2-7 >got
	printf "1\ttill-1\twaiting-to-lock\t0x87f5a1a8\tshop.Drawer\ttill \"2\", J9VMThread:0x1\n1\ttill \"2\", J9VMThread:0x1\tparking\t0x87f5b1a8\tjava.util.concurrent.locks.ReentrantLock\$NonfairSync\ttill-1\n" | same - got
	status 4 stkdiag --alert critical -f tsv a.stk >got; grep "deadlock.*shop.Drawer" got
'
check 'the same stacks with other addresses, owners and allocations are the same stacks' '
	sed -e "s/0000000087F5/0000000077E4/g" -e "s/since last GC cycle=[0-9]*/since last GC cycle=17/" -e "s/Owned by: \"till-1\"/Owned by: \"till-9\"/" a >b
	stkcap -o ab.stk a b 2>err; grep "2 dumps, 14 samples, 5 distinct stacks" err
	stkcat -q -f tsv --only locks ab.stk >two; stkcat -q -f tsv --only locks a.stk | same - two
'
check 'the time: UTC, else the local one with its zone, else --zone' '
	time_of() { stkcap -q "$@" | stkcat -q -f tsv --only dump - | sed 1d | cut -f 2; }
	test "$(time_of a)" = 2026-11-20T21:14:44.250Z
	grep -v "^1TIDATETIMEUTC" a >b; test "$(time_of b)" = 2026-11-20T21:14:44.250Z
	sed "s/UTC-6 (CST)/UTC+5:30 (IST)/" b >c; test "$(time_of c)" = 2026-11-20T09:44:44.250Z
	grep -v "^1TITIMEZONE" b >c; test "$(time_of --zone +01:00 c)" = 2026-11-20T14:14:44.250Z
	sed "s/Date: \(.*\):250/Date:          \1/" c >d; test "$(time_of --zone UTC d)" = 2026-11-20T15:14:44Z
'
check 'memory as metrics' '
	rows metric a.stk | cut -f 3- >got
	printf "%s\t%s\n" native.used.JRE 2569088.0 native.used.VM 1280336.0 heap.total 8388608.0 heap.used 2030408.0 \
		"segment.total.JIT Code Cache" 33554432.0 "segment.used.JIT Code Cache" 262144.0 | same - got
'
check 'viewers get both stacks of a thread, and give them back' '
	stkcat -q -f folded --event native a.stk | sed "s/ native thread/_native_thread/" >wanted
	for f in speedscope firefox chrome pprof otlp; do
		stkcat -q -f $f -o viewer a.stk
		stkcap -q -o back.stk viewer
		test "$(rows sample back.stk | wc -l)" -eq 7
		stkcat -q -f folded --event native back.stk | sed "s/ native thread/_native_thread/" | same wanted -
	done
'
check 'older headers, and frames of all forms' '
	cat >b <<-END
	0SECTION       TITLE subcomponent dump routine
	1TIDATETIME    Date:                 2017/10/26 at 14:39:07
	0SECTION       XM subcomponent dump routine
	3XMTHREADINFO      "old (TID:1" (TID:0x2A29CF8, sys_thread_t:0x2412E78, state:MW, native ID:0x107C) prio=5
	4XESTACKTRACE          at com/acme/Queue.run(Queue.java:17)
	3XMTHREADINFO      "six" TID:0x000A9C00, j9thread_t:0x00015370, state:S, prio=10
	4XESTACKTRACE          at com/acme/Queue.stop(Queue.java(Compiled Code))
	4XESTACKTRACE          at com/acme/Queue.<init>(Unknown Source)
	3XMTHREADINFO3           Native callstack:
	4XENATIVESTACK               JVM_MaxMemory+0x5 (vmi.c:209, 0x00996FF5 [jvm+0x6ff5])
	4XENATIVESTACK               0x00007FF4F5238F17
	NULL           ---------------------- END OF DUMP -------------------------------------
	END
	stkcap -q -o b.stk b
	rows thread b.stk | cut -f 3,5,6 >got; printf "old (TID:1\t4220\t44211448\nsix\t0\t695296\n" | same - got
	stkcat -q -f dumps b.stk | grep "at " >got
	printf "\tat com.acme.Queue.%s\n" "run(Queue.java:17)" "stop(Queue.java)" "<init>(Unknown Source)" | same - got
	stkcat -q -f folded --event native --names full b.stk >got; grep "\[unknown\];JVM_MaxMemory (jvm) 1" got
	stkcat -q -f ndjson --ids b.stk | grep -e "\"text\":\"vmi.c\"" -e "\"line\":209" | wc -l | grep -w 2
	stkcap -q --raw-symbols b | stkcat -q -f folded - | grep "com/acme/Queue.run 1"
'
check 'no threads, one, two; two dumps in one file, within a log' '
	head -30 a >none; tail -1 a >>none; stkcap -q -o x.stk none; rows dump x.stk | wc -l | grep -w 1; rows sample x.stk | wc -l | grep -w 0
	awk "/^3XMTHREADINFO / { n++ } n < 3 || /END OF DUMP/" a >one; stkcap -o x.stk one 2>err; grep "1 dumps, 2 samples" err
	awk "/^3XMTHREADINFO / { n++ } n < 4 || /END OF DUMP/" a >two; stkcap -o x.stk two 2>err; grep "1 dumps, 3 samples" err
	{ echo "09:00:00 shop started"; cat a; echo "09:00:09 again"; cat a; echo "09:01:00 goodbye"; } >b
	stkcap -o x.stk b 2>err; grep "2 dumps, 14 samples, 5 distinct stacks, 5 lines skipped" err
'
check 'a dump without its end, a header and a stack that are not whole: said, status 1' '
	grep -v "END OF DUMP" a >b; status 1 stkcap -o x.stk b 2>err; grep "a dump whose end is missing" err
	rows dump x.stk | cut -f 12 | grep -x 1
	folded a >wanted; stkcat -q -f folded x.stk | same wanted -
	sed "s/^3XMTHREADINFO      \"till-1\" J9VM/3XMTHREADINFO      till-1 VM/" a >b
	status 1 stkcap -o x.stk b 2>err; grep "a thread.s header that is not understood" err
	sed "s/^4XESTACKTRACE \(.*\)Drawer.java:31/4XESTACKERR    Java callstack truncated\n&/" a >b
	status 1 stkcap -o x.stk b 2>err; grep "could not walk a stack" err
'
check 'every beginning' '
	size=$(wc -c <a) n=1
	while [ $n -lt "$size" ]; do
		head -c $n a >cut; code=0
		stkcap -q --format javacore -o cut.stk cut 2>err || code=$?
		test $code -eq 1 || { test $code -eq 0 && test $n -gt $((size - 40)); } || test $n -lt 200
		stkcat -q -f tsv cut.stk >all
		n=$((n + 113))
	done
'
check 'in pieces, with any number of threads: 40,000 threads are what awk has' '
	awk "BEGIN { print \"0SECTION       TITLE subcomponent dump routine\n1TIDATETIMEUTC Date: 2026/11/20 at 21:14:44:250 (UTC)\n1CIJAVAVERSION JRE 17\n1XMCURTHDINFO  Current thread\n3XMTHREADINFO      \\\"t0\\\" J9VMThread:0x1, state:R, prio=5\n1XMTHDINFO     Thread Details\"
		for (i = 0; i < 40000; i++) { printf \"3XMTHREADINFO      \\\"t%d\\\" J9VMThread:0x%x, state:R, prio=5\nNULL\n3XMHEAPALLOC             Heap bytes allocated since last GC cycle=%d\n4XESTACKTRACE                at a/B.f%d(B.java:1)\n4XESTACKTRACE                at a/B.main(B.java:2)\nNULL\n\", i, i + 1, i, i % 50; n[i % 50]++ }
		print \"NULL           --- END OF DUMP ---\"; for (k in n) print \"a.B.main;a.B.f\" k, n[k] >\"wanted\" }" >b
	stkcap -o b.stk b 2>err; grep "1 dumps, 40000 samples, 50 distinct stacks" err
	stkcat -q -f folded b.stk | sed "s/^[^;]*;//" | awk "{ n[\$1] += \$2 } END { for (k in n) print k, n[k] }" | sort >got; sort wanted | same - got
	stkcap -q --threads 1 b | stkcat -q -f tsv - >one; stkcap -q --threads 4 b | stkcat -q -f tsv - | same one -
'
finish
