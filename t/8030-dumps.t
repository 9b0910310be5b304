#!/bin/sh
# SPDX-License-Identifier: MIT
# Records become text again, and that text the same records.
. "${0%/*}/lib/tap.sh"

cat >dump.txt <<'X'
2026-03-01 12:00:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode, sharing):

"main" #1 prio=5 os_prio=0 cpu=57.22ms elapsed=3.82s allocated=658K defined_classes=83 tid=0x00007f3bf0017f70 nid=0x2b25 waiting for monitor entry  
   java.lang.Thread.State: BLOCKED (on object monitor)
	at a.B.deep(B.java:50)
	- waiting to lock <0x00000000ff20b110> (a java.lang.Object)
	- locked <0x00000000ff20b120> (a java.lang.Object)
	at a.B$$Lambda$7/0x00007f3b7c006240.run(Unknown Source)
	- eliminated <owner is scalar replaced> (a a.Tiny)
	at java.lang.Thread.run(java.base@17.0.1/Thread.java:840)

"waiter" #2 daemon prio=10 os_prio=0 cpu=0.25ms elapsed=3.75s tid=0x00007f3bf00c3020 nid=0x2b2c in Object.wait()  
   java.lang.Thread.State: TIMED_WAITING (on object monitor)
	at java.lang.Object.wait(java.base@17.0.1/Native Method)
	- waiting on <no object reference available>
	at a.B.redefined(Redefined)

"parker" #3 prio=5 os_prio=0 cpu=0.25ms elapsed=3.75s tid=0x00007f3bf00c3030 nid=0x2b2d waiting on condition  
   java.lang.Thread.State: WAITING (parking)
	at jdk.internal.misc.Unsafe.park(java.base@17.0.1/Native Method)
	- parking to wait for  <0x00000000ff200cc0> (a java.util.concurrent.Semaphore$NonfairSync)

   Locked ownable synchronizers:
	- <0x00000000ff200cd0> (a java.util.concurrent.ThreadPoolExecutor$Worker)

"GC Thread#0" os_prio=0 cpu=3.77ms elapsed=3.82s tid=0x00007f3bf003a2b0 nid=0x2b26 runnable  

JNI global refs: 4, weak refs: 0

X
stkcap -q --zone UTC dump.txt >dump.stk
printf 'prog a 7/8 [003] 10.000001: 5 cycles:\n\t            7f01 f(int)+0x1f (/bin/prog)\n\t            7f02 [unknown] ([unknown])\n\n' >perf.txt

check 'a thread dump is the same text again' '
	stkcat -f dumps dump.stk >got
	same dump.txt got
'
check 'and gives the same records' '
	stkcat -f dumps dump.stk | stkcap -q --zone UTC - >again.stk
	stkcat -f tsv --only sample dump.stk | cut -f 1,3- >want
	stkcat -f tsv --only sample again.stk | cut -f 1,3- | same want -
'
check 'a recording is the text of perf script again, when addresses were kept' '
	stkcap -q --addresses perf.txt | stkcat -f dumps >got
	same perf.txt got
'
check 'without addresses frames and samples are the same' '
	stkcap -q perf.txt >a.stk
	stkcat -f dumps a.stk | stkcap -q - >b.stk
	stkcat -f tsv --only sample a.stk | cut -f 1,3- >want
	stkcat -f tsv --only sample b.stk | cut -f 1,3- | same want -
'
check 'a JDK of today writes thread ids in decimal' '
	sed "s/17.0.1+12 mixed/25+36 mixed/" dump.txt | stkcap -q - | stkcat -f dumps | grep "^\"main\" #1 \[11045\] .* nid=11045 "
'
check 'conditions choose threads' '
	test "$(stkcat -f dumps --state blocked dump.stk | grep -c "^\"")" = 1
'
finish
