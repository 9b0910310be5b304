#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks that tools print of processes from outside: who the threads are, and their frames.
. "${0%/*}/lib/tap.sh"

seeds=$t/fuzz/seed/process_dump
tab=$(printf '\t')
# folded NAME: its stacks; threads NAME: tid and name of each
folded() { stkcap -q "$seeds/$1" | stkcat -f folded | sort; }
names() { stkcap -q "$seeds/$1" | stkcat -f tsv --only thread | tail -n +2 | cut -f 3-5; }

check 'goroutines: calls, places, who made them; how long they have waited is a note' '
	folded go >got
	same - got <<-END
	goroutine;created by net/http.(*Server).Serve;net/http.(*conn).serve 1
	goroutine;main.main;main.work 1
	END
	stkcap -q "$seeds/go" | stkcat -f tsv --only frame | cut -f 2,4,5 | grep -q "main.work${tab}/src/app/main.go${tab}12"
	stkcap -q "$seeds/go" | stkcat -f tsv --only sample | grep -q "chan receive"
	stkcap -q "$seeds/go" | stkcat -f tsv --only sample | grep -q "chan receive.*3 minutes"
'
check 'threads of a Java VM have its roles; those of other programs, and of which that is not known, have another' '
	roles() { stkcap -q "$@" | stkcat -f tsv --only thread | awk -F "\t" "NR > 1 { print \$NF }" | sort -u | tr "\n" " "; }
	test "$(roles "$seeds/go")" = "other "
	echo "a;b 2" >folded
	test "$(roles folded)" = "other "
	printf "2026-03-01 10:00:00\nFull thread dump X:\n\n\"main\" #1 prio=5 os_prio=0 tid=0x01 nid=0x10 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:3)\n\n" >dump
	test "$(roles dump)" = "java "
'
# lock_of: the lock lines of one thread whose stack, as gdb prints it, is on stdin
lock_of() {
	{ echo "Thread 2 (Thread 0x7fc6b1b336c0 (LWP 812) \"bank\"):"; cat; } >bt
	stkcap -q bt | stkcat -f dumps | sed -n "s/^\t- //p"
}
check 'gdb: the lock that a thread waits for, from the arguments of what takes it' '
	lock_of <<-END >got
	#0  futex_wait (private=0, expected=2, futex_word=0x5500 <accounts>) at ../sysdeps/nptl/futex-internal.h:146
	#1  __GI___lll_lock_wait (futex=futex@entry=0x5500 <accounts>, private=0) at ./nptl/lowlevellock.c:49
	#2  0x00007fc6b6caa482 in lll_mutex_lock_optimized (mutex=0x5500 <accounts>) at ./nptl/pthread_mutex_lock.c:48
	#3  ___pthread_mutex_lock (mutex=0x5500 <accounts>) at ./nptl/pthread_mutex_lock.c:93
	#4  0x0000556b47e5b39d in pay () at bank.cc:10
	END
	echo "waiting to lock <0x0000000000005500> (a accounts)" | same - got
	lock_of <<-END >got
	#0  __lll_lock_wait () from /lib/libc.so.6
	#1  0x00007fc6b6caa482 in pthread_mutex_lock () from /lib/libc.so.6
	#2  0x0000556b47e5c418 in std::mutex::lock (this=0x5510) at /usr/include/c++/12/bits/std_mutex.h:100
	#3  0x0000556b47e5b39d in pay () at bank.cc:10
	END
	echo "waiting to lock <0x0000000000005510> (a mutex)" | same - got
	lock_of <<-END >got
	#0  __futex_abstimed_wait_common64 (private=0, futex_word=0x5528, expected=3) at futex-internal.c:57
	#1  __futex_abstimed_wait64 (futex_word=0x5528) at futex-internal.c:128
	#2  0x00007fc6b6caa482 in __pthread_rwlock_rdlock_full64 (rwlock=0x5520 <prices+16>, abstime=0x0) at rwlock.c:460
	#3  0x0000556b47e5b39d in price () at bank.cc:12
	END
	echo "waiting to lock <0x0000000000005520> (a prices+16)" | same - got
'
check '... none for who waits for notice, or only takes one, or whose arguments are not shown' '
	lock_of <<-END | status 1 grep .
	#0  futex_wait (private=0, expected=2, futex_word=0x5508 <ready+8>) at ../sysdeps/nptl/futex-internal.h:146
	#1  __pthread_cond_wait_common (cond=0x5500 <ready>, mutex=0x5540 <accounts>) at pthread_cond_wait.c:503
	#2  ___pthread_cond_wait (cond=0x5500 <ready>, mutex=0x5540 <accounts>) at pthread_cond_wait.c:627
	#3  0x0000556b47e5b39d in next () at bank.cc:20
	END
	lock_of <<-END | status 1 grep .
	#0  ___pthread_mutex_lock (mutex=0x5500 <accounts>) at ./nptl/pthread_mutex_lock.c:80
	#1  0x0000556b47e5b39d in pay () at bank.cc:10
	END
	lock_of <<-END | status 1 grep .
	#0  futex_wait (private=0, expected=2, futex_word=0x5500) at ../sysdeps/nptl/futex-internal.h:146
	#1  ___pthread_mutex_lock (mutex=<optimized out>) at ./nptl/pthread_mutex_lock.c:93
	#2  0x0000556b47e5b39d in pay (mutex=0x5500) at bank.cc:10
	END
'
check 'a line with the date before each dump is its time, also within another log, and where a piece ends' '
	python() { printf "Process 812: python3 work.py\nPython v3.11.2 (/usr/bin/python3.11)\n\nThread 812 (idle): \"MainThread\"\n    wait (threading.py:320)\n    run (work.py:12)\n"; }
	go() { printf "goroutine 7 [select]:\nmain.work(0x1, 0x2)\n\t/src/main.go:12 +0x1d\nmain.main()\n\t/src/main.go:5 +0x20\n\n"; }
	when_of() { stkcap -q "$1" | stkcat -f tsv --only dump | cut -f 2,7 | tail -n +2; }
	{ echo "2026-03-01 08:00:00"; python; echo "Sun Mar  1 08:01:00 UTC 2026"; python; echo "Sun Mar  1 08:02:00 2026"; python; python; } >by_date
	when_of by_date >got
	printf "2026-03-01T08:00:00Z\t1\n2026-03-01T08:01:00Z\t1\n2026-03-01T08:02:00Z\t1\n-\t1\n" | same - got
	{ echo 2026-03-01T08:00:00Z; go; echo 2026-03-01T08:05:00Z; echo; go; go; } >by_date
	when_of by_date >got
	printf "2026-03-01T08:00:00Z\t1\n2026-03-01T08:05:00Z\t2\n" | same - got
	{ n=0; while [ $n -lt 3 ]; do echo "12:00:0$n INFO work goes on"; n=$((n + 1)); done; cat by_date; } >log
	when_of log | same got -
	n=0; while [ $n -lt 3000 ]; do printf "2026-03-01 %02d:%02d:%02d\n" $((n / 3600)) $((n / 60 % 60)) $((n % 60)); python; n=$((n + 1)); done >many
	when_of many >got
	test "$(wc -l <got)" -eq 3000
	test "$(sort -u got | wc -l)" -eq 3000
	status 1 grep -v "^2026.*[^0-9]1$" got
	stkcap -q --threads 1 <many | stkcat -f tsv --only dump | cut -f 2,7 | tail -n +2 | same got -
'
check 'py-spy and faulthandler: names, files, lines' '
	folded py >got
	same - got <<-END
	MainThread;<module>;run;wait 1
	worker;_bootstrap;spin 1
	END
	stkcap -q "$seeds/py" | stkcat -f tsv --only frame | cut -f 2,4,5 | grep -q "wait${tab}threading.py${tab}320"
	stkcap -q "$seeds/py" | stkcat -f tsv --only sample | grep -q "active+gil"
	folded fh >got
	same - got <<-END
	<module> 1
	run;wait 1
	END
	stkcap -q "$seeds/fh" | stkcat -f tsv --only frame | cut -f 2,4,5 | grep -q "run${tab}work.py${tab}12"
'
check 'gdb and eu-stack: threads with their numbers, symbols without addresses, modules and places' '
	folded gdb >got
	same - got <<-END
	main;[unknown];pselect64_syscall 1
	worker;start_thread;work;read 1
	END
	stkcap -q "$seeds/gdb" | stkcat -f tsv --only frame | cut -f 2-5 | grep -q "start_thread${tab}/lib/x86_64-linux-gnu/libc.so.6"
	stkcap -q "$seeds/gdb" | stkcat -f tsv --only thread | cut -f 3,5 | grep -q "worker${tab}130"
	folded eu >got
	same - got <<-END
	[unknown];shtimer_select;pselect 1
	pool worker;epoll_wait 1
	END
'
check 'dotnet-stack' '
	folded dotnet >got
	grep -q "web!Program.Main(class System.String\[\]);System.Private.CoreLib.il!System.Threading.WaitHandle.WaitOneNoCheck(int32);\[Native Frames\] 1" got
'
check 'a number follows the # of a frame: another line ends the stack, and is skipped' '
	printf "PID 812 - process\nTID 812:\n#0  0x7f01 b\n#9  0x7f02 a\n#/  0x7f03 c\nTID 813:\n#0  0x7f01 b\n#:  0x7f04 d\nTID 814:\n#\n" | stkcap 2>err >got.stk
	stkcat -f folded got.stk >got
	same - got <<-END
	? 1
	a;b 1
	b 1
	END
	grep " 3 lines skipped" err
'
check 'the process that a dump names, with its number: one dump after another, and not that of another' '
	printf "PID 812 - process\nTID 812:\n#0  0x7f01 b\nPID 813 - process\nTID 813:\n#0  0x7f01 b\nPID 812 - process\nTID 812:\n#0  0x7f01 b\n" >pids
	printf "Process 99: python3 work.py --all\nPython v3.11.2 (/usr/bin/python3.11)\n\nThread 99 (idle): \"MainThread\"\n    wait (work.py:3)\n" >py
	printf "goroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x2\n" >go
	stkcap -q --source host -o x.stk pids py go
	stkcat -q -f tsv --only source x.stk | sed 1d | cut -f 2,4,5 >got
	printf "host\t812\t\nhost\t813\t\nhost\t99\tpython3 work.py --all\nhost\t0\t\n" | same - got
	stkcat -q -f folded --by pid x.stk >got
	printf "812;b 2\n813;b 1\n99;wait 1\n?;main.main 1\n" | same - got
'
check 'each is one dump; many in a file are many' '
	for f in go py fh gdb eu dotnet; do
		test $(stkcap -q "$seeds/$f" | stkcat -f tsv --only dump | wc -l) -eq 2
	done
	cat "$seeds/py" "$seeds/py" "$seeds/py" | stkcap -q | stkcat -f tsv --only dump >got
	test $(wc -l <got) -eq 4
'
check 'large: pieces give what the whole gives, whatever the threads' '
	repeat 3000 "$seeds/eu" >large
	stkcap -q --threads 1 -o one.stk large
	stkcap -q --threads 4 -o four.stk large
	cmp one.stk four.stk
	test $(stkcat -f tsv --only dump one.stk | wc -l) -eq 3001
	test $(stkcat -f tsv --only sample one.stk | wc -l) -eq 6001
'
finish
