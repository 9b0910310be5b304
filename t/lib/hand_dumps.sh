# SPDX-License-Identifier: MIT
# Thread dumps of a few threads, written by hand, for tests of stkdiag.

# begin SECOND: a dump begins, so many seconds after ten o'clock
begin() {
	printf '2026-03-01 10:%02d:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1+1 mixed mode):\n\n' $(($1 / 60)) $(($1 % 60))
}
# thread NAME NUMBER STATE CPU_MS LINE...: a thread with frames and lock lines, leaf first; a line of locks begins with '- '
thread() {
	name=$1 number=$2 state=$3 cpu=$4
	shift 4
	printf '"%s" #%d prio=5 os_prio=0 cpu=%s.00ms elapsed=100.00s tid=0x%016x nid=0x%x %s [0x1]\n   java.lang.Thread.State: %s\n' \
		"$name" "$number" "$cpu" $((4096 + number)) $((8192 + number)) "$(echo "$state" | tr 'A-Z_' 'a-z ')" "$state"
	for line; do
		case $line in '- '*) printf '\t%s\n' "$line" ;; *) printf '\tat %s(A.java:1)\n' "$line" ;; esac
	done
	echo
}
# idle NAME NUMBER: a worker without work
idle() {
	thread "$1" "$2" WAITING 1 jdk.internal.misc.Unsafe.park '- parking to wait for  <0x00000000aa000000> (a java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject)' \
		java.util.concurrent.LinkedBlockingQueue.take java.util.concurrent.ThreadPoolExecutor.getTask java.lang.Thread.run
}
# wants NAME NUMBER ADDRESS CLASS FUNCTION: blocked at a monitor
wants() {
	thread "$1" "$2" BLOCKED 1 "$5" "- waiting to lock <0x$3> (a $4)" app.Worker.run
}
# holds NAME NUMBER ADDRESS CLASS FUNCTION [CPU]: runs, with a monitor
holds() {
	thread "$1" "$2" RUNNABLE "${6:-1}" app.Work.compute "$5" "- locked <0x$3> (a $4)" app.Worker.run
}
# 60 dumps in 20 minutes: from the tenth minute on, eight workers wait for a lock that another thread keeps
locked_dumps() {
	for i in $(seq 0 59); do
		begin $((i * 20))
		for k in 1 2 3 4 5 6 7 8; do
			if test "$i" -lt 30; then idle "w-$k" "$k"; else wants "w-$k" "$k" bb a.Stock a.Stock.reserve; fi
		done
		holds keeper 9 bb a.Stock a.Stock.recount $((i * 1000))
	done
}
# 12 dumps in six minutes: ten threads are stuck, work for a while, and are stuck again
repeated_dumps() {
	for i in $(seq 0 11); do
		begin $((i * 30))
		for k in a b c d e f g h i j; do
			if test "$i" -lt 4 || test "$i" -gt 7; then thread "$k-1" 1 RUNNABLE 10 "app.$k.read" app.Job.run
			else thread "$k-1" 1 RUNNABLE $((10 + i * 100)) "app.$k.step$i" app.Job.run; fi
		done
	done
}
# rows DUMPS: rule, severity, subject, threads, samples, dumps, lost of what is found
rows() {
	stkcap -q "$1" >x.stk
	stkdiag -f tsv x.stk >out 2>err || test $? = 4 || { cat err; false; }
	cut -f 3-7,9-10 out | tail -n +2
}
