#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs with loops of thousands of rounds count exactly what their steps, counted by awk, say: scripts/path-exactness, of which `make exactness` runs more.
# STK_PATH_PROGRAMS: a file of further programs, as the script takes it.
. "${0%/*}/lib/tap.sh"
. "$t/lib/probed.sh"
STKBIN=$(dirname "$(command -v stkpath)")
export STKBIN

# The text in which matches are looked for is an eighth as long as that of the benchmark: fewer calls, of which the longest still goes through hundreds of blocks.
# Of many plans for long paths the compiler makes what it can quickly; those of short ones are optimized.
check 'a matcher and a lookup, 10 and 100 paths of interest' '
	sed "s/TEXT = 1 << 16/TEXT = 1 << 13/" "$t/../scripts/bench/path_programs.c" >programs.c
	grep -q "TEXT = 1 << 13" programs.c
	for name in match lookup; do printf "$name\t$scratch/programs.c\t$name\t-\tx\t$name 1\n" >$name; done
	SIZES="10 100" METHODS="psp0 psp2 psp3 trie" LDFLAGS=$linker
	export SIZES METHODS LDFLAGS
	PATH_PROGRAMS=match OPTIMIZE=-O0 "$t/../scripts/path-exactness" >out
	PATH_PROGRAMS=lookup "$t/../scripts/path-exactness" >>out
	test $(sed -n "s/^match.*through \([0-9]*\) blocks$/\1/p" out) -gt 500
	test $(grep -c " equal$" out) -ge 16
	test $(grep -c "ac, [0-9]* prime paths  *equal" out) = 2
	grep -q "psp2 shift64, 5 paths  *equal" out
	grep -q "trie table, 100 paths  *equal" out
	status 1 grep -q "DIFFERENT" out
'
check 'it can fail: a program whose paths differ from run to run' '
	cat >coin.c <<-END
	#include <stdio.h>
	#include <unistd.h>
	int toss(int n) { if (n & 1) return getpid() > 0; return 2; }
	int main(void) { int n = 0; for (int i = 0; i < 9; i++) n += toss((int)getpid() >> i); return n - n; }
	END
	printf "coin\t$scratch/coin.c\ttoss\t-\tx\tx\n" >coins
	for try in 1 2 3 4 5 6 7 8; do
		PATH_PROGRAMS=coins SIZES=10 METHODS=trie "$t/../scripts/path-exactness" >out 2>err && continue
		grep -q "path-exactness: counts differ" err
		exit 0
	done
	false
'
if [ -n "${STK_PATH_PROGRAMS-}" ]; then
	check "the programs of $STK_PATH_PROGRAMS" '
		PATH_PROGRAMS=$STK_PATH_PROGRAMS "$t/../scripts/path-exactness" >out || { grep -B20 DIFFERENT out >&3; false; }
	'
else
	skip 'STK_PATH_PROGRAMS names no file' 'further programs'
fi
finish
