#!/bin/sh
# SPDX-License-Identifier: MIT
# Which moment 09:00 and -2h are, in which zone, and what is said of windows that hold nothing: the same in every filter.
. "${0%/*}/lib/tap.sh"

# dump TIME...: a thread dump of one thread at each time
dump() {
	for time in "$@"; do
		printf '%s\nFull thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n' "$time"
		printf '"main" #1 prio=5 tid=0x1 nid=0x1 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n\n'
	done
}

# samples OPTION...: how many samples each filter finds; one number when they agree
samples() {
	echo "stkcat $(stkcat -q -f folded "$@" | awk '{ n += $NF } END { print n + 0 }')" >found
	echo "stktree $(stktree -q -f folded "$@" | awk '{ n += $NF } END { print n + 0 }')" >>found
	echo "stkgroup $(stkgroup -q -s jvm -f tsv "$@" | awk -F '\t' 'NR > 1 { n += $4 } END { print n + 0 }')" >>found
	test "$(cut -d " " -f 2 found | sort -u | wc -l)" -eq 1 || { cat found >&2; return 1; }
	cut -d " " -f 2 found | sort -u
}

dump '2026-03-01 08:30:00' '2026-03-01 09:00:00' '2026-03-01 09:30:00' '2026-03-02 07:00:00' '2026-03-02 09:00:00' '2026-03-02 10:00:00' >dumps.txt
stkcap -q --source vm -o days.stk dumps.txt

check 'of a file, a clock time is on the day of its last row' '
	test "$(samples --from 09:00 days.stk)" = 2
	test "$(samples --from 09:00 --to 10:00 days.stk)" = 1
	test "$(samples --from "2026-03-01 09:00" --to "2026-03-01 09:30" days.stk)" = 1
'
check '... and -2h is before that row: what is at the moment itself counts' '
	test "$(samples --from -1h days.stk)" = 2
	test "$(samples --from -59m days.stk)" = 1
	test "$(samples --from -1d days.stk)" = 3
	test "$(samples --to -1h days.stk)" = 4
'
check 'several files are one recording: its last row is the last of all' '
	dump "2026-03-03 06:00:00" >later.txt && stkcap -q --source vm -o later.stk later.txt
	test "$(samples --from 05:00 days.stk later.stk)" = 1
	test "$(samples --from 05:00 later.stk days.stk)" = 1
'
check 'through a pipe, they are of today' '
	today=$(date -u +%Y-%m-%d)
	dump "2020-01-01 00:00:00" "$today 00:00:00" >live.txt
	for filter in "stkcat -f folded" "stktree -f folded" "stkgroup -s jvm -f folded"; do
		test "$(stkcap -q live.txt | $filter -q --from 00:00 | awk "{ n += \$NF } END { print n }")" = 1 || test "$(date -u +%Y-%m-%d)" != $today
	done
'
check 'they are in the zone of the recording, or in that of --zone' '
	stkcap -q --zone Europe/Berlin --source vm -o berlin.stk dumps.txt
	test "$(samples --from 09:00 --to 09:01 berlin.stk)" = 1
	test "$(samples --zone UTC --from 08:00 --to 08:01 berlin.stk)" = 1
	test "$(samples --zone Asia/Tokyo --from 17:00 --to 17:01 berlin.stk)" = 1
	test "$(samples --where "time in 09:00..09:01" berlin.stk)" = 1
'
check '--zone local is what TZ says' '
	stkcat -q -f tsv --only sample --zone Europe/Berlin days.stk >want
	TZ=Europe/Berlin stkcat -q -f tsv --only sample --zone local days.stk | same want -
	TZ=:Europe/Berlin stkcat -q -f tsv --only sample --zone local days.stk | same want -
	TZ=CET-1CEST,M3.5.0,M10.5.0/3 stkcat -q -f tsv --only sample --zone local days.stk | same want -
	TZ= stkcat -q -f tsv --only sample --zone local days.stk >got
	stkcat -q -f tsv --only sample --zone UTC days.stk | same got -
	TZ=../x status 2 stkcat --zone local days.stk 2>err
	grep "TZ is .*/x., which is not a time zone" err
'
check 'a recording keeps the name of the zone, not that it was local' '
	stkcat -f ndjson --ids berlin.stk >want
	TZ=Europe/Berlin stkcap -q --zone local --source vm dumps.txt | stkcat -f ndjson --ids | same want -
'
check 'where the sources have different zones they are UTC' '
	stkcap -q --zone Asia/Tokyo --source vm2 -o tokyo.stk dumps.txt
	cat berlin.stk tokyo.stk >both.stk
	test "$(samples --from 08:00 --to 08:01 both.stk)" = 1
'
check 'several windows together; those that overlap count once' '
	test "$(samples --window "2026-03-01 08:00..2026-03-01 09:01" --window 09:59.. days.stk)" = 3
	test "$(samples --window "2026-03-01..2026-03-02" --window "2026-03-01 09:00..2026-03-02 07:01" days.stk)" = 4
	test "$(samples --window ..-1h --from -1h days.stk)" = 6
	test "$(samples --window ..-1d --window -59m.. days.stk)" = 4
'
check 'a window outside the recording is said, with its first and last moment, from a file and from a pipe' '
	for filter in "stkcat -f folded" "stkcat -f stream" "stktree -f folded" "stkgroup -s jvm -f tsv"; do
		status 1 $filter --from 11:00 days.stk >out 2>err
		grep "outside the recording, which is from 2026-03-01T08:30:00Z to 2026-03-02T10:00:00Z" err
		status 1 $filter --from "2026-03-02 11:00" - <days.stk >out 2>err
		grep "outside the recording, which is from 2026-03-01T08:30:00Z to 2026-03-02T10:00:00Z" err
		test "$(wc -l <err)" -le 2 || { cat err; false; }
		status 1 grep "today" err
		for time in "--from 08:40 --to 08:50" "--window 08:40..08:50" "--from -2h"; do
			status 1 $filter $time - <days.stk >out 2>err
			grep "to 2026-03-02T10:00:00Z; in a pipe, a time without a date is today.s: give the date, or the file" err
		done
	done
'
check '... in the zone in which it was typed' '
	status 1 stkcat -f folded --from 11:00 berlin.stk 2>err
	grep "from 2026-03-01T08:30:00+01:00 to 2026-03-02T10:00:00+01:00" err
'
check 'a window that ends where or before it begins is a mistake' '
	for filter in stkcat stktree "stkgroup -s jvm"; do
		status 2 $filter --from 10:00 --to 09:00 days.stk >out 2>err && grep "ends before it begins" err
		status 2 $filter --window 10:00..10:00 days.stk >out 2>err && grep "ends where it begins" err
	done
'
check 'a recording without times, an empty one and one that is missing leave times to the clock' '
	printf "a;b 3\n" | stkcap -q --format folded -o untimed.stk -
	stkcat -q -f folded --from 09:00 untimed.stk >out 2>err
	test ! -s out
	: >empty.stk
	status 1 stkcat -q -f folded --from 09:00 empty.stk
	status 3 stkcat -q -f folded --from 09:00 nowhere.stk 2>err || status 1 stkcat -q -f folded --from 09:00 nowhere.stk 2>err
	test "$(grep -c "nowhere.stk" err)" -eq 1
'
check 'two windows of one recording are compared as the README says' '
	stktree -q -f tsv days.stk --diff -26h..-24h -2h..  >got
	stktree -q -f tsv days.stk --diff -26h..-24h --diff -2h.. | same got -
	stkclass -q -o classes.stk days.stk
	stktree -q -f tsv --report classes --diff -26h..-24h -2h.. classes.stk | cut -f 1 | tail -n +2 | grep -qv ";"
	status 2 stktree --window -3h.. --diff -2h.. days.stk 2>err
	grep "window and --diff" err
	status 2 stktree days.stk -1h.. 2>err
	grep "is a window: use --window -1h.." err
'
finish
