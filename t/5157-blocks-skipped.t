#!/bin/sh
# SPDX-License-Identifier: MIT
# Of a month in which something is there in one hour only, a report that asks for that reads the blocks of that hour, and counts what a scan counts.
. "${0%/*}/lib/tap.sh"

# a sample every 100 s for 30 days of each of three threads; in hour 400 also `reindex`, in a process of its own, in functions of its own and on another event
awk 'BEGIN { for (i = 0; i < 25920; i++) { at = 1000000 + i * 100; for (k = 0; k < 3; k++)
		printf "web-%d 10/%d %d.%06d: 1 cycles: \n\t1 f%d (app)\n\t2 g%d (app)\n\t3 main (app)\n\n", k, 20 + k, at, k, (i * i + k) % 101, i % 7
	if (int((at - 1000000) / 3600) == 400) printf "reindex 77/78 %d.5: 1 %s: \n\t1 Index.merge (db)\n\t2 main (app)\n\n", at, i % 2 ? "faults" : "cycles" } }' |
	stkcap -q --format perf-script -o month.stk -
stktree -q -o month.tree month.stk
stkcat -q -f folded --event all --by thread month.stk >whole

# asks MOST LINES OPTION...: the lines of the whole recording that match LINES; at most MOST of the blocks of samples are read
read_of() { sed -n 's/^stktree: skipped \([0-9]*\) blocks with.*/\1/p' said; }
asks() {
	most=$1 want=$2; shift 2
	stktree -f folded --event all --by thread --stats "$@" month.tree >got 2>said || test $? -eq 1
	grep -E "$want" whole >wanted || true
	same wanted got
	for file in month.tree month.stk; do
		{ stkcat -q -f folded --event all --by thread "$@" $file || test $? -eq 1; } | same wanted -
	done
	skipped=$(read_of)
	test "${skipped:-0}" -ge $((all - most)) || { echo "$*: ${skipped:-0} of $all blocks skipped"; false; }
}
all=$(stktree -f folded --event all --by thread --thread nobody --stats month.tree 2>&1 >got | sed -n 's/^stktree: skipped \([0-9]*\) blocks with.*/\1/p')

check 'a month is many blocks' '
	test "$all" -ge 15'
check 'one hour: of a thread, a process, a function, by options and by --where' '
	asks 2 "^reindex;" --thread "^reindex$"
	asks 2 "^reindex;" --process "^77$"
	asks 2 "^reindex;" --grep "^Index"
	asks 2 "^reindex;" --where "thread = reindex"
	asks 2 "^reindex;" --where "pool ~ ^re"
	asks 2 "^reindex;" --where "process = reindex"
	asks 2 "^reindex;" --where "process = 77"
	asks 2 "^reindex;" --where "function = Index.*"
	asks 2 "^reindex;" --where "thread = reindex and state != blocked"
	asks 2 "^reindex;" --where "thread = reindex or pool = nobody or function = nothing"
	asks 2 "^reindex;" --where "not thread = web-*"
	asks 2 "^reindex;" --where "not (thread = web-* or not function ~ Index)"
	asks 2 "^reindex;" --where "time in @2400000..@2500000 and process = 77"
	asks 2 "^nothing$" --where "event = faults and thread = web-1"'
check 'an event' '
	stktree -f folded --by thread --event faults --stats month.tree >got 2>said
	test "$(read_of)" -ge $((all - 2)) && grep "^reindex;main;Index.merge 18$" got
	stktree -f folded --by thread --event all --where "event = faults" --stats month.tree 2>said | same got -
	test "$(read_of)" -ge $((all - 2))'
check 'what may be anywhere reads everything, and loses nothing' '
	asks $all "." --where "not function = nothing"
	asks $all ";f7 " --grep "^f7 "
	asks $all ";f7 |;Index" --where "function = f7 or thread = reindex"
	asks $all "." --where "thread != nobody"
	asks $all "." --where "state = unknown"'
check 'threads that are not named, and processes by their dumps' '
	awk "BEGIN { for (i = 0; i < 30000; i++) printf \"@%d\n%s;x%d 1\n\", 1772355600 + i, i / 100 == 200 ? \"odd\" : \"a\", i % 50 }" | stkcap -q --format folded-dumps --source host -o d.stk -
	stktree -q -o d.tree d.stk
	for where in "source = host" "source != host" "process != 5" "thread = \"\"" "thread != \"\"" "function = odd" "not source = host"; do
		stkcat -q -f tsv --only sample --where "$where" d.stk 2>/dev/null | wc -l >want
		stkcat -q -f folded --by none d.stk >folded
		stkcat -q -f folded --by none --where "$where" d.stk >want
		stktree -q -f folded --by none --where "$where" d.tree 2>said >got || test $? -eq 1
		same want got
		case $where in "source = host") same folded got ;; "source != host") test ! -s got ;; esac
	done'
check 'the index says of each block what is in it' '
	stkcat --check month.tree && stkcat --check d.tree'
check 'the ids in the index are read only for conditions: damage there is met by these, and they still answer' '
	cp month.tree bad.tree
	printf "\\377" | dd of=bad.tree bs=1 seek=$(($(wc -c <bad.tree) - 64 - 8)) conv=notrunc 2>log
	status 1 cmp -s month.tree bad.tree
	stktree -f folded --by thread --stats bad.tree >got 2>said
	stktree -q -f folded --by thread month.tree | same got -
	status 1 grep damaged said
	status 1 stktree -f folded --by thread --thread "^reindex$" bad.tree >got 2>said
	stktree -q -f folded --by thread --thread "^reindex$" month.tree | same got -
'
# blocks of a tree are small enough to be copied as they are
check 'blocks that are copied have their ids in the index, too' '
	printf "late 10/10 90000000.5: 1 cycles: \n\t1 f1 (app)\n\t3 main (app)\n\n" | stkcap -q --format perf-script -o late.stk -
	stktree -q -o again.tree month.tree
	stktree -q -o two.tree month.tree late.stk
	for tree in month again two; do
		stktree -f folded --event all --by thread --stats --thread "^reindex$" $tree.tree >$tree.got 2>said
		read_of >$tree.skipped
	done
	test "$(cat month.skipped)" -ge 15
	same month.got again.got
	same month.got two.got
	same month.skipped again.skipped
	test "$(cat two.skipped)" -ge "$(cat month.skipped)"
'
finish
