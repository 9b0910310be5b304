#!/bin/sh
# SPDX-License-Identifier: MIT
# Every filter that counts samples counts one event: that of the recording's first sample, whatever is selected, of a
# file, a pipe and a tree; and says what it left out.
. "${0%/*}/lib/tap.sh"

# record FIRST OTHER   five samples of a and the first event, then four of b and the other, one a second from @1 on
record() {
	for i in 1 2 3 4 5; do printf "app 1/1 $i.000000: 10 $1: \n\t1 a (app)\n\t2 main (app)\n\n"; done >"$1.txt"
	for i in 6 7 8 9; do printf "app 1/1 $i.000000: 7 $2: \n\t1 b (app)\n\t2 main (app)\n\n"; done >>"$1.txt"
	stkcap -q --format perf-script -o two.stk "$1.txt"
	stktree -q -o two.tree --leaf 2 two.stk
}
printf "scheme: two\nsiblings:\n  - { name: a, members: [a] }\n  - { name: b, members: [b] }\n" >two.yaml

# counts OPTION...   what each way counts, and how many ways do
counts() {
	for of in two.stk two.tree; do
		for filter in stkcat stktree "stkgroup -s two.yaml"; do
			{ $filter -f folded "$@" $of 2>>said || test $? = 1; } | tr "\n" " " && echo
			{ $filter -f folded "$@" - <$of 2>>said || test $? = 1; } | tr "\n" " " && echo
		done
		stkplot flame -f svg -o x.svg "$@" $of 2>>said
		sed -n "s/.*<title>\\([ab]\\) (\\([0-9]*\\).*/\\1 \\2 /p; /no samples/s/.*//p" x.svg
	done | sed "s/.*;//" | sort | uniq -c | tr -s " "
}
record cycles faults
check 'of a whole recording, of windows that begin with the first or the other event, and under a filter' '
	counts >got && echo " 14 a 50 " | same - got
	counts --window @5..@8 >got && echo " 14 a 10 " | same - got
	counts --window @1..@2 --window @7..@8 >got && echo " 14 a 10 " | same - got
	counts --thread app --from @4 >got && echo " 14 a 20 " | same - got'
check 'where only the other event is, nothing is counted, and that is said' '
	for of in two.stk two.tree; do
		for chosen in "--window @6..@8" "--grep b" "--where time>@5.5"; do
			case $chosen in --where*) set -- --where "time in @5.5.." ;; *) set -- $chosen ;; esac
			for filter in "stkcat -f folded" "stktree -f folded" "stkgroup -s two.yaml -f folded" "stkplot flame -f svg"; do
				$filter "$@" $of >got 2>said || test $? = 1
				grep -q "counted samples of event cycles only; .* of other events .*left out (see --event)" said || { echo "$filter $* $of"; cat said; false; }
				grep -q "[ab] [0-9(]" got && { echo "$filter $* $of"; cat got; false; }
			done
		done
	done
	true'
check 'samples of dumps, then ticks: those without an event are the first; and the other way round' '
	record cycles faults && mv two.stk ticks.stk
	{ echo "2026-01-02 10:00:00"; echo "Full thread dump X (1 mixed mode):"; echo; echo "\"t\" #1 prio=5 tid=0x1 nid=0x1 runnable"; echo "   java.lang.Thread.State: RUNNABLE"; echo "	at d.d(D.java:1)"; echo; } >dump.txt
	stkcap -q -o dumps.stk dump.txt
	for way in "dumps.stk ticks.stk|d.d 1|without an event only" "ticks.stk dumps.stk|a 50|of event cycles only"; do
		files=${way%%|*} rest=${way#*|}
		for filter in stkcat stktree "stkgroup -s two.yaml"; do
			$filter -f folded $files 2>said | grep -v "^dump" | sed "s/.*;//" | tr "\n" " " >got
			grep -q "counted samples ${rest#*|}" said || { echo "$filter $files"; cat said; false; }
		done
		stkcat -q -f folded $files | sed "s/.*;//" >got; echo "${rest%|*}" | same - got
		stktree -q -f folded $files | sed "s/.*;//" >got; echo "${rest%|*}" | same - got
		stkcat -q -f stream $files | stkcat -q -f folded - | sed "s/.*;//" >got; echo "${rest%|*}" | same - got
		stktree -q -o both.tree $files; stktree -q -f folded both.tree | sed "s/.*;//" >got; echo "${rest%|*}" | same - got
	done'
check 'a tree that was built for another event counts that one, in every filter; from a pipe it comes too late, which is said' '
	stktree -q -o faults.tree --leaf 2 --event faults ticks.stk
	stktree -q -o all.tree --leaf 2 --event all ticks.stk
	for window in "" "--window @5..@8"; do
		for of in faults all; do
			stkcat -q -f folded --event $of $window ticks.stk >want
			for filter in "stkcat -q" "stktree -q"; do $filter -f folded $window $of.tree | same want -; done
			stktree -q -f folded $window - <$of.tree | same want -
			status 1 stkcat -q -f folded $window - <$of.tree 2>said >got
			grep -q "from a pipe has a time tree, which counts .*$of.*the event of its first sample was counted" said
			stkcat -q -f folded $window ticks.stk | same got -
			cat $of.tree ticks.stk >two-streams.stk	# the first one decides
			stkcat -q -f folded $window two-streams.stk >got && stktree -q -f folded $window two-streams.stk | same got -
			head -c -9 $of.tree >cut.stk		# without an index
			status 1 stkcat -q -f folded $window cut.stk >got 2>said; status 1 stktree -q -f folded $window cut.stk 2>said | same got -
			same want got
		done
		for filter in "stkgroup -q -s two.yaml -f folded" "stkplot flame -f folded"; do
			case $filter in *flame*) stkplot flame -f svg -o x.svg $window faults.tree; sed -n "s/.*<title>\\([ab]\\) (\\([0-9]*\\).*/\\1 \\2/p" x.svg ;; *) $filter $window faults.tree | sed "s/.*;//" ;; esac >got
			stkcat -q -f folded --event faults $window ticks.stk | sed "s/.*;//" | same got -
		done
	done
	cat ticks.stk faults.tree >two-streams.stk
	status 0 stkcat -q -f folded - <two-streams.stk >got && stktree -q -f folded two-streams.stk | same got -'
check 'an event that is asked for is counted whatever is first' '
	stkcat -q -f folded --event faults --window @5..@8 ticks.stk >got && echo "app;main;b 14" | same - got
	stktree -q -f folded --event faults --window @5..@8 ticks.stk | same got -
	stkgroup -q -s two.yaml -f folded --event faults --window @5..@8 ticks.stk | sed "s/.* //" >got && echo 14 | same - got'
finish
