#!/bin/sh
# SPDX-License-Identifier: MIT
# Folded stacks are those of FlameGraph's scripts, and right where these are not.
. "${0%/*}/lib/tap.sh"

cat >perf.txt <<'X'
java 100/101 [000] 10.000001: 5 cycles:
	7f01 Lorg/mozilla/Foo;::call(Lorg/mozilla/Bar;)V (/tmp/perf-100.map)
	7f02 La/B;::one->La/C;::two->La/D;::three (/tmp/perf-100.map)
	7f03 JavaThread::run() (/usr/lib/libjvm.so)
	7f04 [unknown] (/usr/lib/libc-2.31.so)

my prog 200/200 [001] 10.000002: 7 cycles:
	ffffffff81 do_syscall_64+0x33 ([kernel.kallsyms])
	7f05 (anonymous namespace)::work(int)+0x2f (/bin/my prog)
	7f06 std::unique_ptr<T>::operator->() const (/bin/my prog)
	7f07 net/http.(*Client).Do (/bin/my prog)
	7f08 [unknown] ([unknown])

my prog 200/201 [001] 10.000003: 9 cycles:
	7f09 RegExp:[&<>"'] (/tmp/perf-200.map)

my prog 200/200 [001] 10.000004: 9 instructions:
	7f07 main (/bin/my prog)

swapper 0/0 [001] 10.000005: 11 cycles:
X
stkcap -q --raw-symbols perf.txt >perf.stk

cat >dump.txt <<'X'
2026-03-01 12:00:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):

"worker-1" #11 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f0000000001 nid=0x11 runnable  [0x00007f0000000000]
   java.lang.Thread.State: RUNNABLE
	at a.B.run(B.java:1)
	at java.lang.Thread.run(java.base@17.0.1/Thread.java:840)

"worker-2" #12 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f0000000002 nid=0x12 runnable  [0x00007f0000000000]
   java.lang.Thread.State: RUNNABLE
	at a.B.run(B.java:2)
	at java.lang.Thread.run(java.base@17.0.1/Thread.java:840)

"acceptor" #13 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f0000000003 nid=0x13 runnable  [0x00007f0000000000]
   java.lang.Thread.State: RUNNABLE
	at sun.nio.ch.Net.accept(java.base@17.0.1/Native Method)

"poller" #14 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f0000000004 nid=0x14 runnable  [0x00007f0000000000]
   java.lang.Thread.State: RUNNABLE
	at sun.nio.ch.EPoll.wait(java.base@17.0.1/Native Method)

"C2 CompilerThread0" #15 daemon prio=9 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f0000000005 nid=0x15 runnable  [0x0000000000000000]
   java.lang.Thread.State: RUNNABLE

"sleeper-7" #16 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f0000000006 nid=0x16 waiting on condition  [0x00007f0000000000]
   java.lang.Thread.State: TIMED_WAITING (sleeping)
	at java.lang.Thread.sleep(java.base@17.0.1/Native Method)

X
stkcap -q dump.txt >dump.stk

check 'perf: command first, names tidied, counts are periods, only the first event, the last sample counts' '
	cat >want <<X
java;[libc-2.31.so];JavaThread::run;a/B:::one;a/C:::two_[i];a/D:::three_[i];org/mozilla/Foo:::call 5
my_prog;RegExp:[&<>"'\''] 9
my_prog;[unknown];net/http.(*Client).Do;std::unique_ptr<T>::operator->;(anonymous namespace)::work;do_syscall_64 7
swapper 11
X
	stkcat -q -f folded perf.stk >got
	same want got
'
check 'events that were left out are said' '
	stkcat -f folded perf.stk 2>err >/dev/null
	grep "event cycles only; 1 sample of other events left out" err
'
check '--event chooses, all adds up' '
	test "$(stkcat -q -f folded --event instructions perf.stk)" = "my_prog;main 9"
	stkcat -q -f folded --event all perf.stk | grep -x "my_prog;main 9"
'
check '--annotate marks kernel, jit, inlined' '
	stkcat -q -f folded --annotate kernel perf.stk | grep "do_syscall_64_\[k\] 7"
	stkcat -q -f folded --annotate jit perf.stk | grep "org/mozilla/Foo:::call_\[j\] 5"
	stkcat -q -f folded --annotate all perf.stk >all
	grep "a/B:::one_\[j\];a/C:::two_\[i\];" all
	status 2 stkcat -f folded --annotate everything perf.stk
'
check 'parentheses after a blank are of the name, those that follow a function directly hold its arguments' '
	i=0
	for name in "StubRoutines (1)" "Stub (a) (b)" "decltype (a(b)) f<int>(int)" "void (*pick(int))(char)" "f(int) (.part.0)" "(x) y" "open (never"; do
		printf "p 1 $((i += 1)).0: 1 cycles:\n\t10 %s+0x2 (/bin/p)\n\n" "$name"
	done >names; stkcap -q names >names.stk
	printf "%s 1\n" "(x) y" "Stub (a) (b)" "StubRoutines (1)" "decltype (a(b)) f<int>" f "open (never" "void (*pick(int))" >want
	stkcat -q -f folded --by none names.stk >got
	same want got
'
check '--by joins what was asked for, in that order' '
	stkcat -q -f folded --by command-tid perf.stk | cut -d";" -f1 | sort -u >got
	printf "java-100/101\nmy_prog-200/200\nmy_prog-200/201\nswapper-?/0 11\n" >want
	same want got
	stkcat -q -f folded --by pid,tid,command perf.stk | grep "^200;201;my_prog;RegExp"
	stkcat -q -f folded --by none perf.stk | grep "^RegExp"
	stkcat -q -f folded --by command-pid perf.stk | grep "^my_prog-200;"
	status 2 stkcat -f folded --by colour perf.stk
'
check '--names full keeps what the source wrote' '
	stkcat -q -f folded --names full perf.stk | grep "JavaThread::run() (/usr/lib/libjvm.so)"
	stkcat -q -f folded --names full dump.stk | grep "a.B.run(B.java:1) 1"
'
check 'a thread dump: threads of a pool together, every state, root first' '
	cat >want <<X
C2 CompilerThread0 1
acceptor;sun.nio.ch.Net.accept 1
poller;sun.nio.ch.EPoll.wait 1
sleeper;java.lang.Thread.sleep 1
worker;java.lang.Thread.run;a.B.run 2
X
	stkcat -f folded dump.stk >got
	same want got
'
check '--by state,thread; source and process' '
	stkcat -f folded --by state,thread dump.stk | grep -x "runnable;worker-2;java.lang.Thread.run;a.B.run 1"
	stkcat -f folded --by source dump.stk | grep "^dump.txt;"
'
check '--compat jstack: what stackcollapse-jstack.pl takes for running' '
	printf "acceptor;sun.nio.ch.Net.accept 1\nworker;java.lang.Thread.run;a.B.run 2\n" >want
	stkcat -f folded --compat jstack dump.stk >got
	same want got
'
check '--running: what runs, by a list that knows current JVMs' '
	test "$(stkcat -f folded --running dump.stk)" = "worker;java.lang.Thread.run;a.B.run 2"
'
check 'several streams add up by text, whatever their ids' '
	cat perf.stk dump.stk perf.stk | stkcat -q -f folded --event all >got
	grep -x "swapper 22" got
	grep -x "worker;java.lang.Thread.run;a.B.run 2" got
	LC_ALL=C sort -c got
	stkcat -q -f folded --event all perf.stk dump.stk perf.stk | cmp - got
'
check 'functions that were inlined join frames of their names, in order' '
	{
		printf "p 1 1.0: 1 cycles:\n\t10 b->x->a+0x2 (/bin/p)\n\n"
		printf "p 1 2.0: 1 cycles:\n\t40 b->c+0x2 (/bin/p)\n\t10 b+0x2 (/bin/p)\n\n"
		printf "p 1 3.0: 1 cycles:\n\t10 b+0x2 (/bin/p)\n\n"
	} | stkcap -q >inlined.stk
	printf "p;b 1\np;b;b;c_[i] 1\np;b;x_[i];a_[i] 1\n" >want
	stkcat -q -f folded inlined.stk >got
	same want got
	stktree -q -o inlined.tree inlined.stk
	stktree -q -f folded inlined.tree | cmp - want
'
check 'nothing in, nothing out' '
	stkcat -f folded --grep nowhere dump.stk >got
	test ! -s got
'
check 'folded text goes in and out unchanged' '
	printf "a;b;c 3\na;b;d 1\nq 7\n" >want
	stkcap -q --format folded want | stkcat -f folded >got
	same want got
'
finish
