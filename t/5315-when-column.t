#!/bin/sh
# SPDX-License-Identifier: MIT
# stktree --when: beside each row of a report for people, in which 32nds of the time it was counted.
. "${0%/*}/lib/tap.sh"
have stktree python3 || skip_all 'no stktree or python3'

# 64 s, a sample a second: early in the first half, late in the second; twice as often in the last 2 s; burst from 20 to 22 s
python3 - >two.perf <<'X2'
def sample(time, stack):
	print("app 7 [000] %.6f: 1 cpu-clock:" % time)
	for at, name in enumerate(reversed(stack.split(";"))):
		print("\t%x %s (/opt/shop)" % (4096 + 16 * at, name))
	print()
for i in range(64):
	sample(100 + i, "main;early" if i < 32 else "main;late")
	if i >= 62:
		sample(100.5 + i, "main;late")
	if i in (20, 21):
		sample(100.25 + i, "main;early;burst")
sample(164, "main;end")
X2
stkcap -q two.perf >two.stk

check 'flat: the more a part has, the darker its letter, by the largest of the row; nothing is blank' '
	stktree two.stk --when --report flat --from @100 --to @164 >flat
	sed -n "s/^ .*[0-9]  \(.\{32\}\)  \([a-z]*\)\$/\2 |\1|/p" flat >when
	cat >wanted <<-\END
		late |                ===============@|
		early |==========@=====                |
	END
	sed -n "1,2p" when >two
	same two wanted
	grep -q "^burst |          @                     |" when
	grep -q "when: 32 parts of the time, 2s each" flat
'
check 'tree: beside the first function of a branch; where UTF-8 is shown, in eighths of a block' '
	LC_ALL=C.UTF-8 stktree two.stk --when --from @100 --to @164 >tree
	grep -q "▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄█  *late$" tree
	LC_ALL= LC_CTYPE= LANG=en_GB.utf8 stktree two.stk --when --from @100 --to @164 >again
	same tree again
	LC_ALL=C LANG=en_GB.utf8 stktree two.stk --when --from @100 --to @164 | grep -q "===============@  *late$"
'
check 'all other cells are as without it' '
	for report in tree flat; do
		stktree two.stk --when --report $report --width 200 | sed "/when:/d; s/  when \{28\}//; s/  [ .:=+*#@-]\{32\}\(  *[a-z]*\)\$/\1/" >with
		stktree two.stk --report $report --width 200 >without
		same with without
	done

	stktree two.stk --when --report flat --width 80 >narrow
	awk "length(\$0) > 80 { print; bad = 1 } END { exit bad }" narrow
	grep -q "late$" narrow
	grep -q "not shown: self %" narrow
'
check 'a tree answers alike; several windows are one after the other' '
	stktree -q -o two.tree --leaf 8 two.stk
	for report in tree flat; do
		stktree two.stk --when --report $report --from @100 --to @164 >a
		stktree two.tree --when --report $report --from @100 --to @164 >b
		same a b
	done
	stktree two.stk --when --report flat --window @100..@116 --window @148..@164 | grep -q "  \{16\}=\{14\}@@  late"
'
check 'one sample; none; none with a time; a window without samples' '
	stktree two.stk --when --report flat --from @163.9 >one
	grep "end$" one | grep -q "@"
	printf "a;b 1\n" | stkcap -q --format folded - >untimed.stk
	stktree untimed.stk --when >shown 2>err
	grep -q "b$" shown
	grep -q "when: no sample has a time" err
	status 1 stktree two.stk --when --from @10 --to @20 >shown 2>err
'
check 'it is said once what is damaged, and refused where it has no effect' '
	head -c $(($(wc -c <two.stk) - 30)) two.stk >cut.stk
	status 1 stktree cut.stk --when >shown 2>err
	stktree cut.stk --report tree >shown 2>without || true
	same err without
	for words in "-f tsv" "-f folded" "--report paths" "--function main" "--step 10s" "--diff two.stk"; do
		status 2 stktree two.stk --when $words >out 2>err
		grep -q -- "--when" err || { echo "$words"; cat err; false; }
	done
'
finish
