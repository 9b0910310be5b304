#!/bin/sh
# SPDX-License-Identifier: MIT
# What comes back from each format that stkcat writes is what the table in docs/formats.md says: what it claims is kept, and what it says is lost is.
. "${0%/*}/lib/tap.sh"

have python3 || skip_all 'no python3'
python3 -c 'import sqlite3' 2>/dev/null || skip_all 'no sqlite3 in python3'
page=$t/../docs/formats.md
stkcap -q -o orders.stk "$t/data/orders.jstack.txt"
stkcap -q -o shop.stk "$t/data/shop.perf.txt"
stkcat -q -f sqlite -o x.db orders.stk 2>err || skip_all "built without SQLite"
formats='folded dumps speedscope firefox chrome pprof otlp'

check 'stacks, weights, names, times, threads, sources, events, states, places, locks: dumps of a JVM and a profile of two processes and events' '
	python3 "$t/lib/round_trip.py" "$page" orders.stk shop.stk >said || { cat said; false; }
	grep "^96 cells, 0 are not true$" said
'
check 'the same of goroutines, V8, pprof, heaps of Go, SJK, threads of a VM in JSON, OpenTelemetry, Perfetto, .NET, austin, JFR' '
	set --
	for seed in process_dump/go cpuprofile/shop pprof/heap go_heap/heap sjk/v2 threads_json/jdk25 otlp/ours perfetto/whole nettrace/plain austin/wall jfr/native; do
		stkcap -q -o "${seed%/*}.stk" "$t/fuzz/seed/$seed"
		set -- "$@" "${seed%/*}.stk"
	done
	test $# -eq 11
	python3 "$t/lib/round_trip.py" "$page" orders.stk shop.stk "$@" >said || { cat said; false; }
'
check 'a claim that is not true is noticed, in either way' '
	sed "s/^| states | with .--by. | of dumps | no |/| states | with \`--by\` | of dumps | yes |/" "$page" >a; status 1 cmp -s "$page" a
	status 1 python3 "$t/lib/round_trip.py" a orders.stk shop.stk >said; grep "^states, speedscope: .yes. is not true" said
	sed "/^| line of a frame/s/| yes | no | yes |/| no | no | yes |/" "$page" >a; status 1 cmp -s "$page" a
	status 1 python3 "$t/lib/round_trip.py" a orders.stk shop.stk >said; grep "^line of a frame, dumps: .no. is not true" said
'
# claims ROW: the cells of the table
claims() { grep "^| $1 |" "$page" | sed "s/^| $1 | //; s/ |\$//; s/ | /\n/g"; }
check 'metrics and deadlocks' '
	for form in $formats; do
		stkcat -q -f $form orders.stk >a; stkcap -q -o a.stk a 2>err || :
		test "$(stkcat -q -f ndjson --only metric a.stk | grep -c .)" = 0
		stkcat -q -f ndjson --only deadlock a.stk | grep -c . | grep -q "[1-9]" && echo deadlocks || echo no
	done >got
	echo "$(python3 -c "import sqlite3; print(\"yes\" if all(sqlite3.connect(\"x.db\").execute(\"SELECT count(*) FROM \" + t).fetchone()[0] for t in (\"metric\", \"deadlock\")) else \"no\")")" >>got
	claims "metrics, deadlocks" | same got -
'
check 'bytes that are not UTF-8' '
	printf "java 7 [001] 12.345678:     250000 cycles:\n\t    7f0001 a\377b+0x1 (/usr/lib/a.so)\n\n" >a; stkcap -q -o in.stk a
	for form in $formats; do
		stkcat -q -f $form in.stk >b; stkcap -q -o b.stk b 2>err || :
		stkcat -q -f folded --by none b.stk >back
		if grep -q "a$(printf "\377")b" back; then echo yes; elif grep -q "a$(printf "\357\277\275")b" back; then echo U+FFFD; else echo no; fi
	done >got
	rm -f b.db; stkcat -q -f sqlite -o b.db in.stk
	python3 -c "import sqlite3; c = sqlite3.connect(\"b.db\"); c.text_factory = bytes; f = [r[0] for r in c.execute(\"SELECT function FROM frame\")]; print(\"U+FFFD\" if b\"a\xef\xbf\xbdb\" in f else f)" >>got
	claims "bytes that are not UTF-8" | same got -
'
check 'otlp: two processes of one recording are two resources, with their numbers and names' '
	stkcat -q -f otlp --event all shop.stk | stkcap -q -o a.stk
	stkcat -q -f tsv --only source a.stk | sed 1d | cut -f 4 | sort >got; printf "4100\n5200\n" | same - got
'
check 'a thread whose name ends like an event keeps it' '
	printf "2026-03-01 09:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n\"process reaper (pid 12)\" #1 prio=5 tid=0x1 nid=0x1 runnable [0x1]\n\tat a.B.c(B.java:1)\n\n" >reaper
	stkcap -q -o reaper.stk reaper
	for format in firefox speedscope chrome; do
		stkcat -q -f $format -o x reaper.stk
		stkcap -q x | stkcat -q -f tsv --only thread | sed 1d | cut -f 3 >got
		echo "process reaper (pid 12)" | same - got
	done
'
finish
