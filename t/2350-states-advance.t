#!/bin/sh
# SPDX-License-Identifier: MIT
# A state moves on only when all that its run found was delivered, and a look at some series takes nothing from it.
. "${0%/*}/lib/tap.sh"

# metrics FROM COUNT: two series of a measure a minute, with a shift at the 900th
metrics() {
	awk -v from="$1" -v count="$2" 'BEGIN { srand(from + 1); print "time,name,value"; for (i = from; i < from + count; i++) {
		printf "%d,heap.used,%.3f\n", 1772323200 + i * 60, (i < 900 ? 100 : 300) + rand()
		printf "%d,queue.length,%.3f\n", 1772323200 + i * 60, (i < 900 ? 10 : 40) + rand() } }'
}
# stacks FROM COUNT: dumps 20 s apart
stacks() {
	awk -v from="$1" -v count="$2" 'BEGIN { for (d = from; d < from + count; d++) { print "@" 1772355600 + 20 * d; print "r;a;x;park 3"; print "r;b;y" d % 7 " 1" } }'
}
metrics 0 600 | stkcap -q --format metrics --source host-a - >one.stk
metrics 600 1200 | stkcap -q --format metrics --source host-a - >two.stk
stacks 0 50 | stkcap -q --format folded-dumps --source host-a - >day1.stk
stacks 50 50 | stkcap -q --format folded-dumps --source host-a - >day2.stk
trend="stktrend -q --periods none --step 10m --resume s"
$trend -f tsv one.stk >table
cp s s.before
stkclass -q --resume c day1.stk >/dev/null
cp c c.before

# kept FILE: it is as it was before, and nothing lies beside it but its lock
kept() {
	cmp "$1" "$1.before"
	test -z "$(ls -A | grep tmp$)" || { ls -A; return 1; }
}
# unread COMMAND...: with a standard output that nobody reads any more
unread() {
	perl -e 'pipe R, W or die; open STDOUT, ">&W" or die; close R; close W; $SIG{PIPE} = "DEFAULT"; exec @ARGV or die' "$@"
}
# ended PID: waits for it, but not for ever; its status is in $got
ended() {
	(sleep 60; kill -9 "$1") >/dev/null 2>&1 3>&- 9>&- &
	watch=$!
	wait "$1" 2>/dev/null && got=0 || got=$?
	kill $watch 2>/dev/null
}

check 'a rule that --alert cannot understand is told before anything is read, and the state stays' '
	mkfifo nobody
	status 2 timeout 60 $trend --alert shfit nobody 2>said
	grep "expected .shift" said
	kept s
'
if test -w /dev/full; then
check 'findings that met a full disk are found again' '
	status 3 $trend --alert any two.stk >/dev/full 2>said
	kept s
	status 3 $trend --anomalies -f tsv -o /dev/full two.stk 2>said
	kept s
	status 3 $trend two.stk >/dev/full 2>said
	kept s
'
check 'stkclass: likewise, of records and of tables' '
	status 3 stkclass -q --resume c day2.stk >/dev/full 2>said
	kept c
	status 3 stkclass -q --resume c -f tsv day2.stk >/dev/full 2>said
	kept c
	status 3 stkclass -q --resume c -o /dev/full day2.stk 2>said
	kept c
'
else
skip 'no /dev/full' 'findings that met a full disk are found again' ''
fi
check 'an output that cannot be put in place keeps the state' '
	status 3 $trend -o nowhere/out two.stk 2>said
	kept s
	status 3 stkclass -q --resume c -o nowhere/out day2.stk 2>said
	kept c
'
if have perl; then
check 'a reader that went away keeps the state' '
	status 141 unread $trend --alert any two.stk
	kept s
	status 141 unread $trend two.stk
	kept s
	status 141 unread stkclass -q --resume c day2.stk
	kept c
	status 141 unread stkclass -q --resume c -f tsv day2.stk
	kept c
'
else
skip 'no perl' 'a reader that went away keeps the state' ''
fi
check 'a run that was asked to stop keeps the state' '
	mkfifo slow
	for run in "$trend" "stkclass -q --resume c"; do
		$run slow >out 2>said & pid=$!
		exec 9>slow
		cat two.stk >&9
		kill -TERM $pid
		ended $pid
		exec 9>&-
		test $got -eq 143 || { echo "status $got: $run"; false; }
		kept s
		kept c
	done
'
check 'an input that is missing is bad input (1), and what was there counts' '
	cp c other
	status 1 stkclass -q --resume other day2.stk nowhere.stk >/dev/null 2>said
	status 1 cmp -s c other
'
check 'what takes a longer past says so, and the state goes on, so that it gets one' '
	for view in --factors --rate-plan "--forecast 1h" "--against heap.used"; do
		rm -f young
		metrics 0 20 | stkcap -q --format metrics - | status 2 stktrend -q --resume young $view 2>said
		test -s young || { echo "no state with $view"; false; }
	done
	rm -f young
	metrics 0 20 | stkcap -q --format metrics - | status 2 stktrend -q --resume young --explain no.such 2>said
	test ! -e young
'
check 'a look at some series leaves all in the state' '
	for look in "--series heap.used" "--series nothing" "--kind class" "--kind metric,counter"; do
		for view in "-f tsv" "--limit heap.used=1000"; do
			cp s.before a; cp s.before b
			stktrend -q --periods none --step 10m --resume a $view two.stk >all 2>said || test $? -eq 2 -o $? -eq 4
			stktrend -q --periods none --step 10m --resume b $view $look two.stk >some 2>said || test $? -eq 2 -o $? -eq 4
			cmp s.before b >/dev/null 2>&1 || cmp a b || { echo "$look $view"; false; }
		done
	done
	cp s.before a; cp s.before b
	stktrend -q --periods none --step 10m --resume a -f tsv two.stk >all
	stktrend -q --periods none --step 10m --resume b -f tsv --series "heap*" two.stk >some
	cmp a b
	test "$(wc -l <all)" -eq 3 -a "$(wc -l <some)" -eq 2
	grep "^heap.used" some >line
	grep "^heap.used" all | same line -
'
check '... and what it does not show is found by a later one, so that each finding is told once' '
	cp s.before a
	stktrend -q --periods none --step 10m --resume a --anomalies -f tsv two.stk | tail -n +2 | sort >all
	grep heap.used all && grep queue.length all
	for look in "--series heap.used" "--series nothing" "--kind class" "--kind metric,counter"; do
		for view in "--anomalies -f tsv" "--alert any" "-f stream"; do
			cp s.before b
			stktrend -q --periods none --step 10m --resume b $view $look two.stk >/dev/null 2>said || test $? -eq 2 -o $? -eq 4
			cmp -s s.before b && continue		# no series: nothing was done
			stktrend -q --periods none --step 10m --resume b --anomalies -f tsv two.stk | tail -n +2 | sort >later
			case $look in
			"--series heap.used") grep -v heap.used all | same later - || { echo "$look $view"; false; } ;;
			"--kind metric,counter") test ! -s later || { echo "$look $view"; false; } ;;
			*) same later all || { echo "$look $view"; false; } ;;
			esac
		done
	done
'
check '... and shows those that were asked for alone, also as records' '
	cp s.before a
	stktrend -q --periods none --step 10m --resume a -f stream --series "heap*" two.stk | stkcat -f tsv --only filter_state,anomaly - >rows
	grep heap.used rows
	status 1 grep queue.length rows
	cp s.before a
	status 4 stktrend -q --periods none --step 10m --resume a --alert any --series "heap*" two.stk >rows
	grep heap.used rows
	status 1 grep queue.length rows
'
check '... and says how many findings it does not show' '
	cp s.before a
	status 4 stktrend --periods none --step 10m --resume a --alert any --series "heap*" two.stk 2>said >rows
	grep "2 findings were not shown; the state keeps what was found" said
'
check 'after all these the findings are reported, once' '
	status 4 $trend --alert any two.stk >found
	grep heap.used found
	grep queue.length found
	status 1 cmp -s s s.before
	status 0 $trend --alert any two.stk >again
	test ! -s again
'
finish
