#!/bin/sh
# SPDX-License-Identifier: MIT
# What stkcat writes for viewers is valid by their own descriptions, has the counts of -f folded, and is read by the viewers themselves.
. "${0%/*}/lib/tap.sh"

have python3 || skip_all 'no python3'
stkcap -q --zone +01:00 --source orders -o orders.stk "$t/data/orders.jstack.txt"
stkcap -q --source shop -o shop.stk "$t/data/shop.perf.txt"
printf 'main;a;b 3\nmain;a 5\nidle 1\n' | stkcap -q --source f --format folded -o folded.stk -
printf '' | stkcap -q --format folded -o none.stk - 2>/dev/null
printf 'main 1\n' | stkcap -q --format folded -o one.stk -
read_as() { python3 "$t/lib/viewers.py" "$@"; }
folded() { stkcat -q -f folded --by none --event all "$@"; }

for form in speedscope firefox chrome; do
	check "$form: valid, and each stack has the count of -f folded: dumps, profiles, text, one sample, both together" '
		for x in orders.stk shop.stk folded.stk one.stk "orders.stk shop.stk"; do
			stkcat -q -f $form -o x.json $x
			folded $x | LC_ALL=C sort >wanted
			read_as $form x.json >got
			same wanted got
		done
		test -s wanted
	'
	check "$form: the same for chosen samples, full names, one event, and for no sample at all" '
		for choice in "--state blocked,waiting orders.stk" "--names full shop.stk" "--thread worker shop.stk" "--from 2026-03-01T08:00:10Z orders.stk" "--grep nothing.of.this shop.stk" "none.stk"; do
			stkcat -q -f $form -o x.json $choice
			folded $choice | LC_ALL=C sort >wanted
			read_as $form x.json >got
			same wanted got
		done
		stkcat -q -f $form --event page-faults -o x.json shop.stk
		stkcat -q -f folded --by none --event page-faults shop.stk | LC_ALL=C sort >wanted
		read_as $form x.json >got
		same wanted got
	'
	check "$form: hostile names are escaped; bytes that are not UTF-8 become U+FFFD" '
		printf "a\"b\\\\c;\001\177\033[31m;\377\376x;\355\240\200y;\342\200\256z;</script> 2\n" | stkcap -q --format folded -o bad.stk -
		stkcat -q -f $form -o x.json bad.stk
		read_as valid x.json
		read_as $form x.json >got
		python3 - <<-END
		line = open("got", "rb").read().decode()
		assert line == "a\"b\\\\c;\x01\x7f\x1b[31m;\ufffd\ufffdx;\ufffd\ufffd\ufffdy;\u202ez;</script> 2\n", repr(line)
		END
	'
done
check 'what a format has no place for is said, once; -q and nothing lost are silent' '
	stkcat -f speedscope orders.stk >x.json 2>err
	echo "stkcat: times, states, locks of samples are left out: speedscope has no place for them" >want
	metrics=$(stkcat -f ndjson --only metric orders.stk | wc -l) deadlocks=$(stkcat -f ndjson --only deadlock orders.stk | wc -l)
	echo "stkcat: $metrics metrics, $deadlocks deadlocked threads left out: -f speedscope has samples only" >>want; same err want
	for form in folded dumps openmetrics; do stkcat -f $form orders.stk; done >x 2>err
	{ echo "stkcat: $metrics metrics, $deadlocks deadlocked threads left out: -f folded has samples only"
	  echo "stkcat: $metrics metrics left out: -f dumps has samples and deadlocks only"
	  echo "stkcat: 36 samples, $deadlocks deadlocked threads left out: -f openmetrics has metrics only"; } | same - err
	stkcat -f folded --only sample orders.stk 2>&1 >x | same - /dev/null
	stkcat -f firefox --only sample orders.stk >x.json 2>err
	test "$(cat err)" = "stkcat: locks of samples are left out: firefox has no place for them"
	stkcat -f chrome --only sample orders.stk >x.json 2>err
	test "$(cat err)" = "stkcat: states, locks of samples are left out: chrome has no place for them"
	stkcat -f chrome folded.stk >x.json 2>err
	test "$(cat err)" = "stkcat: 3 samples without a time: placed one after another, as many microseconds as they weigh"
	stkcat -f speedscope folded.stk >x.json 2>err; test ! -s err
	stkcat -q -f speedscope orders.stk >x.json 2>err; test ! -s err
'
check 'weights beyond what a double holds come back' '
	echo "main;work 18014398509481985" >a
	for form in speedscope firefox chrome pprof otlp; do stkcap -q a | stkcat -q -f $form | stkcap -q | stkcat -q -f folded --by none; done >got 2>err
	test "$(sort -u got)" = "main;work 18014398509481985"
	test ! -s err
'
check 'times: to the nanosecond in firefox, to the microsecond in chrome' '
	stkcat -q -f firefox -o x.json orders.stk; read_as times firefox x.json | cut -f 1 | sort -u >got
	same - got <<-END
	1772352000000
	1772352010000
	1772352020000
	END
	stkcat -q -f chrome -o x.json shop.stk; read_as times chrome x.json | cut -f 1 | sort -un >got
	stkcat -q -f tsv --only sample shop.stk | sed 1d | cut -f 1 | sed "s/\$/000000/; s/\.\(......\).*/\1/" | sort -un >wanted
	same wanted got
	stkcat -q -f firefox -o x.json shop.stk; read_as times firefox x.json | cut -f 1 | sort -un | tail -1 >got
	stkcat -q -f tsv --only sample shop.stk | sed 1d | cut -f 1 | sort -un | tail -1 >wanted
	python3 -c "assert abs(float(open(\"got\").read()) / 1000 - float(open(\"wanted\").read())) < 1e-9"
'
check 'the states of a dump are categories of the leaves in firefox' '
	stkcat -q -f firefox -o x.json orders.stk
	python3 - >got <<-END
	import json
	d = json.load(open("x.json")); s = d["shared"]; c = {}
	for th in d["threads"]:
	    for k in th["samples"]["stack"]:
	        if k is not None:
	            n = d["meta"]["categories"][s["frameTable"]["category"][s["stackTable"]["frame"][k]]]["name"]
	            c[n] = c.get(n, 0) + 1
	print("\n".join(sorted("%s %d" % i for i in c.items())))
	END
	stkcat -q -f tsv --only sample orders.stk | sed 1d | cut -f 4,6 | grep "	." | cut -f 1 | sed "s/unknown/Other/" | sort | uniq -c | sed "s/^ *\([0-9]*\) \(.*\)/\2 \1/" | sort >wanted
	same wanted got
'
check 'csv: one kind, as Python reads it: the table of tsv' '
	printf "2026-03-01 12:00:00\nFull thread dump X (17):\n\n\"a, \42b\42	c\" #1 prio=5 os_prio=0 tid=0x1 nid=0x1 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.run(B.java:1)\n\n" | stkcap -q -o comma.stk -
	for choice in "orders.stk" "shop.stk" "comma.stk" "--only metric orders.stk" "--only frame shop.stk" "--ids shop.stk"; do
		stkcat -q -f csv $choice >x.csv
		case $choice in *only*) only= ;; *) only="--only sample" ;; esac
		stkcat -q -f tsv $only $choice >x.tsv
		python3 - <<-END
		import csv
		def plain(s): return s.replace("\\\\t", "\t").replace("\\\\n", "\n").replace("\\\\\\\\", "\\\\")
		rows = list(csv.reader(open("x.csv", newline=""), strict=True))
		wanted = [[plain(f) for f in line.split("\t")] for line in open("x.tsv").read().split("\n")[:-1]]
		assert rows == wanted, (rows[:3], wanted[:3])
		END
	done
	stkcat -q -f csv comma.stk | tail -1 | grep -F ",\"a, \"\"b\"\""
	stkcat -q -f csv none.stk | grep "^time,source,thread,"
'
check 'options that would have no effect are refused' '
	status 2 stkcat -f csv --only sample,dump orders.stk 2>err; grep "one table" err
	status 2 stkcat -f chrome --only metric orders.stk 2>err; grep "has samples only" err
	status 2 stkcat -f firefox --by thread orders.stk 2>err; grep "only with -f folded" err
	stkcat -q -f speedscope --only sample shop.stk >x.json
'
check 'samples out of order, in several streams and files: firefox has them by time' '
	printf "@30\na 1\n@10\nb 1\n@20\nc 1\n" | stkcap -q --format folded-dumps --source x -o late.stk -
	stkcat -q -f firefox -o x.json late.stk late.stk
	read_as times firefox x.json | cut -f 1,3 | sort | uniq -c | sed "s/^ *//" >got
	same - got <<-END
	2 10000	b
	2 20000	c
	2 30000	a
	END
'
check 'many samples: chunks of chrome, and memory in the one that streams' '
	awk "BEGIN { for (i = 0; i < 10000; i++) printf \"web %d/%d [000] %d.%06d: 1 cycles:\n\t7f00 read_%d (/bin/x)\n\t7f02 main (/bin/x)\n\n\", 10, 10 + i % 2, 5 + i / 100, i, i % 7 }" | stkcap -q -o many.stk -
	for form in speedscope firefox chrome; do
		stkcat -q -f $form -o x.json many.stk
		read_as $form x.json >got
		folded many.stk | LC_ALL=C sort >wanted
		same wanted got
	done
	test "$(grep -c ProfileChunk x.json)" -eq 4
'

schema=
for modules in $(echo "${NODE_PATH:-}" | tr : ' ') /usr/lib/node_modules /usr/local/lib/node_modules; do
	test -n "$schema" || schema=$(ls "$modules"/speedscope/dist/release/file-format-schema.json 2>/dev/null)
	test -n "${cli:=}" || cli=$(ls "$modules"/@firefox-devtools/profiler-cli/dist/profiler-cli.js 2>/dev/null)
done
if test -n "$schema" && python3 -c 'import jsonschema' 2>/dev/null; then
	check 'speedscope: valid by the schema that its package has' '
		for x in orders.stk shop.stk none.stk bad.stk; do
			stkcat -q -f speedscope -o x.json $x
			python3 -c "import json, jsonschema, sys; jsonschema.validate(json.load(open(\"x.json\")), json.load(open(sys.argv[1])))" "$schema"
		done
	'
else
	skip 'no speedscope in NODE_PATH, or no jsonschema for Python' 'speedscope: valid by the schema that its package has'
fi
if test -n "$schema" && have node && test -x "${CHROMIUM:-/usr/bin/chromium}" && node -e 'require("playwright-core")' 2>/dev/null; then
	check 'speedscope itself opens its own form, that for Chrome and pprof, also without a sample, and shows the first track' '
		for x in orders shop none; do
			stkcat -q -f speedscope --event all -o $x.json $x.stk
			stkcat -q -f chrome --event all -o $x.trace.json $x.stk
			stkcat -q -f pprof --event all -o $x.pb.gz $x.stk
			stkcat -q -f folded --event all -o $x.txt $x.stk
		done
		rm none.txt		# an empty file
		HOME=$PWD node "$t/lib/open_in_speedscope.js" "${schema%/*}/index.html" none.json none.trace.json none.pb.gz \
			orders.json orders.trace.json orders.pb.gz shop.json shop.trace.json shop.pb.gz shop.txt >got
		same - got <<-END
		none.json: samples
		none.trace.json: none.trace.json
		none.pb.gz: none.pb.gz
		orders.json: main (1/13)
		orders.trace.json: orders.trace.json - main (1/13)
		orders.pb.gz: orders.pb.gz
		shop.json: order svc (cycles:u) (1/5)
		shop.trace.json: shop.trace.json - order svc (cycles:u) (1/5)
		shop.pb.gz: shop.pb.gz
		shop.txt: shop.txt
		END
	'
	check 'speedscope itself has read each stack with its weight; of pprof those of the first event; of the form for Chrome the stacks' '
		for x in orders shop; do
			folded $x.stk | LC_ALL=C sort >wanted
			read_as saved $x.json.saved >got
			same wanted got
			grep -v "^? " wanted | sed "s/ [0-9]*\$//" | sort >stacks
			read_as saved $x.trace.json.saved | sed "s/ [0-9]*\$//" | grep -vx "?" | sort >got
			same stacks got
		done
		test "$(wc -l <stacks)" -ge 4
		stkcat -q -f folded --by none --event cycles:u shop.stk | LC_ALL=C sort >wanted
		read_as saved shop.pb.gz.saved >got
		same wanted got
		stkcat -q -f folded --event all shop.stk | LC_ALL=C sort >wanted
		read_as saved shop.txt.saved >got
		same wanted got
		for x in none.json none.trace.json none.pb.gz; do read_as saved $x.saved; done | grep -v "^? " >got || true
		test ! -s got
	'
else
	skip 'no speedscope or playwright-core in NODE_PATH, or no chromium' 'speedscope itself opens its own form, that for Chrome and pprof'
fi
if test -n "$cli" && have node && test "$(node -p 'parseInt(process.versions.node)')" -ge 20; then
	# profiler FILE: a session with the file; ask WORD...: what the profiler says of it
	ask() { node "$cli" "$@" --session stk$$; }
	profiler() {
		HOME=$PWD; export HOME
		ask load "$1" >log 2>&1 || true		# says that it is late, on a machine that is slow
		n=0
		until ask profile info --all >info 2>err; do n=$((n + 1)); test $n -lt 60; sleep 1; done
	}
	check 'the Firefox Profiler itself loads its own form and that for Chrome: threads, and shares of the call tree' '
		for form in firefox chrome; do
			stkcat -q -f $form -o x.json orders.stk
			profiler x.json
			ask thread samples-top-down --include-idle >tree
			node "$cli" stop stk$$ >stopped
			grep "13 threads across 1 processes" info
			cat tree
			share=100.0; test $form = firefox || share=75.0		# there it counts what ends the last sample
			grep "shop.Main.main \[total: $share%, self: 0.0%\]" tree
			grep "java.lang.Thread.sleep \[total: $share%, self: $share%\]" tree
		done
	'
	check 'the Firefox Profiler itself has read each stack with its weight: samples, nanoseconds, bytes, and a file without a sample' '
		for unit in nanoseconds bytes; do
			echo "{\"\$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"main\"},{\"name\":\"a\"}]},
			\"profiles\":[{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"$unit\",\"startValue\":0,\"endValue\":5000300,\"samples\":[[0,1],[0]],\"weights\":[300,5000000]}]}" >$unit.json
			stkcap -q -o $unit.stk $unit.json
		done
		for x in orders shop nanoseconds bytes; do
			case $x in shop) event="--event cycles:u" ;; *) event="--event all" ;; esac
			stkcat -q -f firefox $event -o x.json $x.stk
			profiler x.json
			for thread in $(grep -o "\<t-[0-9]*" info | sort -u); do		# of several together it counts samples, not weights
				ask thread samples-top-down --json --include-idle --max-lines 100000 --scoring percentage-only --thread "$thread" >tree.$thread
			done
			node "$cli" stop stk$$ >stopped
			stkcat -q -f folded --by none $event $x.stk | grep -v "^? " | LC_ALL=C sort >wanted
			read_as tree tree.* >got
			same wanted got
			rm tree.*
		done
		test -s wanted
		stkcat -q -f firefox -o x.json none.stk
		profiler x.json
		node "$cli" stop stk$$ >stopped
		grep "1 threads across 1 processes" info
	'
else
	skip 'no @firefox-devtools/profiler-cli in NODE_PATH, or no node of version 20 or later' 'the Firefox Profiler itself loads its own form and that for Chrome'
fi
finish
