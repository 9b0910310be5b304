#!/bin/sh
# SPDX-License-Identifier: MIT
# Trees of calls as tables: Deep Copy of Apple's Instruments, VTune's top-down report as CSV. The texts are made by hand after four real ones, whose sums agree with their totals.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/instruments_text/shop" copy
cp "$t/fuzz/seed/instruments_text/bytes" bytes
cp "$t/fuzz/seed/vtune/shop" vtune
# rows FILE: thread, tid, weight, event, stack
rows() { stkcap -q "$1" | stkcat -q -f tsv --only sample - | sed 1d | awk -F "\t" '{ print $3 "|" $17 "|" $5 "|" $8 "|" $6 }'; }

check 'Instruments: processes and threads, what functions take themselves in any unit, parentheses in names' '
	status 0 stkcap -o a.stk copy 2>err; grep "0 dumps, 6 samples, 6 distinct stacks, 0 lines skipped" err
	rows copy | sort >got
	sort >want <<-END
	Main Thread|8683713|250000000|cpu/nanoseconds|main
	Main Thread|8683713|1500000000|cpu/nanoseconds|main;sell
	Main Thread|8683713|1250000000|cpu/nanoseconds|main;sell;read
	Main Thread|8683713|250000|cpu/nanoseconds|main;sell;write
	Main Thread|8683713|1250000000|cpu/nanoseconds|main;count
	till 2|8683714|250000000|cpu/nanoseconds|wait (1)
	END
	same want got
	stkcat -q -f tsv --only source a.stk | sed 1d | cut -f 4,5 | grep "^4711	shop\$"
	sed "s/\$/\r/" copy >x; rows x | sort | same want -
	{ printf "copied:\n\n"; cat copy; } >x; rows x | sort | same want -
	iconv -f UTF-8 -t UTF-16 copy >x; rows x | sort | same want -
'
check 'Instruments without what functions take themselves: what their calls leave of the total, in bytes' '
	rows bytes | cut -d "|" -f 3- | sort -n >got
	printf "%s\n" "2048|bytes|start;main;read" "1048576|bytes|start;main;sell" "2619392|bytes|start;main" | same - got
	sed "s/ 1.00 MB/ 9.00 MB/" bytes >x; status 1 stkcap -o x.stk x 2>err; grep "calls that weigh less than what they call" err
'
check 'VTune: each column that can be added up is an event; modules, files, addresses, quotes' '
	status 0 stkcap --rejects rejects -o a.stk vtune
	stkcat -q -f folded --by none --names full --event cpu/nanoseconds a.stk >got
	same - got <<-END
	main (shop) 100000000
	main (shop);sell(int, char const*) (shop) 500000000
	main (shop);sell(int, char const*) (shop);read (libc.so.6) 15200000000
	main (shop);shutdown (shop) 50000000
	END
	stkcat -q -f folded --by none --event all a.stk | awk "{ n += \$NF } END { exit n != 15850000000 + 8706 }"
	stkcat -q -f tsv --only sample a.stk | cut -f 8 | sort -u | grep "^Hardware Event Count:INST_RETIRED.ANY\$"
	grep "columns of figures that cannot be added up, or beyond 16: 1 of them" rejects
	stkcap -q --addresses vtune | stkcat -q -f tsv --only frame - | cut -f 2-4,7 | grep "^sell(int, char const\*)	shop	sell.cc	4202496\$"
	for d in "\t" ";"; do sed "s/\"1,200\"/1200/; s/\"sell(int, char const\*)\"/sell/" vtune | tr , "$d" >x; stkcap -q x | stkcat -q -f folded --by none --event cpu/nanoseconds - | tail -n 1 | grep -x "main;shutdown 50000000"; done
'
check 'what cannot be read is reported: weights, rows without a name, tables without what is needed' '
	sed "s/0.500s/half/" vtune >x; status 1 stkcap -o x.stk x 2>err; grep "a row whose weight cannot be read" err; grep "9 samples" err
	stkcat -q -f folded --by none --event cpu/nanoseconds x.stk | grep -x "main;sell;read 15200000000"
	sed "s/,12.000s,/,1.2e3s,/" vtune >x; status 1 stkcap -o x.stk x 2>err; grep "a row whose weight cannot be read" err
	sed "s/1.25 s/1,25 s/g" copy >x; status 1 stkcap -o x.stk x 2>err; grep "a row whose weight cannot be read" err
	cut -d , -f 1,2 vtune >x; status 1 stkcap -o x.stk x 2>err; grep "a table without what functions take themselves" err
	{ cat vtune; echo; echo "Elapsed Time: 3 s"; } >x; status 0 stkcap --rejects rejects -o x.stk x; grep "no part of a tree of calls: Elapsed" rejects
'
check 'every beginning' '
	for form in instruments-text:copy vtune:vtune; do
		n=1
		while [ $n -lt "$(wc -c <"${form#*:}")" ]; do
			head -c $n "${form#*:}" >cut; code=0
			stkcap -q --format "${form%:*}" -o cut.stk cut 2>err || code=$?
			test $code -le 1
			n=$((n + 41))
		done
	done
'
finish
