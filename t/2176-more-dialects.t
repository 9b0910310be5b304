#!/bin/sh
# SPDX-License-Identifier: MIT
# Dumps and stacks in forms that are seldom met; each text was written for this test, with what must come of it by hand.
. "${0%/*}/lib/tap.sh"

tab=$(printf '\t')
# samples FILE COLUMN...: these columns of the samples of a file
samples() {
	file=$1; shift
	stkcap -q "$file" | stkcat -q -f ndjson --event all --only sample |
		python3 -c 'import json, sys
for line in sys.stdin:
	row = json.loads(line)
	print("|".join(";".join(map(str, v)) if isinstance(v, list) else str(v) for v in (row[k] for k in sys.argv[1:])))' "$@"
}
# well FILE: nothing of it is lost
well() { status 0 stkcap --rejects rejects -o out.stk "$1" 2>err; }

check 'IntelliJ: what a thread waits for is a lock, whose owner is the note; its hash makes no other stack' '
	cat >idea <<-END
	"pool" prio=0 tid=0x0 nid=0x0 blocked
	     java.lang.Thread.State: BLOCKED
	 on shop.Till@1b2c3d4 owned by "AWT "x" 0" Id=1

	${tab}at shop.Till.open(Till.java:10)

	"idle" prio=0 tid=0x0 nid=0x0 waiting on condition
	     java.lang.Thread.State: WAITING
	 on shop.Queue@7f

	${tab}at shop.Till.open(Till.java:10)

	"other" prio=0 tid=0x0 nid=0x0 waiting on condition
	     java.lang.Thread.State: WAITING
	 on shop.Queue@80 (in native)

	${tab}at shop.Till.open(Till.java:10)

	END
	well idea; stkcat -q -f csv --only sample out.stk >got
	grep "^-,idea,pool,blocked,1,shop.Till.open,.*,waiting-to-lock shop.Till 0x1b2c3d4 @1,.owned by ..AWT ..x.. 0.. Id=1.,0," got
	grep "^-,idea,idle,waiting,.*,waiting-on shop.Queue 0x7f @1,,0," got
	grep "^-,idea,other,waiting,.*,waiting-on shop.Queue 0x80 @1,,0," got
'
seed=$t/fuzz/seed/coroutines
check 'coroutines of DebugProbes: state, stack without its creation, time' '
	well "$seed/probes"; grep -x "stkcap: 1 dumps, 3 samples, 2 distinct stacks, 0 lines skipped" err
	samples "$seed/probes" time thread state stack note >got; same - got <<-END
	2026-03-04T05:06:07Z|till#1|waiting|shop.TillKt.open;kotlinx.coroutines.DelayKt.delay|None
	2026-03-04T05:06:07Z|clerk "2"|runnable|shop.TillKt\$sell\$1.invokeSuspend|(Last suspension stacktrace, not an actual stacktrace)
	2026-03-04T05:06:07Z|StandaloneCoroutine|new||None
	END
'
check 'coroutines below a thread dump of IntelliJ are a dump of their own; jobs are counted' '
	{ cat idea "$seed/idea"; } >both
	well both; grep -x "stkcap: 2 dumps, 5 samples, 3 distinct stacks, 1 lines skipped" err
	same - rejects <<-END
	both:21: a job, which is no coroutine: - BlockingCoroutine{Active}@1f [no parent and no name]
	END
	samples both thread state stack note | tail -2 >got; same - got <<-END
	till|waiting|shop.TillKt\$run\$1.invokeSuspend|[ApplicationImpl@1, Dispatchers.Default]
	clerk|runnable|shop.ClerkKt.read|[Dispatchers.IO]
	END
'
check 'coroutines of IntelliJ without useless frames, of equal trees only one; a dump that failed' '
	cat >tree <<-END
	---------- Coroutine dump (stripped) ----------

	- BlockingCoroutine{Active}@1f [no parent and no name]
	${tab}-[x2 of] "till":StandaloneCoroutine{Active}, state: SUSPENDED [Dispatchers.Default]
	${tab}${tab}at shop.Till.open(Till.kt:12)
	${tab}${tab}-[x3 of] "clerk":StandaloneCoroutine{Active}, state: SUSPENDED
	${tab}${tab}${tab}at shop.Clerk.read(Clerk.kt:9)
	${tab}- "door":StandaloneCoroutine{Active}, state: SUSPENDED
	${tab}${tab}at shop.Door.shut(Door.kt:3)

	-[x4 of] "guard":StandaloneCoroutine{Active}, state: SUSPENDED
	${tab}at shop.Guard.look(Guard.kt:5)
	END
	status 0 stkcap -q -o tree.stk tree; stkcat -q -f tsv --only sample tree.stk | sed 1d | cut -f 3,5,6 | tr "\t" "|" >got
	same - got <<-END
	till|2|shop.Till.open
	clerk|6|shop.Clerk.read
	door|1|shop.Door.shut
	guard|4|shop.Guard.look
	END
	{ cat "$t/data/orders.jstack.txt"; printf "%s\n\nCoroutine dump has failed: boom\n" "---------- Coroutine dump ----------"; } >x
	status 1 stkcap -o x.stk x 2>err; grep "a dump of coroutines that failed" err
'
check 'coroutines in pieces: 3,000 dumps with other text between' '
	awk -v seed="$seed/probes" "BEGIN { while ((getline line <seed) > 0) text = text line \"\\n\"; for (i = 0; i < 3000; i++) printf \"a line of a log %d\\n%s\", i, text }" >many
	well many; grep -x "stkcap: 3000 dumps, 9000 samples, 2 distinct stacks, 3000 lines skipped" err
'
check 'faulthandler of Python 3.14: names of threads, the stack in C, what it left out' '
	cat >fault <<-END
	Fatal Python error: Aborted

	Thread 0x00007f1100 [Thread-1 (run)] (most recent call first):
	  File "/a b/x.py", line 3 in <lambda>
	  ...

	Current thread 0x00007f1200 [MainThread] (most recent call first):
	  File "z.py", line 1 in <module>

	Current thread'"'"'s C stack trace (most recent call first):
	  Binary file "/usr/lib/libpython.so", at _Py_DumpStack+0x31 [0x7f0031]
	  Binary file "/usr/bin/python3", at +0x2001 [0x402001]
	  <truncated rest of calls>

	Thread 0x00007f1300 (most recent call first):
	  <no Python frame>
	END
	well fault; samples fault thread event stack >got; same - got <<-END
	Thread-1 (run)|None|[truncated];<lambda>
	MainThread|None|<module>
	Current thread|native|[truncated];[python3];_Py_DumpStack
	|None|
	END
'
check 'jhsdb jstack --mixed: frames of C and of Java in one stack' '
	cat >mixed <<-END
	Attaching to process ID 77, please wait...
	Deadlock Detection:

	No deadlocks found.

	----------------- 77 -----------------
	0x00007f0000001000${tab}__poll + 0x1d
	0x00007f0000002000${tab}* shop.Till.open(int, java.lang.String) bci:12 line:33 (Interpreted frame)
	                  ${tab}* shop.Till.main(java.lang.String[]) bci:2 (Compiled frame; information may be imprecise)
	0x00007f0000003000${tab}????????
	----------------- 78 -----------------
	0x00007f0000001000${tab}futex_wait + 0x3
	END
	well mixed; stkcat -q -f csv --only sample out.stk | cut -d, -f6,17 >got; same - got <<-END
	stack,tid
	[unknown];shop.Till.main;shop.Till.open;__poll,77
	futex_wait,78
	END
	stkcat -q -f tsv --only frame out.stk | grep "shop.Till.open.*${tab}33${tab}java"
'
check 'jhsdb jstack --mixed of JDK 17: a thread of Java has its header above its frames, and is one with them' '
	cat >mixed <<-END
	Attaching to process ID 77, please wait...
	Deadlock Detection:

	No deadlocks found.

	----------------- 76 -----------------
	0x00007f0000001000${tab}__poll + 0x1d
	----------------- 77 -----------------
	"pool-1 (x)" #18 daemon prio=5 tid=0x00007f676c140780 nid=0x4d waiting on condition [0x00007f66eaefe000]
	   java.lang.Thread.State: TIMED_WAITING (sleeping)
	   JavaThread state: _thread_blocked
	0x00007f0000001000${tab}futex_wait + 0x1d
	0x00007f0000002000${tab}JavaThread::thread_main_inner() + 0x1af
	----------------- 78 -----------------
	"idle" #19 prio=5 tid=0x00007f676c140790 nid=0x4e runnable [0x0000000000000000]
	   java.lang.Thread.State: RUNNABLE
	   JavaThread state: _thread_in_native
	----------------- 79 -----------------
	0x00007f0000001000${tab}futex_wait + 0x3
	END
	well mixed; stkcat -q -f csv --only sample out.stk | cut -d, -f3,4,6,17,18 >got; same - got <<-END
	thread,state,stack,tid,number
	,unknown,__poll,76,0
	pool-1 (x),timed-waiting,JavaThread::thread_main_inner;futex_wait,77,18
	idle,runnable,,78,19
	,unknown,futex_wait,79,0
	END
	test "$(stkcat -q -f tsv --only dump out.stk | sed 1d | wc -l)" -eq 1
	sed "s/^No deadlocks found./Found one Java-level deadlock:/" mixed >locked
	status 1 stkcap -q -o out.stk locked 2>err; grep "locked:4: a deadlock without a dump of threads that it is in" err
'
check 'eu-stack -a and lldb: marks and offsets are not of the names; goroutines with callers left out' '
	cat >eu <<-END
	PID 77 - process
	TID 77:
	#0  0x00007f0000001000     __poll
	#1  0x00007f0000002000 - 1 std::f(int)
	#2  0x0000000000401000 - 1 main
	END
	cat >lldb <<-END
	  thread #2, queue = com.apple.q
	    frame #0: 0x00007fff201 libx.dylib\`-[Foo bar:baz:] + 4
	    frame #1: 0x00007fff202 libx.dylib\`std::vector<int>::push_back(int const&) + 4 at v.h:1
	END
	cat >go <<-END
	goroutine 12 [running, locked to thread]:
	shop.open(0x1)
	${tab}/src/x y/t.go:33 +0x1
	...23 frames elided...
	created by main.start in goroutine 1
	${tab}/src/m.go:3 +0x2
	END
	well eu; well lldb; well go
	samples eu stack >got; samples lldb stack >>got; samples go stack >>got; same - got <<-END
	main;std::f;__poll
	std::vector<int>::push_back;-[Foo bar:baz:]
	created by main.start;[truncated];shop.open
	END
'
check 'threadz of gperftools: names, frames with symbols and without; who made a thread is no frame' '
	cat >threadz <<-END
	--- threadz 1 ---

	--- Thread 7f0000001000 (name: main (a/b)/77) stack: ---
	  PC:  0x00401000: shop::sell(int)
	       0x00402000: main
	--- Thread 7f0000002000 (name: w/78) stack: ---
	  creator: 0x00405000: start
	  PC:  0x00403000 0x00404000
	       0x00405000
	END
	well threadz; samples threadz thread stack >got; same - got <<-END
	main (a/b)|main;shop::sell
	w|[unknown];[unknown];[unknown]
	END
	stkcat -q -f csv --only thread out.stk | cut -d, -f3,5 >got; same - got <<-END
	name,tid
	main (a/b),77
	w,78
	END
	printf "%s\n" "--- Thread 7f0000003000 (name: x/79) stack: ---" "  [same as previous thread]" >>threadz
	status 1 stkcap -q -o out.stk threadz 2>err; grep "the one of the thread above" err
'
check 'a heap of Java in the form of gperftools: names in place of its numbers, scaled as pprof does' '
	cat >heap <<-END
	heap profile:      3:     300 [     3:     300] @ heapz_v2/524288
	format = java
	resolution = bytes
	     3:     300 [     3:     300] @ 0x1 0x2
	 0x1 shop.Till.open (Till.java:3)
	 0x2 shop.Till.main (Till.java:9)
	END
	well heap; samples heap event stack weight | sort >got
	python3 -c "import math; f = 1 / (1 - math.exp(-100 / 524288)); print(round(3 * f), round(300 * f))" >true; read -r blocks bytes <true
	same - got <<-END
	alloc_objects|shop.Till.main;shop.Till.open|$blocks
	alloc_space/bytes|shop.Till.main;shop.Till.open|$bytes
	inuse_objects|shop.Till.main;shop.Till.open|$blocks
	inuse_space/bytes|shop.Till.main;shop.Till.open|$bytes
	END
'
check 'folded lines after dates with a zone have that time; after one without a zone it is part of a prefix' '
	printf "%s\n" "2026-03-04T05:06:07.25Z main;work 3" "2026-03-04T05:06:08+02:00 main;idle 1" "main;work 2" >dated
	well dated; samples dated time stack weight >got; same - got <<-END
	2026-03-04T05:06:07.250Z|main;work|3
	2026-03-04T03:06:08Z|main;idle|1
	None|main;work|2
	END
	printf "2026-03-04T05:06:0%d main;work 3\n" 1 2 3 >local
	well local; samples local time stack weight | sort -u >got; echo "None|main;work|3" | same - got
'
finish
