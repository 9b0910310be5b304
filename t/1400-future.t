#!/bin/sh
# SPDX-License-Identifier: MIT
# A stream of a later version: kinds, columns and names that this version does not know pass bit for bit, and are shown as their own schema says.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_future" || skip_all "no $tools/make_future: run by make check"

index=$("$tools/make_future" 1 7 2>&1 >future.stk)
"$tools/make_future" 2 0 >major.stk 2>/dev/null
stkcap -q "$t/data/shop.perf.txt" >now.stk

check 'it is a legal stream' '
	status 0 stkcat --check future.stk >out 2>&1
	test ! -s out -a $index -gt 0
	! have zstd || zstd -q -t future.stk
'
check '-f stream passes head and blocks bit for bit, from a file and from a pipe' '
	status 0 stkcat -f stream future.stk >passed.stk
	cmp -n $index future.stk passed.stk
	cat future.stk | stkcat -S >piped.stk
	cmp piped.stk passed.stk
	status 0 stkcat --check passed.stk
'
check 'passed on again nothing changes, the index included' '
	stkcat -S --level 5 future.stk >once.stk
	stkcat -S future.stk | stkcat -S --level 19 | stkcat -S --threads 8 --level 5 >passed.stk
	cmp once.stk passed.stk
'
check 'together with streams of today' '
	stkcat -S --level 5 now.stk future.stk now.stk >all.stk
	for file in now future now; do stkcat -S --level 5 $file.stk; done | cmp - all.stk
	status 0 stkcat --check all.stk
'
check 'ndjson shows rows of kinds and columns from the future' '
	stkcat -f ndjson --ids future.stk >got
	grep -x "{.kind.:.song.,.id.:1,.title.:.jet.,.length.:180000000000}" got
	grep -x "{.kind.:.hearing.,.time.:1700000001000000000,.song.:2,.loudness.:1.5}" got
	grep "\"mood\":\"wild\"}$" got
	grep "\"runtime\":\"quantum\"" got
	grep -x "{.kind.:.#703.,.rows.:3}" got
'
check 'tsv shows them as well' '
	stkcat -f tsv --only song future.stk >got
	printf "id\ttitle\tlength\n1\tjet\t180000000000\n2\tcaf\303\251\t200000000000\n" | same - got
	stkcat -f tsv --only metric future.stk | head -1 | grep "	mood$"
'
check 'a later major version is refused by number, status 3, and the other inputs are read' '
	status 3 stkcat -f ndjson --ids major.stk >out 2>err
	test ! -s out -a "$(wc -l <err)" -eq 1
	grep "^stkcat: major.stk: .*version 2, .*version 1" err
	status 3 stkcat -f ndjson --ids now.stk major.stk now.stk 2>/dev/null >out
	test "$(wc -l <out)" -eq $(($(stkcat -f ndjson --ids now.stk | wc -l) * 2))
	status 3 stkcat --check major.stk 2>err
	status 3 stkcat -f stream major.stk 2>err >out
'
check '--only, a window and --grep leave what they do not speak of as it is' '
	stkcat -f stream --only song,string future.stk | stkcat -f ndjson --ids >got
	grep "\"song\"" got
	status 1 grep "\"hearing\"" got
	stkcat -f ndjson --ids --only hearing --from @1700000001 future.stk >got
	test "$(wc -l <got)" -eq 2
'
check 'the forms for people do not stumble over it' '
	for form in "-f text" "-f folded" "-f dumps" "--contents" "--merge" "--sort"; do
		status 0 stkcat -q $form future.stk >out 2>err || { echo "of $form"; cat err; false; }
	done
'
check 'a state of classes with rows that this version does not know is not gone on from: they would be gone after' '
	cp future.stk state
	status 3 stkclass -q --resume state -f tsv now.stk 2>err
	grep "^stkclass: state: has rows of kind 70[01], which this version does not know" err
	cmp state future.stk
'
finish
