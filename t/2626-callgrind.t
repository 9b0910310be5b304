#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles of callgrind: costs of functions are exact, stacks are estimated from what calls cost.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/callgrind/shop" shop
# rows FILE: event, stack, weight
rows() {
	stkcap -q "$@" >rows.stk || test $? -eq 1
	stkcat -q -f tsv --only sample rows.stk | sed 1d | awk -F "\t" '{ print $8, $6, $5 }' | sort
}

# leaf costs 600 (13): a called it for 200, b for 400
check 'a function that two others call: its costs in proportion to those of the calls; several events, inlined files, jumps' '
	status 0 stkcap -o x.stk shop 2>err
	grep "0 dumps, 11 samples, 6 distinct stacks, 0 lines skipped" err
	rows shop >got
	sort >wanted <<-END
	Ir main 100
	Ir main;a 100
	Ir main;a;leaf 200
	Ir main;b 100
	Ir main;b;[libc.so.6] 100
	Ir main;b;leaf 400
	Dr main 10
	Dr main;b 5
	Dr main;b;[libc.so.6] 2
	Dr main;b;leaf 9
	Dr main;a;leaf 4
	END
	same wanted got
	stkcat -q -f tsv --only frame x.stk | grep "leaf(int)	/opt/shop	leaf.h"
	stkcat -q -f tsv --only source x.stk | grep "4711	./shop --fast"
	stkcat -q -f folded x.stk | head -1 | grep -x "main 100"
'
check 'calls to oneself, and around a ring, are left out and counted; the costs stay' '
	cat >x <<-END
	events: Ir
	fn=main
	1 10
	cfn=a
	calls=1 1
	1 90
	fn=a
	2 30
	cfn=a
	calls=5 2
	2 60
	cfn=b
	calls=1 3
	2 60
	fn=b
	3 60
	cfn=a
	calls=2 2
	3 20
	END
	status 0 stkcap -o x.stk --rejects rejects x
	grep "calls back to a function that is active already.*: 2 of them" rejects
	printf "Ir main 10\nIr main;a 30\nIr main;a;b 60\n" >wanted; rows x | same wanted -
	printf "events: Ir\nfn=f\n1 5\nfn=f'"'"'2\n1 7\nfn=f\ncfn=f'"'"'2\ncalls=1 1\n1 7\n" >x; rows x >got; printf "Ir f 5\nIr f;f 7\n" | same - got
'
check 'more chains of callers than are kept: the rest is under other callers, the sum is exact' '
	awk "BEGIN { print \"events: Ir\"; for (i = 0; i < 300; i++) printf \"fn=(%d) c%d\\n1 1\\ncfn=(999) leaf\\ncalls=1 1\\n1 %d\\n\", i + 1, i, i + 1; print \"fn=(999)\"; print \"1 45151\" }" >x
	rows x >got
	awk "/leaf/ { n += \$NF; rows++ } /^Ir .other callers.;leaf/ { other = 1 } END { exit n != 45151 || rows != 100 || !other }" got
	grep -x "Ir c299;leaf 300" got
	awk "BEGIN { print \"events: Ir\"; for (i = 0; i < 60; i++) for (k = 0; k < 2; k++) printf \"fn=f%d.%d\\n1 1\\ncfn=f%d.0\\ncalls=1 1\\n1 5\\ncfn=f%d.1\\ncalls=1 1\\n1 5\\n\", i, k, i + 1, i + 1 }" >x
	rows x | awk "{ n += \$NF } END { exit n != 120 }"
'
check 'names without numbers, positions of instructions, parts of two threads' '
	cat >x <<-END
	version: 1
	creator: callgrind-3.19.0
	positions: instr line
	events: Ir
	thread: 1
	totals: 7
	fn=(1) main
	0x1000 5 3
	+4 * 4
	part: 2
	thread: 2
	events: Ir
	fn=(1)
	0x1000 5 9
	totals: 9
	END
	status 0 stkcap -q -o x.stk x
	stkcat -q -f tsv --only sample x.stk | sed 1d | awk -F "\t" "{ print \$18, \$6, \$5 }" >got
	printf "1 main 7\n2 main 9\n" | same - got
'
check 'what is cut off is seen by the total; what cannot be read is said; every beginning' '
	head -48 shop >x; status 1 stkcap -o x.stk x 2>err; grep "do not sum up to the total" err
	{ cat shop; echo "what is this"; } >x; status 1 stkcap -o x.stk x 2>err; grep "a line of a profile that cannot be read" err
	sed "s/^cfn=(2) a/cfn=(2)/" shop >x; status 1 stkcap -o x.stk x 2>err; grep "numbers of names that the profile does not have" err
	printf "the creator: me\nevents: many\n" >x; status 1 stkcap -o x.stk x 2>err; grep "not a known format" err
	printf "# callgrind format\nfn=f\n1 2\n" >x; status 1 stkcap -o x.stk x 2>err; grep "a line of a profile that cannot be read" err
	size=$(wc -c <shop) n=1
	while [ $n -lt "$size" ]; do
		head -c $n shop >cut; code=0
		stkcap -q --format callgrind -o cut.stk cut 2>err || code=$?
		test $code -le 1
		n=$((n + 17))
	done
'
printf 'volatile double x;\n__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) x += i; }\n__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n__attribute__((noinline)) void a(void) { leaf(1000); }\n__attribute__((noinline)) void b(void) { leaf(3000); a(); }\nint main(void) { a(); b(); x += fib(9); return x < 0; }\n' >w.c
if have valgrind callgrind_annotate cc; then
	check 'callgrind itself: each function costs what callgrind_annotate says, and what is below it too' '
		cc -g -O1 -o w w.c
		valgrind -q --tool=callgrind --cache-sim=yes --dump-instr=yes --callgrind-out-file=out ./w
		status 0 stkcap -q -o x.stk out
		callgrind_annotate --threshold=100 --auto=no --show=Ir out | awk -F "[ (%]+" "/:[a-z_.A-Z0-9@?]/ && /^ *[0-9,]+ / { gsub(/,/, \"\", \$0) } /^ *[0-9]+ .*:/ { n = \$0; sub(/^ */, \"\", n); cost = n; sub(/ .*/, \"\", cost); sub(/ \\[[^]]*\\]\$/, \"\", n); sub(/.*:/, \"\", n); sub(/'"'"'[0-9]*\$/, \"\", n); sum[n] += cost } END { for (f in sum) print f, sum[f] }" | grep "^[a-z_]* " | sort >wanted
		stkcat -q -f folded x.stk | awk "{ cost = \$NF; sub(/ [0-9]*\$/, \"\"); sub(/.*;/, \"\"); sum[\$0] += cost } END { for (f in sum) print f, sum[f] }" | sort >got
		test "$(wc -l <wanted)" -gt 20
		join wanted got | awk "\$2 != \$3 { print; bad = 1 } { n++ } END { exit bad || n < 20 }"
		callgrind_annotate --threshold=100 --auto=no --inclusive=yes --show=Ir out | sed "s/,//g" | awk "/w.c:[abm]/ { n = \$0; sub(/ \\[.*/, \"\", n); sub(/.*:/, \"\", n); print n, \$1 }" | sort -u >wanted
		for f in a b main; do stkcat -q -f folded x.stk | awk -v f=$f "{ cost = \$NF; sub(/ [0-9]*\$/, \"\"); if (index(\";\" \$0 \";\", \";\" f \";\")) n += cost } END { print f, n }"; done >got
		join wanted got | awk "(\$2 - \$3) ^ 2 > 4 { print; bad = 1 } { n++ } END { exit bad || n != 3 }"
		stkcat -q -f folded x.stk | grep ";main;b;a;leaf "
	'
else
	skip 'no valgrind' 'callgrind itself' ''
fi
finish
