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
	section Locks | grep "2  *2  *0  com.acme.Stock  0xff20b110$"
'
check 'no line is wider than the terminal' '
	COLUMNS=80 stkcat -f text --names full dumps.stk | awk "length > 80 {print; bad = 1} END {exit bad}"
'
check '--top limits the tables, and says so' '
	stkcat -f text --top 1 dumps.stk | grep "  and 1 more"
'
check 'weights have the unit of their event' '
	printf "a 1/1 [000] 1.000000: 250000 cycles:\n\t7f00 f (/bin/x)\n\na 1/1 [000] 2.000000: 750000 cycles:\n\t7f00 g (/bin/x)\n\n" | stkcap -q - | stkcat -f text >got
	grep "1 source, 2 samples of 1 thread, 2 distinct stacks, 1.00M cycles" got
	grep "75.0%  *1  *750k  g$" got
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
