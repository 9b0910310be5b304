#!/bin/sh
# SPDX-License-Identifier: MIT
# One SIGTERM ends every filter, whatever it is computing: a second one is never needed. Each case would compute for minutes, or wait for ever.
. "${0%/*}/lib/tap.sh"
test -r /proc/self/stat || skip_all 'no /proc'
have perl || skip_all 'no perl'
(ulimit -v 3000000 && stkcat --version) >out 2>err || skip_all 'a sanitizer takes terabytes of addresses'
ulimit -v 3000000

# An `a` so many letters before the end: each letter of a long name is a new state, and takes as many steps as there are elements.
slow='(a|b)*a(a|b){300}c'
awk 'BEGIN { srand(1); for (n = 0; n < 200; n++) { printf "main;"; for (i = 0; i < 60000; i++) printf "%s", rand() < 0.5 ? "a" : "b"; print " 1" } }' | stkcap -q --format folded -o name.stk -
printf "groups:\n  - name: g\n    members: ['/%s/']\n" "$slow" >slow.yaml
awk 'BEGIN { srand(1); for (i = 0; i < 2000; i++) { for (k = 0; k < 400; k++) printf "c%d;", rand() * 300; print "leaf 1" } }' | stkcap -q -o deep.stk -
awk 'BEGIN { srand(1); OFS = "\t"; print "time", "a", "b", "c", "d", "e", "f"; for (i = 0; i < 40000; i++) print 1600000000 + i * 900, rand(), rand(), rand(), rand(), rand(), rand() }' >long.csv

# computes PID: true once it has used half a second of a processor, so that it is in the midst of it
computes() {
	for i in $(seq 600); do
		ticks=$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat" 2>/dev/null) || return 1
		test "${ticks:-0}" -lt 50 || return 0
		sleep 0.1
	done
	return 1
}

# ended PID: its status is in $got; 137 when it had to be killed
ended() {
	(sleep 120; kill -9 "$1") >/dev/null 2>&1 3>&- &
	watch=$!
	wait "$1" 2>/dev/null && got=0 || got=$?
	kill $watch 2>/dev/null || true
}

# terminated COMMAND...: ends by the first SIGTERM, while it computes
terminated() {
	perl -e '$SIG{$_} = "DEFAULT" for qw(INT HUP TERM PIPE); exec @ARGV or die' "$@" >out 2>err &
	pid=$!
	computes $pid || { echo "it does not last: $*"; cat err; kill -9 $pid; return 1; }
	kill -TERM $pid
	ended $pid
	test $got -eq 143 || { echo "status $got: $*"; return 1; }
}

check 'stkcat: in a regular expression' 'terminated stkcat -q -f tsv --grep "$slow" name.stk'
check 'stkgroup: in an expression of a scheme' 'terminated stkgroup -q -s slow.yaml -f tsv name.stk'
check 'stktree: in a report' 'terminated stktree -q --grep "$slow" -f text name.stk'
check 'stkclass: in many deep stacks' 'terminated stkclass -q -f text $(for i in $(seq 60); do echo deep.stk; done)'
check 'stktrend: in fitting filters' 'terminated stktrend -q --csv long.csv'

check 'a reader that takes nothing holds nobody' '
	mkfifo pipe
	perl -e "\$SIG{TERM} = q(DEFAULT); exec @ARGV or die" stkcat -q -f tsv deep.stk >pipe 2>err &
	pid=$!
	exec 9<pipe
	for i in $(seq 600); do	# until it waits for room in the pipe
		grep -q "pipe_w\|wait_for_space\|anon_pipe" "/proc/$pid/wchan" 2>/dev/null && break
		grep -q "^State:	S" "/proc/$pid/status" && test "$i" -gt 20 && break
		sleep 0.1
	done
	kill -TERM $pid
	ended $pid
	exec 9<&-
	test $got -eq 143 || { echo "status $got"; false; }
	grep "nobody reads it, and the program was asked to stop" err
'
finish
