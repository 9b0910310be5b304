#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --look-back: until --when holds the last minutes are kept in memory; then they are in the file.
. "${0%/*}/lib/tap.sh"

# A command whose dumps have their number in a method's name, so that each can be found.
cat >numbered <<'END'
n=$(cat number 2>/dev/null || echo 0)
n=$((n + 1))
echo $n >number.new
mv number.new number
printf '2026-01-01 00:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17+1 mixed mode):\n\n'
printf '"worker" #1 prio=5 tid=0x1 nid=0x2 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat shop.Orders.step%d(Orders.java:1)\n\nJNI global refs: 1\n\n' $n
END
# waits_for WORDS [FILE]: a line of the capture
waits_for() { for attempt in $(seq 1500); do ! grep -q -e "$1" "${2:-err}" || return 0; sleep .02; done; cat err; false; }
# waits_until N: so many dumps were taken
waits_until() { for attempt in $(seq 1500); do test "$(cat number 2>/dev/null || echo 0)" -lt $1 || return 0; sleep .02; done; false; }
numbers() { stkcat -f folded "$@" | sed -n 's/.*step\([0-9]*\).*/\1/p' | sort -n; }
begin_capture() {
	rm -f number here err ./*.stk
	stkcap --exec "sh $PWD/numbered" --every 100ms --budget 0 --when "file=$PWD/here" "$@" 2>err & capture=$!
}

check 'nothing is written until the condition holds, and then what was taken before it, once and in order' '
	begin_capture --look-back 1h --listen s.sock -o out.stk
	waits_for "keeping the last 1h in memory"
	waits_until 20
	test ! -e out.stk
	stkcap --status s.sock | grep -e "--when does not hold: the last [0-9]* s are in memory ([1-9][0-9]* bytes)"
	: >here
	waits_for "wrote the last [0-9]* s from memory: [0-9]* dumps"
	waits_until $(($(cat number) + 5))
	kill $capture
	status 143 wait $capture
	stkcat --check out.stk
	numbers out.stk >got
	seq 1 $(tail -n 1 got) | same - got
	test $(wc -l <got) -ge 25
	held=$(sed -n "s/.*from memory: \([0-9]*\) dumps.*/\1/p" err)
	test $held -ge 20
	grep "stkcap: $(wc -l <got) dumps, $(wc -l <got) samples" err
'
check 'what is older than the time, and an eighth more, is not there' '
	begin_capture --look-back 2s -o out.stk
	waits_for "keeping the last 2s in memory"
	sleep 6
	: >here
	waits_for "wrote the last [0-9]* s from memory"
	kill $capture
	status 143 wait $capture
	seconds=$(sed -n "s/.*wrote the last \([0-9]*\) s .*/\1/p" err)
	test $seconds -ge 1
	numbers out.stk >got
	first=$(head -n 1 got)
	test $first -gt 5
	seq $first $(tail -n 1 got) | same - got
	stkcat -f tsv --only dump out.stk >dumps
	stkcat --check out.stk
'
check 'a second incident is appended, or has a file of its own; what was between is not written' '
	begin_capture --look-back 1s -o out.stk
	waits_for "keeping the last 1s"
	: >here
	waits_for "wrote the last"
	rm here
	for attempt in $(seq 1500); do test $(grep -c "keeping the last 1s" err) -lt 2 || break; sleep .02; done
	between=$(cat number)
	sleep 5
	: >here
	for attempt in $(seq 1500); do test $(grep -c "wrote the last" err) -lt 2 || break; sleep .02; done
	kill $capture
	status 143 wait $capture
	stkcat --check out.stk
	numbers out.stk >got
	sort -n -u got | same - got
	test $(wc -l <got) -lt $(tail -n 1 got)
	test -z "$(grep -x $((between + 15)) got)"
'
check 'a condition that never holds: no file, and what is dropped is told' '
	begin_capture --look-back 1h --count 5 -o out.stk
	status 0 wait $capture
	test ! -e out.stk
	grep "[1-5] dumps, [1-5] samples in memory are dropped: --when did not hold" err
	grep "0 dumps, 0 samples" err
'
check 'a condition that holds at once: all is written as without it' '
	: >there
	status 0 stkcap -q --exec "cat $t/data/orders.jstack.txt" --every 100ms --count 3 --budget 0 --when "file=$PWD/there" --look-back 1h -o now.stk
	test $(stkcat -f tsv --only dump now.stk | wc -l) -ge 1
	stkcat --check now.stk
'
check 'to a pipe as well' '
	rm -f number here
	{ sleep 2; : >here; } &
	stkcap --exec "sh $PWD/numbered" --every 100ms --budget 0 --when "file=$PWD/here" --look-back 1h --count 50 2>err >piped.stk
	stkcat --check piped.stk
	numbers piped.stk | head -n 1 | grep -x 1
'
check 'an output that cannot be written is reported at the beginning, and nothing is created' '
	status 3 stkcap -q --exec "cat $t/data/orders.jstack.txt" --every 1s --when "file=$PWD/none" --look-back 1h -o no/such/folder.stk 2>err
	grep "cannot write to no/such/folder.stk" err
	mkdir -p dir
	status 3 stkcap -q --exec "cat $t/data/orders.jstack.txt" --every 1s --when "file=$PWD/none" --look-back 1h -o dir 2>err
	grep "cannot write to dir" err
'
check 'an incident at a time when the file cannot be written waits in memory for it' '
	mkdir -p away
	begin_capture --look-back 1h -o away/out.stk
	waits_for "keeping the last 1h"
	waits_until 5
	mv away gone
	: >here
	waits_for "what is in memory is written when this is fixed"
	waits_until $(($(cat number) + 5))
	mv gone away
	waits_for "wrote the last"
	kill $capture
	status 143 wait $capture
	numbers away/out.stk >got
	seq 1 $(tail -n 1 got) | same - got
'
check 'without a condition that begins to hold, or moments, it has no effect, and is refused' '
	cat=$t/data/orders.jstack.txt
	status 2 stkcap --exec "cat $cat" --every 1s --look-back 5m -o x.stk 2>err
	status 2 stkcap --exec "cat $cat" --every 1s --look-back 5m --when user=root -o x.stk 2>err
	grep -e "--look-back needs a condition of --when that begins to hold" err
	status 2 stkcap --exec "cat $cat" --look-back 5m --when file=x -o x.stk 2>err
	grep -e "--look-back needs --every TIME" err
	status 2 stkcap --exec "cat $cat" --every 1s --look-back 0 --when file=x -o x.stk 2>err
	grep -e "--look-back: expected a duration greater than 0" err
	status 2 stkcap --exec "cat $cat" --every 1s --when "heap>50%" -o x.stk 2>err
	grep -e "are of the VMs of --jvm" err
	test ! -e x.stk
'
finish
