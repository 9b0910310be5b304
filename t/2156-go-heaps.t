#!/bin/sh
# SPDX-License-Identifier: MIT
# Text profiles of Go and gperftools that weigh stacks (heap?debug=1, mutex): events as pprof names them, scaled as pprof scales them.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/go_heap/heap" heap
cp "$t/fuzz/seed/go_heap/mutex" mutex
# rows FILE: event, stack, weight
rows() { stkcap -q "$1" | stkcat -q -f tsv --only sample - | sed 1d | awk -F "\t" '{ print $8, $6, $5 }' | sort; }

check 'a heap: four events, of which the space in use is the first; sampled blocks stand for all, by their mean size' '
	stkcap -o x.stk heap 2>err
	grep "0 dumps, 8 samples, 3 distinct stacks, 2 lines skipped" err
	rows heap >got
	sort >wanted <<-END
	inuse_space/bytes main.main;main.work 527365
	inuse_objects main.main;main.work 85
	alloc_space/bytes main.main;main.work 1582097
	alloc_objects main.main;main.work 257
	alloc_space/bytes main.old;main.work 1052677
	alloc_objects main.old;main.work 257
	inuse_space/bytes main.main 525312
	inuse_objects main.main 256
	END
	same wanted got
	stkcat -q -f folded x.stk >got
	printf "main.main 525312\nmain.main;main.work 527365\n" | same - got
'
check 'where what is in use comes late it still is what is counted first' '
	{ sed -n 1p heap; sed -n "6,8p" heap; echo; sed -n "2,4p" heap; } >late
	stkcap -q late | stkcat -q -f folded - >got
	printf "main.main;main.work 527365\n" | same - got
'
if command -v awk >/dev/null; then
	check 'blocks of sizes from a byte to a gigabyte, at three rates, are what awk has' '
		for rate in 2 8192 1048576; do
			awk -v rate=$rate "BEGIN { print \"heap profile: 1: 1 [1: 1] @ heap/\" rate; for (i = 0; i < 31; i++) printf \"%d: %.0f [0: 0] @ 0x%x\n#\t0x%x\tf%d+0x1\t/a.go:1\n\n\", i + 1, (i + 1) * 2 ^ i, 4096 + i, 4095 + i, i }" >x
			awk -v rate=$rate "BEGIN { for (i = 0; i < 31; i++) { t = rate / 2 <= 1 ? 1 : 1 / (1 - exp(-(2 ^ i) / (rate / 2))); printf \"%d %.0f %.0f\n\", i, int((i + 1) * t), int((i + 1) * 2 ^ i * t) } }" >wanted
			rows x | awk "{ sub(/^f/, \"\", \$2); if (\$1 == \"inuse_objects\") n[\$2] = \$3; else b[\$2] = \$3 } END { for (i = 0; i < 31; i++) print i, n[i], b[i] }" >got
			# the last digits of exp differ
			paste -d " " wanted got | awk "{ if (\$1 != \$4 || (\$2 - \$5) ^ 2 > 1 + (\$2 * 1e-6) ^ 2 || (\$3 - \$6) ^ 2 > 1 + (\$3 * 1e-6) ^ 2) { print; bad = 1 } } END { exit bad }"
		done
	'
fi
check 'gperftools: the rate as it is, blanks, and no scale where all blocks are counted' '
	printf "heap profile:   1:  6144 [  3: 18432] @ heap_v2/524288\n   1:  6144 [  3: 18432] @ 0x4a1b2c 0x4a1aaa\n" >v2
	rows v2 | grep "inuse_space/bytes .* 527365$"
	printf "heap profile: 1: 6144 [3: 18432] @ heapprofile\n1: 6144 [3: 18432] @ 0x4a1b2c\n" >all
	rows all | grep "inuse_space/bytes .* 6144$"
'
check 'contention: cycles are nanoseconds, and both values are times the period' '
	rows mutex >got
	sort >wanted <<-END
	delay/nanoseconds main.serve;sync.(*Mutex).Unlock 10000000000
	contentions main.serve;sync.(*Mutex).Unlock 10
	delay/nanoseconds [unknown] 2500
	contentions [unknown] 5
	END
	same wanted got
	stkcap -q mutex | stkcat -q | grep "10s"
	sed "s/=/ = /" mutex >spaced; rows spaced | same wanted -
'
check 'several profiles in one file and within a log; CR LF' '
	{ echo "2026-03-01 09:00:00 shop started"; cat mutex; echo; cat heap; } >x
	stkcap -o x.stk x 2>err
	grep "0 dumps, 12 samples, 5 distinct stacks, 3 lines skipped" err
	sed "s/$/\r/" heap >crlf; rows heap >wanted; rows crlf | same wanted -
'
check 'lines of a log within a record cost no frame, and are counted once' '
	awk "{ print } /^#\t0x/ { print \"[warn] between\" }" heap >x
	stkcap -o x.stk x 2>err; stkcap -o heap.stk heap 2>none
	skipped() { sed -n "s|.* \([0-9]*\) lines skipped|\1|p" "$1"; }
	test "$(skipped err)" -eq $(($(skipped none) + $(grep -c warn x)))
	rows heap >wanted; rows x | same wanted -
'
check 'a profile of a megabyte, as a file and from a pipe' '
	{ head -1 heap; awk "BEGIN { for (i = 0; i < 32000; i++) printf \"1: 6144 [3: 18432] @ 0x%x\n\", i % 100 }"; } >x
	stkcap -o x.stk x 2>err; grep "0 dumps, 128000 samples, 1 distinct stacks, 0 lines skipped" err
	rows x | sort -u >wanted; cat x | stkcap -q | stkcat -q -f tsv --only sample - | sed 1d | awk -F "\t" "{ print \$8, \$6, \$5 }" | sort -u | same wanted -
'
check 'one record, none, what is no profile; a frame without a record; every beginning' '
	head -4 heap >x; rows x | wc -l | grep -x 4
	head -1 heap >x; status 1 stkcap -o x.stk x
	printf "heap profile: all is well\n1: 2\n" >x; status 1 stkcap -o x.stk x 2>err; grep "not a known format" err
	sed 2d heap >x; status 1 stkcap --format go-heap -o x.stk x 2>err; grep "a frame without a count above it" err
	size=$(wc -c <heap) n=1
	while [ $n -lt "$size" ]; do
		head -c $n heap >cut; code=0
		stkcap -q --format go-heap -o cut.stk cut 2>err || code=$?
		test $code -le 1
		n=$((n + 7))
	done
'
finish
