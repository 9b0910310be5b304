#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/demo ends on the point: what is wrong in the sample, as grep finds it in the text; and its commands run.
. "${0%/*}/lib/tap.sh"

bin=$(dirname "$(command -v stkcap)")
gzip -dc "$t/../scripts/sample/order-service.jstack.txt.gz" >dumps.txt
BUILD=$scratch STKBIN=$bin "$t/../scripts/demo" >out 2>err
echo $? >demo.status
# the sentence at the top, in one line
tr '\n' ' ' <out >line

check 'less than 60 lines of at most 100 columns, no error' '
	test "$(cat demo.status)" = 0
	test "$(wc -l <out)" -lt 60
	sed "s|$scratch|build|" out >named
	status 1 grep -E "^.{101}" named
	echo "stkcap: 12 dumps, 440 samples, 20 distinct stacks, 0 lines skipped" | same - err
'
check 'how many waited, for what and where: the blocked threads of the text' '
	grep "waiting to lock" dumps.txt | sed "s/.*(a \(.*\))/\1/" | sort -u >locks
	same - locks <<-END
		OrderService\$Stock
	END
	test "$(grep -c "waiting to lock" dumps.txt)" = 32	# in 4 dumps all 8 workers
	awk "/^2026/ { time = \$2 } /waiting to lock/ { n[time]++ } END { for (t in n) print t, n[t] }" dumps.txt | sort >waits
	same - waits <<-END
		23:54:00 8
		23:54:09 8
		23:54:11 8
		23:54:20 8
	END
	test "$(grep -o "^\"http-worker-[0-9]*\"" dumps.txt | sort -u | wc -l)" = 8
	grep "2026-11-20T23:54:00Z to 23:54:20Z: all 8 threads of http-worker-\* waited for OrderService\$Stock in OrderService\$Stock.reserve, held by" line
	grep "  waiter  http-worker-1 *4  0xfc0754c0  OrderService\$Stock.reserve" out
'
check 'who held it, and what it did: the owner in the text, in each of these dumps' '
	awk "/^2026/ { time = \$2 } /^\"/ { name = \$1; top = \"\"; second = \"\" }
		/^\tat / { if (top == \"\") top = \$2; else if (second == \"\") second = \$2 }
		/- locked .*Stock\)/ { print time, name, top, second }" dumps.txt | sed "s/(.*java:[0-9]*)//g; s/(java.base[^ ]* Method)//; s/(java.base[^ ]*//" >holders
	cut -d " " -f 1,2 holders >who
	same - who <<-END
		23:54:00 "stock-recount"
		23:54:09 "stock-recount"
		23:54:11 "stock-recount"
		23:54:20 "stock-recount"
	END
	test "$(grep -c " java.lang.Thread.sleep" holders)" = 4
	grep "held by stock-recount in OrderService\$Stock.recount; on 3 occasions; 64 seconds of threads. time lost, 100 % of the pool" line
	sed "s/   */ /g" line | grep "stock-recount keeps OrderService\$Stock while it waits itself in java.lang.Thread.sleep"
'
check 'the lost time: 8 threads, 4 dumps, half of the distance to each neighbour' '
	sed -n "s/^2026-11-20 23:\([0-9]*\):\([0-9]*\).*/\1 \2/p" dumps.txt | awk "
		{ at[++n] = \$1 * 60 + \$2 }
		END { for (i = 1; i <= n; i++) {
			before = i > 1 ? at[i] - at[i - 1] : at[2] - at[1]; after = i < n ? at[i + 1] - at[i] : before
			if (at[i] == 3240 || at[i] == 3249 || at[i] == 3251 || at[i] == 3260) lost += 8 * (before + after) / 2 }
			print lost }" >lost
	echo 64 | same - lost
'
check 'the difference: no sample of a worker waited for Stock in the first window, all 16 did in the second' '
	awk "/^2026/ { time = \$2 } /^\"http-worker/ && time >= \"23:54:02\" && time < \"23:54:08\" { a++ }
		/^\"http-worker/ && time >= \"23:54:08\" && time < \"23:54:12\" { b++ } END { print a, b }" dumps.txt | grep -x "24 16"
	awk "/^2026/ { time = \$2 } /at OrderService.Stock.reserve/ && time >= \"23:54:02\" && time < \"23:54:08\" { a++ }
		/at OrderService.Stock.reserve/ && time >= \"23:54:08\" && time < \"23:54:12\" { b++ } END { print a + 0, b + 0 }" dumps.txt | grep -x "0 16"
	grep -E "^ +0 +100 .*\+100 .*Stock\.reserve$" out
'
check 'the commands that it ends with run' '
	sed -n "/^To go on/,/^Also/p" out | grep -E "^  stk(cat|group|cap)" >commands
	test "$(wc -l <commands)" = 4
	grep -v "stkcap --jvm" commands >harmless
	test "$(wc -l <harmless)" = 3
	while read -r command; do (sh -c "$command") </dev/null >shown 2>problems; test -s shown -a ! -s problems; done <harmless
'
finish
