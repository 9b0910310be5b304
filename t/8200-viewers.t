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
	check 'speedscope itself opens its own form and that for Chrome, and shows the first track' '
		for x in orders shop; do
			stkcat -q -f speedscope -o $x.json $x.stk
			stkcat -q -f chrome -o $x.trace.json $x.stk
		done
		HOME=$PWD node "$t/lib/open_in_speedscope.js" "${schema%/*}/index.html" orders.json shop.json orders.trace.json shop.trace.json >got
		same - got <<-END
		orders.json: main (1/13)
		shop.json: order svc (cycles:u) (1/5)
		orders.trace.json: orders.trace.json - main (1/13)
		shop.trace.json: shop.trace.json - order svc (cycles:u) (1/5)
		END
	'
else
	skip 'no speedscope or playwright-core in NODE_PATH, or no chromium' 'speedscope itself opens its own form and that for Chrome'
fi
node24=
for node in "${NODE24:-node}" node; do
	test -n "$node24" || ! have "$node" || test "$("$node" -p 'parseInt(process.versions.node)')" -lt 24 || node24=$node
done
if test -n "$cli" && test -n "$node24"; then
	check 'the Firefox Profiler itself loads its own form and that for Chrome: threads, and shares of the call tree' '
		HOME=$PWD; export HOME
		for form in firefox chrome; do
			stkcat -q -f $form -o x.json orders.stk
			"$node24" "$cli" load x.json --session stk$$ >log 2>&1 || true
			n=0
			until "$node24" "$cli" profile info --all --session stk$$ >info 2>err; do n=$((n + 1)); test $n -lt 20; sleep 1; done
			"$node24" "$cli" thread samples-top-down --include-idle --session stk$$ >tree
			"$node24" "$cli" stop stk$$ >/dev/null 2>&1 || true
			grep "13 threads across 1 processes" info
			cat tree
			share=100.0; test $form = firefox || share=75.0		# there it counts what ends the last sample
			grep "shop.Main.main \[total: $share%, self: 0.0%\]" tree
			grep "java.lang.Thread.sleep \[total: $share%, self: $share%\]" tree
		done
	'
else
	skip 'no @firefox-devtools/profiler-cli in NODE_PATH, or no node 24 (NODE24)' 'the Firefox Profiler itself loads its own form and that for Chrome'
fi
finish
