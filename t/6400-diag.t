#!/bin/sh
# SPDX-License-Identifier: MIT
# stkdiag: cases that can be checked by hand, each a few threads in a few dumps.
. "${0%/*}/lib/tap.sh"
cd "$scratch" || exit 99

. "$t/lib/hand_dumps.sh"

check 'two threads, two monitors: a deadlock, critical, status 4' '
	{ for s in 0 10; do
		begin $s
		thread a 1 BLOCKED 1 app.B.in "- waiting to lock <0x2> (a app.B)" app.A.in "- locked <0x1> (a app.A)"
		thread b 2 BLOCKED 1 app.A.in "- waiting to lock <0x1> (a app.A)" app.B.in "- locked <0x2> (a app.B)"
	done; } >dumps
	printf "deadlock\tcritical\ta, b\t2\t4\t2\t40.0\n" >expected
	rows dumps >found
	same expected found
	status 4 stkdiag -f tsv x.stk >out
	grep -q "a waits for app.B that b holds, b waits for app.A that a holds; only a restart ends it" out
	status 4 stkdiag -q -f tsv --alert critical x.stk >out
'
check '... in one dump too, and a thread behind it is a victim' '
	{ begin 0
	thread a 1 BLOCKED 1 app.B.in "- waiting to lock <0x2> (a app.B)" app.A.in "- locked <0x1> (a app.A)"
	thread b 2 BLOCKED 1 app.A.in "- waiting to lock <0x1> (a app.A)" app.B.in "- locked <0x2> (a app.B)" app.C.in "- locked <0x3> (a app.C)"
	wants c 3 3 app.C app.C.in; wants d 4 3 app.C app.C.in; wants e 5 3 app.C app.C.in
	} >dumps
	printf "deadlock\tcritical\ta, b\t5\t5\t1\t0.0\n" >expected
	rows dumps >found
	same expected found
	grep -q "; 3 more threads wait for them;" out
'
check 'a ring over a lock of java.util.concurrent that only the report of the VM shows' '
	{ begin 0
	thread a 1 WAITING 1 jdk.internal.misc.Unsafe.park "- parking to wait for  <0x5> (a java.util.concurrent.locks.ReentrantLock\$NonfairSync)" app.A.in "- locked <0x6> (a app.A)"
	thread b 2 BLOCKED 1 app.B.in "- waiting to lock <0x6> (a app.A)"
	printf "Found one Java-level deadlock:\n=============================\n\"a\":\n  waiting for ownable synchronizer 0x5, (a java.util.concurrent.locks.ReentrantLock\$NonfairSync),\n  which is held by \"b\"\n\"b\":\n  waiting to lock monitor 0x1 (object 0x6, a app.A),\n  which is held by \"a\"\n\nFound 1 deadlock.\n\n"
	} >dumps
	rows dumps | cut -f 1-4 >found
	printf "deadlock\tcritical\ta, b\t2\n" >expected
	same expected found
'
check 'a monitor that was given up to be notified is not held: no deadlock' '
	{ begin 0
	thread a 1 WAITING 1 java.lang.Object.wait "- waiting on <0x1> (a app.A)" app.A.in "- locked <0x1> (a app.A)" app.B.in "- locked <0x2> (a app.B)"
	thread b 2 BLOCKED 1 app.B.in "- waiting to lock <0x2> (a app.B)" app.A.in "- locked <0x1> (a app.A)"
	} >dumps
	printf "healthy\tinfo\tall\t0\t2\t1\t0.0\n" >expected
	rows dumps >found
	same expected found
	status 0 stkdiag -q x.stk >records
'
check 'one thread keeps a lock for three dumps: blocked, with its function; a lock of two dumps is not told' '
	{ for s in 0 10 20; do
		begin $s
		holds h 9 1 app.Stock app.Stock.write $s
		for n in 1 2 3 4; do wants "http-$n" $n 1 app.Stock app.Stock.read; done
		for n in 5 6; do idle "http-$n" $n; done
		test $s = 0 || { holds o 20 7 app.Other app.Other.write $s; for n in 21 22 23; do wants "job-$n" $n 7 app.Other app.Other.read; done; }
	done; } >dumps
	printf "blocked\twarning\tapp.Stock\t4\t12\t3\t120.0\n" >expected
	rows dumps >found
	same expected found
	grep -q "up to 4 of 6 threads of http-\* waited for app.Stock in app.Stock.read, held by h in app.Stock.write, now in app.Work.compute; 120 seconds of threads. time lost, 67 % of the pool.s meanwhile" out
'
check 'a lock that passes from one to the next is a convoy, told once; one dump without it does not end it, two do' '
	{ for s in 0 10 20 30 40 50 60 70 80; do
		begin $s
		case $s in
		10|50|60) idle http-1 1 ;;
		*) holds "http-$((s / 10 % 4 + 1))" $((s / 10 % 4 + 1)) 1 app.Stock app.Stock.write $s
			for n in 1 2 3 4; do test $n = $((s / 10 % 4 + 1)) || wants "http-$n" $n 1 app.Stock app.Stock.write; done ;;
		esac
	done; } >dumps
	{ printf "convoy\twarning\tapp.Stock\t3\t12\t4\t120.0\n"; } >expected
	rows dumps | grep -v "^hot\|^healthy" >found
	same expected found
	cut -f 1,2,3 out | grep "convoy" >found
	printf "2026-03-01T10:00:00Z\t2026-03-01T10:00:40Z\tconvoy\n" >expected
	same expected found
'
check 'over half of a pool for a minute is critical' '
	{ for s in 0 20 40 60; do
		begin $s
		holds h 9 1 app.Stock app.Stock.write $s
		for n in 1 2 3 4; do wants "http-$n" $n 1 app.Stock app.Stock.read; done
		idle http-5 5
	done; } >dumps
	printf "blocked\tcritical\tapp.Stock\t4\t16\t4\t320.0\n" >expected
	rows dumps >found
	same expected found
'
check 'three threads in a chain of two locks: all are lost to the one that holds the last' '
	{ for s in 0 10 20; do
		begin $s
		holds root 1 1 app.A app.A.in $s
		thread mid 2 BLOCKED 1 app.A.in "- waiting to lock <0x1> (a app.A)" app.B.in "- locked <0x2> (a app.B)"
		wants end-1 3 2 app.B app.B.in; wants end-2 4 2 app.B app.B.in
	done; } >dumps
	printf "blocked\twarning\tapp.A\t3\t9\t3\t90.0\n" >expected
	rows dumps >found
	same expected found
'
check 'two locks of one class at once are two findings, whichever comes first' '
	{ for s in 0 10 20; do
		begin $s
		for lock in $(test $s = 10 && echo "2 1" || echo "1 2"); do
			holds "h-$lock" $((lock * 10)) $lock app.Stock app.Stock.write $s
			for n in 1 2 3; do wants "w$lock-$n" $((lock * 10 + n)) $lock app.Stock app.Stock.read; done
		done
	done; } >dumps
	printf "blocked\twarning\tapp.Stock\t3\t9\t3\t90.0\nblocked\twarning\tapp.Stock (2)\t3\t9\t3\t90.0\n" >expected
	rows dumps >found
	same expected found
	grep -c "held by h-[12] in" out | grep -qx 2
'
check 'no dump shows the holder: that is said' '
	{ for s in 0 10 20; do
		begin $s
		for n in 1 2 3; do thread "w-$n" $n WAITING 1 jdk.internal.misc.Unsafe.park "- parking to wait for  <0x5> (a java.util.concurrent.locks.ReentrantLock\$NonfairSync)" \
			java.util.concurrent.locks.ReentrantLock.lock app.Stock.read; done
	done; } >dumps
	rows dumps | cut -f 1-4 >found
	printf "blocked\twarning\tjava.util.concurrent.locks.ReentrantLock\$NonfairSync\t3\n" >expected
	same expected found
	grep -q "waited for java.util.concurrent.locks.ReentrantLock.NonfairSync in app.Stock.read; no dump shows who holds it" out
'
check 'the owner of a synchronizer, as jstack -l shows it' '
	{ for s in 0 10 20; do
		begin $s
		for n in 1 2 3; do thread "w-$n" $n WAITING 1 jdk.internal.misc.Unsafe.park "- parking to wait for  <0x5> (a java.util.concurrent.locks.ReentrantLock\$NonfairSync)" \
			java.util.concurrent.locks.ReentrantLock.lock app.Stock.read; done
		thread owner 9 RUNNABLE $s app.Stock.write
		printf "   Locked ownable synchronizers:\n\t- <0x5> (a java.util.concurrent.locks.ReentrantLock\$NonfairSync)\n\n"
	done; } >dumps
	rows dumps >found
	grep -q "held by owner in app.Stock.write" out
'
check 'a holder that sleeps' '
	{ for s in 0 10 20; do
		begin $s
		thread h 9 TIMED_WAITING 1 java.lang.Thread.sleep app.Stock.count "- locked <0x1> (a app.Stock)"
		for n in 1 2; do wants "http-$n" $n 1 app.Stock app.Stock.read; done
	done; } >dumps
	printf "holder-idle\twarning\tapp.Stock\t2\t6\t3\t60.0\n" >expected
	rows dumps >found
	same expected found
	grep -q "h keeps app.Stock while it waits itself in java.lang.Thread.sleep (from app.Stock.count); all 2 threads of http-\* wanted it" out
'
check 'no thread of a pool is free, and most wait in one place; with one free there is nothing' '
	{ for s in 0 30 60; do
		begin $s
		for n in 1 2 3 4; do thread "http-$n" $n RUNNABLE $((s * n)) sun.nio.ch.NioSocketImpl.park java.net.Socket\$SocketInputStream.read app.Upstream.call; done
		thread http-5 5 RUNNABLE $s app.Other.work
		for n in 11 12; do thread "job-$n" $n RUNNABLE $((s * n)) app.Job.work; done
		idle job-13 13
	done; } >dumps
	rows dumps | grep -v "^hot\|^stuck" >found
	printf "pool-exhausted\twarning\thttp-* at app.Upstream.call\t5\t15\t3\t450.0\n" >expected
	same expected found
'
check 'all wait for results of tasks that nobody is left to compute: critical' '
	{ for s in 0 30 60; do
		begin $s
		for n in 1 2 3; do thread "task-$n" $n WAITING 1 jdk.internal.misc.Unsafe.park java.util.concurrent.FutureTask.awaitDone java.util.concurrent.FutureTask.get app.Task.call; done
	done; } >dumps
	rows dumps | grep -v "^stuck" >found
	printf "starved-by-own-tasks\tcritical\ttask-* at app.Task.call\t3\t9\t3\t270.0\n" >expected
	same expected found
'
check 'stuck: the same stack for a minute without a processor; one that moves, or works, or idles is not' '
	{ for s in 0 20 40 60; do
		begin $s
		thread stands 1 RUNNABLE 5 sun.nio.ch.NioSocketImpl.park app.Call.read
		thread moves 2 RUNNABLE 5 "app.Call.step$s"
		thread works 3 RUNNABLE $((5 + s * 200)) app.Call.compute
		idle waits 4
	done; } >dumps
	printf "stuck\twarning\tstands in app.Call.read\t1\t1\t4\t20.0\n" >expected
	rows dumps | grep -v "^hot" >found
	same expected found
	cut -f 1,2,3 out | grep stuck | grep -qx "2026-03-01T10:00:00Z	2026-03-01T10:01:00Z	stuck"
'
check 'spin: a whole processor in one place' '
	{ for s in 0 10 20; do
		begin $s
		thread spins 1 RUNNABLE $((5 + s * 1000)) app.Loop.spin
		thread half 2 RUNNABLE $((5 + s * 500)) app.Loop.half
	done; } >dumps
	rows dumps | grep -v "^hot" | cut -f 1-4,6 >found
	printf "spin\twarning\tspins in app.Loop.spin\t1\t3\n" >expected
	same expected found
	grep "	hot	" out | cut -f 3,5,8 | grep -q "^hot	spins	spins used 1.00 processors on average, most of it around app.Loop.spin"
'
check 'a pool that grows; one that only goes up and down does not' '
	{ for s in 0 10 20 30 40 50 60 70 80 90; do
		begin $s
		n=0; while [ $n -le $((4 + s / 4)) ]; do idle "leak-$n" $((100 + n)); n=$((n + 1)); done
		n=0; while [ $n -le $((4 + s % 20)) ]; do idle "wave-$n" $((200 + n)); n=$((n + 1)); done
	done; } >dumps
	printf "thread-leak\twarning\tleak-*\t27\n" >expected
	rows dumps | cut -f 1-4 >found
	same expected found
	grep -q "leak-\* grows from 5 to 27 threads" out
'
check 'a dump a file, of one process: its threads tell; and another process is another' '
	mkdir -p files && rm -f files/*
	for s in 0 10 20; do
		for vm in 1 2; do
			{ begin $s
			thread "Reference Handler" $((vm * 1000)) RUNNABLE 1 java.lang.ref.Reference.waitForReferencePendingList
			holds h 9 1 app.Stock app.Stock.write $s
			for n in 1 2 3; do wants "http-$n" $n 1 app.Stock app.Stock.read; done; } >files/vm$vm-$s.txt
		done
	done
	stkcap -q files/*.txt >x.stk
	status 4 stkdiag -f tsv x.stk >out
	{ head -1 out; tail -n +2 out | sort -t "	" -k 11; } | cut -f 3,9,11 >found
	printf "rule\tdumps\tprocess\nblocked\t3\tfiles/vm1-*.txt\nblocked\t3\tfiles/vm2-*.txt\n" >expected
	same expected found
'
check 'conditions choose what findings are about, and do not hide who holds' '
	{ for s in 0 10 20; do
		begin $s
		holds h 9 1 app.Stock app.Stock.write $s
		for n in 1 2 3; do wants "http-$n" $n 1 app.Stock app.Stock.read; done
		holds g 19 2 app.Disk app.Disk.write $s
		for n in 11 12 13; do wants "job-$n" $n 2 app.Disk app.Disk.read; done
	done; } >dumps
	stkcap -q dumps >x.stk
	status 4 stkdiag -f tsv --thread "^job-" x.stk | cut -f 3,5,8 >found
	grep -q "^blocked	app.Disk	.*held by g in app.Disk.write" found
	test "$(wc -l <found)" = 2
	status 0 stkdiag -q -f tsv --to 10:00:15 x.stk >out
	grep -q "	healthy	.*nothing wrong in 2 dumps with 16 samples of 1 process; most rules need three" out
'
check 'files of one process that are taken for several show little, and health says how to join them; one with three dumps is enough' '
	for n in 1 2 3; do begin $((n * 10)) >app$n.txt; wants w 1 2 app.B app.B.in | sed "s/BLOCKED/RUNNABLE/; /waiting/d" >>app$n.txt; done
	stkcap -q app1.txt app2.txt app3.txt | stkdiag -q -f tsv >out
	grep -q "	nothing wrong in 3 dumps with 3 samples of 3 processes; most rules need three dumps or more of a process (stkcap --source NAME joins files of one)	" out
	stkcap -q --source app app1.txt app2.txt app3.txt | stkdiag -q -f tsv >out
	grep -q "	nothing wrong in 3 dumps with 3 samples of 1 process	" out
'
check '... a deadlock, a pool that grows and health too; when nobody is chosen that is said' '
	{ for s in 0 10 20 30 40 50 60 70 80 90; do
		begin $s
		thread a-1 1 BLOCKED 1 app.B.in "- waiting to lock <0x2> (a app.B)" app.A.in "- locked <0x1> (a app.A)"
		thread b-1 2 BLOCKED 1 app.A.in "- waiting to lock <0x1> (a app.A)" app.B.in "- locked <0x2> (a app.B)"
		n=0; while [ $n -le $((4 + s / 4)) ]; do idle "leak-$n" $((100 + n)); n=$((n + 1)); done
		idle other-1 50
	done; } >dumps
	stkcap -q dumps >many.stk
	for choice in "^other healthy" "^leak thread-leak" "^a- deadlock" "^b- deadlock"; do
		stkdiag -q -f tsv --thread "${choice% *}" many.stk >out || test $? = 4
		cut -f 3 out | tail -n +2 >found
		echo "${choice#* }" | same - found
	done
	stkdiag -f tsv --thread "^other" many.stk | grep -q "nothing wrong in 10 dumps with 10 samples"
	status 1 stkdiag -f tsv --thread nobody many.stk >out 2>err
	test "$(wc -l <out)" = 1
	grep -q "^stkdiag: none of the [0-9]* threads is selected: nothing was looked at$" err
'
check 'rules: thresholds from a file; mistakes have their place; --list-rules is such a file' '
	printf "convoy:\n  threads: 4\n" >rules
	status 0 stkdiag -q --rules rules x.stk >records
	printf "convoy:\n  threads: 0\n" >rules
	status 2 stkdiag --rules rules x.stk >records 2>err
	grep -q "^stkdiag: rules:2:12: threads of convoy: expected a number from 1 to 1e+06" err
	printf "convoy:\n  treads: 3\n" >rules
	status 2 stkdiag --rules rules x.stk >records 2>err
	grep -q "^stkdiag: rules:2:3: the rule convoy has no threshold .treads." err
	printf "convoi: off\n" >rules
	status 2 stkdiag --rules rules x.stk >records 2>err
	grep -q "^stkdiag: rules:1:1: there is no rule .convoi." err
	printf "blocked: off\n" >rules
	status 0 stkdiag -q -f tsv --rules rules x.stk >out
	stkdiag --list-rules >all
	stkdiag --rules all --list-rules | same all -
	grep -v "^# What stkdiag looks for" "$t/../schemes/rules/stkdiag.yaml" | same - all
	stkdiag --explain convoy | grep -q "threads  *3  *threads that wait, in the median dump"
	status 2 stkdiag --explain nothing
'
check 'collections: a minute without room for the program, long pauses, a heap that stays full' '
	awk "BEGIN { for (i = 0; i < 600; i += 5) { t = 1700000040 + i; bad = i >= 120 && i < 240
		print t \",gc.pause,\" (bad ? 2 : 0.01); if (i == 300 || i == 330) { print t \",heap.used.full,900\\n\" t \",heap.total,1000\\n\" t \",gc.pause.full,0.3\" } } }" >gc.csv
	stkcap -q --format metrics gc.csv >gc.stk
	status 4 stkdiag -f tsv gc.stk >out
	cut -f 1-5,8 out | tail -n +2 >found
	sed "s/|/	/g" >expected <<X
2023-11-14T22:16:00Z|2023-11-14T22:18:00Z|gc|warning|throughput|collections left the program 60 % of the time, in the worst minute 60 %
2023-11-14T22:16:00Z|2023-11-14T22:17:55Z|gc|warning|pauses|pauses that are too long: 24, the longest 2.00 seconds
2023-11-14T22:19:00Z|2023-11-14T22:19:30Z|gc|warning|old generation|full collections that left the heap nearly full: 2, at most 90 %
2023-11-14T22:19:30Z|2023-11-14T22:19:30Z|gc|warning|full collections|full collections shortly after the one before: 1, the longest 0.30 seconds
X
	same expected found
'
check 'the sample: eight request threads wait while the stock is counted, four times in twelve dumps' '
	zcat "$t/../scripts/sample/order-service.jstack.txt.gz" >sample.txt
	grep -c "waiting to lock <0x[0-9a-f]*> (a OrderService.Stock)" sample.txt | grep -qx 32
	stkcap -q sample.txt >sample.stk
	status 4 stkdiag -f tsv sample.stk >out
	cut -f 3-7,9 out | sed -n 2p | grep -q "^blocked	warning	OrderService.Stock	8	32	4$"
	grep -q "held by stock-recount in OrderService.Stock.recount; on 3 occasions" out
'
check 'records: findings and evidence, with names and stacks' '
	stkdiag -q x.stk >records || test $? = 4
	stkcat -f ndjson --only finding,evidence records >rows
	grep -c "\"kind\":\"finding\"" rows | grep -qx 2
	grep "\"kind\":\"evidence\"" rows | grep "\"part\":\"holder\"" | grep -q "\"stack\":\[\"app.Worker.run\",\"app.Stock.write\",\"app.Work.compute\"\]"
	status 0 stkcat --check records
'
check 'nothing to look at is said: no dumps, an empty stream, nothing in the window' '
	printf "a;b 1\n" | stkcap -q >folded.stk
	status 1 stkdiag -f tsv folded.stk >out 2>err
	grep -qx "stkdiag: no thread dumps in the input: nothing was looked at" err
	status 1 stkdiag -f tsv --from 12:00 x.stk >out 2>err
'
finish
