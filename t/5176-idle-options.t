#!/bin/sh
# SPDX-License-Identifier: MIT
# What has no effect on the task at hand is refused; times that any filter prints are those of --zone.
. "${0%/*}/lib/tap.sh"

awk 'BEGIN { for (h = 0; h < 8; h++) for (i = 1; i < 4; i++) printf "@%d\nmain;a;b %d\nw%d;a 1\n", 1772355600 + h * 3600 + i, i, h }' | stkcap -q --format folded-dumps -o h.stk -
stktree -q -o h.tree h.stk
stktree -q --split-by calendar --zone Asia/Tokyo -o c.tree h.stk
stktree -q --thin 2h:raw,10d:1h -o thin.tree h.tree

# no WHAT OPTION...: is refused, with these words, and writes nothing
no() {
	words=$1; shift
	rm -f x.tree && cp h.tree grown.tree
	status 2 stktree "$@" >out 2>said </dev/null
	grep -e "$words" said || { cat said; false; }
	test ! -s out && test ! -e x.tree && cmp h.tree grown.tree
}

check 'a tree that is built knows no options of reports, alone and with --append, --merge, --thin and --follow' '
	for option in "--samples" "--names full"; do
		name=${option%% *}
		no "$name has no effect on a tree that is built" -o x.tree $option h.stk
		no "$name has no effect on a tree that is built" --append grown.tree $option h.stk
		no "$name has no effect on a tree that is built" --merge -o x.tree $option h.tree h.tree
		no "$name has no effect on a tree that is built" --thin 2h:raw,10d:1h -o x.tree $option h.tree
		no "$name has no effect on a tree that is built" --follow -o x.tree $option h.stk
	done
	for option in --stats "--stats --from 09:00" "--stats --report flat" "--where state=blocked" "--top 5"; do
		no "build trees: run stktree again for a report" --append grown.tree $option h.stk
		no "build trees: run stktree again for a report" --merge -o x.tree $option h.tree h.tree
		no "build trees: run stktree again for a report" --thin 2h:raw,10d:1h -o x.tree $option h.tree
		no "build trees: run stktree again for a report" --follow -o x.tree $option h.stk
	done
	for format in text tsv ndjson folded; do
		no "f $format: a tree that is built is a stream" --append grown.tree -f $format h.stk
		no "f $format: a tree that is built is a stream" --merge -o x.tree -f $format h.tree h.tree
	done
	stktree -q -f stream --merge -o x.tree h.tree h.tree'
check 'a zone is for a calendar, or for the ends of --span' '
	no "zone has no effect on a tree that is built" -o x.tree --zone Asia/Tokyo h.stk
	no "zone has no effect on a tree that is built" --append grown.tree --zone Asia/Tokyo h.stk
	no "zone has no effect on a tree that is built" --merge -o x.tree --zone Asia/Tokyo h.tree h.tree
	no "zone has no effect on a tree that is built" --thin 2h:raw,10d:1h -o x.tree --zone Asia/Tokyo h.tree
	no "zone of c.tree is .Asia/Tokyo.: it cannot grow with another" --append c.tree --split-by calendar --zone Europe/Berlin h.stk
	no "zone of c.tree is .Asia/Tokyo.: it cannot be merged with another" --merge -o x.tree --split-by calendar --zone Europe/Berlin c.tree c.tree
	stktree -q --append c.tree --split-by calendar --zone Asia/Tokyo h.stk
	stktree -q -o x.tree --zone Asia/Tokyo --span 2026-03-01..2026-03-03 h.stk
	stktree -q -o y.tree --span 2026-02-28T15:00..2026-03-02T15:00 h.stk && cmp x.tree y.tree'
check 'trees that are merged or thinned keep their shape' '
	for option in "--leaf 50" "--split 3" "--keep-percent 90" "--split-by samples" "--by thread" "--event cycles"; do
		no "${option%% *} of h.tree is .*: it cannot be merged with another" --merge -o x.tree $option h.tree h.tree
		no "${option%% *} of h.tree is .*: it cannot be thinned with another" --thin 2h:raw,10d:1h -o x.tree $option h.tree
	done
	stktree -q --merge -o x.tree --leaf 65536 --split 4 --split-by time h.tree h.tree
	stktree -q --thin 2h:raw,10d:1h --leaf 50 --by thread -o x.tree h.stk
	stkcat -q -f ndjson --only tree x.tree | grep "\"leaf\":50,.*\"by\":\"thread\""'
check 'a report has no shape' '
	for option in "--leaf 50" "--split 3" "--keep-percent 90" "--split-by samples" "--span @0..@9"; do
		no "${option%% *} has no effect on a report" $option -f tsv h.stk
		no "${option%% *} has no effect on a report" $option -o x.tree --from 09:00 h.stk
		no "${option%% *} has no effect on a report" $option h.stk --diff h.tree
	done'
check 'every filter says what it cannot see of thinned samples in the zone that is asked for' '
	for filter in "stkcat -f folded" "stkclass -f text" "stkgroup -s jvm -f text" "stktrend -f tsv" "stktree -f text --by pid"; do
		status 1 $filter thin.tree 2>said >out && grep "from 2026-03-01T09:00:00Z to 2026-03-01T14:00:03.000000001Z" said
		status 1 $filter --zone Asia/Tokyo thin.tree 2>said >out
		grep "from 2026-03-01T18:00:00+09:00 to 2026-03-01T23:00:03.000000001+09:00" said
	done'
finish
