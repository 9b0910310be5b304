#!/bin/sh
# SPDX-License-Identifier: MIT
# Call graphs of macOS' sample. The text is made by hand after two real reports, whose sums per thread were checked against the numbers of their threads.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/macos_sample/shop" shop
# rows FILE: thread, tid, weight in ms, stack
rows() {
	stkcap -q -o rows.stk "$1" && stkcat -q -f tsv --only sample rows.stk | sed 1d | awk -F "\t" '{ print $3 "|" $17 "|" $5 / 1000000 "|" $6 }'
}

check 'a call weighs what its own calls leave; names of threads and queues; frames without a name' '
	status 0 stkcap -o a.stk shop 2>err; grep "0 dumps, 8 samples, 6 distinct stacks, 0 lines skipped" err
	rows shop >got
	same - got <<-END
	com.apple.main-thread|1001|50|start;main;sell;[unknown]
	com.apple.main-thread|1001|10|start;main;DYLD-STUB\$\$free
	com.apple.main-thread|1001|20|start;main
	com.apple.main-thread|1001|20|start;exit
	till (2)|1002|100|thread_start;[shop]
	pool: a|31650|40|start_wqthread
	pool: a|31650|20|
	Thread_1004|1004|14|
	END
'
check 'of the process, at the time of the report; frames with libraries, places and, when asked for, addresses' '
	stkcap -q shop | stkcat -q -f tsv --only source - | sed 1d | cut -f 4,5,8 >got; printf "4711\tshop\twall\n" | same - got
	stkcat -q -f tsv --only sample a.stk | sed 1d | cut -f 1,8 | sort -u >got; printf "2026-03-01T09:00:05.250Z\twall/nanoseconds\n" | same - got
	stkcap -q --addresses shop | stkcat -q -f tsv --only frame - | sed 1d | cut -f 2-5,7,8 >got
	grep "^main	shop	shop.c	12	[0-9]*	41$" got
	grep "^sell(int, char const\*)	shop	sell dir/sell.cc	7	" got
	stkcat -q -f folded a.stk | awk "{ n += \$NF } END { exit n != 274000000 }"
'
check 'after other text, several reports, CR LF; found by its two heads' '
	rows shop >wanted
	{ echo "Please see the report:"; echo; cat shop; } >x; rows x | same wanted -
	stkcap --rejects rejects -o x.stk x 2>err; grep "^x:1: no part of a report: Please" rejects
	cat "$t/data/orders.jstack.txt" shop >x; status 1 stkcap -o x.stk x 2>err; grep "only read whole, from the beginning of a file" err; grep "^stkcap: [1-9][0-9]* dumps" err
	sed "s/\$/\r/" shop >x; rows x | same wanted -
	cat shop shop >x; rows x >got; cat wanted wanted | same - got
	grep -v "^Call graph" shop >x; status 1 stkcap -o x.stk x 2>err; grep "not a known format" err
'
check 'without an interval samples are counted' '
	sed "s/ every 2 milliseconds//" shop >x; status 0 stkcap -q -o x.stk x
	stkcat -q -f tsv --only sample x.stk | sed 1d | cut -f 5,8 | sed 1q >got; printf "25\tsamples\n" | same - got
'
check 'what cannot be read, weighs less than its calls, or is cut off is said' '
	sed "s/ 40 main/ forty main/" shop >x; status 1 stkcap -o x.stk x 2>err; grep "no line of a call graph" err
	sed "s/! 25 sell/! 45 sell/" shop >x; status 1 stkcap -o x.stk x 2>err; grep "calls that weigh less than what they call" err
	sed "/^ *+   10 exit/q" shop >x; status 1 stkcap -o x.stk x 2>err; grep "a call graph without its end" err
	{ sed "/^ *+   10 exit/q" shop; cat shop; } >x; status 1 stkcap -o x.stk x 2>err; grep "a call graph without its end" err
'
check 'every beginning' '
	size=$(wc -c <shop) n=1
	while [ $n -lt "$size" ]; do
		head -c $n shop >cut; code=0
		stkcap -q --format macos-sample -o cut.stk cut 2>err || code=$?
		test $code -le 1
		n=$((n + 17))
	done
'
finish
