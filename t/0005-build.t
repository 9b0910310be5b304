#!/bin/sh
# SPDX-License-Identifier: MIT
# The Makefile: what it asks of the compiler, what it builds again, where it builds, and which test T names.
. "${0%/*}/lib/tap.sh"

house=$(cd "$t/.." && pwd)
MAKEFLAGS=
export MAKEFLAGS

printf '#!/bin/sh\necho "$*" >>%s/asked\nexec cc "$@"\n' "$PWD" >compiler
chmod +x compiler

check 'help and clean ask the compiler nothing, a build asks once what there is' '
	make -C "$house" "CC=$PWD/compiler" help >out
	grep "^check " out
	make -C "$house" "CC=$PWD/compiler" -n clean
	test ! -e asked
	make -C "$house" "CC=$PWD/compiler" "B=$PWD/none" -n all >/dev/null
	test "$(wc -l <asked)" -eq 1
'
check 'the version is compiled into one object, and is no reason to build another again' '
	make -C "$house" "B=$PWD/none" V=1 VERSION=another -n all >out
	grep "another" out >with
	test "$(grep -c -e " -c -o " with)" -eq 1
	grep -e " -c -o [^ ]*/lib/base/version.o " with
	status 1 grep "none/flags" with
	grep -q "none/flags" out
'
check 'elsewhere it builds into the folder where it is called, or the one that B names' '
	make -f "$house/Makefile" -n clean >out
	grep "^rm -rf .*$PWD/build/bin" out
	status 1 grep -w dist out
	make -C "$house" "B=$PWD/other" -n clean >out
	grep "^rm -rf $PWD/other/bench" out
	status 1 grep -w dist out
'
check 'T that names no test is refused, and says so' '
	status 2 make -C "$house" check T=no-such-test 2>err
	grep "no test is called no-such-test" err
'
check 'a page is the same with mawk, gawk and the one of Kernighan, as far as they are here' '
	mkdir as
	for with in awk mawk gawk original-awk; do
		program=$(command -v /usr/bin/$with) || continue
		ln -sf "$program" as/awk
		PATH=$PWD/as:$PATH "$house/scripts/embed-page" "$house/lib/plot/page" chart >$with.c
		grep -q "^const struct page_source chart_page_source = " $with.c
		test -s first || cp $with.c first
		cmp first $with.c
	done
	test -s first
'
finish
