#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --native --ticks: code that a program compiles while it runs is walked, and named by the map that the program writes, if that is to be trusted.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"
by_turns

have cc || skip_all 'no compiler'
test "$(uname -m)" = x86_64 || skip_all 'stacks are walked on x86-64 only'
cat >makes.c <<'END'
/* main > padded > through > framed > popped > inner, which are made while it runs, except for main and through. The inner one uses all the time. It writes its map when it is asked to, and says its number. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
typedef void made(void *next);
static made *padded, *framed, *popped, *inner;
__attribute__((noinline, noclone)) static void last(void *unused) { (void)unused; inner(NULL); __asm__ volatile(""); }
__attribute__((noinline, noclone)) static void before_popped(void *unused) { (void)unused; popped(last); __asm__ volatile(""); }
__attribute__((noinline, noclone)) static void through(void *unused) { (void)unused; framed(before_popped); __asm__ volatile(""); }
static FILE *map;
static made *make(const char *name, const char *code, size_t size)
{
	static unsigned char *next;
	made *at;
	if (next == NULL) next = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(next, code, size);
	at = (made *)(void *)next;
	if (map != NULL) fprintf(map, "%lx %zx %s\n", (unsigned long)next, size, name);
	next += 64;
	return at;
}
int main(int argc, char **argv)
{
	char path[64];
	(void)argv;
	snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
	if (argc > 1) map = fopen(path, "w");
	padded = make("py::padded:/srv/a b.py", "\x48\x83\xec\x08\xff\xd7\x48\x83\xc4\x08\xc3", 11);
	framed = make("JS:*framed /srv/x.js:1:2", "\x55\x48\x89\xe5\x48\x83\xec\x10\xff\xd7\xc9\xc3", 12);
	popped = make("LazyCompile:~popped(int)", "\x55\x48\x89\xe5\xff\xd7\x5d\xc3", 8);
	inner = make("inner", "\x55\x48\x89\xe5\xb9\x00\x00\x10\x00\xff\xc9\x75\xfc\x5d\xc3", 15);
	if (map != NULL) fclose(map);
	puts("ready");
	fflush(stdout);
	for (;;) padded(through);
}
END
cc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o makes makes.c || skip_all 'the compiler does not work'
programs=
start() {
	./makes "$@" >ready & program=$!
	programs="$programs $program"
	until grep -qs ready ready; do sleep .02; done
	: >ready
}
clean_up() { for p in $programs; do kill -9 $p 2>/dev/null; rm -f /tmp/perf-$p.map; done; }
trap 'clean_up; rm -rf "$scratch" "$scratch.log"; exit 99' HUP INT TERM
# the samples of a program, and what was said
look() {
	timeout 60 stkcap --native $program --ticks 499 --count ${2:-1} -o "$1.stk" 2>"$1.said"
	stkcat -q -f folded "$1.stk" >"$1.folded"
	test -s "$1.folded"
}
start with-map
look own && got=0 || got=$?
if test $got != 0 && grep -q perf_event_paranoid own.said; then clean_up; skip_all "$(tail -n 1 own.said)"; fi

check 'each function that is made while the program runs is in the stack, between those that were compiled before' '
	test $got = 0
	awk "{ n += \$NF } /;main;py::padded:.srv.a b[.]py;through;JS:[*]framed .srv.x[.]js:1:2;before_popped;LazyCompile:~popped;last;inner [0-9]*\$/ { right += \$NF } END { print right / n; exit !(right > 0.95 * n) }" own.folded
	grep -q "100.0 % of them whole" own.said
	grep -q "of them by frame pointers in part: a function without a frame of its own hides its caller" own.said
	stkcat -f tsv --only frame own.stk | grep -q "perf map.*inner\|inner.*perf map"
'
unknown() { awk '{ n += $NF } /;main;\[unknown\];through;\[unknown\];before_popped;\[unknown\];last;\[unknown\] [0-9]*$/ { right += $NF } END { exit !(right > 0.95 * n) }' "$1.folded"; }
start
echo '0 fffffffffffffff inner' >all		# names whatever is in no file
at=/tmp/perf-$program.map
check 'without a map they have no names, and the stacks are the same' '
	look none
	unknown none
'
check 'a map that is a link, a pipe, a folder, older than the process, or has a second name is not read' '
	ln -s "$PWD/all" $at; look link; rm $at; unknown link
	mkfifo $at; look pipe; rm $at; unknown pipe
	mkdir $at; look folder; rmdir $at; unknown folder
	cp all $at; touch -d "1 hour ago" $at; look old; rm $at; unknown old
	cp all $at; ln $at $at.2; look two && rm $at $at.2; unknown two
	cp all $at; look right; rm $at
	grep -q ";inner;through;inner;before_popped;inner;last;inner " right.folded
'
check 'a map of another user is not read' '
	test "$(id -u)" -eq 0 || exit 0
	cp all $at; chown 65534 $at; look other; rm $at; unknown other
'
check 'of a huge map as much is read as fits: the beginning of it; what is not a line of one is passed over' '
	{ cat all; echo "no line"; printf "1 "; head -c 40000000 /dev/zero | tr "\\0" x; } >$at
	look huge
	rm $at
	grep -q ";inner;through;inner;before_popped;inner;last;inner " huge.folded
'
check 'a map that is written while the capture runs is read again' '
	{ sleep .7; cp all $at; } &
	look late 3
	rm $at
	grep -q ";inner;through;inner;" late.folded
'
check 'code in a stack whose frame pointer is none is cut there, and that is said' '
	cat >loose.c <<-END
	#include <stdio.h>
	#include <string.h>
	#include <sys/mman.h>
	int main(void) {
		/* push 1; mov rbp,1; loop without an end */
		char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memcpy(code, "\\x6a\\x01\\x48\\xc7\\xc5\\x01\\x00\\x00\\x00\\xeb\\xfe", 11);
		puts("ready"); fflush(stdout);
		((void (*)(void))(void *)code)();
	}
	END
	cc -o loose loose.c
	./loose >ready & program=$!
	until grep -qs ready ready; do sleep .02; done
	look loose
	kill -9 $program
	status 1 grep -v "\\[cut: nothing is known about native code\\];\\[unknown\\] [0-9]*\$" loose.folded
	grep -q "end early: nothing is known about native code" loose.said
'
check 'rules that are in debug information alone are used, also when it is compressed' '
	cat >plain.c <<-END
	#include <stdio.h>
	static volatile double x;
	#define APART __attribute__((noinline, noclone))
	static APART void spend(int n) { volatile char room[400]; room[n] = 1; for (long i = 0; i < 1000000000000; i++) x += room[n]; }
	static APART void calls(int n) { spend(n); x += 1; }
	int main(void) { puts("ready"); fflush(stdout); calls(50); return 0; }
	END
	for flags in -g "-g -gz=zlib"; do
		cc -O1 -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-exceptions $flags -o plain plain.c || exit 0
		./plain >ready & program=$!
		until grep -qs ready ready; do sleep .02; done
		look plain
		kill -9 $program
		status 1 grep -v ";main;calls;spend [0-9]*\$" plain.folded
	done
'
for python in "$(command -v python3.12)" /usr/bin/python3.13 /root/.pyenv/versions/3.1[2-9]*/bin/python3.1[2-9]; do
	"$python" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null && break
	python=
done
check 'Python 3.12 and later, started with -X perf, has its functions between those of its interpreter' '
	test -n "$python" || { echo "no such Python"; exit 0; }
	cat >burn.py <<-END
	import sys
	def hot(n):
	    while n: n -= 1
	def calls():
	    while True: hot(5000)
	print("ready", flush=True)
	calls()
	END
	"$python" -X perf burn.py >ready & program=$!
	programs="$programs $program"
	until grep -qs ready ready; do sleep .02; done
	look python
	kill -9 $program; rm -f /tmp/perf-$program.map
	awk "{ n += \$NF } /;py::<module>:[^;]*burn.py;.*;py::calls:[^;]*;.*py::hot:/ { right += \$NF } END { print right / n; exit !(right > 0.9 * n) }" python.folded
'
check 'Node, started with --perf-basic-prof, has its functions' '
	have node || { echo "no node"; exit 0; }
	cat >burn.js <<-END
	function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += i * i % 7; return s }
	function calls(until) { let s = 0; while (Date.now() < until) s += hot(20000); return s }
	console.log("ready"); for (;;) calls(Date.now() + 10)
	END
	node --perf-basic-prof burn.js >ready & program=$!
	programs="$programs $program"
	until grep -qs ready ready; do sleep .02; done
	sleep 1
	look node
	kill -9 $program; rm -f /tmp/perf-$program.map
	awk "{ n += \$NF } /[*^~](hot|calls) [^;]*burn.js:[12]:/ { right += \$NF } END { print right / n; exit !(right > 0.8 * n) }" node.folded
'
clean_up
finish
