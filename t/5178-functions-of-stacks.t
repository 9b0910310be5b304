#!/bin/sh
# SPDX-License-Identifier: MIT
# Reports of functions, callers and nodes for programs are made of stacks, without a call tree: a function that calls
# itself counts once, inlined functions each, and what precedes the frames as if it were one. awk counts the same out of
# folded lines.
. "${0%/*}/lib/tap.sh"

cat >inlined.perf <<'END'
prog 100/100 1.000000: 1 cycles:
	  1000 leaf+0x1 (/bin/prog)
	  1010 a->b->a+0x2 (/bin/prog)
	  1020 prog (/bin/prog)

prog 100/101 1.100000: 1 cycles:
	  1010 a->b->a+0x2 (/bin/prog)
	  1020 b (/bin/prog)

prog 100/101 1.200000: 1 cycles:

END
printf '%s\n' 'a;b;a;c;a 3' 'a;a;a 2' 'pool;x 5' 'b 1' 'x;pool 4' >calls.folded

# Names, self and total of folded lines; a line without a name is a row of its own.
functions() {
	awk '{
		count = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, name, ";")
		if ($0 == "?") name[1] = "(no frames)"
		self[name[n]] += count
		split("", met)
		for (i = 1; i <= n; i++) if (!(name[i] in met)) { met[name[i]] = 1; total[name[i]] += count }
	}
	END { for (f in total) print f "\t" self[f] + 0 "\t" total[f] }' | LC_ALL=C sort
}

# Level, self and total of each node, by its path, of folded lines.
nodes() {
	awk '{
		count = $NF
		sub(/ [0-9]+$/, "")
		if ($0 == "?") { print "(no frames)\t1\t" count "\t" count; next }
		n = split($0, name, ";")
		for (i = 1; i <= n; i++) { path = i == 1 ? name[1] : path ";" name[i]; total[path] += count; level[path] = i }
		self[path] += count
	}
	END { for (p in total) print p "\t" level[p] "\t" self[p] + 0 "\t" total[p] }' | LC_ALL=C sort
}

# The same of a table of nodes.
paths() {
	awk -F "	" 'NR > 1 { path[$1] = $1 == 1 ? $2 : path[$1 - 1] ";" $2; print path[$1] "\t" $1 "\t" $3 "\t" $4 }' | LC_ALL=C sort
}

# What calls a function, and what it calls, of folded lines.
neighbours() {
	awk -v f="$1" '{
		count = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, name, ";")
		self += name[n] == f ? count : 0
		for (i = n; i > 0; i--) {
			if (name[i] == f) outer = i
			else if (name[i - 1] == f) callees[name[i]] += count
		}
		if (outer) { total += count; callers[outer == 1 ? "(root)" : name[outer - 1]] += count }
		outer = 0
	}
	END {
		for (c in callers) print "caller\t" callers[c] "\t" c
		print "total\t" total "\t" f "\nself\t" self + 0 "\t" f
		for (c in callees) print "callee\t" callees[c] "\t" c
	}' | LC_ALL=C sort
}

as_lines() {	# FILE [OPTION...]
	stktree -q "$@" -f folded >lines
	test -s lines
	functions <lines >want
	stktree -q "$@" -f tsv --report flat | tail -n +2 | LC_ALL=C sort >got
	same want got
	stktree -q "$@" -f tsv --report tree >nodes
	nodes <lines >want_nodes
	paths <nodes | same want_nodes -
	stktree -q "$@" -f tsv --report tree --top 100000 | same nodes -	# which goes by a call tree
}

for kind in none thread pool source process; do
	check "frames behind '$kind': functions are those of the lines" "
		stkcap -q inlined.perf calls.folded >mixed.stk
		as_lines mixed.stk --by $kind
		stkcap -q inlined.perf >inlined.stk
		as_lines inlined.stk --by $kind
		stktree -q -o inlined.tree inlined.stk
		as_lines inlined.tree --by $kind --samples
	"
done

check 'real dumps, frames behind each' '
	stkcap -q "$t/data/orders.jstack.txt" >orders.stk
	for kind in none pool state; do as_lines orders.stk --by $kind; done
'

check 'no samples and one' '
	stkcap -q inlined.perf >inlined.stk
	test "$(stktree -q inlined.stk --from @9 -f tsv --report flat | wc -l)" -le 1
	as_lines inlined.stk --by none --from @1.15 --to @1.25
	test "$(cat got)" = "(no frames)	1	1"
'

check 'several windows: each has its own' '
	stkcap -q inlined.perf >inlined.stk
	stktree -q inlined.stk --from @1 --to @1.3 --step 100ms --by none -f tsv --report flat | cut -f 3- >steps
	for at in 1 1.1 1.2; do
		stktree -q inlined.stk --from @$at --to @$(awk "BEGIN { print $at + 0.1 }") --by none -f tsv --report flat | tail -n +2
	done >windows
	tail -n +2 steps | same windows -
'

callers_as_lines() {	# STREAM FUNCTION...
	file=$1
	shift
	stktree -q "$file" --by none -f folded >lines
	for function; do
		neighbours "$function" <lines >want
		stktree -q "$file" --by none -f tsv --report callers --function "$function" | tail -n +2 | LC_ALL=C sort | same want -
	done
}

check 'callers and callees are those of the lines' '
	stkcap -q inlined.perf >inlined.stk
	callers_as_lines inlined.stk prog a "b_[i]" leaf
	stkcap -q calls.folded >calls.stk
	callers_as_lines calls.stk a b c x pool
	test "$(stktree -q calls.stk -f tsv --report callers --function nowhere 2>said | wc -l)" -eq 1
	grep "no function is called" said
'

check 'levels and parts of nodes: what is left out is left out with all below it' '
	stkcap -q calls.folded >calls.stk
	stktree -q calls.stk --by none -f tsv --report tree >all
	stktree -q calls.stk --by none -f tsv --report tree --depth 2 >some
	awk -F "	" "\$1 <= 2 || NR == 1" all | same - some
	stktree -q calls.stk --by none -f tsv --report tree --min 30 >some
	awk -F "	" "\$4 * 100 >= 30 * 15 || NR == 1" all | same - some
'

check 'stacks by count, equal ones by their text' '
	stkcap -q calls.folded >calls.stk
	stktree -q calls.stk --by none -f folded | awk "{ c = \$NF; sub(/ [0-9]+\$/, \"\"); print c \"\t\" \$0 }" |
		LC_ALL=C sort -t "	" -k 1,1nr -k 2,2 >want
	stktree -q calls.stk --by none -f tsv --report paths | tail -n +2 | cut -f 1,3 | same want -
	printf "%s\n" "b;x 2" "b 2" "b;a 2" "a 2" >ties.folded
	stkcap -q ties.folded >ties.stk
	test "$(stktree -q ties.stk -f tsv --report paths | tail -n +2 | cut -f 3 | tr "\n" ,)" = "a,b,b;a,b;x,"
	test "$(stktree -q ties.stk -f tsv --report paths --top 2 | tail -n +2 | cut -f 3 | tr "\n" ,)" = "a,b,"
'
finish
