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
	test ! -x "$tools/make_stream" || { "$tools/make_stream" 1 50 >all.stk && { stkcat --merge all.stk all.stk >merged.stk 2>said || test $? -eq 1; } && status 1 grep "refer" said; }	# trees of random rows may be thinned, which is said
	status 0 stkcat --merge whole.stk next.stk >merged.stk && stkcat --check merged.stk'
check 'what a version does not know is not renumbered: a merge leaves it out, and says so' '
	"$tools/make_future" 1 7 >future.stk 2>index
	stkcat --merge future.stk next.stk >merged.stk 2>said && grep "left out of a merge" said
	status 1 stktree -o future.tree next.stk future.stk 2>said && grep "[0-9]* rows of kinds that this version does not know cannot be renumbered" said'
check 'stktree -o and --append' '
	status 1 stktree -o two.tree next.stk lost.stk 2>said
	grep "^stktree: 4 rows refer to something that their stream does not define" said
	test $(rows two.tree) -eq $(($(rows lost.stk) + $(rows next.stk)))
	stktree -q -o grown.tree next.stk && status 1 stktree --append grown.tree lost.stk 2>said && grep "4 rows refer" said
	status 1 stkcat --check grown.tree 2>said && grep "grown.tree: incomplete: .* 4 places" said
	stktree -q --append grown.tree next.stk && status 1 stkcat --check grown.tree 2>said && grep "grown.tree: incomplete: .* 4 places" said'
check 'stktree --merge' '
	stktree -q -o one.tree next.stk && { stktree -q -o other.tree lost.stk 2>said || test $? -eq 1; }
	status 1 stktree --merge -o both.tree one.tree other.tree 2>said && grep "4 rows refer" said'
check 'stktree: records of a window' '
	status 1 stktree -q --from @0 lost.stk 2>said >window.stk
	grep "4 references to a stack that the input does not define" said
	stkcat -q -f folded --by none window.stk >got && stktree -q -f folded --by none lost.stk | same got -'
check 'an id of which the definition was lost is not given to another definition' '
	python3 - "$t" <<-"END" || { have python3 || exit 0; exit 1; }
		import sys
		sys.dont_write_bytecode = True
		sys.path.insert(0, sys.argv[1] + "/reader")
		import stkread
		data, at, stacks = open("whole.stk", "rb").read(), 0, []
		while at < len(data):
		    block = stkread.parse_block(data, at)
		    stacks += [(at, block.end)] if block.kind == 3 else []
		    at = block.end
		open("short.stk", "wb").write(data[:stacks[-1][0]] + data[stacks[-1][1]:])
	END
	{ stkcat -q -f folded short.stk || test $? -eq 1; } >want 2>said
	grep "?" want
	stkcat -q -f folded next.stk | cat want - | awk "{ n[\$1] += \$NF } END { for (k in n) print k, n[k] }" | sort >sums
	status 1 stktree -q -o got.tree short.stk next.stk 2>said
	stktree -q -f folded got.tree | sort | same sums -
	rm got.tree && status 1 stktree -q --append got.tree short.stk 2>said && stktree -q --append got.tree next.stk
	stktree -q -f folded got.tree | sort | same sums -'
check 'codes of classes that are not defined are said, and their samples have no stack; a dump that is not has no time' '
	stkclass -q --codes arrival -f stream whole.stk >codes.stk
	status 0 stkclass -q --restore codes.stk >back.stk
	status 0 stkcat -S --only dump,coded codes.stk >less.stk
	status 1 stkclass -q --restore less.stk 2>said >back.stk && grep "the code or dump of [0-9]* samples is not defined in the input" said
	test $(rows back.stk) -eq $(rows whole.stk)'
finish
