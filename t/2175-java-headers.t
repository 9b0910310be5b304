#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads of Java VMs as other programs than jstack of HotSpot write them: each header's own words, and no thread is lost to a word that is not known.
. "${0%/*}/lib/tap.sh"

tab=$(printf '\t')
# column NAME: of the samples of dump.txt
samples() { stkcap -q "$1" | stkcat -f ndjson --only sample; }
threads() { stkcap -q "$1" | stkcat -f tsv --only thread | sed 1d; }
folded() { stkcap -q "$1" | stkcat -f folded; }
well() { status 0 stkcap --rejects rejects -o out.stk "$1" 2>err; grep "$2" err; }

check 'ThreadInfo of JDK 8, without a priority: state, locks with their classes, who waits for whom in the note' '
	cat >info <<-END
	"main" Id=1 RUNNABLE
	${tab}at shop.Till.open(Till.java:12)
	${tab}-  locked shop.Till@6c9fa15f

	"clerk "2"" Id=12 BLOCKED on shop.Till@6c9fa15f owned by "main" Id=1
	${tab}at shop.Till.open(Till.java:10)
	${tab}-  blocked on shop.Till@6c9fa15f
	${tab}at shop.Clerk.run(Clerk.java:33)
	${tab}...

	${tab}Number of locked synchronizers = 1
	${tab}- java.util.concurrent.locks.ReentrantLock\$NonfairSync@1b2c3d4

	"idle" Id=14 WAITING (in native)
	${tab}at java.lang.Object.wait(Native Method)
	END
	well info "1 dumps, 3 samples, 3 distinct stacks, 0 lines skipped"
	samples info >got
	grep "\"state\":\"blocked\"" got | grep "on shop.Till@6c9fa15f owned by" | grep -q "waiting-to-lock.*shop.Till.*0x6c9fa15f"
	grep -q "\"state\":\"runnable\"" got; grep -q "\"state\":\"waiting\".*(in native)" got
	threads info | grep -q "clerk \"2\"${tab}12"
'
check 'arthas: threads with their shares of the processor, those of the VM, a lock that blocks others' '
	printf "%s\n" "[arthas@1]$ thread -n 3" "\"C1 CompilerThread0\" [Internal] cpuUsage=1.63% deltaTime=3ms time=1170ms" "" "" \
		"\"till\" Id=23 cpuUsage=0.11% deltaTime=0ms time=401ms BLOCKED on shop.Till@1a" "    at shop.Till.open(Till.java:9)" "" \
		"\"clerk\" Id=27 cpuUsage=98.1% deltaTime=204ms time=1ms RUNNABLE" "    at shop.Till.sell(Till.java:3)" "    -  locked shop.Till@1a <---- but blocks 1 other threads!" >arthas
	well arthas "1 dumps, 3 samples, 2 distinct stacks, 1 lines skipped"
	stkcat -q -f ndjson --only sample out.stk >got
	grep "\"till\".*shop.Till.open.*\"blocked\".*401ms BLOCKED on shop.Till@1a" got
	grep "\"clerk\".*\"runnable\".*\"relation\":\"locked\",\"class\":\"shop.Till\",\"address\":\"0x1a\"" got
	stkcat -q -f tsv --only thread out.stk | grep "C1 CompilerThread0.*vm"
'
check 'a header of words that are not known, above a state' '
	printf "\"clerk\" sleepy since=noon\n   java.lang.Thread.State: WAITING (parking)\n\tat shop.Till.sell(Till.java:3)\n\n" >odd; cat odd odd >twice
	well twice "2 samples, 1 distinct stacks, 0 lines skipped"
	samples twice | grep "clerk.*sleepy since=noon"
'
check 'threads of a test in IntelliJ: alive or dead, and the state' '
	printf "\"till (1)\" (alive) TIMED_WAITING\n\tat java.base/java.lang.Thread.sleep(Native Method)\n\n\"clerk\" (dead) TERMINATED\n\n\"main\" (alive) RUNNABLE\n\tat shop.Till.open(Till.java:3)\n" >test
	well test "1 dumps, 3 samples, 2 distinct stacks"
	stkcat -q -f tsv --only sample out.stk | sed 1d | cut -f 3,4,6 | tr "\t" "|" >got
	printf "%s\n" "till (1)|timed-waiting|java.lang.Thread.sleep" "clerk|terminated|" "main|runnable|shop.Till.open" | same - got
	printf "\"the cat\" (alive) and well\n\"x\" (alive) RUNNING\n" >x; status 1 stkcap -o x.stk x 2>err; grep "not a known format" err
'
check 'ThreadInfo of JDK 9 and later: a module before the class, and the frame is the same as in a dump of jstack' '
	cat >info <<-END
	"main" Id=1 RUNNABLE
	${tab}at java.base@17.0.1/java.lang.Thread.sleep(Native Method)
	${tab}at app//shop.Till.open(Till.java:12)
	END
	well info "1 dumps, 1 samples, 1 distinct stacks, 0 lines skipped"
	cat >jstack <<-END
	Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):

	"main" #1 prio=5 tid=0x01 nid=0x02 runnable [0x03]
	   java.lang.Thread.State: RUNNABLE
	${tab}at java.lang.Thread.sleep(java.base@17.0.1/Native Method)
	${tab}at shop.Till.open(Till.java:12)
	END
	well jstack "1 dumps, 1 samples, 1 distinct stacks, 0 lines skipped"
	stkcap -q info | stkcat -q -f tsv --only frame | sed 1d | cut -f 2- >frames
	stkcap -q jstack | stkcat -q -f tsv --only frame | sed 1d | cut -f 2- | same frames -
	test "$(folded info)" = "main;shop.Till.open;java.lang.Thread.sleep 1"
'
check 'VisualVM and actuator text: the number behind t@, or nothing but a name' '
	cat >visual <<-END
	2026-03-01 09:00:00
	Full thread dump Java HotSpot(TM) 64-Bit Server VM (25.1-b01 mixed mode):

	"http-1" - Thread t@12
	   java.lang.Thread.State: BLOCKED
	${tab}at shop.Till.open(Till.java:10)
	${tab}- waiting to lock <228a944d> (a shop.Till) owned by "main" t@1

	   Locked ownable synchronizers:
	${tab}- None

	"main" - Thread t@1
	   java.lang.Thread.State: RUNNABLE
	${tab}at shop.Main.main(Main.java:3)

	"Finalizer"
	   java.lang.Thread.State: WAITING
	${tab}at java.lang.Object.wait(Native Method)
	${tab}- waiting on <1234abcd> (a java.lang.ref.ReferenceQueue)
	END
	well visual "1 dumps, 3 samples, 3 distinct stacks, 0 lines skipped"
	threads visual | cut -f 3-4 >got; grep "http-1${tab}12" got; grep "Finalizer" got
	stkcap -q visual | stkcat -f tsv --only locks | grep "shop.Till$"
'
check 'WebLogic: a lock before the state, words after it, frames without "at", also within a log' '
	cat >weblogic <<-END
	"[ACTIVE] ExecuteThread: \"1\" for queue: \"weblogic.kernel.Default (self-tuning)\"" waiting for lock weblogic.work.ExecuteThread@1ab2c3 WAITING
	${tab}java.lang.Object.wait(Native Method)
	${tab}java.lang.Object.wait(Object.java:485)
	${tab}weblogic.work.ExecuteThread.run(ExecuteThread.java:178)

	"main" RUNNABLE native
	${tab}java.net.PlainSocketImpl.socketAccept(Native Method)
	${tab}weblogic.Server.main(Server.java:67)

	"idle" TIMED_WAITING
	END
	well weblogic "1 dumps, 3 samples, 2 distinct stacks, 0 lines skipped"
	stkcap -q weblogic | stkcat -f tsv --only sample | tail -n +2 | cut -f 4,6,16 >got
	same - got <<-END
	waiting${tab}weblogic.work.ExecuteThread.run;java.lang.Object.wait;java.lang.Object.wait${tab}waiting for lock weblogic.work.ExecuteThread@1ab2c3
	runnable${tab}weblogic.Server.main;java.net.PlainSocketImpl.socketAccept${tab}native
	timed-waiting$tab$tab
	END
	{ seq -f "2026-01-02 03:04:05,%.0f INFO step by step" 1 2000; cat weblogic; echo "<Jan 2, 2026> <Info> <Server> <done>"; } >log
	stkcap -o x.stk log 2>err; grep "1 dumps, 3 samples, 2 distinct stacks, 2001 lines skipped" err
	printf "\"a\" RUNNABLE is a state\n\tx.y.Z.f(Z.java:1)\n" >none; status 1 stkcap -o x.stk none 2>err
'
check 'words that no JDK prints: SAP, and virtual; they are a note' '
	cat >sap <<-END
	Full thread dump SAP Java Server VM (4.1.010):

	"Timer "x"" daemon cpu=12.50 [reset 0.00] ms allocated=334976 B (327.12 kB) [reset 0 B (0.00 kB)] defined_classes=3 io= file r/w: 0/0 user="U1" [session=7] prio=6 tid=0x000000000a1b nid=0x1f34 / 7988  waiting on condition [_thread_blocked (_at_safepoint), stack(0x0a,0x0b)] [0x000000000a1b2c3d]
	   java.lang.Thread.State: TIMED_WAITING (sleeping)
	${tab}at java.lang.Thread.sleep(J)V(Native Method)
	${tab}at shop/Timer.run(Ljava/lang/Object;I)V(Timer.java:44)

	"v" #31 virtual prio=5 tid=0x000000000a1c nid=0x1f35 runnable
	   java.lang.Thread.State: RUNNABLE
	${tab}at shop.V.run(V.java:9)

	"odd" strange words here prio=5 tid=0x000000000a1d nid=0x1f36 runnable [0x000000000a1b2c3d]
	   java.lang.Thread.State: RUNNABLE
	${tab}at shop.V.run(V.java:9)
	END
	well sap "1 dumps, 3 samples, 2 distinct stacks, 0 lines skipped"
	folded sap >got; grep -x "Timer \"x\";shop.Timer.run;java.lang.Thread.sleep 1" got
	threads sap | grep -q "Timer \"x\"${tab}"
	samples sap >got; grep -q "strange words here" got; grep -q "\"cpu\":12500000,.*\"allocated\":334976" got
	threads sap | grep -q "${tab}v${tab}31.*virtual"
'
check 'HP-UX: a head without a name, no empty lines between threads' '
	cat >hpux <<-END
	Full thread dump:
	"pool-1" prio=9 tid=0x0102 nid=11 lwp_id=5113 waiting on condition [0a0b..0a0c]
	       at shop.Till.open(Till.java:10)
	       at shop.Clerk.run(Clerk.java:33)
	"main" prio=8 tid=0x0101 nid=1 lwp_id=5101 runnable [0a0d..0a0e]
	       at shop.Main.main(Main.java:3)
	END
	well hpux "1 dumps, 2 samples, 2 distinct stacks, 0 lines skipped"
	samples hpux | grep -q "\"waiting on condition\""
'
check 'JRockit: its head with the date below, its frames, its locks' '
	cat >jrockit <<-END

	===== FULL THREAD DUMP ===============
	Thu Mar  5 09:01:53 2026
	Oracle JRockit(R) R28.2.5

	"Main Thread" id=1 idx=0x4 tid=27878 prio=5 alive, in native, waiting
	    -- Waiting for notification on: shop/Till@0xeb0a1b2c[fat lock]
	    at java/lang/Object.wait(J)V(Native Method)
	    at java/lang/Object.wait(Object.java:485)
	    at shop/Till.open(Ljava/lang/String;)V(Till.java:10)[optimized]@0xfd3a2b1c
	    ^-- Lock released while waiting: shop/Till@0xeb0a1b2c[fat lock]
	    -- end of trace

	"Clerk" id=12 idx=0x40 tid=27890 prio=5 alive, blocked, daemon
	    -- Blocked trying to get lock: shop/Shop@0xb0[thin lock]
	    at shop/Clerk.run()V(Clerk.java:33)
	    ^-- Holding lock: shop/Till@0xeb0a1b2c[biased lock]
	    at java/lang/Thread.run(Thread.java:662)
	    -- end of trace

	===== END OF THREAD DUMP ===============
	END
	well jrockit "1 dumps, 2 samples, 2 distinct stacks"
	folded jrockit >got; grep -x "Main Thread;shop.Till.open;java.lang.Object.wait;java.lang.Object.wait 1" got
	stkcap -q jrockit | stkcat -f tsv --only dump | grep -q "2026-03-05T09:01:53"
	stkcap -q jrockit | stkcat -q -f tsv --only source - | cut -f 6 | grep -x "Oracle JRockit(R) R28.2.5"
	# behind a prefix, and before a dump of HotSpot, by whose head the prefix would be found too late
	cat jrockit "$t/data/orders.jstack.txt" >x; folded x >wanted; sed "s/^/2026-01-02 03:04:05.123 INFO  [main] /" x >y; folded y | same wanted -
	threads jrockit | grep -q "Main Thread${tab}1${tab}27878"
	stkcap -q jrockit | stkcat -q -f tsv --only sample - | sed 1d | cut -f 4,15 | tr "\t" "|" >got
	same - got <<-END
	waiting|waiting-on shop.Till 0xeb0a1b2c @1
	blocked|waiting-to-lock shop.Shop 0xb0 @1, locked shop.Till 0xeb0a1b2c @1
	END
	sed "s/0xeb0a1b2c/0xfffffff0/; s/0xb0/0xb8/" jrockit >moved; cat jrockit moved >two; stkcap -o two.stk two 2>err; grep "2 dumps, 4 samples, 2 distinct" err
	stkcat -q -f tsv --only sample two.stk | grep "waiting-to-lock shop.Shop 0xb8 @1, locked shop.Till 0xfffffff0 @1"
	samples jrockit | head -n 1 | grep -q "\"state\":\"waiting\""; threads jrockit | grep -q "Clerk.*daemon"
'
check 'jstack -F: threads by number, frames with bytecode indices' '
	cat >forced <<-END
	Attaching to process ID 4711, please wait...
	Debugger attached successfully.
	Deadlock Detection:

	No deadlocks found.

	Thread 4730: (state = BLOCKED)
	 - java.lang.Thread.sleep(long) @bci=0 (Compiled frame; information may be imprecise)
	 - shop.Clerk.run() @bci=59, line=155 (Interpreted frame)


	Thread 4712: (state = IN_NATIVE)
	 - shop.Main.main(java.lang.String[]) @bci=12, line=3 (Interpreted frame)


	END
	well forced "1 dumps, 2 samples, 2 distinct stacks"
	folded forced >got; grep -x "shop.Clerk.run;java.lang.Thread.sleep 1" got
	stkcap -q forced | stkcat -f tsv --only frame | grep -q "shop.Clerk.run.*155"
	samples forced >got; grep -q "\"state\":\"blocked\"" got; grep -q "\"state\":\"runnable\"" got
	threads forced | grep -q "4730"
'
check 'IntelliJ: a state with lines below it, an empty line, then frames' '
	cat >idea <<-END
	"AWT-EventQueue-0" prio=0 tid=0x0 nid=0x0 runnable
	     java.lang.Thread.State: RUNNABLE
	 (in native)

	${tab}at java.lang.Object.wait(Native Method)
	${tab}at shop.Main.main(Main.java:3)

	"pool" prio=0 tid=0x0 nid=0x0 blocked
	     java.lang.Thread.State: BLOCKED
	 on shop.Till@1b2c3d4 owned by "AWT-EventQueue-0" Id=1

	${tab}at shop.Till.open(Till.java:10)

	END
	well idea "1 dumps, 2 samples, 2 distinct stacks, 0 lines skipped"
	samples idea >got; grep -q "\"state\":\"blocked\"" got; grep -q "\"state\":\"runnable\"" got
'
finish
