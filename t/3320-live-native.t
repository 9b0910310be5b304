#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --native and --exec: processes that are no Java VMs, from outside.
. "${0%/*}/lib/tap.sh"

have cc || skip_all 'no compiler'
printf 'scheme: work\ngroups:\n- {name: spinning, members: [spin_inner]}\n- {name: waiting, members: [wait_inner]}\n' >scheme.yaml
cat >work.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
__asm__(".pushsection .note.stkpipe, \"\", %note\n.long 8, 2f - 1f, 1\n.asciz \"stkpipe\"\n1: .incbin \"scheme.yaml\"\n2: .balign 4\n.popsection");
static int pipe_ends[2];
static volatile double x;
static void wait_inner(void) { char c; while (read(pipe_ends[0], &c, 1) < 0) continue; }
static void *wait_outer(void *p) { wait_inner(); return p; }
static void spin_inner(void) { for (;;) x = x * 1.0000001 + 1; }
static void *spin_outer(void *p) { spin_inner(); return p; }
static volatile int signals;
static void count(int n) { (void)n; signals++; }
int main(void)
{
	pthread_t t;
	sigset_t mask, none;
	sigemptyset(&none);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	signal(SIGUSR1, count);
	if (pipe(pipe_ends) < 0) return 1;
	for (int i = 0; i < 12; i++) pthread_create(&t, NULL, wait_outer, NULL);
	pthread_create(&t, NULL, spin_outer, NULL);
	puts("ready"); fflush(stdout);
	for (;;) { sigsuspend(&none); printf("signals %d\n", signals); fflush(stdout); }
}
END
cc -g -O0 -pthread -o work-program work.c || skip_all 'the compiler does not work'
./work-program >out & program=$!
while ! grep -q ready out; do sleep .02; done
trap 'kill -9 $program 2>/dev/null; rm -rf "$scratch" "$scratch.log"; exit 99' HUP INT TERM

if stkcap -q --native $program -o can.stk 2>why; then
	check 'all threads, each with its stack, at one instant' '
		status 0 stkcap -q --native $program -o native.stk
		stkcat -f folded native.stk >got
		test "$(sed -n "s/.*wait_outer;wait_inner;.* \([0-9]*\)$/\1/p" got)" = 12
		grep -q "spin_outer;spin_inner 1$" got
		grep -q "main;.*sigsuspend" got
		stkcat -f tsv --only dump native.stk | awk -F "\t" "NR == 2 { exit \$7 != 14 || \$6 <= 0 }"
	'
	check 'a scheme that the program carries groups its stacks, without -s, and goes on once through stkgroup' '
		stkgroup -q -f tsv native.stk | cut -f 1-3 >got
		printf "scheme\tgroup\tcount\nwork\tspinning\t1\nwork\twaiting\t12\nwork\t(none)\t1\n" | same - got
		stkgroup -q --step 1h native.stk | stkgroup --step 1h 2>said >again.stk
		grep -q "grouped before" said
		stkcat -f tsv --only scheme again.stk | cut -f 1,2 >got
		printf "id\tname\n1\twork\n" | same - got
		test "$(stkcat -f tsv --only group_figure again.stk | wc -l)" -eq 4
		stkgroup -s idle -f tsv native.stk 2>&1 >/dev/null | grep -q "schemes that the input carries are left out"
	'
	cp "$(command -v sleep)" shop-sleep
	# shop SECONDS: begins one, whose number is $!, and waits until it is what it is called
	shop() { ./shop-sleep "$1" & while ! grep -q shop-sleep /proc/$!/comm; do sleep .02; done; }
	names() { stkcat -f tsv --only source "$@" | awk -F "\t" "NR > 1 && \$1 != \"id\" { print \$2, \$4, \$7 }" | sort; }
	check 'a process is one source and keeps its name in the next capture, also where the first one of the name began anew' '
		shop 1001; one=$!
		shop 1002; two=$!
		stkcap -q --native shop-sleep -o names.stk
		kill $one
		shop 1001; three=$!
		stkcap -q --native shop-sleep -o names.stk
		names names.stk >got
		kill $two $three
		{ printf "shop-sleep %s native\n" $one $three; printf "shop-sleep#2 %s native\n" $two $two; } | sort >expected
		same expected got
	'
	check 'again and again: the program goes on, its threads run, no tracer is left' '
		status 0 stkcap -q --native work-program --budget 0 --every 20ms --count 50 -o often.stk
		test $(stkcat -f tsv --only dump often.stk | wc -l) -ge 20
		grep -q "^TracerPid:.0$" /proc/$program/status
		grep -q "^State:.[RS]" /proc/$program/status
	'
	check 'a signal that comes meanwhile is not lost' '
		stkcap -q --native $program --budget 0 --every 5ms --count 400 -o signals.stk & capture=$!
		for i in $(seq 50); do		# each after the one before it has come: two that wait are one
			kill -USR1 $program
			for try in $(seq 200); do test "$(tail -1 out)" != "signals $i" || break; sleep .01; done
			test "$(tail -1 out)" = "signals $i"
		done
		wait $capture
	'
	check 'a thread that cannot stop now, as one that waits for its vfork, is not stopped later either' '
		cat >later.c <<-END
			#include <stdio.h>
			#include <unistd.h>
			int main(void)
			{
				puts("ready"); fflush(stdout);
				if (vfork() == 0) { usleep(700000); _exit(0); }
				puts("went on"); fflush(stdout);
				pause();
				return 0;
			}
		END
		cc -w -o later later.c
		./later >later.out & later=$!
		while ! grep -q ready later.out; do sleep .02; done
		stkcap -q --native $later --every 1h --count 2 -o later.stk 2>later.err & capture=$!
		for try in $(seq 300); do ! grep -q "went on" later.out || break; sleep .02; done
		cp later.out before.out
		kill $capture; wait $capture || true
		kill -9 $later
		grep -q "went on" before.out
	'
	# named FILE: its stack is that of the contained program, by its own functions
	named() {
		stkcat -f folded "$1" >got
		grep -q ";main;contained_outer;contained_inner" got
	}
	check 'functions are those of the files that the process has mapped: in a container where another program is at the same path with us, and of a file that is there no more' '
		mkdir jail
		echo "#include <unistd.h>
			__attribute__((noinline)) static void contained_inner(void) { for (;;) pause(); }
			__attribute__((noinline)) static void contained_outer(void) { contained_inner(); }
			int main(void) { alarm(60); contained_outer(); return 0; }" >contained.c
		cc -O0 -o contained contained.c
		cp work-program jail/contained		# not this one
		inside="mount -t tmpfs none jail && cp contained jail && exec jail/contained"
		if unshare -rm true 2>why; then
			unshare -rm sh -c "$inside" & contained=$!
			while ! grep -q contained /proc/$contained/comm; do sleep .02; done
			status 0 stkcap -q --native $contained -o by_mapping.stk
			named by_mapping.stk
			if setpriv --bounding-set=-all true 2>why; then	# without the right to open what is mapped itself
				status 0 setpriv --bounding-set=-sys_admin,-checkpoint_restore stkcap -q --native $contained -o by_name.stk
				named by_name.stk
			fi
			kill $contained
		fi
		./contained & contained=$!
		while ! grep -q contained /proc/$contained/comm; do sleep .02; done
		rm contained
		status 0 stkcap -q --native $contained -o removed.stk
		kill $contained
		test -n "$(setpriv --bounding-set=-all true 2>&1)" || named removed.stk
	'
	check 'code that is in no file is of no file, also between two parts of a file' '
		cat >apart.c <<-END
			#include <fcntl.h>
			#include <string.h>
			#include <stdio.h>
			#include <sys/mman.h>
			#include <unistd.h>
			int main(int count, char **arguments)
			{
				int own = open(arguments[0], O_RDONLY);
				alarm(60);
				char *again = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, own, 0);
				char *code = mmap(again - 8192, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				memcpy(code, "\\x6a\\x22\\x58\\x0f\\x05\\xeb\\xf9", 7);	/* pause, again and again */
				puts(code < again && code > (char *)main ? "ready" : "not between"); fflush(stdout);
				((void (*)(void))code)();
				return count;
			}
		END
		cc -w -O1 -static -o apart apart.c	# without libraries between the two parts
		./apart >apart.out & apart=$!
		while ! test -s apart.out; do sleep .02; done
		status 0 stkcap -q --native $apart -o apart.stk
		kill $apart
		grep "^ready" apart.out
		stkcat -f folded apart.stk >got
		test $(grep -c "\\[unknown\\] 1\$" got) -eq 1
	'
	check 'a process that is stopped stays stopped; one that ends in the middle is told' '
		kill -STOP $program
		status 0 stkcap -q --native $program -o stopped.stk
		grep -q "^State:.T" /proc/$program/status
		kill -CONT $program
		./work-program >/dev/null & other=$!
		(while ! stkcat -q -f tsv --only source ends.stk 2>/dev/null | grep -q "	$other	"; do sleep .05; done; sleep .2; kill -9 $other) &
		stkcap --native $other,$program --budget 0 --every 20ms --count 100 -o ends.stk 2>ends.err
		grep -q "($other): ended" ends.err
		test $(stkcat -f tsv --only dump ends.stk | wc -l) -ge 20
		stkcat --check ends.stk
	'
else
	skip "$(cat why)" 'all threads, each with its stack, at one instant'
fi
check '--exec: what a command prints, of a process or of none; a command that fails, that hangs, that floods' '
	cp "$t/fuzz/seed/process_dump/go" go
	status 0 stkcap -q --exec "cat go" --source service --budget 0 --every 500ms --count 3 -o go.stk
	test $(stkcat -f tsv --only dump go.stk | wc -l) -eq 4
	stkcat -f tsv --only source go.stk | grep -q "	service	"
	status 0 stkcap -q --exec "sed s/812/{pid}/ $t/fuzz/seed/process_dump/py" --of $program -o py.stk
	stkcat -f tsv --only source py.stk | grep -q "	$program	"
	status 1 stkcap -q --exec false -o false.stk 2>err; grep -q "failed with status 1" err
	status 1 stkcap -q --exec "kill -9 \$\$" -o killed.stk 2>err; grep -q "signal 9" err
	status 1 stkcap -q --exec "echo hello" -o hello.stk 2>err; grep -q "unknown format" err
	status 1 stkcap -q --deadline 300ms --exec "cat go; sleep 987 & sleep 986" -o hang.stk 2>err; grep -q "was killed" err
	status 1 pgrep -f "sleep 98[67]"
	test $(stkcat -f tsv --only dump hang.stk 2>/dev/null | awk -F "\t" "\$12 == 1" | wc -l) -eq 1
	(case $BUILD in *address*) ;; *) ulimit -v 1500000 ;; esac; status 1 stkcap -q --deadline 20s --exec "yes \"goroutine 1 [running]:\"" -o flood.stk 2>err)
	grep -q "longer than 64 MB" err
	stkcat --check flood.stk 2>/dev/null || test $? = 1
	status 2 stkcap -q --of $program --jvm all -o x.stk 2>/dev/null
'
kill -9 $program
finish
