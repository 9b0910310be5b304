#!/bin/sh
# SPDX-License-Identifier: MIT
# STKPATH_MAP: counts are in a file all the time, so that no end of a program loses any: kill -9, with threads and forks, exec, _exit; damaged files are reported.
. "${0%/*}/lib/tap.sh"
. "$t/lib/probed.sh"

cc=$t/../scripts/stkpath-cc
# Killed ones are not announced by the shell. Folders of cores stay clean.
map() { (ulimit -c 0; STKPATH_MAP=$1; export STKPATH_MAP; shift; afresh "$@") 2>err; }
# calls FILE...: function, calls, counted, others, unfinished, of all files together
calls() { stkcat --only path_call -f tsv "$@" | awk -F '	' '$6 ~ /^[0-9]/ { for (i = 6; i < 10; i++) n[$3, i] += $i; f[$3] } END { for (k in f) print k, n[k, 6], n[k, 7], n[k, 8], n[k, 9] }' | sort; }
paths() { stkcat --only path_count -f tsv "$@" | awk -F '	' 'NR > 1 && $6 > 0 { n[$3 "	" $5] += $6 } END { for (k in n) print k "	" n[k] }' | sort; }

cat >work.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int odd(int n) { return n & 1 ? n : -n; }
/* 2^30 ways: numbers in tables, digits in pieces */
int ways(unsigned n) { int s = 0; for (int i = 0; i < 30; i++) { if (n >> i & 1) s++; else s--; } return s; }
int never(int n) { return n > 3 ? 1 : 2; }
static void *run(void *x) { for (unsigned i = 0; i < 3000; i++) { odd((int)i); ways(i); } return x; }
static void *forks(void *x)
{
	run(x);
	if (fork() == 0) { run(x); kill(getpid(), SIGKILL); }
	return x;
}
static int outside(const char *how, char **argv)
{
	if (strcmp(how, "_exit") == 0) syscall(231, 5);		/* exit_group, which nobody sees come */
	if (strcmp(how, "exec") == 0) { argv[1] = "exit"; execv(argv[0], argv); }
	return 0;
}
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "nothing";
	pthread_t t[8];

	if (strcmp(how, "nothing") == 0) kill(getpid(), SIGKILL);
	odd(1);
	outside(how, argv);
	for (int i = 0; i < 8; i++) pthread_create(&t[i], NULL, strcmp(how, "forks") == 0 ? forks : run, NULL);
	for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
	while (wait(NULL) > 0) ;
	if (strcmp(how, "exit") == 0) return 7;
	if (strcmp(how, "moves") == 0) { rename("work.map", "moved.map"); for (unsigned i = 0; i < 20000; i++) ways(i * 7919); return 7; }
	kill(getpid(), SIGKILL);
}
END

for method in epp pap prime; do
	check "$method: killed, with 8 threads: each call and each path, as in the stream of one that ends" '
		STKPATH_METHOD=$method "$cc" -w -O1 work.c -o work -lpthread
		rm -f work.map* *.stk
		STKPATH_FILE=none.stk status 137 map work.map ./work threads
		test ! -e none.stk
		stkpath collect work.map -o killed.stk
		stkcat --check killed.stk
		calls killed.stk >got
		printf "%s\n" "main 1 0 0 1" "never 0 0 0 0" "odd 24001 24001 0 0" "run 8 8 0 0" "ways 24000 24000 0 0" | grep -xFf - got | wc -l | grep -qx 5
		STKPATH_FILE=ended.stk status 7 ./work exit
		paths killed.stk | grep -v "^main" >one
		paths ended.stk | grep -v "^main" >other
		test -s one
		cmp one other
		stkcat --only note -f tsv killed.stk >notes
		stkcat --only note -f tsv ended.stk | same - notes
	'
	check "$method: each child of threads that fork has a file of its own, with what it counted itself" '
		rm -f work*.map*
		status 137 map work.map ./work forks
		set -- work.map*
		test $# = 9
		stkpath collect "$@" -o forks.stk
		stkcat --check forks.stk
		calls forks.stk >got
		grep -qx "odd 48001 48001 0 0" got
		grep -qx "ways 48000 48000 0 0" got
		rm -f work*.map*
		status 137 map work-%p.map ./work forks
		set -- work-*.map
		test $# = 9
	'
done
check 'a program that nobody killed, that ends without a word, that becomes another: all is there, also that nothing was counted' '
	"$cc" -w -O1 work.c -o work -lpthread
	rm -f work.map*
	status 7 map work.map ./work exit
	status 5 map work.map ./work _exit
	status 7 map work.map ./work exec
	status 137 map work.map ./work nothing
	ls work.map* | tr "\n" " " | grep -qx "work.map work.map.2 work.map.3 work.map.4 work.map.5 "
	for n in "work.map 24001" "work.map.2 1" "work.map.3 1" "work.map.4 24001" "work.map.5 0"; do
		stkpath collect ${n% *} | calls | grep -qx "odd ${n#* } ${n#* } 0 0"
	done
	mkdir folder && mv work.map* folder
	stkpath collect folder | calls | grep -qx "odd 48004 48004 0 0"
'
check 'it is read while the program runs; the child of a fork does not count in its file' '
	cat >runs.c <<-END2
	#include <sys/wait.h>
	#include <unistd.h>
	int odd(int n) { return n & 1 ? n : -n; }
	static void wait_for(const char *file) { while (access(file, F_OK) < 0) usleep(1000); }
	int main(void)
	{
		for (int i = 0; i < 5; i++) odd(i);
		if (fork() == 0) { odd(1); _exit(0); }
		wait(0);
		wait_for("second");
		for (int i = 0; i < 7; i++) odd(i);
		return 0;
	}
	END2
	STKPATH_FUNCTIONS=odd "$cc" -w -O1 runs.c -o runs
	STKPATH_MAP=runs.map ./runs &
	for try in $(seq 600); do test ! -s runs.map.2 || break; sleep 0.05; done
	stkpath collect runs.map | calls | grep -qx "odd 5 5 0 0"
	touch second
	wait
	stkpath collect runs.map | calls | grep -qx "odd 12 12 0 0"
	stkpath collect runs.map.2 | calls | grep -qx "odd 1 1 0 0"
'
check 'a library that is loaded again counts on where it did, and is there after it is gone' '
	cat >loads.c <<-END2
	#include <dlfcn.h>
	#include <signal.h>
	int main(int argc, char **argv)
	{
		for (int k = 0; k < 3; k++) {
			void *library = dlopen(argv[1], RTLD_NOW);
			if (library == 0) return 9;
			for (int i = 0; i < 4; i++) ((int (*)(int))dlsym(library, "odd"))(i);
			if (k < 2 || argc < 3) dlclose(library);
		}
		raise(SIGKILL);
	}
	END2
	echo "int odd(int n) { return n & 1 ? n : -n; }" >odd.c
	"$cc" -O1 -fPIC -shared odd.c -o odd.so
	clang -w loads.c -o loads -ldl
	status 137 map loads.map ./loads ./odd.so
	status 137 map stays.map ./loads ./odd.so open
	for name in loads stays; do
		stkpath collect $name.map* -o $name.stk
		calls $name.stk | grep -qx "odd 12 12 0 0"
	done
'
check 'where no file can be made, or more room is not to be had, it is said' '
	STKPATH_FILE=end.stk status 7 map /nowhere/x.map ./work exit
	grep -q "stkpath: STKPATH_MAP: /nowhere/x.map: No such file or directory: counts are written at the end only" err
	calls end.stk | grep -qx "odd 24001 24001 0 0"
	STKPATH_METHOD=pap STKPATH_FUNCTIONS=ways "$cc" -w -O1 work.c -o work -lpthread
	rm -f work.map*
	status 7 map work.map ./work moves
	test $(grep -c "stkpath: .*/work.map: STKPATH_MAP: no more room: counts are lost" err) = 1
	status 1 stkpath collect moved.map -o lost.stk 2>err
	echo "stkpath: moved.map: the program found no more room in it: what it counted elsewhere is missing" | same - err
	stkcat --check lost.stk
	calls lost.stk | grep "^ways 44000 [0-9]* 0 [0-9]*$"
	paths lost.stk | cut -f 3 | awk "{ n += \$1 } END { exit n < 24000 || n >= 44000 }"
'
check 'files that are none, that are cut or damaged: reported, status 1, and the others are collected' '
	"$cc" -w -O1 work.c -o work -lpthread
	rm -f work.map*
	status 7 map work.map ./work exit
	: >empty.map
	head -c 3000 work.map >cut.map
	head -c 20 work.map >short.map
	status 1 stkpath collect empty.map cut.map short.map nosuch.map work.map -o some.stk 2>err
	calls some.stk | grep -qx "odd 24001 24001 0 0"
	for line in "empty.map: not counts of STKPATH_MAP, or of another version of stkpath" "cut.map: truncated" "short.map: truncated" "nosuch.map: No such file or directory"; do
		grep -qx "stkpath: $line" err
	done
	status 1 stkpath collect "$t/4741-path-map.t" 2>err >out
	test ! -s out
	status 2 stkpath collect 2>err
	grep -q "expected files of STKPATH_MAP" err
'
check 'cut at lengths and with bits flipped: each is read to its end or refused, and no byte beyond it' '
	STKPATH_FUNCTIONS=odd "$cc" -w -O1 work.c -o work -lpthread
	rm -f work.map*
	status 7 map work.map ./work exit
	"$BUILD/t/tools/damage_image" work.map 997 >tried
	awk "{ exit !(\$1 > 500 && \$3 > 100 && \$3 < \$1) }" tried
'
echo 'int main(void) { return 0; }' >nothing.c
if clang -fsanitize=address,undefined nothing.c -o nothing 2>/dev/null && ./nothing; then
check 'the runtime itself under sanitizers: threads, forks, exec, every method, in a file and at the end' '
	mkdir sanitized
	for source in "$t"/../lib/path/runtime/*.c; do
		name=${source##*/}
		clang -D_GNU_SOURCE -I"$t/../include" -I"$t/../lib" -w -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -c "$source" -o "sanitized/${name%.c}.o"
	done
	ar rc sanitized.a sanitized/*.o
	clang -O2 -w -g -fno-discard-value-names -Xclang -disable-llvm-passes -S -emit-llvm work.c -o work.ll
	for method in "epp" "pap" "ac --prime"; do
		stkpath instrument -q work.ll --method $method -o probed.ll
		clang -w -O0 -fsanitize=address,undefined probed.ll sanitized.a -lpthread -o work
		while read -r code how odd; do
			rm -f work.map* end*.stk
			status $code map work.map timeout 60 ./work $how
			same /dev/null err
			stkpath collect work.map* | calls | grep -qx "odd $odd $odd 0 0"
			test $how != forks || continue
			STKPATH_FILE=end.stk status $code timeout 60 ./work $how 2>err
			same /dev/null err
			calls end*.stk | grep -qx "odd $odd $odd 0 0"
		done <<-END2
		7 exit 24001
		7 exec 24002
		137 forks 48001
		END2
	done
'
else
	skip 'clang links no sanitizers' 'the runtime itself under sanitizers'
fi
check 'whatever bytes are damaged, it ends well, and what it writes is a whole stream' '
	for method in epp pap prime; do
		STKPATH_METHOD=$method "$cc" -w -O1 work.c -o work -lpthread
		rm -f work.map*
		status 137 map work.map ./work threads
		for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
			python3 - $seed <<-END2
			import random, struct, sys
			random.seed(int(sys.argv[1]))
			b = bytearray(open("work.map", "rb").read())
			used = struct.unpack_from("<Q", b, 24)[0]
			for k in range(random.choice((1, 3, 30))):
			    at = random.randrange(16, used - 8) // 4 * 4
			    b[at:at + 4] = struct.pack("<I", random.choice((0, 1, 3, 64, 0x7fffffff, 0xffffffff)))
			open("bad.map", "wb").write(b)
			END2
			code=0
			stkpath collect bad.map -o bad.stk 2>err || code=$?
			test $code -le 1
			test ! -s bad.stk || stkcat --check bad.stk
		done
	done
'
finish
