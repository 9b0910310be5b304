#!/bin/sh
# SPDX-License-Identifier: MIT
# Hostile text: each has a clear message, the rest is read, the status is that of the table, and memory stays within 64 MB.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/peak" || skip_all "no $tools/peak: run by make check"
limit=65536 huge=1000000000 large=100000000
case ${BUILD:-} in *address*) limit=1000000 huge=20000000 large=10000000 ;; esac		# the sanitizer needs memory of its own, and time

printf 'a;b 1\n' >good.txt

# capped STATUS FILE...: stkcap with that status within the memory; out.stk and err are left
capped() {
	want=$1
	shift
	"$tools/peak" peak stkcap "$@" >out.stk 2>err && got=0 || got=$?
	test $got -eq $want || { echo "status $got, expected $want: $*"; cat err; return 1; }
	test "$(cat peak)" -le $limit || { echo "$(cat peak) kB: $*"; return 1; }
	stkcat --check out.stk 2>check.err || test $got -ne 0 || { cat check.err; return 1; }
	test "$(tail -1 err | grep -c "^stkcap: [0-9]* dumps, [0-9]* samples, [0-9]* distinct stacks, [0-9]* lines skipped$")" -eq 1
}

check 'a line of 1 GB is left out, in less than 64 MB' '
	{ printf "a;b 1\n"; head -c $huge /dev/zero | tr "\0" x; printf "\nc;d 2\n"; } | capped 1 --format folded -
	grep "^stkcap: -:2: .*4 MiB" err
	test "$(stkcat -q -f folded out.stk | tr "\n" " ")" = "a;b 1 c;d 2 "
'
check 'a line of 100 MB among thread dumps' '
	{ cat "$t/data/orders.jstack.txt"; head -c $large /dev/zero | tr "\0" x; echo; cat "$t/data/orders.jstack.txt"; } | capped 1 -
	grep "^stkcap: -:[0-9]*: .*4 MiB" err
	grep "^stkcap: 6 dumps, 72 samples, 10 distinct stacks" err
'
check 'a line of 100 MB in a recording' '
	{ cat "$t/data/shop.perf.txt"; head -c $large /dev/zero | tr "\0" x; printf "\n\n"; cat "$t/data/shop.perf.txt"; } | capped 1 -
	grep "^stkcap: -:[0-9]*: .*4 MiB" err
	grep "^stkcap: 0 dumps, 14 samples, 4 distinct stacks" err
'
check 'a line over 1 MiB is left out and said' '
	{ printf "a;b 1\n"; head -c 1200000 /dev/zero | tr "\0" x; printf " 1\nc;d 2\n"; } >long.txt
	capped 1 long.txt
	grep "^stkcap: long.txt:2: .*1 MiB" err
	grep "2 samples, 2 distinct stacks, 1 lines skipped" err
'
check 'a million frames in a stack of perf: the leaf stays, the rest is said, the next sample is read' '
	awk "BEGIN { print \"java 1/1 [000] 1.000001: 5 cycles:\"; for (i = 0; i < 1000000; i++) printf \"\\t%x f%d+0x1 (/lib/x.so)\\n\", i + 4096, i % 50000;
		print \"\\njava 1/2 [000] 1.000002: 7 cycles:\\n\\t7f01 main+0x1 (/bin/java)\\n\" }" >deep.txt
	capped 1 deep.txt
	grep "^stkcap: deep.txt:1: .*65536 frames" err
	stkcat -q -f folded out.stk >got
	test "$(grep -c . got)" -eq 2
	grep -x "java;main 7" got
	grep -o ";f0 5$" got
	depth=$(head -1 got | tr -cd ";" | wc -c)
	test $depth -ge 65536 -a $depth -le 65537
'
check 'a million frames in a stack of a thread dump' '
	awk "BEGIN { print \"2026-03-01 09:00:00\\nFull thread dump OpenJDK 64-Bit Server VM (17):\\n\";
		print \"\\\"deep\\\" #1 prio=5 os_prio=0 tid=0x01 nid=0x1 runnable [0x01]\\n   java.lang.Thread.State: RUNNABLE\";
		for (i = 0; i < 1000000; i++) printf \"\\tat a.B.m%d(B.java:%d)\\n\", i % 50000, i % 1000;
		print \"\\n\\\"main\\\" #2 prio=5 os_prio=0 tid=0x02 nid=0x2 runnable [0x01]\\n   java.lang.Thread.State: RUNNABLE\\n\\tat a.B.main(B.java:3)\\n\" }" >deep.txt
	capped 1 deep.txt
	grep "^stkcap: deep.txt:4: .*65536 frames" err
	stkcat -f tsv --only sample out.stk | cut -f 3 | tr "\n" " " | grep -x "thread deep main "
'
check 'half a million frames in a folded line' '
	awk "BEGIN { for (i = 0; i < 500000; i++) printf \"%sf\", i ? \";\" : \"\"; print \" 1\\na;b 2\" }" >deep.txt
	capped 1 --format folded deep.txt
	grep "^stkcap: deep.txt:1: .*65536 frames" err
	stkcat -q -f folded out.stk | grep -x "a;b 2"
'
check 'fifty thousand lock lines in a stack' '
	awk "BEGIN { print \"2026-03-01 09:00:00\\nFull thread dump OpenJDK 64-Bit Server VM (17):\\n\";
		print \"\\\"locks\\\" #1 prio=5 os_prio=0 tid=0x01 nid=0x1 runnable [0x01]\\n   java.lang.Thread.State: RUNNABLE\\n\\tat a.B.m(B.java:1)\";
		for (i = 0; i < 50000; i++) printf \"\\t- locked <0x%016x> (a a.C)\\n\", i;
		print \"\\n\\\"main\\\" #2 prio=5 os_prio=0 tid=0x02 nid=0x2 runnable [0x01]\\n   java.lang.Thread.State: RUNNABLE\\n\\tat a.B.main(B.java:3)\\n\" }" >locks.txt
	"$tools/peak" peak stkcap locks.txt >out.stk 2>err && got=0 || got=$?
	test $got -le 1
	stkcat -f tsv --only sample out.stk | cut -f 3 | tr "\n" " " | grep -x "thread locks main "
'
check 'an endless thread name is left out and said; the next thread is read' '
	awk "BEGIN { print \"2026-03-01 09:00:00\\nFull thread dump OpenJDK 64-Bit Server VM (17):\\n\"; printf \"\\\"\"; for (i = 0; i < 300000; i++) printf \"endless name \";
		print \"\\\" #1 prio=5 os_prio=0 tid=0x01 nid=0x1 runnable [0x01]\\n   java.lang.Thread.State: RUNNABLE\\n\\tat a.B.m(B.java:1)\\n\";
		print \"\\\"main\\\" #2 prio=5 os_prio=0 tid=0x02 nid=0x2 runnable [0x01]\\n   java.lang.Thread.State: RUNNABLE\\n\\tat a.B.main(B.java:3)\\n\" }" >endless.txt
	capped 1 endless.txt
	grep "^stkcap: endless.txt:4: .*1 MiB" err
	stkcat -f tsv --only sample out.stk | cut -f 3 | tr "\n" " " | grep -x "thread main "
'
check 'a name that never ends with a quote' '
	awk "BEGIN { print \"2026-03-01 09:00:00\\nFull thread dump OpenJDK 64-Bit Server VM (17):\\n\"; printf \"\\\"\"; for (i = 0; i < 300000; i++) print \"endless name \" i }" >endless.txt
	capped 1 endless.txt || capped 0 endless.txt
	test "$(wc -l <err)" -lt 20
'
check 'NUL bytes are kept' '
	printf "a;b\0c;d 3\na;e 4\n" >nul.txt
	capped 0 nul.txt
	stkcat -f ndjson --ids --only string out.stk | grep "\"b.u0000c\""
	printf "prog\0x 7/8 [003] 10.000001: 5 cycles:\n\t7f01 f\0g (/bin/prog)\n\n" >nul.txt
	capped 0 nul.txt || capped 1 nul.txt
'
check 'half a UTF-8 character, and bytes that are none, are kept' '
	printf "a;b\303;d 3\na;\342\202 4\n\377;\300\200 5\n" >half.txt
	capped 0 half.txt
	stkcat -q -f folded out.stk | sort >got
	sort half.txt | cmp - got
	stkcat -f ndjson --ids --only string out.stk | grep "\"b.udcc3\""
'
check 'a line without an end counts, in all formats' '
	printf "a;b 1\nc;d 2" >open.txt
	capped 0 open.txt
	grep " 2 samples" err
	printf "prog 7/8 [003] 10.000001: 5 cycles:\n\t7f01 f (/bin/prog)" >open.txt
	capped 0 open.txt
	grep " 1 samples" err
'
check 'numbers that no word holds do not become others' '
	printf "a;b 99999999999999999999999999\nc;d 18446744073709551615\ne;f -5\ng;h 0\ni;j 1e300\n" >numbers.txt
	"$tools/peak" peak stkcap numbers.txt >out.stk 2>err && got=0 || got=$?
	test $got -le 1
	stkcat -q -f folded out.stk >got.txt || true
	status 1 grep -e "^a;b [0-9]" -e "^e;f [0-9]" got.txt
	printf "prog 99999999999999999999/8 [003] 99999999999999999999.000001: 99999999999999999999999 cycles:\n\t7f01 f (/bin/prog)\n\n" >numbers.txt
	"$tools/peak" peak stkcap --format perf-script numbers.txt >out.stk 2>err && got=0 || got=$?
	test $got -le 1
'
check 'ten thousand empty lines, blanks, quotes, semicolons' '
	for word in "" " " "\"" ";" "\t" ";;;; 1" "\"\" 1" "-" "\tat " "   java.lang.Thread.State: "; do
		yes "$(printf "%s" "$word")" | head -10000 | cat - good.txt >dull.txt
		for format in thread-dump perf-script folded; do
			"$tools/peak" peak stkcap -q --format $format dull.txt >out.stk 2>err && got=0 || got=$?
			test $got -le 1 || { echo "status $got of $format: $word"; false; }
			test "$(wc -l <err)" -le 12
		done
	done
'
finish
