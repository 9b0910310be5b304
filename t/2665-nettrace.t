#!/bin/sh
# SPDX-License-Identifier: MIT
# Traces of .NET's EventPipe: samples with times, threads and names of methods, from files that a writer of this test makes after the format's description.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

trace() { python3 "$t/lib/nettrace.py" "$@"; }
# rows FILE: time, thread, where, stack
rows() {
	stkcap -q "$1" >rows.stk || test $? -eq 1
	stkcat -q -f tsv --only sample rows.stk | sed 1d | awk -F "\t" '{ print $1, $17, $10, $5, $6 }'
}

trace whole >whole
check 'samples: times by the clock of the trace, threads, what runs, stacks by numbers that are used again; names come last' '
	status 0 stkcap -o x.stk --rejects rejects whole 2>err
	grep -x "stkcap: 0 dumps, 5 samples, 3 distinct stacks, 1 lines skipped" err
	rows whole >got
	cat >wanted <<-END
	2026-11-20T22:14:44.501Z 100 managed 1 Acme.Shop+<>c.<Main>b__0;Acme.Shop.Sell
	2026-11-20T22:14:44.501000100Z 101 external 1 Acme.Shop+<>c.<Main>b__0;Stück😀;[unknown]
	2026-11-20T22:14:44.502Z 100 managed 1 Acme.Shop+<>c.<Main>b__0;Acme.Shop.Sell
	2026-11-20T22:14:44.503Z 100 managed 1 Stück😀
	2026-11-20T22:14:44.503000100Z 102 external 1 
	END
	same wanted got
	grep "events that are not of the sample profiler: 1 of them" rejects
	stkcat -q -f tsv --only source x.stk | grep "	4711	"
'
check 'events that are not compressed; gzip' '
	rows whole >wanted
	trace plain >x; rows x | same wanted -
	gzip -c whole >x.gz; rows x.gz | same wanted -
'
check 'many blocks: as many samples as there are' '
	trace many >x; stkcap -o x.stk x 2>err; grep "0 dumps, 20000 samples, 1 distinct stacks, 0 lines skipped" err
'
check 'what the trace lacks is said: names of methods, its clock, metadata, samples, its end; another version' '
	trace nameless >x; status 1 stkcap -o x.stk x 2>err; grep "without names of methods" err; rows x | grep -c "\[unknown\]" | grep -x 4
	trace odd >x; status 1 stkcap -o x.stk x 2>err; grep "blocks that are damaged" err; rows x | grep -c "^- " | grep -x 5
	trace kindless >x; status 1 stkcap -o x.stk x 2>err; grep "refer to what is not there" err
	trace empty >x; status 1 stkcap -o x.stk x 2>err; grep "a trace without samples" err
	head -c 900 whole >x; status 1 stkcap -o x.stk x 2>err; grep "cut off or damaged" err
	trace seven >x; status 1 stkcap -o x.stk x 2>err; grep "another version than" err
'
trace six >six
check 'version 6 has the samples of version 4, and processors' '
	status 0 stkcap -o x.stk --rejects rejects six 2>err
	grep -x "stkcap: 0 dumps, 5 samples, 3 distinct stacks, 1 lines skipped" err
	rows whole >wanted
	rows six | same wanted -
	stkcat -q -f tsv --only sample x.stk | sed 1d | cut -f 9 | tr "\n" " " | grep "1 2 1 1 3"
	stkcat -q -f tsv --only source x.stk | grep "	4711	"
'
check 'version 6 not compressed, of a later minor version, without names, without its end' '
	rows whole >wanted
	trace six-plain >x; rows x | same wanted -
	trace six-minor >x; status 0 stkcap -q -o x.stk x; rows x | same wanted -
	trace six-nameless >x; status 1 stkcap -o x.stk x 2>err; grep "without names of methods" err; rows x | grep -c "\[unknown\]" | grep -x 4
	trace six-odd >x; status 1 stkcap -q -o x.stk x; rows x | grep "^- 1 "
	head -c -4 six >x; status 1 stkcap -o x.stk x 2>err; grep "cut off or damaged" err; rows x | same wanted -
'
check 'ticks and switches of a whole machine: each process has its own names, the kernel one for all' '
	trace machine >x
	status 0 stkcap -o x.stk --rejects rejects x 2>err
	grep -x "stkcap: 0 dumps, 5 samples, 4 distinct stacks, 0 lines skipped" err
	stkcat -q -f tsv --only sample x.stk | sed 1d | awk -F "\t" "{ print \$1, \$3, \$17, \$8, \$5, \$6 }" >got
	cat >wanted <<-END
	2026-11-20T22:14:44.501Z main 501 cpu 1 main;sell
	2026-11-20T22:14:44.502Z pool 601 cpu 3 start;keep
	2026-11-20T22:14:44.503Z  602 cpu 1 keep;schedule
	2026-11-20T22:14:44.504Z pool 601 cswitch 5000000 start;keep
	2026-11-20T22:14:44.506Z pool 601 cpu 1 [store]
	END
	same wanted got
	stkcat -q -f folded --event cpu --by pid,process x.stk >got
	printf "500;shop;main;sell 1\n600;store;[store] 1\n600;store;keep;schedule 1\n600;store;start;keep 3\n" | same - got
	stkcat -q -f tsv --only frame x.stk | grep "\[unknown\].*/usr/bin/store"
'
check 'every beginning, of version 6 too' '
	trace machine >machine
	for file in whole six machine; do
		size=$(wc -c <$file) n=1
		while [ $n -lt "$size" ]; do
			head -c $n $file >cut; code=0
			stkcap -q --format nettrace -o cut.stk cut 2>err || code=$?
			test $code -eq 1
			n=$((n + 19))
		done
	done
'
finish
