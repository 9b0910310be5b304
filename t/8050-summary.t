#!/bin/sh
# SPDX-License-Identifier: MIT
# The table for people: what is there, what is hot, what waits for what.
. "${0%/*}/lib/tap.sh"

thread() {	# NAME STATE LINES...
	printf '"%s" #1 prio=5 os_prio=0 cpu=%s.00ms elapsed=2.00s tid=0x%016x nid=0x11 runnable  [0x00007f0000000000]\n   java.lang.Thread.State: %s\n' "$1" "$cpu" "$#" "$2"
	shift 2
	for line; do printf '\t%s\n' "$line"; done
	echo
}
dump() {
	printf '2026-03-01 12:00:%s\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):\n\n' "$1"
	cpu=$1
	thread exec-1 RUNNABLE 'at java.util.Arrays.copyOf(java.base@17/Arrays.java:1)' 'at java.lang.String.x(java.base@17/String.java:1)' 'at java.lang.String.y(java.base@17/String.java:1)' \
		'at com.acme.Shop.sell(Shop.java:1)' 'at com.acme.Shop.main(Shop.java:2)'
	thread exec-2 RUNNABLE 'at com.acme.Shop.sell(Shop.java:1)' 'at com.acme.Shop.main(Shop.java:2)'
	thread exec-3 BLOCKED 'at com.acme.Shop.stock(Shop.java:9)' '- waiting to lock <0x00000000ff20b110> (a com.acme.Stock)'
	thread poll RUNNABLE 'at sun.nio.ch.EPoll.wait(java.base@17/Native Method)' '- locked <0x00000000ff20b110> (a com.acme.Stock)'
	printf 'JNI global refs: 1, weak refs: 0\n\n'
}
{ dump 10; dump 20; } >dumps.txt
stkcap -q dumps.txt >dumps.stk
stkcat -f text dumps.stk >text
section() { sed -n "/^$1/,/^\$/p" text; }

check 'the first line says how much there is' '
	grep -x "2 dumps of 1 source, 8 samples of 4 threads, 4 distinct stacks in 10s" text
'
check 'sources with their clock and time' '
	section Sources | grep "dumps.txt .* 2026-03-01T12:00:10Z .* 10s .* 2 .* 4 .* 8"
'
check 'what runs: without threads that only wait in the system; callers of the platform are left out' '
	section Running >got
	grep "^Running: 4 of 8 samples (50.0%)$" got
	grep "50.0%  *2  java.util.Arrays.copyOf < .. < Shop.sell < Shop.main$" got
	grep "50.0%  *2  com.acme.Shop.sell < Shop.main$" got
	status 1 grep EPoll got
'
check 'functions: self and total' '
	section "Hottest functions" >got
	grep "50.0%  100.0%  com.acme.Shop.sell$" got
	grep "50.0%  *50.0%  java.util.Arrays.copyOf$" got
	status 1 grep "Shop.main" got
'
check 'what waits, and how' '
	section Waiting >got
	grep "blocked  *com.acme.Shop.stock$" got
	grep "in the system  *sun.nio.ch.EPoll.wait$" got
'
check 'threads of a pool are one line, with the time that they used' '
	section Threads | grep "3  *6  *66.7%  *33.3%  *0%  *30ms  exec-\*$"
'
check 'locks: wanted and held' '
	section Locks | grep "2  *1  *2 .* com.acme.Stock  .*poll  .*EPoll.wait$"
'
check 'no line is wider than the terminal' '
	COLUMNS=80 stkcat -f text --names full dumps.stk | awk "length > 80 {print; bad = 1} END {exit bad}"
'
check 'where there is little room names are shorter, the leaf still has its caller' '
	for at in "46 copyOf" "56 Arrays.copyOf" "66 java.util.Arrays.copyOf"; do
		stkcat --width ${at% *} dumps.stk >text
		section Running | grep "50.0%  *2  ${at#* } < .. < Shop.sell <"
	done
'
check '--top limits the tables, and says so' '
	stkcat -f text --top 1 dumps.stk | grep "  and 1 more"
'
check 'weights have the unit of their event' '
	printf "a 1/1 [000] 1.000000: 250000 cycles:\n\t7f00 f (/bin/x)\n\na 1/1 [000] 2.000000: 750000 cycles:\n\t7f00 g (/bin/x)\n\n" | stkcap -q - | stkcat -f text >got
	grep "1 source, 2 samples of 1 thread, 2 distinct stacks, 1.00M cycles" got
	grep "75.0%  *1  *750k  g$" got
'
check 'clocks count time: the header and the first line say so' '
	printf "a 1/1 [000] 1.000000: 250000000 cpu-clock:\n\t7f00 f (/bin/x)\n\n" | stkcap -q - | stkcat -f text >got
	grep "1 source, 1 sample of 1 thread, 1 distinct stack, 250ms of cpu time (cpu-clock)" got
	grep "share  samples  cpu time  stack, leaf first" got
	grep "100.0%  *1  *250ms  f$" got
'
check 'metrics have the units that their names imply, and a source that has nothing else the times of its metrics' '
	{
		for metric in heap.used,0,360000000 gc.pause,0.0125,1.5 capture.share,0.004,0.01 queue.length,1.5,7 heap.used.young,-1,12345678; do
			printf "%s,%s,%s\n" 2026-11-20T10:00:00Z "${metric%%,*}" "$(echo "$metric" | cut -d, -f2)"
			printf "%s,%s,%s\n" 2026-11-20T10:01:40Z "${metric%%,*}" "${metric##*,}"
		done
	} | stkcap -q --format metrics --source log - | stkcat >text
	section Metrics | sed 1d | tr -s " " >got
	cat >want <<X
 values first least most last name
 2 0 B 0 B 360 MB 360 MB heap.used
 2 12.5ms 12.5ms 1.5s 1.5s gc.pause
 2 0.4% 0.4% 1.0% 1.0% capture.share
 2 1.5 1.5 7 7 queue.length
 2 -1 -1 12.3 MB 12.3 MB heap.used.young
X
	same want got
	head -1 text | grep -x "1 source, no samples in 1m40s"
	section Sources | grep "log  *2026-11-20T10:00:00Z  *1m40s "
'
stkcap -q --zone +01:00 "$t/data/orders.jstack.txt" >orders.stk
check 'deadlocks are those of the window and of the process' '
	stkcat -f tsv --only dump orders.stk >dumps
	dump=$(stkcat -f tsv --only deadlock orders.stk | sed -n 2p | cut -f 1)
	at=$(awk -F "\t" -v id="$dump" "\$1 == id { print \$2 }" dumps)
	test -n "$at"
	stkcat --from "$at" --to "${at%Z}.5Z" orders.stk >text
	section Deadlocks | grep -c "0xe10000" | grep -x 2
	stkcat --from 2026-03-01T08:00:00Z --to "$at" orders.stk >text
	grep -q "^Locks" text
	status 1 grep -q "^Deadlocks" text
	test "$(stkcat -f tsv --only deadlock --from 2026-03-01T08:00:00Z --to "$at" orders.stk | wc -l)" = 1
	test "$(stkcat -f tsv --only deadlock --from "$at" orders.stk | wc -l)" = 3
	test "$(stkcat -f tsv --only deadlock --process orders orders.stk | wc -l)" = 3
	test "$(stkcat -f tsv --only deadlock --process other orders.stk | wc -l)" = 1
'
check 'what is blocked and what is deadlocked is in red, and what runs most in yellow' '
	esc=$(printf "\033")
	stkcat --color always orders.stk | tr "$esc" "~" >got
	sed -n "/Deadlocks/,/^$/p" got | grep -F "~[31morder-1~[m"
	grep -F "~[31mblocked~[m" got
	grep -F "~[33m66.7%~[m        2  shop.Stock.count" got
	grep -F "  33.3%        1  shop.Mail.send" got
	test "$(grep -cF "~[33m" got)" = 1
	test "$(grep -cF "~[31m" got)" = 5
'
check 'a terminal is not steered by what a stream holds' '
	printf "a\033[31m 1/1 [000] 1.000000: 1 cycles:\n\t7f00 f\033]0;x\007 (/bin/x)\n\n" | stkcap -q - | stkcat -f text >got
	status 1 grep "$(printf "\033")" got
'
check 'an empty stream is said to be empty' '
	printf "" | stkcap -q --format perf - 2>err | stkcat -f text >got || true
	test "$(wc -l <got)" -le 5
'
finish
