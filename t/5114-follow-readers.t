#!/bin/sh
# SPDX-License-Identifier: MIT
# A tree that is just being added to: who comes in the middle of an addition gets what was there before, or all of it.
# COMMIT_SEED=2 stops the addition at other places.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'
tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_dumps" || skip_all "no $tools/make_dumps: run by make check"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

"$tools/make_dumps" 1 400 >dumps.live
check 'who comes while a part of a commit is in the file gets what was there before, or all of it, and no word on damage' '
	head -c $(($(wc -c <dumps.live) / 2)) dumps.live | status 1 stktree -q --follow --leaf 50 -o mid.tree - 2>said	# cut
	cp mid.tree before.tree
	stktree -q --follow --leaf 50 -o mid.tree dumps.live && cp mid.tree after.tree
	python3 -SE "$t/lib/mid_commit.py" before.tree after.tree mid.tree ${COMMIT_SEED:-1}'
finish
