#!/bin/sh
# SPDX-License-Identifier: MIT
# A live capture ends when it should, and at the first signal whatever it waits for.
. "${0%/*}/lib/tap.sh"

have timeout || skip_all 'no timeout'
dump=$t/data/orders.jstack.txt

# The bounds are far from what is expected (a second or two) and from what was (an hour): a loaded machine does not matter.
# ends STATUS SECONDS COMMAND...
ends() { want_status=$1 bound=$2; shift 2; status "$want_status" timeout -k 1 "$bound" "$@"; }
# hears SIGNAL STATUS COMMAND...: it is running what it was told to (the file begun is there) when the signal comes; a second one is never sent
hears() {
	signal=$1 want_status=$2
	shift 2
	rm -f begun
	"$@" & heard=$!
	for attempt in $(seq 1500); do test ! -e begun || break; sleep .02; done
	test -e begun
	kill -s $signal $heard
	(sleep 30; kill -9 $heard) 2>/dev/null & guard=$!
	status "$want_status" wait $heard
	kill $guard
}

check 'several moments need to be told how far apart; options of a live capture need something to capture' '
	status 2 stkcap --exec "cat $dump" --count 2 -o x.stk 2>err
	grep -e "--count 2 needs --every TIME" err
	status 0 stkcap -q --exec "cat $dump" --count 1 -o one.stk
	for option in "--ticks 99" "--on page-faults:10" "--every 1s" "--count 2" --agent; do
		status 2 timeout 30 stkcap $option -o x.stk </dev/zero 2>err
		grep -e "${option%% *} needs --jvm, --native, --python or --exec" -e "${option%% *} has no effect without --jvm" err
	done
	test ! -e x.stk
'
check 'a moment beyond the end of time is waited for like any' '
	hears TERM 143 stkcap --exec "touch begun; cat $dump" --every 1200000h --count 9000000000000000000 --budget 0 -o far.stk 2>err
	ends 0 30 stkcap -q --exec "cat $dump" --deadline 1250000h -o patient.stk
'
# The shell has what runs in the background ignore SIGINT, nohup has all ignore SIGHUP, and what is ignored stays ignored.
interrupt= heard_by=
! env --default-signal=INT,HUP true 2>/dev/null || interrupt=INT:130 heard_by="env --default-signal=INT,HUP"
check 'SIGTERM, SIGINT and SIGHUP while a command has not answered: it is killed at once' '
	for signal in TERM:143 HUP:129 $interrupt; do
		output="-o late.stk"
		test ${signal%:*} != HUP || output=		# with -o it opens the file anew
		hears ${signal%:*} ${signal#*:} $heard_by stkcap --exec "touch begun; exec sleep 987" --deadline 1h $output >late.out 2>err
		status 1 pgrep -f "^sleep 987"
	done
'
check 'a command that closes its output and does not end is killed at the deadline, and at a signal' '
	ends 1 30 stkcap -q --exec "cat $dump; exec >&-; exec sleep 986" --deadline 300ms -o closed.stk 2>err
	grep "did not end in time, and was killed" err
	hears TERM 143 stkcap -q --exec "touch begun; cat $dump; exec >&-; exec sleep 986" --deadline 1h -o closed2.stk 2>err
	status 1 pgrep -f "^sleep 986"
'
if have python3; then
	check 'a reader that has stopped reading does not keep it' '
		cat >stuck.py <<-"END"
			import fcntl, os, signal, subprocess, sys, time
			reading, writing = os.pipe()
			fcntl.fcntl(writing, 1031, 4096)		# F_SETPIPE_SZ
			capture = subprocess.Popen(sys.argv[1:], stdout=writing, stderr=subprocess.DEVNULL, restore_signals=True)
			def filled():
			    count = fcntl.ioctl(reading, 0x541B, b"\0\0\0\0")	# FIONREAD
			    return int.from_bytes(count, sys.byteorder)
			until = time.time() + 60
			while filled() < 4096 and time.time() < until:
			    time.sleep(.05)
			full = filled()
			time.sleep(.3)
			capture.send_signal(signal.SIGTERM)
			print(full, capture.wait(30))
		END
		python3 stuck.py stkcap --exec "cat $dump" --every 10ms --budget 0 >got
		test "$(cat got)" = "4096 -15"
	'
else
	skip 'no python3' 'a reader that has stopped reading does not keep it'
fi
check 'a pipe by name that nobody reads' '
	mkfifo nobody
	(stkcap --exec "cat $dump" -o nobody 2>err & capture=$!
	for attempt in $(seq 1500); do test "$(readlink /proc/$capture/exe | sed "s#.*/##")" != stkcap || break; sleep .02; done
	sleep .3		# it opens the pipe: earlier is well too
	kill $capture
	(sleep 30; kill -9 $capture) 2>/dev/null & guard=$!
	wait $capture && got=0 || got=$?
	kill $guard
	test $got = 143)
'
if stkcap -q --exec "cat $dump" --ticks 99 --count 1 -o can.stk 2>why; then
	check 'ticks without --every: --count is in seconds, and what --exec prints is read once a second' '
		sleep 300 & process=$!
		ends 0 60 stkcap -q --exec "cat $dump" --ticks 99 --count 2 -o command.stk
		test $(stkcat -f tsv --only dump command.stk | grep -vc "^id") -eq 6
		stkcat -f tsv --only counter command.stk | grep -q outside
		if stkcap -q --native $process -o native.stk 2>why; then
			ends 0 60 stkcap -q --native $process --ticks 99 --count 2 -o both.stk
			test $(stkcat -f tsv --only dump both.stk | grep -vc "^id") -eq 0
			stkcat -f tsv --only counter both.stk | grep -q "sleep.*inside"
		fi
		kill $process
	'
	check 'a process that ends meanwhile is reported, also where only its ticks are taken; one that never was, too' '
		sleep 1 & process=$!
		stkcap --native $process --ticks 99 --count 3 -o gone.stk 2>said || true
		cat said
		grep "^stkcap: sleep ($process): ended" said || grep "what it has mapped cannot be read" said
		status 1 stkcap --native 4194305 --ticks 99 --count 1 -o never.stk 2>said
		grep "^stkcap: 4194305: no such process" said
	'
	check 'and without --count it lasts until a signal, or the process has ended' '
		hears TERM 143 stkcap -q --exec "touch begun; cat $dump" --ticks 99 -o ticks.stk
		sleep 2 & process=$!
		ends 0 60 stkcap -q --exec "cat $dump" --of $process --ticks 99 -o ended.stk
	'
else
	skip "$(cat why)" 'ticks without --every: --count is in seconds, and what --exec prints is read once a second'
fi
if test "$(id -u)" = 0 && have setpriv && test "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 0)" -gt 0; then
	check 'ticks that are not permitted are refused with what they need, and status 3' '
		chmod 777 .
		status 3 setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all $(command -v stkcap) --exec "cat $dump" --ticks 99 --count 1 >x.stk 2>err
		cat err
		grep "needs root, CAP_PERFMON, or /proc/sys/kernel/perf_event_paranoid of 0" err
	'
else
	skip 'needs root, setpriv and a perf_event_paranoid above 0' 'ticks that are not permitted are refused with what they need, and status 3'
fi
finish
