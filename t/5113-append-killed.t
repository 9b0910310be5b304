#!/bin/sh
# SPDX-License-Identifier: MIT
# stktree --append that is killed at any moment leaves the old tree or the new one, and no lock. APPEND_KILLS=300 is a longer campaign.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

"$BUILD/bench/make_samples" dumps 20000 300 12 >dumps.stk
stkcat -q -f stream --to 2026-03-01T09:17 dumps.stk >early.stk
stktree -q -o early.tree --leaf 200 early.stk
cp early.tree new.tree
stktree -q --append new.tree dumps.stk

check 'killed at random moments: all answers are those of before or of afterwards, and the next one adds what is missing' '
	cmp early.tree new.tree && false
	python3 "$t/lib/append_kills.py" early.tree dumps.stk new.tree "${APPEND_SEED:-1}" "${APPEND_KILLS:-5}" || false'
finish
