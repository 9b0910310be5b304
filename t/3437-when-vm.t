#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --when heap>, pause> and counter=: what a VM writes about itself begins and ends a capture.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"

test -n "$java_homes" || skip_all 'no JDK'

# counted FILE STATE: the last number of a counter
counted() { stkcat -f tsv --only counter "$1" | awk -F '\t' -v state="$2" '$4 == state { n = $5 } END { print n + 0 }'; }
# takes all|some|none CONDITION: dumps are taken at all moments but late ones, at some, or at none
takes() {
	rm -f when.stk
	stkcap -q --jvm $one --every 300ms --count "${3:-4}" --deadline 30s --budget 0 --when "$2" -o when.stk 2>err || true
	echo "$2: $(counted when.stk expected) moments, $(counted when.stk seen) seen, $(counted when.stk unmet) unmet"
	case $1 in
	all)  test "$(counted when.stk seen)" -ge 1 && test "$(counted when.stk unmet)" = 0 ;;
	some) test "$(counted when.stk seen)" -ge 1 && test "$(counted when.stk unmet)" -ge 1 ;;
	none) test "$(counted when.stk unmet)" -ge 1 && test "$(counted when.stk unmet)" = "$(counted when.stk expected)" ;;
	esac
}

program=Duty
for home in $java_homes; do
	java=$home/bin/java
	version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
	java_flags=-XX:+UseSerialGC
	load one sleep		# what it does is not asked, so that it does nothing
	check "JDK $version: counters of the VM, by what they are" '
		takes all "counter=java.threads.live>1"
		takes none "counter=java.threads.live>100000"
		takes all "counter=java.threads.live<100000"
		takes none "counter=java.threads.live<1"
		takes none "counter=no.such.counter>0"
	'
	check "JDK $version: VMs are looked at before the first moment, and what they do not have is told once" '
		status 0 stkcap -q --jvm $one --deadline 30s --when "counter=java.threads.live>1" -o once.stk
		test "$(counted once.stk seen)" = 1
		status 1 stkcap --jvm $one --every 1500ms --count 3 --deadline 30s --budget 0 --when "counter=no.such.counter>0" -o never.stk 2>err
		test $(grep -c "Duty ($one): it has no number no.such.counter: this condition of --when does not hold for it" err) = 1
		grep "$one: gave no dump: --when never held" err
		status 2 stkcap --jvm $one --when "pause>1us" -o x.stk 2>err
		grep "compare two looks at a VM: they need --every TIME, or ticks" err
		status 2 stkcap --jvm $one --when "counter=java.threads.started>1/s" -o x.stk 2>err
	'
	check "JDK $version: the heap after a collection" '
		"$home/bin/jcmd" $one GC.run >collected
		takes all "heap>1k"
		takes none "heap>1T"
		takes none "heap>99.9%"
	'
	check "JDK $version: pauses of the last second" '
		takes none "pause>1h"
		while sleep 1; do "$home/bin/jcmd" $one GC.run; done >collected 2>&1 & collecting=$!
		takes some "pause>1us" 20
		kill $collecting
	'
	unload one
done

java_flags=-XX:-UsePerfData
load one sleep
check 'a VM without such a file: nothing is met, and that is told' '
	stkcap --jvm $one --every 300ms --count 12 --deadline 30s --budget 0 --when "heap>1k" -o none.stk 2>err || true
	grep -e "--when cannot see its heap, pauses and counters" err
'
unload one
finish
