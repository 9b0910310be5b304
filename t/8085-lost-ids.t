#!/bin/sh
# SPDX-License-Identifier: MIT
# What the definition of an id was lost for is shown as `?`, in every form, and never as nothing or as 0; that it was lost is reported and makes status 1.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

cat >dump.txt <<'X'
2026-11-20 22:14:44
Full thread dump OpenJDK 64-Bit Server VM (25+36 mixed mode):

"pool-1-thread-1" #21 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x1 nid=4711 waiting for monitor entry  [0x0]
   java.lang.Thread.State: BLOCKED (on object monitor)
	at com.acme.Cart.total(Cart.java:1)
	- waiting to lock <0x00000000deadbeef> (a com.acme.Lock)
	at com.acme.Main.run(Main.java:2)

X
stkcap -q --source host dump.txt >dump.stk
printf 'web 10/11 [000] 5.000000: 1 cycles:\n\t7f00 read+0x1 (/bin/x)\n\t7f01 main (/bin/x)\n\n' | stkcap -q --source host - >perf.stk

# KIND-FILE: the stream, with the descriptions of all blocks of that kind damaged
python3 - <<-'X'
	for name in ("dump.stk", "perf.stk"):
	    for number, kind in enumerate("string frame stack source thread locks objects dump".split(), 1):
	        data, at = bytearray(open(name, "rb").read()), 0
	        while (at := data.find(b"stk1", at)) >= 0:
	            if data[at + 8] == number:
	                data[at + 9] ^= 1
	            at += 4
	        open(kind + "-" + name, "wb").write(data)
X

# lost KIND FORM FILE [OPTION...]: what that form says without that kind; into `got`
lost() {
	lost=$1-$3 form=$2
	shift 3
	status 1 stkcat -q -f "$form" "$@" "$lost" >got 2>err
	grep -q "$lost:[0-9]*: " err
}
# cell NAME: of the one sample in `got`
cell() { awk -F'\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' got; }

check 'nothing is lost: the samples have these values' '
	stkcat -f tsv --only sample dump.stk >got
	test "$(cell source),$(cell thread),$(cell tid),$(cell number)" = host,pool-1-thread-1,4711,21
	test "$(cell locks)" = "waiting-to-lock com.acme.Lock 0xdeadbeef @1"
'
check 'tsv: a lost thread has no name, no numbers; its source is that of its dump' '
	lost thread tsv dump.stk --only sample
	test "$(cell thread),$(cell tid),$(cell number),$(cell source)" = "?,?,?,host"
	lost thread tsv perf.stk --only sample
	test "$(cell thread),$(cell tid),$(cell number),$(cell source)" = "?,?,?,?"
	lost thread tsv perf.stk --only sample --ids
	test "$(cell source),$(cell tid)" = "?,?"
'
check 'tsv: a lost source, stack, frame, string' '
	lost source tsv dump.stk --only sample; test "$(cell source)" = "?"
	lost stack tsv dump.stk --only sample; test "$(cell stack)" = "?"
	lost frame tsv dump.stk --only sample; test "$(cell stack)" = "?;?"
	lost string tsv dump.stk --only sample
	test "$(cell thread),$(cell source),$(cell stack),$(cell condition),$(cell locks)" = "?,?,?;?,?,waiting-to-lock ? 0xdeadbeef @1"
'
check 'tsv: lost locks, and a lost address' '
	lost locks tsv dump.stk --only sample; test "$(cell locks)" = "?"
	lost objects tsv dump.stk --only sample; test "$(cell locks)" = "waiting-to-lock com.acme.Lock ? @1"
'
check 'tsv: other kinds that refer to what was lost' '
	lost source tsv dump.stk --only thread; test "$(cell source)" = "?"
	lost source tsv dump.stk --only dump; test "$(cell source)" = "?"
	lost string tsv dump.stk --only frame; test "$(cell function)" = "?"
'
check 'ndjson --ids: ids are numbers, and stay what they were' '
	for kind in string frame stack source thread locks objects dump; do
		lost $kind ndjson dump.stk --only sample --ids
		stkcat -f ndjson --ids --only sample dump.stk | same - got
	done
'
check 'ndjson: what was lost has the same sign' '
	lost thread ndjson dump.stk --only sample
	grep "\"thread\":\"?\".*\"source\":\"host\",\"tid\":\"?\",\"number\":\"?\",\"pool\":\"?\"" got
	lost stack ndjson dump.stk --only sample; grep "\"stack\":\[\"?\"\]" got
	lost frame ndjson dump.stk --only sample; grep "\"stack\":\[\"?\",\"?\"\]" got
	lost locks ndjson dump.stk --only sample; grep "\"locks\":\[{\"relation\":\"?\"" got
	lost objects ndjson dump.stk --only sample; grep "\"class\":\"com.acme.Lock\",\"address\":\"?\",\"depth\":1" got
'
check 'folded: a lost thread, source, stack and frame' '
	by=source,process,thread,pool,pid,tid
	lost thread folded perf.stk --by $by; test "$(cat got)" = "?;?;?;?;?;?;main;read 1"
	lost source folded perf.stk --by $by; test "$(cat got)" = "?;?;web;web;?;11;main;read 1"
	lost thread folded dump.stk --by thread,source; test "$(cat got)" = "?;host;com.acme.Main.run;com.acme.Cart.total 1"
	lost stack folded dump.stk; grep "^pool-1-thread;? 1" got
	lost frame folded dump.stk; grep "^pool-1-thread;?;? 1" got
'
check 'dumps: a lost thread, source, dump, lock and address' '
	lost thread dumps dump.stk; grep "^\"?\" " got
	lost source dumps dump.stk; grep "^Full thread dump ?:" got
	lost dump dumps dump.stk; grep "^Full thread dump ?:" got
	lost locks dumps dump.stk; grep "^	- ?" got
	lost objects dumps dump.stk; grep -F -- "- waiting to lock <?> (a com.acme.Lock)" got
	lost thread dumps perf.stk; grep "^? ? \[000\] 5.000000: 1 cycles:" got
	lost source dumps perf.stk; grep "^web ?/11 " got
'
check 'text: a lost thread, stack and address' '
	lost thread text dump.stk; grep -A9 "^Threads" got | grep "  ?$" || { cat got; false; }
	lost stack text dump.stk; grep "1  blocked  ?$" got || { cat got; false; }
	lost objects text dump.stk; grep "com.acme.Lock  ?  " got || { cat got; false; }
'
finish
