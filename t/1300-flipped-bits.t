#!/bin/sh
# SPDX-License-Identifier: MIT
# A flipped bit is noticed or changes nothing, also by the command. (t/unit/reader_damage.c tries every bit.)
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/make_stream" || skip_all "no $tools/make_stream: run by make check"

"$tools/make_stream" 6 20 10 >whole.stk
size=$(wc -c <whole.stk)
stkcat -f ndjson --ids whole.stk >whole.ndjson

# flip OFFSET BIT <file: the file with one bit flipped
flip() {
	head -c "$1" whole.stk
	byte=$(od -An -tu1 -j "$1" -N 1 whole.stk)
	printf "\\$(printf %o $((byte ^ (1 << $2))))"
	tail -c +$(($1 + 2)) whole.stk
}

check 'the tool flips one bit' '
	flip 100 3 >flipped.stk
	test "$(cmp -l whole.stk flipped.stk | wc -l)" -eq 1
	test "$(wc -c <flipped.stk)" -eq $size
'
check 'a bit: status 1 and a line, or the same rows and 0; every row is one of the whole, in order' '
	at=3 bit=0 noticed=0
	while test $at -lt $size; do
		flip $at $bit >flipped.stk
		stkcat -f ndjson --ids flipped.stk >got 2>err && status=0 || status=$?
		if test $status -eq 0; then
			same whole.ndjson got
			test ! -s err
		else
			test $status -eq 1 -a -s err
			noticed=$((noticed + 1))
			# a head that was lost is no row, and its schema is that of this version
			grep -v "^{.kind.:.head" got | grep -vxF -f whole.ndjson >foreign || true
			test ! -s foreign
			test $(wc -l <got) -ge $(($(wc -l <whole.ndjson) - 11))
		fi
		at=$((at + 811)) bit=$(((bit + 3) % 8))
	done
	test $noticed -gt 30
'
check '--check says where: the block that was hit' '
	flip $((size / 2)) 0 >flipped.stk
	status 1 stkcat --check flipped.stk 2>err
	offset=$(sed -n "1s/^stkcat: flipped.stk:\([0-9]*\): .*/\1/p" err)
	test $offset -le $((size / 2)) -a $offset -gt $((size / 2 - 2000))
'
check 'damage in one block does not cost another: only lines of one kind are missing' '
	flip $((size * 2 / 3)) 5 >flipped.stk
	status 1 stkcat -f ndjson --ids flipped.stk 2>/dev/null >got
	grep -vxF -f got whole.ndjson | cut -d, -f1 | sort -u >kinds
	test "$(wc -l <kinds)" -eq 1
'
check 'passed on, damage does not become right: blocks pass as they are, and who reads them notices' '
	at=$((size * 2 / 3))		# in a column: a block whose header is damaged does not pass at all
	while flip $at 5 >flipped.stk; stkcat --check flipped.stk 2>&1 | grep -q header; do at=$((at + 40)); done
	stkcat -f stream flipped.stk >passed.stk 2>err || test $? -eq 1
	status 1 stkcat --check passed.stk 2>/dev/null
	status 1 stkcat -f ndjson --ids passed.stk >got 2>/dev/null
	grep -vxF -f whole.ndjson got >foreign || true
	test ! -s foreign
	status 1 stkcat --merge flipped.stk >merged.stk 2>err
	test -s err
'
check 'holes, and blocks in another order: no crash, status 1' '
	{ head -c 4000 whole.stk; head -c 4096 /dev/zero; tail -c +8097 whole.stk; } >hole.stk
	status 1 stkcat --check hole.stk 2>err
	test -s err
	for form in "-f text" "-f tsv" "-f ndjson" "-f folded" "-f dumps" "-f stream" "--merge" "--sort" "--contents"; do
		status 1 stkcat $form hole.stk >out 2>err || { echo "of $form"; false; }
	done
	{ tail -c 3000 whole.stk; head -c 3000 whole.stk; } >turned.stk
	for form in "-f text" "-f tsv" "-f ndjson" "-f folded" "-f dumps" "-f stream" "--merge" "--sort" "--check"; do
		status 1 stkcat $form turned.stk >out 2>err || { echo "of $form"; false; }
	done
'
finish
