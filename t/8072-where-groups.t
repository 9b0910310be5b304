#!/bin/sh
# SPDX-License-Identifier: MIT
# Conditions on groups in every filter, from the records that stkgroup wrote: without the scheme, and with the answer that stkgroup has.
. "${0%/*}/lib/tap.sh"

# Stacks of random frames in random states; some are in two groups, and of two schemes; in states the group is another.
cat >one.yaml <<'END'
scheme: one
groups:
- name: A
  members: [a*]
  children:
  - name: deep
    members: [{method: 'd*', under: 'a*'}]
- name: B
  members: [b1, x]
- name: "x y"
  members: [x]
- name: held
  priority: 1
  members: [{state: blocked, under: 'b*'}]
END
printf 'scheme: two\ngroups:\n- name: far\n  children:\n  - {name: deep, members: [c*]}\n' >two.yaml
awk 'BEGIN {
	srand(7); split("a1 a2 b1 b2 c1 d1 x z", f, " "); split("RUNNABLE BLOCKED WAITING", s, " ")
	for (d = 0; d < 6; d++) {
		printf "2026-01-01 00:0%d:00\nFull thread dump OpenJDK 64-Bit Server VM (21+35 mixed mode):\n\n", d
		for (t = 0; t < 40; t++) {
			state = s[1 + int(rand() * 3)]
			printf "\"w-%d\" #%d prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x%x nid=0x%x %s\n   java.lang.Thread.State: %s%s\n", t, t + 1, t + 1, t + 1, state == "RUNNABLE" ? "runnable" : state == "BLOCKED" ? "waiting for monitor entry" : "in Object.wait()", state, state == "WAITING" ? " (on object monitor)" : ""
			for (k = 0; k < 3; k++) printf "\tat %s(X.java:1)\n", f[1 + int(rand() * 8)]
			print "\tat root(X.java:1)\n"
		}
	}
}' >dumps.txt
stkcap -q -o in.stk dumps.txt && stkgroup -q -s one.yaml -s two.yaml -o g.stk in.stk && stktree -q -o g.tree g.stk || exit 99

sum() { awk '{ sum += $NF } END { print sum + 0 }'; }

# agrees CONDITION: every filter selects as many samples as stkgroup does
agrees() {
	condition=$1
	check "$condition" '
		stkgroup -q -s one.yaml -s two.yaml --where "$condition" -f stream in.stk | stkcat -q -f folded --by state - >want
		test -s want
		stkcat -q -f folded --by state --where "$condition" g.stk | same want -
		stkcat -q -f stream --where "$condition" g.stk | stkcat -q -f folded --by state - | same want -
		stkclass -q -f stream --where "$condition" g.stk | stkcat -q -f folded --by state - | same want -
		for recording in g.stk g.tree; do
			stktree -q -f folded --by state --where "$condition" $recording | LC_ALL=C sort >got
			LC_ALL=C sort want | same got -
		done
		stkplot flame -q -f svg --by state --where "$condition" g.stk | grep -o "<title>all ([0-9]* " | grep -q "($(sum <want) "
	'
}
agrees 'group under A'
agrees 'group = A'
agrees 'group = A/deep'
agrees 'group under deep'
agrees 'group under "far"'
agrees 'group = "x y" or group = B'
agrees 'group = B and group = "x y" and not state = blocked'
agrees 'group = held'
agrees 'group = "(none)"'
agrees 'group != A/deep and time in 00:02..00:04'
agrees 'not (group under A or group = held)'

check 'two streams one after the other, each with ids of its own' '
	sed "s/a1(/q(/; s/b2(/a1(/" dumps.txt | stkcap -q --source other - | stkgroup -q -s two.yaml -s one.yaml >h.stk
	cat g.stk h.stk >both.stk
	for f in g.stk h.stk; do stkcat -q -f folded --where "group under A" $f; done | sum >want
	stkcat -q -f folded --where "group under A" both.stk | sum | same want -
	stktree -q -f folded --where "group under A" both.stk | sum | same want -
	test "$(cat want)" -gt 0
'
check 'from a pipe, while it grows' '
	stkgroup -q -s one.yaml in.stk | stkcat -q -f folded --where "group under A" - >got
	stkcat -q -f folded --where "group under A" g.stk | same got -
'
# refused CONDITION INPUT 'part of the message'
refused() {
	for filter in "stkcat -f folded" "stktree -f text" "stkclass -f text" "stktrend -f text" "stkdiag -f text" "stkplot flame -f svg"; do
		status 2 $filter --where "$1" $2 >out 2>said
		grep -q "$3" said || { echo "$filter"; cat said; return 1; }
	done
}
check 'a stream without groups, a group that it does not have, a name that is not a path: said, status 2' '
	refused "group = A" in.stk "the input has no groups: pass it through stkgroup"
	refused "thread = w* or group under nobody" g.stk "the records have no group .nobody."
	refused "group = deep" g.stk "no group has the path .deep.: expected .A/deep., or group under"
'
# threads without a stack: two collectors, two of one pool of which the scheme has one, and one with a stack
printf "groups:\n- {name: named, members: [{thread: \"GC*\"}, {thread: w-1}]}\n- {name: A, members: [a*]}\n" >named.yaml
{
	printf '2026-01-01 00:00:00\nFull thread dump OpenJDK 64-Bit Server VM (21+35 mixed mode):\n\n'
	for name in 'GC Thread#0' 'GC Thread#1' w-1 w-3; do
		printf '"%s" os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x1 nid=0x1 runnable\n\n' "$name"
	done
	printf '"w-2" #2 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x2 nid=0x2 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a(X.java:1)\n\n'
} | stkcap -q - >bare.stk
stkgroup -q -s named.yaml bare.stk >n.stk
check 'threads without a stack are of the group that their name has' '
	stkcat --check n.stk
	stkgroup -q -f tsv -s named.yaml bare.stk | cut -f 2,3 >got
	printf "group\tcount\nnamed\t3\nA\t1\n(none)\t1\n" | same - got
	for condition in named A "(none)"; do
		printf "%s %s\n" "$condition" "$(stkcat -q -f tsv --only sample --where "group = \"$condition\"" n.stk | tail -n +2 | wc -l)"
	done >got
	printf "named 3\nA 1\n(none) 1\n" | same - got
	stktrend -q -f tsv n.stk | awk -F "\t" "/\\// { print \$1, \$2 }" | sort >got
	printf "named/(none) 1.0\nnamed/A 1.0\nnamed/named 3.0\n" | same - got
	stkgroup -q -s named.yaml -f folded bare.stk >got
	printf "(none) 1\nA 1\nnamed 3\n" | same - got
	stkgroup -q -s named.yaml --step 1m bare.stk | stkplot groups -q --by source -f term --width 100 - >drawn
	grep -q "named .*3 samples" drawn
	grep -q "(none) .*1 sample" drawn
'
check '... which counts of stacks show where their pool tells it, in a time tree too' '
	stktree -q -o n.tree n.stk
	for input in n.stk n.tree; do
		stktree -q --report groups -f tsv $input | cut -f 2,3 >got
		printf "function\tself\n(by thread)\t2\nnamed\t2\nA\t1\n" | same - got
	done
'
check '... and where records do not say it, they are in none, which is said' '
	stkcat -q -f stream --only scheme,group,group_of_stack,sample n.stk >old.stk
	for condition in "group = named" "group = \"(none)\""; do
		status 1 stkcat -q -f folded --where "$condition" old.stk >got 2>said
		test ! -s got && grep -q "the groups of some threads without a stack" said
	done
	stkcat -q -f folded --where "group = A" n.stk | sum | grep -x 1
'
finish
