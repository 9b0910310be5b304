#!/bin/sh
# SPDX-License-Identifier: MIT
# Samples without a thread belong to the source of their dump, which is another one from dump to dump.
. "${0%/*}/lib/tap.sh"

alter=$BUILD/t/tools/alter
test -x "$alter" || skip_all "no $alter: run by make check"

awk 'BEGIN { for (i = 0; i < 30; i++) { print "@" 1772323200 + i * 60; print "main;work 4" } }' >a.txt
awk 'BEGIN { for (i = 0; i < 60; i++) { print "@" 1772323205 + i * 30; print "main;work 1" } }' >b.txt
stkcap -q --format folded-dumps a.txt b.txt | stkcat -q --merge --sort -f stream - >named.stk
"$alter" sample thread all 0 <named.stk >both.stk

check 'a report by source counts each for its own source' '
	stktree -q -f folded --by source both.stk | sort >got
	printf "a.txt;main;work 120\nb.txt;main;work 60\n" | same - got
'
check 'a tree by source, too' '
	stktree -q --by source --leaf 10 -o both.tree both.stk
	stktree -q -f folded --by source both.tree | sort >got
	printf "a.txt;main;work 120\nb.txt;main;work 60\n" | same - got
'
finish
