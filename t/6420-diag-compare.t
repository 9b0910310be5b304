#!/bin/sh
# SPDX-License-Identifier: MIT
# stkdiag --compare: what is new beside another window, gone, longer or shorter; and when that cannot be said.
. "${0%/*}/lib/tap.sh"

# dump TIME THREADS...: a dump in which the threads wait for a lock that the thread keeper has; without any, of an idle one
dump() {
	at=$1
	shift
	echo "$at"
	printf 'Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode, sharing):\n\n'
	for thread; do
		printf '"%s" #1%s daemon prio=5 tid=0x1%s nid=0x2%s waiting for monitor entry\n' "$thread" "${thread#*-}" "${thread#*-}" "${thread#*-}"
		printf '   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat shop.%s.read(Shop.java:1)\n' "${lock:-Stock}"
		printf '\t- waiting to lock <0x00000000d0000010> (a shop.%s)\n\tat shop.Server.run(Shop.java:2)\n\n' "${lock:-Stock}"
	done
	printf '"keeper" #9 daemon prio=5 tid=0x9 nid=0x9 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat shop.Keeper.sort(Shop.java:3)\n'
	test $# -eq 0 || printf '\t- locked <0x00000000d0000010> (a shop.%s)\n' "${lock:-Stock}"
	printf '\tat shop.Keeper.run(Shop.java:4)\n\n'
}
# day DATE FROM TO: a dump a minute from 10:00 to 10:59; between the minutes threads wait
day() {
	minute=0
	while [ $minute -lt 60 ]; do
		time="$1 10:$(printf %02d $minute):00"
		if [ $minute -ge "$2" ] && [ $minute -le "$3" ]; then dump "$time" w-1 w-2 w-3 w-4; else dump "$time"; fi
		minute=$((minute + 1))
	done
}
# column N FILE: of the findings that are warnings or worse
column() {
	awk -F '\t' -v n="$1" 'NR > 1 && $4 != "info" { print $n }' "$2"
}
day 2026-03-09 99 99 >web-2026-03-09.txt
day 2026-03-10 10 19 >web-2026-03-10.txt
day 2026-03-11 20 49 >web-2026-03-11.txt
for date in 09 10 11; do stkcap -q -o 2026-03-$date.stk web-2026-03-$date.txt; done

check 'new: not yesterday; longer and shorter: what it lasted in all; gone: last, with its times there' '
	status 4 stkdiag -f tsv --window 2026-03-10..2026-03-11 --compare yesterday 2026-03-09.stk 2026-03-10.stk >out
	same - out <<-END
		from	to	rule	severity	subject	threads	samples	summary	dumps	lost	process	change	other_from	other_to
		2026-03-10T10:10:00Z	2026-03-10T10:19:00Z	blocked	critical	shop.Stock	4	40	all 4 threads of w-* waited for shop.Stock in shop.Stock.read, held by keeper in shop.Keeper.sort; 2400 seconds of threads'"'"' time lost, 100 % of the pool'"'"'s meanwhile	10	2400.0	web-*.txt	new	-	-
	END
	status 4 stkdiag -q -f tsv --window 2026-03-11..2026-03-12 --compare yesterday 2026-03-10.stk 2026-03-11.stk >out
	test "$(column 12-14 out | wc -l)" -eq 1
	awk -F "\t" "NR > 1 { print \$12, \$13, \$14 }" out | grep -x "longer 2026-03-10T10:10:00Z 2026-03-10T10:19:00Z"
	status 4 stkdiag -q -f tsv --window 2026-03-10..2026-03-11 --compare 2026-03-11.. 2026-03-10.stk 2026-03-11.stk >out
	test "$(column 12 out)" = shorter
	status 0 stkdiag -q -f tsv --window 2026-03-09..2026-03-10 --compare 2026-03-10..2026-03-11 2026-03-09.stk 2026-03-10.stk >out
	test "$(cut -f 1,3,12 out | tail -n 1)" = "2026-03-10T10:10:00Z	blocked	gone"
	test "$(sed -n 2p out | cut -f 3,12)" = "healthy	"
'
check 'without --compare the columns are those that scripts know' '
	stkdiag -q -f tsv 2026-03-10.stk >out || test $? = 4
	test "$(head -n 1 out | cut -f 1-8)" = "from	to	rule	severity	subject	threads	samples	summary"
	status 1 grep change out
'
check 'a quarter more, or two dumps, is no change' '
	day 2026-03-12 20 51 >web-2026-03-12.txt
	stkcap -q -o 2026-03-12.stk web-2026-03-12.txt
	stkdiag -q -f tsv --window 2026-03-12..2026-03-13 --compare yesterday 2026-03-11.stk 2026-03-12.stk >out || test $? = 4
	test "$(column 12 out)" = same
'
check 'the other window has no dumps: that is said, and nothing is new' '
	status 4 stkdiag -f tsv --window 2026-03-10..2026-03-11 --compare last-week 2026-03-10.stk >out 2>err
	test "$(column 12 out)" = unknown
	grep -x "stkdiag: --compare: the other window has no thread dumps: there is nothing to compare with" err
	status 4 stkdiag -q -f text --window 2026-03-10..2026-03-11 --compare last-week 2026-03-10.stk >out 2>err
	grep "^Compared with 2026-03-03T00:00:00Z..2026-03-04T00:00:00Z: nothing, since it has no thread dumps" out
	test ! -s err
'
check 'the window itself has no dumps: status 1, and what is there is not gone' '
	status 1 stkdiag -f tsv --window 2026-03-13..2026-03-14 --compare 2026-03-10..2026-03-11 2026-03-10.stk >out 2>err
	test "$(wc -l <out)" -eq 1
	grep "outside the recording" err
'
check 'another host: its incidents are neither the same nor gone' '
	sed s/0x9/0x77/g web-2026-03-11.txt >alpha2.txt
	stkcap -q -o alpha.stk --source a/alpha.txt alpha2.txt
	stkcap -q -o beta.stk --source b/beta.txt web-2026-03-10.txt
	stkdiag -f tsv --window 2026-03-11..2026-03-12 --compare yesterday alpha.stk beta.stk >out 2>err || test $? = 4
	test "$(column 12 out)" = longer
	grep "^stkdiag: --compare: a/alpha.txt is compared with b/beta.txt, since each window has one process" err
	day 2026-03-10 99 99 | sed s/0x9/0x77/g >alpha1.txt
	stkcap -q -o alpha1.stk --source a/alpha.txt alpha1.txt
	stkdiag -q -f tsv --window 2026-03-11..2026-03-12 --compare yesterday alpha1.stk alpha.stk beta.stk >out || test $? = 4
	test "$(column 12 out)" = new			# of alpha; what beta had yesterday is of a process without dumps
	stkdiag -q -f text --window 2026-03-11..2026-03-12 --compare yesterday alpha1.stk alpha.stk beta.stk >out || test $? = 4
	tr "\n" " " <out | grep "1 there of processes that have no dumps here"
	status 1 grep "^gone" out
'
check 'an incident over the border of the windows is continued, not new' '
	lock=Border
	{ for at in 23:55 23:56 23:57 23:58 23:59; do dump "2026-03-10 $at:00" w-1 w-2 w-3 w-4; done
	  for at in 00:00 00:01 00:02 00:03; do dump "2026-03-11 $at:00" w-1 w-2 w-3 w-4; done
	  for at in 00:04 00:05 00:06; do dump "2026-03-11 $at:00"; done
	} >border.txt
	stkcap -q -o border.stk border.txt
	status 4 stkdiag -q -f tsv --window 2026-03-11..2026-03-12 --compare yesterday border.stk >out
	test "$(cut -f 1,12,13,14 out | tail -n 1)" = "2026-03-11T00:00:00Z	continued	2026-03-10T23:55:00Z	2026-03-10T23:59:00Z"
	status 4 stkdiag -q -f text --window 2026-03-11..2026-03-12 --compare yesterday border.stk >out
	grep "Continued: the other window shows it, 2026-03-10T23:55:00Z to 23:59:00Z" out
	status 4 stkdiag -q -f tsv --window 2026-03-11..2026-03-12 --compare 2026-03-10T20:00..2026-03-10T23:59:30 border.stk >out
	test "$(cut -f 12 out | tail -n 1)" = same	# the windows do not touch: that it went on is not known
'
check 'the same hours are those of the clock: on the day after it changed they are 23 hours ago' '
	for zone in Europe/Berlin; do
		{ for at in 10:00 10:01 10:02 10:03; do dump "2026-03-28 $at:00" w-1 w-2 w-3 w-4; done; } >before.txt
		{ for at in 10:00 10:01 10:02 10:03; do dump "2026-03-29 $at:00" w-1 w-2 w-3 w-4; done; } >after.txt
		stkcap -q --zone $zone -o change.stk before.txt after.txt
		status 4 stkdiag -q -f tsv --window 2026-03-29T10:00..2026-03-29T10:04 --compare yesterday change.stk >out
		test "$(cut -f 1,12,13 out | sed -n 2p)" = "2026-03-29T10:00:00+02:00	same	2026-03-28T10:00:00+01:00"
		stkdiag -q -f text --window 2026-03-29..2026-03-30 --compare yesterday change.stk >out || test $? = 4
		grep "^Compared with 2026-03-28T00:00:00+01:00..2026-03-29T00:00:00+01:00 (4 dumps): 1 the same" out
		status 2 stkdiag -q -f tsv --window 2026-03-30T02:10..2026-03-30T03:00 --compare yesterday change.stk 2>err
		grep "the clock skips these hours on that day" err
	done
'
check 'what cannot be compared is refused' '
	status 2 stkdiag --compare yesterday 2026-03-10.stk 2>err
	grep -e "--compare has no effect without --window or --from or --to" err
	status 2 stkdiag --window ..2026-03-11 --compare yesterday 2026-03-10.stk 2>err
	grep "the window has no beginning" err
	status 2 stkdiag --window 2026-03-09..2026-03-11 --compare yesterday 2026-03-10.stk 2>err
	grep "the windows overlap from 2026-03-09T00:00:00Z to 2026-03-10T00:00:00Z" err
	status 2 stkdiag --window 2026-03-10..2026-03-11 --compare tomorrow 2026-03-10.stk 2>err
	grep "expected FROM..TO, yesterday or last-week, not .tomorrow" err
	status 2 stkdiag --window 2026-03-10..2026-03-11 --compare 12:00..11:00 2026-03-10.stk 2>err
	grep "is empty" err
'
check 'an open end is that of the recording' '
	status 4 stkdiag -q -f tsv --from 2026-03-11T10:30 --compare yesterday 2026-03-10.stk 2026-03-11.stk >out
	test "$(cut -f 1,12 out | tail -n 1)" = "2026-03-11T10:30:00Z	new"
'
check 'records and rows say the same' '
	status 4 stkdiag -q -f stream --window 2026-03-11..2026-03-12 --compare yesterday 2026-03-10.stk 2026-03-11.stk >out.stk
	status 0 stkcat --check out.stk
	stkcat -f tsv --only finding out.stk | head -n 1 | grep "change	other_time	other_until"
	stkcat -f ndjson --only finding out.stk | grep "\"change\":\"longer\",\"other_time\":\"2026-03-10T10:10:00Z\""
	status 0 stkdiag -q -f stream --window 2026-03-09..2026-03-10 --compare 2026-03-10.. 2026-03-09.stk 2026-03-10.stk >out.stk
	stkcat -f ndjson --only finding out.stk | grep "\"change\":\"gone\""
	stkcat -f ndjson --only finding out.stk | wc -l | grep -x 2
	status 0 stkdiag -q -f ndjson --window 2026-03-09..2026-03-10 --compare 2026-03-10.. 2026-03-09.stk 2026-03-10.stk >out
	grep -c "\"change\":\"gone\"" out | grep -x 1
'
finish
