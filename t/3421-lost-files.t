#!/bin/sh
# SPDX-License-Identifier: MIT
# A capture whose file is removed, moved, cut or written to by somebody else says so, goes on in another file, and counts what is lost.
. "${0%/*}/lib/tap.sh"
. "$t/lib/live_capture.sh"

check 'removed: told, counted, status 1; another file is begun' '
	begin -o gone.stk
	more gone.stk
	meanwhile rm gone.stk
	until_true "test -s gone.stk"
	more gone.stk
	finish_capture 1
	grep "gone.stk: removed by another program: its [1-9][0-9]* dumps, [1-9][0-9]* samples are lost; starting another file" said
	test $(grep -c removed said) -eq 1
	test $(last_line lost_dumps) -gt 0
	stkcat --check gone.stk || test $? = 1		# its end says that something is missing
	adds_up gone.stk
'
check 'removed, and something else has its name: that stays as it is, a free part is begun' '
	begin -o named.stk
	more named.stk
	: >named.2.stk
	echo third >named.3.stk
	echo mine >other
	meanwhile mv other named.stk
	until_true "test -s named.2.stk"
	more named.2.stk
	finish_capture 1
	test "$(cat named.stk)" = mine -a "$(cat named.3.stk)" = third
	test $(grep -c "another program" said) -eq 1
	adds_up named.2.stk
'
check 'removed at the very end: told too' '
	begin -o end.stk
	more end.stk
	kill -STOP $capture
	rm end.stk
	kill $ends_with
	kill -CONT $capture
	status 1 wait $capture
	grep "end.stk: removed by another program" said
	! test -e end.stk || adds_up end.stk
	test $(last_line lost_dumps) -gt 0
'
check 'moved away, with or without an empty file in its place: nothing is lost, status 0' '
	for empty in no yes; do
		begin -o moved.stk
		more moved.stk
		meanwhile eval "mv moved.stk old.stk; test $empty = no || : >moved.stk"
		until_true "test -s moved.stk"
		finish_capture 0
		grep "moved.stk: moved by another program, nothing is lost; starting another file" said
		test $(last_line lost_dumps) -eq 0
		stkcat --check old.stk
		stkcat --check moved.stk
		adds_up old.stk moved.stk
		rm old.stk moved.stk
	done
'
check 'cut: to nothing, in the middle; told, and what is left is added to' '
	for size in 0 9000; do
		begin -o cut.stk
		until_true "test -s cut.stk && test \$(wc -c <cut.stk) -gt 12000"
		meanwhile truncate -s $size cut.stk
		until_true "grep -q another said"
		more cut.stk
		finish_capture 1
		grep "cut.stk: changed by another program ($size bytes, expected [0-9]*): [1-9][0-9]* dumps, [1-9][0-9]* samples of it are lost; appending to it" said
		stkcat -q -f tsv --only dump cut.stk >/dev/null 2>err || test $? = 1
		status 1 grep damaged err
		adds_up cut.stk
		rm cut.stk
	done
'
check 'written to: what the other wrote stays, what was there stays, another file is begun' '
	begin -o shared.stk
	more shared.stk
	meanwhile eval "echo not ours >>shared.stk"
	until_true "test -s shared.2.stk"
	finish_capture 1
	test "$(tail -c 9 shared.stk)" = "not ours"
	test $(last_line lost_dumps) -eq 0
	adds_up shared.stk shared.2.stk
'
check 'written over with something else: that stays as it is' '
	for size in 5 100000; do
		head -c $size /dev/zero | tr "\0" x >other
		begin -o over.stk
		more over.stk
		meanwhile eval "cat other >over.stk"
		until_true "test -s over.2.stk"
		more over.2.stk
		finish_capture 1
		cmp other over.stk
		adds_up over.2.stk
		rm over.stk over.2.stk
	done
'
check 'its folder is removed: told once; made again: the capture goes on there' '
	mkdir folder
	begin -o folder/c.stk
	more folder/c.stk
	meanwhile rm -r folder
	until_true "grep -q \"cannot write to folder/c.stk: No such file\" said"
	lost=$(wc -l <runs)
	until_true "test \$(wc -l <runs) -gt $((lost + 2))"
	mkdir folder
	until_true "test -s folder/c.stk"
	finish_capture 1
	grep "can be written again" said
	test $(wc -l <said) -le 6
	adds_up folder/c.stk
'
check 'the next file of a pattern has its own name again' '
	begin -o "second-%S.stk"
	until_true "test -n \"\$(ls)\""
	until_true "ls second-*.stk 2>/dev/null"
	echo mine >other
	replace_newest() { first=$(ls -t second-*.stk | head -1); test ! -s "$first" || mv other "$first"; }		# of an empty one nothing would be lost
	until_true "meanwhile replace_newest; test ! -e other"
	until_true "test \$(ls second-??.stk | wc -l) -ge 3"
	finish_capture 1
	test "$(cat "$first")" = mine
	test $(ls second-*.2.stk 2>/dev/null | wc -l) -le 1
	rm "$first"
	adds_up second-*.stk
'
finish
