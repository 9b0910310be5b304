#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend --against a heap: which class holds it, and how many bytes a thread, or that it follows the load, or that no class does.
. "${0%/*}/lib/tap.sh"

# program NAME DAYS SEED HELD LOAD GROWS [TOOTH]: twelve classes with a day each of its own; threads of class 3 hold HELD MiB each, all threads LOAD MiB each, and for
# each hour of a thread of class 5 the heap is GROWS MiB larger. Class 5 runs in one night of three. With TOOTH the heap is measured in each dump, holds HELD for
# those of class 3 that are in it, and grows by up to TOOTH MiB until the next collection.
program() {
	awk -v name="$1" -v days="$2" -v seed="$3" -v held="$4" -v loaded="$5" -v grows="$6" -v tooth="${7-}" '
	function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
	BEGIN {
		srand(seed); pi = 3.14159265; print "time,name,value" >(name ".csv")
		for (c = 0; c < 12; c++) { phase[c] = rand() * 24; level[c] = 1 + rand() * 4 }
		for (h = 0; h < days * 24; h++) {
			all = 0
			for (c = 0; c < 12; c++) {
				way[c] = 0.7 * way[c] + 0.3 * (rand() + rand() + rand() - 1.5)
				if (c == 5) t[c] = int(h / 24) % 3 == 0 && h % 24 < 8 ? 4 : 0
				else t[c] = level[c] * (1 + 0.5 * sin(2 * pi * (h % 24 + phase[c]) / 24)) * exp(way[c])
				all += t[c]
			}
			for (k = 0; k < 6; k++) {
				print "@" 1772323200 + h * 3600 + k * 600 >(name ".txt")
				for (c = 0; c < 12; c++) { n = poisson(t[c]); if (c == 3) here = n; if (n > 0) printf "main;serve;work%d;step%d %d\n", c, c, n >(name ".txt") }
				if (tooth != "") printf "%d,heap.used,%.0f\n", 1772323200 + h * 3600 + k * 600, 1048576 * (400 + held * here + tooth * rand()) >(name ".csv")
			}
			if (tooth == "") printf "%d,heap.used,%.0f\n", 1772323200 + h * 3600 + 1800, 1048576 * (400 + h / 3 + held * t[3] + loaded * all + grows * grown + 8 * (rand() + rand() - 1)) >(name ".csv")
			grown += t[5]
		}
	}'
	stkcap -q --source "$1" -o "$1-dumps.stk" "$1.txt"
	stkcap -q --source "$1" -o "$1-heap.stk" "$1.csv"
}
both() {
	stkcat --merge --sort -f stream -o all-dumps.stk "$@"
	stkclass -q -o both.stk all-dumps.stk
}
ask() { stktrend -q --kind class,metric --against heap.used "$@" both.stk; }
# share of a number of another
near() { awk -v a="$1" -v b="$2" -v part="$3" 'BEGIN { d = a / b - 1; exit !(d < part && d > -part) }'; }

program one 12 1 40 0 0
both one-dumps.stk one-heap.stk
check 'the class that holds the heap is said in one sentence, with bytes a thread, its share, and limits' '
	ask -f text >seen
	sed -n "1,3p" seen | tr "\n" " " | grep -q "step3 < work3) holds 4[0-9.]*M a thread (95 %: [0-9.]*M to [0-9.]*M) of heap.used@one: [0-9.]*M of [0-9.]*M on average, [0-9]* %"
	grep -q "^ *series  *a thread  *low  *high  *held  *%" seen'
check '... and told programs in columns at the end' '
	ask -f tsv >table
	head -1 table | grep -q "	kind	about	against	how	per_thread	low	high	held	share	rivals	by$"
	test "$(awk -F "\t" "\$10 == \"holds\"" table | wc -l)" = 1
	near "$(awk -F "\t" "\$10 == \"holds\" && \$8 ~ /work3/ { print \$11 / 1048576 }" table)" 40 0.15
	awk -F "\t" "\$10 == \"holds\" { exit !(\$12 < 40 * 1048576 && \$13 > 40 * 1048576 && \$15 > 0.05 && \$15 < 0.6) }" table'
check 'the alert of a hoarder goes by the same figures' '
	status 4 stktrend -q --alert "hoards > 50M" both.stk >said
	grep -q "step3 < work3): holds [0-9.]*M of heap.used@one, [0-9.]*M a thread" said
	status 0 stktrend -q --alert "hoards > 5G" both.stk >said
	test ! -s said
	status 0 stktrend -q --alert "hoards of nothing* > 1M" both.stk >said
	test ! -s said'
check 'records say what is held hour by hour: together with the rest about the heap itself' '
	ask -f stream | stkcat -f ndjson >rows
	test "$(grep -c "\"kind\":\"holder\"" rows)" = 2
	grep "\"kind\":\"holder\"" rows | tail -1 | grep -q "\"what\":\"rest\""
	grep "\"kind\":\"held\"" rows | sed "s/.*\"id\":\([0-9]*\).*\"value\":\([0-9.e+-]*\).*/\1 \2/" | awk "{ sum[\$1] += \$2; n[\$1]++ } END { exit !(n[1] == 288 && n[2] == 288 && sum[1] / n[1] > 60e6 && sum[2] / n[2] > 400e6) }"
	awk -F, "NR > 1 { sum += \$3; n++ } END { print sum / n }" one.csv >mean
	grep "\"kind\":\"held\"" rows | sed "s/.*\"value\":\([0-9.e+-]*\).*/\1/" | awk "{ sum += \$1 } END { print sum / 288 }" >held
	near "$(cat held)" "$(cat mean)" 0.02'
check 'stkplot trend draws the rest and each holder one on the other, with what the records say' '
	stktrend -q --kind class,metric -f stream --against heap.used both.stk >held.stk
	stkplot trend -f svg held.stk >held.svg
	grep -q "heap.used @ one: what holds it" held.svg
	grep -q "from below: base and leak, step3 &#60; work3" held.svg
	stkplot trend -f term --width 100 --color never held.stk >drawn
	stktrend -q --kind class,metric --against heap.used -f text both.stk | grep -o "holds [0-9.]*M a thread" | sed "s/holds //" >each
	grep -q "^ *a step3 < work3  $(head -1 each) (" drawn
	grep -q "^ *\. base and leak" drawn
	stkplot trend -o held.html held.stk
	stktrend -q --kind class,metric -f stream both.stk >none.stk
	stkplot trend -f term --width 100 --color never none.stk >drawn
	status 1 grep "what holds it" drawn'
check 'a heap that all threads hold alike follows the load: no class is named' '
	program two 12 2 0 4 0
	both two-dumps.stk two-heap.stk
	ask -f text | head -2 | tr "\n" " " | grep -q "^heap.used@two follows the total load: [34].[0-9]*M a thread (95 %: .*no class stands out"
	ask -f tsv >table
	test "$(awk -F "\t" "\$10 != \"\" && NR > 1" table | wc -l)" = 1
	near "$(awk -F "\t" "\$1 == \"(all threads)\" { print \$11 / 1048576 }" table)" 4 0.1'
check 'two hosts are explained apart' '
	both one-dumps.stk one-heap.stk two-dumps.stk two-heap.stk
	ask -f tsv >table
	test "$(awk -F "\t" "\$9 == \"heap.used@one\" && \$10 == \"holds\" && \$8 ~ /work3/" table | wc -l)" = 1
	test "$(awk -F "\t" "\$9 == \"heap.used@two\" && \$10 == \"holds\" { print \$1 }" table)" = "(all threads)"
	near "$(awk -F "\t" "\$9 == \"heap.used@one\" && \$10 == \"holds\" { print \$11 / 1048576 }" table)" 40 0.15'
check 'what grows while a class runs is found' '
	program three 12 3 0 0 5
	both three-dumps.stk three-heap.stk
	ask -f text | head -2 | tr "\n" " " | grep -q "^heap.used@three grows while .*step5 < work5) runs: by [0-9.]*M a thread and hour"
	near "$(ask -f tsv | awk -F "\t" "\$10 == \"grows\" && \$8 ~ /work5/ { print \$11 / 1048576 }")" 5 0.1'
program each 12 5 40 0 0 100
check 'a heap that follows each dump is explained by the means of hours, not by their least measures, in which the fewest threads are: said' '
	both each-dumps.stk each-heap.stk
	ask -f tsv >table
	test "$(awk -F "\t" "\$10 == \"holds\" { print \$17, (\$12 < 40 * 1048576 && \$13 > 40 * 1048576) }" table)" = "mean 1"
	near "$(awk -F "\t" "\$10 == \"holds\" && \$8 ~ /work3/ { print \$11 / 1048576 }" table)" 40 0.15
	ask -f text | tr "\n" " " | tr -s " " | grep -q "heap.used@each goes by the mean of each hour, of which [0-9]* % is explained, [0-9]* % of its least measure: what the next collection frees counts, too"'
check 'a heap without threads: no class, and what would have been seen' '
	program four 12 4 0 0 0
	both four-dumps.stk four-heap.stk
	ask -f text | head -2 | tr "\n" " " | grep -q "^no class explains heap.used@four: one that holds less than [0-9.]*[kM] a thread is not seen"
	test "$(ask -f tsv | awk -F "\t" "\$10 != \"\" && NR > 1" | wc -l)" = 0'
check 'a day gets an answer too, with how little it rests on; less than that is said' '
	stkcat --from 2026-03-01 --to 2026-03-02T02:00 -f stream one-dumps.stk >short-dumps.stk 2>/dev/null
	stkcat --from 2026-03-01 --to 2026-03-02T02:00 -f stream one-heap.stk >short-heap.stk 2>/dev/null
	both short-dumps.stk short-heap.stk
	ask -f text >seen
	grep -q "less than 10 days" seen
	stkcat --from 2026-03-01 --to 2026-03-01T05:00 -f stream short-dumps.stk >a.stk 2>/dev/null
	stkcat --from 2026-03-01 --to 2026-03-01T05:00 -f stream short-heap.stk >b.stk 2>/dev/null
	both a.stk b.stk
	status 2 stktrend -q --against heap.used both.stk 2>err
	grep -q "24 hours of dumps and measures are needed: 5 are there" err
	status 0 stktrend --alert "hoards > 1M" both.stk 2>err
	grep -q "hoards: heap.used@one: 5 hours of dumps and measures, 24 needed" err'
check 'no heap, and no dumps: said, not passed over' '
	stkclass -q -o classes.stk one-dumps.stk
	status 1 stktrend -q --alert "hoards > 1M" classes.stk 2>err
	grep -q "hoards: no series .heap.used. in the input" err
	status 0 stktrend --alert "hoards > 1M" one-heap.stk 2>err
	grep -q "0 hours of dumps and measures" err'
check 'from a state, in pieces, the same is told as in one run' '
	both each-dumps.stk each-heap.stk
	status 4 stktrend -q --alert "hoards > 50M" both.stk >without
	status 4 stktrend -q --resume whole --alert "hoards > 50M" both.stk >once
	same without once
	stkcat --to 2026-03-05T05:17 -f stream both.stk >first.stk
	stkcat --from 2026-03-05T05:17 --to 2026-03-09T12:00 -f stream both.stk >second.stk
	stkcat --from 2026-03-09T12:00 -f stream both.stk >third.stk
	stktrend -q --resume pieces --alert "hoards > 50M" first.stk >told || test $? = 4
	stktrend -q --resume pieces --alert any second.stk >told || test $? = 4
	status 4 stktrend -q --resume pieces --alert "hoards > 50M" third.stk >told
	same once told
	ask -f tsv | awk -F "\t" "\$10 != \"\"" >rows
	for piece in first second third; do stktrend -q --kind class,metric --resume shown --against heap.used -f tsv $piece.stk >table; done
	awk -F "\t" "\$10 != \"\"" table >seen
	cut -f 8- rows >rows.held
	cut -f 8- seen >seen.held
	test "$(wc -l <rows.held)" = 2		# the names of columns, and a holder
	same rows.held seen.held'
check 'wrong rules are refused' '
	for rule in "hoards" "hoards > " "hoards > x" "hoards < 5M" "hoards of > 5M" "hoards of a b > 5M"; do status 2 stktrend -q --alert "$rule" both.stk 2>err; grep -q "hoards > 500M" err; done'
finish
