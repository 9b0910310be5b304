#!/bin/sh
# SPDX-License-Identifier: MIT
# With --as-events tracepoints of perf, its switches, and slices of Chrome are events with their arguments; without, they are samples, and switches are nothing.
. "${0%/*}/lib/tap.sh"

rows() { stkcat -q -f tsv --only event "$1" | tail -n +2; }

cat >perf.txt <<'END'
sh 30990/30996 [000] 14856.900128:            kmem:kmalloc: call_site=perf_event_mmap+0x155 ptr=0xffff bytes_req=4096 bytes_alloc=4096
	ffffffff8131a2b5 __kmalloc_cache_noprof+0x2b5 ([kernel.kallsyms])
	ffffffff812d3155 perf_event_mmap+0x155 ([kernel.kallsyms])

sh 30990/30996 [000] 14856.900342:     250000               cpu-clock:pppH: 
	ffffffff8160d1d6 vma_prepare+0x26 ([kernel.kallsyms])

sh 30990/30996 [000] 14856.900400: syscalls:sys_enter_read: fd: 0x00000003, buf: 0x7ffc, count: 0x00000340
            7fb3a1 read+0x12 (/usr/lib/libc.so.6)

sh 30990/30996 [000] 14856.900500: sched:sched_switch: prev_comm=sh prev_pid=30996 prev_prio=120 prev_state=S ==> next_comm=cc 1 next_pid=31069 next_prio=120
	ffffffff81b0c1d6 __schedule+0x26 ([kernel.kallsyms])

cc 1 31060/31069 [000] 14856.900600: sched:sched_switch: prev_comm=cc 1 prev_pid=31069 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=30996 next_prio=120

sh 30990/30996 [000] 14856.900700: syscalls:sys_exit_read: 0x20

swapper     0/0     [000] 14856.900800: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=cc 1 next_pid=31069 next_prio=120

END
check 'tracepoints of perf: pairs, switches of one process each, arguments, stacks; clocks stay samples' '
	stkcap --as-events perf.txt >perf.stk 2>said
	grep -qx "stkcap: 0 dumps, 1 samples, 4 distinct stacks, 8 events, 0 lines skipped" said
	rows perf.stk >got
	same - got <<-END
	14856.900128	sh	point	kmem:kmalloc	0.0	0	perf_event_mmap;__kmalloc_cache_noprof	call_site:perf_event_mmap+0x155 ptr:0xffff bytes_req=4096 bytes_alloc=4096	0
	14856.900400	sh	start	read	0.0	0	read	fd:0x00000003 buf=0x7ffc count=0x00000340	0
	14856.900500	sh	switch-out	sched:sched_switch	0.0	0	__schedule	prev_comm=sh prev_pid:30996 prev_prio:120 prev_state:S ==> next_comm=cc 1 next_pid:31069 next_prio:120	0
	14856.900500	cc 1	switch-in	sched:sched_switch	0.0	0			0
	14856.900600	cc 1	switch-out	sched:sched_switch	0.0	0		prev_comm=cc 1 prev_pid:31069 prev_prio:120 prev_state:S ==> next_comm=sh next_pid:30996 next_prio:120	0
	14856.900600	sh	switch-in	sched:sched_switch	0.0	0			0
	14856.900700	sh	stop	read	0.0	0		bytes=32B	0
	14856.900800	cc 1	switch-in	sched:sched_switch	0.0	0			0
	END
	test "$(stkcat -q -f tsv --only thread perf.stk | grep -c "	sh	")" = 1
	stkcap -q perf.txt | stkcat -q -f tsv --only sample - | tail -n +2 | wc -l >got; echo 7 | same - got
'

check 'stkgroup: the time of a call is without what was switched out, though switches do not name the process' '
	printf "scheme: s\ngroups:\n- name: reads\n  events: {start: read, stop: read}\n" >s.yaml
	stkgroup -q -s s.yaml -f tsv --timing paired perf.stk | awk -F "\t" "\$2 == \"reads\" { print \$6 }" >got
	echo 0.0002 | same - got
'

# away FILE: thread, state, seconds and stack of each time away
away() { stkcap -q --as-off-cpu "$1" | stkcat -q -f tsv --only sample - | awk -F "\t" '$8 == "off-cpu" { printf "%s %s %s %.6f %s\n", $1, $3, $4, $5 / 1e9, $6 }' | sort; }
check '--as-off-cpu: a switch and the next one of the thread are a sample of the time between, with the stack before it' '
	away perf.txt >got
	same - got <<-END
	14856.900500 sh sleeping 0.000100 __schedule
	14856.900600 cc 1 sleeping 0.000200 
	END
	stkcap -q --as-off-cpu perf.txt | stkcat -q -f tsv --only event - | tail -n +2 | cut -f 3,4 | sort >got
	printf "point\tkmem:kmalloc\nstart\tread\nstop\tread\n" | same - got
'
check '... of all that a thread does on and off a processor: to the microsecond, by group and state; what ends does not wait' '
	# every 10 ms: a computes 2 ms, is preempted 1 ms, computes 1 ms, waits 6 ms; at the end b ends, c never comes back
	awk "BEGIN {
		printf \"b 2/2 [001] 1.000000: sched:sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=X ==> next_comm=c next_pid=3 next_prio=120\\n\tff end_of (/bin/x)\\n\\n\"
		printf \"c 3/3 [001] 1.000100: sched:sched_switch: prev_comm=c prev_pid=3 prev_prio=120 prev_state=D ==> next_comm=swapper/1 next_pid=0 next_prio=120\\n\tff on_disk (/bin/x)\\n\\n\"
		for (i = 0; i < 100; i++) {
			split(\"2000 R+ work 3000 - - 4000 S idle 10000 - -\", s, \" \")
			for (k = 1; k <= 12; k += 3) {
				t = 1 + i / 100 + s[k] / 1e6
				if (s[k + 1] == \"-\") printf \"swapper 0/0 [000] %.6f: sched:sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=1 next_prio=120\\n\\n\", t
				else printf \"a 1/1 [000] %.6f: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=%s ==> next_comm=swapper/0 next_pid=0 next_prio=120\\n\tff %s (/bin/x)\\n\\n\", t, s[k + 1], s[k + 2]
			}
		}
	}" >known.txt
	printf "groups:\n- {name: work, members: [work]}\n- {name: idle, members: [idle]}\n- {name: disk, members: [on_disk]}\n" >known.yaml
	stkcap -q --as-off-cpu known.txt | stkgroup -q -s known.yaml --by state -f tsv | awk -F "\t" "NR > 1 { printf \"%s %s %d %.6f\\n\", \$1, \$3, \$4, \$7 }" | sort >got
	same - got <<-END
	runnable work 100 0.100000
	sleeping disk 1 0.999900
	sleeping idle 100 0.600000
	END
	# recorded of one process, as perf record PROGRAM does: nothing says when it comes back
	grep -A 2 "^a " known.txt >own.txt
	printf "a 1/1 [000] 1.994500: 1 cpu-clock:\n\tff work (/bin/x)\n\n" >>own.txt
	status 1 stkcap -q --as-off-cpu own.txt -o own.stk 2>said
	grep -q "200 times a thread left a processor and the text does not say when it came back" said
	test "$(stkcat -q -f tsv --only sample own.stk | tail -n +2 | cut -f 8)" = cpu-clock
'

cat >record.txt <<'END'
sh 28139   915.836563:     250000 cpu-clock:  ffffffff8171f20d find_get_block_common+0x21d ([kernel.kallsyms])
sh 28139   915.836640: PERF_RECORD_SWITCH OUT        
:28156 28156   915.836642: PERF_RECORD_SWITCH IN         
sleep 28156   915.836692: PERF_RECORD_SWITCH OUT preempt
sh 28139   915.842922: PERF_RECORD_SWITCH IN         
sleep 28156   915.843000: PERF_RECORD_SWITCH IN         
swapper     0 [000]   915.843100: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 28139/28139
  a b 41/42 [003]   915.844000123: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:    0/0    
  a b 41/42 [003]   915.844500123: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:    0/0    
old 77   915.850000: PERF_RECORD_SWITCH OUT
old 77   915.850100: PERF_RECORD_SWITCH IN
END
check 'switches of perf record --switch-events, of threads and of processors; without --as-events they are no samples' '
	stkcap --as-events record.txt 2>said >record.stk
	grep -qx "stkcap: 0 dumps, 1 samples, 1 distinct stacks, 9 events, 0 lines skipped" said
	rows record.stk | cut -f 1-4,8- >got
	same - got <<-END
	915.836640	sh	switch-out	PERF_RECORD_SWITCH	prev_state:S	-1
	915.836642	:28156	switch-in	PERF_RECORD_SWITCH		-1
	915.836692	sleep	switch-out	PERF_RECORD_SWITCH	prev_state:R	-1
	915.842922	sh	switch-in	PERF_RECORD_SWITCH		-1
	915.843	sleep	switch-in	PERF_RECORD_SWITCH		-1
	915.844000123	a b	switch-out	PERF_RECORD_SWITCH	prev_state:S	3
	915.844500123	a b	switch-in	PERF_RECORD_SWITCH		3
	915.850	old	switch-out	PERF_RECORD_SWITCH		-1
	915.850100	old	switch-in	PERF_RECORD_SWITCH		-1
	END
	away record.txt >got
	same - got <<-END
	915.836640 sh sleeping 0.006282 
	915.836692 sleep runnable 0.006308 
	915.844000123 a b sleeping 0.000500 
	915.850 old unknown 0.000100 
	END
	stkcap record.txt 2>said >plain.stk
	grep -qx "stkcap: 0 dumps, 1 samples, 1 distinct stacks, 0 lines skipped" said
'
check '... stkgroup: samples and the rest of the time on processors are what is between switches' '
	awk "BEGIN {	# a second: 6 ms on the processor, with samples of 1 ms in four of them, and 4 ms away
		for (i = 0; i < 100; i++) {
			printf \"w 5 %.6f: PERF_RECORD_SWITCH IN         \n\", 2 + i / 100
			for (k = 0; k < 4; k++) printf \"w 5 %.6f: 1000000 cpu-clock: 401 %s (/bin/w)\n\", 2.0005 + i / 100 + k / 1000, k ? \"work\" : \"copy\"
			printf \"w 5 %.6f: PERF_RECORD_SWITCH OUT %s\n\", 2.006 + i / 100, i % 2 ? \"preempt\" : \"       \"
		}
	}" >w.txt
	printf "groups:\n- {name: work, members: [work]}\n- {name: copy, members: [copy]}\n" >w.yaml
	stkcap -q --as-events w.txt | stkgroup -q -s w.yaml -f tsv | awk -F "\t" "NR > 1 { printf \"%s %.3f\n\", \$2, \$6 }" >got
	printf "work 0.300\ncopy 0.100\n(none) 0.200\n" | same - got
	stkcap -q --as-off-cpu w.txt | stkgroup -q -s w.yaml --by state --event off-cpu -f tsv | awk -F "\t" "NR > 1 { printf \"%s %s %.3f\n\", \$1, \$3, \$7 }" | sort >got
	printf "runnable (none) 0.196\nsleeping (none) 0.200\n" | same - got
'
if have perf && perf record -q -e cpu-clock --switch-events -o live.data -- sh -c 'sleep 0.05; i=0; while test $i -lt 20000; do i=$((i + 1)); done; sleep 0.05' 2>/dev/null &&
	perf script -i live.data --show-switch-events --ns -F comm,tid,time,event,ip,sym 2>/dev/null >live.txt && grep -q PERF_RECORD_SWITCH live.txt; then
	check '... as perf of this machine writes them: the times away are what some lines of awk make of the text' '
		awk "{
			for (i = 2; i < NF && \$(i + 1) !~ /^PERF_RECORD_SWITCH/; i++) {}
			tid = \$(i - 1); time = \$i; sub(/:/, \"\", time); split(time, t, \".\"); ns = t[1] * 1000000000 + t[2]
			if (\$(i + 2) == \"OUT\") { out[tid] = ns; how[tid] = \$(i + 3) == \"preempt\" ? \"runnable\" : \"sleeping\" }
			else if (\$(i + 2) == \"IN\" && (tid in out)) { printf \"%s %s %d\n\", tid, how[tid], ns - out[tid]; delete out[tid] }
		}" live.txt | sort >want
		stkcap -q --as-off-cpu live.txt -o live.stk
		stkcat -f tsv --only sample live.stk | awk -F "\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
			\$at[\"event\"] == \"off-cpu\" { printf \"%s %s %d\n\", \$at[\"tid\"], \$at[\"state\"], \$at[\"weight\"] }" | sort >got
		test "$(wc -l <want)" -ge 2
		comm -23 want got >missing; same /dev/null missing
	'
else
	skip 'no perf, or it may not record' '... as perf of this machine writes them'
fi

cat >slices.json <<'END'
[{"ph":"X","name":"inner","pid":1,"tid":2,"ts":10,"dur":5,"args":{"bytes":100,"url":"a b","more":[1,{"a":2}]}},
{"ph":"X","name":"outer","pid":1,"tid":2,"ts":10,"dur":20},
{"ph":"X","name":"next","pid":1,"tid":2,"ts":30,"dur":4},
{"ph":"X","name":"none","pid":1,"tid":2,"ts":30,"dur":0},
{"ph":"B","name":"work","pid":1,"tid":2,"ts":40},{"ph":"i","name":"tick","pid":1,"tid":2,"ts":41},{"ph":"E","pid":1,"tid":2,"ts":45},
{"ph":"b","name":"load","id":"0x1f","pid":1,"tid":2,"ts":50},
{"ph":"C","name":"heap","pid":1,"tid":2,"ts":61,"args":{"used":12}},{"ph":"v","name":"dump","pid":1,"ts":70},
{"ph":"e","name":"load","id":"31","pid":1,"tid":3,"ts":60},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main loop"}}]
END
check 'slices of Chrome: begin and end in the order of nesting, activities by their id, arguments that are numbers or texts' '
	stkcap --as-events slices.json >slices.stk 2>said
	grep -q "^stkcap: 14 events, 1 lines skipped" said
	rows slices.stk >got
	same - got <<-END
	0.000010	main loop	start	outer	0.0	0			-1
	0.000010	main loop	start	inner	0.0	0			-1
	0.000015	main loop	stop	inner	0.0	0		bytes=100 url=a_b	-1
	0.000030	main loop	stop	outer	0.0	0			-1
	0.000030	main loop	start	next	0.0	0			-1
	0.000030	main loop	start	none	0.0	0			-1
	0.000030	main loop	stop	none	0.0	0			-1
	0.000034	main loop	stop	next	0.0	0			-1
	0.000040	main loop	start	work	0.0	0			-1
	0.000041	main loop	point	tick	0.0	0			-1
	0.000045	main loop	stop	work	0.0	0			-1
	0.000050	main loop	start	load	0.0	31			-1
	0.000061	main loop	point	heap	0.0	0		used=12	-1
	0.000060		stop	load	0.0	31			-1
	END
'

check 'slices as events have the time that the same slices have as samples' '
	python3 - <<-END
	import json, random
	random.seed(7)
	out, at = [], 0
	def nest(depth, begin, end):
	    while begin < end and len(out) < 3000:
	        length = random.randint(1, max(1, (end - begin)))
	        out.append({"ph": "X", "name": "f%d" % random.randint(0, 5), "pid": 1, "tid": 1, "ts": begin, "dur": length})
	        if depth < 4 and length > 4: nest(depth + 1, begin + random.randint(0, 1), begin + length - random.randint(0, 1))
	        begin += length + random.randint(0, 2)
	nest(0, 0, 20000)
	random.shuffle(out)
	json.dump(out, open("random.json", "w"))
	scheme = "scheme: s\ngroups:\n" + "".join("- name: f%d\n  members: [f%d]\n  events: {start: f%d, stop: f%d}\n" % (i, i, i, i) for i in range(6))
	open("f.yaml", "w").write(scheme)
	END
	stkcap -q random.json | stkcat -q -f folded - | awk "{ n = split(\$1, f, \";\"); t[f[n]] += \$2 } END { for (i in t) printf \"%s %.6f\\n\", i, t[i] / 1e9 }" | sort >wanted
	stkcap -q --as-events random.json | stkgroup -q -s f.yaml -f tsv - | awk -F "\t" "NR > 1 && \$2 != \"(none)\" { printf \"%s %.6f\\n\", \$2, \$13 }" | sort >got
	test $(wc -l <wanted) = 6
	same wanted got
'
finish
