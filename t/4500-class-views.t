#!/bin/sh
# SPDX-License-Identifier: MIT
# What people are shown; ratios that leave their band; frames in several forms; bad input.
. "${0%/*}/lib/tap.sh"

cat >dumps.txt <<'END'
@2026-03-01T09:00:00Z
main;serve;read 3
main;serve;write 1
@2026-03-01T09:00:20Z
main;serve;read 2
main;idle 4
END
stkcap -q dumps.txt >dumps.stk

check 'the table: the heaviest class first, with its share, its times, where it is' '
	COLUMNS=200 stkclass -q -f text --zone +01:00 dumps.stk >out
	grep "^3 classes and 7 segments of 5 frames in 2 dumps, 2026-03-01T10:00:00+01:00 to 2026-03-01T10:00:20+01:00$" out
	sed -n 4p out | grep "^ *1  *2  *5  *83.3%  *-  *unknown  *03-01 10:00  *03-01 10:00 .* read < serve < main$"
	sed -n 5p out | grep " 4  *4  *40.0% .* idle < main$"
	printf "@2026-03-01T09:00:00Z\\nmain 3\\n" | stkcap -q - | stkclass -q -f text | head -1 >one
	grep "^1 class and 1 segment of 1 frame in 1 dump, 2026-03-01T09:00:00Z to 2026-03-01T09:00:00Z$" one
	stkclass -q -f text --top 1 dumps.stk | grep -c "serve\|read\|idle" | grep -x 1
'
check 'the tree: totals, shares, classes' '
	stkclass -q --tree dumps.stk | sed "s/^ *//; s/  */ /g" >out
	cat >want <<END
total now share class frames, root first
10 6 100.0% - main
6 2 60.0% - serve
5 2 83.3% 1 read
1 0 16.7% 2 write
4 4 40.0% 3 idle
END
	same want out
'
check 'one class and one segment, by number, by name, by the beginning of a name' '
	name=$(stkclass -q -f tsv dumps.stk | sed -n 2p | cut -f 2)
	stkclass -q --class 1 dumps.stk >one
	grep "^class 1  $name$" one
	grep "now, total    2, 5; 2.5 a dump" one
	stkclass -q --class $name dumps.stk | same one -
	stkclass -q --class $(echo $name | cut -c 1-6) dumps.stk | same one -
	stkclass -q --segment 1 dumps.stk >seg
	grep "first half" seg
	grep "classes  *1 $" seg
	status 2 stkclass -q --class 99 dumps.stk 2>err
	grep "there is no class .99. among 3" err
	status 2 stkclass -q --segment nothing dumps.stk 2>err
'
check '--explain says where an unknown stack leaves what is known' '
	stkclass -q --explain "main;serve;open" dumps.stk | tail -1 | grep "like no stack that was seen"
	stkclass -q --explain "main;serve" dumps.stk | tail -1 | grep "no class: such a stack was not seen"
'
check 'records to a terminal are refused, tables are not' '
	status 2 stkclass -q -f records dumps.stk 2>err
	status 2 stkclass -q --tree --grammar dumps.stk 2>err
	status 2 stkclass -q --by colour dumps.stk 2>err
	grep "expected source, pool or state, not .colour." err
'

# weight moves between siblings after 300 dumps: of ten threads in serve four, then eight are in read
shift_of() {	# READ-BEFORE ALL-BEFORE READ-AFTER ALL-AFTER
	awk -v r1="$1" -v a1="$2" -v r2="$3" -v a2="$4" 'BEGIN { srand(11); for (d = 0; d < 500; d++) { r = d < 300 ? r1 : r2; a = d < 300 ? a1 : a2; print "@" 1772355600 + 20 * d;
		r += int(rand() * 3) - 1; print "main;serve;read;fill " r; print "main;serve;write " a - r } }' | stkcap -q --format folded-dumps -
}
check 'ratios: nothing moves, nothing is said' '
	shift_of 4 10 4 10 | stkclass -q | stkcat -f tsv --only anomaly | tail -n +2 >out
	test ! -s out || { cat out; false; }
'
# Of a split into main;serve and read;fill, which is nowhere else: both say the same.
each_ratio() {	# KIND
	cut -f 5 out | sed 1d | sort >got
	printf "$1 %s\n" second/first whole/first | same - got
}
check 'ratios: weight moves between siblings while what is above them stays: cost-shift, soon after, of each ratio that moved' '
	shift_of 4 10 8 10 | stkclass -q | stkcat -f tsv --only anomaly >out
	each_ratio cost-shift
	first=$(sed -n 2p out | cut -f 1)
	test "$first" \> "2026-03-01T10:40:00" -a "$first" \< "2026-03-01T10:45:00" || { cat out; false; }
'
check 'ratios: what is above them grows, and one of them with it: level-shift' '
	shift_of 4 10 24 30 | stkclass -q | stkcat -f tsv --only anomaly >out
	each_ratio level-shift
'
check 'variants: a frame that stands in two lines is marked, one that does not is not' '
	{ printf "2026-03-01 09:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n"
	for i in 1 2 3 4 5; do printf "\"t$i\" #$i prio=5 os_prio=0 tid=0x0$i nid=0x$i runnable [0x01]\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.work(B.java:$((i % 2 + 10)))\n\tat a.B.run(B.java:3)\n\n"; done; } | stkcap -q - >lines.stk
	stkclass -q --variants --segments -f tsv lines.stk | sed -n 2p | cut -f 9 >got
	printf "a.B.work: line 11 60.0%% line 10 40.0%%\n" | same - got
	stkclass -q --variants --segment 1 lines.stk | grep "a.B.work    line 11 60.0% line 10 40.0%"
	stkclass -q --segments -f tsv lines.stk | head -1 | grep -v variants
'

check 'a stream without samples: said, 1' '
	printf "" | stkcap -q --format folded - >none.stk 2>/dev/null || true
	status 1 stkclass -f tsv none.stk >out 2>err
	grep "no samples in the input" err
	test "$(wc -l <out)" -eq 1
'
check 'time running backwards: said, counted' '
	printf "@1772355620\na;b 1\n@1772355600\na;c 1\n" | stkcap -q --format folded-dumps - | status 0 stkclass -f tsv 2>err >out
	grep "1 dumps are earlier" err
	test "$(wc -l <out)" -eq 3
'
check 'a dump in two streams: both halves are counted, and it is said' '
	printf "@1772355620\na;b 1\n" | stkcap -q --source x --format folded-dumps - >one.stk
	printf "@1772355620\na;c 1\n" | stkcap -q --source x --format folded-dumps - >two.stk
	stkclass -f tsv one.stk two.stk 2>err >out
	grep "1 dumps came in several pieces" err
	test "$(wc -l <out)" -eq 3
	stkclass -f tsv one.stk one.stk 2>err | cut -f 5 | tail -1 | grep -x 1
	grep "1 dumps were counted before" err
'
check 'a stream that is cut: its whole blocks are classified, 1' '
	awk "BEGIN { for (i = 0; i < 30000; i++) print \"a;b\" i \" 1\" }" | stkcap -q --format folded - >big.stk
	head -c $(($(wc -c <big.stk) - 100)) big.stk | status 1 stkclass -f tsv >out 2>err
	test "$(wc -l <out)" -gt 1000
	head -c 3000 big.stk | status 1 stkclass -q >cut.stk 2>err
	stkcat -q --check cut.stk 2>err || test $? -eq 1
'
tools=${BUILD:-$t/../build}/t/tools
if test -x "$tools/make_stream"; then
	check 'streams of every kind, whole, cut and with flipped bytes: no crash, no hang' '
		for seed in 1 2 3 4 5 6; do
			"$tools/make_stream" $seed 40 30 >any.stk
			stkclass -q any.stk >out.stk 2>err && code=0 || code=$?
			test $code -le 1
			size=$(wc -c <any.stk)
			for at in $(seq $((100 + seed)) 1499 $size); do
				cp any.stk bad.stk
				printf "\\125" | dd of=bad.stk bs=1 seek=$at conv=notrunc 2>/dev/null
				stkclass -q -f tsv --by source,pool,state bad.stk >out 2>err && code=0 || code=$?
				test $code -le 1 || { echo "status $code at $at of $seed"; cat err; false; }
			done
		done
	'
else
	skip "no $tools/make_stream" 'streams of every kind' ''
fi
finish
