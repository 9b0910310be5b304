#!/bin/sh
# SPDX-License-Identifier: MIT
# What is not read is not taken for something else: known files are named with the way to convert them, and one line that looks like a format is not one.
. "${0%/*}/lib/tap.sh"

# named FILE WORDS: refused with these words, and without a row
named() {
	status 1 stkcap -o out.stk "$1" 2>err
	grep -e "$2" err
	test "$(stkcat -q -f tsv out.stk | grep -vc "^kind")" -eq 0 || stkcat --contents out.stk | status 1 grep -e "sample *[1-9]" -e "metric *[1-9]"
}

check 'binary files, by their first bytes' '
	{ printf "PERFILE2"; head -c 100 /dev/urandom; } >a; named a "perf script -i"; gzip -c a >a.gz; named a.gz "perf script -i"
	{ printf "PERFILE2\20\0\0\0\0\0\0\0"; head -c 100 /dev/zero; } | status 1 stkcap -o out.stk 2>err; grep "perf script -i" err	# as perf record -o - writes it
	{ printf "JAVA PROFILE 1.0.2\0"; head -c 100 /dev/urandom; } >a; named a "heap dump"
	{ printf "\312\376\300\300"; head -c 100 /dev/urandom; } >a; named a "hsperfdata"
	{ printf "\24\0\0\0!FastSerialization.1"; } >a; named a "netperf"
	{ printf "SQLite format 3\0"; head -c 100 /dev/zero; } >a; named a "SQLite"
	head -c 5000 "$(command -v stkcap)" >a; named a "core"
'
check 'text files that stkcap does not read' '
	echo "{\"meta\":{\"interval\":1,\"stackwalk\":1,\"version\":30},\"libs\":[],\"threads\":[]}" >a; named a "as Firefox itself saves it"
'
check 'what jfr, go and node write for other readers' '
	printf "jdk.SafepointBegin {\n  startTime = 20:08:33.796\n  duration = 0.00685 ms\n}\n" >a; named a "stkcap reads the recording itself"
	printf "{\n  \"recording\": {\n    \"events\": [{\n      \"type\": \"jdk.SafepointBegin\", \n" >a; named a "stkcap reads the recording itself"
	printf "<?xml version=\"1.0\"?>\n<recording xmlns:xsi=\"x\">\n  <events>\n    <event type=\"jdk.SafepointBegin\">\n" >a; named a "stkcap reads the recording itself"
	{ printf "go 1.19 trace\0\0\0"; head -c 100 /dev/urandom; } >a; named a "go tool trace -pprof"
	printf "v8-version,11,3,244,8,-node.38,0\nv8-platform,linux,linux\n" >a; named a "node --cpu-prof"
	printf "jdk.internal.misc.Unsafe.park;b 1\njdk.a;c 2\n" >a; test "$(stkcap -q a | stkcat -q -f folded)" = "$(printf "jdk.a;c 2\njdk.internal.misc.Unsafe.park;b 1")"
'
check 'one line that looks like a format is not one' '
	printf "hello\n\"quote\" prio=5 said he\nworld\n" >a; named a "not a known format"
	printf "the log says:\n   java.lang.Thread.State: RUNNABLE\nand that is it\n" >a; named a "not a known format"
	printf "read this\nThread 1 (idle): foo\n  something else here\n" >a; named a "not a known format"
	printf "#1 \"first\"\n    some text (see a.b)\n#2 \"second\"\n      code.call(x)\n\n" >a; named a "not a known format"
	printf "x; y 1\ny = 2; z 3\n" >a; named a "not a known format"
	printf "GC 1; start 09:00:00; heap 12\nGC 2; start 09:00:01; heap 14\nGC 3; start 09:00:02; heap 15\n" >a; named a "not a known format"
'
check 'a format that was asked for is read all the same' '
	printf "{\"traceEvents\";b 1\n" >a; test "$(stkcap -q --format folded a | stkcat -f folded)" = "{\"traceEvents\";b 1"
'
finish
