#!/bin/sh
# SPDX-License-Identifier: MIT
# stkdiag over dumps of which everything is many: waiting threads, locks, rings. None of these may cost more than its
# share.
. "${0%/*}/lib/tap.sh"

# threads are made by awk: begin SECOND, thread(name, number, state, lines)
text='function begin(s) { printf "2026-03-01 10:00:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode, sharing):\n\n", s }
	function thread(name, n, state, lines) {
		printf "\"%s\" #%d prio=5 os_prio=0 cpu=1.00ms elapsed=100.00s tid=0x%x nid=0x%x waiting on condition [0x0000700000000000]\n   java.lang.Thread.State: %s\n%s\n",
			name, n, 65536 + n * 16, n, state, lines }
	function wants(lock) { return sprintf("\tat app.Stock.read(A.java:1)\n\t- waiting to lock <0x%x> (a app.Stock)\n", lock) }
	function holds(lock) { return sprintf("\tat app.Stock.write(A.java:2)\n\t- locked <0x%x> (a app.Stock)\n", lock) }'
# found INPUT: rule, severity, threads, samples, dumps and how many findings have these
found() {
	stkcap -q "$1" >x.stk
	stkdiag -q -f tsv x.stk >out || test $? = 4
	tail -n +2 out | cut -f 3,4,6,7,9 | sort | uniq -c | sed "s/^ *//; s/ /	/"
}

check '100,000 threads that wait for one lock: one finding, of which some threads are kept and all are counted' '
	awk "$text BEGIN { for (s = 0; s < 30; s += 10) { begin(s); thread(\"h\", 1, \"RUNNABLE\", holds(16))
		for (n = 2; n <= 100001; n++) thread(\"w-\" n, n, \"BLOCKED\", wants(16)) } }" >dumps
	found dumps >got
	printf "1\tblocked\twarning\t100000\t300000\t3\n" | same - got
	stkdiag -q x.stk >records || test $? = 4
	test "$(stkcat -f tsv --only evidence records | tail -n +2 | wc -l)" = 65
'
check 'a ring of 10,000: one deadlock, whose subject stays short' '
	awk "$text BEGIN { for (s = 0; s < 20; s += 10) { begin(s)
		for (n = 0; n < 10000; n++) thread(\"w-\" n, n + 1, \"BLOCKED\", wants(4096 + (n + 1) % 10000 * 8) holds(4096 + n * 8)) } }" >dumps
	found dumps >got
	printf "1\tdeadlock\tcritical\t10000\t20000\t2\n" | same - got
	cut -f 5 out | grep -qx "w-0, w-1, w-2, w-3, w-4, w-5, w-6, w-7, 9992 more"
	grep -q "and so on around a ring of 10000 threads" out
'
check '10,000 rings of two at once: each is a deadlock' '
	awk "$text BEGIN { for (s = 0; s < 20; s += 10) { begin(s); for (n = 0; n < 20000; n++) {
		other = n % 2 ? n - 1 : n + 1; thread(\"w-\" n, n + 1, \"BLOCKED\", wants(4096 + other * 8) holds(4096 + n * 8)) } } }" >dumps
	found dumps >got
	printf "10000\tdeadlock\tcritical\t2\t4\t2\n" | same - got
'
check '10,000 locks of one class, which the collector moves between any two dumps: as many findings, in all dumps' '
	awk "$text BEGIN { for (s = 0; s < 30; s += 10) { begin(s); for (k = 0; k < 10000; k++) {
		lock = 1048576 * (s + 1) + k * 8; thread(\"h-\" k, 4 * k + 1, \"RUNNABLE\", holds(lock))
		for (n = 2; n <= 4; n++) thread(\"w-\" (4 * k + n), 4 * k + n, \"BLOCKED\", wants(lock)) } } }" >dumps
	found dumps >got
	printf "10000\tblocked\twarning\t3\t9\t3\n" | same - got
	test "$(cut -f 5 out | sort -u | wc -l)" = 10001
'
check 'a chain of 10,000 locks, each held by who wants the next: all wait for its end' '
	awk "$text BEGIN { for (s = 0; s < 30; s += 10) { begin(s)
		for (n = 0; n < 10000; n++) thread(\"w-\" n, n + 1, n ? \"BLOCKED\" : \"RUNNABLE\", (n ? wants(4096 + (n - 1) * 8) : \"\") holds(4096 + n * 8)) } }" >dumps
	found dumps >got
	printf "1\tblocked\twarning\t9999\t29997\t3\n" | same - got
	grep -q "held by w-0 in app.Stock.write" out
'
check 'a dump of 200,000 threads without names, and no other key: seconds, not minutes' '
	awk "BEGIN { for (s = 0; s < 2; s++) { print \"@\" 1772323200 + s * 60; for (i = 0; i < 100000; i++) print \"main;p\" i % 100 \";f\" i % 1000 \" 2\" } }" |
		stkcap -q --format folded-dumps -o nameless.stk -
	(ulimit -t 8; stkdiag -q -f tsv nameless.stk >out)
	grep -c healthy out | grep -qx 1
'
finish
