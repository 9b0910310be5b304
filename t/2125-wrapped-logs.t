#!/bin/sh
# SPDX-License-Identifier: MIT
# Dumps that a logger wrote with the name of a thread before each line, another in each line: no thread is lost without
# a word.
. "${0%/*}/lib/tap.sh"

tab=$(printf "\t")

cat >plain <<'END'
2026-01-02 03:04:05
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):

"main" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f0000000001 nid=0x1 runnable  [0x00007f0000001000]
   java.lang.Thread.State: RUNNABLE
	at a.B.c(B.java:1)
	at a.B.main(B.java:2)

"pool-1-thread-1" #2 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f0000000002 nid=0x2 waiting on condition  [0x00007f0000001000]
   java.lang.Thread.State: WAITING (parking)
	at a.B.d(B.java:1)
	- parking to wait for  <0x00000000c0000001> (a x.Y)
	at a.B.main(B.java:2)

"x" #3 prio=5 os_prio=0 tid=0x00007f0000000003 nid=0x3 runnable  [0x00007f0000001000]
   java.lang.Thread.State: RUNNABLE
	at a.B.e(B.java:1)
	at a.B.main(B.java:2)
END

# wrap FORMAT: FORMAT, whose %s is a thread's name, before each line of stdin; the names take turns
wrap() {
	awk -v form="$1" 'BEGIN { n = split("main,http-nio-8080-exec-12,pool-1-thread-1,Reference Handler,C2 CompilerThread0,x[1]", name, ",") }
		{ printf form "%s\n", name[NR % n + 1], $0 }'
}

# threads FILE: name, state, frames, and what is waited for, in their order
threads() {
	cp "$1" app.txt
	stkcap -q -o out.stk app.txt && stkcat -q -f tsv out.stk | grep -v "^#" >rows
	cat rows
}

check 'the dump without a prefix, by hand' '
	stkcap -o plain.stk plain 2>err
	grep "^stkcap: 1 dumps, 3 samples, 3 distinct stacks, 0 lines skipped" err
	stkcat -q -f folded plain.stk | sed "s/^.*a\.B\.main/a.B.main/" | sort >got
	printf "%s\n" "a.B.main;a.B.c 1" "a.B.main;a.B.d 1" "a.B.main;a.B.e 1" | same - got
	threads plain >want
	test -s want
'
for form in '2026-01-02 03:04:05,123 INFO [%s] com.acme.Dump - ' '03:04:05.123 [%s] INFO  c.a.D - ' \
	'2026-01-02T03:04:05.123Z  INFO 1 --- [%15.15s] c.a.Dump  : ' '03:04:05,123 INFO  [stdout] (%s) ' \
	'[2026-01-02T03:04:05] [%s] ' '2026-01-02 03:04:05,123 %s INFO - ' '03:04:05.123 INFO %s: c.a.D ' \
	'Jan  2 03:04:05 host %s 1 - '; do
check "after '$form', with a thread's name that changes from line to line" '
	wrap "$form" <plain >log
	threads log | same want -
	wrap "$form" <plain | sed "s/ *\$//" >trimmed
	threads trimmed | same want -
	{ echo starting | wrap "$form"; cat log; echo stopping | wrap "$form"; } >log2
	stkcap -q -o two.stk log2; stkcat -q -f folded two.stk | sed "s/^.*a\.B\.main/a.B.main/" | sort | same got -
'
done
check 'every line as the end of the text: threads that are complete are there, and nothing fails' '
	wrap "2026-01-02 03:04:05,123 INFO [%s] com.acme.Dump - " <plain >log
	for lines in 1 2 3 4 5 6 7 8 9 12 13 14 15 16 17; do
		head -n $lines plain >a.txt; head -n $lines log >b.txt
		stkcap -o a.stk a.txt 2>/dev/null && one=0 || one=$?
		stkcap -o b.stk b.txt 2>/dev/null && two=0 || two=$?
		test $lines -le 2 || test $one -eq $two
		test $lines -le 3 || { stkcat -q -f folded a.stk >a; stkcat -q -f folded b.stk | same a -; }
	done
'
check 'a prefix that changes, without a time, cannot be removed: each header, state and frame after it is reported' '
	wrap "%s INFO - " <plain >log
	status 1 stkcap -o out.stk log 2>err
	test "$(grep -c "^stkcap: log:[0-9]*: a part of a thread after other text, such as a log.s prefix that is not known$" err)" -ge 6
	for line in 4 9 15; do grep "^stkcap: log:$line: a part of a thread" err; done
'
check 'a name of one word that nothing follows may change too' '
	awk "{ printf \"03:04:05 %s %s\n\", NR % 3 ? \"main\" : \"exec-1\", \$0 }" plain >log
	threads log | same want -
'
check 'one frame alone with another prefix is reported' '
	sed "s/^/03:04:05 main - /" plain | sed "\$s/^03:04:05 main/later/" >log
	status 1 stkcap -o out.stk log 2>err
	grep "^stkcap: log:$(wc -l <log | tr -d " "): a part of a thread" err
	grep "^stkcap: 1 dumps, 3 samples, 3 distinct stacks, 1 lines skipped" err
'
check 'frames of exceptions in a log are not taken for a thread' '
	{ cat plain; echo; echo "03:04:06 ERROR failed"; printf "03:04:06 ERROR \tat a.B.c(B.java:1)\n"; } >log
	status 0 stkcap -o out.stk log 2>err
	grep "3 samples, 3 distinct stacks, 2 lines skipped" err
'

check 'UTF-16 and UTF-32 with a prefix, and one that was clean before: the same rows, whatever the size of the file' '
	wrap "2026-01-02 03:04:05,123 INFO [%s] com.acme.Dump - " <plain >log
	{ cat plain; echo; } >piece; repeat 500 piece >many
	wrap "2026-01-02 03:04:05,123 INFO [%s] com.acme.Dump - " <many >manylog
	threads many >wantmany
	threads manylog | same wantmany -
	for to in UTF-16 UTF-16LE UTF-16BE UTF-32BE; do
		iconv -f UTF-8 -t $to log >wide; threads wide | same want -
		iconv -f UTF-8 -t $to manylog >wide; threads wide | same wantmany -
	done
	sed "s/\$/\r/" log >crlf; threads crlf | same want -
'
check 'a second prefix in one file of UTF-16' '
	{ wrap "03:04:05,123 [%s] - " <plain; wrap "app[12]: 03:04:05 [%s] " <plain; } >log
	stkcap -q -o out.stk log; stkcat -q -f folded out.stk | sed "s/^.*a\.B\.main/a.B.main/" | sort >two
	iconv -f UTF-8 -t UTF-16 log >wide
	stkcap -o out.stk wide 2>err; grep "^stkcap: 2 dumps, 6 samples" err
	stkcat -q -f folded out.stk | sed "s/^.*a\.B\.main/a.B.main/" | sort | same two -
'

cat >perf <<'END'
java 7 [001] 12.345678:     250000 cycles:
	    7f0001 foo+0x1 (/usr/lib/a.so)
	    7f0002 main+0x2 (/usr/bin/a)

my tool 8 [000] 12.345679:     250000 cycles:
	    7f0003 bar+0x1 (/usr/lib/a.so)
	    7f0002 main+0x2 (/usr/bin/a)

END
printf "%s\n" "main;a b;c 3" "main;d 2" "main;e f 1" >stacks
cat >gdb <<'END'
Thread 2 (Thread 0x7f00 (LWP 12) "w 1"):
#0  0x00007f01 in poll () from /lib/libc.so.6
#1  0x00007f02 in main () at a.c:3

Thread 1 (Thread 0x7f01 (LWP 11) "a"):
#0  0x00007f03 in read () from /lib/libc.so.6
#1  0x00007f02 in main () at a.c:3
END
for form in '2026-01-02 03:04:05,123 INFO [%s] com.acme.Dump - ' 'Jan  2 03:04:05 host app[7]: %.0s' 'app_1  | %.0s' \
	'2026-01-02T03:04:05.123Z %.0s' '03:04:05 %s INFO: '; do
check "perf, stacks and gdb after '$form'" '
	for text in perf stacks gdb; do
		threads $text >w
		# a date with its zone is the time of the stack after it
		case "$text $form" in "stacks "*Z*) sed -i "s/^-${tab}app/2026-01-02T03:04:05.123Z${tab}app/; s/unknown${tab}unknown${tab}\$/unknown${tab}wall${tab}/" w ;; esac
		wrap "$form" <$text >log
		threads log | same w -
	done
'
done
check 'the same in a file of several pieces, without blanks at the ends of lines' '
	for text in perf stacks gdb; do
		{ cat $text; echo; } >piece; repeat 600 piece >many
		stkcap -q -o out.stk many; stkcat -q -f folded out.stk >w
		wrap "Jan  2 03:04:05 %s app[7]: a long prefix of a log - " <many | sed "s/ *\$//" >log
		test "$(wc -c <log)" -gt 140000
		stkcap -q -o out.stk log; stkcat -q -f folded out.stk | same w -
	done
'
check 'a time or a bar within a stack is no prefix' '
	printf "%s\n" "a;x 01:02:03 b;c 3" "a;x 01:02:03 b;d 2" | tee x | sed "s/ [0-9]*\$//" >names
	stkcap -q -o out.stk x; stkcat -q -f folded out.stk | sed "s/ [0-9]*\$//" | same names -
	printf "%s\n" "a | b;c 3" "d | b;c 2" >y
	stkcap -q -o out.stk y; stkcat -q -f folded out.stk | sort | same y -
'

finish
