#!/bin/sh
# SPDX-License-Identifier: MIT
# good_streams.sh FOLDER: small streams of every sort that filters read, made by the filters themselves, and the files beside them that modes of filter_modes.h name.
# What begins a name says what the stream is: dumps, samples, class, codes, cstate, tree, group, trend, tstate, paths, all. Needs the programs in PATH, and BUILD.
set -eu
t=$(cd "${0%/*}/.." && pwd)
cd "$1"

stkcap -q --zone +01:00 --source orders -o dumps-orders.stk "$t/data/orders.jstack.txt"
stkcap -q --source shop -o samples-shop.stk "$t/data/shop.perf.txt"
printf '%s\n' '2026-03-01T00:00:01Z	101	start	order	1' '2026-03-01T00:00:05Z	101	stop	order	1' >events.tsv
awk 'BEGIN { for (i = 0; i < 60; i++) printf "%d\t[00%d]\t%s\torder\t%d\t%d\tmain;b\t%d\tweb\tbytes=%dB rows=%d\n", 5 + i / 5, i % 3, i % 2 ? "stop" : "start", i % 5, 1 + i % 4, i % 2, i * 64, i }' >many.tsv
stkcap -q --source shop -o samples-events.stk many.tsv "$t/data/shop.perf.txt"
awk 'BEGIN {
	for (i = 0; i < 40; i++) {
		print "@" 1772323200 + i * 600
		print "main;serve;a " 1 + i % 3 "\nmain;serve;b;c " 2 + (i > 20 ? 3 : 0) "\nmain;idle " 5 - i % 4
		if (i % 5 == 0) print "main;serve;b;d 1"
	}
}' | stkcap -q --format folded-dumps -o dumps.stk -
awk 'BEGIN { for (i = 0; i < 150; i++) printf "web %d/%d [%03d] %d.%06d: 1 cycles:\n\t7f00 read_%d (/bin/x)\n\t7f01 serve (/bin/x)\n\t7f02 main (/bin/x)\n\n", 10 + i % 2, 10 + i % 4, i % 4, 5 + i / 10, i, i % 7 }' |
	stkcap -q -o samples.stk -
stkclass -q -o class.stk dumps.stk
stkclass -q --by source,state -o class-parts.stk dumps-orders.stk
for order in frequency arrival counts; do stkclass -q --exact --codes $order -o codes-$order.stk dumps.stk; done
stkclass -q --resume cstate.stk dumps.stk >/dev/null
stktree -q --leaf 16 -o tree.stk dumps.stk
stktree -q --leaf 16 --split 2 --split-by samples --keep-percent 80 -o tree-kept.stk samples.stk
stktree -q --leaf 8 --by thread,state --by source --by default -o tree-sets.stk dumps.stk
stktree -q --leaf 8 -o tree-raw.stk dumps.stk && stktree -q --thin 1s:raw,90d:1h -o tree-thin.stk tree-raw.stk || cp tree.stk tree-thin.stk

cat >scheme.yaml <<'YAML'
scheme: abc
groups:
  - name: A
    colour: '#4e79a7'
    members: [main, 'serve*']
    events: {start: order, stop: order}
    children:
      - name: B
        members: [b, 'read_?', java.lang.*]
        children:
          - name: C
            members: [c, '/re.*ad$/']
  - name: W
    members: [idle, 'com.*']
YAML
cp "$t/../schemes/waits.yaml" "$t/../schemes/idle.yaml" .
printf '%s\n' 'rules:' '  - name: hotter' '    of: function' '    what: self' '    up: 20%' '    at least: 1%' '  - name: all' '    of: total' '    change: 5%' '    significant: yes' >rules.yaml
printf '* @all\n/src/java @us\n*.c @them\n' >CODEOWNERS
stkgroup -q -s scheme.yaml --embed -o group.stk dumps.stk
stkgroup -q -s scheme.yaml --step 1h -o group-steps.stk dumps-orders.stk

# Eight days of dumps with a heap that grows, two hours apart: enough for a season.
awk 'BEGIN {
	for (i = 0; i < 100; i++) {
		m = i * 120
		printf "2026-03-%02d %02d:%02d:00\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n", 1 + int(m / 1440), int(m / 60) % 24, m % 60
		for (k = 0; k <= i % 3; k++)
			printf "\"worker-%d\" #1%d prio=5 os_prio=0 tid=0x%d nid=0x1%d runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.Loop.spin(Loop.java:1)\n\tat a.Main.run(Main.java:2)\n\n", k, k, k + 1, k
		printf "JNI global refs: 20, weak refs: 2\n\nHeap\n garbage-first heap   total 260096K, used %dK [0x0000000704c00000, 0x0000000800000000)\n  region size 2048K, 5 young (10240K), 0 survivors (0K)\n\n", 9000 + i * 7 + i % 5
	}
}' | stkcap -q -o dumps-heap.stk - 
# What stkdiag looks for: threads that wait for a lock, for notice, for a permit, that try again; carriers; Python's lock.
{ awk 'function thread(name, n, state, lines) {
		printf "\"%s\" #%d daemon prio=5 os_prio=0 cpu=%d.00ms elapsed=9.00s allocated=%dM tid=0x%d nid=0x%d waiting on condition [0x1]\n%s%s\n", name, n, i * 9000 * (n % 2), i * 90 * n, n, n, state, lines }
	BEGIN { for (i = 0; i < 12; i++) {
		printf "2026-03-01 10:%02d:00\nFull thread dump OpenJDK 64-Bit Server VM (21.0.2+13 mixed mode):\n\n", i
		for (n = 1; n <= 3; n++) thread("w-" n, n, "   java.lang.Thread.State: BLOCKED\n", "\tat a.B.in(A.java:1)\n\t- waiting to lock <0x" (n < 3 ? 3 - n : 1) "> (a a.B)\n\tat a.C.in(A.java:1)\n\t- locked <0x" n "> (a a.B)\n")
		for (n = 11; n <= 13; n += 2) thread("try-" n, n, "   java.lang.Thread.State: RUNNABLE\n", "\tat java.util.concurrent.locks.ReentrantLock.tryLock(R.java:1)\n\tat a.Try.both(A.java:1)\n")
		thread("n-1", 20, "   java.lang.Thread.State: WAITING\n", i < 2 ? "\tat a.Box.eat(A.java:1)\n" : "\tat java.lang.Object.wait(O.java:1)\n\tat a.Box.take(A.java:1)\n")
		for (n = 30; n <= 32; n++) thread("p-" n, n, "   java.lang.Thread.State: WAITING\n", "\tat java.util.concurrent.Semaphore.acquire(S.java:1)\n\tat a.Gate.in(A.java:1)\n")
		thread("ForkJoinPool-1-worker-1", 40, "   Carrying virtual thread #50\n", "\tat jdk.internal.vm.Continuation.run(C.java:1)\n   Mounted virtual thread #50\n\tat java.lang.Thread.sleep(T.java:1)\n\tat a.V.rest(A.java:1)\n")
		printf "\"GC Thread#0\" os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x99 nid=0x99 runnable\n\n"
	} }' >diag.txt
	for i in 1 2 3; do printf 'Process 812: python3 work.py\n\nThread 813 (active+gil): "a"\n    spin (work.py:5)\nThread 814 (idle): "b"\n    spin (work.py:6)\nThread 815 (idle): "c"\n    spin (work.py:7)\n'; done >diag-python.txt
	stkcap -q -o dumps-diag.stk diag.txt
	stkcap -q -o dumps-python.stk diag-python.txt
	rm diag.txt diag-python.txt; }
stkclass -q -o trend.stk dumps-heap.stk
stkgroup -q -s scheme.yaml -o trend-groups.stk dumps-heap.stk
stktrend -q --periods day --season-step 2h --resume tstate-day.stk trend.stk >/dev/null
stktrend -q --resume tstate.stk trend.stk >trend-told.stk

"$BUILD/t/tools/make_stream" 7 12 >all.stk
"$BUILD/t/tools/make_future" 1 7 >all-future.stk 2>/dev/null
if command -v stkpath >/dev/null; then
	"$BUILD/t/tools/make_path_counts" epp >paths.stk
	"$BUILD/t/tools/make_path_counts" ac >paths-prime.stk
	"$BUILD/t/tools/make_path_counts" graph >odd.yaml
	stkpath plan -q -m epp -g odd.yaml -o epp.plan
	stkpath plan -q -m ac --prime -g odd.yaml -o prime.plan
	stkpath samples -o samples-paths.stk paths.stk
fi
