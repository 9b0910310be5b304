#!/bin/sh
# SPDX-License-Identifier: MIT
# Events of the kernel's tracer, of strace and of babeltrace become event records: names, ends of pairs, threads, measures and
# stacks as these tools wrote them.
. "${0%/*}/lib/tap.sh"

cat >one.trace <<'END'
# tracer: nop
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
            bash-1977    [000] ..... 17284.000000: sys_read(fd: 0xf, buf: 0x7ffca1f2fcfe, count: 20)
            bash-1977    [000] d..2. 17284.001000: sched_switch: prev_comm=bash prev_pid=1977 prev_prio=120 prev_state=S ==> next_comm=my app next_pid=12 next_prio=120
          my app-12      [000] ..... 17284.001500: kmalloc: call_site=__alloc+0x12/0x20 ptr=00000000ab bytes_req=64 bytes_alloc=96 gfp_flags=GFP_KERNEL node=-1
          <idle>-0       [001] d.h1. 17284.001600: irq_handler_entry: irq=19 name=ata_piix
          my app-12      [000] ..... 17284.001700: <stack trace>
 => kmem_cache_alloc+0x1d3/0x2e0
 => do_it [ext4]
 => entry_SYSCALL_64_after_hwframe
          <idle>-0       [001] d.h1. 17284.001800: irq_handler_exit: irq=19 ret=handled
          my app-12      [000] d..2. 17284.002000: sched_switch: my app:12 [120] S ==> bash:1977 [120]
            bash-1977    [000] ..... 17284.003000: sys_read -> 0x10
          <idle>-0       [001] d..2. 17284.003500: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=web 1 next_pid=13 next_prio=120
            bash-1977    ( 1977) [000] .... 17284.004000: tracing_mark_write: B|1977|render
            bash-1977    ( 1977) [000] .... 17284.004500: tracing_mark_write: B|1977|paint
            bash-1977    ( 1977) [000] .... 17284.005000: tracing_mark_write: C|1977|queue|-7
            bash-1977    ( 1977) [000] .... 17284.005500: tracing_mark_write: E|1977
            bash-1977    ( 1977) [000] .... 17284.006000: tracing_mark_write: E
            bash-1977    ( 1977) [000] .... 17284.006100: tracing_mark_write: S|1977|load|42
            bash-1977  [000] 17284.006200123: sys_enter_write: fd: 3, buf: 7f00aa, count: 10
            bash-1977  [000] 17284.006300: sys_exit_write: 0xfffffffffffffff7
            bash-1977    [000] .... 17284.993652: sys_close <-system_call_fastpath
END
cat >one.want <<'END'
17284	bash	start	read	0.0		fd:0xf buf=0x7ffca1f2fcfe count=20	0
17284.001	bash	switch-out	sched_switch	0.0		prev_comm=bash prev_pid:1977 prev_prio:120 prev_state:S ==> next_comm=my app next_pid:12 next_prio:120	0
17284.001	my app	switch-in	sched_switch	0.0			0
17284.001500	my app	point	kmalloc	0.0	entry_SYSCALL_64_after_hwframe;do_it;kmem_cache_alloc	call_site:__alloc+0x12/0x20 ptr:00000000ab bytes_req=64 bytes_alloc=96 gfp_flags:GFP_KERNEL node:-1	0
17284.001600	<idle>-0       [001]	start	irq_handler	0.0		irq:19 name=ata_piix	1
17284.001800	<idle>-0       [001]	stop	irq_handler	0.0		irq:19 ret=handled	1
17284.002	my app	switch-out	sched_switch	0.0		my app:12 [120] S ==> bash:1977 [120]	0
17284.002	bash	switch-in	sched_switch	0.0			0
17284.003	bash	stop	read	0.0		bytes=16B	0
17284.003500	web 1	switch-in	sched_switch	0.0			1
17284.004	bash	start	render	0.0			0
17284.004500	bash	start	paint	0.0			0
17284.005	bash	point	queue	-7.0			0
17284.005500	bash	stop	paint	0.0			0
17284.006	bash	stop	render	0.0			0
17284.006100	bash	start	load	0.0			0
17284.006200123	bash	start	write	0.0		fd:3 buf=7f00aa count=10	0
17284.006300	bash	stop	write	0.0		returned:18446744073709551607	0
17284.993652	bash	point	sys_close	0.0		<-system_call_fastpath	0
END
rows() { stkcat -q -f tsv --only event "$1" | tail -n +2 | cut -f 1-5,7-; }

check 'ftrace: each line is an event; a switch is two, and none of a processor that is idle' '
	stkcap one.trace >trace.stk 2>said
	rows trace.stk | same one.want -
	grep -qx "stkcap: 19 events, 0 lines skipped" said
	test "$(stkcat -q -f tsv --only event trace.stk | awk -F "\t" "\$4 == \"load\" { print \$6 }")" = 42
	stkcat -q -f tsv --only thread trace.stk | awk -F "\t" "NR > 1 { print \$3, \$5 }" >got
	printf "%s\n" "bash 1977" "my app 12" "<idle>-0       [001] 0" "web 1 13" | same - got
'

check '--as-off-cpu: what threads were away, in both forms of a switch, and until the end of the trace' '
	away() { stkcap -q --as-off-cpu $1 | stkcat -q -f tsv --only sample - | awk -F "\t" "NR > 1 { printf \"%s %s %.6f\\n\", \$3, \$4, \$5 / 1e9 }" | sort; }
	away one.trace >got
	printf "bash sleeping 0.001000\nmy app sleeping 0.991652\n" | same - got
	lttng() { printf "[19:19:%s] (+0.000000270) vm sched_switch: { cpu_id = 1 }, { prev_comm = \"%s\", prev_tid = %d, prev_prio = 20, prev_state = %s, next_comm = \"%s\", next_tid = %d, next_prio = 20 }\n" "$@"; }
	{
		lttng 12.000000000 a 1 "( \"TASK_RUNNING\" : container = 0 )" b 2
		lttng 12.001000000 b 2 "( \"TASK_INTERRUPTIBLE\" : container = 1 )" a 1
		lttng 12.003000000 a 1 64 b 2
		lttng 12.004000000 b 2 2 swapper/1 0
	} >switches.ctf
	away switches.ctf >got
	printf "a runnable 0.001000\nb sleeping 0.002000\n" | same - got
'
check 'ftrace: what the tracer lost, a broken line and a stack without an event are said, with status 1' '
	{ cat one.trace; echo "CPU:1 [LOST 12 EVENTS]"; } >lost.trace
	status 1 stkcap lost.trace >lost.stk 2>said; grep -q "lost.trace:26: the tracer lost events here" said
	{ head -6 one.trace; echo "hello"; tail -3 one.trace; } >odd.trace
	status 1 stkcap odd.trace >odd.stk 2>said; grep -q "odd.trace:7: an event is" said
	{ printf " => schedule\n => idle\n"; cat one.trace; } >begun.trace
	status 1 stkcap --format ftrace --rejects rejected begun.trace >begun.stk 2>said; grep -q "a stack without an event" said
	rows begun.stk | same one.want -
'

check 'ftrace: a text of many pieces has the events of each of its parts' '
	repeat 200 one.trace >part.trace
	repeat 20 part.trace >many.trace
	stkcap -q many.trace >many.stk
	rows many.stk | sort | uniq -c | awk "{ print \$1 }" | sort -u >got
	echo 4000 | same - got
'

check 'stkgroup: time of pairs is without what was switched out, bytes belong to the pair' '
	cat >s.yaml <<-END
	scheme: s
	groups:
	- name: reads
	  events: {start: read, stop: read}
	- name: irq
	  events: {start: irq_handler, stop: irq_handler}
	- name: frames
	  events: {start: render, stop: render}
	END
	stkgroup -q -s s.yaml -f tsv trace.stk | awk -F "\t" "NR > 1 && \$2 != \"(none)\" { print \$2, \$6 }" >got
	printf "%s\n" "reads 0.002" "irq 0.0002" "frames 0.002" | same - got
	stkgroup -q -s s.yaml --report payloads -f tsv trace.stk >payloads; grep "reads" payloads | grep -q "bytes	B"
'

cat >one.strace <<'END'
23180 1795634143.100000 execve("/bin/sh", ["sh"], 0x7ffe /* 37 vars */) = 0 <0.000516>
23180 1795634143.110000 read(3, ") = 7 <0.1>", 4096)  = 11 <0.000038>
 > /usr/lib/libc.so.6(read+0x12) [0x10a1c2]
 > /usr/bin/cat(+0x2e30) [0x2e30]
23180 1795634143.120000 access("/etc/x", R_OK) = -1 ENOENT (No such file or directory) <0.000085>
[pid 23181] 1795634143.130000 read(4 <unfinished ...>
hello from the program
23180<sh> 1795634143.131000 poll([{fd=3, events=POLLIN}], 1, -1) = 1 ([{fd=3, revents=POLLIN}]) <0.5>
23181 1795634143.140000 <... read resumed>, "", 4096) = 0 <0.010000>
23181 1795634143.150000 --- SIGCHLD {si_signo=SIGCHLD, si_pid=23180} ---
23181 1795634143.160000 exit_group(0)     = ?
23181 1795634143.170000 +++ exited with 0 +++
1795634143.180000 getpid()          = 23180
END
cat >strace.want <<'END'
2026-11-25T19:15:43.100Z	23180	start	execve	0.0			-1
2026-11-25T19:15:43.100516Z	23180	stop	execve	0.0		returned:0	-1
2026-11-25T19:15:43.110Z	23180	start	read	0.0	[cat];read		-1
2026-11-25T19:15:43.110038Z	23180	stop	read	0.0		bytes=11B	-1
2026-11-25T19:15:43.120Z	23180	start	access	0.0			-1
2026-11-25T19:15:43.120085Z	23180	stop	access	0.0		errors=1 error:ENOENT	-1
2026-11-25T19:15:43.130Z	23181	start	read	0.0			-1
2026-11-25T19:15:43.131Z	sh	start	poll	0.0			-1
2026-11-25T19:15:43.631Z	sh	stop	poll	0.0		returned:1	-1
2026-11-25T19:15:43.140Z	23181	stop	read	0.0		bytes=0B	-1
2026-11-25T19:15:43.150Z	23181	point	SIGCHLD	0.0		si_signo=SIGCHLD si_pid:23180	-1
2026-11-25T19:15:43.160Z	23181	point	exit_group	0.0		?	-1
2026-11-25T19:15:43.170Z	23181	point	exited	0.0		with 0	-1
2026-11-25T19:15:43.180Z		point	getpid	0.0		returned:23180	-1
END
check 'strace: calls with their times, interrupted ones, signals, ends, errors, stacks; lines of the program are skipped' '
	stkcap one.strace >strace.stk 2>said
	rows strace.stk | same strace.want -
	grep -qx "stkcap: 14 events, 1 lines skipped" said
'

check 'strace: times of day are of the day of the file, or count from midnight; without a time of the clock status 1' '
	printf "%s\n" "1 23:59:59.5 close(1) = 0 <0.25>" "1 00:00:01 close(2) = 0 <0.25>" >day.strace
	touch -d 2026-03-02T00:00:05Z day.strace
	stkcap -q --time-from mtime day.strace >day.stk; rows day.stk | cut -f 1 >got
	printf "%s\n" 2026-03-01T23:59:59.500Z 2026-03-01T23:59:59.750Z 2026-03-02T00:00:01Z 2026-03-02T00:00:01.250Z | same - got
	stkcap -q --time-from mtime --zone +02:00 day.strace >zone.stk; rows zone.stk | cut -f 1 | head -1 >got
	echo 2026-03-01T21:59:59.500Z | same - got
	stkcap -q day.strace >day.stk; rows day.stk | cut -f 1 | head -1 >got; echo 86399.500 | same - got
	printf "%s\n" "     0.000348 close(1) = 0 <0.25>" "close(2) = 0" >since.strace
	status 1 stkcap --format strace since.strace >since.stk 2>said
	grep -q "strace -ttt writes it" said
'

check 'the scheme system-calls has the time that strace prints of each call, and their bytes' '
	stkgroup -q -s system-calls -f tsv strace.stk | awk -F "\t" "NR > 1 && \$13 > 0 && \$2 != \"(none)\" { print \$2, \$13 }" >got
	printf "%s\n" "read and write 0.010038" "files 8.5e-05" "waiting/for events 0.5" "processes 0.000516" | same - got
	stkgroup -q -s system-calls --report payloads -f tsv strace.stk | grep "read and write" >payloads
	test "$(wc -l <payloads)" = 1 && grep -q "bytes	B	2	11" payloads
	stkgroup -s system-calls --lint >lint 2>&1; test ! -s lint
'

cat >one.ctf <<'END'
[19:19:12.534588201] (+?.?????????) vm lttng_ust_libc:calloc: { cpu_id = 0 }, { vpid = 17042, vtid = 17043, procname = "my, cat" }, { nmemb = 100, size = 1, ptr = 0x5604F2995580 }
[19:19:12.534595345] (+0.000007144) vm syscall_entry_read: { cpu_id = 1 }, { tid = 17042, procname = "cat" }, { fd = 3, count = 4096 }
[19:19:12.534596116] (+0.000000771) syscall_exit_read: { cpu_id = 1 }, { tid = 17042, procname = "cat" }, { ret = 100 }
[19:19:12.534596386] (+0.000000270) vm sched_switch: { cpu_id = 1 }, { prev_comm = "cat", prev_tid = 17042, prev_prio = 20, next_comm = "swapper/1", next_tid = 0, next_prio = 20 }
END
check 'babeltrace: events with their contexts, in each form of its clock' '
	stkcap -q one.ctf >ctf.stk; rows ctf.stk >got
	same - got <<-END
	69552.534588201	my, cat	point	lttng_ust_libc:calloc	0.0		cpu_id:0 vpid:17042 vtid:17043 procname="my,_cat" nmemb=100 size=1 ptr:0x5604F2995580	0
	69552.534595345	cat	start	read	0.0		cpu_id:1 tid:17042 procname="cat" fd:3 count=4096	1
	69552.534596116	cat	stop	read	0.0		cpu_id:1 tid:17042 procname="cat" ret=100	1
	69552.534596386	cat	switch-out	sched_switch	0.0		cpu_id:1 prev_comm="cat" prev_tid:17042 prev_prio:20 next_comm="swapper/1" next_tid:0 next_prio:20	1
	END
	sed "s/^\[/[2026-11-25 /" one.ctf | stkcap -q - >date.stk; rows date.stk | head -1 | cut -f 1 >got
	sed "s/^\[19:19:12/[1795634352/" one.ctf | stkcap -q - >seconds.stk; rows seconds.stk | head -1 | cut -f 1 >>got
	printf "%s\n" 2026-11-25T19:19:12.534588201Z 2026-11-25T19:19:12.534588201Z | same - got
	stkcat -q -f tsv --only thread ctf.stk | awk -F "\t" "NR > 1 { print \$3, \$5 }" >got
	printf "%s\n" "my, cat 17043" "cat 17042" | same - got
'

# FORMAT TEXT STREAM
beginnings() {
	stkcap -q --format $1 /dev/null >none.stk || test $? = 1
	rows $3 >all
	for n in $(seq 1 113 $(wc -c <$2)); do
		head -c $n $2 | stkcap -q --format $1 - >part.stk || test $? = 1
		stkcat --check part.stk >/dev/null || test $? = 1
		whole=$(head -c $n $2 | wc -l)
		rows part.stk >got
		test $(wc -l <got) -ge $((whole - 10))
		sed "\$d" got | cut -f 1-4 | head -n -1 >early
		cut -f 1-4 all | head -n $(wc -l <early) | same early -
	done
}
check 'none, and any beginning of each: the events of whole lines are the same' '
	beginnings ftrace one.trace trace.stk
	beginnings strace one.strace strace.stk
	beginnings babeltrace one.ctf ctf.stk
'
check 'what a program ends without a name is what it began, not the call of the kernel by which it says so' '
	{
		printf "# tracer: nop\n#\n"
		for line in "sys_enter_write: fd: 3" "tracing_mark_write: B|1977|render" "sys_exit_write: 0xd" "irq_handler_entry: irq=19" "sys_enter_write: fd: 3" \
			"tracing_mark_write: E|1977" "sys_exit_write: 0x6"; do
			printf "            bash-1977    [000] .... 17284.00%d000: %s\n" $((n = ${n:-0} + 1)) "$line"
		done
	} >marks
	stkcap -q -o marks.stk marks
	stkcat -q -f tsv --only event marks.stk | sed 1d | cut -f 3,4 >got
	printf "start\twrite\nstart\trender\nstop\twrite\nstart\tirq_handler\nstart\twrite\nstop\trender\nstop\twrite\n" | same - got
'
finish
