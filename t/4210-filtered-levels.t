#!/bin/sh
# SPDX-License-Identifier: MIT
# Levels of filtered samples are per dump of the recording, not per dump that has some of them: where nothing was found there were none.
. "${0%/*}/lib/tap.sh"

# six dumps of one VM ten seconds apart; db is in the first, fourth and fifth
for n in 0 1 2 3 4 5; do
	printf "@%s\nmain;web 4\n" $((1772323200 + n * 10))
	case $n in 0) echo "main;db 3" ;; 3|4) echo "main;db 6" ;; esac
done >dumps.txt
stkcap -q --format folded-dumps --source shop -o x.stk dumps.txt
stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" -o orders.stk
# levels FILE FRAME: time, count, sum and dumps of the class whose leaf is the frame
levels() { stkcat -q -f tsv --only intensity "$1" | awk -F "\t" '$3 == "class" && $4 > 0 { print $1, $6, $7, $8 }'; }
dumps() { stkclass -q -f text "$@" | sed -n 's/.* in \([0-9]*\) dumps.*/\1/p'; }

check 'a class that --grep chooses has the levels that it has among all; a row says how many dumps it is for' '
	stkclass -q -f stream --grep "^db$" x.stk >chosen
	levels chosen >got
	printf "2026-03-01T00:00:%sZ %s\n" 00 "3 3 1" 30 "6 9 3" 40 "6 15 1" >wanted
	same wanted got
	stkclass -q -f stream x.stk | stkcat -q -f tsv --only intensity - | awk -F "\t" "\$3 == \"class\" && \$4 == 2 { print \$1, \$6, \$7, \$8 }" | same wanted -
'
check '... and the level in stktrend, which knows of dumps with nothing by a row for none' '
	test "$(stkcat -q -f tsv --only intensity chosen | awk -F "\t" "\$4 == 0 { print \$2, \$6 }" | tr "\n" " ")" = "2 0 3 0 6 0 "
	stkclass -q -f stream x.stk | stktrend -q -f tsv | sed 1d | cut -f 1,2 | sort >all
	stktrend -q -f tsv chosen | sed 1d | cut -f 1,2 | sort >got
	test "$(cut -f 2 got | tr "\n" " ")" = "2.5 2.5 "
	join got all >both
	awk "{ if (\$2 != \$3) exit 1 } END { exit NR != 1 }" both
'
check 'how many dumps there are: by state, thread, window, condition; of no process none' '
	test "$(dumps orders.stk)" = 12
	test "$(dumps --state blocked orders.stk)" = 12
	test "$(dumps --thread http-worker-1 orders.stk)" = 12
	test "$(dumps --running --grep Stock orders.stk)" = 12
	test "$(dumps --window 23:54:00..23:54:10 --state blocked orders.stk)" = 5
	test "$(dumps --where "time in 23:54:00..23:54:10 and state = blocked" orders.stk)" = 5
	test "$(dumps --where "not time in 23:54:00.. or thread = nobody" orders.stk)" = 12
	test "$(dumps --where "time in ..23:54:00 and not state = blocked" orders.stk)" = 2
	test "$(dumps --event none orders.stk)" = 12
	stkclass -q -f tsv --process nosuch orders.stk >got || test $? = 1
	test "$(wc -l <got)" = 1
'
check 'of several sources only the dumps of those that are asked for' '
	stkcap -q --format folded-dumps --source depot -o y.stk dumps.txt
	test "$(dumps --process shop --grep db x.stk y.stk)" = 6
	test "$(dumps --where "source = depot and function = db" x.stk y.stk)" = 6
	test "$(dumps --where "not source = depot and function = db" x.stk y.stk)" = 6
	test "$(dumps --grep db x.stk y.stk)" = 12
'
check 'the same dumps again are known, also those that have nothing' '
	stkclass -q --grep db --resume s -f stream x.stk >/dev/null
	stkclass -q --grep db --resume s -f text x.stk >again 2>err
	grep "in 6 dumps" again
	stkcap -q --format folded-dumps --source shop -o half.stk - <<-END
	$(head -7 dumps.txt)
	END
	rm -f p; for part in half.stk x.stk; do stkclass -q --grep db --resume p -f text $part >pieces; done
	same again pieces
'
check 'slices of samples without a dump count in the same way; other events are no slices' '
	awk "BEGIN { for (i = 0; i < 10; i++) printf \"%s 1/1 %d.500000: 1 %s: \n\t1 f (/x)\n\n\", i % 5 ? \"other\" : \"app\", 100 + i * 20, i == 2 ? \"faults\" : \"cycles\" }" | stkcap -q --format perf-script -o p.stk -
	stkclass -q -f stream --step 20s --thread "^app" p.stk >chosen
	levels chosen | cut -d " " -f 2- >got
	printf "1 1 1\n1 2 5\n" | same - got
	stkclass -q -f stream --step 20s --thread "^app" --event cycles p.stk >chosen
	levels chosen | cut -d " " -f 2- >got
	printf "1 1 1\n1 2 4\n" | same - got
'
check 'groups that stktrend chooses have the levels that they have among all' '
	printf "groups:\n  - { name: D, members: [db] }\n  - { name: W, members: [web] }\n" >g.yaml
	stkgroup -q -s g.yaml -f stream x.stk >g.stk
	level() { stktrend -q -f tsv "$@" g.stk | sed -n "s/^g.D	\([^	]*\).*/\1/p"; }
	test "$(level)" = 2.5
	test "$(level --grep "^db$")" = 2.5
	test "$(level --where "function = db")" = 2.5
	test "$(level --window 2026-03-01T00:00:00Z..2026-03-01T00:00:20Z)" = 1.5
	test "$(level --window 2026-03-01T00:00:00Z..2026-03-01T00:00:20Z --grep "^db$")" = 1.5
	stktrend -f tsv --grep "^db$" g.stk >got 2>err; status 1 grep dumps err
'
check 'samples that were chosen before stktrend leave dumps without any, which is said' '
	for n in 1 2; do stkgroup -q -s g.yaml --grep "^db$" -f stream x.stk; done >twice.stk
	status 1 stktrend -f tsv twice.stk 2>err >got
	grep "stktrend: 4 dumps have no samples in the input, as when these were chosen before" err
	stkgroup -q -s g.yaml --window 2026-03-01T00:00:00Z..2026-03-01T00:00:20Z -f stream x.stk | stktrend -f tsv 2>err >got
	test ! -s err
	stkcap -q --format folded-dumps - <dumps.txt | stkgroup -q -s g.yaml -f stream | stktrend -f tsv 2>err >got
	test ! -s err
'
finish
