#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --ticks of ordinary VMs: stacks are walked from outside, without an agent and without a start flag, and are those that the program really has.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"
by_turns

test -n "$java_homes" || skip_all 'no JDK'
test "$(uname -m)" = x86_64 || skip_all 'stacks are walked on x86-64 only'

program=Shares
apart="-XX:CompileCommand=quiet -XX:CompileCommand=exclude,Shares.interpreted"
for method in loop deep nativeCode lambdas sorting work; do apart="$apart -XX:CompileCommand=dontinline,Shares.$method"; done
seconds=2

# walk NAME FLAG...: NAME.stk has the ticks of a program that runs with the flags, NAME.out its true shares, NAME.folded the stacks, NAME.err what stkcap said
walk() {
	walked=$1
	shift
	java_flags="$*"
	load burner $seconds
	status 0 stkcap --jvm $burner --ticks 997 --count $seconds -o "$walked.stk" 2>"$walked.err"
	until grep -q "^done" burner.out; do kill -0 $burner; sleep .05; done
	unload burner
	mv burner.out "$walked.out"
	stkcat -f folded "$walked.stk" >"$walked.folded"
}

# shares_differ FOLDED TRUTH: the largest difference in points, over the samples of the main thread, of a method's share by samples and by its CPU time; what
# chance explains is 5 points at most: on a busy machine there are few samples
shares_differ() {
	awk 'NR == FNR { if (NF == 2 && $2 ~ /^[0-9.]+$/) truth[$1] = $2; next }
	     /Shares.main/ { for (name in truth) if (index($0, ";Shares." name)) { found[name] += $NF; all += $NF; break } }
	     END { for (name in truth) { d = 100 * found[name] / all - truth[name]; if (d < 0) d = -d
			chance = 400 * sqrt(truth[name] / 100 * (1 - truth[name] / 100) * 1003009 / all); if (chance > 5) d *= 5 / chance	# ns of a tick
			if (d > most) most = d; printf "%s %.2f %.2f\n", name, truth[name], 100 * found[name] / all >"/dev/stderr" }
		   print most }' "$2" "$1"
}

java=$(echo "$java_homes" | head -n 1)/bin/java
load trial 1
stkcap -q --jvm $trial --ticks 99 --count 1 -o can.stk 2>why || { unload trial; skip_all "$(tail -n 1 why)"; }
unload trial
if grep -q 'no stacks of its ticks' why; then skip_all "$(tail -n 1 why)"; fi

for home in $java_homes; do
	java=$home/bin/java
	version=${home##*/}
	check "$version: shares are those that the program measured itself, to 5 points or what chance explains; the thread that sleeps has none" '
		walk plain $apart
		cat plain.err
		most=$(shares_differ plain.folded plain.out)
		awk "BEGIN { exit !($most < 5) }"
		test $(grep -c sleeper plain.folded) -eq 0
	'
	check "$version: nearly all stacks are whole, from the first method of the thread to the last" '
		test $(stkcat -f folded plain.stk | wc -l) -ge 20
		awk "{ all += \$NF } /\\[cut: / { cut += \$NF } END { exit !(cut < 0.01 * all) }" plain.folded
		awk "/^[^;]*;Shares.main/ { main += \$NF } /Shares/ { all += \$NF } END { exit !(main > 0.98 * all) }" plain.folded
		grep -q "stacks walked (JDK [0-9]*), [0-9.]* % of those with methods whole" plain.err
	'
	check "$version: recursion of 41 calls has 41 frames in every sample of its leaf" '
		grep "Shares.deep;Shares.loop [0-9]*\$" plain.folded >leaves
		awk "{ n = gsub(/;Shares.deep/, \"\"); if (n != 41) exit 1 }" leaves
		test -s leaves
	'
	check "$version: methods have their lines, modules say how they ran, native code has its names" '
		stkcat -f tsv --only frame plain.stk >frames
		grep "Shares.interpreted" frames | grep -q "\\[interpreted\\]"
		grep "Shares.loop" frames | grep -q "\\[compiled\\]"
		first=$(grep -n "static int loop" "$t/java/Shares.java" | cut -d : -f 1)
		stkcat -f ndjson --only frame plain.stk | grep "\"function\":\"Shares.loop\"" | sed -n "s/.*\"file\":\"Shares.java\",\"line\":\\([0-9]*\\),.*/\\1/p" >lines
		test -s lines
		awk -v first=$first "\$1 < first || \$1 > first + 4 { exit 1 }" lines
		grep -q "Shares.nativeCode;java.util.zip.Deflater.deflate.*;.*deflate" plain.folded
	'
done
check 'code that is only interpreted' '
	seconds=1
	walk interpreted -Xint
	awk "{ all += \$NF } /\\[cut: / { cut += \$NF } END { exit !(all > 0 && cut < 0.01 * all) }" interpreted.folded
	awk "/^[^;]*;Shares.main/ { main += \$NF } { all += \$NF } END { exit !(main > 0.9 * all) }" interpreted.folded
'
check 'threads that compute and sleep by turns are where they compute; the agent says how late its answers are, and drops those of threads that waited' '
	program=Naps java_flags=
	load napper
	status 0 stkcap -q --jvm $napper --ticks 499 --count 2 -o naps.stk
	stkcat -f folded naps.stk | awk "/Naps.nap/ { nap += \$NF } /Naps/ { all += \$NF } END { print nap / all; exit !(nap < 0.06 * all) }"
	if test -f "$BUILD/lib/stkpipe/libstkagent.so"; then
		status 0 stkcap --jvm $napper --agent --ticks 499 --count 2 -o agent.stk 2>err
		grep -Eq "stacks by the agent, [0-9.]+ ms after their ticks \(median\), [0-9.]+ ms \(99 %\)|ticks without a stack: the answer came late" err
	fi
	unload napper
	program=Shares
'
check 'what is not copied is marked, and counted; without copies there are stacks only of VMs that keep frame pointers' '
	seconds=1
	java_flags=
	load burner 4
	status 0 stkcap --jvm $burner --ticks 499 --count 1 --stack-copy 1K -o short.stk 2>err
	grep -q "of them end early: the rest was not copied" err
	stkcat -f folded short.stk | grep -q ";\\[cut: the rest was not copied\\];.*Shares.deep"
	status 1 stkcap --jvm $burner --ticks 99 --count 1 --stack-copy 0 -o none.stk 2>err
	grep -q "no stacks of its ticks: it was not started with -XX:+PreserveFramePointer" err
	status 2 stkcap --jvm $burner --ticks 99 --count 1 --stack-copy 1K --agent -o x.stk 2>err
	grep -q "no effect" err
	status 2 stkcap --jvm $burner --ticks 99 --count 1 --stack-copy 1K --order count -o x.stk 2>err
	status 2 stkcap --jvm $burner --stack-copy 1K -o x.stk 2>err
	stkcap --list -f tsv | awk -F "\t" -v pid=$burner "\$1 == pid" | grep -q "stacks at ticks"
	unload burner
'
finish
