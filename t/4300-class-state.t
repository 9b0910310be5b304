#!/bin/sh
# SPDX-License-Identifier: MIT
# A state goes on where it ended: in pieces as at once, byte for byte. What is not whole, or not ours, is refused, and the old state is kept.
. "${0%/*}/lib/tap.sh"

stacks() {	# SEED FROM COUNT: dumps 20 s apart, from number FROM on
	awk -v seed="$1" -v from="$2" -v count="$3" 'BEGIN { srand(seed); for (d = from; d < from + count; d++) { print "@" 1772355600 + 20 * d;
		for (k = 0; k < 5; k++) { n = 1 + int(rand() * 7); s = ""; for (i = 0; i < n; i++) s = s (i ? ";" : "") "f" int(rand() * rand() * 30); print s " " 1 + int(rand() * 3) } } }'
}
for day in 1 2 3; do
	stacks $day $((day * 100)) 60 | stkcap -q --format folded-dumps --source host-a - >day$day.stk
done

check 'three runs leave the state of one, byte for byte, and their outputs end to end are its output' '
	for day in 1 2 3; do stkclass -q --resume pieces day$day.stk >out$day; done
	stkclass -q --resume whole day1.stk day2.stk day3.stk >out
	cmp pieces whole
	cat out1 out2 out3 | cmp - out
	stkcat --check pieces
	zstd -q -t pieces || ! have zstd
'
check '... and tables from it are those of one run' '
	stkclass -q -f tsv day1.stk day2.stk day3.stk >want
	rm -f pieces
	stkclass -q --resume pieces -f tsv day1.stk >/dev/null
	stkclass -q --resume pieces -f tsv day2.stk >/dev/null
	stkclass -q --resume pieces -f tsv day3.stk | same want -
	test "$(wc -l <want)" -gt 100
'
check 'the same with parts' '
	for day in 1 2 3; do stkclass -q --by source,state --resume parts day$day.stk >/dev/null; done
	stkclass -q --by source,state --resume whole.parts day1.stk day2.stk day3.stk >/dev/null
	cmp parts whole.parts
'
lines() {	# MINUTE LINE COUNT: a dump of so many threads, of which one is in another line
	printf "2026-03-01 09:%02d:00\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n" $1
	for i in $(seq $3); do printf "\"t$i\" #$i prio=5 os_prio=0 tid=0x0$i nid=0x$i runnable [0x01]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.work(B.java:$((i == 1 ? 7 : $2)))\n\tat a.B.run(B.java:3)\n\n"; done
}
check 'forms of frames are in the state: pieces are one run, byte for byte, and merged states add up; only with --variants' '
	for n in 1 2 3; do lines $n $((10 + n % 2)) $((3 + n)) | stkcap -q --source host-a - >lines$n.stk; done
	stkclass -q --variants --segments -f tsv lines1.stk lines2.stk lines3.stk >want.forms
	cut -f 9 want.forms | sed -n 2p >got
	printf "a.B.work: line 11 53.3%% line 10 26.7%% line 7 20.0%%\n" | same - got
	for n in 1 2 3; do stkclass -q --variants --resume forms --segments -f tsv lines$n.stk >got; done
	same want.forms got
	stkclass -q --variants --resume whole.forms lines1.stk lines2.stk lines3.stk >/dev/null
	cmp forms whole.forms
	for n in 1 2 3; do stkclass -q --variants --resume forms$n lines$n.stk >/dev/null; done
	stkclass -q --variants --merge --segments -f tsv forms3 forms1 forms2 | cut -f 9 | same - "$(cut -f 9 want.forms >f; echo f)"
	stkclass -q --variants --offline --segments -f tsv lines1.stk lines2.stk lines3.stk | cut -f 9 | same f -
	status 2 stkclass -q --resume forms -f tsv lines1.stk 2>said
	grep "was made with other options" said
	stkclass -q --resume formless lines1.stk >/dev/null && cp formless before
	status 2 stkclass -q --variants --resume formless lines2.stk 2>said
	grep "was made with other options .*, not with .* variants " said && cmp formless before
	stkcat -q -f tsv --only variant forms | cut -f 2-4 | sort | same - "$(printf "10\tjava\t4\n11\tjava\t8\n3\tjava\t15\n7\tjava\t3\nline\tform\tcount\n" | sort >g; echo g)"
'
check 'a dump given twice is counted once, and that is said' '
	stkclass --resume pieces -f tsv day2.stk >got 2>err
	grep "60 dumps were counted before" err
	same want got
	stkclass -q --resume pieces -f tsv day3.stk day1.stk | same want -
	stkclass -f tsv day1.stk day2.stk day3.stk day2.stk 2>err | same want -
	grep "60 dumps were counted before" err
'
check 'a dump of the past is counted, whenever it comes' '
	rm -f late
	stkclass -q --resume late -f tsv day1.stk >/dev/null
	stkclass -q --resume late -f tsv day3.stk >/dev/null
	stkclass --resume late -f tsv day2.stk 2>err | cut -f 3,5 | sort >got
	grep "earlier than the dump before them" err
	tail -n +2 want | wc -l >count
	tail -n +2 got | wc -l | same count -
'
check 'merged states: totals as of one run, in any order and grouping' '
	for day in 1 2 3; do rm -f s$day; stkclass -q --resume s$day -f tsv day$day.stk >/dev/null; done
	stkclass -q --merge --resume m12 s1 s2
	stkclass -q --merge --resume m12.3 m12 s3
	stkclass -q --merge --resume m23 s3 s2
	stkclass -q --merge --resume m1.23 s1 m23
	stkclass -q --offline -f tsv day1.stk day2.stk day3.stk | cut -f 2,5-8 | sort >want.merged
	for m in m12.3 m1.23; do
		stkclass -q --merge -f tsv $m | cut -f 2,5-8 | sort | same want.merged -
		stkclass -q --merge --segments -f tsv $m | awk -F "\t" "NR == 1 || \$3 == 0" | cut -f 2,6,7 | sort >$m.leaves
	done
	same m12.3.leaves m1.23.leaves
	stkclass -q --segments -f tsv day1.stk day2.stk day3.stk | awk -F "\t" "NR == 1 || \$3 == 0" | cut -f 2,6,7 | sort | same m12.3.leaves -
	stkclass -q --merge -f tsv s1 | cut -f 2,5 | awk "NR > 1 { print \$1, 2 * \$2 }" >twice
	status 1 stkclass --merge -f tsv s1 s1 2>err >got
	cut -f 2,5 got | awk "NR > 1 { print \$1, \$2 }" | same twice -
	grep "60 dumps are also in an earlier state and are counted twice" err
'
check 'a state that is cut anywhere is refused with 3, and left unchanged' '
	cp whole kept
	size=$(wc -c <whole)
	for length in 0 1 100 $(seq 900 997 $size) $((size - 65)) $((size - 1)); do
		head -c $length whole >cut
		cp cut cut.before
		status 3 stkclass -q --resume cut -f tsv day1.stk >got 2>err || { echo "length $length"; false; }
		test ! -s got
		grep "^stkclass: cut: " err
		cmp cut cut.before
	done
'
check 'a state with a flipped bit is refused, or holds together; never a crash' '
	size=$(wc -c <whole)
	refused=0
	for at in $(seq 20 211 $size); do
		cp whole flipped
		printf "\\377" | dd of=flipped bs=1 seek=$at conv=notrunc 2>/dev/null
		cmp -s whole flipped && continue
		stkclass -q --resume flipped -f tsv day1.stk >got 2>err && code=0 || code=$?
		test $code -eq 3 -o $code -eq 0 || { echo "status $code at $at"; cat err; false; }
		test $code -eq 0 || refused=$((refused + 1))
	done
	test $refused -gt 10
'
check 'what is not a state, or of other options, is refused by name' '
	status 3 stkclass -q --resume day1.stk -f tsv day2.stk 2>err
	grep "day1.stk: not a stkclass state file" err
	status 2 stkclass -q --lines --resume whole -f tsv day1.stk 2>err
	grep "was made with other options" err
	echo hello >text
	status 3 stkclass -q --resume text -f tsv day1.stk 2>err
	grep "^stkclass: text: not a stkclass state file" err
	grep hello text
	status 2 stkclass -q --merge --lines -f tsv s1 2>err
	status 3 stkclass -q --merge -f tsv s1 no-such 2>err
	grep "no-such: no such file" err
'
check 'a second run at the same time is refused, and changes nothing' '
	cp whole locked
	{ sleep 3; cat day1.stk; } | stkclass -q --resume locked -f tsv >/dev/null &
	n=0
	while test ! -e locked.lock -a $n -lt 50; do sleep 0.1; n=$((n + 1)); done
	sleep 0.3
	status 3 stkclass -q --resume locked -f tsv day2.stk 2>err
	grep "another run" err
	cmp whole locked
	wait
	stkcat --check locked
'
check 'a run that fails leaves the old state' '
	cp whole old
	mkdir full
	if test -e /dev/full; then
		stkclass -q --resume old day1.stk >/dev/full 2>err && false || test $? -eq 3
		cmp whole old
	fi
'
finish
