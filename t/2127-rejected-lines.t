#!/bin/sh
# SPDX-License-Identifier: MIT
# A foreign line at any place of a text is in --rejects with its number, and costs nothing else.
. "${0%/*}/lib/tap.sh"

cat >jstack <<'END'
2026-01-02 03:04:05
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):

"main" #1 prio=5 os_prio=0 tid=0x00007f0000000001 nid=0x1 waiting on condition  [0x00007f0000001000]
   java.lang.Thread.State: WAITING (parking)
	at a.B.d(B.java:1)
	- parking to wait for  <0x00000000c0000001> (a x.Y)
	at a.B.main(B.java:2)

"x" #3 prio=5 os_prio=0 tid=0x00007f0000000003 nid=0x3 runnable  [0x00007f0000001000]
   java.lang.Thread.State: RUNNABLE
	at a.B.e(B.java:1)
	at a.B.main(B.java:2)
END
cat >perf <<'END'
java 7 [001] 12.345678:     250000 cycles:
	    7f0001 foo+0x1 (/usr/lib/a.so)
	    7f0002 main+0x2 (/usr/bin/a)

my tool 8 [000] 12.345679:     250000 cycles:
	    7f0003 bar+0x1 (/usr/lib/a.so)
	    7f0002 main+0x2 (/usr/bin/a)

END
printf '%s\n' 'main;a b;c 3' 'main;d 2' 'main;e f 1' >stacks
cat >gdb <<'END'
Thread 2 (Thread 0x7f00 (LWP 12) "w 1"):
#0  0x00007f01 in poll () from /lib/libc.so.6
#1  0x00007f02 in main () at a.c:3

Thread 1 (Thread 0x7f01 (LWP 11) "a"):
#0  0x00007f03 in read () from /lib/libc.so.6
#1  0x00007f02 in main () at a.c:3
END
cat >goroutines <<'END'
goroutine 1 [running]:
main.f(0x1)
	/a/b.go:3 +0x1
main.main()
	/a/b.go:9 +0x1

goroutine 7 [chan receive, 3 minutes]:
main.g(0x1)
	/a/b.go:13 +0x1
created by main.main
	/a/b.go:9 +0x1
END
cat >go-counts <<'END'
goroutine profile: total 3
2 @ 0x1 0x2
#	0x1	main.f+0x1	/a/b.go:3
#	0x2	main.main+0x1	/a/b.go:9

1 @ 0x3 0x2
#	0x3	main.g+0x1	/a/b.go:13
#	0x2	main.main+0x1	/a/b.go:9
END
cat >py-spy <<'END'
Thread 12 (active): "MainThread"
    f (a.py:3)
    <module> (a.py:9)
Thread 13 (idle): "w"
    wait (threading.py:302)
    run (a.py:4)
END
cat >gc-log <<'END'
[0.105s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.345ms
[0.205s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 28M->5M(256M) 2.345ms
[0.305s][info][gc] GC(2) Pause Full (System.gc()) 28M->5M(256M) 22.345ms
END

# found FILE: what was found, as the summary has it, without the lines that were skipped
found() { sed -n 's/, [0-9]* lines skipped$//p' "$1" | tail -n 1; }

# Every place in $1: the line is listed there, alone and with nothing lost, but for the places in $2, where what follows
# the line is left out too, listed, and the status is 1.
at_every_place() {
	status 0 stkcap --rejects none -o out.stk "$1" 2>err
	test ! -s none
	found err >whole
	for line in $(seq $(($(wc -l <"$1") + 1))); do
		awk -v at="$line" 'NR == at { print "foreign line, no more"; done = 1 } { print } END { if (!done) print "foreign line, no more" }' \
			"$1" >log
		stkcap --rejects rejects -o out.stk log 2>err && got=0 || got=$?
		grep "^log:$line: .*: foreign line, no more$" rejects
		grep ", $(wc -l <rejects) lines skipped$" err
		case " $2 " in
		*" $line "*) test $got -eq 1 ;;
		*) test $got -le 1; test "$(wc -l <rejects)" -eq 1; found err | same whole - ;;
		esac
	done
}
check 'Java threads' '
	tail -n +2 jstack >dump
	at_every_place dump ""
'
check 'perf script: a sample whose stack does not follow its head has none' 'at_every_place perf "2 6"'
check 'folded stacks' 'at_every_place stacks ""'
check 'gdb' 'at_every_place gdb ""'
check 'goroutines' 'at_every_place goroutines ""'
check 'counts of goroutines: what follows the line in a record is left out' 'at_every_place go-counts "2 3 4 7 8"'
check 'py-spy' 'at_every_place py-spy ""'
check 'collections' 'at_every_place gc-log ""'
check 'frames of an exception after a stack are not of it' '
	{ cat gdb; echo "failed"; printf "    at x (a.js:1)\n\tat a.B.c(B.java:1)\n"; } >log
	stkcap --rejects rejects -o out.stk log 2>err
	grep "1 dumps, 2 samples, 2 distinct stacks, 3 lines skipped" err
'
check 'a line within a stack is reported each time, with its number, when the same stack is met again' '
	for i in 1 2 3; do sed "2s/^/\tnot a frame\\n/" perf; done >log
	status 1 stkcap --rejects rejects -o out.stk log 2>err
	grep -n "not a frame" log | cut -d: -f1 >want
	grep "not a frame$" rejects | cut -d: -f2 | same want -
	grep " 6 samples, 2 distinct stacks, 3 lines skipped" err
	for i in 1 2 3; do sed "6s/^/\tnot a frame\\n/; s/c0000001/c000000$i/" jstack; echo; done >log
	status 1 stkcap --rejects rejects -o out.stk log 2>err
	grep -n "not a frame" log | cut -d: -f1 >want
	grep "not a frame$" rejects | cut -d: -f2 | same want -
	grep " 3 dumps, 6 samples, 2 distinct stacks, 3 lines skipped" err
'
check 'collections among noise, and below them a line with the words of a dump: each line that is left is there once' '
	{ sed -n 1,8p jstack; echo "here is a note"
	  for n in 1 2; do echo "[$n.0s][info][gc] GC($n) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.455ms"; done
	  printf "%s\n" hello "we asked for a Full thread dump (see above)" "and that was it"; } >log
	stkcap --rejects rejects -o out.stk log 2>err
	cut -d: -f2 rejects >found
	printf "%s\n" 9 12 13 14 | same found -
	grep "14 lines: 9 taken, 1 blank, 4 rejected" err
'
finish
