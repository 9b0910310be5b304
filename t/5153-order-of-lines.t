#!/bin/sh
# SPDX-License-Identifier: MIT
# Folded lines are those of the text that was read, summed and in the order of their bytes, whatever names begin like others.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

cat >oracle.py <<'E2'
# oracle.py SEED LINES DEPTH: random stacks to text, and what is to be printed of them to want
import random, sys

seed, lines, depth = (int(a) for a in sys.argv[1:])
chance = random.Random(seed)
names = ["a", "a$1", "a$", "a.b", "a:", "a<", "ab", "a b", "b", "b\u00e9", "b!", "b-c", "b0", "c"]
sums, text = {}, []
for i in range(lines):
	stack = ";".join(chance.choice(names) for _ in range(chance.randrange(1, depth + 1)))
	text.append("%s %d\n" % (stack, i % 7 + 1))
	sums[stack] = sums.get(stack, 0) + i % 7 + 1
open("text", "w", encoding="utf-8").writelines(text)
with open("want", "wb") as want:
	for stack in sorted(sums, key=lambda s: s.encode()):
		want.write(("%s %d\n" % (stack, sums[stack])).encode())
E2

check 'lines of a scan and of a tree: each once, its samples summed, sorted' '
	for what in "1 1 1" "2 2 2" "3 2 3" "4 3 2" "5 2000 3" "6 5000 12" "7 300 200" "8 4000 60"; do
		python3 oracle.py $what
		stkcap -q -f folded -o s.stk text
		stktree -q --leaf 50 -o s.tree s.stk
		for file in s.stk s.tree; do
			stktree -q -f folded --by none $file | same want -
		done
		stkcat -q -f folded --by none s.stk | same want -
	done
'
check 'samples without a stack, and lines that several streams have' '
	python3 oracle.py 8 500 4
	stkcap -q -f folded -o 1.stk text
	cp want twice
	python3 oracle.py 9 500 4
	stkcap -q -f folded -o 2.stk text
	cat 1.stk 2.stk >both.stk
	python3 -c "
sums = {}
for line in [*open(\"twice\", \"rb\"), *open(\"want\", \"rb\")]:
	stack, count = line.rsplit(None, 1)
	sums[stack] = sums.get(stack, 0) + int(count)
import sys
for stack in sorted(sums):
	sys.stdout.buffer.write(stack + b\" %d\n\" % sums[stack])" >sum
	stktree -q -f folded --by none both.stk | same sum -
	stktree -q -f folded --by none 1.stk 2.stk | same sum -
	stkcat -q -f folded --by none both.stk | same sum -
'
finish
