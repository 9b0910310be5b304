#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions get the names of their sources, in a capture and in a recording, and only when that is asked for. t/unit/plain_name.c
# has the forms one by one.
. "${0%/*}/lib/tap.sh"

cat >names <<'X'
main;_ZN4acme4Cart5totalEv;_ZN4core3fmt5write17h0123456789abcdefE 1
main;_ZN4acme4Cart5totalEv;_ZN4core3fmt5write17hfedcba9876543210E 2
main;do_syscall_64.isra.0_[k] 4
main;do_syscall_64+0x1a/0x30 8
main;com.acme.CartKt.total;com.acme.Cart.$plus$eq;com.acme.Cart.lambda$total$0 16
X
named() { stkcap -q --format folded --demangle "$1" names | stkcat -q -f folded; }
native=yes
stkcap -q --demangle native names >/dev/null 2>err || ! grep -q "built without libiberty" err || native=

check 'nothing is changed when it is not asked for' '
	stkcap -q --format folded names | stkcat -q -f folded | LC_ALL=C sort >got
	LC_ALL=C sort names | same - got
'
if test -n "$native"; then
check 'symbols of C++ and Rust, of which hashes are left out' '
	named native >got
	grep -x "main;acme::Cart::total();core::fmt::write 3" got
	test "$(grep -c "acme::Cart::total" got)" = 1
	grep "do_syscall_64.isra.0" got
	grep "CartKt.total" got
'
else
check 'what this was built without is refused, with what works' '
	for what in native all scala,native; do
		status 2 stkcap -q --demangle $what names 2>err
		grep "built without libiberty" err
		stkcap -q -o plain.stk --format folded names
		status 2 stkcat --demangle $what plain.stk 2>err
		grep "built without libiberty" err
	done
'
fi
check 'suffixes: functions whose names are then the same are one' '
	named suffixes >got
	grep -x "main;do_syscall_64 12" got
	grep "_ZN4acme4Cart5totalEv" got
'
check 'one switch each for Scala, Kotlin and Java, and several at once' '
	named scala | grep -Fx "main;com.acme.CartKt.total;com.acme.Cart.+=;com.acme.Cart.lambda\$total\$0 16"
	named kotlin | grep -Fx "main;com.acme.total;com.acme.Cart.\$plus\$eq;com.acme.Cart.lambda\$total\$0 16"
	named java | grep -Fx "main;com.acme.CartKt.total;com.acme.Cart.\$plus\$eq;com.acme.Cart.total{lambda#0} 16"
	named java,kotlin,scala | grep -Fx "main;com.acme.total;com.acme.Cart.+=;com.acme.Cart.total{lambda#0} 16"
'
all=scala,kotlin,java,suffixes${native:+,native}
check 'a recording gets the same names as a capture, frame for frame' '
	stkcap -q --format folded -o raw.stk names
	stkcap -q --format folded --demangle $all -o named.stk names
	stkcat --demangle $all -o again.stk raw.stk
	stkcat --check again.stk
	for stream in named again; do
		stkcat -q -f tsv --only frame $stream.stk | LC_ALL=C sort >$stream.frames
		stkcat -q -f tsv --only sample $stream.stk >$stream.samples
	done
	same named.frames again.frames
	same named.samples again.samples
	test "$(wc -l <named.frames)" -lt "$(stkcat -f tsv --only frame raw.stk | wc -l)"
	stkcat --demangle $all again.stk | stkcat -q -f tsv --only frame | LC_ALL=C sort | same again.frames -
'
check 'threads, locks, states, times and metrics of a dump stay as they are' '
	cp "$t/data/orders.jstack.txt" dump.txt
	stkcap -q -o dump.stk dump.txt
	stkcat --demangle scala,kotlin,java,suffixes -o other.stk dump.stk
	for stream in dump other; do
		for kind in sample thread source dump metric; do
			stkcat -q -f tsv --only $kind $stream.stk 2>/dev/null || true
		done | sed "s/lambda\\\$\([a-zA-Z]*\)\\\$\([0-9]*\)/\1{lambda#\2}/g" >$stream
	done
	test -s dump
	same dump other
'
check 'several recordings stay apart, unless they are merged' '
	stkcat --demangle suffixes raw.stk raw.stk >two.stk
	stkcat --check two.stk
	stkcat -q -f folded two.stk | grep -x "main;do_syscall_64 24"
	test "$(stkcat -f tsv --only frame two.stk | grep -c do_syscall_64)" = 2
	stkcat --demangle suffixes --merge raw.stk raw.stk >one.stk
	test "$(stkcat -f tsv --only frame one.stk | grep -c do_syscall_64)" = 1
	stkcat -q -f folded one.stk | grep -x "main;do_syscall_64 24"
'
check 'with sorting and selecting: rows of the selection, by the names of the input' '
	stkcat --demangle suffixes --sort raw.stk | stkcat -q -f folded | grep -x "main;do_syscall_64 12"
	stkcat --demangle suffixes --grep "isra" raw.stk | stkcat -q -f folded >got
	test "$(cat got)" = "main;do_syscall_64 4"
'
check 'what was computed from names is left out, and said' '
	stkclass -q -f stream -o classes.stk raw.stk
	stkcat --demangle suffixes -o rest.stk classes.stk 2>err
	grep "left out what was computed from names, which is to be computed again: .*class" err
	stkcat --check rest.stk
	stkcat -q -f folded rest.stk | grep -x "main;do_syscall_64 12"
'
check 'it works for records only, and not while names are masked or looked at' '
	for others in "-f folded" "-f tsv" "--by pool" "--check" "--contents" "--mask all:" "-f pprof"; do
		status 2 stkcat --demangle suffixes $others raw.stk >out 2>err
		test -s err
		test ! -s out
	done
	status 2 stkcat --demangle sufix raw.stk 2>err
	grep "native" err
	status 2 stkcat --demangle suffixes,suffixes raw.stk 2>err
'
check 'a live capture has these names too, and refuses options that only files have' '
	stkcap -q --demangle suffixes,kotlin --exec "cat \"$t/data/orders.jstack.txt\"" -o live.stk
	stkcat --check live.stk
	for option in --raw-symbols --addresses --only-stacks --as-events "--rejects x" "--time-from mtime" "--max-expand 1G" "--format folded"; do
		status 2 stkcap -q --exec "true" $option -o x.stk 2>err
		grep "has no effect in a live capture" err
	done
'
check 'a symbol whose name would have gigabytes stays, and soon' '
	test -n "$native" || exit 0
	python3 - >bomb <<X
digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
print("_Z1f1AIiiE" + "".join(f"S_IS{d}_S{d}_E" for d in digits) + " 1")
X
	cut -d" " -f1 bomb >symbol
	stkcap -q --format folded --demangle native bomb | stkcat -q -f tsv --only frame | sed 1d | cut -f2 | same symbol -
'
if have g++ && have c++filt && test -n "$native"; then
check 'each symbol of the C++ library has the name that c++filt gives it' '
	nm -D "$(g++ -print-file-name=libstdc++.so)" | sed "s/.* //; s/@.*//" | grep "^_Z" | LC_ALL=C sort -u >symbols
	test "$(wc -l <symbols)" -gt 3000
	c++filt -i <symbols | LC_ALL=C sort -u >want
	sed "s/\$/ 1/" symbols | stkcap -q --format folded --demangle native | stkcat -q -f tsv --only frame | sed 1d | cut -f2 | LC_ALL=C sort -u >got
	same want got
'
else
skip 'no g++, c++filt or libiberty' 'each symbol of the C++ library has the name that c++filt gives it'
fi
finish
