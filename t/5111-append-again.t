#!/bin/sh
# SPDX-License-Identifier: MIT
# stktree --append and --follow add what a tree does not have: what comes again is left out and said, whatever file, order or ids it comes with.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_dumps" || skip_all "no $tools/make_dumps: run by make check"

# dumps SOURCE FROM TO >STREAM: dumps 20 s apart, each with a stack that is there twice, one of its own and one that differs by number
dumps() {
	awk -v from="$2" -v to="$3" 'BEGIN { for (d = from; d < to; d++) {
		print "@" 1772355600 + 20 * d; print "r;a;x;park 1"; print "r;a;x;park 1"; print "r;b;y" d % 7 " 1"; print "r;c" d " 2" } }' |
		stkcap -q --format folded-dumps --source "$1" -
}
# ticks COMMAND FROM TO >STREAM: samples that are part of no dump
ticks() {
	awk -v command="$1" -v from="$2" -v to="$3" 'BEGIN { for (i = from; i < to; i++)
		printf "%s 10/10 %.6f: %d cycles: \n\t1 f%d (app)\n\t3 main (app)\n\n", command, 1000 + i / 100, 1 + i % 3, i % 11 }' |
		stkcap -q --format perf-script --source here -
}
# samples FILE: without the numbers of their dumps
samples() { stkcat -q -f tsv --only sample "$1" | cut -f 1,3-6,8- | sort; }
# contents FILE: what it holds, without numbers that depend on the order in which it came
contents() {
	samples "$1"
	stkcat -q -f tsv --only dump "$1" | cut -f 2- | sort
	stkcat -q -f ndjson --only metric,event,counter "$1" | sort
	for window in "" "--window @1772356000..@1772359999.5 --window @1003..@1007.005"; do
		stktree -q -f folded $window "$1" || test $? -eq 1
		stktree -q -f folded --by source,thread $window "$1" || test $? -eq 1
		stktree -q -f tsv --report flat $window "$1" | sort
	done
}
# alike A B
alike() {
	contents "$1" >alike.a 2>alike.err
	contents "$2" >alike.b 2>alike.err
	test -s alike.a
	same alike.a alike.b
}
# unchanged TREE COMMAND...: the command leaves it bit for bit as it was, and does not write to it
unchanged() {
	tree=$1
	shift
	cp "$tree" before.tree
	touch -d 2020-01-01 "$tree"
	stamp=$(stat -c %i.%Y.%s "$tree")
	"$@" 2>said
	cmp before.tree "$tree"
	test "$stamp" = "$(stat -c %i.%Y.%s "$tree")"
}

dumps host-a 0 400 >a.stk
dumps host-b 0 400 >b.stk
dumps host-a 0 300 >early.stk
dumps host-a 200 400 >late.stk
ticks web 0 1000 >web.stk
ticks web 600 1400 >web2.stk
stktree -q -o a.tree a.stk

check 'the same file again: nothing is added, the file is not written to, and it is said how many' '
	stktree -q --append t.tree a.stk
	alike t.tree a.tree
	unchanged t.tree stktree --append t.tree a.stk
	grep "^stktree: 1600 samples were in the tree already and left out (--again adds them)$" said
	grep "^stktree: 1600 samples; " said
	unchanged t.tree status 0 stktree -q --append t.tree a.stk
	test ! -s said'
check 'so it is compressed, through a pipe, merged with others, as a tree, and of samples without dumps' '
	gzip -c a.stk >a.stk.gz && unchanged t.tree stktree --append t.tree a.stk.gz
	cat a.stk | unchanged t.tree stktree --append t.tree -
	unchanged t.tree stktree --append t.tree a.tree
	unchanged t.tree stktree --append t.tree t.tree
	stktree -q --append t.tree b.stk web.stk
	stkcat -q --merge --sort web.stk b.stk a.stk >merged.stk && unchanged t.tree stktree --append t.tree merged.stk
	cat web.stk a.stk b.stk | unchanged t.tree stktree --append t.tree -
	grep "^stktree: 4200 samples were in the tree already" said
	stktree -q -o all.tree a.stk b.stk web.stk && alike t.tree all.tree'
check 'of what overlaps, only what is new is added' '
	rm -f t.tree
	stktree -q --append t.tree early.stk
	stktree --append t.tree late.stk 2>said && grep "^stktree: 400 samples were in the tree already" said
	alike t.tree a.tree
	rm -f t.tree
	stktree -q --append t.tree late.stk web2.stk && stktree -q --append t.tree web.stk early.stk && unchanged t.tree stktree --append t.tree a.stk web2.stk
	ticks web 0 1400 >web3.stk
	stktree -q -o want.tree a.stk web3.stk && alike t.tree want.tree'
check 'a capture that was added while it was written: at the end it is there once, wherever it was cut' '
	size=$(wc -c <late.stk)
	stktree -q -o want.tree early.stk late.stk
	for part in 1 2 3 4 5; do
		rm -f t.tree && stktree -q --append t.tree web.stk
		head -c $((size * part / 6)) late.stk >cut.stk && { stktree -q --append t.tree cut.stk 2>said || test $? -eq 1; }
		stktree -q --append t.tree late.stk
		stktree -q -o want.tree web.stk late.stk && alike t.tree want.tree
	done
	"$tools/make_dumps" 1 300 >live.stk			# in blocks as small as a capture writes them
	stktree -q -o want.tree live.stk
	rm -f t.tree
	for part in 1 2 3 4 5 6; do
		head -c $(($(wc -c <live.stk) * part / 6 - part % 6)) live.stk >cut.stk && { stktree -q --append t.tree cut.stk 2>said || test $? -eq 1; }
	done
	stktree -q --append t.tree live.stk
	alike t.tree want.tree'
check 'what differs is not the same: another source, another time, another stack, more of it' '
	rm -f t.tree && stktree -q --append t.tree a.stk
	stktree --append t.tree b.stk 2>said && status 1 grep already said
	printf "@1772355600\nr;a;x;park 1\nr;a;x;park 1\nr;a;x;park 1\nr;b;y0 1\nr;c0 2\nr;b;y9 1\n@1772355601\nr;c0 2\n" | stkcap -q --format folded-dumps --source host-a - >more.stk
	stktree --append t.tree more.stk 2>said && grep "^stktree: 4 samples were in the tree already" said
	grep "^stktree: 3203 samples; " said
	unchanged t.tree stktree --append t.tree more.stk'
check '--again adds it again, and has no effect otherwise' '
	rm -f t.tree && stktree -q --append t.tree a.stk && stktree --append t.tree --again a.stk 2>said && status 1 grep already said
	stktree -q -o want.tree a.stk a.stk && alike t.tree want.tree
	unchanged t.tree stktree --append t.tree a.stk a.stk
	status 2 stktree --again a.tree 2>said && grep -- "--again" said
	status 2 stktree --again --merge -o x.tree a.tree a.tree 2>said'
check 'inputs of one run are not compared with one another, as with -o' '
	rm -f t.tree && stktree -q --append t.tree a.stk a.stk && alike t.tree want.tree'
check 'rows of every kind come once; only dumps without a time may be others' '
	"$tools/make_stream" 1 200 16 >kinds.stk
	rows() { stkcat -q -f ndjson "$1" 2>said2 | grep -Ev "^.\"kind\":\"(tree|string|frame|stack|source|thread|locks|objects|dump)" | sort; }
	rm -f t.tree && { stktree -q --append t.tree kinds.stk 2>said || test $? -eq 1; }
	rows t.tree >want && test $(wc -l <want) -gt 4000
	status 1 stktree --append t.tree kinds.stk 2>said && grep "^stktree: 200 samples were" said
	rows t.tree >got && test $(wc -l <got) -eq $(wc -l <want)
	stkclass -q -o classed.stk a.stk && rm -f t.tree && stktree -q --append t.tree classed.stk && unchanged t.tree stktree --append t.tree classed.stk'
check 'samples without a time may be others: they are added, and it is said; status 1' '
	printf "a;b 3\na;c 4\n" | stkcap -q --format folded - >untimed.stk
	rm -f t.tree && status 0 stktree -q --append t.tree untimed.stk
	printf "a;b 5\n" | stkcap -q --format folded - >other.stk && status 0 stktree -q --append t.tree other.stk
	status 1 stktree -q --append t.tree untimed.stk 2>said
	grep "^stktree: 2 samples have no time, and equal ones were in the tree already; they are added" said
	stktree -q -f folded t.tree >got && printf "a;b 11\na;c 8\n" | same - got'
check 'where only counts are left: samples of dumps are known by their dump; others that may be there are left out, with status 1' '
	stktree -q --thin 1h:raw,10d:10m -o thin.tree a.tree && cp thin.tree t.tree
	unchanged t.tree status 0 stktree --append t.tree a.stk && grep "^stktree: 1600 samples were" said
	unchanged t.tree stktree --append t.tree thin.tree && grep "^stktree: 1600 samples were" said
	stktree -q --append t.tree b.stk && test $(stktree -q -f folded t.tree | awk "{ n += \$NF } END { print n }") -eq 4000
	stktree -q -o web.tree web.stk && stktree -q --thin 1s:raw,10d:1s -o t.tree web.tree
	test $(stkcat -q -f tsv --only sample t.tree | wc -l) -lt 200
	unchanged t.tree status 1 stktree --append t.tree web.stk && grep "^stktree: [89][0-9]* samples may be among those of which only counts are left" said
	ticks db 0 1000 >db.stk && status 0 stktree --append t.tree db.stk 2>said && status 1 grep "already\|may be" said
	unchanged t.tree stktree --append t.tree db.stk
	cp web.tree t.tree && stktree -q --thin 1s:raw,10d:1s -o thin.tree web.tree
	unchanged t.tree status 1 stktree --append t.tree thin.tree && grep "samples may be among" said
	status 0 stktree -q --append t.tree --again thin.tree'
check 'a lost reference does not hide what is the same' '
	"$tools/make_dumps" 1 40 1700000000 2 3 >lost.stk
	rm -f t.tree && { stktree -q --append t.tree lost.stk 2>said || test $? -eq 1; }
	cp t.tree t1.tree
	{ stktree --append t.tree lost.stk 2>said || test $? -eq 1; }
	grep "samples were in the tree already" said
	contents t1.tree >want 2>err; contents t.tree 2>err | same want -'

check '--follow on the same input again leaves the tree as it is; killed before, it adds what is missing' '
	rm -f t.tree && stktree -q --follow -o t.tree a.stk
	alike t.tree a.tree
	unchanged t.tree stktree --follow -o t.tree a.stk && grep "^stktree: 1600 samples were" said
	(cat early.stk; sleep 0.05; cat b.stk) | stktree -q --follow --every 1ms -o t.tree -
	stktree -q -o want.tree a.stk b.stk && alike t.tree want.tree
	rm t.tree && stktree -q --append t.tree a.stk
	stktree -q --follow --again -o t.tree a.stk && stktree -q -o want.tree a.stk a.stk && alike t.tree want.tree
	mkfifo pipe && rm -f t.tree
	stktree -q --follow --every 1ms -o t.tree pipe & pid=$!
	exec 9>pipe && cat early.stk >&9
	tries=0; until test -e t.tree && stktree -q -f folded t.tree >got 2>said && test -s got; do tries=$((tries + 1)); test $tries -lt 600; sleep 0.05; done
	kill -9 $pid; exec 9>&-; wait $pid || true
	stktree -q --follow -o t.tree a.stk && alike t.tree a.tree'

check 'a tree keeps its shape: an option that asks for another is refused, the same one is not' '
	stktree -q -o t.tree --leaf 50 --split 3 --keep-percent 90 --split-by calendar --by pid --event cycles web.stk
	unchanged t.tree status 0 stktree -q --append t.tree --leaf 50 --split 3 --keep-percent 90 --split-by calendar --by pid --event cycles web.stk
	for option in "--leaf 51" "--split 4" "--keep-percent 100" "--split-by time" "--by thread" "--event all"; do
		for way in --append "--follow -o"; do
			unchanged t.tree status 2 stktree -q $way t.tree $option web2.stk
			grep -- "${option% *} of t.tree is .*: it cannot grow with another" said
		done
	done
	rm t.tree && stktree -q --append t.tree --leaf 51 web.stk && stkcat -q -f ndjson --only tree t.tree | grep "\"leaf\":51,"'
check 'a tree that was replaced while it was added to is no success' '
	rm -f t.tree pipe && mkfifo pipe && stktree -q --append t.tree early.stk
	stktree -q --append t.tree pipe 2>said & pid=$!
	exec 9>pipe && head -c 2000 late.stk >&9
	stktree -q -o moved.tree web.stk && mv moved.tree t.tree && cp t.tree before.tree
	tail -c +2001 late.stk >&9; exec 9>&-
	wait $pid && rc=0 || rc=$?
	test $rc -eq 3 && grep "the tree was replaced by another file" said
	cmp before.tree t.tree'

# --- what goes wrong in the middle ---

stktree -q -o early.tree early.stk
cp early.tree want.tree && stktree -q --append want.tree a.stk
samples want.tree >want.samples
stktree -q -f folded want.tree >want.folded
# whole_after TREE: whatever happened to an append of a.stk to early.tree, the old samples are there, the next one adds what is missing, and a third nothing
whole_after() {
	samples "$1" >have 2>said2 || test $? -eq 1
	samples early.tree | comm -23 - have | same - /dev/null
	stktree -q --append "$1" a.stk 2>said2 || test $? -eq 1
	stkcat --check "$1"
	samples "$1" | same want.samples -
	stktree -q -f folded "$1" | same want.folded -
	unchanged "$1" status 0 stktree -q --append "$1" a.stk
}
case ${BUILD:-} in *address*) library= ;; *) library=$scratch/fail_io.so ;; esac
{ have cc && cc -shared -fPIC -o fail_io.so "$t/lib/fail_io.c" -ldl 2>cc.log; } || library=
if test -n "$library"; then
	check 'killed or failing at the last calls that write (STK_FAULTS=all: at any): what was there is there, no lock stays, and the next run adds what is missing' '
		COUNTED=$PWD/counts LD_PRELOAD=$library stktree -q --append t0.tree early.stk
		cp early.tree t.tree && COUNTED=$PWD/counts LD_PRELOAD=$library stktree -q --append t.tree a.stk
		cat counts
		for call in write pwrite ftruncate fsync; do
			count=$(awk -v call=$call "\$1 == call { print \$2 }" counts) n=1
			test "${STK_FAULTS:-}" = all || test ${count:-0} -lt 2 || n=$((count - 1))
			while test $n -le ${count:-0}; do
				for way in kill half ENOSPC EIO; do
					case $way:$call in half:*write | kill:* | E*) ;; *) continue ;; esac
					cp early.tree t.tree
					FAIL=$call:$n FAILWITH=$way LD_PRELOAD=$library stktree -q --append t.tree a.stk 2>said && got=0 || got=$?
					case $way in kill | half) test $got -eq 137 ;; *) test $got -eq 3 ;; esac || { echo "status $got: $call $n $way"; cat said; false; }
					whole_after t.tree || { echo "after $call $n $way"; false; }
				done
				n=$((n + 1))
			done
		done'
else
	skip 'no compiler, or a sanitizer that wants to be loaded first' 'killed or failing at calls that write'
fi
check 'one that writes has the tree to itself' '
	cp early.tree t.tree && rm -f pipe && mkfifo pipe
	stktree -q --append t.tree pipe & pid=$!
	exec 9>pipe && head -c 1000 a.stk >&9
	status 3 stktree -q --append t.tree a.stk 2>said && grep "t.tree: another stktree is writing to it" said
	status 3 stktree -q --follow -o t.tree a.stk 2>said && grep "t.tree: another stktree is writing to it" said
	status 3 stktree -q --thin 1h:1m -o t.tree t.tree 2>said && grep "t.tree: another stktree is writing to it" said
	status 3 stktree -q -o t.tree a.stk 2>said && grep "t.tree: another stktree is writing to it" said
	tail -c +1001 a.stk >&9; exec 9>&-
	status 0 wait $pid
	alike t.tree want.tree'
finish
