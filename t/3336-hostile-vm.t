#!/bin/sh
# SPDX-License-Identifier: MIT
# Whoever runs a process can map a library that says it is a VM, and describe in it what it likes: offsets outside of everything, lists without end, code that begins in itself.
# A capture reads it without harm, ends in time, and says what it could not walk.
. "${0%/*}/lib/tap.sh"

have cc || skip_all 'no compiler'
test "$(uname -m)" = x86_64 || skip_all 'stacks are walked on x86-64 only'
cc -w -shared -fPIC -O1 -o libjvm.so "$t/lib/fake_vm.c" && cc -w -DPROGRAM -o fake-vm "$t/lib/fake_vm.c" ./libjvm.so || skip_all 'the compiler does not work'

seeds=${FAKE_SEEDS:-"1 2 5 6 7 8 10 11 15 16"}
pids=
for seed in $seeds; do
	mkdir "$seed"
	cc -w -shared -fPIC -O1 -DSEED="$seed" -o "$seed/libjvm.so" "$t/lib/fake_vm.c"
	cp fake-vm "$seed"
	(cd "$seed" && exec ./fake-vm) 2>/dev/null &
	pids=$pids${pids:+,}$!
done
sleep .2
status=0
timeout 60 stkcap --jvm "$pids" --ticks 499 --count 2 -o lies.stk 2>err || status=$?
kill $(echo $pids | tr , ' ') 2>/dev/null || true
wait 2>/dev/null || true
if test $status -eq 3 && grep -q 'sampling all processors' err; then skip_all "$(tail -n 1 err)"; fi

check 'the capture ends well, and what it wrote can be read' '
	cat err
	test $status -eq 1
	stkcat --check lies.stk
	test $(stkcat -f tsv --only sample lies.stk | wc -l) -gt 100
'
check 'a VM whose tables cannot be used is refused, with the reason' '
	grep -q "no stacks of its ticks: JDK 17: its tables have no likely size of nmethod" err
	grep -q "no stacks of its ticks: its libjvm.so does not describe its data" err
'
check 'in the others, code that is none ends the stack, which is counted' '
	grep -q "of them end early: no code is known there" err
	stkcat -f folded lies.stk | grep -q "^fake-vm;\\[cut: "
'
finish
