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
finish
