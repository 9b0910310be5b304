#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines that are longer than any stack are left out whole, however long; and the last line needs no end.
. "${0%/*}/lib/tap.sh"

samples() { stkcat -q -f folded --by none "$1"; }

check 'a line of 20 MB between two others' '
	{ printf "a;b 1\n"; head -c 20000000 /dev/zero | tr "\0" x; printf " 1\na;c 2\n"; } >long.txt
	stkcap --format folded -o long.stk long.txt 2>err || test $? = 1
	samples long.stk >got
	printf "a;b 1\na;c 2\n" | same - got
	grep -q "1 lines skipped" err
'
check 'a last line without its end, after lines that end with CR LF' '
	printf "a;b 1\r\na;c 2" | stkcap -q --format folded -o cr.stk -
	samples cr.stk >got
	printf "a;b 1\na;c 2\n" | same - got
'
check 'a last line without its end, when lines have a prefix' '
	printf "2026-11-19 09:00:00\nFull thread dump OpenJDK 64-Bit Server VM (25 mixed mode):\n\n\"a\" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x0000000000000001 nid=1 runnable  [0x0000000000000001]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n\tat a.B.main(B.java:2)" | sed "s/^/web-1  | /" >prefix.txt
	stkcap -q -o prefix.stk prefix.txt
	samples prefix.stk >got
	printf "a.B.main;a.B.c 1\n" | same - got
'
finish
