#!/bin/sh
# SPDX-License-Identifier: MIT
# A large text is read in pieces: a section that begins just before the end of one is found as anywhere else.
. "${0%/*}/lib/tap.sh"

printf 'main;order;pay 3\nmain;order;ship 4\nmain;order;tax;round 5\nmain;wait 6\n' >folded
printf '@1767225605\na;b 2\na;c 3\n' >folded-dumps
printf 'P42;T0:1;run.py:main:7;run.py:pay:9 120\nP42;T0:1;run.py:main:7;run.py:ship:12 80\n' >austin
printf 'Current thread 0x00007f30 (most recent call first):\n  File "work.py", line 12 in wait\n  File "work.py", line 20 in <module>\n' >faulthandler
printf 'TID 7 "w":\n#0  0x01 work - /opt/a.so\n#1  0x02 main - /opt/a.so\n\nTID 8 "v":\n#0  0x01 idle - /opt/a.so\n#1  0x02 main - /opt/a.so\n' >eu-stack
printf '  a`work+0x5d\n  a`main+0x1\n  3\n\n  a`idle+0x5d\n  a`main+0x1\n  4\n' >dtrace
printf '2026-03-01 09:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n"w" #1 prio=5 tid=0x1 nid=0x1 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n\n"v" #2 prio=5 tid=0x2 nid=0x2 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.d(B.java:1)\n' >thread-dump
kinds="folded folded-dumps austin faulthandler eu-stack dtrace thread-dump"

# around SECTION EDGE BYTES: the section with lines of a log before it and after it, so that the byte EDGE of the text is
# the one at this byte of what begins with the section. Few lines are long: the log has 33 short ones on either side.
around() {
	awk -v edge="$2" -v at="$3" -v section="$1" '
	function log_line(long) { return sprintf("2026-01-02 03:04:05.123 INFO  [main] shop.Main - order 17 is paid%*s", long, "") "." }
	function out(line) { print line; size += length(line) + 1 }
	BEGIN {
		short = length(log_line(0)) + 1; want = edge - at - 33 * short
		while (size + 4000 < want) out(log_line(1500))
		out(log_line(want - size - short))
		for (i = 0; i < 33; i++) out(log_line(0))
		while ((getline line <section) > 0) out(line)
		for (i = 0; i < 40; i++) out(log_line(0))
		while (size < edge * 2.2) out(log_line(1500))
	}'
}
# edges SECTION: the bytes at which its lines and 33 lines of the log below it end
edges() { { cat "$1"; yes '2026-01-02 03:04:05.123 INFO  [main] shop.Main - order 17 is paid.' | head -33; } | awk '{ print at; at += length($0) + 1 } BEGIN { at = 0 }'; }
# stacks FILE...: that many times what each has
stacks() { stkcap -q "$@" | stkcat -q -f folded | sort; }

for kind in $kinds; do
	check "$kind: a piece may end at any of its lines, and at those of a log below it" '
		rm -rf in; mkdir in; files=0
		for at in $(edges '$kind'); do around '$kind' 262144 "$at" >"in/at-$at"; files=$((files + 1)); done
		test "$(wc -c <in/at-0)" -gt 524288
		around '$kind' 9000 0 >small
		stacks small | awk -v files=$files "{ \$NF *= files; print }" >wanted; test -s wanted
		for threads in 1 2; do stacks --threads $threads in >got; same wanted got; done
		rm -r in
	'
done
check 'one byte before and after the end of a line, through a pipe' '
	for at in -1 0 1 16 17 18 35 36 37; do around folded 262144 $at | stacks - ; done | sort | uniq -c >got
	around folded 9000 0 >small; stacks small | sed "s/^/      9 /" | same - got
'
check 'what follows jstat in a file is found, wherever a piece ends' '
	{ printf " Timestamp S0C S1C S0U S1U EC EU OC OU MC MU CCSC CCSU YGC YGCT FGC FGCT GCT\n"
	  printf "1.5 0.0 0.0 0.0 0.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1 0.1 0 0.0 0.1\n"
	  printf "2.5 0.0 0.0 0.0 0.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1 0.1 0 0.0 0.1\n"; } >jstat
	{ cat jstat; cat folded; } >mixed
	status 0 stkcap -q -o out.stk mixed
	stkcat -q -f folded out.stk | sort >got; sort folded | same - got
	stkcat -q -f tsv --only metric out.stk | grep -c gc.seconds | grep 2
	size=$(wc -c <jstat)
	for at in 0 1 $size; do around mixed 262144 $at >big; stkcap -q big | stkcat -q -f folded >got; sort folded | same - got; done
	{ cat jstat; echo "3.5 0.0 0.0"; } >cut
	status 1 stkcap -q -o out.stk cut 2>err
	grep "cut:4: a line that jstat -gc -t does not print" err
'
finish
