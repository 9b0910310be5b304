#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --jvm against real Java VMs, of every version that this machine has.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"

test -n "$java_homes" || skip_all 'no JDK'

counted() { stkcat -f tsv --only counter "$1" | awk -F '\t' -v source="$2" -v state="$3" '$2 == source && $4 == state { n = $5 } END { print n + 0 }'; }
# the threads of a dump and their stacks, without what changes from moment to moment
shape() { stkcat -f dumps "$1" | awk '/^"/ { name = $0; sub(/" .*/, "\"", name) } /^"(idle|main|Finalizer|Reference|Signal)/ { on = 1 } /^$/ { on = 0 } on && /^\tat/ { print name, $2 }'; }

for home in $java_homes; do
	java=$home/bin/java
	version=$("$java" -version 2>&1 | sed -n 's/.*version "\([^"]*\).*/\1/p')
	mkdir "$version" && cd "$version" || exit
	load one; load two; load three
	check "$version: the dump is the one that jstack takes" '
		for try in 1 2 3 4 5 6 7 8; do		# until all its threads have got to where they stay
			rm -f own.stk jstack.stk
			status 0 stkcap -q --source it --jvm $one -o own.stk
			"$home/bin/jstack" -e $one | stkcap -q --source it -o jstack.stk
			shape own.stk >own.shape
			shape jstack.stk | cmp -s own.shape - && break
			sleep .5
		done
		test $(stkcat -f tsv --only thread own.stk | wc -l) -ge 50
		stkcat -f tsv --only thread own.stk | cut -f 3,5 | grep -v "Attach\|GC Thread\|G1 \|C[12] " | sort >own.threads
		stkcat -f tsv --only thread jstack.stk | cut -f 3,5 | grep -v "Attach\|GC Thread\|G1 \|C[12] " | sort | same own.threads -
		test $(wc -l <own.shape) -ge 20
		shape jstack.stk | same own.shape -
		stkcat -f tsv --only dump own.stk | awk -F "\t" "NR == 2 { exit \$12 != 0 || \$7 < 50 || \$8 < 50 || \$10 == 0 }"
	'
	check "$version: three at a moment: whole dumps, one event, heap and pauses; counters add up" '
		status 0 stkcap -q --jvm Load --budget 0 --every 100ms --count 20 -o three.stk
		stkcat --check three.stk
		test $(stkcat -f tsv --only dump three.stk | awk -F "\t" "NR > 1 && \$12 == 0" | wc -l) -ge 50
		for name in Load "Load#2" "Load#3"; do
			test $(counted three.stk $name expected) -eq 20
			test $(($(counted three.stk $name seen) + $(counted three.stk $name skipped))) -eq 20
		done
		stkcat -f tsv --only metric three.stk | awk -F "\t" "\$3 == \"capture.pause\" && \$4 >= 0 && \$4 < 5 { n++ } END { exit n < 50 }"
		test $(stkcat -f tsv --only source three.stk | grep -c "	Load	") -eq 3
	'
	check "$version: one is stopped, one is killed, one ends: the others go on" '
		(sleep .5; kill -STOP $one; sleep .5; kill -9 $two) &
		status 1 stkcap -q --deadline 300ms --jvm $one,$two,$three --budget 0 --every 50ms --count 60 -o trouble.stk 2>err
		wait $! || true
		grep -q "($one): it did not answer in time" err
		kill -CONT $one
		stkcat --check trouble.stk 2>/dev/null || test $? = 1
		for pid in $one $two $three; do		# the native stacks of the one that is late are of the same source
			test $(stkcat -f tsv --only source trouble.stk | grep -c "	$pid	") -eq 1
		done
		stkcat -f tsv --only counter trouble.stk | awk -F "\t" "{ last[\$2 \" \" \$4] = \$5 } END { for (k in last) print k, last[k] }" >counts
		test $(awk "\$2 == \"seen\" { print \$3 }" counts | sort -n | tail -1) -ge 10
		test $(awk "\$2 == \"late\" { n += \$3 } END { print n }" counts) -ge 1
		awk "{ n[\$1] += \$2 == \"expected\" ? \$3 : -\$3 } END { for (s in n) if (n[s] != 0) exit 1 }" counts
		status 0 stkcap -q --jvm $one -o again.stk
	'
	unload one two three
	check "$version: one that may not be attached to is refused, without a signal" '
		java_flags="-XX:+DisableAttachMechanism"; load off; java_flags=
		status 1 stkcap -q --jvm $off -o off.stk 2>err
		grep -q "DisableAttachMechanism" err
		test $(grep -c "Full thread dump" off.out) -eq 0
		stkcap --list -f tsv | grep "^$off	" | grep -q "no dumps"
		unload off
	'
	check "$version: without shared performance memory, and one that has no signal handler" '
		java_flags="-XX:-UsePerfData"; load bare; java_flags="-Xrs"; load rs; java_flags=
		status 0 stkcap -q --jvm $bare,$rs -o bare.stk
		test $(stkcat -f tsv --only dump bare.stk | wc -l) -eq 3
		unload bare rs
	'
	if test "$(id -u)" = 0 && unshare -p -m -f true 2>/dev/null; then
		check "$version: in namespaces of its own for processes and mounts" '
			unshare -p -m -f sh -c "mount -t tmpfs none /mnt && cp -r $classes /mnt && mount --move /mnt /tmp && exec \"$java\" -Xmx64m -cp /tmp/classes Load" >inner.out 2>&1 & outer=$!
			while ! grep -q "^ready" inner.out; do kill -0 $outer; sleep .05; done
			inner=$(pgrep -P $outer)
			status 0 stkcap -q --jvm $inner -o inner.stk
			test $(stkcat -f tsv --only dump inner.stk | wc -l) -eq 2
			test $(stkcat -f tsv --only source inner.stk | grep -c "	$inner	") -eq 1
			stkcap --list -f tsv | grep "^$inner	" | grep -q "heap and pauses"
			kill -9 $inner; wait $outer || true
		'
	else
		skip 'needs root and namespaces' "$version: in namespaces of its own for processes and mounts"
	fi
	if test "$(id -u)" = 0 && id nobody >/dev/null 2>&1; then
		check "$version: of another user: root may, another may not" '
			chmod 755 .. . ; chmod -R a+rX $classes
			run_as="setpriv --reuid=nobody --clear-groups"; load theirs; run_as=
			status 0 stkcap -q --jvm $theirs -o theirs.stk
			test $(stkcat -f tsv --only dump theirs.stk | wc -l) -eq 2
			load ours
			cp "$(command -v stkcap)" stkcap; chmod 755 stkcap
			status 1 setpriv --reuid=nobody --clear-groups ./stkcap -q --jvm $ours >ours.stk 2>err
			grep -q "another user\|permission\|Permission\|no Java VM" err
			status 0 setpriv --reuid=nobody --clear-groups ./stkcap -q --jvm $theirs >theirs2.stk
			unload theirs ours
		'
	else
		skip 'needs root and nobody' "$version: of another user: root may, another may not"
	fi
	cd ..
done

java=${java_homes%%
*}/bin/java
# VMs in the file
processes() { stkcat -q -f tsv --only source always.stk | grep -c "	Load	"; }
# seen N: waits until N VMs are in the file, for a minute at most
seen() {
	for attempt in $(seq 300); do
		test "$(processes 2>/dev/null)" -lt "$1" || return 0
		sleep .2
	done
	echo "never saw $1 VMs"
	return 1
}
check 'always on: VMs that come are taken in, VMs that go are let go' '
	stkcap -q --jvm Load --budget 0 --every 100ms -o always.stk & capture=$!
	load first
	seen 1
	unload first
	load second
	seen 2
	kill -TERM $capture
	wait $capture || test $? = 143
	unload second
	stkcat --check always.stk
	test $(processes) -eq 2
'
finish
