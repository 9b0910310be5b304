#!/bin/sh
# SPDX-License-Identifier: MIT
# What other versions, tools and agents write in place of perf script's usual text: times, symbols of Java methods, modules.
. "${0%/*}/lib/tap.sh"

tab=$(printf '\t')
sample() { printf 'shop  4711/4712 [003] %s     250000 cycles:u:\n\t    7f0000001000 %s\n\t    7f0000002000 main+0x10 (/usr/bin/shop)\n\n' "$1" "$2"; }
folded() { stkcap -q --format perf-script "$1" | stkcat -f folded; }

check 'times of any number of decimals, each with its event and its time' '
	for time in 12.5: 12.50: 12.500: 12.5000: 12.500000: 12.5000000: 12.500000000: 12.500000000000:; do sample $time "work+0x1 (/usr/bin/shop)"; done >a
	stkcap -q a | stkcat -f tsv --only sample | sed 1d >got
	test "$(wc -l <got)" -eq 8
	test "$(grep -c "cycles:u" got)" -eq 8
	test "$(cut -f 2 got | sort -u | wc -l)" -eq 1
'
check 'times of a clock on the wall are moments, of others not; one process with both is two sources' '
	{ sample 1772355600.25: "a (/x)"; sample 12.5: "a (/x)"; sample 1772355601.25: "b (/x)"; } >a
	stkcap -q --zone Europe/Berlin a >b.stk
	printf "%s\n" 2026-03-01T09:00:00.250Z 12.500 2026-03-01T09:00:01.250Z >want
	stkcat -f tsv --only sample b.stk | cut -f 1 | sed 1d | same - want
	test "$(stkcat -f tsv --only source b.stk | grep -c shop)" -eq 2
'
check 'lines of a log within a stack cost no frame, and are counted each time' '
	for n in 1 2 3; do sample 12.5: "work (/x)" | awk "{ print } NR == 2 { print \"2026-03-01 09:00:05 INFO between\" }"; done >a
	stkcap -o a.stk a 2>err
	grep "3 samples, 1 distinct stacks, 3 lines skipped" err
	{ for n in 1 2 3; do sample 12.5: "work (/x)"; done; } | stkcap -q | stkcat -q -f folded >wanted
	stkcat -q -f folded a.stk | same wanted -
	sed "s/2026.*/?? between/" a >b; status 1 stkcap -q -o b.stk b
	gc="[0.205s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 2.345ms"
	{ sed "s/2026.*/$gc/" a; sample 13.5: "work (/x)" | awk -v "gc=$gc" "{ print } NR == 1 { print gc; print \"I0102 03:04:05.123456 7 a.go:1] x\"; print gc }"; } >b
	status 0 stkcap -q -o b.stk b
	stkcat -q -f folded b.stk >got; sed "s/ [0-9]*$//" got >stacks; sed "s/ [0-9]*$//" wanted | same - stacks
	test "$(stkcat -q -f tsv --only metric b.stk | grep -c "heap.used	")" -eq 5
'
check 'samples above a dump are taken too, although their frames name no module' '
	{ sample 12.5: work | sed "s, (/usr.*,,"; cat "$t/data/orders.jstack.txt"; } >a
	test "$(stkcap -q a | stkcat -f folded --event cycles:u)" = "shop;main;work 250000"
'
check 'symbols of Java methods in the forms of agents and of the VM are the function of a thread dump' '
	for symbol in "Lcom/acme/Shop;::sell" "Lcom/acme/Shop;.sell" "com/acme/Shop.sell(Ljava/lang/Object;[I)V" \
		"boolean com.acme.Shop.sell(int, java.util.List[])" "void com.acme.Shop.sell()"; do
		sample 1.000001: "$symbol (/tmp/perf-4711.map)"
	done >a
	test "$(folded a)" = "shop;main;com.acme.Shop.sell 1250000" || { folded a; false; }
	{ echo "\"x\" #1 prio=5 tid=0x01 nid=0x02 runnable [0x03]"; echo "   java.lang.Thread.State: RUNNABLE"; echo "${tab}at com.acme.Shop.sell(Shop.java:12)"; } >b
	stkcap -q b | stkcat -f folded | grep -x "x;com.acme.Shop.sell 1"
'
check 'a chain of inlined methods, part by part; and --raw-symbols keeps what was written' '
	sample 1.000001: "La/B;::one->La/C;::two->La/D;::three (/tmp/perf-4711.map)" >a
	test "$(folded a)" = "shop;main;a.B.one;a.C.two_[i];a.D.three_[i] 250000"
	stkcap -q --raw-symbols a | stkcat -f tsv --only frame | cut -f 2 | grep -x "La/B;::one->La/C;::two->La/D;::three"
'
check 'what only looks like one stays as it is' '
	for symbol in "int foo(int)" "net/http.(*conn).serve" "std::vector<int>::push_back(int const&)" "encoding/json.Marshal" "operator new(unsigned long)" "Load;x" "foo.cold"; do
		sample 1.000001: "$symbol+0x5 (/usr/bin/shop)"
	done >a
	stkcap -q a | stkcat -f tsv --only frame | cut -f 2 | sed 1d | sort >got
	printf "%s\n" "int foo(int)" "net/http.(*conn).serve" "std::vector<int>::push_back(int const&)" "encoding/json.Marshal" "operator new(unsigned long)" "Load;x" "foo.cold" main | sort | same - got
'
check 'a functor of a template is whole, in a profile and in a backtrace' '
	sample 1.000001: "std::function<int (int, int)>::operator()(int, int) const+0x12 (/usr/bin/shop)" >a
	stkcap -q a | stkcat -f tsv --only frame | cut -f 2 | grep -x "std::function<int (int, int)>::operator()(int, int) const"
	printf "Thread 1 (Thread 0x7f30 (LWP 130)):\n#0  0x0000000000401136 in std::function<int (int, int)>::operator() (this=0x7ffd, __args#0=1, __args#1=2) at shop.cc:12\n#1  0x0000000000401200 in run<void (*)(int)> (f=0x0) at shop.cc:20\n#2  0x0000000000401300 in main () from /lib/x.so\n" >a
	stkcap -q a | stkcat -f folded | grep -x "main;run<void (\*)(int)>;std::function<int (int, int)>::operator() 1"
'
check 'functions within the parameters of a template are of its name, those of Rust too' '
	for symbol in "app::apply<fn(u64) -> u64>" "app::call<(u64), fn(u64) -> u64>(fn(u64) -> u64, u64)" "<fn(&str) -> u64 as core::ops::FnOnce<(&str,)>>::call_once" "x::Ptr<y>::operator->(int)"; do
		sample 1.000001: "$symbol+0x5 (/usr/bin/shop)"
	done >a
	stkcap -q a | stkcat -f folded | sed "s/.*;//; s/ 250000$//" | sort >got
	printf "%s\n" "app::apply<fn(u64) -> u64>" "app::call<(u64), fn(u64) -> u64>" "<fn(&str) -> u64 as core::ops::FnOnce<(&str,)>>::call_once" "x::Ptr<y>::operator->" | sort | same - got
'
check 'a lambda is a function of its own: its parameters, those of the function that it is in and decltype(auto) are not arguments' '
	for symbol in "main::{lambda(int)#1}::operator()(int) const" "shop::sell(int, long)::{lambda()#2}::operator()() const" \
		"decltype(auto) std::__invoke<main::{lambda()#1}>(main::{lambda()#1}&&)" "void each<main::{lambda(int)#1}>(int*)" "odd(int){lambda" "{odd(int)"; do
		sample 1.000001: "$symbol+0x5 (/usr/bin/shop)"
	done >a
	stkcap -q a | stkcat -f folded | sed "s/.*;//; s/ 250000$//" | sort >got
	printf "%s\n" "main::{lambda(int)#1}::operator()" "shop::sell(int, long)::{lambda()#2}::operator()" "decltype(auto) std::__invoke<main::{lambda()#1}>" \
		"void each<main::{lambda(int)#1}>" odd "{odd" | sort | same - got
'
check 'a kernel with its version is the kernel, what perf inject --jit made is jit' '
	{ sample 1.000001: "tcp_sendmsg+0x5 (/usr/lib/debug/boot/vmlinux-6.1.0-18-amd64)"; sample 1.000002: "sell+0x5 (/tmp/.debug/jit/jitted-4711-12.so)"; } >a
	stkcap -q a | stkcat -f folded --annotate kernel,jit >got; grep "tcp_sendmsg_\[k\]" got; grep "sell_\[j\]" got
'
check 'what perf script -D prints of records that are no samples is no stack' '
	{
		printf "0x17698@p.data [0x30]: event: 7\n.\n. ... raw event: size 48 bytes\n.  0000:  07 00 00 00 00 00 30 00 eb 0f 00 00 eb 0f 00 00  ......0.........\n\n"
		printf "5164943205054 0x17698 [0x30]: PERF_RECORD_FORK(4075:4109):(4075:4075)\n\n"
		printf "node  4075  5164.943205:     250000 cpu-clock: \n\t    7f0000000010 main (/usr/bin/node)\n\t    7f0000000020 start (/usr/bin/node)\n\n"
		printf "5164943205060 0x176c8 [0x30]: PERF_RECORD_EXIT(4075:4109):(4075:4075)\n"
	} >dumped
	status 0 stkcap -q -o out.stk dumped
	stkcat -q -f folded --event all out.stk >got; echo "node;start;main 250000" | same - got
'
finish
