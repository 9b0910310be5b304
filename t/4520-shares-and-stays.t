#!/bin/sh
# SPDX-License-Identifier: MIT
# stkclass: shares of classes that end in a segment which others have too, and stays without an exit.
. "${0%/*}/lib/tap.sh"

shares() { stkcap -q -f folded-dumps | stkclass -q -f tsv | awk -F '\t' 'NR > 1 { printf "%s%g", (NR > 2 ? " " : ""), $6 }'; }
check 'classes with a common leaf share the stacks of the branch before it' '
	test "$(printf "@1000\nr;x;park 5\nr;y;park 1\nr;z;park 2\n" | shares)" = "0.625 0.125 0.25"
	test "$(printf "@1000\nr;a;x;park 3\nr;b;y;park 1\nr;a;z 3\n" | shares)" = "0.5 0.142857 0.5"'
check 'one class, and classes without a common beginning' '
	test "$(printf "@1000\nr;x 5\n" | shares)" = 1
	test "$(printf "@1000\na;b 1\nc;d 3\n" | shares)" = "0.25 0.75"'
check 'where a class also ends before the others, its share is of those that reach it' '
	test "$(printf "@1000\nr 1\nr;x 3\n" | shares)" = "0.25 0.75"'
check 'a thread that is never seen to leave has no rate of calls, and says why' '
	for i in 0 1 2 3; do printf "2026-03-01 09:00:0%d\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n\"w\" #11 prio=5 os_prio=0 tid=0x1 nid=0x11 waiting\n   java.lang.Thread.State: TIMED_WAITING (on object monitor)\n\tat java.lang.Object.wait(Native Method)\n\tat a.Main.run(Main.java:2)\n\n" $i; done >dumps
	stkcap -q dumps -o dumps.stk
	stkclass -q -f tsv dumps.stk | awk -F "\t" "NR == 2 { exit !(\$11 == \"inf\" && \$12 == \"-\") }"
	stkclass -q -f text dumps.stk | grep -q "  no exit  "
	stkclass -q --class 1 dumps.stk | grep -q "no exit seen: threads stay, or leave and come back between two dumps"'

# Dumps ten seconds apart of a pool of 40 threads. Of those elsewhere, one of 50 begins a slow call, which one of 5 leaves by the next dump; of the others 5 of 100
# are in a fast call at any dump, as by chance. Five other threads wait for ever where 12 of the pool are now and then.
pool() {
	awk 'function thread(k, frame) { printf "\"w-%d\" #%d prio=5 os_prio=0 tid=0x%x nid=0x%x runnable\n   java.lang.Thread.State: RUNNABLE\n\tat c.%s(X.java:1)\n\tat a.Main.run(X.java:1)\n\n", k, k + 10, k + 1, k + 1, frame }
		BEGIN { srand(7); for (i = 0; i < 800; i++) {
			s = i * 10; printf "2026-03-01 %02d:%02d:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n", int(s / 3600), int(s / 60) % 60, s % 60
			for (k = 0; k < 40; k++) {
				slow[k] = slow[k] ? rand() >= 0.2 : rand() < 0.02
				thread(k, slow[k] ? "Slow.call" : rand() < 0.05 ? "Fast.call" : k < 12 && rand() < 0.3 ? "Queue.wait" : "Pool.idle")
			}
			for (k = 40; k < 45; k++) thread(k, "Queue.wait")
		} }'
}
check 'a stay is that of calls: threads of a pool that come back between two dumps are no long call' '
	pool | stkcap -q -o pool.stk -
	stkclass -q -f tsv pool.stk | awk -F "\t" "{ stay[\$13] = \$11; rate[\$13] = \$12 } END { print stay[\"c.Fast.call\"], rate[\"c.Fast.call\"], stay[\"c.Slow.call\"], stay[\"c.Queue.wait\"] }" >got
	awk "{ exit !(\$1 == \"0\" && \$2 == \"-\" && \$3 > 40 && \$3 < 49 && \$4 > 9) }" got'
check 'threads of a pool that have nothing to do are away for short: how long they had been there is not known' '
	stkclass -q -f tsv pool.stk | awk -F "\t" "\$13 == \"c.Pool.idle\" { print \$11, \$12 }" >got
	echo "- -" | same - got
	stkclass -q --class "$(stkclass -q -f tsv pool.stk | awk -F "\t" "\$13 == \"c.Pool.idle\" { print \$1 }")" pool.stk | grep "^ *stay" >got
	grep "not known" got
'
check 'pieces count who came back as one run does' '
	stkclass -q --resume whole -f tsv pool.stk >want
	stkcat -f stream --to 2026-03-01T00:20:00 pool.stk | stkclass -q --resume pieces -f tsv >got
	stkcat -f stream --from 2026-03-01T00:20:00 --to 2026-03-01T00:20:10 pool.stk | stkclass -q --resume pieces -f tsv >got
	stkcat -f stream --from 2026-03-01T00:20:10 pool.stk | stkclass -q --resume pieces -f tsv | same want -
	cmp whole pieces'
finish
