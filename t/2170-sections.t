#!/bin/sh
# SPDX-License-Identifier: MIT
# One file, several kinds: each section is recognised where it begins, and goes to the stream in the file's order.
. "${0%/*}/lib/tap.sh"

dump=$t/data/orders.jstack.txt perf=$t/data/shop.perf.txt
log() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "2026-03-01 09:%02d:%02d,123 INFO  [worker-%d] com.acme.Orders - order %d done; took %d ms\n", i / 60 % 60, i % 60, i % 8, i, i % 100 }'; }
gc() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "[2026-03-01T08:%02d:%02d.000+0000][info][gc] GC(%d) Pause Young (Normal) (G1 Evacuation Pause) 24M->%dM(256M) 3.455ms\n", i / 60 % 60, i % 60, i, i % 20 + 1 }'; }
goroutines() { printf 'goroutine 7 [select]:\nmain.work(0x1, 0x2)\n\t/src/main.go:12 +0x1d\nmain.main()\n\t/src/main.go:5 +0x20\n\n'; }
python() { printf 'Current thread 0x00007f30 (most recent call first):\n  File "work.py", line 12 in wait\n  File "work.py", line 20 in <module>\n'; }
# rows KIND FILE...: how many
rows() { kind=$1; shift; stkcap -q "$@" | stkcat -f tsv --only "$kind" | sed 1d | wc -l; }

check 'collections for longer than what a beginning shows, then dumps: all threads are there' '
	{ gc 1500; cat "$dump"; } >mixed
	test "$(wc -c <mixed)" -gt 131072
	status 0 stkcap mixed 2>err | stkcat -f tsv >/dev/null
	grep "^stkcap: 3 dumps, 36 samples" err
	test "$(rows metric mixed)" -eq "$(($(gc 1500 | stkcap -q - | stkcat -f tsv --only metric | sed 1d | wc -l) + $(rows metric "$dump")))"
'
check 'a log for longer than that before a dump, goroutines, a profile, or folded stacks' '
	log 900 >log; test "$(wc -c <log)" -gt 65536
	cat log "$dump" >mixed; test "$(rows sample mixed)" -eq 36
	{ cat log; goroutines; cat log; } >mixed; test "$(rows sample mixed)" -eq 1
	{ cat log; python; } >mixed; test "$(rows sample mixed)" -eq 1
	{ cat log; cat "$perf"; } >mixed; test "$(rows sample mixed)" -eq "$(rows sample "$perf")"
	{ cat log; printf "a;b 1\na;c 2\na;d 3\n"; } >mixed; test "$(rows sample mixed)" -eq 3
'
check 'a log alone is not a known format, and its lines are rejects' '
	log 900 >log
	status 1 stkcap --rejects rejects -o out.stk log 2>err
	grep "log: not a known format" err
	test "$(wc -l <rejects)" -eq 900
'
check 'dumps, collections and lines of the program by turns, in their order' '
	for i in 1 2 3 4 5 6 7 8 9; do
		log 40; gc 30; sed "s/^2026-03-01 09:/2026-03-01 1$i:/" "$dump"; log 3; gc 40
	done >mixed
	stkcap --rejects rejects mixed 2>err >out.stk
	grep "^stkcap: 27 dumps, 324 samples" err
	test "$(wc -l <rejects)" -eq "$((9 * 43))"
	test "$(stkcat -f tsv --only metric out.stk | grep -c "heap.used.young")" -eq "$((9 * 70))"
	for threads in 1 2 7; do stkcap -q --threads $threads mixed | stkcat -f tsv; done >all
	stkcat -f tsv out.stk >one; cat one one one | same all -
	test "$(stkcap -q - <mixed | stkcat -f tsv | cut -f 2- | grep -v orders | wc -l)" -gt 1000
'
check 'a collection in the middle of a stack stays a collection, and the stack is whole' '
	gc 1 >line
	awk "/at shop.Main.main/ && !done { while ((getline l <\"line\") > 0) print l; done = 1 } { print }" "$dump" >mixed
	test "$(rows metric mixed)" -eq "$(($(rows metric "$dump") + $(rows metric line)))"
	stkcap -q mixed | stkcat -f folded >got; stkcap -q "$dump" | stkcat -f folded | same got -
'
check 'folded stacks, one here and one there between collections and lines of a log, are all there' '
	{ gc 1; echo "a;b 2"; gc 2; echo "c 3"; log 1; echo "2026-03-01 09:00:00,123 WARN  slow orders: 17"; gc 1; echo "a;b;c 4"; } >mixed
	status 0 stkcap --rejects rejects -o out.stk mixed
	stkcat -q -f folded out.stk | sort >got; printf "a;b 2\na;b;c 4\nc 3\n" | same - got
	cut -d: -f2 rejects >got; printf "6\n7\n" | same - got
'
check 'lines of a log within stacks of gdb and of Go are left out, and a frame that is missing is said' '
	{ printf "Thread 2 (Thread 0x7f01 (LWP 12) \"io\"):\nnot a log line\n#0  0x01 in read () at io.c:7\n"; log 2; gc 1
	  printf "#1  0x02 in main () at io.c:9\n\n"; log 1; printf "goroutine 7 [select]:\n"; log 1; printf "main.work(0x1)\n"; log 3; gc 1
	  printf "\t/src/main.go:12 +0x1d\n"; log 1; printf "main.main()\n\t/src/main.go:5 +0x20\nlast words (of a log)\n\tindented\n"; } >mixed
	status 0 stkcap --rejects rejects -o out.stk mixed
	test "$(wc -l <rejects)" -eq 11
	stkcat -q -f folded out.stk | sort >got; printf "goroutine;main.main;main.work 1\nio;main;read 1\n" | same - got
	stkcat -q -f tsv --only metric out.stk | grep -c "gc.pause" | grep 2
	stkcat -q -f tsv --only frame out.stk | cut -f 2,4,5 | grep "^main.work	/src/main.go	12$"
	sed "s/^#1 .*/half a fr/; s/^main.main.*/half a fr/" mixed >bad; printf "#2  0x03 in start ()\n" | sed "/half/r /dev/stdin" bad >worse
	status 1 stkcap -q -o out.stk worse 2>err
	grep "worse:[0-9]*: a line of a stack that is not understood" err
'
check 'jstack -F and dotnet-stack between collections, and jcmd Thread.dump_to_file without its head in a log' '
	{ gc 3; printf "Thread 12: (state = BLOCKED)\n"; gc 1; printf " - shop.Till.sell(int) @bci=5, line=7 (Interpreted frame)\n\nThread 13: (state = IN_NATIVE)\n\n"
	  gc 1; printf "Thread (0x1F):\n"; gc 1; printf "  Web!Shop.Open(int32)\n"; gc 2; printf "  Web!Shop.Main()\n\n"
	  log 2; printf "#22 \"main\" virtual\n"; log 1; printf "      shop.Till.open(Till.java:9)\n"; log 1; printf "      shop.Main.main(Main.java:2)\n\n"; log 1; } >mixed
	status 0 stkcap -q -o out.stk mixed
	stkcat -q -f tsv --only sample out.stk | sed 1d | wc -l | grep 4
	stkcat -q -f folded out.stk | sed "/^?/d; s/^main;//" | sort >got
	printf "%s 1\n" "Web!Shop.Main();Web!Shop.Open(int32)" "shop.Main.main;shop.Till.open" "shop.Till.sell" | same - got
	stkcat -q -f tsv --only metric out.stk | grep -c "gc.pause" | grep 8
'
check 'folded stacks with times end where a dump begins, whose lines they would take for comments and counts' '
	{ printf "@1767225605\na;b 2\na;c 3\n\nTID 7 \"w\":\n#0  0x01 work - /opt/a.so\n#1  0x02 main - /opt/a.so\n\n"
	  printf "goroutine profile: total 5\n5 @ 0x43\n#\t0x43\tmain.run+0x1\t/a.go:7\n\n"; } >mixed
	status 0 stkcap --rejects rejects -o out.stk mixed; test ! -s rejects
	stkcat -q -f folded out.stk | sort >got; printf "a;b 2\na;c 3\ngoroutine;main.run 5\nw;main;work 1\n" | same - got
'
check 'lines of a log between the date of a dump and its head, and above what a compiler does, cost neither' '
	printf "%s\n" "2026-03-01 09:00:00" "Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):" "" \
		"\"C2\" #9 daemon prio=9 os_prio=0 tid=0x7 nid=0x9 waiting on condition [0x0]" "   java.lang.Thread.State: RUNNABLE" \
		"   Compiling: 17  4  shop.Till::sell (5 bytes)" "" "\"web\" #1 prio=5 tid=0x1 nid=0x1 runnable [0x1]" \
		"   java.lang.Thread.State: RUNNABLE" "	at shop.Till.sell(Till.java:7)" "" >dump
	stkcap -q - <dump | stkcat -q -f ndjson --only dump,sample >wanted
	grep "2026-03-01T09:00:00Z" wanted; grep "Compiling: 17" wanted
	log 2 >lines
	sed -e "1r lines" -e "5r lines" dump >mixed
	stkcap -q - <mixed | stkcat -q -f ndjson --only dump,sample | same wanted -
	{ log 900; cat mixed; } | stkcap -q - | stkcat -q -f ndjson --only dump,sample | same wanted -
'
check 'stacks of one frame among folded stacks do not hide them from a file of another kind' '
	printf "main;a;b 12\nmain;c 3\nidle 7\nmain;d 5\n" >folded
	{ cat "$perf"; echo; cat folded; } >mixed
	status 0 stkcap -q --rejects rejects -o out.stk mixed; test ! -s rejects
	stkcat -q -f folded --event all out.stk | sort >got; { stkcap -q "$perf" | stkcat -q -f folded --event all; cat folded; } | sort | same - got
	{ gc 2; goroutines; printf "orders 17\nidle 7\nmain;a 1\nlate 3\n"; } >few
	test "$(rows sample few)" -eq 1
'
check 'labels of a record of Go are no comments of perf or of austin' '
	printf "goroutine profile: total 5\n5 @ 0x43 0x44\n# labels: {\"a\":\"b\"}\n#\t0x43\tmain.run+0x1\t/a.go:7\n#\t0x44\tmain.main+0x1\t/a.go:9\n\n" >profile
	printf "P42;T0:1;run.py:main:7 120\nP42;T0:1;run.py:main:8 80\nP42;T0:1;run.py:main:9 80\n" >austin
	for other in "$perf" austin; do
		{ cat "$other"; echo; cat profile; } >mixed
		status 0 stkcap -q --rejects rejects -o out.stk mixed; test ! -s rejects
		stkcat -q -f folded --event all --by thread out.stk | grep -x "goroutine;main.main;main.run 5"
		stkcat -q -f tsv --only sample out.stk | grep -F "{\"a\":\"b\"}"
	done
	{ printf "a line of a log\n# ========\n# hostname : till\n# ========\n#\n"; grep -v "^#" "$perf"; } >mixed
	stkcap -q mixed | stkcat -q -f ndjson --only source | grep "\"host\":\"till\""
'
check 'a heap of Go between collections, whose records are no seconds since the start' '
	printf "heap profile: 2: 8192 [5: 26624] @ heap/1048576\n1: 6144 [3: 18432] @ 0x4a 0x4b\n#\t0x4a\tmain.work+0x4b\t/src/main.go:12\n\n" >heap
	{ gc 2; cat heap; gc 2; } >mixed
	status 0 stkcap -q --rejects rejects -o out.stk mixed; test ! -s rejects
	stkcap -q heap | stkcat -q -f folded --event all >wanted; stkcat -q -f folded --event all out.stk | same wanted -
	test "$(stkcat -q -f tsv --only metric out.stk | grep -c "gc.pause")" -eq 4
'
check 'a sample that collections follow without an empty line stays' '
	sed "s/^/X/; s/^X//" "$perf" | awk "NR == 1, /^\$/" | sed "/^\$/d" >one
	{ cat one; gc 3; } >mixed
	stkcap -q one | stkcat -q -f folded --event all >wanted; test -s wanted
	stkcap -q mixed | stkcat -q -f folded --event all | same wanted -
	test "$(stkcap -q mixed | stkcat -q -f tsv --only metric | grep -c "gc.pause")" -eq 3
'
check 'system calls of strace and events of LTTng within a file of other kinds' '
	printf "23180 1795634143.110000 read(3, \"x\", 4096) = 11 <0.000038>\n23180 1795634143.120000 close(3) = 0 <0.000010>\n" >calls
	printf "[19:19:12.5] (+?.?????????) vm shop:sell: { cpu_id = 1 }, { vtid = 7, procname = \"cat\" }, { n = 1 }\n[19:19:12.6] (+0.1) vm shop:pay: { cpu_id = 1 }, { vtid = 7, procname = \"cat\" }, { n = 2 }\n" >events
	{ log 3; gc 2; cat calls; log 2; cat events; gc 2; cat "$dump"; } >mixed
	status 0 stkcap -q --rejects rejects -o out.stk mixed; test "$(wc -l <rejects)" -eq 5
	stkcat -q -f tsv --only event out.stk | cut -f 3,4 | sed 1d >got
	printf "start\tread\nstop\tread\nstart\tclose\nstop\tclose\npoint\tshop:sell\npoint\tshop:pay\n" | same - got
	test "$(rows sample mixed)" -eq 36
	test "$(stkcat -q -f tsv --only metric out.stk | grep -c "gc.pause")" -eq 4
'
check 'what is only read when a file begins with it is said within another' '
	{ gc 3; printf "# callgrind format\nevents: Ir\nfn=main\n1 7\n"; } >mixed
	status 1 stkcap -q -o out.stk mixed 2>err
	grep "mixed:4: a report that is only read whole, from the beginning of a file" err
'
check '... also below many records of a log in JSON that have keys of profiles' '
	awk "BEGIN { for (i = 0; i < 300; i++) print \"{\\\"level\\\":\\\"info\\\",\\\"meta\\\":{\\\"order\\\":\" i \"}}\" }" >records
	{ gc 3; cat records; } >mixed
	status 0 stkcap -q -o out.stk mixed
	{ gc 3; cat records; echo "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}]}"; } >mixed
	status 1 stkcap -q -o out.stk mixed 2>err
	grep "mixed:304: a report that is only read whole, from the beginning of a file" err
'
# all_rows FILE...: what can be read of each by itself, as one list
all_rows() { for rows; do stkcap -q "$rows" | stkcat -q -f folded --event all; for kind in metric event; do stkcap -q "$rows" | stkcat -q -f tsv --only $kind | sed 1d | cut -f 3-; done; done | sort; }
check 'a section directly below another one is read as by itself: no empty line, no line of a log between' '
	printf "main;a;b 12\nmain;c 3\nmain;d 5\n" >folded
	printf "@1767225605\na;b 2\na;c 3\n" >folded-dumps
	printf "main -> a -> b 3\nmain -> a -> c 4\nmain -> d -> e 5\n" >arrows
	{ cat "$perf"; echo; } >perf
	printf "@offcpu[\n    __schedule+651\n    futex_wait+102\n, shop, 4711]: 3\n" >bpftrace
	printf "  a\`work+0x5d\n  a\`main+0x1\n  3\n\n  a\`idle+0x5d\n  a\`main+0x1\n  4\n" >dtrace
	printf " 0xffffffff81 : native_halt+0xb/0x10 [kernel]\n 0xffffffff82 : cpu_idle+0xd6/0x120 [kernel]\n\t2404\n" >systemtap
	printf "heap profile: 1: 6144 [3: 18432] @ heap/1048576\n1: 6144 [3: 18432] @ 0x4a 0x4b\n#\t0x4a\tmain.work+0x4b\t/src/main.go:12\n" >go-heap
	printf "goroutine profile: total 5\n5 @ 0x43 0x44\n#\t0x43\tmain.run+0x1\t/a.go:7\n" >go-profile
	printf "Thread 2 (Thread 0x7f01 (LWP 12) \"io\"):\n#0  0x01 in read () at io.c:7\n#1  0x02 in main () at io.c:9\n" >gdb
	printf "TID 7 \"w\":\n#0  0x01 work - /opt/a.so\n#1  0x02 main - /opt/a.so\n" >eu-stack
	goroutines >goroutines; python >python
	printf "# tracer: nop\n#\n            bash-1977  [000] ..... 17284.000000: sys_read(fd: 0xf)\n" >ftrace
	printf "# TYPE orders gauge\norders{till=\"a\"} 17 1795343200.5\norders{till=\"b\"} 4 1795343200.5\n# EOF\n" >openmetrics
	for one in folded folded-dumps arrows perf bpftrace systemtap gdb eu-stack goroutines python; do
		for other in arrows perf bpftrace dtrace systemtap go-heap go-profile gdb eu-stack ftrace openmetrics; do
			case $one+$other in folded*+arrows|*k+dtrace|gdb+dtrace|python+[bd]*|"$one+$one") continue ;; esac
			cat $one $other >mixed
			all_rows $one $other >wanted; test -s wanted
			all_rows mixed >got
			cmp -s wanted got || echo "$other below $one"
		done
	done >wrong 2>&1
	same /dev/null wrong
'
check 'tables of metrics and events, arrows, jstat and lldb are read below and above others; folded stacks below a table, and ftrace below collections' '
	printf "2026-03-01T09:00:00Z,heap.used,1024\n2026-03-01T09:00:01Z,\"orders a second\",2.5\n" >metrics
	printf "time\tname\tvalue\n1772355602\theap.used\t1\n" >headed
	printf "1.5\tmain\tstart\tpay\n2\tmain\tpoint\tp1\t12.5\n3\tmain\tstop\tpay\n" >events
	printf "main->a->p::operator->->b 3\nmain -> a 7\nmain 2\n" >arrows
	printf "(lldb) process attach --pid 7\nProcess 7 stopped\n* thread #1, name = \047shop\047, stop reason = signal SIGSTOP\n    frame #0: 0x00007f01 libc.so.6\`__pause\n" >lldb
	printf "* thread #1, name = \047shop\047, stop reason = signal SIGSTOP\n  * frame #0: 0x00007f01 libc.so.6\`__pause\n    frame #1: 0x000055f2 shop\`main\n" | { cat lldb; echo "(lldb) bt all"; cat; } >stopped
	cp "$t/data/formats/jstat" "$t/data/formats/gc-log-uptime" .
	for kind in metrics headed events arrows jstat stopped perf ftrace folded; do all_rows $kind >rows.$kind; test -s rows.$kind; done
	for pair in "metrics perf" "metrics events" "metrics folded" "metrics stopped" "perf headed" "folded metrics" "events metrics" "events folded" "events ftrace" "perf events" "folded events" \
		"arrows folded" "arrows metrics" "folded arrows" "ftrace arrows" "events arrows" "jstat perf" "jstat events" "perf jstat" "folded stopped" "perf stopped" "stopped events" "ftrace folded" "folded ftrace"; do
		cat $pair >mixed
		all_rows mixed >got
		(set -- $pair; sort "rows.$1" "rows.$2") | cmp -s - got || echo "$pair"
	done >wrong 2>&1
	same /dev/null wrong
	cat gc-log-uptime ftrace >mixed; all_rows gc-log-uptime ftrace >wanted; all_rows mixed | same wanted -
'
check 'stacks with arrows among such with ; are said, and so are events in JSON within another text' '
	{ cat folded; echo "main -> a -> b 3"; } >mixed
	status 1 stkcap -q -o out.stk mixed 2>err; grep "mixed:4: a stack with arrows between its frames" err
	{ gc 2; printf "{\"level\":\"info\"}\n{\"time\":\"2026-01-01T00:00:00Z\",\"thread\":\"a\",\"happening\":\"start\",\"name\":\"read\"}\n"; } >mixed
	status 1 stkcap -q -o out.stk mixed 2>err; grep "mixed:4: events in JSON" err
'
check 'sections between lines of a log in a large folded file are found, wherever they begin' '
	awk "BEGIN { for (i = 0; i < 9000; i++) { print \"main;a;b\" i % 7, 1 + i % 9; if (i % 500 == 250) print \"2026-03-01 09:00:00,123 INFO  [main] com.acme.Orders - done\" } }" >big
	{ cat big; cat metrics; cat big; cat perf; cat big; cat arrows; } >mixed
	{ all_rows big big big metrics perf arrows; } >wanted
	all_rows mixed >got
	awk "{ n = \$NF; sub(/ [0-9]+\$/, \"\"); sum[\$0] += n } END { for (s in sum) print s, sum[s] }" wanted | sort >one
	awk "{ n = \$NF; sub(/ [0-9]+\$/, \"\"); sum[\$0] += n } END { for (s in sum) print s, sum[s] }" got | sort | same one -
'
check 'reports and profiles that are read as a whole are said below another text' '
	reports="data/formats/callgrind data/formats/xdebug data/formats/gperftools-named fuzz/seed/sjk/v4 fuzz/seed/macos_sample/shop fuzz/seed/instruments/shop \
		fuzz/seed/instruments_text/shop fuzz/seed/vtune/shop data/formats/threads-json fuzz/seed/pyspy_json/dump fuzz/seed/rbspy/v2 data/formats/speedscope \
		fuzz/seed/firefox/ours data/formats/chrome data/formats/cpuprofile data/formats/heapprofile"
	for report in $reports; do
		for above in "$dump" folded; do
			cat "$above" "$t/$report" >mixed
			status 1 stkcap -q --rejects rejects -o out.stk mixed 2>err || echo "$report below $above"
			test -s rejects || grep -q "mixed: " err || echo "$report below $above is not listed"
		done
	done >wrong 2>&1
	same /dev/null wrong
	{ cat "$dump"; cat "$t/fuzz/seed/vtune/shop"; } >mixed
	status 1 stkcap -q -o out.stk mixed 2>err; grep "a report that is only read whole, from the beginning of a file" err
	{ cat "$dump"; echo "{\"time\":\"2026-01-01T00:00:00Z\",\"kind\":\"login\",\"meta\":{\"version\":1}}"; } >mixed
	status 0 stkcap -q -o out.stk mixed
'
check 'what is below such a report is said, too, and lines of a log are not' '
	log 3 >log
	for report in data/formats/callgrind data/formats/xdebug fuzz/seed/sjk/v4 fuzz/seed/macos_sample/shop fuzz/seed/instruments_text/shop fuzz/seed/vtune/shop; do
		for below in "$dump" folded metrics; do
			{ cat "$t/$report"; echo; cat "$below"; } >mixed
			status 1 stkcap -q -o out.stk mixed 2>err || echo "$below below $report"
		done
	done >wrong 2>&1
	same /dev/null wrong
	for report in macos_sample vtune; do
		{ cat "$t/fuzz/seed/$report/shop"; echo; cat log; } >mixed
		status 0 stkcap -q -o out.stk mixed
	done
'
check 'binary profiles below or above a text are said, whatever they are, and so is a second one that is not read' '
	for profile in jfr pprof; do gunzip -c "$t/data/formats/$profile" >"$profile"; done
	cp "$t/data/formats/gperftools-cpu" cpu
	for seed in otlp/ours simpleperf/whole perfetto/whole nettrace/whole sjk/v4; do cp "$t/fuzz/seed/$seed" "${seed%/*}"; done
	for profile in jfr pprof cpu otlp simpleperf perfetto nettrace sjk; do
		stkcap -q -o out.stk "$profile" || echo "$profile"
		for other in "$dump" folded metrics perf "$t/data/formats/goroutines" "$t/data/formats/threads-text" "$t/fuzz/seed/vtune/shop" "$t/data/formats/cpuprofile"; do
			cat "$profile" "$other" >mixed
			status 1 stkcap -q --rejects rejects -o out.stk mixed 2>err || echo "$other below $profile"
			test -s err || echo "nothing is said of $other below $profile"
			cat "$other" "$profile" >mixed
			status 1 stkcap -q --rejects rejects -o out.stk mixed 2>err || echo "$profile below $other"
			test -s err || echo "nothing is said of $profile below $other"
		done
	done >wrong 2>&1
	same /dev/null wrong
	for profile in simpleperf nettrace; do
		cat "$profile" "$profile" >mixed
		status 1 stkcap -q -o out.stk mixed 2>err; grep "something else follows the end, which is not read there" err
		{ cat "$profile"; head -c 100 /dev/zero; } >padded
		status 0 stkcap -q -o out.stk padded
	done
	{ cat "$dump"; cat pprof; } >mixed
	status 1 stkcap -q -o out.stk mixed 2>err; grep "bytes that are no text, which are only read from the beginning of a file" err
'
check 'a few control characters in a log are no binary file' '
	{ cat "$dump"; printf "8=FIX.4.2\0019=12\00135=A\00110=1\001\n\033[1mbold\033[0m \007\b\n"; head -c 4096 /dev/zero; echo; log 3; } >mixed
	status 0 stkcap -q -o out.stk mixed
'
check 'another profile in JSON below one of threads is said, and so are the libraries of a heap below a text' '
	for below in data/formats/speedscope fuzz/seed/firefox/ours data/formats/chrome data/formats/cpuprofile fuzz/seed/pyspy_json/dump; do
		cat "$t/data/formats/threads-json" "$t/$below" >mixed
		status 1 stkcap -q -o out.stk mixed 2>err || echo "$below below threads"
	done >wrong 2>&1
	same /dev/null wrong
	cat "$t/fuzz/seed/rbspy/v2" "$t/fuzz/seed/pyspy_json/dump" >mixed
	status 1 stkcap -q -o out.stk mixed 2>err; grep "an object that is no frame; left out" err
	cat folded "$t/data/formats/gperftools-heap" >mixed
	status 1 stkcap -q -o out.stk mixed 2>err; grep "libraries of a heap profile" err
	cat "$t/data/formats/gperftools-named" "$t/data/formats/gperftools-cpu" >mixed
	status 1 stkcap -q -o out.stk mixed 2>err; grep "a profile that is cut off or damaged" err
'
check 'two files in UTF-16 in one are read, and what is below them in another encoding is said' '
	for code in UTF-16LE UTF-16BE UTF-32LE; do
		for file in folded perf arrows "$dump"; do
			{ printf "\357\273\277"; cat "$file"; } | iconv -f UTF-8 -t $code >"wide.${file##*/}"
		done
		cat wide.folded wide.perf wide.arrows >mixed
		{ all_rows folded perf arrows; } | sort >wanted
		all_rows mixed | sort | same wanted - || echo $code
		cat folded folded folded >some
		for below in some perf "$dump" data/pprof; do
			test $below != data/pprof || { gunzip -c "$t/data/formats/pprof" >below; below=below; }
			cat "wide.${dump##*/}" "$below" >mixed
			status 1 stkcap -q -o out.stk mixed 2>err; grep -q "not in the encoding of the file" err || echo "$below below $code"
		done
	done >wrong 2>&1
	same /dev/null wrong
	awk "BEGIN { for (i = 0; i < 500; i++) print \"2026-03-01 09:00:00,123 INFO \\344\\270\\212\\344\\270\\255\\346\\226\\207\\346\\227\\245\\346\\234\\254\\350\\252\\236 \\320\\266\\316\\261\" }" >asian
	cat asian "$dump" | iconv -f UTF-8 -t UTF-16 >mixed
	test "$(rows sample mixed)" -eq 36
'
check 'several kinds one after the other; the clock of each is its own' '
	{ cat "$perf"; goroutines; cat "$dump"; python; gc 3; } >mixed
	test "$(rows sample mixed)" -eq "$(($(rows sample "$perf") + 36 + 2))"
	stkcap -q mixed | stkcat -f tsv --only source >sources
	grep -q monotonic sources; grep -q wall sources
'
check 'a format that was asked for is the only one' '
	{ gc 30; cat "$dump"; } >mixed
	test "$(rows sample --format gc-log mixed)" -eq 0
	test "$(rows metric --format thread-dump mixed)" -eq "$(rows metric "$dump")"
'
check 'prefixed lines of a dump after a long log' '
	{ log 900; sed "s/^/Mar  1 09:00:00 host java[123]: /" "$dump"; } >mixed
	test "$(rows sample mixed)" -eq 36
'
finish
