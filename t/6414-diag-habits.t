#!/bin/sh
# SPDX-License-Identifier: MIT
# stkdiag over long recordings: what a thread does as a habit is no warning, what is stuck is told once and from its
# beginning, and what comes again is one paragraph.
. "${0%/*}/lib/tap.sh"
cd "$scratch" || exit 99
. "$t/lib/hand_dumps.sh"

# of RULE SUBJECT: severity, threads, samples, dumps, lost, from and to of such findings
of() { awk -F '\t' -v rule="$1" -v subject="$2" '$3 == rule && $5 == subject { print $4, $6, $7, $9, $10, substr($1, 12), substr($2, 12) }' out; }
said() { awk -F '\t' -v rule="$1" -v subject="$2" '$3 == rule && $5 == subject { print $8 }' out; }
text() { COLUMNS=100 stkdiag -f text "$@" || test $? = 4; }
# sleeper CPU: a thread of the program between two rounds of its work
sleeper() { thread publisher 7 TIMED_WAITING "$1" java.lang.Thread.sleep app.Publisher.run; }

# 60 dumps, one every 20 seconds: the thread sleeps for four dumps, works in the fifth
rounds() {
	for i in $(seq 0 59); do
		begin $((i * 20))
		if test $((i % 5)) = 4; then thread publisher 7 RUNNABLE $((10 + i * 900)) app.Publisher.send app.Publisher.run
		else sleeper $((10 + i / 5 * 4500)); fi
		idle other 8
	done
}
check 'a thread that sleeps between rounds of its work has a habit: information, once, and no time is lost' '
	rounds >dumps; rows dumps >found
	printf "info 1 12 48 0.0 10:00:00Z 10:19:20Z\n" >expected
	of stuck "publisher in app.Publisher.run" | same - expected
	said stuck "publisher in app.Publisher.run" >words
	grep -qx "publisher stands in app.Publisher.run (java.lang.Thread.sleep) without using a processor, 12 times, 4 dumps in a row at most; it is there 80 % of the time, so it may be how it waits" words
	awk -F "\t" "NR == 2 { exit \$3 != \"healthy\" }" out || { cat out; false; }
'
check '... and is none where it is only seen in a few dumps' '
	for i in 0 1 2 3; do begin $((i * 20)); sleeper 10; idle other 8; done >dumps
	rows dumps >found
	of stuck "publisher in app.Publisher.run" | grep -q "^warning 1 "
'
# 120 dumps, one every ten seconds: two threads read for two dumps and compute in two, until one reads for 40
reads() {
	for i in $(seq 0 119); do
		begin $((i * 10))
		for n in 1 2; do
			if test $n = 1 && test $i -ge 60 && test $i -lt 100; then thread "job-$n" $n RUNNABLE 48000 java.net.SocketInputStream.socketRead0 app.Db.query
			elif test $((i / 2 % 2)) = 0; then thread "job-$n" $n RUNNABLE $((i / 2 * 1600)) java.net.SocketInputStream.socketRead0 app.Db.query
			else thread "job-$n" $n RUNNABLE $((i * 800)) "app.Work.step$i"; fi
		done
	done
}
check 'a stay that is much longer than the others is stuck, however often its thread is there' '
	reads >dumps; rows dumps >found
	of stuck "job-* in app.Db.query" >found
	grep -q "^warning 1 .* 10:10:00Z 10:16:30Z$" found && test $(wc -l <found) = 1 || { cat found; false; }
'
# 60 dumps, one a minute: of eight workers half are idle and half work, in turn, and all stand still from the twentieth dump to the 43rd
hang() {
	for i in $(seq 0 59); do
		begin $((i * 60))
		for n in 1 2 3 4 5 6 7 8; do
			if test $i -ge 20 && test $i -lt 43; then thread "w-$n" $n RUNNABLE 90000 java.net.SocketInputStream.socketRead0 app.Db.query app.Job.run
			elif test $(((i + n) % 2)) = 0; then thread "w-$n" $n RUNNABLE $((i * (i < 20 ? 100 : 5000))) java.net.SocketInputStream.socketRead0 app.Db.query app.Job.run
			else idle "w-$n" $n; fi
		done
	done
}
check 'that all threads of a pool stand still at once is no habit, however many they are and however long' '
	hang >dumps; rows dumps >found
	awk -F "\t" "\$3 ~ /stuck|pool-exhausted/ && \$5 ~ /app.Db.query/" out | cut -f 1-4 >found
	grep -q "^2026-03-01T10:2[0-9]:00Z.2026-03-01T10:42:00Z.*warning$" found || { cat out; false; }
	status 1 grep info found
'
# 40 dumps: two workers wait for a time in all of them, as a pool that asks a queue of its own does; three others stand still
pool() {
	for i in $(seq 0 39); do
		begin $((i * 20))
		for n in 1 2; do thread "ask-$n" $n TIMED_WAITING 5 java.lang.Object.wait app.Box.take app.Asker.run; done
		for n in 3 4 5; do thread "read-$n" $n RUNNABLE 5 java.net.SocketInputStream.socketRead0 app.Db.query app.Reader.run; done
	done
}
check 'a pool that only ever waits for a time may have nothing to do: a warning, below that of one that reads' '
	pool >dumps; rows dumps >found
	of pool-exhausted "ask-* at app.Box.take" | grep -q "^warning 2 80 40 0\.0 "
	said pool-exhausted "ask-* at app.Box.take" | grep -q "; none was free for new work; they are there 100 % of the time, so it may be how they wait$"
	of pool-exhausted "read-* at app.Db.query" | grep -q "^warning 3 120 40 "
	text x.stk | sed -n 1p | grep -q "all 3 threads of read-\*"
'
# 30 dumps: a thread reads without end and has a lock, which three others want in dumps 10 to 12 and 20 to 22
held() {
	for i in $(seq 0 29); do
		begin $((i * 20))
		thread keeper 9 RUNNABLE 5 java.net.SocketInputStream.socketRead0 app.Keeper.read "- locked <0x00000000000000bb> (a app.Stock)" app.Keeper.run
		for n in 1 2 3; do
			if test $((i % 10)) -lt 3 && test $i -ge 10; then wants "w-$n" $n 00000000000000bb app.Stock app.Stock.take
			else idle "w-$n" $n; fi
		done
	done
}
check 'what stands still is told once, from its first dump to its last, although others want its lock now and then' '
	held >dumps; rows dumps >found
	of stuck "keeper in app.Keeper.read" >found
	printf "warning 1 27 30 540.0 10:00:00Z 10:09:40Z\n" >expected
	same found expected
	test "$(awk -F "\t" "\$3 == \"blocked\"" out | wc -l)" = 2
'
check 'findings of one rule and subject are one paragraph, the worst first; all are rows' '
	repeated_dumps >dumps; rows dumps >found
	test "$(grep -c "^stuck" found)" = 20
	text x.stk >out
	test "$(grep -c "^warning, stuck: " out)" = 10
	test "$(grep -c "^  1 time more: 2026-03-01T10:0.:.*\.$" out)" = 10 || { cat out; false; }
	sed -n 1,2p out | grep -q "It was so at another time too\."
	text --top 1 x.stk >out
	test "$(grep -c "^warning, stuck: " out)" = 1
	grep -q "18 more findings (--top N shows them)" out
'
check '... of many times the worst three are named' '
	for i in $(seq 0 39); do begin $((i * 30))
		if test $((i % 8)) -lt 4; then thread a-1 1 RUNNABLE 10 app.A.read app.Job.run; else thread a-1 1 RUNNABLE $((10 + i * 100)) "app.A.step$i" app.Job.run; fi
		thread a-2 2 RUNNABLE $((10 + i * 900)) "app.B.step$i" app.Job.run
		thread a-3 3 RUNNABLE $((10 + i * 900)) "app.C.step$i" app.Job.run
	done >dumps
	rows dumps >found
	test "$(grep -c "^stuck" found)" = 5
	text x.stk >out
	grep -A 1 "4 times more, the worst: " out | tr "\n" " " | grep -q "(-f tsv has all)\." || { cat out; false; }
'
finish
