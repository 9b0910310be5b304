#!/bin/sh
# SPDX-License-Identifier: MIT
# The state of a thread counts for its group; and whose code a sample is in.
. "${0%/*}/lib/tap.sh"

thread() {	# NAME STATE LINES...
	printf '"%s" #1 prio=5 os_prio=0 tid=0x0000000000000001 nid=0x1 runnable\n   java.lang.Thread.State: %s\n' "$1" "$2"
	shift 2
	for line; do printf '\t%s\n' "$line"; done
	echo
}
lock='- waiting to lock <0x00000000e7000010> (a com.acme.Stock)'
{
	printf '2026-03-01 10:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):\n\n'
	thread a RUNNABLE 'at com.acme.Stock.reserve(Stock.java:9)'
	for n in 1 2 3 4 5; do thread b-$n BLOCKED 'at com.acme.Stock.reserve(Stock.java:9)' "$lock"; done
	thread c RUNNABLE 'at java.util.HashMap.put(java.base@17/HashMap.java:1)' 'at org.lib.Cart.add(Cart.java:1)' 'at com.acme.Shop.sell(Shop.java:1)'
	thread d TIMED_WAITING 'at java.lang.Thread.sleep(java.base@17/Native Method)' 'at com.acme.Poll.run(Poll.java:1)'
	thread e WAITING 'at jdk.internal.misc.Unsafe.park(java.base@17/Native Method)' 'at java.util.concurrent.locks.ReentrantLock.lock(java.base@17/ReentrantLock.java:1)' 'at com.acme.Tax.get(Tax.java:1)'
	thread f RUNNABLE 'at com.sun.proxy.Some.call(Some.java:1)'
} >app.txt
stkcap -q --zone UTC -o app.stk app.txt
groups() { stkgroup -q -f tsv "$@" | tail -n +2 | awk -F '\t' '$3 > 0 { print $2, $3 }' | sort; }

check 'blocked threads wait for a lock, the same stack that runs is code; sleeping and parking are waiting' '
	groups -s jvm app.stk >got
	grep -x "waiting/lock 6" got
	grep -x "waiting/sleep 1" got
	test "$(awk "/^application/ { n += \$NF } END { print n }" got)" = 2
'
check '... in figures of steps, by pool, in folded stacks, and for --where' '
	stkgroup -q -s jvm --step 1m app.stk | stkcat -f tsv --only group_figure >figures
	awk -F "\t" "\$7 == 6" figures | grep .
	stkgroup -q -s jvm -f folded app.stk | grep "lock 6$"
	stkgroup -q -s jvm --by state -f tsv app.stk | grep "blocked" | grep "waiting/lock	5	"
	groups -s jvm --where "group under lock" app.stk | grep -x "waiting/lock 6"
	stkgroup -q -s jvm --where "not group under lock" -f tsv app.stk >got
	status 1 grep "waiting/lock" got
	grep -q "^jvm	application/code	2	" got
'
check 'a state in a scheme of ones own, with a condition on frames' '
	printf "groups:\n  - name: held up\n    members:\n      - { state: [blocked, waiting], under: com.acme.** }\n  - name: acme\n    members: [com.acme.**]\n" >own.yaml
	groups -s own.yaml app.stk >got
	printf "(none) 1\nacme 3\nheld up 6\n" | same - got
	stkgroup -s own.yaml --explain "com.acme.Stock.reserve;blocked ([state])" | head -1 | grep "^held up"
'
# dumps COUNT: one thread runs in a method; in every second dump three more are blocked in it
two_states() {
	awk -v count=$1 'function thread(n, state) {
			printf "\"w-%d\" #%d prio=5 os_prio=0 tid=0x%016x nid=0x%x %s\n   java.lang.Thread.State: %s\n\tat com.acme.Stock.reserve(Stock.java:10)\n\tat java.lang.Thread.run(Thread.java:833)\n\n",
				n, n, n, n, state == "BLOCKED" ? "waiting for monitor entry" : "runnable", state
		}
		BEGIN { for (m = 0; m < count; m++) {
			printf "2026-03-01 08:%02d:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.2 mixed mode):\n\n", m
			thread(10, "RUNNABLE")
			for (n = 11; n < 14 && m % 2; n++) thread(n, "BLOCKED")
		} }'
}
check 'as records: a stack is of another group in another state, and samples count where they belong' '
	two_states 20 >two
	stkcap -q -o two.stk two
	stkgroup -q -s jvm two.stk >grouped.stk
	stkcat --check grouped.stk
	stkcat -f tsv --only group_of_stack grouped.stk | cut -f 4 | sort >got
	printf "blocked\nrunnable\nstate\n" | same - got
	stktrend -q -f tsv grouped.stk | awk -F "\t" "\$1 == \"jvm/waiting/lock\" || \$1 == \"jvm/application/code\" { print \$1, (\$2 > 1.2) }" | sort >got
	printf "jvm/application/code 0\njvm/waiting/lock 1\n" | same - got
	stktree -q --report groups -f tsv grouped.stk | cut -f 2,3 >got
	printf "function\tself\n(by state)\t50\n" | same - got
	stkgroup -q -s jvm --step 20m two.stk | stkplot groups -q --by source -f term --width 100 - >drawn
	grep -q "waiting/lock .*30 samples" drawn
	grep -q "application/code .*20 samples" drawn
'
check 'as records: of two schemes each says its own; a state may be in no group' '
	printf "groups:\n  - name: acme\n    members: [com.acme.**]\n" >plain.yaml
	printf "groups:\n  - name: held\n    members:\n      - { state: blocked, under: com.acme.** }\n" >held.yaml
	levels() { stkgroup -q "$@" two.stk | stktrend -q -f tsv - | awk -F "\t" "/\\// { print \$1, (\$2 > 1.7 ? \"2.5\" : \$2 > 1.2 ? \"1.5\" : \$2) }" | sort; }
	levels -s jvm -s plain.yaml >got
	printf "jvm/application 1.0\njvm/application/code 1.0\njvm/waiting 1.5\njvm/waiting/lock 1.5\nplain/acme 2.5\n" | same - got
	levels -s plain.yaml -s jvm | same got -
	levels -s held.yaml >got
	printf "held/(none) 1.0\nheld/held 1.5\n" | same - got
	stkgroup -q -s held.yaml --step 20m two.stk | stkplot groups -q --by source -f term --width 100 - >drawn
	grep -q "held .*30 samples" drawn
	grep -q "(none) .*20 samples" drawn
'
check 'as records: a scheme that asks for no state has one row for a stack' '
	printf "groups:\n  - name: acme\n    members: [com.acme.**]\n" >plain.yaml
	stkgroup -q -s plain.yaml two.stk | stkcat -f tsv --only group_of_stack - | tail -n +2 | cut -f 3- >got
	printf "1\tunknown\n" | same - got
'
check 'in whose code: the nearest frame that is not of the platform' '
	stkgroup -q --generate packages --no-platform app.stk >code.yaml
	status 1 grep -E "java|jdk|sun" code.yaml
	groups -s code.yaml app.stk >got
	printf "(none) 1\ncom.acme 8\norg.lib 1\n" | same - got
	status 2 stkgroup --generate modules --no-platform app.stk
	printf "java.lang.Thread.run;Shop.sell 1\n" | stkcap -q --format folded - >nothing.stk
	status 1 stkgroup --generate packages --no-platform nothing.stk >empty.yaml 2>said
	grep "no packages in the samples outside of the Java platform: the scheme has no groups" said
	status 2 stkgroup -s jvm --no-platform app.stk
'
check 'frames of libraries are passed over: in whose code, why, what is left, and a member that can take nothing' '
	printf "libraries: [java.**, jdk.**, com.sun.**]\ngroups:\n- {name: acme, members: [com.acme.**]}\n- {name: other, members: [\"*\"]}\n" >mine.yaml
	groups -s mine.yaml app.stk >got
	printf "(none) 1\nacme 8\nother 1\n" >want
	sed -i "/other/s/\"\*\"/org.**/" mine.yaml
	groups -s mine.yaml app.stk | same want -
	stkgroup -s mine.yaml --explain "com.acme.Shop.sell;java.util.HashMap.put" >got
	printf "acme\tmine.yaml:3\n  acme\tmine.yaml:3\tcom.acme.Shop.sell\twon\n  (library)\tmine.yaml:1\tjava.util.HashMap.put\tpassed over: a frame of a library\n" | same - got
	sed -i "/acme/d" mine.yaml
	stkgroup -q -s mine.yaml --coverage -f tsv app.stk | tail -n +3 | cut -f 1,3 | LC_ALL=C sort >got
	printf "1\tcom.acme.Poll.run\n1\tcom.acme.Tax.get\n6\tcom.acme.Stock.reserve\n" | same - got
	printf "  - {name: map, members: [java.util.Map.*]}\nlibraries: java.**\n" | sed "1s/^/groups:\n/" >none.yaml
	status 1 stkgroup -s none.yaml --lint >said
	echo "none.yaml:2: map: of libraries: all frames of this member are passed over" | same - said
	printf "libraries: [{method: f, under: g}]\ngroups: [{name: a, members: [f]}]\n" >bad.yaml
	status 2 stkgroup -s bad.yaml --lint 2>said
	grep "bad.yaml:1:25: unknown key .under.: expected method, module or file" said
'
check 'a stack of several groups is in each of them, in stktree too, and once in what contains them' '
	printf "groups:\n- name: P\n  children: [{name: A, members: [f]}, {name: B, members: [f]}]\n- {name: D, members: [f]}\n- {name: G, members: [g]}\n" >several.yaml
	printf "x;f 6\nx;g 4\n" | stkcap -q --format folded - | stkgroup -q -s several.yaml >several.stk
	stktree --report groups -f tsv several.stk 2>said >got
	printf "level\tfunction\tself\ttotal\n1\tD\t6\t6\n1\tP\t0\t6\n2\tA\t6\t6\n2\tB\t6\t6\n1\tG\t4\t4\n" | same - got
	grep -q "1 sample is in several groups" said
	stktree -q --report groups -f text several.stk | awk "{ \$1 = \$1 } 1" | tail -n +3 >got
	printf "6 60.0 6 D\n6 60.0 0 P\n6 60.0 6 A\n6 60.0 6 B\n4 40.0 4 G\n" | same - got
'
finish
