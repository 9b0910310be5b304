#!/bin/sh
# SPDX-License-Identifier: MIT
# Who gives ids anew says what referred to nothing: how many rows, with status 1; such a row is kept, and never is another thing's.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_dumps" || skip_all "no $tools/make_dumps: run by make check"
"$tools/make_dumps" 1 40 1700000000 2 >whole.stk
"$tools/make_dumps" 1 40 1700000000 2 10 >lost.stk			# 4 samples are of a stack and a thread that are not defined
"$tools/make_dumps" 3 30 1700000100 2 >next.stk
rows() { stkcat -q -f tsv --only sample "$1" | tail -n +2 | wc -l; }

check 'stkcat --merge' '
	status 1 stkcat --merge lost.stk next.stk >merged.stk 2>said
	grep "^stkcat: 4 rows refer to what their stream does not define" said
	test $(rows merged.stk) -eq $(($(rows lost.stk) + $(rows next.stk)))
	status 1 stkcat --check merged.stk 2>said && grep "incomplete" said
	status 1 stkcat --merge --sort lost.stk next.stk >merged.stk 2>said && grep "4 rows refer" said'
check 'a text that is defined as empty is no lost one' '
	test ! -x "$tools/make_stream" || { "$tools/make_stream" 1 50 >all.stk && status 0 stkcat --merge all.stk all.stk >merged.stk; }
	status 0 stkcat --merge whole.stk next.stk >merged.stk && stkcat --check merged.stk'
check 'stktree: records of a window' '
	status 1 stktree -q --from @0 lost.stk 2>said >window.stk
	grep "4 samples have stacks that the recording does not define" said
	stkcat -q -f folded --by none window.stk >got && stktree -q -f folded --by none lost.stk | same got -'
check 'codes of classes that are not defined are said, and their samples have no stack; a dump that is not has no time' '
	stkclass -q --codes arrival -f stream whole.stk >codes.stk
	status 0 stkclass -q --restore codes.stk >back.stk
	status 0 stkcat --only dump,coded codes.stk >less.stk
	status 1 stkclass -q --restore less.stk 2>said >back.stk && grep "samples are of codes or dumps that their stream does not define" said
	test $(rows back.stk) -eq $(rows whole.stk)'
finish
