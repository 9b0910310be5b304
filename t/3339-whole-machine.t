#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --native all --ticks: the whole machine, or a control group, as processes that come and go; more than 64 of them.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"
by_turns

have cc || skip_all 'no compiler'
cat >busy.c <<'END'
/* busy N: the N-th part of a processor, in spend. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile double x;
__attribute__((noinline, noclone)) static void spend(void) { clock_t end = clock() + CLOCKS_PER_SEC / 1000; while (clock() < end) for (int i = 0; i < 1000; i++) x += i; }
int main(int argc, char **argv)
{
	struct timespec rest = { 0, 1000000L * (argc > 1 ? atoi(argv[1]) - 1 : 0) };
	puts("ready"); fflush(stdout);
	for (;;) { spend(); if (rest.tv_nsec > 0) nanosleep(&rest, NULL); }
}
END
cc -O1 -o stk-busy busy.c && cp stk-busy stk-later && cp stk-busy stk-many || skip_all 'the compiler does not work'
programs=
clean_up() { kill -9 $programs ${java-} 2>/dev/null; }
trap 'clean_up; rm -rf "$scratch" "$scratch.log"; exit 99' HUP INT TERM
./stk-busy 2 >ready & busy=$!
sleep 1000 & idle=$!
programs="$busy $idle"
until grep -qs ready ready; do sleep .02; done
sleep 1.2			# it is not young any more
stkcap --native all --ticks 199 --count 1 -o first.stk 2>said & own=$!
wait $own && got=0 || got=$?
if test $got = 3; then clean_up; skip_all "$(tail -n 1 said)"; fi

check 'of all processes those that run are in the stream, with stacks and counts; those that rest, the kernel and stkcap itself are not' '
	cat said
	test $got = 0
	stkcat -f tsv --only source first.stk >sources
	stkcat -f tsv --only sample first.stk | awk "END { exit NR < 2 }"
	stkcat -q -f folded first.stk | grep -q "^stk-busy;.*;main;spend"
	stkcat -f tsv --only counter first.stk | awk -F "\t" "\$2 == \"stk-busy\" && \$4 == \"inside\" && \$5 > 0 { n++ } END { exit n == 0 }"
	grep -q "^stkcap: [0-9]* process[es]*: [0-9]* stacks walked" said
	awk -F "\t" -v idle=$idle -v own=$own "\$4 == idle || \$4 == own || \$2 ~ /^(kthreadd|kworker|migration|ksoftirqd)/ { bad = 1 } END { exit bad }" sources
	status 1 grep -E "stk-busy .[0-9]+.: " said
	stkcat --check first.stk
'
check 'a process that begins while the capture runs is in it; the capture goes on when one ends' '
	"$BUILD/bin/stkcap" -q --native all --ticks 199 -o later.stk & capture=$!
	./stk-later 2 >/dev/null & later=$!
	i=0
	until stkcat -q -f folded later.stk 2>/dev/null | grep -q "^stk-later.*;main;spend"; do
		i=$((i + 1))
		test $i -lt 300
		sleep .2
	done
	kill $later
	wait $later || true
	samples=$(stkcat -q -f tsv --only sample later.stk | wc -l) i=0
	until test $(stkcat -q -f tsv --only sample later.stk | wc -l) -gt $samples; do
		i=$((i + 1))
		test $i -lt 300
		sleep .2
	done
	kill $capture
	wait $capture || true
	stkcat --check later.stk
'
check 'processes that are too young are samples of others, by the names of their programs, as many as the ticks outside' '
	for at in 1 2 3; do ( for i in 1 2 3 4 5 6 7 8 9 10 11 12; do timeout .4 ./stk-later 1 >/dev/null; done; true ) & done
	timeout 100 stkcap -q --native all --ticks 199 --count 3 -o young.stk
	wait
	stkcat -q -f folded young.stk | grep -q "^stk-later;\[stk-later\] "
	outside=$(stkcat -f tsv --only counter young.stk | awk -F "\t" "\$2 == \"\" && \$4 == \"outside\" { at[\$3] = \$5 } END { for (c in at) n += at[c]; print n + 0 }")
	others=$(stkcat -f tsv --only sample young.stk | awk -F "\t" "\$2 == \"others\"" | wc -l)
	echo "$others of $outside"
	test $others -le $((outside + 2)) -a $others -ge $((outside * 9 / 10))
	stkcat --check young.stk
'
check 'more than 64 processes are counted at a time' '
	for i in 1 2 3 4 5 6 7 8; do for j in 1 2 3 4 5 6 7 8 9; do ./stk-many 300 >/dev/null & echo $! >>many; done; done
	sleep .2
	timeout 100 stkcap --native stk-many --ticks 99 --order count --count 2 -o many.stk 2>why
	kill $(cat many)
	status 1 grep "too many" why
	test $(stkcat -f tsv --only counter many.stk | awk -F "\t" "\$2 ~ /^stk-many/ && \$4 == \"inside\" { at[\$2] = 1 } END { print length(at) }") -eq 72
'
programs="$programs $(cat many 2>/dev/null)"
group=$(awk -F : '{ print length($3), $3 }' /proc/self/cgroup | sort -rn | sed 's/^[0-9]* //;q')
check 'of a control group those that are in it: by its path, not by a part of a name' '
	timeout 100 stkcap -q --native "cgroup=$group" --ticks 199 --count 2 -o group.stk
	stkcat -q -f folded group.stk | grep -q "^stk-busy.*;main;spend"
	status 1 stkcap --native cgroup=/no/such/group --ticks 199 --count 1 -o none.stk 2>why
	grep -q "cgroup=/no/such/group: no process of that group" why
	test $(stkcat -f tsv --only sample none.stk | wc -l) -eq 1
	status 2 stkcap --native cgroup=shop --ticks 199 2>why
	grep -q "expected a path" why
'
check 'dumps of all are refused, and what to do instead is said' '
	status 2 stkcap --native all 2>why
	grep -q "too many for dumps.*--ticks" why
	status 2 stkcap --native all --ticks 99 --every 1s 2>why
	grep -q "too many for dumps" why
	status 2 stkcap --python all --ticks 99 2>why
'
check 'a Java VM among all has its methods and its collections, also when it is asked for as one' '
	have java && have javac || { echo "no java"; exit 0; }
	cat >Spend.java <<-END
	public class Spend { static double x; static void spend() { for (int i = 0; i < 100000; i++) x += Math.sqrt(i); }
	public static void main(String[] a) { System.out.println("ready"); for (;;) spend(); } }
	END
	javac Spend.java
	java -cp . Spend >java-ready & java=$!
	until grep -qs ready java-ready; do sleep .05; done
	sleep 1.5
	timeout 100 stkcap -q --native all --ticks 199 --count 1 -o java.stk
	timeout 100 stkcap -q --native all --jvm all --ticks 199 --count 1 -o both.stk
	kill -9 $java
	stkcat -q -f folded java.stk | grep -q "^Spend.*;Spend.main.*Spend.spend\|^main.*;Spend.main.*Spend.spend\|;Spend.main;Spend.spend"
	stkcat -f tsv --only counter java.stk | awk -F "\t" "\$2 ~ /Spend/ && \$4 == \"inside\" { n++ } END { exit n == 0 }"
	stkcat -q -f folded both.stk | grep -q ";Spend.main;Spend.spend"
	stkcat -q -f folded both.stk | grep -q "^stk-busy.*;main;spend"
	test $(stkcat -f tsv --only source both.stk | grep -c Spend) -eq 1
	stkcat -f tsv --only source java.stk both.stk | awk -F "\t" "\$2 == \"Spend\" && \$7 == \"jvm\" { n++ } END { exit n != 2 }"
	stkcat -f tsv --only source java.stk | awk -F "\t" "\$2 == \"others\" && \$7 == \"jvm\" { exit 1 }"
'
clean_up
finish
