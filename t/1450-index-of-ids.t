#!/bin/sh
# SPDX-License-Identifier: MIT
# The index says which threads, sources, events and states are in a block: filters leave out the others, and give the same as when they read all.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_shifts" || skip_all "no $tools/make_shifts: run by make check"

# A file has an index that can be used, a pipe has not.
same_as_piped() {
	"$@" x.stk >got 2>said && one=0 || one=$?
	cat x.stk | "$@" >want 2>told && other=0 || other=$?
	same want got
	test $one -eq $other -a $one -le 1 || { echo "status $one, from a pipe $other: $*" >&3; return 1; }
}

for seed in 1 2; do
	check "each filter selects the same with the index as without, of threads that come and go ($seed)" '
		"$tools/make_shifts" $seed 12000 $((seed * 15)) $((seed * 80)) >x.stk
		stkcat --check x.stk
		for choice in "--thread rare" "--thread worker-1[0-9]" "--process service-3" "--state waiting,new" \
			"--running" "--event cache-misses" "--thread nobody" "--process 1004 --from @1772355602 --to @1772355606" \
			"--event all --from @1772355603 --to @1772355604"; do
			for form in "stkcat -q -f folded" "stkcat -q -f ndjson" "stkcat -q -f tsv --only sample" "stkcat -q -f tsv --only metric" \
				"stkcat -q -f ndjson --only event" "stkcat -q -f dumps" "stkcat -q -f text" "stkgroup -q -s jvm -f tsv" "stktrend -q -f tsv" "stkclass -q -f tsv"; do
				same_as_piped $form $choice
			done
			stkcat -q -f folded $choice x.stk | sort >want
			stktree -q -f folded $choice x.stk 2>said | sort >got || test $? -eq 1
			same want got
			stkcat -q -S $choice x.stk >part.stk && cat x.stk | stkcat -q -S $choice >piped.stk && cmp part.stk piped.stk
		done
	'
done
check 'streams one after another in a file are each chosen by their own part of the index' '
	"$tools/make_shifts" 5 20000 30 200 >a.stk
	"$tools/make_shifts" 6 20000 50 300 >b.stk
	cat a.stk b.stk a.stk >x.stk
	for choice in "--thread rare" "--process service-3" "--state blocked" "--event cache-misses"; do same_as_piped stkcat -q -f ndjson $choice; done
'
check 'of a rare thread in a large file a small part is read, and --stats says what was left out' '
	"$tools/make_shifts" 7 600000 300 2000 >x.stk
	stktree --stats --thread rare -f folded x.stk >got 2>said
	skipped=$(sed -n "s/^stktree: skipped \([0-9]*\) blocks with [0-9]* samples.*/\1/p" said)
	test "$skipped" -gt 280
	set -- $(sed -n "s/^stktree: nodes .* bytes \([0-9]*\) of \([0-9]*\),.*/\1 \2/p" said)
	test $(($1 * 100)) -lt $(($2 * 15)) || { cat said; false; }
'
check 'what the index says of ids takes less than a hundredth of the file' '
	for shape in "7 600000 300 2000" "8 30000 40 200" "8 100000 1000 1000" "8 20000 40 60" "8 10000 40 20"; do
		"$tools/make_shifts" $shape >made.stk
		for how in keep none; do "$tools/index_lies" $how made.stk >$how.stk; done
		stkcat --check keep.stk
		test $(wc -c <none.stk) -lt $(wc -c <keep.stk)
		test $(($(wc -c <keep.stk) * 100)) -lt $(($(wc -c <none.stk) * 101))
	done
'
check 'a file whose index does not say it is read as before, and so is one in which it is not valid' '
	"$tools/make_shifts" 8 30000 40 200 >good.stk
	for how in none cut; do
		"$tools/index_lies" $how good.stk >x.stk
		stkcat --check x.stk
		for choice in "--thread rare" "--process service-3" "--state blocked" "--event cache-misses"; do
			same_as_piped stkcat -q -f ndjson $choice
			stkcat -q -f ndjson $choice good.stk | same - got
		done
	done
'
check '--check finds an index that says the wrong of a block' '
	"$tools/index_lies" shift good.stk >x.stk
	status 1 stkcat --check x.stk 2>said
	grep "^stkcat: x.stk:[0-9]*: the index does not say what is in this block" said
	cat x.stk | stkcat --check
'
check 'an index that is damaged is not used' '
	size=$(wc -c <good.stk)
	head -c $((size - 100)) good.stk >x.stk && printf x >>x.stk && tail -c 99 good.stk >>x.stk
	status 1 stkcat -q -f ndjson --thread rare x.stk >got 2>said || true
	stkcat -q -f ndjson --thread rare good.stk | same - got
'
check 'a block that is damaged is not missed where nothing of it is selected, and is reported where something is' '
	blocks=$(stkcat -q -f ndjson --only sample good.stk | wc -l) && test $blocks -eq 30000
	: >hit
	for at in 40 60 80; do
		size=$(wc -c <good.stk)
		offset=$((size * at / 100))
		{ head -c $offset good.stk; printf ZZZZZZZZ; tail -c +$((offset + 9)) good.stk; } >x.stk
		stkcat -q -f tsv --only sample --thread rare x.stk >got 2>said || test $? -eq 1
		stkcat -q -f tsv --only sample --thread rare good.stk >want
		cmp -s want got || grep "x.stk:[0-9]*: " said
	done
'
check 'records that are passed on have the index that a writer of their rows gives them' '
	stkcat -q -S good.stk | stkcat -q -S --level 3 -o passed.stk
	stkcat -q -S --level 3 -o again.stk passed.stk && cmp passed.stk again.stk
	stkcat --check passed.stk
	stktree --stats --thread rare -f folded passed.stk 2>said >got
	grep "^stktree: skipped" said
'
finish
