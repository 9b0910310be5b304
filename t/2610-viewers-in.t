#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles of viewers are read: speedscope, the Firefox Profiler, trace events, .cpuprofile; small ones worked out by hand, what stkcat wrote comes back, and
# what is cut off or not valid is reported.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools

rows() { stkcap -q "$@" | stkcat -q -f tsv --only sample - | sed 1d; }
brief() { rows "$@" | cut -f 1,3-6,8; }

check 'speedscope, sampled: threads, weights by unit, frames after the profiles, an empty stack' '
	cat >a <<-END
	{"\$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[
	{"type":"sampled","name":"main","unit":"milliseconds","startValue":5,"endValue":9,"samples":[[0,1],[0],[]],"weights":[2.5,1,0.5]},
	{"name":"alloc","weights":[7],"samples":[[2]],"unit":"bytes","type":"sampled","startValue":0,"endValue":7},
	{"type":"sampled","name":"n","unit":"none","startValue":0,"endValue":3,"samples":[[1,1]],"weights":[3]}],
	"shared":{"frames":[{"name":"f","file":"f.c","line":3,"col":1},{"name":"g"},{"name":"h \"x\""}]}}
	END
	brief a >got
	same - got <<-END
	0.005	main	unknown	2500000	f;g	cpu-clock
	0.007500	main	unknown	1000000	f	cpu-clock
	0.008500	main	unknown	500000		cpu-clock
	-	alloc	unknown	7	h "x"	bytes
	-	n	unknown	3	g;g	
	END
	stkcap -q a | stkcat -q -f ndjson --ids --only frame - | grep "\"line\":3"
'
# scope PROFILE...: frames f and g
scope() { echo "{\"\$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"f\"},{\"name\":\"g\"}]},\"profiles\":[$*]}"; }
# weighs SAMPLES WEIGHTS
weighs() { scope "{\"type\":\"sampled\",\"name\":\"n\",\"unit\":\"none\",\"startValue\":0,\"endValue\":3,\"samples\":[$1],\"weights\":[$2]}"; }
# lasts EVENTS
lasts() { scope "{\"type\":\"evented\",\"name\":\"n\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":9,\"events\":[$1]}"; }
# told MESSAGE: what is in a is read with status 1 and this message
told() { status 1 stkcap -o a.stk a 2>err; grep "^stkcap: a: $1\$" err; stkcat -q -f folded --by none a.stk >got; }
check 'speedscope: counts that are not whole are rounded, and reported; 3.0 is whole' '
	weighs "[0]" 2.5 >a; told "weights that are not whole numbers; rounded"
	echo "f 3" | same - got
	for whole in 3 3.0 0.3e1; do weighs "[0]" $whole >a; stkcap -q -o a.stk a; stkcat -q -f folded --by none a.stk | same got -; done
'
check 'speedscope: what is no sample, weight or frame is reported, and costs nothing that follows' '
	weighs "[0],null,[1],{\"x\":[1]},[0,\"f\",[2]],[1,1]" 1,2,4,8,16,32 >a
	told "a sample that is not a list of frames; left out"
	printf "f 1\ng 4\ng;g 32\n" | same - got
	weighs "[0],[1],[1],[0]" 1,null,[4],8 >a; told "a weight that is not a number; counts 0"
	printf "f 9\ng 0\n" | same - got
	weighs "[0],[1]" -4,2 >a; told "weights below 0, as a difference of profiles has them; they count 0"
	printf "f 0\ng 2\n" | same - got
	weighs "[0,-1],[0,4294967296],[0,7]" 1,2,4 >a; told "a frame that is not defined; named ?"
	echo "f;? 7" | same - got
'
check 'speedscope: frames that stay open, events that go back' '
	lasts "{\"type\":\"O\",\"frame\":0,\"at\":1},{\"type\":\"O\",\"frame\":1,\"at\":4}" >a
	told "frames that no event closes; they end at the last event"
	echo "f 3" | same - got
	lasts "{\"type\":\"O\",\"frame\":0,\"at\":1},{\"type\":\"O\",\"frame\":1,\"at\":5},{\"type\":\"C\",\"frame\":1,\"at\":3},{\"type\":\"C\",\"frame\":0,\"at\":9}" >a
	told "events that are earlier than the one before; taken for the same moment"
	echo "f 8" | same - got
'
check 'speedscope, evented: what is open between two events weighs that time; gaps are no samples' '
	cat >a <<-END
	{"\$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"}]},
	"profiles":[{"type":"evented","name":"t","unit":"seconds","startValue":1,"endValue":9,"events":[
	{"type":"O","frame":0,"at":2},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":3.5},{"type":"C","frame":0,"at":4},{"type":"O","frame":1,"at":6},{"type":"C","frame":1,"at":7}]}]}
	END
	brief a >got
	same - got <<-END
	2	t	unknown	1500000000	a;b	cpu-clock
	3.500	t	unknown	500000000	a	cpu-clock
	6	t	unknown	1000000000	b	cpu-clock
	END
'
check 'speedscope: times of a clock on the wall; what does not fit is reported, the rest read' '
	p="{\"\$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[{\"type\":\"sampled\",\"name\":\"t\""
	echo "$p,\"unit\":\"seconds\",\"startValue\":1772352000.25,\"endValue\":1,\"samples\":[[0]],\"weights\":[1]}]}" >a
	test "$(brief a | cut -f 1)" = 2026-03-01T08:00:00.250Z
	echo "$p,\"unit\":\"none\",\"startValue\":0,\"endValue\":1,\"samples\":[[0],[0]],\"weights\":[1]}]}" >a
	status 1 stkcap -o x.stk a 2>err; grep "more samples than weights" err; test "$(stkcat -q -f folded --by none x.stk)" = "f 1"
	echo "$p,\"unit\":\"none\",\"startValue\":0,\"endValue\":1,\"samples\":[[7]],\"weights\":[1]}]}" >a
	status 1 stkcap -o x.stk a 2>err; grep "a frame that is not defined" err; test "$(stkcat -q -f folded --by none x.stk)" = "? 1"
	echo "$p,\"unit\":\"none\",\"events\":[{\"type\":\"C\",\"frame\":0,\"at\":1}],\"type\":\"evented\"}]}" >a
	status 1 stkcap -o x.stk a 2>err; grep "close a frame which is not open" err
'
cat >firefox.json <<'END'
{"meta":{"interval":1,"startTime":1772352000000,"processType":0,"product":"samply","stackwalk":1,"version":30,"preprocessedProfileVersion":66,
"categories":[{"name":"Other","color":"grey","subcategories":["Other"]}],"markerSchema":[]},"libs":[],
"threads":[{"name":"web","processName":"shop","pid":"12","tid":"12:34","samples":{"length":4,"stack":[1,null,0,2],"time":[0,1.000001,2,3],"weight":null,"weightType":"samples"},
"markers":{"length":2,"data":[null,null],"name":[0,0],"startTime":[0,1],"endTime":[null,null],"phase":[0,0],"category":[0,0]}},
{"name":"cpu","processName":"shop","pid":"12","tid":35,"samples":{"length":2,"stack":[1,1],"timeDeltas":[5,0.5],"weight":[1.5,2],"weightType":"tracing-ms"},
"markers":{"length":0,"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],"category":[]}}],
"shared":{"stringArray":["main","work","libc.so","main.c"],
"stackTable":{"length":3,"frame":[0,1,1],"prefixOffset":[0,1,1]},
"frameTable":{"length":2,"address":[-1,-1],"func":[0,1],"line":[10,null],"category":[0,0]},
"funcTable":{"length":2,"name":[0,1],"isJS":[false,false],"resource":[-1,0],"source":[0,null]},
"resourceTable":{"length":1,"lib":[null],"name":[2],"host":[null],"type":[1]},
"sources":{"length":1,"id":[null],"filename":[3]}}}
END
check 'firefox, version 66: stacks by offsets, times and their differences, weights, process, file and line; markers are counted' '
	brief firefox.json >got
	same - got <<-END
	2026-03-01T08:00:00Z	web	unknown	1	main;work	
	2026-03-01T08:00:00.001000001Z	web	unknown	1		
	2026-03-01T08:00:00.002Z	web	unknown	1	main	
	2026-03-01T08:00:00.003Z	web	unknown	1	main;work;work	
	2026-03-01T08:00:00.005Z	cpu	unknown	1500000	main;work	cpu-clock
	2026-03-01T08:00:00.005500Z	cpu	unknown	2000000	main;work	cpu-clock
	END
	stkcap -q firefox.json | stkcat -q -f tsv --only source - | grep "	12	shop	"
	stkcap -q firefox.json | stkcat -q -f tsv --only thread - | grep "	web	0	34	"
	sed "s/\"pid\":\"12\",\"tid\":35/\"pid\":\"12.1\",\"tid\":\"35.2\"/" firefox.json >again		# samply, of numbers that are used again
	stkcap -q again | stkcat -q -f tsv --only source,thread - >got; test "$(grep -c "	12	shop	" got)" = 1; grep "	cpu	0	35	" got
	stkcap -q firefox.json | stkcat -q -f tsv --only frame - | grep "	main		main.c	10	"
	stkcap -q firefox.json | stkcat -q -f tsv --only frame - | grep "	work	libc.so		0	"
	stkcap --rejects rejected -o x.stk firefox.json 2>err; grep "2 lines skipped" err; grep "markers, which are left out" rejected
'
check 'firefox: older versions, with tables of each thread and callers by number' '
	python3 - <<-END
	import json
	d = json.load(open("firefox.json")); s = d.pop("shared"); s.pop("sources")
	d["meta"]["preprocessedProfileVersion"] = 50
	st = s["stackTable"]; st["prefix"] = [None if o == 0 else i - o for i, o in enumerate(st.pop("prefixOffset"))]
	s["funcTable"].pop("source"); s["funcTable"]["fileName"] = [3, None]
	for t in d["threads"]: t.update(s)
	json.dump(d, open("old.json", "w"))
	END
	brief old.json >got; brief firefox.json | same - got
	stkcap -q old.json | stkcat -q -f tsv --only frame - | grep "	main		main.c	10	"
'
check 'firefox: weights that are not whole, and below 0' '
	fire() { echo "{\"meta\":{\"preprocessedProfileVersion\":50,\"startTime\":0},\"threads\":[{\"name\":\"t\",\"stringArray\":[\"f\"],\"stackTable\":{\"frame\":[0],\"prefix\":[null]},\"frameTable\":{\"func\":[0]},\"funcTable\":{\"name\":[0]},\"samples\":{\"stack\":[0],\"time\":[1],\"weight\":[$1],\"weightType\":\"samples\"}}]}"; }
	fire 2.5 >a; told "weights that are not whole numbers; rounded"; echo "f 3" | same - got
	fire -2 >a; told "weights below 0, as a difference of profiles has them; they count 0"; echo "f 0" | same - got
	fire 3 >a; stkcap -q -o a.stk a; stkcat -q -f folded --by none a.stk >got; echo "f 3" | same - got
'
check 'firefox: rows that are not there, or in no order, are reported' '
	sed "s/\"prefixOffset\":\[0,1,1\]/\"prefixOffset\":[0,-1,1]/" firefox.json >a; status 1 stkcap -o x.stk a 2>err; grep "caller is not before it" err
	sed "s/\"stack\":\[1,null,0,2\]/\"stack\":[1,9,0,2]/" firefox.json >a; status 1 stkcap -o x.stk a 2>err; grep "a stack that is not defined" err
	sed "s/\"time\":\[0,1.000001,2,3\]/\"time\":[0]/" firefox.json >a; status 1 stkcap -o x.stk a 2>err; grep "more samples than times" err
	sed "s/\"func\":\[0,1\]/\"func\":[0,7]/" firefox.json >a; status 1 stkcap -o x.stk a 2>err; grep "a frame that is not defined" err
'
check 'chrome: slices weigh their own time; X, B and E; two threads; names; other events are counted' '
	cat >a <<-END
	[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"web"}},{"ph":"M","name":"process_name","pid":1,"tid":2,"args":{"name":"shop"}},
	{"ph":"X","name":"outer","pid":1,"tid":2,"ts":100,"dur":50},{"ph":"X","name":"inner","pid":1,"tid":2,"ts":110,"dur":20.5},
	{"ph":"B","name":"b","pid":1,"tid":3,"ts":5},{"ph":"B","name":"c","pid":1,"tid":3,"ts":7},{"ph":"E","pid":1,"tid":3,"ts":8},{"ph":"E","pid":1,"tid":3,"ts":9},
	{"ph":"C","name":"heap","pid":1,"ts":5,"args":{"x":1}},{"ph":"i","name":"now","pid":1,"tid":2,"ts":6,"s":"t"},
	END
	brief a | sort >got
	sort >wanted <<-END
	0.000100	web	unknown	29500	outer	slice
	0.000110	web	unknown	20500	outer;inner	slice
	0.000005		unknown	3000	b	slice
	0.000007		unknown	1000	b;c	slice
	END
	same wanted got
	stkcap -o x.stk a 2>err; grep "2 lines skipped" err
	stkcat -q -f tsv --only source x.stk | grep "	1	shop	"
	{ cat a; echo "]"; } >b; brief b | sort | same wanted -
	echo "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":5}]}" >c; test "$(brief c)" = "0		unknown	5000	f	slice"
	echo "[{\"ph\":\"B\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1},{\"ph\":\"X\",\"name\":\"g\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":5}]" >d
	status 1 stkcap -o x.stk d 2>err; grep "slices without an end" err; test "$(stkcat -q -f folded --by none x.stk | tr "\n" ,)" = "f 1000,f;g 5000,"
	echo "[{\"ph\":\"E\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1}]" >d; status 1 stkcap -o x.stk d 2>err; grep "did not begin" err
	echo "[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":4},{\"ph\":\"X\",\"name\":\"g\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":9},{\"ph\":\"X\",\"name\":\"h\",\"pid\":1,\"tid\":1,\"ts\":4}]" >d
	stkcap --rejects r -o x.stk d 2>err; grep "2 lines skipped" err
	test "$(stkcat -q -f folded --by none x.stk | tr "\n" ,)" = "f 2000,f;g 2000,"
	grep "slices that end after the one that they begin in, and are cut off there" r
	grep "slices that took no time, which are left out" r
'
check 'chrome: profiles of V8 in chunks, by process and number, nodes in any of them' '
	cat >a <<-END
	{"traceEvents":[{"ph":"P","name":"Profile","id":"0x1","pid":7,"tid":8,"ts":50,"args":{"data":{"startTime":100}}},
	{"ph":"P","name":"Profile","id":"0x1","pid":9,"tid":9,"ts":50,"args":{"data":{"startTime":500}}},
	{"ph":"P","name":"ProfileChunk","id":"0x1","pid":7,"tid":99,"ts":60,"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}},
	{"id":2,"parent":1,"callFrame":{"functionName":"main","url":"a.js","lineNumber":4}}],"samples":[2,3,1]},"timeDeltas":[10,20,30]}}},
	{"ph":"P","name":"ProfileChunk","id":"0x1","pid":7,"tid":99,"ts":61,"args":{"data":{"cpuProfile":{"nodes":[{"id":3,"parent":2,"callFrame":{"functionName":""}}],"samples":[3]},"timeDeltas":[-5]}}},
	{"ph":"P","name":"ProfileChunk","id":"0x1","pid":9,"tid":9,"ts":61,"args":{"data":{"cpuProfile":{"nodes":[{"id":2,"callFrame":{"functionName":"other"}}],"samples":[2]},"timeDeltas":[1]}}}]}
	END
	brief a | cut -f 1,4,5 >got
	same - got <<-END
	0.000110	1	main
	0.000130	1	main;(anonymous)
	0.000160	1	
	0.000155	1	main;(anonymous)
	0.000501	1	other
	END
	stkcap -q a | stkcat -q -f tsv --only frame - | grep "	main		a.js	5	"
	stkcap -q a | stkcat -q -f tsv --only thread - | grep "	8	"
'
check 'chrome: samples whose stacks are in stackFrames, before or after them, ids that are texts or numbers' '
	cat >a <<-END
	{"stackFrames":{"1":{"name":"main","category":"a"},"x":{"name":"f","parent":"1"},"r":{"name":"r","parent":"s"},"s":{"name":"s","parent":"r"},"u":{"name":"u","parent":"none"}},
	"traceEvents":[{"ph":"M","name":"thread_name","pid":7,"tid":8,"args":{"name":"web"}},
	{"ph":"P","name":"cycles","pid":7,"tid":8,"ts":5,"sf":"x","weight":3},{"ph":"P","name":"cycles","pid":7,"tid":8,"ts":6,"sf":1},
	{"ph":"P","name":"cycles","pid":7,"tid":8,"ts":7},{"ph":"X","name":"s","pid":7,"tid":8,"ts":1,"dur":2},
	{"ph":"P","name":"cycles","pid":7,"tid":8,"ts":8,"sf":2}],"stackFrames":{"2":{"name":"g","parent":1}}}
	END
	status 0 stkcap -q -o x.stk a
	brief a >got
	printf "%s\t%s\t%s\t%s\t%s\t%s\n" 0.000005 web unknown 3 "main;f" cycles 0.000006 web unknown 1 main cycles 0.000007 web unknown 1 "" cycles \
		0.000008 web unknown 1 "main;g" cycles 0.000001 web unknown 2000 s slice | same - got
	sed "s/\"sf\":2/\"sf\":\"u\"/" a >b; status 1 stkcap -o x.stk b 2>err; grep "a frame that is not defined; left out" err
	stkcat -q -f folded --by none --event cycles x.stk | grep -x "u 1"
	sed "s/\"sf\":2/\"sf\":\"r\"/" a >b; status 0 stkcap -q -o x.stk b; stkcat -q -f folded --by none --event cycles x.stk | grep -x "s;r 1"
	size=$(wc -c <a) n=1; while [ $n -lt "$size" ]; do head -c $n a >c; code=0; stkcap -q -o c.stk c 2>err || code=$?; test $code -le 1; n=$((n + 13)); done
'
check 'chrome: samples in a list of their own beside stackFrames, as Hermes writes them, with numbers as texts' '
	cat >a <<-END
	{"traceEvents":[{"ph":"M","name":"thread_name","cat":"__metadata","pid":7,"ts":"5","tid":"8","args":{"name":"mqt_js"}},
	{"ph":"X","name":"s","pid":7,"tid":"8","ts":"11552125241","tdur":"2"}],
	"samples":[{"cpu":"-1","name":"","ts":"11552125241","pid":7,"tid":"8","weight":"1","sf":1},{"cpu":"-1","name":"","ts":"11552129681","pid":7,"tid":"8","weight":"3","sf":2}],
	"stackFrames":{"1":{"name":"[root]","category":"root"},"2":{"name":"f(http://x/i.js:1:1)","category":"JavaScript","parent":1}}}
	END
	status 0 stkcap -q -o x.stk a
	brief a >got
	printf "%s\t%s\t%s\t%s\t%s\t%s\n" 11552.125241 mqt_js unknown 1 "[root]" "" 11552.129681 mqt_js unknown 3 "[root];f(http://x/i.js:1:1)" "" \
		11552.125241 mqt_js unknown 2000 s slice | same - got
	sed "s/\"samples\":\[.*\]/\"samples\":[]/" a >b; brief b | cut -f 5 >got; echo s | same - got
	sed "s/,{\"cpu.*}\]/,7,null]/" a >b; status 1 stkcap -o x.stk b 2>err; grep "a node that is not defined" err
	size=$(wc -c <a) n=1; while [ $n -lt "$size" ]; do head -c $n a >c; code=0; stkcap -q -o c.stk c 2>err || code=$?; test $code -le 1; n=$((n + 13)); done
'
check 'chrome: chunks of a profile one after another, with weights and without, of which one of 0 ends the sample before it' '
	chunk() { echo "{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"pid\":1,\"tid\":1,\"id\":\"0x1\",\"args\":{\"data\":{\"cpuProfile\":{$2\"samples\":[$1]},\"timeDeltas\":[$3]$4}}},"; }
	{
		echo "["
		echo "{\"ph\":\"P\",\"name\":\"Profile\",\"pid\":1,\"tid\":1,\"id\":\"0x1\",\"ts\":1000,\"args\":{\"data\":{\"startTime\":1000}}},"
		chunk 2,3 "\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"}},{\"id\":2,\"parent\":1,\"callFrame\":{\"functionName\":\"f\"}}]," 5,10 ""
		chunk 2,3,2 "\"nodes\":[{\"id\":3,\"parent\":2,\"callFrame\":{\"functionName\":\"g\"}}]," 1,1,1 ",\"weights\":[4,0,1]"
		chunk 3,2 "" 1 ""
		chunk 2,2 "" 1,1 ",\"weights\":[1]"
		chunk 3 "" 7 ",\"weights\":[0]"
		chunk 3 "" 1 "" | sed "s/,\$/]/"
	} >a
	status 1 stkcap -o x.stk a 2>err
	grep "a chunk with more samples than times, or fewer" err
	stkcat -q -f tsv --only sample x.stk | sed 1d | cut -f 1,5,6 >got
	printf "%s\t%s\t%s\n" 0.001005 1 f 0.001015 1 "f;g" 0.001016 4 f 0.001018 1 f 0.001019 1 "f;g" 0.001019 1 f 0.001020 1 f 0.001021 1 f 0.001029 1 "f;g" >wanted
	same wanted got
'
check 'cpuprofile: children by number, samples or hit counts' '
	n="{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[2]},{\"id\":2,\"hitCount\":3,\"callFrame\":{\"functionName\":\"f\",\"url\":\"\",\"lineNumber\":-1},\"children\":[3]},{\"id\":3,\"hitCount\":2,\"callFrame\":{\"functionName\":\"g\"}}]"
	echo "$n,\"startTime\":1000,\"endTime\":2000,\"samples\":[2,3,3],\"timeDeltas\":[5,10,20]}" >a
	brief a | cut -f 1,4,5 >got
	printf "0.001005\t1\tf\n0.001015\t1\tf;g\n0.001035\t1\tf;g\n" | same - got
	echo "$n,\"startTime\":1000,\"endTime\":2000}" >a
	test "$(rows a | cut -f 5,6 | tr "\t\n" " ,")" = "3 f,2 f;g,"
	echo "$n,\"samples\":[4],\"timeDeltas\":[1]}" >a; status 1 stkcap -o x.stk a 2>err; grep "a node that is not defined" err
	echo "{\"nodes\":[{\"id\":1,\"parent\":2,\"callFrame\":{\"functionName\":\"a\"}},{\"id\":2,\"parent\":1,\"callFrame\":{\"functionName\":\"b\"}}],\"samples\":[1],\"timeDeltas\":[1]}" >a
	brief a | cut -f 5 | grep "b;a"
'
check 'cpuprofile of old versions: nodes within each other, moments instead of deltas; heapprofile: bytes' '
	n="\"head\":{\"functionName\":\"(root)\",\"id\":1,\"hitCount\":0,\"children\":[{\"children\":[{\"functionName\":\"g\",\"id\":3,\"hitCount\":2,\"children\":[]}],
		\"functionName\":\"f\",\"url\":\"f.js\",\"lineNumber\":7,\"callUID\":5,\"hitCount\":1,\"id\":2}]}"
	echo "{\"samples\":[2,3,3],\"timestamps\":[5000005,5000010,5000020],\"startTime\":5,\"endTime\":6,$n}" >a
	brief a | cut -f 1,4,5 >got
	printf "5.000005\t1\tf\n5.000010\t1\tf;g\n5.000020\t1\tf;g\n" | same - got
	stkcap -q a | stkcat -q -f tsv --only frame - | cut -f 2,4,5 | grep "^f	f.js	7$"
	sed "s/,5000020\]/,5000020,5000030]/" a >b; stkcap -q -o b.stk b; brief b | cut -f 1,4,5 | same got -
	sed "s/,5000020\]/]/" a >b; status 1 stkcap -o b.stk b 2>err; grep "more samples than times" err
	echo "{$n}" >a; test "$(rows a | cut -f 5,6 | sort | tr "\t\n" " ,")" = "1 f,2 f;g,"
	echo "{\"head\":{\"callFrame\":{\"functionName\":\"(root)\"},\"selfSize\":0,\"children\":[{\"callFrame\":{\"functionName\":\"f\"},\"selfSize\":300,\"children\":[
		{\"callFrame\":{\"functionName\":\"g\"},\"selfSize\":40,\"children\":[]}]}]},\"samples\":[{\"size\":300,\"nodeId\":2,\"ordinal\":1}]}" >a
	brief a | cut -f 4-6 | sort >got; printf "300\tf\tinuse_space/bytes\n40\tf;g\tinuse_space/bytes\n" | same - got
	sed "s/\"children\":\[\]/\"children\":[true]/" a >b; status 1 stkcap -o b.stk b 2>err; grep "a child of a node that is no node" err
'
stkcap -q --zone +01:00 --source orders -o orders.stk "$t/data/orders.jstack.txt"
stkcap -q --source shop -o shop.stk "$t/data/shop.perf.txt"
for form in speedscope firefox chrome; do
	check "$form: what stkcat wrote comes back: counts of stacks by thread and event, and times as far as the format has them" '
		for x in orders shop; do
			stkcat -q -f $form -o $x.json $x.stk
			stkcap -q -o back.stk $x.json
			stkcat -q -f folded --by thread --event all $x.stk >wanted
			stkcat -q -f folded --by thread --event all back.stk | same wanted -
			stkcat -q -f tsv --only sample $x.stk | sed 1d | cut -f 3,5,8 | sort >wanted
			stkcat -q -f tsv --only sample back.stk | sed 1d | cut -f 3,5,8 | sort | same wanted -
			cut='"'"'s/^\([0-9]*\.[0-9]\{6\}\)[0-9]*	/\1	/'"'"'
			test $form = speedscope || stkcat -q -f tsv --only sample $x.stk | sed 1d | cut -f 1,3,17 | sed "$cut" | sort >wanted
			test $form = speedscope || stkcat -q -f tsv --only sample back.stk | sed 1d | cut -f 1,3,17 | sed "$cut" | sed "s/	1000000005\$/	5203/" | sort >got
			test $form = speedscope || cut -f 1,2 got >got2; test $form = speedscope || cut -f 1,2 wanted | same - got2
		done
		test $form != firefox || { stkcat -q -f tsv --only sample orders.stk | sed 1d | awk -F"\t" "\$6 != \"\"" | cut -f 3,4 | sort >wanted
			stkcap -q orders.json | stkcat -q -f tsv --only sample - | sed 1d | awk -F"\t" "\$6 != \"\"" | cut -f 3,4 | sort | same wanted -; }
	'
	check "$form: every prefix is reported, and what is read of it is valid; any byte changed: no crash" '
		stkcat -q -f $form --thread "main|order-1" -o small.json orders.stk
		python3 - $form <<-END
		import subprocess, sys
		good = open("small.json", "rb").read().rstrip()
		def run(bad, *options):
		    open("b", "wb").write(bad)
		    return subprocess.run(["stkcap", "-q", *options, "-o", "x.stk", "b"], stderr=subprocess.PIPE).returncode
		for n in range(1, len(good), max(1, len(good) // 60)):
		    assert run(good[:n], "--format", sys.argv[1]) == 1, n
		    if n % 5 == 0:
		        assert subprocess.run(["stkcat", "--check", "x.stk"], stderr=subprocess.PIPE).returncode in (0, 1), n
		for at in range(0, len(good), max(1, len(good) // 60)):
		    bad = bytearray(good); bad[at] ^= 0x81 if at % 2 else 0x10
		    assert run(bytes(bad), "--format", sys.argv[1]) in (0, 1), at
		assert run(good) == 0
		END
		head -c 300 small.json >b; status 1 stkcap --format $form -o x.stk b 2>err; grep "not JSON at byte 300: the text ends within a value" err
	'
done
check 'gzip; --list-formats; what is no such profile is not taken for one' '
	gzip -k firefox.json; brief firefox.json.gz >got; brief firefox.json | same - got
	for form in speedscope firefox chrome cpuprofile; do stkcap --list-formats -f tsv | grep "^$form	"; done
	stkcap --list-formats --width 60 >list
	test "$(grep -c "^[a-z]" list)" = "$(stkcap --list-formats -f tsv | sed 1d | wc -l)"
	status 1 grep -E "^.{61}|[.][.][.]$" list
	echo "{\"text\":\"\$schema speedscope.app/file-format-schema.json traceEvents meta preprocessedProfileVersion\",\"a\":{\"traceEvents\":[]}}" >a
	status 1 stkcap -o x.stk a 2>err; grep "not a known format" err
	status 1 stkcap --format firefox -o x.stk a 2>err || true
	echo "[1,2]" >a; status 1 stkcap -o x.stk a 2>err; grep "not a known format" err
	echo hello >a; status 1 stkcap --format chrome -o x.stk a 2>err; grep "not JSON at byte 0" err
'
if have python3; then
check 'speedscope: many samples of few stacks, over pieces of the input, with blanks and with lists that are none: stack for stack as Python has them' '
	cat >make.py <<-"END"
	import collections, json, random
	chance, frames = random.Random(7), 60
	lists = [[chance.randrange(frames) for _ in range(chance.randrange(0, 12))] for _ in range(300)]
	texts, weights, want, bad = [], [], collections.Counter(), 0
	for i in range(40000):
	    stack, weight = chance.choice(lists), chance.randrange(1, 9)
	    form = chance.randrange(50)
	    text = json.dumps(stack) if form > 9 else "[" + " , ".join(map(str, stack)) + " ]"
	    if form == 0 and stack: text, stack = chance.choice((text[:-1] + ",\"]\",1]", "[[1],2]", "\"x\"", "[" + "1,\"a\"]")), None
	    texts.append(text); weights.append(weight); bad += stack is None
	    if stack is not None: want[";".join(f"f{k}" for k in stack)] += weight
	open("s.json", "w").write("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"profiles\":[{\"type\":\"sampled\",\"name\":\"\",\"unit\":\"none\",\"startValue\":0,\"endValue\":1,\"samples\":["
	    + ",".join(texts) + "],\"weights\":" + json.dumps(weights) + "}],\"shared\":{\"frames\":" + json.dumps([{"name": f"f{k}"} for k in range(frames)]) + "}}")
	open("wanted", "w").write("".join(sorted(f"{k} {v}\n".lstrip() if k else f" {v}\n" for k, v in want.items() if k)))
	END
	python3 make.py
	test "$(wc -c <s.json)" -gt 600000
	status 1 stkcap -q -o s.stk s.json
	stkcat -q -f folded --by none s.stk | grep ";\|^f[0-9]* [0-9]*\$" | LC_ALL=C sort >got
	LC_ALL=C sort wanted | same - got
'
check 'firefox and cpuprofile: columns of many numbers over pieces of the input, with blanks, fractions, nulls and numbers beyond 2^62: as Python has them' '
	cat >make.py <<-"END"
	import json, random
	chance, names = random.Random(5), {0: "f", 1: "f;g", 2: "h", None: ""}
	def written(numbers, blanks):
	    gap = lambda: chance.choice(("", "", " ", "\n  ")) if blanks else ""
	    return "[" + ",".join(gap() + text for text in numbers) + gap() + "]"
	def weight():
	    return chance.choice((1, 1, 1, 7, 12345678, 123456789, 2**62 - 1, 2**62, 5 * 10**18, 9223372036854775807, 10**30))
	for blanks in (0, 1):
	    count, now, rows = 60000, 0, []
	    stacks = [chance.choice((0, 1, 2, None)) for _ in range(count)]
	    weights = [weight() for _ in range(count)]
	    times = []
	    for i in range(count):
	        now += chance.randrange(1, 10**chance.randrange(1, 9))
	        ns = now % 10**6
	        times.append(f"{now // 10**6}" + ("" if ns == 0 else f".{ns:06}") + chance.choice(("", "0", "04999999999")) * (ns != 0))
	        kept = 1 if weights[i] >= 2**62 else weights[i]
	        rows.append(f"{now // 10**9}.{now % 10**9:09}\t{kept}\t{names[stacks[i]]}")
	    open(f"firefox.{blanks}", "w").write("{\"meta\":{\"startTime\":0,\"product\":\"stkpipe\",\"preprocessedProfileVersion\":60},\"threads\":[{\"name\":\"t\",\"pid\":1,\"tid\":1,"
	        + "\"stringArray\":[\"f\",\"g\",\"h\"],\"funcTable\":{\"name\":[0,1,2]},\"frameTable\":{\"func\":[0,1,2]},\"stackTable\":{\"prefix\":[null,0,null],\"frame\":[0,1,2]},"
	        + "\"samples\":{\"stack\":" + written(("null" if s is None else str(s) for s in stacks), blanks) + ",\"time\":" + written(times, blanks)
	        + ",\"weight\":" + written(map(str, weights), blanks) + "}}]}")
	    open(f"firefox.{blanks}.want", "w").write("\n".join(rows) + "\n")
	    nodes = ["{\"id\":%d,\"callFrame\":{\"functionName\":\"f%d\"}}" % (n, n) for n in range(1, 300)]
	    samples, now, rows = [chance.randrange(1, 300) for _ in range(count)], 1000, []
	    deltas = [chance.choice((0, 1, 125, -3, 99999999, 123456789)) for _ in range(count)]
	    for i in range(count):
	        now += deltas[i] * 1000
	        rows.append(f"{now // 10**9}.{now % 10**9:09}\t1\tf{samples[i]}")
	    open(f"cpuprofile.{blanks}", "w").write("{\"nodes\":[" + ",".join(nodes) + "],\"startTime\":1,\"endTime\":9,\"samples\":" + written(map(str, samples), blanks)
	        + ",\"timeDeltas\":" + written(map(str, deltas), blanks) + "}")
	    open(f"cpuprofile.{blanks}.want", "w").write("\n".join(rows) + "\n")
	END
	python3 make.py
	for form in firefox.0 firefox.1 cpuprofile.0 cpuprofile.1; do
		test "$(wc -c <$form)" -gt 500000
		case $form in
		firefox*) status 1 stkcap -o a.stk $form 2>err; grep "a number beyond 2^62; left out" err ;;
		*) stkcap -q -o a.stk $form ;;
		esac
		stkcat -q -f tsv --only sample a.stk | sed 1d >all
		awk -F "\t" -v OFS="\t" "{ split(\$1, at, \".\"); print at[1] \".\" substr(at[2] \"000000000\", 1, 9), \$5, \$6 }" all >got
		same $form.want got
	done
'
check 'the same function in many nodes, names with } and escapes, blanks or none, whole and in pieces: as Python reads them' '
	cat >make.py <<-"END"
	import collections, json, random, sys
	chance = random.Random(int(sys.argv[1]))
	names = ["a", "a}", "a}b", "{", "}%s}" % chr(34), "x\\\\", "caf\u00e9}", "(root)", "(idle)", "", "f,g"] + ["step%d" % k for k in range(20)]
	nodes, parent, counts = [], {}, collections.Counter()
	for n in range(1, 6001):
	    frame = {"functionName": chance.choice(names), "scriptId": "3", "url": chance.choice(["", "file:///a}.js"]), "lineNumber": chance.randrange(3), "columnNumber": 1}
	    nodes.append({"id": n, "callFrame": frame, "children": []})
	    if n > 1:
	        parent[n] = chance.randrange(max(1, n - 40), n)
	        nodes[parent[n] - 1]["children"].append(n)
	def path(n):
	    name = nodes[n - 1]["callFrame"]["functionName"]
	    own = [] if name in ("(root)", "(idle)") else [name or "(anonymous)"]
	    return (path(parent[n]) if n in parent else []) + own
	samples = [chance.randrange(1, 6001) for _ in range(3000)]
	for s in samples: counts[";".join(path(s)) or "?"] += 1
	blanks = [(",", ":"), (", ", ": "), (" ,\n", "\t:")][int(sys.argv[1]) % 3]
	json.dump({"nodes": nodes, "startTime": 5, "endTime": 9, "samples": samples, "timeDeltas": [1] * 3000}, open("in.cpuprofile", "w"), separators=blanks)
	with open("wanted", "w") as out:
	    for stack in counts: print(stack, counts[stack], file=out)
	END
	for seed in 1 2 3; do
		python3 make.py $seed
		LC_ALL=C sort -o wanted wanted
		stkcap -q in.cpuprofile | stkcat -q -f folded --by none | LC_ALL=C sort >got; same wanted got
		"$tools/chop" 70000 <in.cpuprofile | stkcap -q | stkcat -q -f folded --by none | LC_ALL=C sort >got; same wanted got
		stkcap -q in.cpuprofile | stkcat -q -f chrome | stkcap -q | stkcat -q -f folded --by none | LC_ALL=C sort >got; same wanted got
	done
'
fi
finish
