#!/bin/sh
# SPDX-License-Identifier: MIT
# What -f dumps writes is read again as the same dumps, samples and deadlocks.
. "${0%/*}/lib/tap.sh"

# rows FILE: dumps, samples and deadlocks as text, without the name of the file that they are from
rows() {
	for kind in dump sample deadlock; do
		stkcat -q -f ndjson --only $kind "$1" | sed "s/\"source\":\"[^\"]*\"/\"source\":\"\"/"
	done
}

# again NAME: NAME.stk, NAME.txt from it, and NAME.2.stk from that
again() {
	stkcat -f dumps --zone UTC $1.stk >$1.txt
	stkcap -q --zone UTC $1.txt >$1.2.stk
	rows $1.stk >$1.rows
	rows $1.2.stk >$1.2.rows
	same $1.rows $1.2.rows
}

for file in day-17a.txt.gz day-17b.txt.gz day-25a.txt.gz orders.jstack.txt; do
	check "$file: the same dumps, samples and deadlocks" '
		stkcap -q --zone UTC "$t/data/$file" >$file.stk
		again $file
		test $(wc -l <$file.rows) -gt 30
	'
done
printf 'Full thread dump\n\n"main" Id=1 WAITING on x.Y@1f owned by "b" Id=2\n\tat x.Z.run(Z.java:7)\n\n"b" Id=2 RUNNABLE\n\tat x.Y.run(Y.java:7)\n\n' >info
{ printf '\n"c" Id=3 WAITING on x.Y@2f\n'; for n in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38; do printf '\tat x.Z%s.run(Z.java:%s)\n' "$n$n$n" $n; done; echo; } >>info
printf 'goroutine 1 [chan receive, 3 minutes]:\nmain.work(0x1)\n\t/src/main.go:12 +0x1d\n\n' >go
printf 'PID 1 - process\nTID 1 "w":\n#0  0x0000000000000001 work - /opt/a.so\n#1  0x0000000000000002 main - a.out\n' >eu
printf 'Process 1: python3 work.py\nThread 1 (idle): "w"\n    work (work.py:1)\n' >py
for file in info go eu py; do
	check "$file: threads without a priority, a condition or a state, with a note, or of native frames" '
		stkcap -q --zone UTC $file >$file.stk
		again $file
		test -s $file.rows
	'
done
# frames FILE: functions, modules, files and lines of all frames
frames() { stkcat -q -f ndjson --only frame "$1" | sed "s/,\"form\".*//; s/.*\"function\"/\"function\"/" | sort -u; }
for seed in process_dump/go process_dump/gdb process_dump/py process_dump/fh process_dump/dotnet process_dump/eu process_dump/mutex pprof/cpu go_heap/heap \
	cpuprofile/shop cpuprofile/old rbspy/v2 austin/wall perfetto/whole jfr/pair macos_sample/shop; do
	check "$seed: frames that are none of a dump of Java keep function, module, file and line" '
		stkcap -q -o a.stk "$t/fuzz/seed/$seed"
		stkcat -q -f dumps --event all a.stk >text
		stkcap -o b.stk text 2>err
		grep ", 0 lines skipped" err
		frames a.stk >wanted
		test -s wanted
		frames b.stk | same wanted -
	'
done
check 'files whose names could be taken for something else, and lines without a file' '
	python3 - >in.json <<-"END"
	import json
	frames = [{"name": n, "file": f, "line": l} for n, f, l in (("f", "/srv/x y.py", 3), ("g(int)", "built in.c", 7), ("h", "", 9), ("k", "what", 0), ("m(int)", "", 0), ("dead", "beef.c", 4))]
	print(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames},
	                  "profiles": [{"type": "sampled", "name": "t", "unit": "none", "startValue": 0, "endValue": 6, "samples": [list(range(6))], "weights": [6]}]}))
	END
	stkcap -q -o a.stk in.json; stkcat -q -f dumps a.stk | stkcap -q -o b.stk; frames a.stk >wanted; test "$(wc -l <wanted)" -eq 6; frames b.stk | same wanted -
'
check 'an event whose name has blanks keeps its samples, and the blanks are said to be _' '
	stkcap -q -o a.stk "$t/fuzz/seed/vtune/shop"
	stkcat -f dumps --event all a.stk >text 2>err
	grep -x "stkcat: names of events have _ in place of blanks, which would end them" err
	stkcap -o b.stk text 2>err; grep "0 dumps, 10 samples, .* 0 lines skipped" err
	for x in a b; do stkcat -q -f tsv --only sample $x.stk | cut -f 6,8,9 | tr " " _ | sort >$x.rows; done; same a.rows b.rows
'
check 'a thread that stands for several is written once, which is said' '
	printf "@1767225605\na;b 2\na;c 1\n" | stkcap -q - | stkcat -f dumps 2>&1 >x | grep -x "stkcat: weights of 1 thread of dumps left out: each is written once"
'
check 'several dumps with deadlocks, of several rings: each with its dump' '
	awk "/^Found one Java/ { ring = 1 } ring && /^Java stack information/ { ring = 0; printf \"%s\", text; text = text2 = \"\" } ring { text = text \$0 \"\n\" } { print }" \
		"$t/data/orders.jstack.txt" >two-rings.txt
	cat two-rings.txt "$t/data/orders.jstack.txt" | sed "299,\$s/2026-03-01 09:00/2026-03-01 09:10/" >many.txt
	stkcap -q --zone UTC many.txt >many.stk
	stkcat -f tsv --only deadlock many.stk | cut -f 1,2 | sort | uniq -c | awk "{ print \$2, \$3, \$1 }" >rings
	printf "3 1 2\n3 2 2\n6 1 2\ndump ring 1\n" | same - rings
	again many
	test $(grep -c "^Full thread dump" many.txt) -eq 6
'
check 'also when rows were sorted, merged, or chosen by a window' '
	stkcat --sort many.stk >sorted.stk
	again sorted
	stkcat --merge many.stk orders.jstack.txt.stk >merged.stk
	again merged
	stkcat -S --from "2026-03-01 09:00:15" many.stk >window.stk
	stkcat -f dumps --zone UTC window.stk >window.txt
	stkcap -q --zone UTC window.txt | stkcat -f tsv --only deadlock | cut -f 3-7 >window.2.rows
	stkcat -f tsv --only deadlock window.stk | cut -f 3-7 | same - window.2.rows
	stkcat -f dumps --from "2026-03-01 09:00:00" --to "2026-03-01 09:00:05" many.stk >before.txt
	status 1 grep "deadlock" before.txt
'
check 'a deadlock whose dump has no chosen thread has the header of its dump' '
	stkcat -f dumps --zone UTC --thread nobody orders.jstack.txt.stk >none.txt
	test $(grep -c "^Full thread dump" none.txt) -eq 1
	test $(grep -c "which is held by" none.txt) -eq 2
'
check 'a deadlock of the table has the first and the last time that it was seen' '
	stkcat -f text --width 160 many.stk >text
	grep "^Deadlocks" -A 2 text | tail -1 | grep "3  order-1 .* 2026-03-01T09:00:20Z  *2026-03-01T09:10:20Z$"
'
check 'samples without a time: with and without a thread, a process, an event' '
	printf "a;b;c 3\na;d 2\n" >folded
	printf "x 7/9 5 cycles:\n\t               0 c\n\t               0 b\n\ny 11 2 faults:\n\t               0 d\n\n" >perf
	for of in folded perf; do
		stkcap -q -o $of.stk $of
		stkcat -q -f dumps --event all $of.stk >text
		stkcap -o again.stk text 2>err
		grep "0 dumps, 2 samples, 2 distinct stacks, 0 lines skipped" err
		for stream in $of again; do
			stkcat -q -f tsv --only sample $stream.stk | cut -f 1,3,5,6,8,9,17 >$stream.rows
		done
		same $of.rows again.rows
	done
'
if have python3; then
check 'flamescope has each sample of perf at its time with its stack: by what its reader looks for in a line' '
	cp "$t/data/shop.perf.txt" perf.txt
	stkcap -q --raw-symbols -o perf.stk perf.txt
	stkcat -q -f dumps --event all perf.stk >text
	cat >flamescope.py <<-"END"
	import collections, re, sys
	# a line with a time is a sample: of the blank before it, digits and dots, a colon; what follows has another colon
	head, frame, comm = re.compile(r" +([0-9.]+): .+?:"), re.compile(r"^[\t ]*[0-9a-fA-F]+ (.+) \((.*?)\)$"), re.compile(r"^ *([^0-9]+)")
	rows, stack = [], None
	for line in open(sys.argv[1]):
	    if line.startswith("#"): continue
	    found = None if line.startswith("\t") else head.search(line)
	    if found:
	        stack = [comm.search(line).group(1).rstrip()]
	        rows.append((found.group(1), stack))
	    elif frame.search(line):
	        name = frame.search(line).group(1)
	        stack.insert(1, name[:name.find("+")] if name.find("+") > 0 else name)
	for time, stack in rows: print(time, ";".join(stack))
	END
	python3 flamescope.py perf.txt >wanted
	python3 flamescope.py text >got
	test "$(wc -l <wanted)" -gt 5
	same wanted got
'
fi
check 'samples with times and without the name of a thread come back' '
	stkcap -q -o a.stk "$t/fuzz/seed/cpuprofile/shop"; stkcat -q -f dumps a.stk | stkcap -q -o b.stk
	for x in a b; do stkcat -q -f ndjson --only sample $x.stk | sed "s/\"source\":\"[^\"]*\"//" >$x; done
	test "$(wc -l <a)" -gt 2; grep -q "\"thread\":\"\"" a; same a b
'
finish
