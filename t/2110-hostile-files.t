#!/bin/sh
# SPDX-License-Identifier: MIT
# Files that are not what they should be: each is named with the reason, the others are read, and the status is 1.
. "${0%/*}/lib/tap.sh"

tools=${BUILD:-$t/../build}/t/tools
test -x "$tools/peak" || skip_all "no $tools/peak: run by make check"

dump=$t/data/orders.jstack.txt perf=$t/data/shop.perf.txt
printf 'a;b 1\n' >good.txt

# refused FILE PATTERN: stkcap says PATTERN of FILE in one line, reads the good one behind it, and ends in 1
refused() {
	status 1 stkcap "$1" good.txt >out.stk 2>err
	grep "^stkcap: $1: .*$2" err || { cat err; return 1; }
	test "$(wc -l <err)" -eq 2
	grep "^stkcap: 0 dumps, 1 samples, 1 distinct stacks" err
	test "$(stkcat -q -f folded out.stk)" = "a;b 1"
	status 1 stkcap -q "$1" good.txt 2>&1 >/dev/null | grep -c . | grep -qx 1
}

check 'an empty file' '
	: >empty.txt
	refused empty.txt empty
	refused /dev/null empty
	status 1 stkcap - </dev/null 2>err >out.stk
	grep "^stkcap: -: empty" err
	status 0 stkcat --check out.stk || status 1 stkcat --check out.stk
'
check 'a file that is not there, and a link to nowhere' '
	ln -s nowhere dangling
	refused missing "No such file"
	refused dangling "No such file"
'
if test "$(id -u)" = 0; then
skip 'root may read everything' 'a file and a directory without permission' ''
else
check 'a file and a directory without permission' '
	cp good.txt secret.txt; chmod 0 secret.txt
	mkdir closed; chmod 0 closed
	refused secret.txt "Permission denied"
	refused closed "Permission denied"
	chmod 700 closed
'
fi
check 'a directory with all sorts: what is no file is told, what can be read is read in the order of names, hidden files are not' '
	mkdir -p mixed/sub/deeper mixed/empty
	printf "b;x 1\n" >mixed/b.txt
	printf "a;x 1\n" >mixed/a.txt
	printf "c;x 1\n" >mixed/sub/c.txt
	printf "d;x 1\n" | gzip >mixed/sub/deeper/d.txt.gz
	printf "h;x 1\n" >mixed/.hidden
	echo "Read me. There is no dump here." >mixed/README
	: >mixed/zero
	ln -s nowhere mixed/dangling
	ln -s ../mixed mixed/loop
	mkfifo mixed/fifo
	status 1 stkcap mixed >out.stk 2>err
	grep "^stkcap: mixed/README: not a known format" err
	grep "^stkcap: mixed/zero: empty" err
	grep "^stkcap: mixed/dangling: No such file" err
	grep "^stkcap: mixed/loop: .*not followed" err
	grep "^stkcap: mixed/fifo: not a regular file" err
	test "$(wc -l <err)" -eq 6
	stkcat -f tsv --only sample out.stk | cut -f 6 | tr "\n" " " | grep -x "stack a;x b;x c;x d;x "
'
check 'a file that is no dump' '
	printf "Dear diary,\nnothing happened.\n" >diary.txt
	refused diary.txt "not a known format"
	head -c 300000 /dev/urandom >junk.bin
	refused junk.bin "not a known format"
	head -c 300000 /dev/zero >zeros.bin
	refused zeros.bin "not a known format"
'
check 'a record stream given to stkcap: it says whose it is' '
	stkcap -q good.txt >stream.stk
	refused stream.stk "already a record stream: read it with stkcat"
	cat stream.stk stream.stk | status 1 stkcap --format folded 2>err >/dev/null
	grep "^stkcap: -: already a record stream: read it with stkcat" err
	"$tools/make_stream" 3 10 >other.stk
	refused other.stk "already a record stream: read it with stkcat"
'
check 'text, a compressed text, a directory of them given to stkcat: likewise, in a line each' '
	gzip -c good.txt >good.txt.gz
	for file in good.txt good.txt.gz "$dump" junk.bin; do
		for form in "-f ndjson" "-f text" "-f stream" "-f folded" "--check" "--contents"; do
			status 1 stkcat $form "$file" >out 2>err
			test "$(wc -l <err)" -eq 1 || { echo "$form $file:"; cat err; false; }
			case $file in
			junk.bin) grep "not a record stream" err ;;
			*) grep "$file:0: this is text, not records: read it with stkcap, as in stkcap FILE | stkcat" err ;;
			esac
		done
	done
	stkcap -q good.txt >good.stk
	status 1 stkcat -q -f folded good.txt good.stk good.txt 2>err >out
	test "$(cat out)" = "a;b 1"
	test "$(grep -c "^stkcat: good.txt:0: " err)" -eq 2
'
check 'what stkcat prints is known again by every filter, which says how to get records' '
	for form in text tsv ndjson; do
		stkcat -f $form good.stk >printed
		for filter in stkcat stkclass "stktree -f text" "stkgroup -s jvm" stktrend; do
			status 1 $filter printed >out 2>err
			grep "printed:0: this is text from stkcat, not records: use stkcat -f stream" err || { echo "$form, $filter:"; cat err; false; }
		done
	done
'
check 'gzip and zstd that were cut: what came before is kept, and it is said' '
	awk "BEGIN { for (i = 0; i < 20000; i++) printf \"a;b%d;c%d 1\n\", i * 7919 % 10007, i }" >many.txt
	gzip -c many.txt | head -c 40000 >cut.txt.gz
	status 1 stkcap cut.txt.gz good.txt >out.stk 2>err
	grep "^stkcap: cut.txt.gz: truncated" err
	stkcat -q -f folded out.stk | grep -x "a;b 1"
	test "$(stkcat -q -f folded out.stk | wc -l)" -gt 1000
	if have zstd; then
		zstd -q -c many.txt | head -c 60000 >cut.txt.zst
		status 1 stkcap cut.txt.zst good.txt >out.stk 2>err
		grep "^stkcap: cut.txt.zst: truncated" err
		stkcat -q -f folded out.stk | grep -x "a;b 1"
	fi
'
check 'gzip and zstd that are damaged' '
	{ gzip -c many.txt | head -c 30000; printf "\1\2\3\4\5\6\7"; gzip -c many.txt | tail -c +30008; } >bad.txt.gz
	status 1 stkcap bad.txt.gz good.txt >out.stk 2>err
	grep "^stkcap: bad.txt.gz: damaged" err
	stkcat -q -f folded out.stk | grep -x "a;b 1"
	if have zstd; then
		{ zstd -q -c many.txt | head -c 30000; printf "\1\2\3\4\5\6\7"; zstd -q -c many.txt | tail -c +30008; } >bad.txt.zst
		status 1 stkcap bad.txt.zst good.txt >out.stk 2>err
		grep "^stkcap: bad.txt.zst: damaged" err
		stkcat -q -f folded out.stk | grep -x "a;b 1"
	fi
'
check 'a gzip bomb stops at --max-expand, which is said; memory stays small' '
	yes "a;b;c 1" | head -c 100000000 | gzip -1 >bomb.txt.gz
	status 1 "$tools/peak" peak stkcap --max-expand 1M bomb.txt.gz good.txt >out.stk 2>err
	grep "^stkcap: bomb.txt.gz: expands to more than 1048576 bytes" err
	test "$(cat peak)" -lt 65536 || case ${BUILD:-} in *address*) ;; *) false ;; esac
	stkcat -q -f folded out.stk >got
	grep -x "a;b 1" got
	grep -x "a;b;c 13107[12]" got
	head -c 100000000 /dev/zero | gzip -1 >zeros.gz
	refused zeros.gz "not a known format"
'
check 'a bomb in a bomb stops at --max-expand' '
	gzip -c bomb.txt.gz >twice.gz
	status 1 stkcap --max-expand 1M twice.gz good.txt >out.stk 2>err
	grep "^stkcap: twice.gz: expands to more than 1048576 bytes" err
'
check 'what only begins like xz and bzip2 is damaged' '
	printf "\3757zXZ\0and more of it" >x.xz
	refused x.xz "xz data"
	printf "BZh91AY&SYand more of it" >x.bz2
	refused x.bz2 "bzip2 data"
'
check 'other filters say who reads xz and bzip2' '
	for file in x.xz x.bz2; do
		status 1 stkcat -q -f folded $file 2>err
		grep "which only stkcap reads: decompress it first" err
	done
'
check 'the end of a stream that lost input says so to those who come later' '
	status 1 stkcap -q missing good.txt >out.stk 2>/dev/null
	status 1 stkcat --check out.stk 2>err
	test "$(wc -l <err)" -eq 1
'
check '--max-expand says what it takes' '
	status 2 stkcap --max-expand many good.txt 2>err >/dev/null
	test "$(wc -l <err)" -eq 1
	grep "try stkcap --help" err
'
finish
