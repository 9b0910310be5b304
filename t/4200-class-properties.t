#!/bin/sh
# SPDX-License-Identifier: MIT
# Segments and classes of random stacks are those of a slow and obvious implementation; and what holds for any order, any recursion, any depth.
. "${0%/*}/lib/tap.sh"

# folded STACK...   a stream of one dump
folded() { { echo @1772355600; for stack; do echo "$stack 1"; done; } | stkcap -q --format folded-dumps -; }
leaves() { stkclass -q --segments -f tsv "$@" | awk -F '\t' 'NR > 1 && $3 == 0 { print $7 }' | sort; }

if have python3; then
	check '120 random sets of dumps: leaves by definition (claim 7, for every pair of neighbours), trees, counters, signatures and subclasses as the reference has them' '
		python3 "$t/reference/classes.py" 7 120
	'
else
	skip 'no python3' '120 random sets of dumps are as the reference has them' ''
fi
check 'leaves do not depend on the order of arrival; offline, nothing does' '
	awk "BEGIN { srand(3); for (i = 0; i < 200; i++) { n = 1 + int(rand() * 8); s = \"\"; for (k = 0; k < n; k++) s = s (k ? \";\" : \"\") \"f\" int(rand() * rand() * 40); print s } }" >stacks
	stkcap -q --format folded stacks >one.stk
	sort stacks | stkcap -q --format folded - >two.stk
	sort -r stacks | stkcap -q --format folded - >three.stk
	leaves one.stk >one
	test "$(wc -l <one)" -gt 10
	leaves two.stk | same one -
	leaves three.stk | same one -
	for n in one two three; do
		stkclass -q --offline --segments -f tsv $n.stk >$n.segments
		stkclass -q --offline -f tsv $n.stk >$n.classes
		stkclass -q --offline --grammar $n.stk >$n.grammar
	done
	same one.segments two.segments
	same one.segments three.segments
	same one.classes three.classes
	same one.grammar three.grammar
'
check 'recursion: a;b;a;b is of the leaf (a,b), twice, and counts once' '
	folded "a;b;a;b" "a;b" >rec.stk
	stkclass -q --segments -f tsv rec.stk | cut -f 6,7 | tail -n +2 | tr "\t" " " >got
	echo "2 a;b" | same - got
	stkclass -q -f tsv rec.stk | cut -f 3 | tail -n +2 | awk "{ print NF }" | tr "\n" " " >got
	printf "2 1 " | same - got
'
check 'a frame with two different neighbours is a branch, within one stack too' '
	folded "a;b;a;c" | leaves >got
	printf "a\nb\nc\n" | same - got
'
check 'stacks that are the beginning, the end or the middle of others; stacks of one frame' '
	folded "a;b;c;d;e" "a;b" | leaves | tr "\n" " " | grep -x "a;b c;d;e "
	folded "a;b;c;d;e" "d;e" | leaves | tr "\n" " " | grep -x "a;b;c d;e "
	folded "a;b;c;d;e" "b;c;d" | leaves | tr "\n" " " | grep -x "a b;c;d e "
	folded "c" "a;b;c;d;e" | leaves | tr "\n" " " | grep -x "a;b c d;e "
	folded "x" "y" "x" | leaves | tr "\n" " " | grep -x "x y "
'
check '10,000 frames: one segment; cut in two by a stack of half of them; each stack restorable' '
	awk "BEGIN { for (i = 0; i < 10000; i++) printf \"%sf%d\", i ? \";\" : \"\", i; print \" 1\"; for (i = 0; i < 5000; i++) printf \"%sf%d\", i ? \";\" : \"\", i; print \" 1\" }" >deep
	stkcap -q --format folded deep >deep.stk
	stkclass -q --segments -f tsv deep.stk | awk -F "\t" "NR > 1 { print split(\$7, f, \";\") }" | tr "\n" " " >got
	printf "10000 5000 5000 " | same - got
	stkclass -q --grammar deep.stk | head -3 >got
	printf "Thread1 -> (A,B)\nThread2 -> (A)\n(A,B) -> (A)(B)\n" | same - got
'
check 'a stack that splits at every frame, from either end: 2,000 splits, and the leaves are the frames' '
	awk "BEGIN { for (n = 2000; n > 0; n--) { for (i = 0; i < n; i++) printf \"%sf%d\", i ? \";\" : \"\", i; print \" 1\" } }" | stkcap -q --format folded - >down.stk
	awk "BEGIN { for (n = 0; n < 2000; n++) { for (i = n; i < 2000; i++) printf \"%sf%d\", (i > n) ? \";\" : \"\", i; print \" 1\" } }" | stkcap -q --format folded - >up.stk
	for way in down up; do
		leaves $way.stk | grep -vc ";" >got
		echo 2000 | same - got
		stkclass -q --segments -f tsv $way.stk | tail -n +2 | wc -l | grep -x 3999
	done
'
check 'records: the same classes of stacks, and totals as in the tables' '
	stkclass -q one.stk >classified.stk
	stkcat --check classified.stk
	stkcat -f tsv --only intensity classified.stk | awk -F "\t" "\$3 == \"class\" { total[\$4] = \$7 } END { for (c in total) print c, total[c] }" | sort >got
	stkclass -q -f tsv one.stk | awk -F "\t" "NR > 1 { print \$1, \$5 }" | sort | same - got
	stkcat -f folded classified.stk >passed
	stkcat -f folded one.stk | same - passed
	stkclass -q classified.stk 2>err | stkcat -f ndjson --ids --only class,segment,split >again
	stkcat -f ndjson --ids --only class,segment,split classified.stk | same - again
'
check 'parts: by source, pool and state; a class of each, segments in common' '
	cat >threads.txt <<END
2026-03-01 09:00:00
Full thread dump OpenJDK 64-Bit Server VM (17):

"http-exec-1" #1 prio=5 os_prio=0 tid=0x01 nid=0x1 runnable [0x01]
   java.lang.Thread.State: RUNNABLE
	at a.B.work(B.java:1)
	at a.B.run(B.java:3)

"http-exec-2" #2 prio=5 os_prio=0 tid=0x02 nid=0x2 waiting [0x01]
   java.lang.Thread.State: WAITING (parking)
	at a.B.work(B.java:2)
	at a.B.run(B.java:3)

"batch-1" #3 prio=5 os_prio=0 tid=0x03 nid=0x3 runnable [0x01]
   java.lang.Thread.State: RUNNABLE
	at a.B.work(B.java:1)
	at a.B.run(B.java:3)

END
	stkcap -q threads.txt >threads.stk
	stkclass -q -f tsv threads.stk | tail -n +2 | cut -f 4,9 | tr "\t" " " | grep -x "3 "
	stkclass -q -f tsv --by pool threads.stk | tail -n +2 | cut -f 4,9 | sort | tr "\t\n" "  " | grep -x "1 pool=batch-\* 2 pool=http-exec-\* "
	stkclass -q -f tsv --by pool,state threads.stk | tail -n +2 | wc -l | grep -x 3
	stkclass -q -f tsv --by source threads.stk | tail -n +2 | cut -f 9 | grep "^source=threads.txt"
	stkclass -q --segments -f tsv --by pool,state threads.stk | tail -n +2 | cut -f 5,6,7 | tr "\t" " " | grep -x "3 3 a.B.run;a.B.work"
	stkclass -q -f tsv --lines threads.stk | tail -n +2 | wc -l | grep -x 2
	stkclass -q --by pool threads.stk | stkcat -f ndjson --ids --only part | wc -l | grep -x 2
'
# samples_at SECOND...: a profile with a sample at each
samples_at() {
	for second in "$@"; do printf "prog 1/1 %s: 1 cycles:\n\t55 f (m)\n\n" "$second"; done | stkcap -q --format perf-script -
}
check 'a sample at the very end of a slice begins the next one' '
	samples_at 100.000000 109.999999 | stkclass -f tsv --slice 10s 2>&1 >got | grep "2 samples .* in 1 dumps"
	samples_at 100.000000 109.999999 110.000000 | stkclass -f tsv --slice 10s 2>&1 >got | grep "3 samples .* in 2 dumps"
	samples_at 99.999999 100.000000 | stkclass -f tsv --slice 10s 2>&1 >got | grep "2 samples .* in 2 dumps"
	samples_at 110.000000 109.999999 | stkclass -f tsv --slice 10s 2>&1 >got | grep "2 samples .* in 1 dumps"
'
check 'generated names are folded, unless they are asked for' '
	printf "a;b\$\$Lambda\$1/0x0000000800c03000.run 1\na;b\$\$Lambda\$2/0x0000000800c04000.run 1\n" | stkcap -q --format folded - >lambda.stk
	stkclass -q -f tsv lambda.stk | tail -n +2 | wc -l | grep -x 1
	stkclass -q -f tsv --exact lambda.stk | tail -n +2 | wc -l | grep -x 2
'
# Ten threads 10 s apart; each is in work or in wait; of those in work half are in work 10 s later, of those in wait a fifth: stays FRESH; 1: a call is of a new thread
stays() {
	awk -v fresh="$1" 'BEGIN { srand(5); for (d = 0; d < 2000; d++) { t = d * 10; printf "2026-03-01 %02d:%02d:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n", int(t / 3600), int(t / 60) % 60, t % 60;
		for (i = 1; i <= 10; i++) { had = w[i]; if (w[i]) w[i] = rand() < .5; else w[i] = rand() < .2;
		if (fresh && w[i] && !had) calls++; n = w[i] && fresh ? (had ? of[i] : calls + 10) : i; of[i] = n
		printf "\"t%d\" #%d prio=5 os_prio=0 tid=0x%02x nid=0x%x runnable [0x01]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.%s(B.java:1)\n\tat a.B.run(B.java:3)\n\n", n, n, n, n, w[i] ? "work" : "wait" } } }' |
		stkcap -q - | stkclass -q -f tsv | awk -F "\t" '$13 == "a.B.work" { print $11, $12 }'
}
check 'threads that stay and threads that go: mean stay and calls by Little'"'"'s law' '
	# none comes back: 10 / ln 2 = 14.4 s
	stays 1 >got
	awk "{ exit !(\$1 > 13.4 && \$1 < 15.5 && \$2 > 0.17 && \$2 < 0.22) }" got || { cat got; false; }
	# some of those in work left and came back meanwhile: 10 x (.5 + .2) / (.5 x -ln(1 - .5 - .2)) = 11.6 s
	stays 0 >got
	awk "{ exit !(\$1 > 10.9 && \$1 < 12.4 && \$2 > 0.22 && \$2 < 0.27) }" got || { cat got; false; }
'
finish
