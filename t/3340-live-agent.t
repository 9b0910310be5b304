#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --agent: the dumps of the agent in the VM are those of the VM.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"

test -n "$java_homes" || skip_all 'no JDK'
agent=$BUILD/lib/stkpipe/libstkagent.so
test -f "$agent" || skip_all 'no agent was built'
shape() { stkcat -f dumps "$1" | awk '/^"/ { name = $0; sub(/" .*/, "\"", name) } /^"(idle|main|Finalizer|Reference)/ { on = 1 } /^$/ { on = 0 } on && /^\tat/ { print name, $2 }'; }

for home in $java_homes; do
	java=$home/bin/java
	version=$("$java" -version 2>&1 | sed -n 's/.*version "\([^"]*\).*/\1/p')
	mkdir "$version" && cd "$version" || exit
	load one
	check "$version: the same threads and stacks as a thread dump" '
		for try in 1 2 3 4 5 6 7 8; do		# until all its threads have got to where they stay
			rm -f agent.stk dump.stk
			status 0 stkcap -q --source it --jvm $one --agent -o agent.stk
			status 0 stkcap -q --source it --jvm $one -o dump.stk
			shape agent.stk | sed "s/(.*//; s|java.base@[^/]*/||" >agent.shape
			shape dump.stk | sed "s/(.*//; s|java.base@[^/]*/||" >dump.shape
			cmp -s agent.shape dump.shape && break
			sleep .5
		done
		same agent.shape dump.shape
		test $(wc -l <agent.shape) -ge 20
		stkcat --check agent.stk
		stkcat -f tsv --only dump agent.stk | awk -F "\t" "NR == 2 { exit \$12 != 0 || \$7 < 40 }"
	'
	check "$version: again and again, and by two at once" '
		stkcap -q --jvm $one --agent --budget 0 --every 10ms --count 100 -o first.stk & first=$!
		status 0 stkcap -q --jvm $one --agent --budget 0 --every 10ms --count 100 -o second.stk
		wait $first
		test $(cat first.stk second.stk | stkcat -f tsv --only dump | wc -l) -ge 60
		stkcat --check first.stk second.stk
		test $(grep -c "stkagent:" one.out) -eq 0
	'
	unload one
	check "$version: loaded from the start it knows who holds which monitor" '
		java_flags="-agentpath:$agent"; load from; java_flags=
		status 0 stkcap -q --jvm $from --agent --locks --every 50ms --count 10 -o locks.stk
		stkcat -f dumps locks.stk | grep -q "	- locked <0x[0-9a-f]*> (a java.lang.Object)"
		stkcat -f dumps locks.stk | grep -q "	- waiting to lock <0x[0-9a-f]*> (a java.lang.Object)"
		unload from
	'
	check "$version: a VM that loads no agents says so, and nothing is done to it" '
		java_flags="-XX:-EnableDynamicAgentLoading"; load off; java_flags=
		status 1 stkcap -q --jvm $off --agent -o off.stk 2>err
		grep -q "EnableDynamicAgentLoading" err
		unload off
	'
	if test "$(id -u)" = 0 && unshare -p -m -f true 2>/dev/null; then
		check "$version: in a container it gets a copy of the agent, which does not stay" '
			unshare -p -m -f sh -c "mount -t tmpfs none /mnt && cp -r $classes /mnt && mount --move /mnt /tmp && exec \"$java\" -Xmx64m -cp /tmp/classes Load" >inner.out 2>&1 & outer=$!
			while ! grep -q "^ready" inner.out; do kill -0 $outer; sleep .05; done
			inner=$(pgrep -P $outer)
			status 0 stkcap -q --jvm $inner --agent -o inner.stk
			test $(stkcat -f tsv --only dump inner.stk | wc -l) -eq 2
			status 2 ls /proc/$inner/root/tmp/.stkagent*.so 2>/dev/null
			kill -9 $inner; wait $outer || true
		'
	else
		skip 'needs root and namespaces' "$version: in a container it gets a copy of the agent, which does not stay"
	fi
	cd ..
done
rm -f /tmp/.stkagent_pid*
finish
