#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --listen and --status: how a running capture is doing, and sockets that are not what they should be.
. "${0%/*}/lib/tap.sh"

dump=$t/data/orders.jstack.txt

# begin NAME OPTION...: a capture that answers on NAME.sock; its number is in $capture
begin() {
	begun=$1
	shift
	stkcap --exec "cat $dump" --every 50ms -o $begun.stk --listen $begun.sock "$@" 2>$begun.err & capture=$!
	for attempt in $(seq 1500); do test ! -S $begun.sock || ! stkcap -q --status $begun.sock >/dev/null 2>&1 || return 0; sleep .02; done
	cat $begun.err
	false
}
# end: the capture ends
end() { kill $capture; status 143 wait $capture; }
# field NAME: of the only process in $tsv
field() { awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at[name] }' tsv; }
# asked N: waits until it was asked so often
asked() { for attempt in $(seq 1500); do stkcap --status $begun.sock -f tsv >tsv; test "$(field seen)" -ge $1 2>/dev/null && return 0 || sleep .02; done; false; }

check 'a capture says how often it asked, what became of it, and what its budget is' '
	begin one --budget 3%
	asked 5
	test "$(field process)" = "cat $dump"
	test "$(field way)" = exec
	test "$(field every_seconds)" = 0.05
	test "$(field budget_share)" = 0.03
	test "$(field expected)" = $(($(field seen) + $(field partial) + $(field refused) + $(field late) + $(field owed) + $(field skipped)))
	seen=$(field seen)
	stkcap --status one.sock >text
	grep "^stkcap $capture, for [0-9]* s: [0-9]* dumps\\? (0 lost), [0-9]* samples (0 lost); " text
	grep "^file: one.stk ([1-9][0-9]* bytes)" text
	stkcap --status one.sock -f ndjson | grep "\"budget_share\":0.03"
	end
	test ! -e one.sock
	stkcat -f tsv --only counter one.stk | awk -F "\t" -v least=$seen "\$4 == \"seen\" { n = \$5 } END { exit n < least }"
'
check 'as metrics it is what OpenMetrics wants' '
	begin two --budget 0
	asked 2
	stkcap --status two.sock -f openmetrics >metrics
	tail -n 1 metrics | grep -x "# EOF"
	grep -x "# TYPE stkcap_dumps counter" metrics
	grep "^stkcap_dumps_total [1-9]" metrics
	grep "^stkcap_process_seen_total{process=\"cat $dump\"} [1-9]" metrics
	grep -x "# UNIT stkcap_process_pause_ratio ratio" metrics
	stkcap -q -f openmetrics metrics -o metrics.stk
	stkcat -f tsv --only metric metrics.stk | grep stkcap_uptime_seconds
	! have promtool || { promtool check metrics <metrics >said 2>&1 || true; status 1 grep -i "error\|parsing" said; }
	end
'
check 'only its user and root may ask; a process has the budget of its number' '
	begin three --of $$ --budget 0,$$=7%
	asked 1
	test "$(field budget_share)" = 0.07
	test "$(stat -c %a three.sock)" = 600
	end
'
check 'who asks and does not read delays nothing' '
	begin four --budget 0
	if have python3; then
		python3 -c "
import socket, time
held = []
for i in range(100):
    s = socket.socket(socket.AF_UNIX); s.setblocking(False)
    try: s.connect(\"four.sock\"); held.append(s)
    except BlockingIOError: pass
time.sleep(1)"
	fi
	asked 3
	before=$(field seen)
	asked $((before + 3))
	end
'
check 'a socket that a killed capture left is replaced, and one that is answered is not' '
	begin five --budget 0
	status 3 stkcap --exec "cat $dump" -o other.stk --listen five.sock 2>err
	grep "five.sock: another capture answers there" err
	kill -9 $capture
	wait $capture || true
	test -S five.sock
	status 3 stkcap --status five.sock 2>err
	grep "five.sock: the capture has ended" err
	begin five --budget 0
	end
'
check 'a capture that is stopped is waited for, as long as asked, also when many asked before' '
	begin six --budget 0
	kill -STOP $capture
	for asking in $(seq 25); do
		status 3 timeout 60 stkcap --status six.sock --deadline 50ms 2>err
		grep "the capture gave no whole answer in time" err
	done
	kill -CONT $capture
	for attempt in $(seq 1500); do ! stkcap --status six.sock >text || break; sleep .02; done
	grep "^stkcap $capture" text
	end
'
check 'what is not a socket is not replaced' '
	echo mine >file
	mkfifo pipe
	ln -s file link
	for other in file pipe link; do
		status 3 timeout 30 stkcap --exec "cat $dump" -o other.stk --listen $other 2>err
		grep "$other: not a socket, and not replaced" err
		status 3 timeout 30 stkcap --status $other 2>err
		grep "$other: not the socket of a capture" err
	done
	test "$(cat file)" = mine
	long=$(printf "%0200d" 1)
	status 2 stkcap --exec "cat $dump" -o other.stk --listen $long 2>err
	grep "the name of a socket has at most" err
	status 3 stkcap --status missing.sock 2>err
'
if have python3; then
	cat >liar.py <<-'END'
		import socket, sys, time
		listener = socket.socket(socket.AF_UNIX)
		listener.bind(sys.argv[1])
		listener.listen(5)
		while True:
		    asking, _ = listener.accept()
		    held = sys.argv[3:]
		    asking.sendall(sys.argv[2].encode().decode("unicode_escape").encode("latin-1"))
		    if held:
		        time.sleep(float(held[0]))
		    asking.close()
	END
	# lies TEXT [SECONDS]: asks who answers so
	lies() {
		rm -f liar.sock
		python3 liar.py liar.sock "$@" & liar=$!
		for attempt in $(seq 1500); do test ! -S liar.sock || break; sleep .02; done
		sleep .1
		got=0
		timeout 60 stkcap --status liar.sock --deadline 500ms >out 2>err || got=$?
		kill $liar
		return $got
	}
	check 'an answer that is none, is cut, or does not end' '
		status 1 lies "hello\n"; grep "not the answer of a capture" err
		status 3 lies ""; grep "liar.sock: the capture has ended" err
		status 1 lies "stkcap-status\\t1\\ncapture\\tpid=1\\nproc"; grep "the answer is cut" err
		status 3 lies "stkcap-status\\t1\\n" 60; grep "no whole answer in time" err
		status 0 lies "stkcap-status\\t1\\ncapture\\tpid=x\\tnew=1\\nnews\\t1\\nprocess\\tname=a\\033[2Jb\\tseen=-1\\nend\\n"
		status 1 grep "$(printf "\\033")" out
	'
else
	skip 'no python3' 'an answer that is none, is cut, or does not end'
fi
check 'options without effect are refused' '
	status 2 stkcap --listen x.sock file 2>err
	status 2 stkcap --status x.sock --every 5s 2>err
	status 2 stkcap --status x.sock -f folded 2>err
'
finish
