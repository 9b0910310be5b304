#!/bin/sh
# SPDX-License-Identifier: MIT
# An interrupt: what was read until then comes out in whole blocks, as a stream that was cut, and the shell sees that a signal ended it.
. "${0%/*}/lib/tap.sh"

dump=$t/data/orders.jstack.txt
mkfifo slow

# ended PID: waits for it, but not for ever; its status is in $got
ended() {
	(sleep 20; kill -9 "$1") >/dev/null 2>&1 3>&- 9>&- &
	watch=$!
	wait "$1" 2>/dev/null && got=0 || got=$?
	kill $watch 2>/dev/null
}

# interrupted SIGNAL FILE COMMAND...: feeds the fifo with FILE, sends the signal, and leaves the status in $got, and in err what the command said
interrupted() {
	signal=$1 file=$2
	shift 2
	afresh "$@" 2>err &
	pid=$!
	exec 9>slow
	cat "$file" >&9
	sleep 0.4
	kill -$signal $pid
	ended $pid
	exec 9>&-
}

for signal in INT TERM HUP; do
check "SIG$signal while a pipe is read: the rows so far, as a cut stream, and death by the signal" '
	interrupted '$signal' "$dump" stkcap -q slow >out.stk
	case '$signal' in INT) number=2 ;; TERM) number=15 ;; *) number=1 ;; esac
	test $got -eq $((128 + number)) || { echo "status $got"; false; }
	test ! -s err || { cat err; false; }
	status 1 stkcat --check out.stk 2>check
	grep "it is truncated" check
	status 1 stkcat -f tsv --only sample out.stk 2>/dev/null >rows
	test "$(wc -l <rows)" -gt 20
	stkcap -q --source slow "$dump" | stkcat -f tsv --only sample >want
	head -n $(wc -l <rows) want | same - rows
'
done
check 'a dump that was whole when the signal came is in the output' '
	cat "$dump" "$dump" "$dump" >three
	interrupted INT three stkcap -q slow >out.stk
	test "$(stkcat -f tsv --only dump out.stk 2>/dev/null | wc -l)" -ge 6
'
check '-o: an interrupt leaves the old file, and no other' '
	mkdir a; echo old >a/x.stk
	interrupted INT "$dump" stkcap -q -o a/x.stk slow
	test $got -eq 130
	test "$(cat a/x.stk)" = old -a "$(ls -A a)" = x.stk
'
check 'stkcat: an interrupt ends the rewritten stream as a cut one' '
	stkcap -q "$dump" >good.stk
	interrupted INT good.stk stkcat -f stream slow >out.stk
	test $got -eq 130
	stkcat -f ndjson --ids good.stk >want
	stkcat -f ndjson --ids out.stk >rows 2>/dev/null || true
	head -n $(wc -l <rows) want | same - rows
'
check 'stkcat --follow shows rows as they come, and an interrupt ends it' '
	: >live.stk
	afresh stkcat -f tsv --only sample --follow live.stk >rows 2>err & pid=$!
	head -c $(($(wc -c <good.stk) - 64)) good.stk >>live.stk
	sleep 0.6
	test "$(wc -l <rows)" -eq 37
	kill -INT $pid
	ended $pid
	test $got -eq 130
'
check 'a second signal ends it at once' '
	afresh stkcap -q slow >out.stk 2>err & pid=$!
	exec 9>slow
	sleep 0.2
	kill -INT $pid; kill -INT $pid 2>/dev/null || true
	ended $pid
	exec 9>&-
	test $got -eq 130
'
check 'what nohup ignores stays ignored' '
	(trap "" HUP; exec stkcap -q slow >out.stk 2>err) & pid=$!
	exec 9>slow
	cat "$dump" >&9
	sleep 0.2
	kill -HUP $pid
	sleep 0.1
	exec 9>&-
	ended $pid
	test $got -eq 0
	status 0 stkcat --check out.stk
'
finish
