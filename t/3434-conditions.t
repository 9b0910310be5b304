#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --when: dumps are taken only while conditions hold; moments at which they do not are counted.
. "${0%/*}/lib/tap.sh"

dump=$t/data/orders.jstack.txt

# counted FILE STATE: the last number of a counter
counted() { stkcat -f tsv --only counter "$1" | awk -F '\t' -v state="$2" '$4 == state { n = $5 } END { print n + 0 }'; }
# takes all|none CONDITION...: dumps are taken at no moment that passes, or all that are not are late ones
takes() {
	what=$1
	shift
	rm -f when.stk
	stkcap -q --exec "cat $dump" --every 200ms --count 3 --budget 0 "$@" -o when.stk 2>err || true
	echo "$*: $(counted when.stk expected) moments, $(counted when.stk seen) seen, $(counted when.stk unmet) unmet"
	case $what in
	all)  test "$(counted when.stk seen)" -ge 1 && test "$(counted when.stk unmet)" = 0 ;;
	none) test "$(counted when.stk unmet)" -ge 1 && test "$(counted when.stk unmet)" = "$(counted when.stk expected)" ;;
	esac
}

check 'each condition of the machine holds and does not' '
	: >here
	takes all --when "file=$PWD/here"
	takes none --when "file=$PWD/there"
	takes all --when "load<100000"
	takes none --when "load>100000"
	sleep 300 & process=$!
	takes all --when "running=slee?"
	kill $process
	takes none --when "running=nobody-is-called-so"
	takes none --when "login=nobody-is-called-so"
	takes all --when "time=00:00-24:00"
	hour=$(date -u +%H)
	takes none --when "time=$(date -u -d "2 hours" +%H):00-$(date -u -d "3 hours" +%H):00"
'
check 'times are of the zone, and may go over midnight' '
	from=$(TZ=Asia/Tokyo date -d "30 minutes ago" +%H:%M)
	to=$(TZ=Asia/Tokyo date -d "30 minutes" +%H:%M)
	takes all --zone Asia/Tokyo --when "time=$from-$to"
	takes none --when "time=$from-$to"
	takes none --zone Asia/Tokyo --when "time=$to-$from"
'
check 'all of them must hold' '
	takes none --when "file=$PWD/here" --when "file=$PWD/there"
	takes all --when "file=$PWD/here" --when "load<100000"
'
check 'while they hold and no longer: that is reported, and --status knows it' '
	rm -f here
	stkcap --exec "touch taken; cat $dump" --every 50ms --budget 0 --when "file=$PWD/here" --listen s.sock -o change.stk 2>err & capture=$!
	# waits_for WORDS: a line of the capture
	waits_for() { for attempt in $(seq 1500); do ! grep -q -e "$1" err || return 0; sleep .02; done; cat err; false; }
	waits_for "--when does not hold: nothing is taken"
	sleep .3
	test ! -e taken
	: >here
	waits_for "--when holds again"
	for attempt in $(seq 1500); do test ! -e taken || break; sleep .02; done
	test -e taken
	stkcap --status s.sock -f ndjson | grep "\"unmet\":[1-9]"
	kill $capture
	status 143 wait $capture
	test "$(counted change.stk unmet)" -ge 1
	test "$(counted change.stk expected)" = $(($(counted change.stk seen) + $(counted change.stk unmet) + $(counted change.stk skipped) + $(counted change.stk owed) + $(counted change.stk late) + $(counted change.stk refused) + $(counted change.stk partial)))
	stkcat --check change.stk
'
check 'conditions of a process choose whose dumps are taken' '
	sleep 300 & process=$!
	status 0 stkcap -q --exec "cat $dump" --of $process --when "user=$(id -un)" --when "process=sleep" --when "cgroup=/" -o of.stk
	test "$(counted of.stk seen)" = 1
	status 1 stkcap -q --exec "cat $dump" --of $process --when "process=other" -o not.stk 2>err
	grep "$process: gave no dump: --when does not hold for it" err
	status 1 stkcap -q --exec "cat $dump" --when "file=$PWD/missing" -o not.stk 2>err
	grep "gave no dump: --when never held" err
	kill $process
'
check 'what is no condition is refused' '
	for wrong in moon=full load=3 "load>" "load>x" "load>nan" user= user=nobody-is-called-so cgroup=x file= time=1:00-2:00 time=25:00-26:00 time=10:60-11:00 time=10:00-10:00 time=10:00 \
		"time=10:00-11:00x" "time=24:01-25:00"; do
		status 2 stkcap --exec "cat $dump" --when "$wrong" -o x.stk 2>err
		grep -e "--when: expected user=NAME" err
	done
	status 2 stkcap --when file=x "$dump" -o x.stk 2>err
	test ! -e x.stk
'
finish
