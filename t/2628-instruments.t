#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables of samples of Apple's Instruments in XML. The text is made by hand after a real export, of which the weights of all stacks were checked.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/instruments/shop" shop
stkcap -q -o x.stk shop 2>err || { grep -q "without libexpat" err && skip_all 'no libexpat'; }

check 'times, threads, states, processors, weights and stacks, written out or referred to' '
	status 0 stkcap -o a.stk shop 2>err; grep "0 dumps, 4 samples, 2 distinct stacks, 0 lines skipped" err
	stkcat -q -f tsv --only sample a.stk | sed 1d | awk -F "\t" "{ print \$1, \$3, \$17, \$4, \$9, \$5, \$8, \$6 }" >got
	same - got <<-END
	0.057246708 Main Thread 8683713 running 3 1000000 cpu/nanoseconds start;[dyld]
	0.059248125 till "2" 8683714 sleeping 3 2000000 cpu/nanoseconds start;main;sell
	0.060 till "2" 8683714 running 3 1000000 cpu/nanoseconds start;main;sell
	0.061 Main Thread 8683713 running 3 1000000 cpu/nanoseconds 
	END
	stkcat -q -f tsv --only frame a.stk | grep "^[0-9]*	sell(std::map<int, A&>)	shop	/srv/a & b/sell.cc	7	native"
	stkcat -q -f tsv --only source a.stk | sed 1d | cut -f 4,5,8 >got; printf "4711\tshop\tmonotonic\n" | same - got
	stkcap -q --addresses shop | stkcat -q -f tsv --only frame - | awk -F "\t" "\$2 == \"main\" { print \$7 }" >got; echo 4340014896 | same - got
'
check 'weights in cycles, and tables without weights' '
	sed "s/<weight /<cycle-weight /g; s/<\/weight>/<\/cycle-weight>/g" shop >x; status 0 stkcap -q -o x.stk x
	stkcat -q -f tsv --only sample x.stk | sed 1d | cut -f 5,8 | sort -u >got; printf "1000000\tcycles\n2000000\tcycles\n" | same - got
	sed "s/<weight [^>]*>[^<]*<\/weight>//g; s/<weight ref[^>]*>//g" shop >x; status 0 stkcap -q --rejects rejects -o x.stk x
	stkcat -q -f tsv --only sample x.stk | sed 1d | cut -f 5,8 | sort | uniq -c | sed "s/^ *//" >got; printf "3 1\tsamples\n" | same - got
	grep "rows that are no samples: 1 of them" rejects
'
check 'what is lost is said: references to nothing, a table without samples, what is no XML, a document type' '
	sed "s/ref=\"13\"/ref=\"99\"/" shop >x; status 1 stkcap -o x.stk x 2>err; grep "references to values that the export does not have" err
	sed "s/ref=\"9\"/ref=\"10\"/" shop >x; status 1 stkcap -o x.stk x 2>err; grep "references to values that the export does not have" err
	sed "/^<row>/d; s/<row>.*<\/row>//" shop >x; status 1 stkcap -o x.stk x 2>err; grep "no table with stacks" err
	head -5 shop >x; status 1 stkcap -o x.stk x 2>err; grep "not XML at line" err; grep "3 samples" err
	{ sed 1q shop; echo "<!DOCTYPE a [<!ENTITY b \"c\">]>"; sed 1d shop; } >x; status 1 stkcap -o x.stk x 2>err; grep "a document type" err
'
check 'every beginning' '
	size=$(wc -c <shop) n=1
	while [ $n -lt "$size" ]; do
		head -c $n shop >cut; code=0
		stkcap -q --format instruments -o cut.stk cut 2>err || code=$?
		test $code -eq 1
		n=$((n + 37))
	done
'
finish
