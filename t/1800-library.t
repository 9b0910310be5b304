#!/bin/sh
# SPDX-License-Identifier: MIT
# The library, for strangers: what is installed is enough to build a filter, which treats damage as ours do; no name of
# ours gets in the way of theirs; and every public header is one for C++ as well.
. "${0%/*}/lib/tap.sh"
case ${BUILD:-} in *address*) skip_all 'a library with sanitizers is not for strangers' ;; esac

house=$(cd "$t/.." && pwd)
dest=$scratch/dest
installed=$dest/usr/local
include=$installed/include
MAKEFLAGS='' make -s -C "$house" B="${BUILD:-$house/build}" BUILT=1 DESTDIR="$dest" PREFIX=/usr/local install >install.log 2>&1 ||
	{ cat install.log >&2; exit 99; }
PKG_CONFIG_PATH=$installed/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dest LD_LIBRARY_PATH=$installed/lib
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH
cp "$installed"/share/doc/stkpipe/examples/* .

# Two streams, of which the second is cut; or of which the first has another byte in its middle.
stkcap -q -o dumps.stk "$house/scripts/sample/order-service.jstack.txt.gz"
stkcap -q -o profile.stk "$house/scripts/sample/order-service.perf.txt.gz"
cat dumps.stk profile.stk >good.stk
head -c $(($(wc -c <good.stk) - 1000)) good.stk >cut.stk
middle=$(($(wc -c <dumps.stk) / 2))
byte=$(tail -c +$((middle + 1)) good.stk | head -c 1 | od -An -tu1 | tr -d ' ')
{ head -c $middle good.stk; printf "\\$(printf %o $(((byte + 1) % 256)))"; tail -c +$((middle + 2)) good.stk; } >damaged.stk

check 'stkpipe.pc says the version of the headers, and the shared library is found by its soname' '
	test "$(pkg-config --modversion stkpipe)" = "$(sed -n "s/^#define STK_VERSION \"\(.*\)\"/\1/p" "$include/stkpipe/version.h")"
	test -L "$installed/lib/libstkpipe.so"
	test -e "$installed/lib/libstkpipe.so"
'
check 'FORMAT.md and the examples are installed' '
	same "$house/lib/stream/FORMAT.md" "$installed/share/doc/stkpipe/FORMAT.md"
	test -s deepest.c
	man=$installed/share/man/man7/stkpipe.7
	grep -q "share/doc/stkpipe/FORMAT.md" "$man"
'
check 'no symbol of the archive or the shared library that can be seen is without stk_' '
	nm -g --defined-only "$installed/lib/libstkpipe.a" | sed -n "s/.* [A-Z] //p" >seen
	grep -qx stk_reader_open seen
	status 1 grep -v "^stk_" seen
	nm -D --defined-only "$installed/lib/libstkpipe.so" | sed -n "s/.* [A-Z] //p" >seen
	grep -qx stk_reader_open seen
	status 1 grep -v "^stk_" seen
'
check '... and every function that a public header declares is there' '
	cat "$include"/stkpipe/*.h | tr -d "\n" | grep -o "[ *]stk_[a-z_]*([a-z][a-z_]* [^;{]*) *\(STK_[A-Z_]*\(([0-9, ]*)\)\?\)\?;" | sed "s/^.\(stk_[a-z_]*\).*/\1/" | grep -v _function\$ | sort -u >declared
	test "$(wc -l <declared)" -gt 40
	sort -u seen >defined
	comm -23 declared defined >missing
	test ! -s missing || { cat missing; false; }
'

have cc pkg-config || { skip 'no cc, no pkg-config' 'the example is built'; finish; }

check 'the example is built with pkg-config alone, by its Makefile and by the command that it names' '
	make -s -f Makefile deepest
	rm deepest
	cc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror -o deepest deepest.c $(pkg-config --cflags --libs stkpipe)
'
check '... and with the archive' '
	mkdir archive
	cp "$installed/lib/libstkpipe.a" archive
	cc -std=c11 -D_POSIX_C_SOURCE=200809L -o deepest-static deepest.c -Larchive $(pkg-config --cflags --static --libs stkpipe)
	ldd deepest-static >libraries
	status 1 grep stkpipe libraries
	LD_LIBRARY_PATH="" ./deepest-static <good.stk >out.stk
	cmp good.stk out.stk || stkcat --check -q out.stk
'

# as_ours NAME STATUS: deepest and stkcat say the same of NAME.stk, end with that status, and have the same rows
as_ours() {
	status "$2" ./deepest <"$1.stk" >passed.stk 2>deepest.err
	status "$2" stkcat -f text - <"$1.stk" >ours 2>ours.err
	sed -n '/frames, up to/!s/^deepest: //p' deepest.err >theirs.said
	sed -n 's/^stkcat: \(-:[0-9]\)/\1/p' ours.err >ours.said		# stkcat also counts the ids that lead nowhere
	same ours.said theirs.said
	stkcat -f text passed.stk >theirs || true
	test -s ours
	same ours theirs
}

check 'a good stream goes through, and the deepest stack is reported' '
	as_ours good 0
	frames=$(stkcat -q -f folded --event all good.stk | awk -F";" "NF > most { most = NF } END { print most - 1 }")	# the first is the thread
	grep "^deepest: $frames frames, up to " deepest.err
	stkcat --check passed.stk
'
check 'a cut stream: a message with the place, status 1, the good part kept, and what comes after knows of the loss' '
	as_ours cut 1
	grep "^deepest: -:[0-9]*: " deepest.err
	status 1 stkcat --check passed.stk >said 2>&1
	grep "damaged or truncated in 1 place$" said
'
check 'a damaged block: a message with the place, status 1, the other blocks kept, and what comes after knows of the loss' '
	as_ours damaged 1
	grep "^deepest: -:[0-9]*: .*left out" deepest.err
	status 1 stkcat --check passed.stk >said 2>&1
	grep "damaged or truncated in 1 place$" said
'
check 'what is no stream: a message, status 1' '
	echo "no stream at all" | status 1 ./deepest >out 2>err
	grep "^deepest: -:0: this is text, not records" err
'
check 'an output that is full: status 3' '
	status 3 ./deepest <good.stk >/dev/full 2>err
	grep "No space left" err
'

check 'out of memory: the handler is called, and without one the process aborts' '
	cat >memory.c <<-END
		#include <limits.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <stkpipe/resources.h>
		static void end(size_t count, size_t size) { printf("%zu\n", count * size); exit(7); }
		int main(int argc, char **argv) { (void)argv; if (argc > 1) stk_on_out_of_memory(end); stk_workers_close(stk_workers_open(INT_MAX)); return 0; }
	END
	cc -o memory memory.c $(pkg-config --cflags --libs stkpipe)
	ulimit -v 1000000
	ulimit -c 0
	status 7 ./memory handler >out
	test "$(cat out)" -gt 1000000000
	status 134 ./memory
'

# in_cxx COMPILER: every public header, alone, without and with warnings; and a program that uses them
in_cxx() {
	have "$1" || { skip "no $1" "$1: every public header compiles"; return; }
	cxx=$1
	check "$cxx: every public header compiles alone, and a program with all of them links" '
		for standard in c++11 c++17; do
			for header in "$include"/stkpipe/*.h; do
				printf "#include <stkpipe/%s>\n" "${header##*/}" >alone.cc
				"$cxx" -std=$standard -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$include" alone.cc
			done
		done
		{ for header in "$include"/stkpipe/*.h; do printf "#include <stkpipe/%s>\n" "${header##*/}"; done; cat <<-END
			#include <cstdio>
			int main() { struct stk_locks row = {}; row.class_ = 7; std::printf("%s %u %d\n", stk_version(), STK_COLUMN(locks, class_), (int)row.class_); }
			END
		} >all.cc
		"$cxx" -std=c++11 -o all all.cc $(pkg-config --cflags --libs stkpipe)
		./all | grep " 3 7$"
	'
}
in_cxx g++
in_cxx clang++
finish
