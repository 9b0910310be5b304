#!/bin/sh
# SPDX-License-Identifier: MIT
# stkdiag: for each rule about places, runtimes and virtual machines a case that can be checked by hand, and the nearest
# case in which it must be silent.
. "${0%/*}/lib/tap.sh"
cd "$scratch" || exit 99
. "$t/lib/hand_dumps.sh"

# seconds FROM TO STEP
seconds() { seq "$1" "$3" "$2"; }
# of RULE: severity, subject, threads and dumps of its findings in `out`
of() { awk -F '\t' -v rule="$1" '$3 == rule { print $4 "\t" $5 "\t" $6 "\t" $9 }' out; }
# said RULE: the sentence
said() { awk -F '\t' -v rule="$1" '$3 == rule { print $8 }' out; }

check 'livelock: two threads that ask for a lock again and again, in five dumps; in four it is none' '
	retries() { for s in $(seconds 0 $1 10); do
		begin $s
		for n in 1 2; do thread "job-$n" $n RUNNABLE $((5 + s * 400)) java.util.concurrent.locks.ReentrantLock.tryLock app.Move.both app.Job.run; done
		idle job-3 3
	done; }
	retries 40 >dumps; rows dumps >found
	of livelock >found
	printf "warning\tapp.Move.both\t2\t5\n" | same - found
	said livelock | grep -qx "up to 2 of 3 threads of job-\* tried again and again in app.Move.both, and none got on; 100 seconds of threads. time lost, 67 % of the pool.s meanwhile"
	cut -f 3 out | status 1 grep "spin\|stuck"
	retries 30 >dumps; rows dumps >found
	of livelock | status 1 grep .
'
check '... nor when each is there only now and then, waits for a time, or uses no processor' '
	{ for s in $(seconds 0 80 10); do
		begin $s
		for n in 1 2 3 4; do case $(((s / 10 + n) % 2)) in 0) thread "job-$n" $n RUNNABLE $((5 + s * 400)) java.util.concurrent.locks.ReentrantLock.tryLock app.Move.both ;;
			*) thread "job-$n" $n RUNNABLE $((5 + s * 400)) "app.Move.work$s" ;; esac; done
		for n in 5 6; do thread "slow-$n" $n TIMED_WAITING 5 jdk.internal.misc.Unsafe.park java.util.concurrent.locks.LockSupport.parkNanos java.util.concurrent.locks.ReentrantLock.tryLock "app.Slow.s$s"; done
		for n in 7 8; do thread "rest-$n" $n RUNNABLE 5 java.lang.Thread.yield app.Rest.now; done
	done; } >dumps
	rows dumps >found
	of livelock | status 1 grep .
'
# waiter NAME NUMBER: waits to be notified
waiter() { thread "$1" "$2" WAITING 5 java.lang.Object.wait "- waiting on <0x77> (a app.Box)" app.Box.take "- locked <0x77> (a app.Box)" app.Consumer.run; }
check 'lost wake-up: a thread that worked waits to be notified, for five minutes, and nobody is in the class or has the monitor' '
	{ begin 0; thread eater 1 RUNNABLE 4 app.Consumer.eat app.Consumer.run; idle other 2
	for s in $(seconds 60 360 60); do begin $s; waiter eater 1; idle other 2; done; } >dumps
	rows dumps >found
	of lost-wakeup >found
	printf "warning\tapp.Box.take\t1\t6\n" | same - found
	said lost-wakeup | grep -q "^eater worked before, and waits to be notified in app.Box.take; no dump shows a thread that could notify;"
	of stuck | status 1 grep .
'
check '... not when it never worked, when a dump shows who could notify, when it woke, or within four dumps' '
	{ for s in $(seconds 0 360 60); do begin $s; waiter eater 1; done; } >dumps
	rows dumps >found; of lost-wakeup | status 1 grep .; of stuck | status 1 grep .
	{ begin 0; thread eater 1 RUNNABLE 4 app.Consumer.eat
	for s in $(seconds 60 360 60); do begin $s; waiter eater 1; test $s != 180 || thread feeder 2 RUNNABLE 1 app.Box.put app.Feeder.run; done; } >dumps
	rows dumps >found; of lost-wakeup | status 1 grep .
	{ begin 0; thread eater 1 RUNNABLE 4 app.Consumer.eat
	for s in $(seconds 60 360 60); do begin $s; waiter eater 1; test $s != 180 || wants feeder 2 77 app.Box app.Feeder.run; done; } >dumps
	rows dumps >found; of lost-wakeup | status 1 grep .
	{ begin 0; for n in 1 2; do thread eater-$n $n RUNNABLE 4 app.Consumer.eat; done
	for s in $(seconds 60 360 60); do begin $s; waiter eater-1 1; if test $s -le 180; then waiter eater-2 2; else thread eater-2 2 RUNNABLE 9 app.Consumer.eat; fi; done; } >dumps
	rows dumps >found; of lost-wakeup | status 1 grep .
	{ begin 0; thread eater 1 RUNNABLE 4 app.Consumer.eat
	for s in $(seconds 100 400 100); do begin $s; waiter eater 1; done; } >dumps
	rows dumps >found; of lost-wakeup | status 1 grep .
'
# carrier NUMBER CONDITION [FRAME...]: runs a virtual thread, whose frames dumps of newer JDKs have below
carrier() {
	number=$1 condition=$2
	shift 2
	printf "\"ForkJoinPool-1-worker-%d\" #%d daemon prio=5 os_prio=0 cpu=3.00ms elapsed=100.00s tid=0x%016x nid=0x%x %s [0x1]\n   Carrying virtual thread #%d\n" \
		$number $number $((4096 + number)) $((8192 + number)) "$condition" $((100 + number))
	printf "\tat jdk.internal.vm.Continuation.run(Continuation.java:251)\n\tat java.lang.VirtualThread.runContinuation(VirtualThread.java:221)\n"
	if test $# -gt 0; then
		printf "   Mounted virtual thread #%d\n" $((100 + number))
		for line; do printf "\tat %s(A.java:1)\n" "$line"; done
	fi
	echo
}
check 'pinned: carriers whose virtual threads sleep, in three dumps; one that computes is not' '
	{ for s in 0 10 20; do begin $s
		for n in 1 2; do carrier $n "waiting on condition" java.lang.Thread.sleep app.Page.wait app.Page.show; done
		carrier 3 runnable app.Page.render app.Page.show
		idle ForkJoinPool-1-worker-4 4
	done; } >dumps
	rows dumps >found
	of pinned >found
	printf "warning\tapp.Page.wait\t2\t3\n" | same - found
	said pinned | grep -qx "virtual threads kept up to 2 of 4 threads of ForkJoinPool-1-worker-\* while they waited in app.Page.wait; 60 seconds of threads. time lost, 50 % of the pool.s meanwhile"
'
check '... all carriers: critical; a JDK that does not show what they run: by the word of the system' '
	{ for s in 0 10 20; do begin $s; for n in 1 2; do carrier $n "waiting for monitor entry"; done; done; } >dumps
	rows dumps >found
	of pinned >found
	printf "critical\tjdk.internal.vm.Continuation.run\t2\t3\n" | same - found
	said pinned | grep -q ": no carrier was left for others;"
	{ for s in 0 10; do begin $s; for n in 1 2; do carrier $n "waiting for monitor entry"; done; done; } >dumps
	rows dumps >found; of pinned | status 1 grep .
	{ for s in 0 10 20; do begin $s; for n in 1 2; do carrier $n "runnable"; done; done; } >dumps
	rows dumps >found; of pinned | status 1 grep .
'
check 'the common pool: half of its workers wait for a socket; another pool may do so' '
	{ for s in 0 10 20; do begin $s
		thread ForkJoinPool.commonPool-worker-1 1 RUNNABLE $((s * 9)) java.net.SocketInputStream.socketRead0 app.Http.get "app.Sum.step$s"
		thread ForkJoinPool.commonPool-worker-2 2 RUNNABLE $((s * 99)) "app.Sum.add$s"
		thread mine-1 3 RUNNABLE $((s * 9)) java.net.SocketInputStream.socketRead0 app.Http.get "app.Sum.step$s"
	done; } >dumps
	rows dumps >found
	of common-pool >found
	printf "warning\tForkJoinPool.commonPool-worker-* at app.Http.get\t1\t3\n" | same - found
	said common-pool | grep -q "waited in app.Http.get; parallel streams and CompletableFutures of the whole program need them"
'
check 'a herd: thirty threads come to a place where there were one or two; where twenty always are, it is none' '
	{ for s in $(seconds 0 190 10); do begin $s
		n=1; while [ $n -le 20 ]; do thread "always-$n" $((100 + n)) RUNNABLE $((s * n)) app.Busy.work "app.Busy.s$s"; n=$((n + 1)); done
		n=1; while [ $n -le $(test $s = 150 && echo 30 || echo 2) ]; do thread "http-$n" $n RUNNABLE $((s * n)) app.Cache.load "app.Page.s$s"; n=$((n + 1)); done
		idle http-99 99
	done; } >dumps
	rows dumps >found
	of herd >found
	printf "info\tapp.Cache.load\t30\t1\n" | same - found
	said herd | grep -qx "up to 30 of 31 threads of http-\* came to app.Cache.load, where there are usually 2"
'
check 'allocation: where dumps have it, the pools that allocate most' '
	{ for s in 0 10 20; do begin $s
		thread greedy-1 1 RUNNABLE $((s * 9)) "app.Json.s$s" | sed "s/ tid=/ allocated=$((s * 150))M defined_classes=1 tid=/"
		thread modest-1 2 RUNNABLE $((s * 9)) "app.Json.s$s" | sed "s/ tid=/ allocated=$((s * 50))M defined_classes=1 tid=/"
	done; } >dumps
	rows dumps >found
	of allocation >found
	printf "info\tgreedy-*\t1\t3\n" | same - found
	said allocation | grep -qx "greedy-\* allocated 157 MB a second on average"
'
check 'collectors: forty are told, with how many processors they suit; ten are not' '
	collectors() { begin 0; idle a 1; n=0; while [ $n -lt $1 ]; do printf "\"GC Thread#%d\" os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x%016x nid=0x%x runnable\n\n" $n $((n + 99)) $((n + 99)); n=$((n + 1)); done; }
	collectors 40 >dumps
	rows dumps >found
	of gc-threads >found
	printf "info\tGC threads\t40\t1\n" | same - found
	said gc-threads | grep -q "^40 threads collect garbage, as suits about 59 processors;"
	collectors 31 >dumps
	rows dumps >found
	of gc-threads | status 1 grep .
'
check 'a class that is loaded: the lock of its loader is about classes' '
	{ for s in 0 10; do begin $s
		holds h 9 5 java.lang.ClassLoader java.lang.ClassLoader.loadClass $s
		wants w 1 5 java.lang.ClassLoader java.lang.ClassLoader.loadClass
	done; } >dumps
	rows dumps >found
	of class-init >found
	printf "warning\tjava.lang.ClassLoader\t1\t2\n" | same - found
'
check 'Python: one thread has the lock of the interpreter, two more could run; those that wait elsewhere could not' '
	python() { for s in 0 10 20; do
		printf "Process 812: python3 work.py\nPython v3.11.2 (/usr/bin/python3.11)\n\n"
		printf "Thread 812 (idle): \"MainThread\"\n    wait (threading.py:320)\n    run (work.py:12)\n"
		printf "Thread 813 (active+gil): \"worker-1\"\n    spin (work.py:5)\n    run (work.py:7)\n"
		n=1; while [ $n -le $1 ]; do printf "Thread %d (idle): \"worker-%d\"\n    spin (work.py:%d)\n    run (work.py:7)\n" $((820 + n)) $((n + 1)) $((4 + n)); n=$((n + 1)); done
	done; }
	python 2 >dumps
	stkcap -q dumps >x.stk
	stkdiag -q -f tsv x.stk >out || test $? = 4
	of gil >found
	printf "warning\tGIL\t2\t3\n" | same - found
	said gil | grep -qx "up to 2 threads could run and waited for the interpreter.s lock, which worker-1 had, last in spin"
	python 1 >dumps
	stkcap -q dumps >x.stk
	stkdiag -q -f tsv x.stk >out || test $? = 4
	of gil | status 1 grep .
'
check 'Go: sixty goroutines wait to send; sixty that receive are workers, unless they become more' '
	go() { n=1; while [ $n -le $2 ]; do printf "goroutine %d [%s]:\nmain.%s(0xc0001)\n\t/src/main.go:12 +0x1d\ncreated by main.start in goroutine 1\n\t/src/main.go:30 +0x2\n\n" $((n + $4)) "$1" "$3"; n=$((n + 1)); done; }
	go "chan send, 3 minutes" 60 give 1 >dump; go "chan receive" 60 work 100 >>dump
	stkcap -q dump >x.stk
	stkdiag -q -f tsv x.stk >out || test $? = 4
	of goroutines >found
	printf "warning\tmain.give\t60\t1\n" | same - found
	said goroutines | grep -qx "up to 60 goroutines wait to send or for a lock in main.give, for up to 3 minutes"
	for n in 60 75 90; do printf "PID 812 - process\n\n"; go "chan receive" $n work 100; done >dumps
	stkcap -q dumps >x.stk
	stkdiag -q -f tsv x.stk >out || test $? = 4
	of goroutines >found
	printf "warning\tmain.work\t90\t3\n" | same - found
	said goroutines | grep -qx "up to 90 goroutines wait to receive or select in main.work, 60 at first and 90 at last"
	for n in 60 75 89; do printf "PID 812 - process\n\n"; go "chan receive" $n work 100; done >dumps
	stkcap -q dumps >x.stk
	status 0 stkdiag -q -f tsv x.stk >out
	of goroutines | status 1 grep .
'
check 'Go: ten that wait for a mutex, or to send, are too few to pile up, but stuck; those that receive are workers' '
	one() { n=1; while [ $n -le $3 ]; do printf "goroutine %d [%s]:\nmain.%s(0xc0001)\n\t/src/main.go:12 +0x1d\n\n" $((n + $4)) "$1" "$2" ; n=$((n + 1)); done; }
	stuck_in() { for m in 0 1 2 3 4 5 6 7; do echo "2026-03-01 08:0$m:00"; one "$1$(test -z "$2" || test $m -lt 2 || echo ", $((m - 1)) minutes")" give 10 1; one "chan receive" work 20 100; done >dumps; stkcap -q dumps >x.stk; stkdiag -q -f tsv x.stk >out || test $? = 4; of stuck; }
	for waits in "sync.Mutex.Lock" "chan send"; do
		stuck_in "$waits" minutes >found
		printf "warning\tgoroutine in main.give\t10\t8\n" | same - found
		stuck_in "$waits" | status 1 grep .		# each time for less than a minute: they came back
	done
	stuck_in "chan receive" minutes | status 1 grep .
'
check 'native: three threads wait for a mutex in one function, in three dumps; those that wait for work do not count' '
	{ for s in 0 10 20; do
		printf "PID 812 - process\n"
		for n in 1 2 3; do printf "TID %d \"w\":\n#0  0x00007f9c02cd0aec __lll_lock_wait+0x4c - /lib/libc.so.6\n#1  0x00007f9c02cd0aed pthread_mutex_lock+0x1 - /lib/libc.so.6\n#2  0x000055676c2cf094 store_put\n#3  0x000055676c24f3d2 main\n" $((812 + n)); done
		for n in 4 5 6; do printf "TID %d \"w\":\n#0  0x00007f9c02cd0aec futex_wait+0x4c - /lib/libc.so.6\n#1  0x00007f9c02cd0aed pthread_cond_wait+0x1 - /lib/libc.so.6\n#2  0x000055676c2cf094 next_task\n" $((812 + n)); done
	done; } >dumps
	stkcap -q dumps >x.stk
	stkdiag -q -f tsv x.stk >out || test $? = 4
	of futex >found
	printf "warning\tstore_put\t3\t3\n" | same - found
	said futex | grep -q "waited for a lock in store_put; stacks from outside do not show who holds it"
'
check '... as gdb writes them with debug information: the lock has its name and address, and the place is the program'"'"'s own' '
	{ for s in 0 10 20; do
		printf "2026-03-01 09:00:%02d\n" $s
		for n in 1 2 3; do printf "Thread %d (Thread 0x7fc6b1b336c0 (LWP %d) \"bank\"):\n" $n $((812 + n))
			cat <<-END
			#0  futex_wait (private=0, expected=2, futex_word=0x556b47e620e0 <accounts>) at ../sysdeps/nptl/futex-internal.h:146
			#1  __GI___lll_lock_wait (futex=futex@entry=0x556b47e620e0 <accounts>, private=0) at ./nptl/lowlevellock.c:49
			#2  0x00007fc6b6caa482 in lll_mutex_lock_optimized (mutex=0x556b47e620e0 <accounts>) at ./nptl/pthread_mutex_lock.c:48
			#3  ___pthread_mutex_lock (mutex=0x556b47e620e0 <accounts>) at ./nptl/pthread_mutex_lock.c:93
			#4  0x0000556b47e5c3c7 in __gthread_mutex_lock (__mutex=0x556b47e620e0 <accounts>) at /usr/include/c++/12/bits/gthr-default.h:749
			#5  0x0000556b47e5c418 in std::mutex::lock (this=0x556b47e620e0 <accounts>) at /usr/include/c++/12/bits/std_mutex.h:100
			#6  0x0000556b47e5b39d in pay () at bank.cc:10
			END
			echo; done
	done; } >dumps
	stkcap -q dumps >x.stk
	stkdiag -q -f tsv x.stk >out || test $? = 4
	of blocked >found
	printf "warning\taccounts\t3\t3\n" | same - found
	said blocked | grep -q "^all 3 threads of bank waited for accounts in pay; no dump shows who holds it: stacks from outside never do"
	sed "s/mutex=0x[^)]*/mutex=<optimized out>/; s/this=0x[^)]*/this=<optimized out>/" dumps >blind
	stkcap -q blind >x.stk
	stkdiag -q -f tsv x.stk >out || test $? = 4
	of futex >found
	printf "warning\tpay\t3\t3\n" | same - found
'
check 'goroutines that wait for a connection of a pool' '
	for s in 0 10 20; do
		printf "2026-03-01 09:00:%02d\n" $s
		for n in 1 2 3 4 5; do printf "goroutine %d [select]:\ndatabase/sql.(*DB).conn(0xc1, 0x1)\n\t/src/sql.go:1369 +0x7cf\nmain.(*Shop).orders(0xc0)\n\t/src/shop.go:55 +0x1d\n\n" $n; done
		printf "goroutine 30 [IO wait]:\nmain.read()\n\t/src/shop.go:75 +0x1d\n\n"
	done >dumps
	stkcap -q dumps >x.stk
	stkdiag -q -f tsv x.stk >out || test $? = 4
	said connection-pool | grep "^up to 5 of 6 goroutines waited for a connection in main.(\*Shop).orders;"
'
check 'Python: permits, queues that are full and workers without work, with a class in names (from 3.11 on) and without, with folders and without' '
	# python FOLDER CLASS_OF_SEMAPHORE CLASS_OF_QUEUE CLASS_OF_CONDITION: three dumps of three workers of each kind
	python() {
		for s in 0 10 20; do
			printf "2026-03-01 09:00:%02d\nProcess 812: python3 app.py\nPython v3.11.2 (/usr/bin/python3.11)\n\n" $s
			for n in 1 2 3; do
				printf "Thread %d (idle): \"worker-%d\"\n    %swait (%sthreading.py:327)\n    %sacquire (%sthreading.py:479)\n    query (app.py:10)\n" $n $n "$4" "$1" "$2" "$1"
				printf "Thread 1%d (idle): \"feeder-%d\"\n    %swait (%sthreading.py:327)\n    %sput (%squeue.py:140)\n    feed (app.py:13)\n" $n $n "$4" "$1" "$3" "$1"
				printf "Thread 2%d (idle): \"idler-%d\"\n    %swait (%sthreading.py:327)\n    %sget (%squeue.py:171)\n    serve (app.py:15)\n" $n $n "$4" "$1" "$3" "$1"
			done
		done
	}
	for names in "Semaphore. Queue. Condition." "  "; do for folder in /usr/lib/python3.11/ ""; do
		case $names in S*) python "$folder" Semaphore. Queue. Condition. ;; *) python "$folder" "" "" "" ;; esac >dumps
		stkcap -q dumps >x.stk
		stkdiag -q -f tsv x.stk >out || test $? = 4
		cut -f 3-7 out >found
		same - found <<-END
		rule	severity	subject	threads	samples
		semaphore	warning	worker-* at query	3	9
		queue-full	warning	feeder-* at feed	3	9
		END
	done; done
'
# parks NAME NUMBER ADDRESS CLASS
parks() { thread "$1" "$2" WAITING 1 jdk.internal.misc.Unsafe.park "- parking to wait for  <0x$3> (a $4)" java.util.concurrent.locks.ReentrantLock.lock app.Stock.read; }
check 'a lock without a holder: the reason that fits' '
	why() { for s in 0 10 20; do begin $s; for n in 1 2 3; do $1 "w-$n" $n 5 "$2"; done; eval "$3"; done >dumps; rows dumps >found; said blocked | sed "s/.*who holds it: //; s/; [0-9]* seconds.*//"; }
	why parks "java.util.concurrent.locks.ReentrantLock\$NonfairSync" : | grep -qx "these dumps do not list the owners of such locks (jstack -l and jcmd Thread.print -l do)"
	owner="thread o 9 RUNNABLE \$s app.Other.run; printf \"   Locked ownable synchronizers:\n\t- <0x99> (a java.util.concurrent.ThreadPoolExecutor\\\$Worker)\n\n\""
	why parks "java.util.concurrent.locks.ReentrantLock\$NonfairSync" "$owner" | grep -qx "it passes from one to the next"
	why parks "java.util.concurrent.locks.ReentrantReadWriteLock\$NonfairSync" "$owner" | grep -qx "it may be held for reading, which has no owner, or pass from one to the next"
	blocks() { wants "$1" "$2" "$3" "$4" app.Stock.read; }
	why blocks app.Stock : | grep -qx "native code has it, or it passes from one to the next as the dump is taken"
'
check 'collections: for want of room, closer than a second, or because threads waited for memory' '
	awk "BEGIN { for (i = 0; i < 60; i++) printf \"%.1f,gc.pause,0.01\\n\", 1700000040 + i * (i < 30 ? 0.5 : 2)
		print \"1700000200,gc.pause,0.01\\n1700000200,gc.cause.Allocation Stall,0.01\"
		print \"1700000300,gc.pause,0.01\\n1700000300,gc.cause.G1 Humongous Allocation,0.01\"
		print \"1700000400,gc.pause,0.01\\n1700000400,gc.cause.to-space exhausted,0.02\" }" >gc.csv
	stkcap -q --format metrics gc.csv >gc.stk
	stkdiag -q -f tsv gc.stk >out || test $? = 4
	cut -f 5,8 out | tail -n +2 | sort >found
	sed "s/|/	/" >expected <<X
allocation stalls|threads that waited for memory: 1, the longest 0.01 seconds
evacuation failures|collections that found no room for what they moved: 1, the longest 0.02 seconds
humongous objects|collections for objects larger than half a region: 1, the longest 0.01 seconds
young collections|collections within 1 s of the one before: 29
X
	same expected found
	awk "BEGIN { for (i = 0; i < 10; i++) printf \"%.1f,gc.pause,0.01\\n\", 1700000040 + i * 0.5 }" >gc.csv
	stkcap -q --format metrics gc.csv | status 0 stkdiag -q -f tsv >out
	cut -f 3 out | tail -n +2 | grep -qx healthy
'
check 'a dump that is cut, or has a monitor with two holders, is torn' '
	{ begin 0; holds a 1 5 app.Stock app.Stock.write; holds b 2 5 app.Stock app.Stock.write; } >dumps
	rows dumps >found
	of torn >found
	printf "info\tthread dump\t0\t1\n" | same - found
'
finish
