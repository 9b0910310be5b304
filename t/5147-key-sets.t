#!/bin/sh
# SPDX-License-Identifier: MIT
# A tree may have counts by several sets of keys. Whatever is asked for, the set that knows it answers as a scan does, and of thinned samples it is said when none does.
. "${0%/*}/lib/tap.sh"

zcat "$t/data/day-17a.txt.gz" | stkcap -q -o day.stk -
sets='--by default --by thread --by source,state'
shape='--leaf 50 --split 3'
stktree -q $shape $sets -o day.tree day.stk
stktree -q --thin 6h:raw,2d:3h -o thin.tree day.tree

# alike TREE OPTIONS...: the answer is that of a scan of day.stk, and nothing is said
alike() {
	tree=$1; shift
	stkcat -q -f folded "$@" day.stk >want
	stktree -q -f folded "$@" "$tree" 2>said | same want - && status 1 grep -q "thinned\|lost" said
}
# every TREE: all that some set knows
every() {
	for by in default thread source state source,state state,source none; do
		for window in .. 2026-03-02T05:10:00..2026-03-02T21:30:00; do
			case $1 in *thin*) window=.. ;; esac
			alike $1 --by $by --window $window
		done
	done
	alike $1
	for filter in "--thread ^web" "--thread web-1.*" "--thread nobody" "--state waiting" "--state runnable,blocked" "--process ^day" \
		"--grep park" "--thread ^web --grep park" "--state waiting --grep sleep --invert" "--event none"; do
		case $filter in *state*) keys="source none source,state" ;; *) keys="none thread" ;; esac
		for by in $keys; do alike $1 --by $by $filter; done
	done
}
sets_of() { stkcat -q -f tsv --only tree "$1" | tail -3 | cut -f 6,14 | tr '\t\n' '  '; }

check 'a row for each set, in one block, and nodes of each' '
	test "$(sets_of day.tree)" = "source,state 2 thread 1  0 "
	stkcat -q -f tsv --only tree_node day.tree | tail -n +2 | awk "{ n[\$NF]++ } END { exit !(n[0] == n[1] && n[1] == n[2] && n[0] > 20) }"
	stkcat --check day.tree'
check 'every key, window and filter' 'every day.tree'
check '... of which counts answer, and not the samples' '
	for of in "--by thread" "--by state" "--by none --state waiting" "--thread web-1.* --by none"; do
		stktree --stats $of -f folded day.tree 2>said >got && grep "nodes 1, stacks [0-9]*, .* coverage 100%" said
	done
	stktree --stats --by pid -f folded day.tree 2>said >got && grep "nodes 0" said'
check 'the set with fewer keys is asked where several know it' '
	stktree -q $shape --by state,thread,source --by none -o two.tree day.stk
	stktree --stats --report flat -f tsv two.tree 2>few >got && stktree --stats --report flat --by state -f tsv two.tree 2>many >got
	test "$(sed -n "s/.*nodes 1, stacks \([0-9]*\),.*/\1/p" few)" -lt "$(sed -n "s/.*nodes 1, stacks \([0-9]*\),.*/\1/p" many)"
	alike two.tree --by source,thread --state waiting'
check 'what is usual for a tree is its first set; comparisons are by that of the first recording' '
	stktree -q $shape --by thread --by default -o thread.tree day.stk
	stkcat -q -f folded --by thread day.stk >want && stktree -q -f folded thread.tree | same want -
	stktree -q -f folded --state waiting thread.tree >got && stkcat -q -f folded --by thread --state waiting day.stk | same - got
	stktree -q -f tsv day.stk --diff thread.tree | awk -F "\t" "NR > 1 && \$2 != \$3 { exit 1 }"
	stktree -q -f tsv thread.tree --diff day.stk | awk -F "\t" "NR > 1 && \$2 != \$3 { exit 1 }"
	stktree -q --report pools -f tsv --top 0 day.stk >want && stktree -q --report pools -f tsv --top 0 thread.tree | same want -
	stktree -q --by thread -o only.tree day.stk && stktree -q --report pools -f tsv --top 0 only.tree | same want -'
check 'thinned: what a set knows is answered, all else is said, once and with its number' '
	every thin.tree
	for of in "--by thread --state waiting" "--by default --state waiting" "--thread web-1.* --by source" "--by pid" "--running" "--where state=waiting"; do
		status 1 stktree -q -f folded $of thin.tree 2>said >got
		grep "from 2026-03-02T00:00:00Z to 2026-03-02T17:00:00.000000001Z, 794 samples are thinned to counts, which do not know" said
		test "$(grep -c thinned said)" -eq 1
	done
	for filter in "stkcat -f folded" "stkclass -f text" "stktrend -f tsv"; do
		status 1 $filter -q thin.tree 2>said >got && grep ": 794 samples from" said
	done'
check 'thinned again, in coarser steps, and parts of an interval' '
	stktree -q --thin 3h:raw,6h:3h,2d:6h -o thin2.tree thin.tree && every thin2.tree
	test "$(sets_of thin2.tree)" = "source,state 2 thread 1  0 "
	stktree -q --samples -f folded --by state --step 1h thin.tree | awk "{ n += \$NF } END { exit n != 1082 }"'
check 'appended to, in parts that overlap, which it has already' '
	for to in 08:00 16:00 ""; do
		stkcat -q -S ${to:+--to $to} day.stk >part
		stktree -q --append grown.tree $shape $sets part
	done
	every grown.tree && test "$(sets_of grown.tree)" = "source,state 2 thread 1  0 "
	cp grown.tree before && stktree --append grown.tree day.stk 2>said && grep "1082 samples were in the tree already" said && cmp before grown.tree'
check 'a thinned one is appended to: the same again, a later part, another thinned one' '
	cp thin.tree t.thin && stktree -q --append t.thin day.stk && cmp t.thin thin.tree
	cp thin.tree t.thin && stktree -q --append t.thin thin.tree && cmp t.thin thin.tree
	stkcat -q -S --to 20:00 day.stk >early && stktree -q $shape $sets -o early.tree early
	stktree -q --thin 3h:raw,2d:3h -o t.thin early.tree && stktree -q --append t.thin day.stk && every t.thin
	stktree -q --by thread -o one.tree day.stk && stktree -q --thin 6h:raw,2d:3h -o one.thin one.tree
	cp one.thin t.thin && stktree -q --append t.thin day.stk && cmp t.thin one.thin'
check 'merged: byte for byte the tree of all, thinned or not' '
	stkcat -q -S --to 11:30 day.stk >a.stk && stkcat -q -S --from 11:30 day.stk >b.stk
	for x in a b; do stktree -q $shape $sets -o $x.tree $x.stk; done
	stktree -q --merge -o m.tree a.tree b.tree && stktree -q $shape $sets -o w.tree a.stk b.stk && cmp m.tree w.tree && every m.tree
	stktree -q --thin 1h:raw,2d:3h -o a.thin a.tree && stktree -q --merge -o m.thin a.thin b.tree && every m.thin'
check 'followed, in pieces' '
	mkfifo live
	stktree -q --follow --every 20ms $shape $sets -o f.tree live & pid=$!
	{ head -c 9000 day.stk; sleep 0.1; tail -c +9001 day.stk; } >live && wait $pid
	every f.tree && test "$(sets_of f.tree)" = "source,state 2 thread 1  0 "'
check 'counts that leave stacks out: shares are of all, and what is filtered is read from the samples' '
	stktree -q $shape $sets --keep-percent 80 -o p.tree day.stk
	for by in none thread source,state; do
		stktree -q -f folded --samples --by $by p.tree | awk "\$1 != \"#\" { n += \$NF } END { exit n != 1082 }"
	done
	alike p.tree --state waiting --by source && alike p.tree --thread web-1.* --by none'
check 'no samples, one, two, three' '
	for n in 0 1 2 3; do
		awk -v n=$n "BEGIN { for (i = 0; i < n; i++) printf \"t%d 1/%d %d.0: 1 cycles:\n\t1 f (x)\n\n\", i, i + 1, i + 1 }" | stkcap -q --format perf-script -o few.stk - || test $n = 0
		stktree -q --leaf 1 $sets -o few.tree few.stk || test $n = 0
		stktree -q --thin 1ms:raw,1d:1m -o few.thin few.tree || test $n = 0
		for tree in few.tree few.thin; do
			stktree -q -f folded --by thread $tree >got || test $n = 0
			stkcat -q -f folded --by thread few.stk | same - got
			stktree -q -f folded --by none --thread "t[12]" $tree >got || test $n -lt 2
			stkcat -q -f folded --by none --thread "t[12]" few.stk | same - got
		done
	done'
check 'names that keys write alike do not tell threads apart: the samples do, and of counts it is said' '
	printf "%s 1/1 1.0: 1 cycles:\n\t1 f (x)\n\n%s 1/2 2.0: 1 cycles:\n\t1 g (x)\n\n%s 1/3 90.0: 1 cycles:\n\t1 h (x)\n\n" "a;b" "a:b" c |
		stkcap -q --format perf-script -o alike.stk -
	stktree -q --by thread -o alike.tree alike.stk && stktree -q --thin 10s:raw,1d:1m -o alike.thin alike.tree
	for regex in "a;b" a:b c "a.b"; do
		stkcat -q -f folded --by thread --thread "$regex" alike.stk >want
		stktree -q -f folded --thread "$regex" alike.tree | same want -
	done
	stktree -q -f folded --thread a.b alike.thin | same want -
	status 1 stktree -q -f folded --thread "a;b" alike.thin 2>said >got && grep "2 samples are thinned" said'
check 'an empty first element is written, as a scan does' '
	stktree -q $shape --by none,thread -o none.tree day.stk && stktree -q --thin 6h:raw,2d:3h -o none.thin none.tree
	for tree in none.tree none.thin; do alike $tree --by none,thread && grep -q "^;web-" want; done'

# honest TREE OPTIONS...: the answer is that of a scan of day.stk, or it is less, with status 1
honest() {
	of=$1; shift
	stktree -q -f folded "$@" $of >got 2>said && rc=0 || rc=$?
	stkcat -q -f folded "$@" day.stk >want
	case $rc in
	0) same want got ;;
	1) test -s said && test "$(awk "{ n += \$NF } END { print n + 0 }" got)" -le "$(awk "{ n += \$NF } END { print n }" want)" ;;
	*) false ;;
	esac || { echo "$of: $*: $rc" >&3; return 1; }
}
check 'a damaged or truncated one answers less only where it says so' '
	for tree in day.tree thin.tree; do
		size=$(wc -c <$tree)
		for at in $(seq 1900 613 $((size - 40))); do
			cp $tree hurt.tree && printf "\252" | dd of=hurt.tree bs=1 seek=$at conv=notrunc 2>/dev/null
			honest hurt.tree --by state --thread web-1.* && honest hurt.tree --by source --state waiting
		done
		for tenths in 5 8 9; do
			head -c $((size * tenths / 10)) $tree >cut.tree
			honest cut.tree --by source --state waiting && grep "cut\|middle" said
		done
	done'
check 'where a comparison makes one pool of several, conditions on threads and states are answered from counts as well' '
	awk "BEGIN { for (i = 0; i < 40; i++) { printf \"2026-03-02 %02d:%02d:00\nFull thread dump OpenJDK 64-Bit Server VM (21):\n\n\", 8 + i / 10, i % 10 * 6
		for (k = 0; k < 6; k++) printf \"\\\"pool-%d-thread-%d\\\" #%d prio=5 os_prio=0 tid=0x%d nid=0x%d runnable\n   java.lang.Thread.State: %s\n\tat a.B.f%d(B.java:1)\n\tat a.B.run(B.java:2)\n\n\",
			k % 3 + 1, k, k + 1, k + 1, k + 1, k == 5 ? \"BLOCKED\" : \"RUNNABLE\", (i * i + k) % 7 } }" | stkcap -q -o pools.stk -
	stktree -q --by default --by default,state -o pools.tree pools.stk && stktree -q --thin 1h:raw,9h:1h -o thin.pools.tree pools.tree
	for filter in "--thread ^pool-1-" "--thread nobody" "--state blocked" "--thread ^pool-3- --state runnable" "--thread ^pool-[12]- --grep f1"; do
		for way in "" --exact; do
			stktree -q -f tsv --report paths --top 0 $way $filter pools.stk --diff pools.stk >want || test $? -eq 1
			stktree -q -f tsv --report paths --top 0 $way $filter thin.pools.tree --diff pools.stk 2>said >got || test $? -eq 1
			cut -f 1-3 want | sort >wanted && cut -f 1-3 got | sort | same wanted - && status 1 grep -q thinned said
		done
	done
	stktree -q -f tsv --report paths --thread ^pool-1- thin.pools.tree --diff pools.stk | grep "^pool-\*-thread;a.B.run"
	status 1 stktree -f tsv --thread thread-0 thin.pools.tree --diff pools.stk 2>said >got && grep "thinned to counts, which do not know what is selected" said'
check 'one set in a report; none twice, no more than eight; trees of other sets do not go together' '
	status 2 stktree -f folded --by thread --by state day.stk 2>said && grep "one set of keys: write --by thread,state" said
	status 2 stktree -f folded --by thread --by state -o x.tree day.stk 2>said
	status 2 stktree --by thread --by thread -o x.tree day.stk 2>said && grep "given twice" said
	status 2 stktree --by thread --by nothing -o x.tree day.stk 2>said && grep "nothing. is not one of" said
	status 2 stktree --by none --by thread --by state --by source --by pool --by pid --by tid --by command --by process -o x.tree day.stk 2>said
	grep "more than 8 sets" said && test ! -e x.tree
	status 2 stktree --merge -o x.tree day.tree thread.tree 2>said && grep "pool or command. and .thread. and .source,state., of thread.tree .thread. and .pool or command" said
	status 2 stktree --append day.tree --by thread day.stk 2>said && grep "it cannot grow with another" said
	status 2 stktree -o x.tree $sets one.thin 2>said && grep "thinned to counts by .thread., and these cannot be counted by .pool or command" said
	stktree -q -o x.tree --by state --by thread one.tree && stktree -q -o x.tree --by source,state thin.tree'
finish
