#!/bin/sh
# SPDX-License-Identifier: MIT
# The last line of a capture counts what is in its files, and what is not, also when the disk is full or calls fail.
# In a mount namespace of its own, where that can be had: the small file system goes with it.
if test -z "${STK_INSIDE:-}"; then
	for way in -m -rm; do
		! unshare $way mount -t tmpfs none /mnt 2>/dev/null || STK_INSIDE=1 exec unshare $way "$0"
	done
fi
. "${0%/*}/lib/tap.sh"
. "$t/lib/live_capture.sh"

if test -n "${STK_INSIDE:-}" && mkdir small && mount -t tmpfs -o size=48k none small; then
	check 'a full disk: what is counted is in the file, and the rest is lost; status 1' '
		begin -o small/c.stk
		until_true "grep -q \"No space left\" said"
		runs=$(wc -l <runs)
		until_true "test \$(wc -l <runs) -gt $((runs + 3))"
		finish_capture 1
		test $(last_line lost_dumps) -gt 0 -a $(last_line kept_dumps) -gt 0
		adds_up small/c.stk
		rm small/*
	'
	check 'and with room again it goes on in the same file' '
		head -c 24000 /dev/zero >small/ballast
		begin -o small/c.stk
		until_true "grep -q \"No space left\" said"
		full=$(dumps small/c.stk)
		rm small/ballast
		until_true "grep -q \"can be written again\" said"
		finish_capture 1
		test $(dumps small/c.stk) -gt $full
		adds_up small/c.stk
		stkcat -q -f tsv --only dump small/c.stk >/dev/null 2>err || test $? = 1
		status 1 grep damaged err
		rm small/*
	'
	check 'full from the beginning: nothing is in the file, all of it is lost' '
		status 1 head -c 1000000 /dev/zero >small/ballast
		begin -o small/c.stk
		until_true "test \$(wc -l <runs) -gt 3"
		finish_capture 1
		test $(last_line kept_dumps) -eq 0
		adds_up small/c.stk
		rm small/*
	'
	check '... and no empty file stays, of which --keep would count each for one of those with dumps' '
		begin -o small/c-%H%M%S.stk --keep 3
		until_true "test \$(find small -name \"c-*\" -size +0 | wc -l) -gt 1"
		status 1 head -c 1000000 /dev/zero >small/ballast
		until_true "grep -q \"No space left\" said"
		before=$(ls small) runs=$(wc -l <runs) from=$(date +%s)
		until_true "test \$(date +%s) -gt $((from + 4)) -a \$(wc -l <runs) -gt $((runs + 3))"
		finish_capture 1
		ls -l small
		adds_up small/c-*
		test -z "$(find small -name "c-*" -empty)" -a $(ls small/c-* | wc -l) -ge 2
		rm small/*
	'
	check 'a file that was there stays, empty as it was' '
		status 1 head -c 1000000 /dev/zero >small/ballast
		: >small/c.stk
		begin -o small/c.stk
		until_true "grep -q \"No space left\" said"
		finish_capture 1
		test -e small/c.stk -a ! -s small/c.stk
		rm small/*
	'
	check 'a file from files that has no room: nothing of it is counted as written' '
		status 1 head -c 1000000 /dev/zero >small/ballast
		status 3 stkcap "$dump" -o small/c.stk 2>said
		test ! -e small/c.stk
		tail -1 said
		tail -1 said | grep "small/c.stk: not written"
		rm small/*
	'
	umount small
else
	skip 'no mount namespace' 'a full disk: what is counted is in the file, and the rest is lost; status 1'
fi
check 'standard output that takes nothing: all of it is lost; status 3' '
	status 3 stkcap --exec "cat $dump" >/dev/full 2>said
	grep "^stkcap: 0 dumps, 0 samples; lost: 3 dumps, 36 samples$" said
'
if have cc && cc -shared -fPIC -o fail_io.so "$t/lib/fail_io.c" -ldl 2>/dev/null && case $BUILD in *address*) false ;; esac; then
	check 'a write fails or is short: the counts are right each time' '
		for call in write short; do
			for n in 1 2 3 4 5 7 9 12; do
				rm -f c.stk
				FAIL=$call:$n LD_PRELOAD=$PWD/fail_io.so stkcap --exec "LD_PRELOAD= cat $dump" --every 5ms --budget 0 --count 6 -o c.stk 2>said && got=0 || got=$?
				grep " dumps, .* samples" said | tail -1 >last
				mv last said
				echo "$call:$n: status $got, in the file $(dumps c.stk) $(samples c.stk)"
				cat said
				test "$(last_line kept_dumps) $(last_line kept_samples)" = "$(dumps c.stk) $(samples c.stk)"
				test $(last_line lost_dumps) -eq 0 -o $got -ne 0
			done
		done
	'
else
	skip 'no compiler, or a sanitizer that wants to be loaded first' 'a write fails or is short: the counts are right each time'
fi
finish
