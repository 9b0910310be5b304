#!/bin/sh
# SPDX-License-Identifier: MIT
# How programs and libraries are built: at places that change, with checks of frames and sizes, and with tables that cannot be written.
. "${0%/*}/lib/tap.sh"

have readelf || skip_all 'no readelf'
case ${BUILD:-} in *address*) skip_all 'built for sanitizers' ;; esac
grep -q -e -fstack-protector "$BUILD/flags" || skip_all 'built with HARDEN='

programs=$(ls "$BUILD"/bin/stk*)
libraries=$(ls "$BUILD"/lib/libstkpipe.so.*)

check 'programs are at places that change' '
	for file in $programs; do readelf -h "$file" | grep -q "Type: *DYN" || { echo "$file"; false; }; done
'
check 'tables of functions elsewhere are filled at the start, and not written after that' '
	for file in $programs $libraries; do
		readelf -lW "$file" >segments
		readelf -dW "$file" >entries
		grep -q GNU_RELRO segments && grep -qE "BIND_NOW|FLAGS.* NOW" entries || { echo "$file"; false; }
	done
'
check 'no stack can be executed, and nothing can be written and executed' '
	for file in $programs $libraries; do
		readelf -lW "$file" >segments
		grep GNU_STACK segments | grep -q " RW " || { echo "$file: stack"; false; }
		awk "/LOAD/ && / RWE /" segments >both
		test ! -s both || { echo "$file"; cat both; false; }
	done
'
check 'the ends of frames are checked, and sizes that the C library knows' '
	for file in $programs; do
		readelf -sW --dyn-syms "$file" >names
		grep -q __stack_chk_fail names || { echo "$file: frames"; false; }
		if grep -q "_FORTIFY_SOURCE" "$BUILD/flags"; then grep -qE "__[a-z]+_chk(@|$| )" names || { echo "$file: sizes"; false; }; fi
	done
'
if test "$(uname -m)" = x86_64; then
	check 'jumps go where jumps may go, and returns where calls came from: our part, since all libraries must have it' '
		readelf -nW "$BUILD/lib/base/arena.o" | grep -q "IBT, SHSTK"
	'
fi
finish
