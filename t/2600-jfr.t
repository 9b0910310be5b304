#!/bin/sh
# SPDX-License-Identifier: MIT
# Java Flight Recordings are read without a Java VM: what jfr prints of a recording is what stkcap makes of it, and what is cut off or damaged costs only itself.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"

least() { python3 "$t/lib/least_jfr.py" "$@"; }
samples() { stkcap -q "$1" | stkcat -q -f tsv --only sample - | sed 1d | cut -f 1,3-6,8; }

check 'the least recording: a sample with its time, thread, state and frame' '
	least a
	samples a >got
	same - got <<-END
	2023-11-14T22:13:20.000000050Z	main	runnable	1	a.B.m	jdk.ExecutionSample
	END
	stkcap a | stkcat -f ndjson --ids - | grep "\"kind\":\"frame\"" | grep "\"line\":7,\"form\":\"java\""
'
check 'a stack that the recorder cut has a root of its own; native frames have their library' '
	least a truncated; samples a | grep "	\[truncated\];a.B.m	"
	least a native; stkcap -q a | stkcat -q -f folded --names full - | grep "poll (libc.so.6) 1$"
'
check 'names in Latin-1, and with characters above U+FFFF' '
	least a latin; samples a | grep "	mæ	"
	least a pair; samples a | grep "	😀	"
'
check 'samples of async-profiler that stand for several, and unknown events with a stack' '
	least a wall; samples a | grep "	5	a.B.m	profiler.WallClockSample$"
	least a other; samples a | grep "	1	a.B.m	com.acme.Sold$"
'
check 'several chunks, of several writers; gzip; bytes between chunks are reported' '
	least a; least b wall; cat a b a >c; gzip -k c
	test "$(samples c | wc -l)" -eq 3
	samples c.gz >got; samples c >wanted; same wanted got
	{ cat a; echo "no chunk"; cat b; } >d
	status 1 stkcap -o d.stk d 2>err
	grep "d: bytes between chunks that are none" err
	test "$(stkcat -q -f tsv --only sample d.stk | wc -l)" -eq 3
'
check 'a recording that was not finished is read, and reported' '
	least a live
	status 1 stkcap -o a.stk a 2>err
	grep "not finished: what was flushed to it was read" err
	stkcat -q -f folded a.stk | grep "a.B.m 1"
'
check 'the bytes of other versions are named' '
	least a
	{ head -c 4 a; printf "\0\1\0\0"; tail -c +9 a; } >b; status 1 stkcap -o x.stk b 2>err; grep "of JDK 8 or older" err
	{ head -c 4 a; printf "\0\3\0\0"; tail -c +9 a; } >b; status 1 stkcap -o x.stk b 2>err; grep "later version than 2" err
	{ head -c 67 a; printf "\0"; tail -c +69 a; } >b; status 1 stkcap -o x.stk b 2>err; grep "integers are not compressed" err
'
check 'cut off at any byte: status 1, and a sample as soon as it is whole' '
	least a
	size=$(wc -c <a); n=1
	while test $n -lt "$size"; do
		head -c $n a >b
		status 1 stkcap -o x.stk b 2>err
		status 1 stkcat --check x.stk 2>err2
		grep "its own input was damaged" err2
		n=$((n + 13))
	done
	head -c $((size - 1)) a >b; status 1 stkcap -o x.stk b 2>err; grep "cut off" err
'
check 'any byte changed: no crash, and whatever is written is valid' '
	least a wall
	python3 - <<-END
	import subprocess
	good = open("a", "rb").read()
	for at in range(0, len(good), 7):
	    bad = bytearray(good); bad[at] ^= 0x81 if at % 2 else 0xff
	    open("b", "wb").write(bad)
	    got = subprocess.run(["stkcap", "-q", "-o", "x.stk", "b"], stderr=subprocess.PIPE)
	    assert got.returncode in (0, 1), (at, got)
	    if at % 5 == 0:
	        got = subprocess.run(["stkcat", "-q", "-f", "tsv", "x.stk"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
	        assert got.returncode in (0, 1), (at, got)
	END
'
check '--list-formats names it, and --format jfr refuses what is none' '
	stkcap --list-formats | grep "^jfr$"
	echo hello >a; status 1 stkcap --format jfr -o x.stk a 2>err; grep "a: the recording ends within" err
'

for home in $java_homes; do		# the newest
	java=$home/bin/java jfr=$home/bin/jfr
done
if test -n "$java_homes" && test -x "$jfr"; then
	check 'a recording of a Java VM: each sample, wait and allocation that jfr prints, with its time, thread, weight, state, frames and lines' '
		"$java" -Xmx64m -XX:StartFlightRecording:filename=real.jfr,settings=profile,jdk.ThreadDump#period=1s -cp classes Load 24 0.2 3 >log 2>&1
		events=jdk.ExecutionSample,jdk.NativeMethodSample,jdk.ObjectAllocationSample,jdk.JavaMonitorEnter,jdk.JavaMonitorWait,jdk.ThreadPark,jdk.ThreadSleep
		"$jfr" print --json --stack-depth 64 --events $events real.jfr >real.json
		stkcap -o real.stk real.jfr
		stkcat -q -f ndjson --ids real.stk >ours.json
		python3 "$t/lib/jfr_truth.py" jfr real.json | sort >wanted
		python3 "$t/lib/jfr_truth.py" stkcat ours.json | grep -F "$(echo $events | tr , "\n")" | sort >got
		grep -c "^jdk.ExecutionSample" wanted
		grep -c "^jdk.JavaMonitorEnter" wanted
		same wanted got
	'
	check '... its thread dumps as dumps, of the same source; its collections and loads as metrics' '
		"$jfr" print --events jdk.ThreadDump real.jfr | grep -c "Full thread dump" >wanted
		stkcat -q -f tsv --only dump real.stk | sed 1d | wc -l >got
		same wanted got
		test "$(stkcat -q -f tsv --only source real.stk | sed 1d | wc -l)" -eq 1
		test "$(stkcat -q -f tsv --only metric real.stk | grep -c "	gc.pause	")" -eq "$("$jfr" print --events jdk.GarbageCollection real.jfr | grep -c "GarbageCollection {")"
		test "$(stkcat -q -f tsv --only metric real.stk | grep -c "	heap.used	")" -eq "$("$jfr" print --events jdk.GCHeapSummary real.jfr | grep -c "After GC")"
		stkcat -q -f tsv --only metric real.stk | grep "	cpu.user	"
	'
	check '... --as-events: what lasted is a beginning and an end, as long as the same event weighs as a sample' '
		stkcap -o spans.stk --as-events real.jfr
		for event in jdk.JavaMonitorEnter jdk.ThreadPark jdk.ThreadSleep; do
			stkcat -q -f ndjson --ids --only sample --event $event real.stk | python3 "$t/lib/jfr_truth.py" weights $event
		done >wanted
		stkcat -q -f ndjson --ids --only event spans.stk >spans.json
		for event in jdk.JavaMonitorEnter jdk.ThreadPark jdk.ThreadSleep; do
			python3 "$t/lib/jfr_truth.py" spans $event <spans.json
		done >got
		same wanted got
		test "$(stkcat -q -f tsv --only event spans.stk | grep -c "	start	jdk.GCPhasePause	")" -eq "$("$jfr" print --events jdk.GCPhasePause real.jfr | grep -c "GCPhasePause {")"
		stkcat -q -f tsv --only sample --event jdk.ExecutionSample spans.stk | wc -l >got
		stkcat -q -f tsv --only sample --event jdk.ExecutionSample real.stk | wc -l | same - got
	'
	check '... cut off at any of 40 places: samples up to there, status 1' '
		size=$(wc -c <real.jfr) n=1
		while test $n -lt 40; do
			head -c $((size * n / 40)) real.jfr >cut
			status 1 stkcap -o x.stk cut 2>err
			n=$((n + 1))
		done
		grep "cut off" err
	'
	check '... the samples of what a recording is made for are those that filters count' '
		stkcat -q real.stk >text
		grep "Load.compute" text
		stkcat --event jdk.JavaMonitorEnter -q -f tsv --only sample --state blocked real.stk | grep "Load.contend"
	'
else
	echo "# SKIP without a JDK: comparing with jfr print"
fi
finish
