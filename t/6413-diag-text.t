#!/bin/sh
# SPDX-License-Identifier: MIT
# stkdiag for people: whether it is over, and commands that work as they are printed; incidents over several streams.
. "${0%/*}/lib/tap.sh"
cd "$scratch" || exit 99
. "$t/lib/hand_dumps.sh"

# queue SECOND [handler]: three threads wait for one
queue() {
	begin "$1"
	thread "Reference Handler" 1000 RUNNABLE 1 java.lang.ref.Reference.waitForReferencePendingList
	holds h 9 1 app.Stock app.Stock.write "$1"
	for n in 1 2 3; do wants "http-$n" $n 1 app.Stock app.Stock.read; done
}
quiet() { begin "$1"; thread "Reference Handler" 1000 RUNNABLE 1 java.lang.ref.Reference.waitForReferencePendingList; idle http-1 1; }
text() { COLUMNS=400 stkdiag -f text "$@" || test $? = 4; }

check 'the first sentence says whether it is over, or the last dump or all still show it' '
	{ quiet 0; for s in 10 20 30; do queue $s; done; } >dumps
	stkcap -q dumps >x.stk
	text x.stk >out
	sed -n 1p out | grep -q "held by h in app.Stock.write, now in app.Work.compute; 90 seconds of threads. time lost, 100 % of the pool.s meanwhile\. The last dump still shows it\.$"
	{ for s in 10 20 30; do queue $s; done; quiet 40; } >dumps
	stkcap -q dumps >x.stk
	text x.stk >out
	sed -n 1p out | grep -q "\. It is over\.$"
	for s in 10 20 30; do queue $s; done >dumps
	stkcap -q dumps >x.stk
	text x.stk >out
	sed -n 1p out | grep -q "\. All 3 dumps show it\.$"
'
check 'more dumps than whole seconds: the time between them is lost, once' '
	{ for s in 0 0 0 1 1 1; do queue $s; done; } >dumps
	stkcap -q dumps >x.stk
	text x.stk >out
	sed -n 1p out | grep -q "; 3 seconds of threads. time lost"
'
check 'the command below a finding works as it is printed, whatever the name of the file' '
	{ quiet 0; for s in 10 20 30; do queue $s; done; quiet 40; begin 50; holds d 30 8 app.A app.A.in; wants e 31 8 app.A app.A.in; } >dumps
	for name in x.stk "a b.stk" "it'"'"'s.stk" -x.stk; do
		stkcap -q dumps >./"$name"
		text -- "$name" >out || text "./$name" >out
		grep "^ *stkcat -f dumps" out | head -1 >command
		sh -e command >shown || { cat command; false; }
		test "$(grep -c "^Full thread dump" shown)" = 3
		grep -q "^\"http-3\"" shown
		grep -q "^\"h\"" shown
	done
'
check '... and names the threads when they are few' '
	{ for s in 0 10; do begin $s
		thread a-1 1 BLOCKED 1 app.B.in "- waiting to lock <0x2> (a app.B)" app.A.in "- locked <0x1> (a app.A)"
		thread b-1 2 BLOCKED 1 app.A.in "- waiting to lock <0x1> (a app.A)" app.B.in "- locked <0x2> (a app.B)"
		idle c-1 3
	done; } >dumps
	stkcap -q dumps >x.stk
	text x.stk >out
	grep "^ *stkcat -f dumps" out >command
	grep -q -- "--thread .^(a-1|b-1)\$. x.stk$" command
	sh -e command >shown
	test "$(grep -c "^\"[ab]-1\"" shown)" = 4
	status 1 grep "^\"c-1\"" shown
'
check '... in the zone of the dumps, too' '
	{ for s in 0 10 20; do queue $s; done; } >dumps
	stkcap -q --zone Europe/Berlin dumps >x.stk
	text x.stk >out
	grep "^ *stkcat -f dumps" out >command
	sh -e command >shown
	test "$(grep -c "^Full thread dump" shown)" = 3
'
check 'an incident over several streams is one: files, joined files, merged files' '
	for part in 1 2 3; do
		{ queue $((part * 20)); queue $((part * 20 + 10)); } >part$part.txt
		stkcap -q part$part.txt >part$part.stk
	done
	for way in "part1.stk part2.stk part3.stk" "-" "merged.stk"; do
		cat part1.stk part2.stk part3.stk >joined.stk
		stkcat --merge -f stream part1.stk part2.stk part3.stk >merged.stk
		stkdiag -q -f tsv $way <joined.stk >out || test $? = 4
		cut -f 1-3,6,9 out | tail -n +2 >found
		printf "2026-03-01T10:00:20Z\t2026-03-01T10:01:10Z\tblocked\t3\t6\n" | same - found
	done
'
check '... also when the streams of two processes are merged, and each has its own incident' '
	for vm in 1 2; do
		for s in 0 10 20; do queue $s; done | sed "s/app.Stock/app.Stock$vm/g; s/tid=0x0*13e8/tid=0x$vm/; s/nid=0x23e8/nid=0x$vm/" >vm$vm.txt
		stkcap -q vm$vm.txt >vm$vm.stk
	done
	stkcat --merge -f stream vm1.stk vm2.stk >merged.stk
	stkdiag -q -f tsv merged.stk >out || test $? = 4
	cut -f 3,5,6,9,11 out | tail -n +2 | sort >found
	printf "blocked\tapp.Stock1\t3\t3\tvm1.txt\nblocked\tapp.Stock2\t3\t3\tvm2.txt\n" | same - found
'
finish
