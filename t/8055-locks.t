#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of locks: by lock and holder, with those who want it meanwhile.
. "${0%/*}/lib/tap.sh"

number=0
thread() {	# NAME STATE LINES...
	number=$((number + 1))
	printf '"%s" #%d prio=5 os_prio=0 tid=0x%016x nid=0x%x runnable\n   java.lang.Thread.State: %s\n' "$1" $number $number $number "$2"
	shift 2
	for line; do printf '\t%s\n' "$line"; done
	echo
}
dump() { printf '2026-03-01 %s\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):\n\n' "$1"; number=0; }
stock='<0x00000000e7000010> (a java.lang.Object)' other='<0x00000000e7000020> (a java.lang.Object)'
holds() { thread "$1" RUNNABLE 'at java.lang.Thread.sleep(Native Method)' 'at shop.Stock.write(Stock.java:5)' "- locked $2" 'at shop.Stock.reserve(Stock.java:9)' "- locked $2"; }
wants() { thread "$1" BLOCKED 'at shop.Stock.reserve(Stock.java:9)' "- waiting to lock $2"; }
owned='<0x00000000e7000030> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)'
owns() { thread "$1" RUNNABLE 'at shop.Tax.read(Tax.java:5)'; printf '   Locked ownable synchronizers:\n\t- %s\n\n' "$owned"; }
parks() { thread "$1" WAITING 'at jdk.internal.misc.Unsafe.park(Native Method)' "- parking to wait for  $2" 'at shop.Tax.get(Tax.java:5)'; }
{
	dump 10:00:00; holds e-1 "$stock"; wants e-2 "$stock"; wants e-3 "$stock"; owns t-1; parks t-2 "$owned"; parks q-1 '<0x00000000e7000040> (a java.util.concurrent.Semaphore$NonfairSync)'
	dump 10:00:10; holds e-1 "$stock"; wants e-2 "$stock"; wants e-3 "$stock"; wants e-4 "$stock"; holds x-1 "$other"
	dump 10:00:20; holds e-2 "$stock"; wants e-3 "$stock"
	dump 10:00:30; holds e-1 "$stock"; wants e-3 "$stock"
	dump 10:00:40; holds e-3 "$stock"
	dump 10:00:50; holds e-4 "$stock"; wants e-1 "$stock"
	dump 10:01:00; holds e-5 "$stock"; wants e-1 "$stock"
	dump 10:01:10; wants e-6 "$stock"; thread w-1 WAITING 'at java.lang.Object.wait(Native Method)' "- waiting on $other" "- locked $other"
} >app.txt
stkcap -q --zone UTC app.txt >app.stk
locks() { stkcat --width 200 "$@" | sed -n '/^Locks/,/^$/p' | sed 's/   */  /g; s/  *$//' | tail -n +3 | sed '/^$/d'; }

check 'each holder of a lock that is wanted has a line: who wanted it meanwhile, how many at once, where it was, for how long' '
	locks --top 0 app.stk >got
	cat >want <<X
  6  3  3  10s  0  java.lang.Object  0xe7000010  e-1  java.lang.Thread.sleep < Stock.write < Stock.reserve
  1  1  1  0s  0  java.lang.Object  0xe7000010  e-2  java.lang.Thread.sleep < Stock.write < Stock.reserve
  1  1  1  0s  0  java.lang.Object  0xe7000010  e-4  java.lang.Thread.sleep < Stock.write < Stock.reserve
  1  1  1  0s  0  java.lang.Object  0xe7000010  e-5  java.lang.Thread.sleep < Stock.write < Stock.reserve
  1  1  0  -  0  java.lang.Object  0xe7000010  -  -
  0  0  1  0s  0  java.lang.Object  0xe7000010  e-3  java.lang.Thread.sleep < Stock.write < Stock.reserve
  1  1  1  0s  0  java.util.concurrent.locks.ReentrantLock\$NonfairSync  0xe7000030  t-1  shop.Tax.read
  0  0  1  0s  1  java.lang.Object  0xe7000020  several  -
  0  0  0  -  1  java.util.concurrent.Semaphore\$NonfairSync  0xe7000040  -  -
X
	same want got
'
check 'in a short table the holders after the third are one line' '
	locks app.stk | sed -n "3,5p" >got
	cat >want <<X
  1  1  1  0s  0  java.lang.Object  0xe7000010  e-4  java.lang.Thread.sleep < Stock.write < Stock.reserve
  2  1  2  0s  0  java.lang.Object  0xe7000010  (3 more)  -
  1  1  1  0s  0  java.util.concurrent.locks.ReentrantLock\$NonfairSync  0xe7000030  t-1  shop.Tax.read
X
	same want got
'
check 'of the window alone' '
	locks --from "2026-03-01 10:00:20" --to "2026-03-01 10:00:40" app.stk >got
	cat >want <<X
  1  1  1  0s  0  java.lang.Object  0xe7000010  e-2  java.lang.Thread.sleep < Stock.write < Stock.reserve
  1  1  1  0s  0  java.lang.Object  0xe7000010  e-1  java.lang.Thread.sleep < Stock.write < Stock.reserve
X
	same want got
'
check 'files of one source go on: who held a lock at the end of one and at the beginning of the next held it meanwhile' '
	stkcap -q --zone UTC --source app -o whole.stk app.txt
	stkcat -S --to "2026-03-01 10:00:05" whole.stk >one.stk
	stkcat -S --from "2026-03-01 10:00:05" whole.stk >two.stk
	locks --top 0 one.stk two.stk >got
	locks --top 0 whole.stk | same - got
'
check 'addresses of two processes are two locks' '
	stkcap -q --zone UTC --source a -o a.stk app.txt
	stkcap -q --zone UTC --source b -o b.stk app.txt
	test "$(locks --top 0 a.stk b.stk | grep -c "6  3  3  10s  0")" = 2
'
check 'without addresses nobody is said to hold a lock' '
	stkcap -q --zone UTC --only-stacks -o bare.stk app.txt
	locks bare.stk >got
	grep "java.lang.Object  -  -  -$" got
	status 1 grep "e-1" got
'
finish
