#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot locks: who waited for whom over time; its numbers are those of stkdiag, and of the lock lines that stkcat lists.
. "${0%/*}/lib/tap.sh"
have stkplot python3 zstd || skip_all 'no stkplot, python3 or zstd'

stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" -o orders.stk

check 'SVG: time lost, samples and threads are those of stkdiag; waiters those of the lock lines' '
	stkplot locks -q -o locks.svg orders.stk
	stkdiag -q -f tsv orders.stk >found || test $? = 4
	awk -F "\t" "\$3 == \"blocked\" { printf \"%s: %s s lost, %d samples in %d dumps, at most %d threads at once; held by stock-recount\n\", \$5, \$10, \$7, \$9, \$6 }" found >wanted
	test "$(wc -l <wanted)" = 1
	grep -F "<title>$(cat wanted)</title>" locks.svg
	test "$(stkcat -q -f tsv --only sample orders.stk | grep -c "to-lock OrderService.Stock")" = 32
	python3 -c "import xml.etree.ElementTree as x; x.parse(\"locks.svg\")"
'
check 'terminal: a line a lock with how many wait, then who holds it and who waits' '
	stkplot locks -q -f term --color never --width 80 orders.stk >drawn
	awk "length(\$0) > 80 { print; bad = 1 } END { exit bad }" drawn
	grep -qx "OrderS~ce.Stock *64\.0 s *8*  *8*  *8*" drawn
	grep -qx "OrderService.Stock, 2026-11-20T23:54:00Z: 8 threads wait" drawn
	grep -qx "  holder stock-recount in OrderService.Stock.recount" drawn
	test "$(grep -c "^    waiter http-worker-[1-8] in OrderService.Stock.reserve$" drawn)" = 8
'
# Dumps in which threads wait, those that follow one another together; each is as long as to the next.
cat >spells.awk <<'X'
function dump() { if (waits == 0) return; if (first == "") first = time; last = time; most = waits > most ? waits : most }
function spell() { if (first != "") print substr(first, whole ? 1 : 12) (first == last ? ": " : " to " substr(last, 12) ": up to ") most; first = ""; most = 0 }
$1 != time { dump(); if (waits == 0) spell(); time = $1; waits = 0 }
/to-lock OrderService.Stock/ { waits++ }
END { dump(); spell() }
X
check 'who held a lock over time: the dumps in which threads wait, at a terminal and in SVG; their time lost is that of the lock' '
	stkcat -q -f tsv --only sample orders.stk | tail -n +2 | awk -F "\t" -f spells.awk >wanted
	test "$(wc -l <wanted)" = 3
	sed -n "s/^  \([0-9][0-9]:.*: \(up to \)*[0-9]*\) wait, [0-9.]* s lost; held by stock-recount$/\1/p" drawn | same wanted -
	sed -n "s/^  [0-9][0-9]:.* wait, \([0-9.]*\) s lost.*/\1/p" drawn | awk "{ sum += \$1 } END { print sum }" | grep -qx 64
	stkcat -q -f tsv --only sample orders.stk | tail -n +2 | awk -F "\t" -v whole=1 -f spells.awk >wanted
	stkplot locks -q -f svg orders.stk | grep -o "<title>2026[^<]*" | sed -n "s/<title>\(.*\) wait, [0-9.]* s lost; held by stock-recount, locked in OrderService.Stock.recount$/\1/p" | same wanted -
	stkplot locks -q -f term --color never --width 200 orders.stk | grep -c "; held by stock-recount, locked in OrderService.Stock.recount$" | grep -qx 3
'
check 'none waits: said; no dumps: said' '
	stkplot locks -q -f term --window 23:53:55..23:53:58 orders.stk | grep -qx "no thread waited for a lock"
	stkplot locks -q -f svg --window 23:53:55..23:53:58 orders.stk | grep -q "no thread waited for a lock"
	stkcat -q -S --grep nobody orders.stk >none.stk
	stkplot locks -q -f svg none.stk | grep -q "no thread dumps"
	stkplot locks -f term none.stk 2>err >out
	test ! -s out
	grep -qx "stkplot: no thread dumps" err
'
check 'a ring: threads that wait for each other' '
	{
		for second in 0 1 2; do
			printf "2026-01-01 00:00:0%d\nFull thread dump OpenJDK 64-Bit Server VM (21 mixed mode):\n\n" $second
			printf "\"a\" #1 prio=5 tid=0x1 nid=0x1 waiting for monitor entry\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat x.Y.f(Y.java:1)\n"
			printf "\t- waiting to lock <0x0000000000000b00> (a x.B)\n\t- locked <0x0000000000000a00> (a x.A)\n\n"
			printf "\"b\" #2 prio=5 tid=0x2 nid=0x2 waiting for monitor entry\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat x.Y.g(Y.java:2)\n"
			printf "\t- waiting to lock <0x0000000000000a00> (a x.A)\n\t- locked <0x0000000000000b00> (a x.B)\n\n"
			printf "\"c\" #3 prio=5 tid=0x3 nid=0x3 waiting for monitor entry\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat x.Y.h(Y.java:3)\n"
			printf "\t- waiting to lock <0x0000000000000a00> (a x.A)\n\n"
		done
	} | stkcap -q --format thread-dump - >ring.stk
	stkplot locks -q -f term --color never ring.stk >drawn
	grep "3 threads wait for each other$" drawn
	grep -qx "  00:00:00Z to 00:00:02Z: up to 3 wait, 9.0 s lost; for each other, locked in x.Y.g" drawn
	stkdiag -q -f tsv ring.stk >found || test $? = 4
	lost=$(awk -F "\t" "\$3 == \"deadlock\" { print \$10, \$7 }" found)
	test "$lost" = "9.0 9"
	stkplot locks -q -f svg ring.stk | grep "9.0 s lost, 9 samples in 3 dumps, at most 3 threads at once"
'
check 'the same bytes each time; an option without effect is refused' '
	for form in html svg term; do
		stkplot locks -q -f $form orders.stk >a
		stkplot locks -q -f $form orders.stk >b
		same a b
	done
	status 2 stkplot locks --by pool orders.stk 2>err
	grep -q "by has no effect on locks" err
'
finish
