#!/bin/sh
# SPDX-License-Identifier: MIT
# Each read, write, close, fsync and rename is made to fail in turn: never a success, never a crash, never a file that is not whole.
. "${0%/*}/lib/tap.sh"

have cc || skip_all 'no cc'
case ${BUILD:-} in *address*) skip_all 'the sanitizer does not share its place in the process' ;; esac
cc -shared -fPIC -o fail_io.so "$t/lib/fail_io.c" -ldl 2>cc.log || skip_all 'cc cannot make a library'

dump=$t/data/orders.jstack.txt
cp "$dump" dump.txt
gzip -c dump.txt >dump.txt.gz
stkcap -q dump.txt >good.stk
stkcat -f ndjson --ids good.stk >good.ndjson

# with PLAN COMMAND...: COMMAND with that call failing; its status in $got; $hit says whether the call came at all
with() {
	plan=$1
	shift
	rm -f failed
	FAIL=$plan FAILED=$scratch/failed LD_PRELOAD=$scratch/fail_io.so "$@" && got=0 || got=$?
	test -s failed && hit=yes || hit=no
}

# each CALL COMMAND...: makes the 1st, 2nd ... CALL fail until there are no more of them. All that failed end in 3 or 1 with a message
each() {
	call=$1 n=1
	shift
	while :; do
		with $call:$n "$@" >out 2>err
		test $hit = yes || break
		test $got -eq 3 -o $got -eq 1 || { echo "status $got at $call $n: $*"; return 1; }
		test -s err || { echo "no word at $call $n: $*"; return 1; }
		n=$((n + 1))
		test $n -lt 60 || break
	done
	test $got -eq 0 -o $n -eq 60 || { echo "status $got without a failure: $*"; return 1; }
	test $n -gt 1 || { echo "no $call at all: $*"; return 1; }
}

check 'the library makes a call fail' '
	with write:1 stkcat -f ndjson --ids good.stk >out 2>err
	test $hit = yes -a $got -eq 3
	grep "No space left" err
'
check 'stkcap: reads' '
	each read stkcap dump.txt
	each read stkcap dump.txt.gz
	each read stkcap dump.txt dump.txt.gz
'
check 'stkcap: a file that cannot be read is told by name' '
	with read:1 stkcap dump.txt >out 2>err
	grep "^stkcap: dump.txt: .*Input/output error" err
'
check 'stkcap: writes' '
	each write stkcap dump.txt
	each write stkcap --threads 8 dump.txt
'
check 'stkcap -o: writes, close, fsync, rename; the old file stays and nothing else is left, or the whole new one, whose folder is not synced' '
	mkdir a; echo old >a/x.stk
	for call in write close fsync rename; do
		n=1
		while with $call:$n stkcap -q -o a/x.stk dump.txt >out 2>err; test $hit = yes; do
			test $got -eq 3 || { echo "status $got at $call $n"; false; }
			if test $call:$n = fsync:2; then
				grep "a/x.stk is written, but a power cut may undo it: cannot sync its folder: Input/output error" err
				cmp a/x.stk good.stk
				echo old >a/x.stk
			fi
			test "$(cat a/x.stk)" = old -a "$(ls -A a)" = x.stk || { echo "at $call $n"; ls -lA a; false; }
			n=$((n + 1))
		done
		test $n -gt 1
		echo old >a/x.stk
	done
'
check 'a write that takes one byte only loses nothing' '
	n=1
	while with short:$n stkcap -q dump.txt >out.stk 2>err; test $hit = yes -a $n -lt 20; do
		test $got -eq 0
		cmp out.stk good.stk
		n=$((n + 1))
	done
	n=1
	while with short:$n stkcat -f ndjson --ids good.stk >out 2>err; test $hit = yes -a $n -lt 20; do
		test $got -eq 0
		same good.ndjson out
		n=$((n + 1))
	done
'
for form in '-f text' '-f tsv' '-f ndjson' '-f folded' '-f dumps' '-f stream' '--merge' '--sort' '--contents'; do
check "stkcat $form: reads and writes" '
	each read stkcat $form good.stk
	each write stkcat $form good.stk
'
done
check 'stkcat --check: reads' '
	each read stkcat --check good.stk
'
check 'stkcat -o: close, fsync, rename' '
	mkdir b
	for form in "-f tsv" "-f stream"; do
		echo old >b/x
		for call in write close fsync rename; do
			with $call:1 stkcat $form -o b/x good.stk >out 2>err
			test $hit = yes -a $got -eq 3
			test "$(cat b/x)" = old -a "$(ls -A b)" = x
		done
	done
'
check 'an input that the disk does not give is no replacement for what was there: status 3, the old file; one that is missing is left out: status 1' '
	mkdir c
	for run in "stkcap -q -o c/x dump.txt dump.txt" "stkcat -f stream -o c/x good.stk good.stk" "stkclass -q -f tsv -o c/x good.stk" "stktree -q -o c/x good.stk good.stk"; do
		for call in read:1 pread:1; do
			echo old >c/x
			with $call $run >out 2>err
			test $hit = yes -a $got -eq 3 || { echo "status $got at $call: $run"; false; }
			test "$(cat c/x)" = old || { echo "replaced at $call: $run"; false; }
			test "$(ls -A c)" = x || { echo "left at $call: $run"; ls -A c; false; }
		done
	done
	echo old >c/x
	status 1 stkcap -q -o c/x nowhere dump.txt 2>err
	test "$(stkcat -f tsv --only sample c/x 2>err | wc -l)" -eq 37
'
check 'after an input that fails the next is read' '
	with read:1 stkcat -f ndjson --ids good.stk good.stk >out 2>err
	test $got -eq 3
	same good.ndjson out
'
check 'a stream of inputs that could not be read is not complete: whoever reads it learns so, also from a pipe' '
	for run in "stkcat -S" "stkcat --merge --sort" "stkclass -q"; do
		with pread:1 $run good.stk good.stk >out.stk 2>err
		test $got -eq 3
		status 1 stkcat --check out.stk 2>err
		grep "^stkcat: out.stk: incomplete: its own input was damaged or truncated in 1 place" err
		$run nowhere good.stk 2>/dev/null | status 1 stkcat --check - 2>err
		grep "^stkcat: -: incomplete" err || { cat err; false; }
	done
	stkcat -S good.stk good.stk | stkcat --check -
'
check 'what is not found because an input could not be read is a failure, not a wrong usage' '
	with pread:1 stkclass --class 1 good.stk >out 2>err
	test $got -eq 3
	grep "Input/output error" err
	status 1 grep "try stkclass --help" err
	status 2 stkclass --class 1000 good.stk 2>err
	grep "try stkclass --help" err
'
check 'no memory for a scheme or for the head of a stream: status 3' '
	printf "scheme: s\ngroups:\n  - {name: A, members: [a]}\n" >scheme.yaml
	n=1 met=0
	while with malloc:$n stkgroup -q -s scheme.yaml -f tsv good.stk >out 2>err; test $hit = yes; do
		test $got -eq 0 -o $got -eq 3 || { echo "status $got at malloc $n"; cat err; false; }
		test $got -eq 0 || met=$((met + 1))
		n=$((n + 7))
	done
	test $met -gt 3
	if have stkpath; then
		for n in $(seq 1 40); do
			with malloc:$n stkpath samples good.stk >out 2>err
			test $got -eq 3 || stkcat --check out || { echo "malloc $n"; false; }
		done
		for n in 1 2 3 4; do
			with write:$n stkpath samples -o x.stk good.stk 2>err
			test $hit = no -o $got -eq 3 || { echo "status $got at write $n"; false; }
		done
	fi
'
check 'a window in the zone of a recording of which one read fails: the right window, or status 3, never another window' '
	stkcap -q --zone Europe/Berlin dump.txt >berlin.stk
	stkcat -q -f folded --from 2026-03-01T09:00:10 berlin.stk >window
	test -s window
	n=1 refused=0
	while with pread:$n stkcat -q -f folded --from 2026-03-01T09:00:10 berlin.stk >out 2>err; test $hit = yes; do
		if test $got -eq 0; then same window out; else test $got -eq 3; fi
		test $got -eq 0 || refused=$((refused + 1))
		n=$((n + 1))
	done
	test $refused -gt 8
'
finish
