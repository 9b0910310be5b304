#!/bin/sh
# SPDX-License-Identifier: MIT
# Text profiles of Go that count stacks (/debug/pprof/goroutine?debug=1): each record weighs its goroutines, and all of them are the total of the head.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/go_profile/goroutine" a
folded() { stkcap -q "$@" | stkcat -q -f folded -; }
sum() { awk '{ n += $NF } END { print n + 0 }'; }

check 'three records: stacks, weights, labels, lines; the sum is the total' '
	stkcap -o a.stk a 2>err
	grep "1 dumps, 3 samples, 2 distinct stacks, 0 lines skipped" err
	stkcat -q -f folded a.stk >got
	printf "goroutine 1\ngoroutine;main.serve;main.work 6\ngoroutine;net/http.(*connReader).Read;runtime.gopark 2\n" | same - got
	test "$(sum <got)" = 9
	stkcat -q -f tsv --only sample a.stk | sed 1d | cut -f 16 >got
	printf "{\"handler\":\"price\"}\n\n\n" | same - got
	stkcat -q -f ndjson --ids a.stk | grep "\"kind\":\"frame\"" | grep "\"line\":12"
'
check 'lines that end in CR LF, and a last record without an end' '
	sed "s/$/\r/" a >b; folded a >wanted; folded b | same wanted -
	printf "%s" "$(cat a)" >b; folded b | same wanted -
'
check 'several profiles, of other names, are dumps one after another' '
	cat a "$t/fuzz/seed/go_profile/threadcreate" a >b
	stkcap -o b.stk b 2>err
	grep "3 dumps, 8 samples" err
	folded b | sum | grep -x 21
	folded b | grep "^threadcreate"
'
check 'without names of functions there are addresses, kept by --addresses' '
	grep -v "^#" a >b
	folded b | sum | grep -x 9
	stkcap -q --addresses b | stkcat -q -f ndjson --ids - | grep "\"kind\":\"frame\"" | grep -c "\"address\":" >count
	test "$(cat count)" -ge 3
'
check 'within a log, and with the lines around it counted' '
	{ echo "2026-03-01 09:00:00 shop started"; echo; cat a; echo "2026-03-01 09:00:05 goodbye"; } >b
	stkcap -o b.stk b 2>err
	grep "1 dumps, 3 samples, 2 distinct stacks, 2 lines skipped" err
'
check 'lines of a log within a record cost no frame' '
	awk "{ print } /^#/ { print \"2026-03-01 09:00:05 INFO between\" }" a >b
	test "$(grep -c INFO b)" -gt 2
	stkcap -o b.stk --rejects rejected b 2>err
	grep "1 dumps, 3 samples, 2 distinct stacks, $(grep -c INFO b) lines skipped" err
	folded a >wanted; stkcat -q -f folded b.stk | same wanted -
	test "$(grep -c "INFO between" rejected)" = "$(grep -c INFO b)"
'
check 'a frame without a count is reported; what is no profile is not taken for one' '
	awk "/^2 @/ { print \"#\t0x43a2b5\tmain.lost+0x35\t\t/src/main.go:1\n\" } { print }" a >b
	status 1 stkcap -o b.stk b 2>err
	grep "a frame without a count above it" err
	folded a >wanted; stkcat -q -f folded b.stk | same wanted -
	printf "memory profile: total 7\nall is well\n" >c
	status 1 stkcap -o c.stk c 2>err; grep "not a known format" err
'
check 'one record, none; every beginning of a file' '
	head -5 a >b; folded b >got; echo "goroutine;main.serve;main.work 6" | same - got
	head -1 a >b; status 1 stkcap -o b.stk b 2>err
	size=$(wc -c <a) n=1
	while [ $n -lt "$size" ]; do
		head -c $n a >cut; code=0
		stkcap -q --format go-profile -o cut.stk cut 2>err || code=$?
		test $code -le 1
		n=$((n + 7))
	done
'
check 'as a second format says it: 200,000 records, in pieces, are the sums that awk has' '
	awk "BEGIN { print \"goroutine profile: total 0\"; for (i = 0; i < 200000; i++) {
		printf \"%d @ 0x%x 0x44bd3b\\n#\\t0x%x\\tmain.f%d+0x35\\t\\t/src/main.go:%d\\n#\\t0x44bd3a\\tmain.serve+0x1a\\t\\t/src/main.go:30\\n\\n\", i % 7 + 1, 4000000 + i % 50, 4000000 + i % 50, i % 50, i % 50 + 1
		sum[i % 50] += i % 7 + 1 } for (k in sum) print \"goroutine;main.serve;main.f\" k, sum[k] >\"wanted\" }" >b
	folded b | sort >got
	sort wanted | same - got
'
finish
