#!/bin/sh
# SPDX-License-Identifier: MIT
# What widely used collapsers of stacks and viewers lose or split, as tried with them, is kept here.
. "${0%/*}/lib/tap.sh"

thread() { printf '"%s" #%d prio=5 os_prio=0 cpu=1.50ms elapsed=2.50s tid=0x00007f0000000001 nid=0x%x %s\n   java.lang.Thread.State: %s\n' "$1" "$2" "$2" "$3" "$4"; }
head_of() { printf '2026-03-01 09:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):\n\n'; }
folded() { stkcat -q -f folded "$@"; }

check 'jstack: the last thread counts when no empty line follows it, nor a newline' '
	for end in "\n\n" "\n" ""; do
		{ head_of; thread a 1 runnable RUNNABLE; printf "\tat x.A.m(A.java:1)\n\n"; thread b 2 runnable RUNNABLE; printf "\tat x.B.m(B.java:2)$end"; } >dump
		status 0 stkcap -q -o a.stk dump
		folded a.stk >got; printf "a;x.A.m 1\nb;x.B.m 1\n" | same - got
	done
'
check 'jstack: threads of the VM, of every state, and those in native calls, each once and with its state' '
	{ head_of; thread "main" 1 "waiting on condition  [0x1]" "TIMED_WAITING (sleeping)"; printf "\tat java.lang.Thread.sleep(java.base@17/Native Method)\n\n"
	thread poll 2 "runnable  [0x1]" RUNNABLE; printf "\tat sun.nio.ch.EPoll.wait(java.base@17/Native Method)\n\n"
	thread accept 3 "runnable  [0x1]" RUNNABLE; printf "\tat sun.nio.ch.Net.accept(java.base@17/Native Method)\n\n"
	thread blocked 4 "waiting for monitor entry  [0x1]" "BLOCKED (on object monitor)"; printf "\tat x.A.m(A.java:7)\n\t- waiting to lock <0x00000000e1000001> (a x.Lock)\n\n"
	printf "\"VM Thread\" os_prio=0 cpu=1.0ms elapsed=1.0s tid=0x1 nid=0x9 runnable  \n\n\"GC Thread#0\" os_prio=0 cpu=1.0ms elapsed=1.0s tid=0x1 nid=0xa runnable  \n\nJNI global refs: 15, weak refs: 0\n\n"; } >dump
	status 0 stkcap --rejects rejects -o a.stk dump 2>err
	test ! -s rejects; test "$(wc -l <err)" = 2
	folded --by thread,state a.stk | sort >got
	sort >wanted <<-END
	main;timed-waiting;java.lang.Thread.sleep 1
	poll;runnable;sun.nio.ch.EPoll.wait 1
	accept;runnable;sun.nio.ch.Net.accept 1
	blocked;blocked;x.A.m 1
	VM Thread;unknown 1
	GC Thread#0;unknown 1
	END
	same wanted got
'
check 'jstack -l: synchronizers are read, not warned about' '
	{ head_of; thread a 1 "runnable  [0x1]" RUNNABLE; printf "\tat x.A.m(A.java:1)\n\n   Locked ownable synchronizers:\n\t- <0x00000000e1000002> (a java.util.concurrent.locks.ReentrantLock\$NonfairSync)\n\n"
	thread b 2 "runnable  [0x1]" RUNNABLE; printf "\tat x.B.m(B.java:1)\n\n   Locked ownable synchronizers:\n\t- None\n\n"; } >dump
	status 0 stkcap --rejects rejects -o a.stk dump 2>err
	test ! -s rejects; test "$(wc -l <err)" = 2
	stkcat -q -f ndjson --only sample a.stk | sed 1q | grep "\"owns\",\"class\":\"java.util.concurrent.locks.ReentrantLock\$NonfairSync\""
'
check 'jstack: names keep their numbers, threads their ids; times, locks, states and lines are kept' '
	{ head_of; thread pool-1-thread-12 31 "waiting for monitor entry  [0x1]" "BLOCKED (on object monitor)"; printf "\tat x.A.m(A.java:7)\n\t- waiting to lock <0x00000000e1000001> (a x.Lock)\n\n"; } >dump
	stkcap -q -o a.stk dump
	stkcat -q -f ndjson --only sample a.stk >got
	for part in "\"thread\":\"pool-1-thread-12\"" "\"tid\":31" "\"time\":\"2026-03-01T09:00:00Z\"" "\"state\":\"blocked\"" "\"waiting-to-lock\",\"class\":\"x.Lock\",\"address\":\"0xe1000001\""; do
		grep -F "$part" got
	done
	folded --names full a.stk | grep "A.java:7"
'
check 'gdb: a signature with blanks is one frame, whatever is in it' '
	cat >bt <<-"END"
	Thread 1 (Thread 0x7f01 (LWP 11) "a"):
	#0  0x00007f01 in TypeArrayKlass::allocate_common(int, bool, JavaThread*) () from /lib/libjvm.so
	#1  0x00007f02 in InterpreterRuntime::newarray(JavaThread*, BasicType, int) () from /lib/libjvm.so
	#2  0x00007f03 in std::map<int, std::vector<char, A<char> > >::operator[] (this=0x1, k=@0x2: 3) at a b.cc:3
	#3  0x00007f04 in ns::f<(anonymous namespace)::X, 3>(unsigned long, char const*) (a=1, s=0x1 "x (y) at z") at c.cc:4
	END
	stkcap -q -o a.stk bt
	test "$(stkcat -q -f ndjson --only stack a.stk | grep -c .)" = 4
	stkcat -q -f tsv --only frame a.stk | sed 1d | cut -f 2-5 >got
	printf "%s\t%s\t%s\t%s\n" "TypeArrayKlass::allocate_common(int, bool, JavaThread*)" /lib/libjvm.so "" 0 "InterpreterRuntime::newarray(JavaThread*, BasicType, int)" /lib/libjvm.so "" 0 \
		"std::map<int, std::vector<char, A<char> > >::operator[]" "" "a b.cc" 3 "ns::f<(anonymous namespace)::X, 3>(unsigned long, char const*)" "" c.cc 4 | same - got
'
check 'perf: all events are kept, each to be asked for' '
	stkcap -q -o a.stk "$t/data/shop.perf.txt"
	stkcat -q -f ndjson --only sample a.stk | sed "s/.*\"event\":\"\([^\"]*\)\".*/\1/" | sort | uniq -c | awk "{ print \$2, \$1 }" >got
	printf "cycles:u 5\npage-faults 2\n" | same - got
	test "$(stkcat -q -f folded --event page-faults a.stk | wc -l)" = 2
'
check 'a window of a profile is answered without reading the text again' '
	awk "BEGIN { for (i = 0; i < 3000; i++) printf \"app 7 [000] %d.000000:     1 cycles:\n\t    7f0001 f%d+0x1 (/usr/lib/a.so)\n\t    7f0002 main+0x2 (/usr/bin/a)\n\n\", 100 + i, i / 1000 }" >perf
	stkcap -q perf | stktree -q -o a.tree
	rm perf
	stktree -q --from @1100 --to @1110 -f folded a.tree >got
	grep "main;f1 10$" got
'
finish
