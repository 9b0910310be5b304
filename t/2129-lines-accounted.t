#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --rejects accounts for every line: it was taken, is blank, or is listed. What was taken matters: the records are others without it, but for the lines
# here that are known to hold nothing that records have.
. "${0%/*}/lib/tap.sh"

have python3 || skip_all 'no python3'
seed=$t/fuzz/seed
# only FILE... -- PATTERN...: lines that were taken and change nothing are of these patterns, each of which is met
only() {
	: >files
	while [ "$1" != -- ]; do echo "$1" >>files; shift; done
	shift
	xargs python3 "$t/lib/lines_matter.py" <files >idle
	for pattern; do grep -q -e "$pattern" idle || { echo "not met: $pattern"; return 1; }; grep -v -e "$pattern" idle >left || :; mv left idle; done
	same /dev/null idle
}
cat >gc.jdk8 <<'END'
OpenJDK 64-Bit Server VM (25.292-b10) for linux-amd64
2026-03-01T09:00:00.000+0000: 0.500: [GC (Allocation Failure) 2026-03-01T09:00:00.000+0000: 0.500: [ParNew
Desired survivor size 1048576 bytes, new threshold 6 (max 6)
- age   1:     417872 bytes,     417872 total
: 8192K->408K(9216K), 0.0042010 secs] 8192K->408K(19456K), 0.0043010 secs] [Times: user=0.01 sys=0.00, real=0.00 secs]
2026-03-01T09:00:01.000+0000: 1.500: [Full GC (System.gc()) 5000K->300K(19456K), 0.0143010 secs]
END
cat >gc.unified <<'END'
[0.012s][info][gc] Using G1
[0.105s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.345ms
[0.205s][info][gc] GC(1) Pause Full (System.gc()) 28M->5M(256M) 22.345ms
END
printf '%s\n' 'main;a b;c 3' 'main;d 2' 'x' 'main;e;f 1' >folded
printf '%s\n' 'main->a b->c 3' 'main -> d 2' '' 'main->e->f 1' >arrows
printf '%s\n' '   3 main;a b;c' '' '  12 main;d 4' 'x' '   1 main;e' >first
printf '%s\n' 'main;a b;c 3.5' 'main;d 0.2' 'main;e;f 1e2' 'main;com/acme/Shop.sell_[j] 1' >folded-fractions
printf '%s\n' '@ 5' '@1767225600' 'main;a;b 3' 'main;c 2' '@1767225601' 'main;a;b 3' 'main;a 1' >dumps
printf '%s\n' 'time,name,value' '2026-03-01T09:00:00Z,a,1' '2026-03-01T09:00:01Z,a,2' 'nothing' '2026-03-01T09:00:02Z,b,3' >metrics
cat >jstat <<'END'
Timestamp         S0C         S1C         S0U         S1U          EC           EU           OC           OU          MC         MU       CCSC      CCSU     YGC     YGCT     FGC    FGCT     CGC    CGCT       GCT
            0.3         0.0         0.0         0.0         0.0      23552.0       4096.0     237568.0          0.0        0.0        0.0        0.0        0.0      0     0.000     0     0.000     0     0.000     0.000
            1.3         0.0      1024.0         0.0      1024.0      23552.0       2048.0     237568.0       1000.0      100.0       90.0        0.0        0.0      1     0.004     0     0.000     0     0.000     0.004
END
cat >gdb-full <<'END'
[New LWP 12]
Thread 2 (Thread 0x7f00 (LWP 12) "w 1"):
#0  0x00007f01 in poll (fds=0x1) from /lib/libc.so.6
No symbol table info available.
#1  0x00007f02 in ns::run (self=0x7ffe8,
    more=3) at a.c:3
        op = 393
        s = {a = 1,
          b = "at x:3"}
#2  0x00007f03 in start ()
    at /srv/b.c:12
No locals.

Thread 1 (Thread 0x7f01 (LWP 11) "a"):
#0  0x00007f03 in read ()
    from /lib/libc.so.6
No symbol table info available.
END
cat >eu-source <<'END'
PID 11652 - process
TID 11652:
#0  0x00007fb0597de545 nanosleep - /usr/lib/libc.so.6
    ../sysdeps/unix/nanosleep.c:48:7
#1  0x000055aad24b8184 main - /srv/demo/nat
    /srv/demo/nat.c:16:203
#2  0x000055aad24b81e1 _start - /srv/demo/nat
TID 11653:
#0  0x00007fb0597de546 read - /usr/lib/libc.so.6
END

check 'thread dumps' '
	only "$t/data/orders.jstack.txt" "$seed/sections/all" "$seed/thread_dump/dump.txt" -- "Locked ownable synchronizers:$" ": .- None$" "Threads class SMR info:$" \
		"[:{]* 0x[0-9a-f]*[0-9a-fx, ]*$" ": }$" ": =*$" "Java stack information for" "Found 1 deadlock" "region size" "class space" "No compile task$" ": 11044:$" \
		"txt:\(5[1-3]\|3[0-9]*\): "	# the stacks of a deadlock, which are those of its threads once more
'
check 'a log prefix before a dump: the line is what follows it' '
	only "$seed/thread_dump/within_log.txt" -- "(main) \$" "Threads class SMR info:$" "(main) 0x[0-9a-f, x]*$" "(main) }$" "Locked ownable synchronizers:$"
'
check 'javacores' '
	only "$seed/javacore/openj9" -- ": NULL" ": 0SECTION" ": 1TI" ": 2XH" ": 1CI" ": [013]MEMUSER" ":2[68]: [12]MEMUSER *|" ": 1ST" ": 3STHSTTYPE" ": [123]LK" ": [12]XMPOOL" \
		": 1XMTH" ": 3XMTHREADINFO[23]" ": 3XMJAVALTHRCCL" ": 3XMHEAPALLOC .*=[0-9]* (" ":8[68]: [34]X[A-Z]* .*java/lang/" ": [12]CLTEXT"
'
check 'threads as text, perf script, counted stacks' '
	only "$seed/threads_text/jdk25" "$seed/go_profile/goroutine" "$seed/go_profile/threadcreate" "$seed/go_heap/heap" "$seed/go_heap/mutex" "$seed/dtrace/aggregation" "$seed/dtrace/systemtap" --
	only "$t/data/shop.perf.txt" -- ":[1235678]: # *"
	only "$seed/austin/wall" -- ": # "
	only arrows first folded-fractions --
	only "$seed/bpftrace/maps" -- ":6: , $"
'
check 'stacks of processes' '
	only "$seed/process_dump/fh" "$seed/process_dump/gdb" "$seed/process_dump/go" "$seed/process_dump/lldb" --
	only "$seed/process_dump/dotnet" "$seed/process_dump/py" "$seed/process_dump/eu" --
'
check 'gdb with variables: these are no frames; a place below its frame is of it, as in eu-stack -s' '
	only gdb-full eu-source -- "No symbol table info" "No locals" ": *op = 393" ": *s = {a = 1," ": *b = "
	status 0 stkcap -q -o out.stk gdb-full
	stkcat -q -f folded out.stk >got; printf "a;read 1\nw 1;start;ns::run;poll 1\n" | same - got
	stkcat -q -f tsv --only frame out.stk | sed 1d | cut -f 2-5 >got
	printf "%s\t%s\t%s\t%s\n" poll /lib/libc.so.6 "" 0 ns::run "" a.c 3 start "" /srv/b.c 12 read /lib/libc.so.6 "" 0 | same - got
	status 0 stkcap -q -o out.stk eu-source
	stkcat -q -f tsv --only frame out.stk | sed 1d | cut -f 2-5 >got
	printf "%s\t%s\t%s\t%s\n" nanosleep /usr/lib/libc.so.6 ../sysdeps/unix/nanosleep.c 48 main /srv/demo/nat /srv/demo/nat.c 16 \
		_start /srv/demo/nat "" 0 read /usr/lib/libc.so.6 "" 0 | same - got
'
check 'events of tracers, events, collections, counters, metrics, folded stacks' '
	only "$seed/kernel_events/strace" "$seed/kernel_events/babeltrace" folded metrics jstat -- "metrics:1: time,name,value"
	only "$seed/kernel_events/ftrace" -- ": # *"
	only "$seed/event_lines/pairs" -- ":1: # pairs" ":2: time	thread"
	only dumps --
	only gc.jdk8 gc.unified -- "Desired survivor" "age   1"
'
check 'a last line without its newline, lines too long, a text of blank lines, CR LF' '
	sum() { stkcap --rejects out.txt -o out.stk "$@" 2>err || test $? = 1; sed -n "s/^stkcap: \([0-9]* lines: .*\)/\1/p" err; }
	printf "main;a 1\n\nmain;b 2" >a; test "$(sum a)" = "3 lines: 2 taken, 1 blank, 0 rejected"
	printf "main;a 1\r\n\r\nmain;b 2\r\n" >a; test "$(sum a)" = "3 lines: 2 taken, 1 blank, 0 rejected"
	printf "\n \n\t\n" >a; test "$(sum a)" = "3 lines: 0 taken, 3 blank, 0 rejected"
	{ echo "main;a 1"; awk "BEGIN { for (i = 0; i < 600000; i++) printf \"12345678\"; print \"\" }"; echo "main;b 2"; } >a
	test "$(sum a)" = "3 lines: 2 taken, 0 blank, 1 rejected"
	test "$(sum a a)" = "6 lines: 4 taken, 0 blank, 2 rejected"
'
check 'the sum is the same by one thread and by several, and over pieces of a large file' '
	awk "BEGIN { for (i = 0; i < 40000; i++) { print \"main;a;b\" i % 7, i; if (i % 100 == 0) print \"\"; if (i % 1000 == 0) print \"no stack here\" } }" >big
	for threads in 1 3; do
		stkcap --threads $threads --rejects out.txt -o out.stk big 2>&1 | sed 1q >got
		echo "stkcap: $(wc -l <big) lines: 40000 taken, $(grep -c "^$" big) blank, $(wc -l <out.txt) rejected" | same - got
	done
	test "$(wc -l <out.txt)" = 40
'
# counts FILE TAKEN BLANK REJECTED STATUS: of an input that is read as a whole
counts() {
	status "$5" stkcap --rejects out.txt -o out.stk "$1" 2>err
	echo "stkcap: $(($2 + $3 + $4)) lines: $2 taken, $3 blank, $4 rejected" >want
	grep "^stkcap: [0-9]* lines: " err | same want -
	test "$(wc -l <out.txt)" -ge "$4"
	test $(($2 + $3 + $4)) -eq "$(awk "END { print NR }" "$1")"
}
check 'formats that are read as a whole: each line of a report of sample, of callgrind, of XML and of JSON is taken, blank or listed' '
	sample="$seed/macos_sample/shop" lines=$(wc -l <"$seed/macos_sample/shop") blank=$(grep -c "^ *$" "$seed/macos_sample/shop")
	counts "$sample" $((lines - blank)) $blank 0 0
	{ cat "$sample"; echo "nothing of a report"; } >a; counts a $((lines - blank)) $blank 1 0; grep "^a:$((lines + 1)): .*: nothing of a report$" out.txt
	sed "s/^    + 50 start.*/    + fifty start/" "$sample" >a; counts a $((lines - blank - 1)) $blank 1 1; grep ": no line of a call graph:     + fifty start$" out.txt
	lines=$(wc -l <"$seed/callgrind/shop") blank=$(grep -c "^ *$" "$seed/callgrind/shop") || :
	counts "$seed/callgrind/shop" $((lines - blank)) $blank 0 0
	{ cat "$seed/callgrind/shop"; echo; echo "what is this"; } >a; counts a $((lines - blank)) $((blank + 1)) 1 1; grep "^a:$((lines + 2)): .*: what is this$" out.txt
	printf "%s\n" "{\"nodes\":[" "{\"id\":1,\"callFrame\":{\"functionName\":\"a\"},\"hitCount\":3}" "" "]}" >a; counts a 3 1 0 0
	printf "%s\n" "{\"nodes\":[" "{\"id\":1,\"callFrame\":{\"functionName\":\"a\"},\"hitCount\":3}" "x" "" "]}" >a; counts a 2 1 2 1
	sed "s/^\(.*\): .*: /\1 /" out.txt >got; same - got <<-END
	a:3 x
	a:5 ]}
	END
'
check 'JSON of which a large part follows its damage; events of which some are none' '
	{
		printf "%s\n" "{\"nodes\":[" "{\"id\":1,\"callFrame\":{\"functionName\":\"a\"},\"hitCount\":3} x"
		awk "BEGIN { for (i = 0; i < 50000; i++) print i % 3 ? \"{\\\"id\\\":\" i \"},\" : \"\" }"
	} >a
	counts a 1 16667 33334 1
	status 1 stkcap -q --rejects out.txt -o out.stk a 2>err; sed -n "2p;\$p" out.txt | sed "s/: .*: /: /" >got; same - got <<-END
	a:4: {"id":1},
	a:50002: {"id":49999},
	END
	event="{\"time\":1,\"happening\":\"start\",\"activity\":1,\"thread\":\"a\"}"
	printf "%s\n" "$event" "{\"time\":2,\"happening\":\"never\",\"activity\":1}" "$event" >a; counts a 2 0 1 1; grep "^a:2: an object that is no event: " out.txt
'
check 'a report that is only read from the beginning of a file, below a dump: listed, and status 1' '
	{ cat "$t/data/orders.jstack.txt"; echo; cat "$seed/macos_sample/shop"; } >a
	status 1 stkcap --rejects out.txt -o out.stk a 2>err
	grep "^stkcap: a:[0-9]*: a report that is only read whole, from the beginning of a file$" err
	grep -c ": a report that is only read whole, from the beginning of a file: ." out.txt >got; grep -c . "$seed/macos_sample/shop" | same got -
	{ cat "$t/data/orders.jstack.txt"; printf "%s\n" "" "---------- Coroutine dump ----------" "" "- \"a\":Job{Active}, state: RUNNING" "	at x.y(Z.kt:1)"; } >a
	status 0 stkcap --rejects out.txt -o out.stk a 2>err; status 1 grep -i coroutine out.txt
	stkcat -q -f folded out.stk | grep "^a;x.y 1$"
	{ cat "$t/data/orders.jstack.txt"; echo "Analysis of sampling is done"; } >a; status 0 stkcap -q -o out.stk a
'
check 'not asked for, nothing is said of it; a profile that is not text has no lines' '
	stkcap -o out.stk folded 2>err; status 1 grep taken err
	stkcap --rejects out.txt -o out.stk "$seed/pprof/least" 2>err; grep "^stkcap: 0 lines: 0 taken, 0 blank, 0 rejected$" err
'
# left_out FILE LINE: when nothing is understood of this line, the status is 1
left_out() {
	sed "$2s/.*/nothing of this line/" "$1" >a
	status 1 stkcap --rejects out.txt -o out.stk a
}
check 'frames whose thread was left out are status 1' '
	left_out "$seed/process_dump/eu" 2; left_out "$seed/process_dump/fh" 1; left_out "$seed/process_dump/gdb" 3; left_out "$seed/process_dump/go" 7
	left_out "$seed/process_dump/py" 4; left_out "$seed/process_dump/lldb" 7; left_out "$seed/threads_text/jdk25" 64; left_out "$t/data/orders.jstack.txt" 51
	for line in 92 110 122; do left_out "$seed/javacore/openj9" $line; done
	printf "INFO started\n#1 is fixed (see below)\nTraceback:\n  File \"a.py\", line 3, in f\n    f (a)\nmain;a;b 3\nmain;a;c 3\nmain;a;d 3\n" >a
	status 0 stkcap -q -o out.stk a
'
check 'a foreign line within a thread of a javacore costs nothing' '
	stkcap -q "$seed/javacore/openj9" | stkcat -q -f folded --event all - >whole
	for line in 94 97 100 102 105; do
		sed "${line}i nothing of this line" "$seed/javacore/openj9" >a
		status 0 stkcap --rejects out.txt -o out.stk a; grep -c "nothing of this line" out.txt | grep -x 1
		stkcat -q -f folded --event all out.stk | same whole -
	done
'
finish
