#!/bin/sh
# SPDX-License-Identifier: MIT
# An archive of dumps and profiles of many kinds, wrapped by logs, within other text, in other encodings, compressed and within archives: the threads and samples
# that come out are those that went in. ARCHIVE_FILES and ARCHIVE_SEED make another one.
. "${0%/*}/lib/tap.sh"

have python3 || skip_all 'no python3'
files=${ARCHIVE_FILES:-1000} seed=${ARCHIVE_SEED:-1}
python3 "$t/lib/archive.py" make made "$files" "$seed" >failed 2>&1 || { cat failed >&2; exit 99; }

check "each thread and sample of $files files, with its stack and weight, is there once" '
	test "$(find made -type f | wc -l)" -eq "$files"
	status 0 stkcap --rejects rejects -o made.stk made 2>err || { grep -v " skipped$" err; false; }
	stkcat -q -f ndjson --only sample made.stk | python3 "$t/lib/archive.py" compare made >differ || { cat differ; false; }
	grep "^$files files, 48 kinds, .* 0 files differ$" differ
'
check 'its lines are accounted for, and none that was rejected is of a thread' '
	set -- $(sed -n "s/^stkcap: \([0-9]*\) lines: \([0-9]*\) taken, \([0-9]*\) blank, \([0-9]*\) rejected$/\1 \2 \3 \4/p" err)
	test $1 -eq $(($2 + $3 + $4))
	test $4 -eq "$(wc -l <rejects)"
	status 1 grep -e "	at shop[./]" -e "step[0-9]" rejects
'
check 'any two kinds of text after each other, with only an empty line between' '
	python3 "$t/lib/archive.py" pairs pairs "$seed"
	status 0 stkcap -q --rejects rejects -o pairs.stk pairs
	stkcat -q -f ndjson --only sample pairs.stk | python3 "$t/lib/archive.py" compare pairs
	status 1 grep -e "	at shop[./]" -e "step[0-9]" rejects
'
check 'by one thread the stream is the same' '
	stkcap -q --threads 1 -o one.stk made
	stkcat -q -f ndjson --only sample,thread,dump,source one.stk >one
	stkcat -q -f ndjson --only sample,thread,dump,source made.stk | same one -
'
if have xz tar; then
	check 'as one archive within a compressed one' '
		tar cf made.tar made; xz -0 made.tar
		status 0 stkcap -q -o packed.stk made.tar.xz
		stkcat -q -f ndjson --only sample packed.stk | python3 "$t/lib/archive.py" compare made
	'
fi
finish
