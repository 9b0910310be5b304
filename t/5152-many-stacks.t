#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording of many stacks: a window costs what is in it, and folded lines are those of a scan, in the order of their bytes.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

# 200,000 samples of 8,000 stacks in 200 s: of the rows that define stacks there are more than samples.
"$BUILD/bench/make_samples" flat 200000 8000 40 >many.stk
stktree -q --leaf 500 -o many.tree many.stk
stktree -q --threads 1 -o one.tree many.stk

# window A B: from and to in milliseconds from the beginning, as times
window() { python3 -c 'import sys; print(*("@%.3f" % (1772355600 + int(w) / 1000) for w in sys.argv[1:]))' "$@"; }

check 'any window of the tree is what a scan finds' '
	python3 -c "
import random
chance = random.Random(7)
for by in (str(), \"none\", \"thread,state\"):
	for length in (1, 1000, 30000):
		begin = chance.randrange(200000)
		print(*(\"@%.3f\" % (1772355600 + w / 1000) for w in (begin, begin + chance.randrange(1, length + 1))), by)" >windows
	while read -r a b by; do
		stkcat -q -f folded ${by:+--by $by} --from $a --to $b many.stk >want
		stktree -q -f folded ${by:+--by $by} --from $a --to $b many.tree 2>said | same want -
	done <windows
	stkcat -q -f folded many.stk >want
	stktree -q -f folded many.tree | same want -
'
check 'lines are in the order of their bytes, each once' '
	LC_ALL=C sort want | same want -
	sed "s/ [0-9]*$//" want | uniq -d | same - /dev/null
'
check 'functions, callers and paths are those of a scan of the samples' '
	set -- $(window 60000 61000)
	for report in "" "--report flat" "--report paths"; do
		stktree -q -f tsv $report --from $1 --to $2 many.stk >want
		stktree -q -f tsv $report --from $1 --to $2 many.tree | same want -
	done
	test "$(wc -l <want)" -gt 1
'
check 'a second reads a small part of the file, and of a short recording as well' '
	set -- $(window 150000 151000)
	share() { sed -n "s/.*bytes \([0-9]*\) of \([0-9]*\),.*/\1 \2/p" said | { read -r read all; echo $((1000 * read / all)); }; }
	stktree -f folded --stats --from $1 --to $2 many.tree 2>said >/dev/null
	test "$(share)" -lt 500
	"$BUILD/bench/make_samples" flat 300000 300 40 >short.stk
	stktree -q -o short.tree short.stk
	for second in 10 150 297; do
		set -- $(window $((second * 1000 + 300)) $((second * 1000 + 1300)))
		stktree -f folded --stats --from $1 --to $2 short.tree 2>said >/dev/null
		test "$(share)" -lt 50 || { cat said; false; }
	done
'
check 'trees with large blocks of stacks are read too, and a stream that is cut' '
	set -- $(window 60000 61000)
	stkcat -q -f folded --from $1 --to $2 many.stk >want
	stktree -q -f folded --from $1 --to $2 many.stk | same want -
	head -c $(($(wc -c <many.tree) * 9 / 10)) many.tree >cut.tree
	status 1 stktree -q -f folded --from $1 --to $2 cut.tree 2>said | same want -
'
check 'the same bytes with any number of threads' '
	stktree -q --threads 2 -o two.tree many.stk
	cmp one.tree two.tree
	stkcat --check one.tree
'
check 'a tree that is appended to has the stacks of both' '
	"$BUILD/bench/make_samples" flat 20000 5000 40 >more.stk
	cp one.tree both.tree
	stktree -q --again --append both.tree more.stk		# some samples of both are equal
	cat many.stk more.stk | stkcat -q -f folded >want
	stktree -q -f folded both.tree | same want -
'

# Names that begin alike, with bytes below and above the semicolon; threads whose names do.
cat >alike.txt <<'END'
main;x 1
main;x$1 2
main;x;y 3
main;x$1;y 4
main;x~;y 5
main 6
main-2;x 7
main$;x 8
main;x;y;z 9
x 10
END

check 'names that begin alike are in the order of bytes, whatever is before them' '
	stkcap -q --format folded -o alike.stk alike.txt
	for by in "" none thread; do
		stkcat -q -f folded ${by:+--by $by} alike.stk >got
		LC_ALL=C sort got | same got -
		stktree -q -f folded ${by:+--by $by} alike.stk | same got -
	done
	stkcat -q -f folded --by none alike.stk | sed "s/ [0-9]*$//" >got
	sed "s/ [0-9]*$//" alike.txt | LC_ALL=C sort | same got -
'
check 'one stream after itself has the same lines, with twice the numbers' '
	for data in alike.stk many.stk; do
		stkcat -q -f folded $data | awk "{ \$NF = 2 * \$NF; print }" >want
		cat $data $data | stkcat -q -f folded | same want -
	done
'
check 'memory for folded lines is that of the stacks, not of their texts' '
	case $BUILD in *address*) limit=unlimited ;; *) limit=70000 ;; esac		# a sanitizer wants address space
	"$BUILD/bench/make_samples" flat 150000 30000 40 >large.stk
	stktree -q -o large.tree large.stk
	(ulimit -v $limit; stkcat -q -f folded large.stk) >want
	test "$(wc -c <want)" -gt 60000000
	(ulimit -v $limit; stktree -q -f folded large.tree) | same want -
'
check 'the memory that stktree(1) states holds' '
	# within BYTES COMMAND...: with so many bytes a stack or caller of one, and 16 MB for the program itself
	within() {
		bytes=$1; shift
		case $BUILD in *address*) limit=unlimited ;; *) limit=$((16000 + stacks * bytes / 1024)) ;; esac
		(ulimit -v $limit; "$@" >out) || { echo "not within $limit kB: $*"; false; }
	}
	of() { stacks=$(stkcat --contents -f tsv $1 | awk "\$1 == \"stack\" { print \$2 }"); }
	of large.stk
	within 20 stktree -q -f folded large.tree
	within 40 stktree -q -f tsv --report tree large.tree
	within 40 stktree -q --threads 1 -o built.tree large.stk
	within 80 stktree -q --threads 1 --keep-percent 90 -o built.tree large.stk
	stkcat -q -f stream --to 2026-03-01T09:01 large.stk >half.stk && stktree -q -o grown.tree half.stk
	within 120 stktree -q --threads 1 --append grown.tree large.stk
	within 20 stktree -q -f tsv --report paths --window 2026-03-01T09:01..2026-03-01T09:01:10 large.tree
	of many.stk
	within 40 stktree -q -f tsv --report flat many.tree
	within 80 stktree -q -f tsv --report paths many.tree
	within 80 stktree -q --threads 1 -f stream many.tree
	half=2026-03-01T09:01:40
	within 160 stktree -q -f tsv --report flat many.tree --diff ..$half $half..
	within 400 stktree -q -f tsv --report paths many.tree --diff ..$half $half..
	within 500 stktree -q -f tsv --report tree many.tree --diff ..$half $half..
	within 750 stktree -q -f tsv --report tree --depth 20 many.tree --diff ..$half $half.. --diff $half..2026-03-01T09:02'

finish
