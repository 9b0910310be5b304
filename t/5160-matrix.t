#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever a tree went through, whatever is asked of it: the answer is that of a scan, or within the bound that is stated, or it is said that it is not all.
# MATRIX_SEED=2 asks other windows of other recordings, MATRIX_WINDOWS=20000 more of them.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

seed=${MATRIX_SEED:-1}
ways=built,appended,merged,followed,thinned,approx,approx-samples,cut,damaged,hurt
reports='folded tree flat paths callers classes groups pools'

# --- the recordings: thread dumps with states, and ticks of two events; both with classes and groups ---
cat >scheme.yaml <<'END'
scheme: matrix
siblings:
  - name: waits
    siblings:
      - { name: parked, members: ['jdk.internal.misc.Unsafe.park'] }
      - { name: asleep, members: ['java.lang.Thread.sleep'] }
  - name: few
    members: ['f0', 'f1']
END
zcat "$t/data/day-17a.txt.gz" | stkcap -q -o raw.dumps -
awk -v seed=$seed 'BEGIN { srand(seed); for (i = 0; i < 2000; i++) { w = int(rand() * rand() * 9); e = i % 1000 > 0 && rand() < 0.2
	printf "%s 10/%d [000] %.6f: %d %s: \n\t1 f%d (app)\n\t2 g%d (app)\n\t3 main (app)\n\n", w % 2 ? "web" : "db", 10 + w % 2, 1000 + i / 50 + (i % 7) / 1000, e ? 3 : 7, e ? "instructions" : "cycles", w, w % 3 } }' |
	stkcap -q --format perf-script -o raw.ticks -

# make NAME LEAF THIN CUTS: every way a tree of NAME comes to be, half of them with several sets of keys
sets='--by default --by thread --by state'
make() {
	stkclass -q raw.$1 | stkgroup -q -s scheme.yaml >$1.stk
	stkcat -q -S --event all --running $1.stk >$1.running.stk
	stktree -q --leaf $2 --split 3 $sets -o $1.built $1.stk
	stktree -q --leaf $2 --split 3 --keep-percent 80 -o $1.approx $1.stk
	stktree -q --thin $3 -o $1.thinned $1.built
	rest=$4 from= n=0 parts=
	for at in $4 ''; do
		stkcat -q -S ${from:+--from $from} ${at:+--to $at} $1.stk >part
		stktree -q --append $1.appended --leaf $2 --split 3 part
		stktree -q --leaf $2 --split 3 $sets -o $1.part$n part
		parts="$parts $1.part$n" n=$((n + 1)) from=$at
	done
	stktree -q --merge -o $1.merged $parts
	size=$(wc -c <$1.stk)
	mkfifo live
	stktree -q --follow --every 50ms --leaf $2 --split 3 -o $1.followed live & pid=$!
	{ head -c $((size / 3)) $1.stk; sleep 0.3; tail -c +$((size / 3 + 1)) $1.stk | head -c $((size / 3)); sleep 0.3; tail -c +$((size / 3 * 2 + 1)) $1.stk; } 2>/dev/null >live
	wait $pid
	rm live
	head -c $(($(wc -c <$1.built) * 6 / 10)) $1.built >$1.cut
	cp $1.built $1.damaged
	for way in damaged:9 hurt:4; do		# in the nodes, and before them, in tenths of the file
		cp $1.built $1.${way%:*}
		printf '\377\000\252' | dd of=$1.${way%:*} bs=1 seek=$(($(wc -c <$1.built) * ${way#*:} / 10)) conv=notrunc 2>/dev/null
	done
}
make dumps 100 6h:raw,2d:3h 2026-03-02T12:00:00
make ticks 50 20s:raw,100s:5s @1020
python3 -SE "$t/lib/matrix.py" $seed $ways >results 2>crash || true

# judge WAY REPORT: the cells of all filters
judge() {
	count=$((count + 1))
	grep "^bad $1 $2 " results >bad.cells
	if grep -q "^good $1 $2 " results && test "$(wc -l <bad.cells)" -eq 0; then
		echo "ok $count - $1: $2, with every filter"
		return
	fi
	failed=1
	echo "not ok $count - $1: $2, with every filter"
	cut -c 1-300 bad.cells | sed 's/^/# /' >&2
}
for way in $(echo $ways | tr , ' '); do
	for report in $reports; do judge $way $report; done
done
check 'keys have no effect on classes and groups, and are refused there' '
	status 2 stktree --report classes --by thread dumps.built
	status 2 stktree --report groups --by pool dumps.built'
check 'every cell was asked' '
	test ! -s crash || { cat crash; false; }
	test "$(sed -n "s/^cells \([0-9]*\) .*/\1/p" results)" -eq $((2 * 10 * (8 * 11 - 4)))'

# --- many windows of each way, by the engine in one process ---
list() { stkcat -q -f tsv --only sample $1.stk | awk -F '\t' -v weight="${2-}" 'NR > 1 && $8 == "cycles" { printf "%.0f %d %s\n", $1 * 1e9, weight != "" ? weight : $5, $6 }'; }
list ticks >ticks.list
list ticks 1 >ticks.ones
windows=${MATRIX_WINDOWS:-800}
for of in built:list built:ones appended:list merged:list followed:list approx:list approx:ones thinned:list \
	  cut:list damaged:list hurt:list; do			# weights, or samples
	case $of in thinned* | cut* | damaged* | hurt*) n=$((windows / 4)) ;; *) n=$windows ;; esac
	check "$n random windows: $of" '
		"$BUILD/t/tools/ask_windows" ticks.${of%:*} ticks.${of#*:} $n $seed >said
		exact=$(sed -n "s/ of $n windows exact$//p" said)
		case $of in appended* | merged* | followed* | built*) test $exact -eq $n ;; *) test $exact -gt 0 ;; esac'
done
check '... and the tool sees one sample too many' '
	sed 500d ticks.list >less.list
	status 1 "$BUILD/t/tools/ask_windows" ticks.built less.list 200 $seed >wrong && test -s wrong'
# and some by the command
check '300 random windows by the command' '
	awk -v seed=$seed "BEGIN { srand(seed); for (i = 0; i < 300; i++) { a = 999 + rand() * 42; printf \"%.4f %.4f\n\", a, a + rand() * rand() * 42 + 0.0001 } }" >windows
	n=0
	while read -r from to; do
		n=$((n + 1))
		case $((n % 4)) in 0) way=built ;; 1) way=appended ;; 2) way=merged ;; 3) way=followed ;; esac
		awk -v from=$from -v to=$to "BEGIN { from = sprintf(\"%.0f\", from * 1e9) + 0; to = sprintf(\"%.0f\", to * 1e9) + 0 } \$1 >= from && \$1 < to { n[\$3] += \$2 } END { for (s in n) print s, n[s] }" ticks.list | sort >want
		stktree -q -f folded --by none --window @$from..@$to ticks.$way 2>/dev/null | same want - || { echo "$way $from $to"; false; }
	done <windows
	test $n = 300'
finish
