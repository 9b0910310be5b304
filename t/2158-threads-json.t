#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads of a Java VM in JSON: a file that jcmd of JDK 25 wrote (Thread.dump_to_file -format=json), and an answer of Spring's actuator, made by hand.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/threads_json/jdk25" a
cp "$t/fuzz/seed/threads_json/actuator" b
rows() { stkcat -q -f tsv --only "$@" | sed 1d; }

check 'jcmd: threads, virtual ones among them, the time and the process' '
	stkcap -o a.stk a 2>err; grep "1 dumps, 14 samples, 11 distinct stacks, 0 lines skipped" err
	rows dump a.stk | cut -f 2,7 >got; printf "2026-11-25T17:11:43.216318117Z\t14\n" | same - got
	rows source a.stk | cut -f 4,6 >got; printf "20548\t25.0.3+9-LTS\n" | same - got
	rows thread a.stk | cut -f 3,4,9 | grep virtual >got; printf "say \"hi\"\t22\tvirtual\n\t24\tvirtual\n" | same - got
'
if command -v python3 >/dev/null; then
	check 'each thread has the state and the functions that another reader of JSON finds' '
		python3 -c "
import json, re
for c in json.load(open(\"a\"))[\"threadDump\"][\"threadContainers\"]:
    for t in c[\"threads\"]:
        f = [re.sub(r\"^[^(]*/(?!0x)\", \"\", s.split(\"(\")[0]) for s in reversed(t[\"stack\"])]
        print(t[\"tid\"], t[\"state\"].lower().replace(\"_\", \"-\"), \";\".join(f), sep=\"\t\")
" >wanted
		stkcat -q -f tsv --only sample a.stk | awk -F "\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next } { print \$at[\"number\"] \"\t\" \$at[\"state\"] \"\t\" \$at[\"stack\"] }" >got
		same wanted got
	'
fi
check 'locks, with identity hashes as objects, at the frames that the file names; modules' '
	stkcat -q -f dumps a.stk >text
	grep -A4 "^\"wants\"" text | tail -4 >got
	printf "%s\n" "   java.lang.Thread.State: BLOCKED (on object monitor)" "	at V.want(V.java:7)" "	- waiting to lock <0x000000001d15cbc3> (a java.lang.Object)" "	at java.lang.Thread.run(java.base/Thread.java:1474)" | same - got
	grep -A1 "at V.hold(V.java:6)" text | grep -F "locked <0x000000001d15cbc3>"
	grep -A4 "^\"say" text | grep -F "parking to wait for  <0x0000000041529a22> (a java.util.concurrent.locks.ReentrantLock\$NonfairSync)"
'
check 'the actuator: states, locks, owners, synchronizers, native and unknown places' '
	stkcap -q -o b.stk --zone UTC b
	stkcat -q -f dumps b.stk | sed "1,/^\$/d" >got
	cat >wanted <<-END
	"http-1" #31 daemon prio=5 os_prio=0   
	   java.lang.Thread.State: BLOCKED (on object monitor)
	   Note: owned by http-2
	@at shop.Drawer.open(Drawer.java:31)
	@- waiting to lock <0x000000001d15cbc3> (a shop.Drawer)
	@at java.lang.Thread.run(java.base@21.0.4/Thread.java:1583)

	   Locked ownable synchronizers:
	@- <0x0000000000000123> (a java.util.concurrent.ThreadPoolExecutor\$Worker)

	"http-2" #32 daemon prio=5 os_prio=0   
	   java.lang.Thread.State: WAITING (parking)
	@at jdk.internal.misc.Unsafe.park(java.base@21.0.4/Native Method)
	@- parking to wait for  <0x0000000041529a22> (a java.util.concurrent.locks.ReentrantLock\$NonfairSync)
	@at shop.Drawer.close(Drawer.java:40)
	@- locked <0x000000001d15cbc3> (a shop.Drawer)
	@at shop.Till\$\$Lambda/0x00007f5c.run(Unknown Source)

	"Finalizer" #3 os_prio=0 tid=0x0000000000000000   
	   java.lang.Thread.State: RUNNABLE
	END
	grep -v "^$\|synchronizers" got >g; tr @ "\t" <wanted | grep -v "^$\|synchronizers" | sed "s/(java.base\t/(java.base@/" >w; same w g
'
check 'a bare list of threads, as actuators before 2.0 answer; several dumps in one file' '
	sed -e "1s/.*/[/" -e "\$s/]}\$/]/" b >c; stkcap -q -o c.stk c; stkcat -q -f folded c.stk >got; stkcat -q -f folded b.stk | same - got
	cat a a >two; stkcap -o two.stk two 2>err; grep "2 dumps, 28 samples, 11 distinct stacks" err
'
check 'the schemas of JDK 21 (no states, times and locks), and of numbers that are not texts' '
	cat >c <<-END
	{"threadDump":{"processId":7,"time":"2026-11-20T09:00:00.5Z","runtimeVersion":"21.0.4+7","threadContainers":[
	{"container":"<root>","parent":null,"owner":null,"threads":[{"tid":1,"name":"main","stack":["app//shop.Till.main(Till.java:3)"]}],"threadCount":1},
	{"container":"java.util.concurrent.ThreadPerTaskExecutor@5d1","parent":"<root>","owner":"1","threads":[
	{"tid":30,"name":"","virtual":true,"carrier":"28","stack":["app/shop@1.2/shop.Till\$\$Lambda/0x00007f.run(Unknown Source)"]}],"threadCount":1}]}}
	END
	stkcap -q -o c.stk c
	rows sample c.stk | awk -F "\t" "{ print \$4, \$6 }" >got; printf "unknown shop.Till.main\nunknown shop.Till\$\$Lambda/0x00007f.run\n" | same - got
	rows sample c.stk | grep "in java.util.concurrent.ThreadPerTaskExecutor@5d1, carried by #28"
	stkcat -q -f dumps c.stk | grep -F "run(shop@1.2/Unknown Source)"
'
check 'no threads; fewer than the file says; every beginning' '
	echo "{\"threadDump\":{\"processId\":\"1\",\"time\":\"2026-11-20T09:00:00Z\",\"threadContainers\":[]}}" >c
	status 1 stkcap -q -o c.stk c; rows dump c.stk | wc -l | grep -w 1; rows sample c.stk | wc -l | grep -w 0
	sed "s/\"threadCount\": \"[0-9]*\"/\"threadCount\": \"99\"/" a >c; status 1 stkcap -o c.stk c 2>err; grep "fewer threads than its count" err
	size=$(wc -c <a) n=1
	while [ $n -lt $((size - 10)) ]; do
		head -c $n a >cut
		status 1 stkcap -q --format threads-json -o cut.stk cut 2>err
		stkcat -q -f tsv cut.stk >all
		n=$((n + 211))
	done
'
check 'below what a server says before its answer' '
	rows sample a.stk >wanted 2>/dev/null || { stkcap -q -o a.stk a; rows sample a.stk >wanted; }
	{ printf "HTTP/1.1 200 \r\nContent-Type: application/json\r\n\r\n"; cat a; } >c; status 0 stkcap -q -o c.stk c
	rows sample c.stk | cut -f 1,3- >got; cut -f 1,3- wanted | same - got
	{ printf "HTTP/1.1 200 \n\n"; echo "no dump"; } >c; status 1 stkcap -o c.stk c 2>err; grep "not a known format" err
'
check 'text that would end a line, or begin a thread, stays in its name' '
	cat >c <<-"END"
	{"threads":[{"threadName":"a\n\"b\" #2\n\tat x.Y.z(Y.java:1)","threadState":"RUNNABLE","stackTrace":[{"className":"q.R\n\tat e.F","methodName":"s","fileName":"R.java","lineNumber":1}]}]}
	END
	stkcap -o c.stk c 2>err; grep "1 dumps, 1 samples" err
	rows sample c.stk | wc -l | grep -w 1
	stkcat -q -f ndjson --ids c.stk | grep -c "\"kind\":\"frame\"" | grep -x 1
'
finish
