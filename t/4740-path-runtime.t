#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program with probes writes, and when: at exit, when a signal ends it, when asked, from children; with threads; and what gets no probes, and why.
. "${0%/*}/lib/tap.sh"
. "$t/lib/probed.sh"

# program NAME OPTION...: NAME.c with probes
program() {
	name=$1
	shift
	assembly "$name" "$name.c" "-I$t/../include"
	stkpath instrument -q "$name.ll" "$@" -o "$name.probed.ll"
	build "$name.probed.ll" "$name"
}
# calls FILE...: function, calls, counted, others, unfinished
calls() { stkcat --only path_call -f tsv "$@" | awk -F '	' '$6 ~ /^[0-9]/ { for (i = 6; i < 10; i++) n[$3, i] += $i; f[$3] } END { for (k in f) print k, n[k, 6], n[k, 7], n[k, 8], n[k, 9] }' | sort; }

cat >work.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int odd(int n) { return n & 1 ? n : -n; }
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += odd(i); return s; }
int deep(int n) { return n == 0 ? (raise(SIGUSR2), 0) : deep(n - 1) + 1; }
int forks(void) { work(10); if (fork() == 0) { work(5); return 0; } wait(NULL); return 1; }
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	work(3);
	if (strcmp(how, "kill") == 0) raise(SIGTERM);
	if (strcmp(how, "crash") == 0) *(volatile int *)16 = 1;
	if (strcmp(how, "abort") == 0) abort();
	if (strcmp(how, "ask") == 0) { deep(4); work(2); }
	if (strcmp(how, "quick") == 0) quick_exit(4);
	if (strcmp(how, "pipe") == 0) { int ends[2]; if (pipe(ends) == 0) close(ends[0]); return (int)write(ends[1], "x", 1); }
	if (strcmp(how, "away") == 0) return chdir("/") + 7;
	if (strncmp(how, "signal=", 7) == 0) raise((int)strtol(how + 7, NULL, 10));
	if (strcmp(how, "fork") == 0) forks();
	return work(1) + 7;
}
END

check 'at exit, the status being what it was; the file is named by the number of the process' '
	program work
	status 7 ./work
	set -- stkpath-*.stk
	test $# = 1
	stkcat --check "$1"
	calls "$1" | grep -qx "odd 4 4 0 0"
	stkcat --only source -f tsv "$1" | grep -q "	work	"
	rm stkpath-*.stk
'
check 'more is added to a file that is there' '
	status 7 env STKPATH_FILE=all.stk ./work
	status 7 env STKPATH_FILE=all.stk ./work
	stkcat --check all.stk
	calls all.stk | grep -qx "odd 8 8 0 0"
'
plainly() { (ulimit -c 0; afresh "$@"); }
work() { plainly ./work "$@"; }
for ending in "kill 143" "crash 139" "abort 134" "quick 4"; do
	how=${ending% *} ends=${ending#* }
	check "when it ends by $how" '
		STKPATH_FILE=$how.stk status $ends work $how 2>err
		stkcat --check $how.stk
		calls $how.stk | grep -qx "odd 3 3 0 0"
		calls $how.stk | grep -qx "main 1 0 0 1"
	'
done
check 'at every other signal that ends a program' '
	for number in 1 2 3 4 5 7 8 10 12 13 14 24 25 26 27 29 30 31; do
		rm -f one.stk
		STKPATH_FILE=one.stk status $((128 + number)) work signal=$number 2>err
		calls one.stk | grep -qx "odd 3 3 0 0"
	done
	STKPATH_FILE=pipe.stk status 141 work pipe 2>err
	calls pipe.stk | grep -qx "odd 3 3 0 0"
	STKPATH_FILE=ignored.stk status 255 sh -c "trap \"\" PIPE; exec ./work pipe"
	calls ignored.stk | grep -qx "main 1 1 0 0"
'
check 'when the stack overflows' '
	cat >endless.c <<-END2
	#include <stdio.h>
	int down(int n) { char room[4096]; snprintf(room, sizeof room, "%d", n); return n < 0 ? 0 : down(n + 1) + room[0]; }
	int main(void) { return down(1); }
	END2
	program endless --method pap
	(ulimit -c 0; STKPATH_FILE=endless.stk status 139 ./endless) 2>err
	stkcat --check endless.stk
	calls endless.stk | grep -qx "main 1 0 0 1"
'
check 'a program that changes its folder: the file is where it was started; the folder may have a percent sign' '
	mkdir "a %p"
	(cd "a %p" && STKPATH_FILE=here.stk status 7 ../work away)
	calls "a %p/here.stk" | grep -qx "odd 3 3 0 0"
'
check 'a signal to ask by that is none is said' '
	for bad in NOSUCH 999 KILL 12x; do
		STKPATH_SIGNAL=$bad STKPATH_FILE=bad.stk status 7 ./work 2>err
		grep -q "stkpath: STKPATH_SIGNAL: not a signal that can be handled" err
	done
'
check 'when a signal asks: what was counted since, and calls that were under way come out even' '
	program work --method pap
	STKPATH_SIGNAL=USR2 STKPATH_FILE=asked.stk status 7 ./work ask
	stkcat --check asked.stk
	test $(stkcat --only head -f tsv asked.stk | grep -c "^1	0	") = 2
	stkcat --only path_call -f tsv asked.stk | awk "\$3 == \"deep\"" | cut -f 6- >got
	printf "5\t0\t0\t5\n0\t5\t0\t-5\n" | same - got
	calls asked.stk | grep -qx "deep 5 5 0 0"
'
check 'a child of a fork writes what it counted itself, and the call in which it was made' '
	program work
	STKPATH_FILE=%p.stk status 7 ./work fork
	set -- [0-9]*.stk
	test $# = 2
	stkcat --check "$@"
	calls "$@" >got
	same - got <<-END2
		deep 0 0 0 0
		forks 2 2 0 0
		main 2 2 0 0
		odd 20 20 0 0
		work 5 5 0 0
	END2
'
check 'a file that cannot be written is said, and nothing else changes' '
	STKPATH_FILE=/nowhere/x.stk status 7 ./work 2>err
	grep -q "stkpath: /nowhere/x.stk: No such file or directory: counts are lost" err
'

cat >threads.c <<'END'
#include <pthread.h>
#include <stdio.h>
int odd(int n) { return n & 1 ? n : -n; }
static void *run(void *sum) { for (int i = 0; i < 200000; i++) *(int *)sum += odd(i); return sum; }
int main(void)
{
	pthread_t threads[4];
	int sums[4] = { 0 };
	for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, &sums[i]);
	for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
	printf("%d\n", sums[3]);
}
END
check 'threads: exact, with --atomic too' '
	for more in "" --atomic; do
		program threads --function odd $more
		rm -f threads.stk
		STKPATH_FILE=threads.stk ./threads >out
		grep -qx 100000 out
		calls threads.stk | grep -qx "odd 800000 800000 0 0"
		stkcat --only path_count -f tsv threads.stk | cut -f 6 | grep -c "^400000$" | grep -qx 2
	done
'
check 'threads: ids in a table, and steps, are right too' '
	program threads --function odd --method pap
	STKPATH_FILE=pap.stk ./threads >out
	calls pap.stk | grep -qx "odd 800000 800000 0 0"
	stkcat --only path_count -f tsv pap.stk | tail -n +2 | wc -l | grep -qx 2
	sed "s/200000/2000/" threads.c >fewer.c
	program fewer --function odd,run --steps
	STKPATH_FILE=steps.stk ./fewer >out
	stkcat --check steps.stk
	stkpath cfg fewer.ll --function odd | stkpath plan -q -m epp -g - -o odd.plan
	stkpath run --plan odd.plan steps.stk 2>err | sed 1d | cut -f 2 | sort >got
	printf "4000\n4000\n" | same - got
	grep -q "8000 activations, 8000 finished.* 0 unfinished, 0 broken" err
'
cat >many.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* 2^30 ways, so that digits are stored in pieces; many ids */
int ways(unsigned n) { int s = 0; for (int i = 0; i < 30; i++) { if (n >> i & 1) s++; else s--; } return s; }
static void *run(void *from) { for (unsigned i = 0; i < 500; i++) ways(*(unsigned *)from + i); return NULL; }
static void handler(int number) { ways((unsigned)number); }
static void *forks(void *from)
{
	run(from);
	if (fork() == 0) { run(from); exit(0); }
	return NULL;
}
/* A thread counts when its other destructors run, too. */
static pthread_key_t key;
static void at_end(void *from) { run(from); }
static void *ends(void *from) { run(from); pthread_setspecific(key, from); return NULL; }
static long resident(void)
{
	long size, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f == NULL || fscanf(f, "%ld %ld", &size, &pages) != 2) abort();
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}
int main(int argc, char **argv)
{
	static unsigned from[16];
	pthread_t t[16];
	if (argc < 2) return 9;
	for (unsigned i = 0; i < 16; i++) from[i] = i % 2 * 7;
	pthread_key_create(&key, at_end);
	if (strcmp(argv[1], "many") == 0)
		for (int i = 0; i < 16; i++) pthread_create(&t[i], NULL, run, &from[i]);
	if (strcmp(argv[1], "ends") == 0)
		for (int i = 0; i < 16; i++) pthread_create(&t[i], NULL, ends, &from[i]);
	if (strcmp(argv[1], "forks") == 0)
		for (int i = 0; i < 16; i++) pthread_create(&t[i], NULL, forks, &from[i]);
	if (strcmp(argv[1], "churn") == 0) {
		long began = 0;
		for (int i = 0; i < 600; i++) {
			pthread_create(&t[0], NULL, run, &from[i % 16]);
			pthread_join(t[0], NULL);
			if (i == 40) began = resident();
		}
		return resident() - began < 4 << 20 ? 0 : 8;
	}
	if (strcmp(argv[1], "signals") == 0) {
		signal(SIGUSR1, handler);
		for (int i = 0; i < 16; i++) {
			pthread_create(&t[i], NULL, run, &from[i]);
			for (int k = 0; k < 20; k++) pthread_kill(t[i], SIGUSR1);
		}
	}
	for (int i = 0; i < 16; i++) pthread_join(t[i], NULL);
	while (wait(NULL) > 0) ;
	return 0;
}
END
check 'threads: many at once, that count while they end, that fork; of each way the sum, once' '
	printf "493 16\n14 8\n" >ways
	for method in pap epp; do
		program many --function ways --method $method
		for how in many ends forks; do
			rm -f many*.stk
			STKPATH_FILE=many-%p.stk ./many $how
			case $how in many) calls=8000 ;; *) calls=16000 ;; esac
			for file in many-*.stk; do calls $file; done | awk "{ n += \$2; m += \$3; o += \$4 + \$5 } END { print n, m, o }" >got
			case $method in
			pap) echo "$calls $calls 0" | same - got ;;
			epp) cut -d " " -f 1 got | grep -qx $calls ;;
			esac
			stkcat --check many-*.stk
			for file in many-*.stk; do
				stkcat --only path_count -f tsv $file | awk -F "	" "NR == 1 { next } seen[\$5]++ { exit 1 } { print \$6 }" >counts
			done
			test $method-$how != pap-many || sort counts | uniq -c | sed "s/^ *//" | same - ways
		done
	done
'
check 'threads: memory is reused by those that come after; none is lost when one is interrupted by a handler that counts' '
	for method in pap epp; do
		program many --function ways --method $method
		STKPATH_FILE=churn.stk ./many churn
		calls churn.stk | cut -d " " -f 2 | grep -qx 300000
		rm churn.stk
		STKPATH_FILE=signals.stk ./many signals
		calls signals.stk | awk "{ exit \$2 < 8001 || \$2 > 8320 || (\"$method\" == \"pap\" && \$2 != \$3) }"
		rm signals.stk
	done
'
cat >gone.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int odd(int n) { return n & 1 ? n : -n; }
static void not_probed(const char *how, char **argv)
{
	extern char **environ;
	char *words[] = { "true", NULL };
	if (strcmp(how, "_exit") == 0) _exit(5);
	if (strcmp(how, "_Exit") == 0) _Exit(5);
	if (strcmp(how, "execve") == 0) execve("/bin/true", words, environ);
	if (strcmp(how, "execvp") == 0) execvp("true", words);
	if (strcmp(how, "execlp") == 0) execlp("true", "true", (char *)0);
	if (strcmp(how, "fails") == 0) { execv("/nosuch", words); odd(7); exit(6); }
	if (strcmp(how, "child") == 0) { if (fork() == 0) { odd(1); odd(2); odd(4); _exit(0); } wait(0); }
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) odd(i);
	if (argc > 2) { if (strcmp(argv[1], "_exit") == 0) _exit(5); execl("/bin/true", "true", (char *)0); }
	not_probed(argv[1], argv);
	return 0;
}
END
check 'when it ends by _exit, or becomes another program' '
	program gone --function odd
	for how in "_exit 5" "_Exit 5" "execve 0" "execvp 0" "execlp 0" "fails 6" "child 0"; do
		rm -f gone*.stk
		STKPATH_FILE=gone-%p.stk status ${how#* } ./gone ${how% *}
		for file in gone-*.stk; do calls $file; done | sort >got
		case $how in
		fails*) echo "odd 4 4 0 0" ;;
		child*) printf "odd 3 3 0 0\nodd 3 3 0 0\n" ;;
		*) echo "odd 3 3 0 0" ;;
		esac | same - got
	done
	program gone --function odd,main --mode sticky
	for how in "_exit 5" "execl 0"; do
		rm -f gone*.stk
		STKPATH_FILE=gone.stk status ${how#* } ./gone ${how% *} now
		calls gone.stk | grep -qx "odd 3 3 0 0"
	done
'
check 'when it ends by _exit where C++ has something to clean up: in a function with probes, in one without, in the copy of one' '
	cat >cleans.cc <<-END
	#include <cstring>
	#include <unistd.h>
	struct held { int *a; ~held(); };
	held::~held() { *a = 0; }
	extern "C" int odd(int n) { return n & 1 ? n : -n; }
	extern "C" int leave(int n) { held h{&n}; for (int i = 0; i < 3; i++) odd(i); if (n > 2) _exit(5); return n; }
	int main(int argc, char **) { return leave(argc + 2); }
	END
	assembly cleans cleans.cc
	grep -q "invoke void @_exit" cleans.ll
	for options in "--function odd" "--function odd,leave" ""; do
		stkpath instrument -q cleans.ll --method epp $options -o probed.ll
		build probed.ll cleans
		rm -f cleans.stk
		STKPATH_FILE=cleans.stk status 5 ./cleans
		calls cleans.stk | grep -qx "odd 3 3 0 0"
	done
	stkpath cfg cleans.ll --function leave >leave.yaml
	stkpath paths -q -g leave.yaml --random 1 --seed 1 >leave.paths
	stkpath plan -q -m psp0 -g leave.yaml -p leave.paths -o leave.plan
	for mode in clone sticky; do
		stkpath cfg cleans.ll --function odd | stkpath plan -q -m epp -g - -o odd.plan
		stkpath instrument -q cleans.ll leave.plan odd.plan --mode $mode -o probed.ll
		build probed.ll cleans
		rm -f cleans.stk
		STKPATH_FILE=cleans.stk status 5 ./cleans
		calls cleans.stk | grep -qx "odd 3 3 0 0"
	done
'
cat >daemon.c <<'END'
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
int odd(int n) { return n & 1 ? n : -n; }
static void wait_for(const char *file) { while (access(file, F_OK) < 0) usleep(1000); }
int main(void)
{
	if (fork() > 0) _exit(0);
	for (int i = 0; i < 5; i++) odd(i);
	wait_for("first.stk");
	for (int i = 0; i < 7; i++) odd(i);
	wait_for("second");
	close(open("killed", O_CREAT, 0666));
	kill(getpid(), SIGKILL);
}
END
check 'STKPATH_EVERY: a program that goes on writes now and then, also in the child of a fork, so that little is lost by kill -9' '
	program daemon --function odd
	STKPATH_FILE=first.stk STKPATH_EVERY=0.05 ./daemon
	for try in $(seq 600); do
		test "$(calls first.stk 2>/dev/null | awk "{ n += \$2 } END { print n + 0 }")" != 12 || break
		sleep 0.05
	done
	touch second
	for try in $(seq 600); do test ! -e killed || break; sleep 0.05; done
	stkcat --check first.stk
	calls first.stk | awk "{ n += \$2 } END { exit n != 12 }"
	for bad in x 0 -1 5m nan; do
		STKPATH_EVERY=$bad STKPATH_FILE=bad.stk status 7 ./work 2>err
		grep -q "stkpath: STKPATH_EVERY: not a number of seconds" err
	done
'
cat >unloads.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static int (*odd)(int);
static volatile int stage;
static void *run(void *x) { for (int i = 0; i < 100; i++) odd(i); for (stage = 1; stage < 2; ) usleep(100); return x; }
int main(int argc, char **argv)
{
	for (int k = 0; k < argc; k++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		pthread_t t;

		if (library == NULL) return 9;
		odd = (int (*)(int))dlsym(library, "odd");
		stage = 0;
		pthread_create(&t, 0, run, 0);
		while (!stage) usleep(100);
		dlclose(library);
		stage = 2;
		pthread_join(t, 0);
	}
	usleep(20000);
	if (fork() == 0) return 0;
	wait(NULL);
	raise(SIGTERM);
	return 1;
}
END
check 'a library that is unloaded writes what it counted; its threads, signals and times to write do not come back to where it was' '
	echo "int odd(int n) { return n & 1 ? n : -n; }" >odd.c
	"$t/../scripts/stkpath-cc" -O1 -fPIC -shared odd.c -o odd.so
	clang -w unloads.c -o unloads -ldl -lpthread
	nm -D odd.so | grep -q " T odd"
	for every in "" 0.01; do
		rm -f unloaded.stk
		STKPATH_EVERY=$every STKPATH_FILE=unloaded.stk status 143 plainly ./unloads ./odd.so
		calls unloaded.stk | grep -qx "odd 200 200 0 0"
	done
'
cat >going.c <<'END'
#include <pthread.h>
#include <unistd.h>
int rounds(unsigned n) { int s = 0; for (int i = 0; i < 16; i++) { if (n >> i & 1) s++; else s--; } return s; }
struct work { int sum; volatile int counted; };
static void *run(void *work)
{
	struct work *w = work;
	for (unsigned n = 0;; n++) { *(volatile int *)&w->sum += rounds(n / 32 * 40503); w->counted = 1; }	/* a new path now and then: tables grow, and what is written stays small */
	return 0;
}
int main(void)
{
	static struct work works[2];
	pthread_t t;
	for (int i = 0; i < 2; i++) pthread_create(&t, 0, run, &works[i]);
	while (!works[0].counted || !works[1].counted) usleep(1000);	/* a program that counted nothing writes nothing */
	usleep(200);		/* while it writes, they go on, too */
	return 6;
}
END
check 'threads that go on while the program ends: tables that grow are not read half done' '
	program going --function rounds --method pap
	for round in 1 2 3 4 5 6 7 8; do
		rm -f going.stk
		STKPATH_FILE=going.stk status 6 ./going
		stkcat --check going.stk
	done
'

check 'paths of long loops take little room: what repeats is compressed' '
	cat >collatz.c <<-END2
	int collatz(unsigned long n) { int s = 0; while (n != 1) { if (n & 1) n = 3 * n + 1; else n /= 2; s++; } return s; }
	int rounds(int n) { int s = 0; for (int i = 0; i < n; i++) s += i & 3; return s; }
	int main(void) { for (unsigned long n = 1; n < 3000; n++) collatz(n); return rounds(19999) > 0 ? 0 : 1; }
	END2
	program collatz --method pap
	STKPATH_FILE=collatz.stk ./collatz
	stkcat --check collatz.stk
	zstd -q -t collatz.stk 2>err || ! have zstd
	calls collatz.stk | grep -qx "collatz 2999 2999 0 0"
	stkcat --only path_count -f tsv collatz.stk | cut -f 5 >paths
	test $(wc -c <paths) -gt 9000000
	test $(wc -c <collatz.stk) -lt 600000
	# of rounds, and of main
	grep -o "for.body@[0-9]*" paths | wc -l | grep -qx $((19999 + 2999))
'

cat >stop.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stkpipe/path_runtime.h>
static jmp_buf again;
static int stopped;
static void stop(void) { longjmp(again, 1); }
int pick(int n) { int r = 0; if (n % 3 == 0) r = 1; if (n % 2 == 0) r += 2; return r; }
int main(int argc, char **argv)
{
	volatile int i = 0, sum = 0;
	(void)argv;
	if (argc < 2) stkpath_on_stop(stop);
	if (setjmp(again)) stopped++;
	for (; i < 600; ) sum += pick(i++);
	printf("%d %d\n", sum, stopped);
	return 5;
}
END
check 'mode stop: a run ends where it is no path of interest, or what was asked for is done' '
	assembly stop stop.c "-I$t/../include"
	stkpath cfg stop.ll --function pick >pick.yaml
	stkpath plan -q -g pick.yaml -m epp -o all.plan
	stkpath instrument -q stop.ll --function pick --steps -o s.ll
	build s.ll s
	STKPATH_FILE=s.stk status 5 ./s
	stkpath run -q --plan all.plan s.stk | sed -n 2p | cut -f 1 | sed "s/ /, /g; s/.*/paths:\n  - [&]/" >pick.paths
	for method in psp0 psp2 trie; do
		stkpath plan -q -g pick.yaml -p pick.paths -m $method -o pick.plan
		stkpath instrument -q stop.ll pick.plan --mode stop -o stop.probed.ll
		build stop.probed.ll stop
		rm -f stop.stk
		STKPATH_FILE=stop.stk status 5 ./stop >out
		read -r sum stopped <out
		calls stop.stk >got
		test "$(cat got)" = "pick 600 $((600 - stopped)) $stopped 0"
		test $stopped -gt 300
		STKPATH_FILE=ends.stk status 0 ./stop by-itself
	done
'

# --- what gets no probes ---

check 'functions that cannot be followed: all others get probes; asked for by name, it is said and nothing is written' '
	assembly shapes "$t/data/shapes.c"
	stkpath instrument shapes.ll -o out.ll 2>err
	grep -q "asmgoto is left as it is: it " err
	grep -q "catcher is left as it is: it calls a function that returns twice" err
	for f in asmgoto catcher; do
		status 2 stkpath instrument shapes.ll --function $f -o no.ll 2>err
		grep -q "stkpath: $f: it " err
		test ! -e no.ll
	done
	status 2 stkpath instrument out.ll --function sw -o no.ll 2>err
	grep -q "sw: it has probes already" err
'
q="'"
check 'a plan of another graph is refused, with the first block that differs, and how' '
	# differs CHANGE WORDS: the block is that of the first line of graphs that differs
	differs() {
		sed "$1" was.c >is.c
		assembly is is.c
		status 2 stkpath instrument is.ll was.plan -o no.ll 2>err
		grep -qF "f: the plan is for another graph: the function, or how it was compiled, has changed since: it" err
		grep -qF "$2" err || { echo "wanted: $2"; cat err; return 1; }
		stkpath cfg is.ll --function f >f.yaml
		stkpath plan -q -g f.yaml -m epp | grep "^block" >is.blocks
		diff was.blocks is.blocks | sed -n "s/^[<>] block	\([^	]*\)	.*/\1/p" | head -1 >first
		grep -qF "$(cat first)" err
	}
	cat >was.c <<-END
	int f(int n, int m)
	{
	    int s = 0;
	    while (n-- > 0)
	        switch (m) { case 1: s++; break; case 2: s--; break; default: s += m; }
	    if (m < 0)
	        s = 1;
	    return s;
	}
	END
	assembly was was.c
	stkpath cfg was.ll --function f >f.yaml
	stkpath plan -q -g f.yaml -m epp -o was.plan
	grep "^block" was.plan >was.blocks
	stkpath instrument -q was.ll was.plan -o is.ll
	differs "1s/^/\n/" "it has block ${q}entry@2$q where the plan has ${q}entry@1$q"
	differs "5s/case 2: s--; break;//" "its block ${q}while.body@5$q leads to ${q}sw.bb1@5$q only in the plan"
	differs "5s/default/case 3: s = 9; default/" ", not in the plan"
	differs "5s/break; case 2/case 2/" "its block ${q}sw.bb@5$q leads to ${q}sw.bb1@5$q where the plan has ${q}sw.epilog@4$q"
	differs "7s/.*/return 1;/" "its block ${q}if.then@7$q leads to ${q}return@9$q where the plan has ${q}if.end@8$q"
	differs "6,7d" "its block ${q}while.end@6$q leads to ${q}(exit)$q where the plan has ${q}if.then@7$q"
'
check 'a plan of another graph, two plans of one function, a plan of a function that is not here' '
	stkpath cfg shapes.ll --function sw >sw.yaml
	stkpath plan -q -g sw.yaml -m epp -o sw.plan
	status 2 stkpath instrument shapes.ll sw.plan sw.plan -o no.ll 2>err
	grep -q "sw.plan: second plan for sw" err
	sed "s/case 17: return 9;//" "$t/data/shapes.c" >shapes.c
	assembly other shapes.c
	status 2 stkpath instrument other.ll sw.plan -o no.ll 2>err
	grep -q "sw: the plan is for another graph" err
	stkpath instrument work.ll sw.plan -o out.ll 2>err
	grep -q "sw.plan: the module has no function sw" err
	grep -q "0 of 5 functions have probes" err
	status 2 stkpath instrument "$t/data/shapes.c" 2>err
	grep -q "shapes.c:1: it has no function in LLVM" err
'
check 'a function with very many prime paths is left as it is, unless it is asked for' '
	{
		echo "int many(int n) { int s = 0;"
		for by in 1 47 2209; do
			echo "switch (n / $by % 47) {"
			for way in $(seq 0 45); do echo "case $way: s += $way; break;"; done
			echo "default: s--; }"
		done
		echo "return s; }"
		echo "int few(int n) { return n > 3 ? many(n) : n; }"
		echo "int main(void) { return few(2) + few(9) - 11; }"
	} >many.c
	assembly many many.c
	plain many
	stkpath instrument many.ll --method ac --prime -o out.ll 2>err
	grep -q "many is left as it is: many has 103823 prime paths: use --function to instrument it" err
	grep -q "2 of 3 functions have probes" err
	probed many --method ac --prime
	stkpath coverage counts.stk 2>/dev/null | cut -f 1 | sort | tr "\n" " " | grep -q "^few function main $"
	probed many --function many --method ac --prime
	stkpath coverage counts.stk 2>/dev/null | cut -f 1,3,4 | grep -qx "many	103823	1"
'
check 'what the runtime has of its own collides with nothing of the program' '
	test -z "$(nm "$runtime" | awk "NF == 3 && \$2 ~ /[A-Z]/ && \$3 !~ /^stkpath_/")"
	cat >names.c <<-END
	#include <stdio.h>
	int plain_text(int x) { return x > 3 ? x * 2 : x; }
	int plain_put, id_table, runtime = 4;
	int main(void) { for (int i = 0; i < 9; i++) plain_put += plain_text(i); printf("%d %d\\n", plain_put, runtime); return 0; }
	END
	assembly names names.c
	plain names
	probed names --method epp
	stkcat --only path_count -f tsv counts.stk | cut -f 3 | grep -qx plain_text
'
check 'functions are chosen as C++ has them, by the file or folder of their source, and by what was changed' '
	mkdir -p src/part
	cat >src/part/names.cc <<-END
	namespace ns {
	int twice(int n)
	{
		if (n > 3)
			return 1;
		return 2;
	}
	int twice(int n, int m) { return n > m ? 3 : 4; }
	}
	int other(int n) { return n > 5 ? ns::twice(n) : 6; }
	END
	assembly part src/part/names.cc
	probes_in() { stkpath instrument -q part.ll "$@" -o part.probed.ll 2>err; sed -n "s/^@stk[.]f[0-9]*[.]name = .*c\"\\(.*\\)\\\\00\".*/\\1/p" part.probed.ll | tr "\n" " "; }
	all="_ZN2ns5twiceEi _ZN2ns5twiceEii _Z5otheri "
	test "$(probes_in --source part)" = "$all"
	test "$(probes_in --source nothing --source ./src/part/names.cc)" = "$all"
	test "$(probes_in --source "$(pwd -P)/src/")" = "$all"
	test "$(probes_in --source art)" = ""
	if stkcat --help | grep -q demangle && have c++filt; then
		test "$(probes_in --function ns::twice)" = "_ZN2ns5twiceEi _ZN2ns5twiceEii "
		test "$(probes_in --function "ns::twice(int, int),other(int)")" = "_ZN2ns5twiceEii _Z5otheri "
	fi
	sed "s/return 2/return 9/; s/: 6/: 7/" src/part/names.cc >changed.cc
	diff -u --label a/part/names.cc --label b/part/names.cc src/part/names.cc changed.cc >wide || test $? = 1
	diff -U0 --label part/names.cc --label part/names.cc src/part/names.cc changed.cc >narrow || test $? = 1
	test "$(probes_in --changed wide)" = "_ZN2ns5twiceEi _Z5otheri "
	test "$(probes_in --changed narrow)" = "_ZN2ns5twiceEi _Z5otheri "
	printf -- "--- a/part/names.cc\n+++ b/part/names.cc\n@@ -5 +4,0 @@\n-gone\n" >gone
	test "$(probes_in --changed gone)" = "_ZN2ns5twiceEi "
	status 2 stkpath instrument part.ll --changed src/part/names.cc 2>err
	grep -q "no differences" err
	status 2 stkpath instrument part.ll part.ll --source part 2>err
	grep -q "remove --source" err
'
check 'a function without probes is said by stkpath-cc, with the reason' '
	cat >jumps.c <<-END
	#include <setjmp.h>
	#include <stdlib.h>
	jmp_buf back;
	int left(int n) { if (setjmp(back)) return n; return -n; }
	int main(int argc, char **argv) { return left(0) + (argc > 1 ? atoi(argv[1]) : 0); }
	END
	"$t/../scripts/stkpath-cc" -O2 jumps.c -o jumps 2>err
	why="it calls a function that returns twice (setjmp), so paths continue where no edge leads"
	if have objcopy; then echo "stkpath-cc: jumps: without probes: 1 functions (left): $why"; else echo "stkpath: left is left as it is: $why"; fi | same - err
	STKPATH_FILE=jumps.stk ./jumps
	stkcat --only note -f tsv jumps.stk | sed 1d | cut -f 2- >notes
	printf "no probes\tleft: $why ($(pwd -P)/jumps.c)\n" | same - notes
	stkpath coverage jumps.stk 2>&1 >rows | grep -qxF "stkpath: without probes: 1 functions (left): $why"
	cut -f 1 rows | sort | tr "\n" " " | grep -qx "function main "
	status 2 stkpath coverage --function left jumps.stk 2>err
	grep -qF "left has no probes: $why" err
	if have objcopy; then
		STKPATH_FUNCTIONS=main,nosuch,absent "$t/../scripts/stkpath-cc" -c jumps.c
		STKPATH_FUNCTIONS=main,nosuch,absent "$t/../scripts/stkpath-cc" jumps.o -o jumps 2>err
		echo "stkpath-cc: jumps: no probes in these functions, which are not in it: absent nosuch" | same - err
		# of two modules together: the same function once, whatever its name has
		for name in left left_ große; do
			printf "#include <setjmp.h>\nstatic jmp_buf back;\nint $name(int n) { return setjmp(back) ? n : -n; }\n" >$name.c
			"$t/../scripts/stkpath-cc" -c $name.c 2>&1 | same /dev/null -
		done
		echo "int main(void) { return 0; }" | "$t/../scripts/stkpath-cc" left.o left_.o große.o -x c - -o three 2>err
		echo "stkpath-cc: three: without probes: 3 functions (große, left, left_): $why" | same - err
		STKPATH_FUNCTIONS=main "$t/../scripts/stkpath-cc" jumps.o -o jumps 2>err
		same /dev/null err
		mkdir größe
		printf "int größe(int n) { return n > 1 ? 3 : 4; }\nint short_name(int) __asm__(\"other\");\nint short_name(int n) { return größe(n); }\nint main(void) { return short_name(2) - 3; }\n" >größe/ä.c
		STKPATH_KEEP=kept STKPATH_FUNCTIONS=größe,other "$t/../scripts/stkpath-cc" größe/ä.c -o named 2>err
		same /dev/null err
		STKPATH_FILE=named.stk ./named
		calls named.stk >got
		printf "größe 1 1 0 0\nother 1 1 0 0\n" | sort | same - got
		stkpath coverage -q -f lcov named.stk | grep -qx "SF:$(pwd -P)/größe/ä.c"
		stkpath cfg kept/*.ll --function other | grep -q "calls: \[.größe.\]"
	fi
	STKPATH_METHOD=prime STKPATH_MODE=never status 2 "$t/../scripts/stkpath-cc" jumps.c -o jumps 2>err
	grep -q "mode" err
'
check 'a source of data only is no error: its module is passed on' '
	echo "const int table[3] = { 1, 2, 3 };" >data.c
	assembly data data.c
	stkpath instrument data.ll 2>err | same - data.ll
	grep -q "0 of 0 functions" err
	stkpath cfg data.ll | wc -l | grep -qx 1
	"$t/../scripts/stkpath-cc" -c data.c -o data.o
	cp data.c main.c && echo "int main(void) { return table[1]; }" >>main.c
	"$t/../scripts/stkpath-cc" main.c -o main && status 2 env STKPATH_FILE=main.stk ./main
'
check 'records for debuggers between instructions (clang 19) stay where they are' '
	cat >records.ll <<-END
	define i32 @f(i32 %x, ptr %p) {
	entry:
	    #dbg_value(i32 %x, !9, !DIExpression(), !10)
	  %c = icmp sgt i32 %x, 3
	    #dbg_value(i1 %c, !9, !DIExpression(), !10)
	  br i1 %c, label %a, label %b
	a:
	  br label %b
	b:
	  %r = phi i32 [ 1, %a ], [ 2, %entry ]
	    #dbg_value(i32 %r, !9, !DIExpression(), !10)
	  ret i32 %r
	}
	END
	stkpath instrument -q records.ll -o out.ll
	test $(grep -c "#dbg_value" out.ll) = 3
	sed -n "/#dbg_value(i32 %r/{n;p;}" out.ll | grep -q "%stk"
	grep -q "phi i32 \[ 1, %.* \], \[ 2, %stk.e1 \]" out.ll || grep -q "phi i32 \[ 1, %stk.e.* \], \[ 2, %entry \]" out.ll
'
check 'stkpath-cc stands in for the compiler: objects, dependencies, the link; a plan of one function; modules are kept' '
	cc=$t/../scripts/stkpath-cc
	cp "$t/data/shapes.c" .
	"$cc" -O1 -w -MMD -c shapes.c
	test -s shapes.o && grep -q "^shapes.o: *shapes.c" shapes.d
	"$cc" -o linked shapes.o -lm
	build shapes.ll without
	./without >want || true
	STKPATH_FILE=cc.stk ./linked >got || true
	same want got
	calls cc.stk | grep -q "^fib 465 465 0 0$"
	stkpath cfg shapes.ll --function sw | stkpath plan -q -m epp -g - -o only.plan
	STKPATH_PLANS=only.plan STKPATH_KEEP=kept "$cc" -O2 -w shapes.c -o only -lm
	stkpath cfg kept/shapes.c.ll >/dev/null
	STKPATH_FILE=only.stk ./only >got || true
	same want got
	test "$(calls only.stk)" = "sw 3000 3000 0 0"
'
check 'stkpath-cc: the graph of a scope that is left early is that of the source, as without optimization; debuggers of old read the rest' '
	cc=$t/../scripts/stkpath-cc
	cat >early.c <<-END
	int find(const int *a, int n)
	{
		for (int i = 0; i < n; i++) {
			int v = a[i];
			if (v < 0)
				return i;
			int w = v * 2;
			if (w > 100)
				break;
		}
		return -1;
	}
	END
	STKPATH_KEEP=kept "$cc" -O2 -c early.c
	clang -O0 -g -fno-discard-value-names -S -emit-llvm early.c -o early.ll
	stkpath cfg early.ll --function find >want
	stkpath cfg kept/early.c.ll --function find | same want -
	grep -q "\"Dwarf Version\", i32 4" kept/early.c.ll
	STKPATH_KEEP=kept "$cc" -gdwarf-5 -O2 -c early.c
	grep -q "\"Dwarf Version\", i32 5" kept/early.c.ll
'
if test "$(uname -m)" = x86_64; then
	check 'stkpath-cc: an assembler source becomes an object; -x, -, @file, and dependencies in every form, as the compiler takes them' '
		cc=$t/../scripts/stkpath-cc
		echo "#define N 3" >n.h
		printf "#include \"n.h\"\n.globl three\nthree:\nmovl \$N, %%eax\nret\n.section .note.GNU-stack,\"\",@progbits\n" >three.S
		cat >pick.c <<-END
		#include "n.h"
		int three(void);
		int pick(int x) { return x > 2 ? three() : N - 1; }
		int main(void) { return pick(1) + pick(5); }
		END
		"$cc" -MMD -c three.S
		nm three.o | grep -q " T three" && grep -qx "three.o: three.S n.h" three.d
		clang -S three.S -o four.s && "$cc" -c four.s && nm four.o | grep -q " T three"
		status 1 "$cc" -c nosuch.S 2>err
		picks() { status 5 env STKPATH_FILE=pick.stk "$1"; test "$(calls pick.stk | grep pick)" = "pick 2 2 0 0"; rm pick.stk; }
		"$cc" -O1 pick.c three.S -o both && picks ./both
		"$cc" -MMD pick.c three.o -o prog && grep -qx "prog: pick.c n.h" prog.d && picks ./prog
		"$cc" -Wp,-MD,w.d -c pick.c && grep -q "^pick.o: pick.c n.h" w.d
		"$cc" -x c - -x assembler-with-cpp three.S -x none -lm -o typed <pick.c && picks ./typed
		mkdir "a b" && echo "-O1 -DX=\"q r\" pick.c @more" >args && echo "three.o -o \"a b/it\"" >more
		"$cc" @args && picks "./a b/it"
		clang -E pick.c -o pick.i && "$cc" pick.i three.o -o seen && picks ./seen
		"$cc" -c three.o 2>err && grep -q "unused" err
	'
else
	skip 'not on x86_64' 'stkpath-cc: an assembler source becomes an object; -x, -, @file, and dependencies in every form'
fi
if have valgrind; then
	check 'the end of a program takes time with the number of its functions, not with its square' '
		for n in 500 2000; do
			awk -v n=$n "BEGIN {
				for (i = 0; i < n; i++) print \"int f\" i \"(int a) { return a > \" i \" ? a : -a; }\"
				print \"int main(void) { int s = 0;\"
				for (i = 0; i < n; i++) print \"s += f\" i \"(3);\"
				print \"return s == 7; }\"
			}" >many$n.c
			level=-O0 program many$n --method epp
			STKPATH_FILE=many$n.stk valgrind --tool=callgrind --callgrind-out-file=out ./many$n 2>said
			test "$(calls many$n.stk | wc -l)" -eq $((n + 1))
			awk "/Collected :/ { print \$NF }" said >>instructions
		done
		awk "{ n[NR] = \$1 } END { exit !(NR == 2 && n[2] < 6 * n[1]) }" instructions
	'
else
	skip 'no valgrind' 'the end of a program takes time with the number of its functions, not with its square'
fi
finish
