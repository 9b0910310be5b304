#!/bin/sh
# SPDX-License-Identifier: MIT
# The harness itself: what must fail fails, what must pass passes, and each says so.
. "${0%/*}/lib/tap.sh"

# run_test 'lines of a test' makes a test file of them, beside a lib/, and runs it; its TAP is in out, its diagnostics in err
run_test() {
	mkdir -p inner/lib
	cp "$t/lib/tap.sh" inner/lib
	printf '%s\n' '. "${0%/*}/lib/tap.sh"' "$1" finish >inner/try.t
	TMPDIR=$PWD/inner sh inner/try.t >out 2>err
}

check 'a check whose lines all succeed passes' '
	run_test "check fact \"true; true\""
	grep -x "ok 1 - fact" out
	grep -x "1..1" out
'
check 'a check fails when its middle line fails' '
	status 1 run_test "check fact \"true; false; true\""
	grep -x "not ok 1 - fact" out
'
check 'a check fails when its last line fails' '
	status 1 run_test "check fact false"
'
check 'a failed check shows its output, a good one does not' '
	status 1 run_test "check one \"echo silent\"; check two \"echo loud; false\""
	grep -x "# loud" err
	status 1 grep silent out err
'
check 'the checks behind a failed one still run, and all are counted' '
	status 1 run_test "check one false; check two true"
	grep -x "ok 2 - two" out
	grep -x "1..2" out
'
check 'a check does not change the variables or the directory of the next' '
	run_test "check one \"x=1; mkdir d; cd d\"; check two \"test -z \\\"\\\${x-}\\\"; test -d d\""
'
check 'status takes the very status: a crash does not pass as status 1' '
	status 1 run_test "check fact \"status 1 sh -c \\\"kill -SEGV \\\\\\\$\\\\\\\$\\\"\""
	grep "status 139, expected 1" err
	run_test "check fact \"status 1 false\""
'
check 'status 0 is an expectation too' '
	status 1 run_test "check fact \"status 0 false\""
	run_test "check fact \"status 0 true\""
'
check 'same shows the difference' '
	echo a >a; echo b >b
	status 1 run_test "check fact \"same $PWD/a $PWD/b\""
	grep -x "# -a" err
	run_test "check fact \"same $PWD/a $PWD/a\""
'
check 'a skipped check says why' '
	run_test "skip \"no luck\" fact false"
	grep -x "ok 1 - fact # SKIP no luck" out
'
check 'a skipped file says why, and leaves nothing behind' '
	rm -rf inner
	run_test "skip_all \"no luck\""
	grep -x "1..0 # SKIP no luck" out
	test -z "$(ls inner | grep "^stk")"
'
check 'have knows what is here' '
	have sh cat
	status 1 have sh no-such-program-anywhere
'
check 'the scratch directory goes when all was well, and stays when not' '
	rm -rf inner
	run_test "check fact true"
	test -z "$(ls inner | grep "^stk")"
	status 1 run_test "check fact false"
	test -n "$(ls inner | grep "^stk")"
'
check 'what failed is also added to the file that FAILURES names' '
	FAILURES=$PWD/failures status 1 run_test "check one \"echo loud; false\"; check two true"
	grep "try.t: not ok 1 - one$" failures
	grep -x "    loud" failures
	status 1 grep two failures
'
check 'what failed in a test that a test runs is not added: only what the outer one makes of it' '
	rm -f failures
	mkdir -p nested/lib
	cp "$t/lib/tap.sh" nested/lib
	printf "%s\n" ". \"\${0%/*}/lib/tap.sh\"" "check deep \"echo loud; false\"" finish >nested/deep.t
	FAILURES=$PWD/failures run_test "check outer \"status 1 sh $PWD/nested/deep.t\""
	test ! -e failures
	FAILURES=$PWD/failures status 1 run_test "check outer \"sh $PWD/nested/deep.t\""
	grep "try.t: not ok 1 - outer$" failures
	status 1 grep "deep.t: not ok" failures
'
check 'without what was built a test says at once how it is run' '
	mkdir -p inner/lib
	cp "$t/lib/tap.sh" inner/lib
	echo ". \"\${0%/*}/lib/tap.sh\"; check fact true; finish" >inner/5100-try.t
	status 255 env BUILD= sh inner/5100-try.t >out
	grep -x "Bail out!  BUILD is not set: use make check T=5100" out
	status 255 env "PATH=$PWD/none" /bin/sh inner/5100-try.t >out
	grep -x "Bail out!  stkcat is not in PATH: use make check T=5100" out
	test "$(wc -l <out)" -eq 1
'
check 'locale and zone are fixed' '
	test "$LC_ALL $TZ" = "C UTC"
'
finish
