#!/bin/sh
# SPDX-License-Identifier: MIT
# Folded stacks behind lines of @TIME: each begins a dump, with its time.
. "${0%/*}/lib/tap.sh"

cat >dumps.txt <<'END'
early;one 1
@2026-03-01T09:00:00Z
a;b 2
@1772355660.5
a;c 1
a;b 1
@2026-03-01 09:02:00
a;b 4
@tomorrow
@home;x 3
END

check 'times: with a zone, as an epoch, and as civil times of --zone; what stands before the first is of no dump' '
	status 1 stkcap --format folded-dumps --zone +02:00 dumps.txt >dumps.stk 2>err
	stkcat -f tsv --only sample dumps.stk | cut -f 1,5,6 | tail -n +2 >got
	printf "%s\t%s\t%s\n" - 1 "early;one" 2026-03-01T09:00:00Z 2 "a;b" 2026-03-01T09:01:00.500Z 1 "a;c" 2026-03-01T09:01:00.500Z 1 "a;b" \
		2026-03-01T07:02:00Z 4 "a;b" 2026-03-01T07:02:00Z 3 "@home;x" | same - got
	grep "^stkcap: 3 dumps, 6 samples, 4 distinct stacks, 1 lines skipped$" err
'
# around ZONE CIVIL UTC...: the moment in UTC of each civil time, as stkcap takes it in
around() {
	zone=$1
	shift
	while test $# -gt 0; do
		printf "@%s\na;b 1\n" "$1" >civil.txt
		stkcap -q --format folded-dumps --tz "$zone" civil.txt | stkcat -f tsv --only sample | tail -n 1 | cut -f 1 >moment
		test "$(cat moment)" = "$2" || { echo "$zone $1: $(cat moment), expected $2"; return 1; }
		shift 2
	done
}
check 'times around a change of daylight saving have the offset of their own moment, however far the zone is from UTC' '
	around Europe/Berlin "2026-03-29 01:59:59" 2026-03-29T00:59:59Z "2026-03-29 03:00:00" 2026-03-29T01:00:00Z \
		"2026-03-29 01:00:00" 2026-03-29T00:00:00Z "2026-03-29 00:59:59" 2026-03-28T23:59:59Z "2026-03-29 04:30:00" 2026-03-29T02:30:00Z
	around Europe/Berlin "2026-10-25 01:59:59" 2026-10-24T23:59:59Z "2026-10-25 03:00:00" 2026-10-25T02:00:00Z
	around America/New_York "2026-03-08 01:59:59" 2026-03-08T06:59:59Z "2026-03-08 03:00:00" 2026-03-08T07:00:00Z "2026-03-08 08:00:00" 2026-03-08T12:00:00Z
	around America/New_York "2026-11-01 00:59:59" 2026-11-01T04:59:59Z "2026-11-01 02:00:00" 2026-11-01T07:00:00Z
'
check 'of an hour that comes twice the second is taken' '
	around Europe/Berlin "2026-10-25 02:30:00" 2026-10-25T01:30:00Z
'
check 'a line with @ that is no time is said' '
	stkcap --format folded-dumps --rejects rejects dumps.txt >/dev/null 2>&1 || test $? -eq 1
	grep "^dumps.txt:9:" rejects
'
check 'recognised by a first line of @TIME; folded lines alone are not' '
	tail -n +2 dumps.txt | head -5 | stkcap -q | stkcat -f tsv --only dump | tail -n +2 | wc -l | grep -x 2
	printf "a;b 1\n" | stkcap -q | stkcat -f tsv --only dump | tail -n +2 | wc -l | grep -x 0
'
check 'any number of threads: the same bytes' '
	awk "BEGIN { for (d = 0; d < 3000; d++) { print \"@\" 1772355600 + d; for (i = 0; i < 20; i++) print \"main;f\" i \";g\" (i * d) % 97 \" 1\" } }" >many.txt
	stkcap -q --threads 1 many.txt >one.stk
	stkcap -q --threads 4 many.txt >four.stk
	cmp one.stk four.stk
	stkcat -f tsv --only dump one.stk | tail -n +2 | wc -l | grep -x 3000
'
finish
