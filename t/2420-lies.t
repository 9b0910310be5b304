#!/bin/sh
# SPDX-License-Identifier: MIT
# Every filter in every mode over streams whose checksums are right and whose rows say what cannot be: it ends soon, in little memory, with a status that says what happened,
# and leaves nothing. LIES_CASES: so many cases of each filter in place of 80; LIES_SEED: others.
. "${0%/*}/lib/tap.sh"

mkdir good kept
check 'good streams of every sort are made, and are good' '
	sh "$t/lib/good_streams.sh" good
	for stream in good/*.stk; do stkcat --check "$stream"; done
'
check 'the same numbers make the same bytes, another number makes others' '
	for n in 1 2; do
		mkdir -p kept/$n
		"$BUILD/t/fuzz/stkcat" --keep kept/$n --always yes good "--check @any" 3:14:15:92 >kept/$n.said
	done
	cmp kept/1/stkcat-0/1.stk kept/2/stkcat-0/1.stk
	mkdir kept/3 && "$BUILD/t/fuzz/stkcat" --keep kept/3 --always yes good "--check @any" 3:14:15:93 >kept/3.said
	status 1 cmp -s kept/1/stkcat-0/1.stk kept/3/stkcat-0/1.stk
'
check 'their checksums are right: nobody finds a block damaged by its bytes' '
	for n in 1 2 3 4 5 6 7 8 9; do
		rm -rf kept/stkcat-0
		"$BUILD/t/fuzz/stkcat" --keep kept --always yes good "--check @all" 8:1$n:2$n:3$n >kept/said
		if stkcat --check kept/stkcat-0/1.stk 2>&1 | grep checksum; then false; fi
	done
'
check 'a mode that is a mistake of usage, or that no stream suits, is found' '
	status 1 "$BUILD/t/fuzz/stktree" --modes good "--diff 2026-03-01..2026-03-02 --window 2026-03-02..2026-03-03 @tree" "--append @samples @dumps" >found
	grep -c "^stktree --diff .*: status 2: " found
	grep -c "^stktree --append @samples @dumps: status [23] with each good stream: " found
	grep -x "stktree: 2 modes, 2 of them do not work; .*" found
	"$BUILD/t/fuzz/stktree" --modes good "--report flat @tree" >found
	grep -x "stktree: 1 modes, 0 of them do not work; 1 runs" found
'
for program in "$BUILD"/t/fuzz/stk*; do
	filter=${program##*/}
	case $filter in *.*) continue ;; esac
	check "$filter: each mode works with a good stream" '
		"$program" --modes good >found || { cat found; false; }
		status 1 grep "^$filter: 0 modes" found
	'
	check "$filter: no crash, no hang, no memory without end, no status that says nothing, nothing left behind" '
		"$program" --keep kept --cases "${LIES_CASES-80}" --seed "${LIES_SEED-1}" good >found || { cat found; false; }
	'
done
finish
