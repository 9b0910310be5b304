#!/bin/sh
# SPDX-License-Identifier: MIT
# stk-nightly when things are not as they should be: no dumps, bad files, a missing day, two hosts, two runs at once, wrong options.
. "${0%/*}/lib/tap.sh"
make=${BUILD:-}/t/tools/make_incidents
test -x "$make" || skip_all 'no make_incidents: run by make check'
have flock || skip_all 'no flock'

nightly() { "$t/../scripts/stk-nightly" --dumps dumps --state state --out out "$@"; }
first=1772352000		# 2026-03-01T08:00:00Z
# day SEED NUMBER INCIDENTS [HOST]: the dumps of a day, of March 2026
day() { "$make" "$1" truth 60 60 "$3" $((first + ($2 - 1) * 86400)) "${4:-0}"; }
# clean: no state, no report, no dumps
clean() { rm -rf dumps state out; mkdir dumps; }

check 'an empty folder: a report that says so, status 1, no state of the day' '
	clean
	status 1 nightly --date 2026-03-01 2>err
	test ! -s err
	head -n 1 out/2026-03-01.txt | grep -x "Thread dumps of 2026-03-01: there are none"
	grep "Is the capture running" out/2026-03-01.txt
	test -z "$(ls state | grep 2026)"
'
check 'only dumps of other days: the same, and which days there are' '
	clean
	day 1 5 0 >dumps/a.txt
	status 1 nightly --date 2026-03-01
	grep "The dumps there are from 2026-03-05 to 2026-03-05" out/2026-03-01.txt
'
check 'text, .gz, recordings and folders are read together; other days in them are left out' '
	clean
	mkdir dumps/web2
	day 1 1 0 1 >dumps/web1.txt
	day 2 2 0 1 >>dumps/web1.txt
	day 2 1 0 2 | gzip >dumps/web2/jstack-2026-03-01.txt.gz
	day 3 1 0 3 | stkcap -q --source web3 -o dumps/cap.stk -
	status 0 nightly --date 2026-03-01 2>err
	test ! -s err
	grep -x "web1.txt: 60 dumps, 08:00-08:59 UTC" out/2026-03-01.txt
	grep -x "web2/jstack-.*.txt: 60 dumps, 08:00-08:59 UTC" out/2026-03-01.txt
	grep -x "web3: 60 dumps, 08:00-08:59 UTC" out/2026-03-01.txt
	status 1 grep "^INPUT" out/2026-03-01.txt
'
check 'two hosts: each incident names its own' '
	clean
	day 1 1 0 1 >dumps/web1.txt
	day 1 1 1 2 >dumps/web2.txt
	test -s truth
	status 4 nightly --date 2026-03-01
	grep "(web2.txt)$" out/2026-03-01.txt
	status 1 grep "(web1.txt)$" out/2026-03-01.txt
'
check 'bad files are reported and counted, the rest is used: status 1; with findings 4' '
	clean
	day 1 1 0 >dumps/good.txt
	echo "hello, world" >dumps/notes.md
	: >dumps/nothing.txt
	day 2 1 0 1 | gzip | head -c 3000 >dumps/cut.txt.gz
	status 1 nightly --date 2026-03-01 2>err
	test ! -s err
	sed -n "/^INPUT/,\$p" out/2026-03-01.txt >input
	grep "3 files had problems" input
	grep "notes.md: not a known format" input
	grep "nothing.txt: empty" input
	grep "cut.txt.gz: truncated" input
	grep "good.txt: 60 dumps" out/2026-03-01.txt
	day 1 1 1 >dumps/good.txt
	status 4 nightly --date 2026-03-01
	grep "3 files had problems" out/2026-03-01.txt
'
check 'a damaged recording is reported by its own name' '
	clean
	day 1 1 0 | stkcap -q --source shop -o dumps/a_b.stk -
	head -c 3000 dumps/a_b.stk >dumps/cut.stk
	status 1 nightly --date 2026-03-01
	sed -n "/^INPUT/,\$p" out/2026-03-01.txt >input
	cat input >&3
	grep "cut.stk: " input
	status 1 grep "a_b.stk\|[0-9]-cut" input
'
check 'a missing day: said, and the next one is compared again' '
	clean
	for number in 1 3 4; do
		day 1 $number 1 >dumps/shop.txt
		nightly --date 2026-03-0$number || test $? = 4
	done
	grep "There are no dumps of 2026-03-02: what is new or gone cannot be said" out/2026-03-03.txt
	status 1 grep "; NEW" out/2026-03-03.txt
	head -n 1 out/2026-03-04.txt | grep "none new$"
	status 1 grep "^YESTERDAY" out/2026-03-04.txt
	grep "than yesterday\|as yesterday" out/2026-03-04.txt
'
check 'the day before is taken from the folder when the state does not have it' '
	clean
	day 1 1 1 >dumps/shop.txt
	day 1 2 1 >>dumps/shop.txt
	status 4 nightly --date 2026-03-02
	grep "as yesterday" out/2026-03-02.txt
'
check 'an incident over midnight is in the report of both days, with its beginning' '
	clean
	"$make" 11 truth 60 60 1 $((first + 15 * 3600 + 2400)) >dumps/shop.txt		# from 23:40 on
	cut -f 1-3 truth >&3
	awk -F "\t" "{ exit !(\$2 < \"2026-03-02\" && \$3 > \"2026-03-02\") }" truth
	status 4 nightly --date 2026-03-01
	status 4 nightly --date 2026-03-02
	rule=$(cut -f 1 truth)
	cat out/* >&3
	grep "^23:[0-9]*-23:59 [a-z]*, $rule" out/2026-03-01.txt
	grep "^00:00-00:[0-9]* [a-z]*, $rule; since 03-01 23:[0-9]*$" out/2026-03-02.txt
'
check 'again: nothing changes, even when the dumps are gone by then' '
	clean
	for number in 1 2 3; do
		day $number $number 2 >dumps/shop.txt
		nightly --date 2026-03-0$number || test $? = 4
	done
	cp -a state state.before
	cp -a out out.before
	nightly --date 2026-03-03 || test $? = 4
	diff -r state state.before
	diff -r out out.before
	rm dumps/shop.txt
	nightly --date 2026-03-02 || test $? = 4
	diff -r state state.before
	diff -r out out.before
'
check 'two at once: the second one gives up, and leaves the first alone' '
	clean
	day 1 1 0 >dumps/shop.txt
	nightly --date 2026-03-01
	cp -a out out.first
	(flock 9; status 3 nightly --date 2026-03-01 2>err) 9>>state/lock
	grep "^stk-nightly: .*/state: another stk-nightly is at work there$" err
	diff -r out out.first
	status 0 nightly --date 2026-03-01
	test -z "$(ls -A state | grep work)"
'
check 'what cannot be written is a failure, and the old report stays' '
	clean
	day 1 1 0 >dumps/shop.txt
	nightly --date 2026-03-01
	cp out/2026-03-01.txt kept
	echo "not a state" >state/2026-02-28.trend
	status 3 nightly --date 2026-03-01 2>err
	grep "^stk-nightly: stktrend: status 3; nothing was written" err
	grep "not a stktrend state file" err
	same kept out/2026-03-01.txt
	rm -rf out
	echo x >out
	status 3 nightly --date 2026-03-01 2>err
	rm out
'
check 'the days that are kept' '
	clean
	day 1 1 0 >dumps/shop.txt
	nightly --date 2026-03-01
	day 1 20 0 >dumps/shop.txt
	nightly --date 2026-03-20
	test -s state/2026-03-01.stk
	nightly --date 2026-03-20 --keep 15
	test "$(ls state | grep -c 2026-03-01)" -eq 0
	test -s state/2026-03-20.trend
'
check 'wrong usage: status 2, one line, nothing written' '
	clean
	for mistake in "--date 2026-02-30" "--date tomorrow" "--alert high" "--keep 3" "--keep x" "--frobnicate" "--date" "--limit heap" "--zone=" "extra"; do
		status 2 nightly $mistake >said 2>err || { echo "of $mistake"; false; }
		test "$(wc -l <err)" -eq 1
		grep "^stk-nightly: .* (try stk-nightly --help)$" err
		test ! -s said
	done
	test ! -e state -a ! -e out
	status 2 "$t/../scripts/stk-nightly" --state s --out o 2>err
	grep "missing --dumps" err
	status 3 "$t/../scripts/stk-nightly" --dumps nowhere --state s --out o 2>err
	grep "nowhere: cannot be read" err
'
check 'every option of --help is in the page, and the other way round' '
	"$t/../scripts/stk-nightly" --help >help
	grep -oE "^ +(-h, )?--[a-z]+" help | grep -oE -- "--[a-z]+" | sort >listed
	grep "^.It Fl" "$t/../scripts/stk-nightly.1" | sed "s/.*Fl Fl \([a-z]*\).*/--\1/" | sort | same listed -
	status 1 grep -E "^.{101}" help
'
check '--alert: status 4 from that severity on; --rules: thresholds' '
	clean
	day 6 1 1 >dumps/shop.txt
	severity=$(stkcap -q dumps/shop.txt | stkdiag -q -f tsv --alert critical | sed -n 2p | cut -f 4) || true
	echo "$severity" >&3
	test "$severity" = critical
	status 4 nightly --date 2026-03-01 --alert critical
	rule=$(cut -f 1 truth)
	printf "convoy: off\nblocked: off\nholder-idle: off\ndeadlock: off\npool-exhausted: off\nconnection-pool: off\n" >rules.yaml
	status 0 nightly --date 2026-03-01 --alert critical --rules rules.yaml
	head -n 1 out/2026-03-01.txt | grep "nothing wrong"
'
check 'the zone: of days and of times' '
	clean
	day 1 1 0 >dumps/shop.txt
	status 0 nightly --date 2026-03-01 --zone Europe/Berlin
	grep -x "shop.txt: 60 dumps, 08:00-08:59 (+01:00)" out/2026-03-01.txt
'
finish
