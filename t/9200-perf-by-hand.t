#!/bin/sh
# SPDX-License-Identifier: MIT
# perf script of two processes, worked by hand: every row that stkcat prints of it (see data/README).
. "${0%/*}/lib/tap.sh"

cp "$t/data/shop.perf.txt" .
stkcap -q --raw-symbols shop.perf.txt >shop.stk

check 'nothing is skipped' '
	stkcap shop.perf.txt 2>err >/dev/null
	echo "stkcap: 0 dumps, 7 samples, 4 distinct stacks, 0 lines skipped" | same - err
'
check 'each sample: time, command, period, stack, event, processor, tid' '
	stkcat -f tsv --only sample shop.stk | same "$t/data/shop.samples.tsv" -
'
check 'each process is a source of its own' '
	stkcat -f tsv --only source shop.stk | same "$t/data/shop.sources.tsv" -
'
check 'samples as ndjson: times in nanoseconds, threads and stacks by id in the order of the text' '
	cat >want <<X
{"kind":"sample","time":7200000101000,"dump":0,"thread":1,"stack":3,"weight":10101010,"event":"cycles:u","processor":2,"state":"unknown","condition":0,"locks":0,"objects":0,"cpu":0,"elapsed":0,"allocated":0,"classes":0,"note":0,"age":0}
{"kind":"sample","time":7200010102000,"dump":0,"thread":1,"stack":3,"weight":10101011,"event":"cycles:u","processor":2,"state":"unknown","condition":0,"locks":0,"objects":0,"cpu":0,"elapsed":0,"allocated":0,"classes":0,"note":0,"age":0}
{"kind":"sample","time":7200020203000,"dump":0,"thread":2,"stack":7,"weight":1,"event":"page-faults","processor":3,"state":"unknown","condition":0,"locks":0,"objects":0,"cpu":0,"elapsed":0,"allocated":0,"classes":0,"note":0,"age":0}
{"kind":"sample","time":7200020304000,"dump":0,"thread":3,"stack":11,"weight":10101010,"event":"cycles:u","processor":0,"state":"unknown","condition":0,"locks":0,"objects":0,"cpu":0,"elapsed":0,"allocated":0,"classes":0,"note":0,"age":0}
{"kind":"sample","time":7200030405000,"dump":0,"thread":4,"stack":0,"weight":10101010,"event":"cycles:u","processor":1,"state":"unknown","condition":0,"locks":0,"objects":0,"cpu":0,"elapsed":0,"allocated":0,"classes":0,"note":0,"age":0}
{"kind":"sample","time":7200040506000,"dump":0,"thread":3,"stack":11,"weight":2020202,"event":"cycles:u","processor":0,"state":"unknown","condition":0,"locks":0,"objects":0,"cpu":0,"elapsed":0,"allocated":0,"classes":0,"note":0,"age":0}
{"kind":"sample","time":7201000007000,"dump":0,"thread":3,"stack":13,"weight":1,"event":"page-faults","processor":3,"state":"unknown","condition":0,"locks":0,"objects":0,"cpu":0,"elapsed":0,"allocated":0,"classes":0,"note":0,"age":0}
X
	cycles=$(stkcat -f tsv --ids --only string shop.stk | sed -n "s/^\([0-9]*\)	cycles:u$/\1/p")
	faults=$(stkcat -f tsv --ids --only string shop.stk | sed -n "s/^\([0-9]*\)	page-faults$/\1/p")
	stkcat -f ndjson --ids --only sample shop.stk | sed -e "s/\"event\":$cycles,/\"event\":\"cycles:u\",/" -e "s/\"event\":$faults,/\"event\":\"page-faults\",/" | same want -
'
check 'frames as perf wrote them, without addresses' '
	cat >want <<X
__libc_start_call_main (/usr/lib/libc.so.6)
main (/opt/shop/order svc)
shop::total(std::vector<int> const&) (/opt/shop/order svc)
worker (/opt/shop/order svc)
shop::fill (inlined)
__memset_avx2 (/usr/lib/libc.so.6)
asm_exc_page_fault ([kernel.kallsyms])
[unknown] (/usr/lib/libjvm.so)
JavaCalls::call_helper (/usr/lib/libjvm.so)
Interpreter (/tmp/perf-5200.map)
Lshop/Cart;::total(Lshop/Item;)I (/tmp/perf-5200.map)
[unknown] ([unknown])
Lshop/Cart;::add(Lshop/Item;)V (/tmp/perf-5200.map)
X
	sort want >sorted
	stkcat -f dumps shop.stk | sed -n "s/^[[:blank:]]*[0-9a-f]* \(.*)\)$/\1/p" | sort -u | same sorted -
'
check 'folded: the first event, by command' '
	cat >want <<X
java 10101010
java;[libjvm.so];JavaCalls::call_helper;Interpreter;shop/Cart:::total 12121212
order_svc;__libc_start_call_main;main;shop::total 20202021
X
	stkcat -q -f folded shop.stk | same want -
'
finish
