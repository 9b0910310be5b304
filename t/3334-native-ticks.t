#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --native --ticks: any process ticks; stacks at ticks are walked from outside, and are those that the program really has.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"
. "$t/lib/ticks_near.sh"
by_turns

have cc || skip_all 'no compiler'
test "$(uname -m)" = x86_64 || skip_all 'stacks are walked on x86-64 only'
cat >shares.c <<'END'
/* In turns of 10 ms, with rests: half of the CPU time in flat, three tenths below deep, two tenths in a second thread; and a thread that sleeps. At SIGTERM it says what it used of each. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#define APART __attribute__((noinline, noclone))
static volatile sig_atomic_t ended;
static volatile double x;
static double used[3];
static sem_t begin, end;
static double cpu_ms(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return 1e3 * t.tv_sec + t.tv_nsec / 1e6; }
static inline __attribute__((always_inline)) void burn(double ms, int who)
{
	double from = cpu_ms(), now = from;
	while (now < from + ms) { for (int i = 0; i < 20000; i++) x = x * 1.0000001 + 1; now = cpu_ms(); }
	used[who] += now - from;
}
static APART void flat(void) { burn(5, 0); }
static APART int deep(int n) { char room[100 + n]; if (n == 0) burn(3, 1); else room[n] = deep(n - 1); return n > 0 ? room[n] + 1 : 0; }
static APART void other(void) { burn(2, 2); }
static void *run_other(void *p) { pthread_setname_np(pthread_self(), "GC Thread#0"); for (;;) { sem_wait(&begin); other(); sem_post(&end); } return p; }
static APART void *run_sleeper(void *p) { for (;;) pause(); return p; }
static void stop(int n) { (void)n; ended = 1; }
int main(void)
{
	pthread_t t;
	signal(SIGTERM, stop);
	sem_init(&begin, 0, 0); sem_init(&end, 0, 0);
	pthread_create(&t, NULL, run_other, NULL);
	pthread_create(&t, NULL, run_sleeper, NULL);
	puts("ready"); fflush(stdout);
	while (!ended) { flat(); deep(30); sem_post(&begin); while (sem_wait(&end) != 0) continue; usleep(35000); }
	printf("flat %f\ndeep %f\nother %f\n", used[0], used[1], used[2]);
	return 0;
}
END
cc -O2 -fomit-frame-pointer -pthread -o shares shares.c || skip_all 'the compiler does not work'
./shares >truth & program=$!
trap 'kill -9 $program 2>/dev/null; rm -rf "$scratch" "$scratch.log"; exit 99' HUP INT TERM
until grep -qs ready truth; do sleep .02; done
# without copies of stacks there are none, and that is said
stkcap -q --native $program --ticks 499 --stack-copy 0 --count 1 -o none.stk 2>why && got=0 || got=$?
if test $got = 3; then kill -9 $program; skip_all "$(tail -n 1 why)"; fi

check 'without copies of stacks there are none, and that is said' '
	test $got = 1
	grep -q "no stacks of its ticks: they are walked in copies, which --stack-copy 0 does without" why
	test $(stkcat -f tsv --only sample none.stk | wc -l) -gt 5
'
begin_of_ticks $program
stkcap --native $program --ticks 997 --count 2 --moments -o ticks.stk 2>err
end_of_ticks $program
stkcat -q -f folded ticks.stk >folded
check 'of copies that are too short, said; with --every there are dumps too, of the same source and the same threads' '
	status 0 stkcap --native $program --ticks 499 --stack-copy 1K --every 1s --count 2 -o both.stk 2>said
	grep -q "of them end early: the rest was not copied" said
	stkcat -f folded --event cpu-clock both.stk | grep -q "\\[cut: the rest was not copied\\];.*deep;deep"
	test $(stkcat -f tsv --only dump both.stk | wc -l) -eq 3
	test $(stkcat -f tsv --only source both.stk | wc -l) -eq 2
	test $(stkcat -f tsv --only thread both.stk | wc -l) -eq 4
'
check '--list says what the processes of --native give, and which there are none of' '
	status 0 stkcap --list -f tsv --native shares >list
	awk -F "\t" -v pid=$program "\$1 == pid && \$3 == \"native\" && \$5 == \"native stacks, stacks at ticks\" { n++ } END { exit n != 1 }" list
	status 1 stkcap --list --native no-such-program,$program 2>said >list
	grep -q "no-such-program: no such process" said
	grep -q "$program .*stacks at ticks" list
	status 2 stkcap --list --native all 2>said
	# of another user, where there is one that may not: the whole reason
	test "$(id -u)" -ne 0 || ! setpriv --reuid 65534 --clear-groups true || {
		setpriv --reuid 65534 --clear-groups "$BUILD/bin/stkcap" --list --width 60 --native $program >list
		grep "no native stacks: it belongs to another user (0): root or that user may stop it\$" list
	}
'
kill $program
wait $program || true

check 'shares are those that the program measured itself, to 5 points or what chance explains; the thread that sleeps has none' '
	cat err
	awk "NR == FNR { if (NF == 2) { truth[\$1] = \$2; all += \$2 } next }
	     { n += \$NF; for (name in truth) if (index(\$0, \";\" name \" \") || index(\$0, \";\" name \";\")) { found[name] += \$NF; break } }
	     END { for (name in truth) { is = 100 * found[name] / n; was = 100 * truth[name] / all; room = 400 * sqrt(was / 100 * (1 - was / 100) / ticks); if (room < 5) room = 5; print name, is, was, room; if (is < was - room || is > was + room) bad = 1 } exit bad || ticks < 20 }" ticks=$(($(stkcat -f tsv --only sample ticks.stk | wc -l) - 1)) truth folded
	test $(grep -c run_sleeper folded) -eq 0
'
check 'nearly all stacks are whole; recursion of 31 calls has 31 frames' '
	awk "{ all += \$NF } /\\[cut: / { cut += \$NF } END { exit !(cut < 0.02 * all) }" folded
	grep ";deep" folded | grep -v "\\[cut: " >leaves
	awk "{ n = gsub(/;deep/, \"\"); if (n != 31) exit 1 } END { exit NR == 0 }" leaves
	awk "/main.*;flat|main.*;deep|run_other;other/ { right += \$NF } { all += \$NF } END { exit !(right > 0.9 * all) }" folded
	grep -q "shares ([0-9]*): [0-9]* stacks walked, [0-9.]* % of them whole" err
'
check 'ticks inside are the CPU time that the system counts; no thread is of a collection, whatever its name' '
	stkcat --check ticks.stk
	stkcat -f tsv --only counter ticks.stk >counters
	inside=$(awk -F "\t" "\$2 == \"shares\" && \$4 == \"inside\" { at[\$3] = \$5 } END { for (c in at) n += at[c]; print n + 0 }" counters)
	count() { awk -F "\t" -v state=$1 "\$2 == \"\" && \$4 == state { at[\$3] = \$5 } END { for (c in at) n += at[c]; print n + 0 }" counters; }
	captured=$(($(count expected) * 1000 / 997 / $(awk -F "\t" "\$4 == \"seen\" { at[\$3] = 1 } END { print length(at) }" counters)))
	echo "$(count lost) lost"
	ticks_are_near $((inside + $(count lost))) 997 $captured
	test $(awk -F "\t" "\$2 == \"shares\" && \$4 != \"inside\"" counters | wc -l) -eq 0
	test $(stkcat -f tsv --only sample ticks.stk | wc -l) -ge $((inside * 9 / 10))
	stkcat -f text ticks.stk | awk "\$NF == \"shares\" && NF == 3 { n++ } END { exit n < 1 }"	# nothing below gc and vm-internal
	stkcat -f tsv --only event ticks.stk | grep -q "=inside:shares"
'
finish
