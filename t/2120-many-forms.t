#!/bin/sh
# SPDX-License-Identifier: MIT
# The same dump in other clothes gives the same samples: line ends, byte order marks, UTF-16, log prefixes, noise around it, a part that is missing.
. "${0%/*}/lib/tap.sh"

dump=$t/data/orders.jstack.txt perf=$t/data/shop.perf.txt

# rows FILE...: samples as text, without the name of the source
rows() {
	stkcap -q --source x "$@" | stkcat -f tsv --only sample
}

rows "$dump" >dump.want
rows "$perf" >perf.want

check 'there is something to compare' '
	test "$(wc -l <dump.want)" -eq 37 -a "$(wc -l <perf.want)" -eq 8
'
check 'CRLF' '
	sed "s/\$/\r/" "$dump" >crlf; rows crlf | same dump.want -
	sed "s/\$/\r/" "$perf" >crlf; rows crlf | same perf.want -
	printf "a;b 1\r\nc;d 2\r\n" >crlf; test "$(stkcap -q crlf | stkcat -q -f folded | tr "\n" " ")" = "a;b 1 c;d 2 "
'
check 'a byte order mark' '
	for file in dump perf; do
		eval text=\$$file
		{ printf "\357\273\277"; cat "$text"; } >marked
		rows marked | same $file.want -
	done
	printf "\357\273\277a;b 1\n" >marked; test "$(stkcap -q marked | stkcat -q -f folded)" = "a;b 1"
'
if have iconv; then
check 'UTF-16, either end first, with its mark; and CRLF in it' '
	for file in dump perf; do
		eval text=\$$file
		{ printf "\377\376"; iconv -f UTF-8 -t UTF-16LE "$text"; } >wide; rows wide | same $file.want -
		{ printf "\376\377"; iconv -f UTF-8 -t UTF-16BE "$text"; } >wide; rows wide | same $file.want -
		{ printf "\377\376"; sed "s/\$/\r/" "$text" | iconv -f UTF-8 -t UTF-16LE; } >wide; rows wide | same $file.want -
	done
'
check 'UTF-16 without a mark, and UTF-32 with one or without' '
	for file in dump perf; do
		eval text=\$$file
		for code in UTF-16LE UTF-16BE UTF-32LE UTF-32BE; do
			iconv -f UTF-8 -t $code "$text" >wide; rows wide | same $file.want -
		done
		{ printf "\377\376\0\0"; iconv -f UTF-8 -t UTF-32LE "$text"; } >wide; rows wide | same $file.want -
		{ printf "\0\0\376\377"; iconv -f UTF-8 -t UTF-32BE "$text"; } >wide; rows wide | same $file.want -
		tr "\n" "\r" <"$text" | iconv -f UTF-8 -t UTF-16LE >wide; rows wide | same $file.want -
	done
'
else
skip 'no iconv' 'UTF-16' ''
fi
check 'CR alone' '
	tr "\n" "\r" <"$dump" >cr; rows cr | same dump.want -
	tr "\n" "\r" <"$perf" >cr; rows cr | same perf.want -
	printf "a;b 1\rc;d 2\r" >cr; test "$(stkcap -q cr | stkcat -q -f folded | tr "\n" " ")" = "a;b 1 c;d 2 "
'
check 'a file without a newline at its end, joined to the next by cat: cut behind every line, no thread, number or date differs' '
	lines=$(wc -l <"$dump")
	for n in $(seq 92 "$lines"); do
		{ head -n "$n" "$dump"; cat "$dump"; } >whole
		{ head -n "$n" "$dump" | head -c -1; cat "$dump"; } >joined
		for file in whole joined; do
			stkcap -q --source x $file 2>err | stkcat -f tsv --only dump,sample,metric >$file.rows
		done
		same whole.rows joined.rows
	done
	test "$n" -eq "$lines"
'
for prefix in '2026-03-01T09:00:00.123456789Z stdout F ' 'Mar  1 09:00:00 host java[123]: ' '[server-1] ' 'INFO   | jvm 1    | 2026/03/01 09:00:00 | '; do
check "behind the log prefix '$prefix'" '
	sed "s#^#$prefix#" "$dump" >log
	rows log | cut -f 2- >got
	cut -f 2- dump.want | same - got
	{ echo "${prefix}Starting"; sed "s#^#$prefix#" "$dump"; echo "${prefix}Stopping"; } >log
	rows log | cut -f 2- | same got -
'
done
check 'within a log: noise before, between and behind is counted, and --rejects shows it' '
	{ echo "10:00:00 INFO start"; cat "$dump"; echo "10:00:01 INFO between"; cat "$dump"; echo "10:00:02 WARN end"; } >log
	status 0 stkcap --rejects rejects log 2>err >out.stk
	grep "^stkcap: 6 dumps, 72 samples, 10 distinct stacks, 3 lines skipped" err
	test "$(wc -l <rejects)" -eq 3
	grep "^log:1: .*: 10:00:00 INFO start$" rejects
	grep "^log:$(wc -l <log): .*: 10:00:02 WARN end$" rejects
'
check 'binary noise around and between' '
	{ printf "\1\2\3\377\376\n\0\0\n"; cat "$dump"; printf "\200\201\n"; } >log
	rows log | same dump.want -
'
check 'cut in the middle: what is whole is read, what is not is said, 1' '
	size=$(wc -c <"$dump") lengths=0 last=0
	for length in $(seq 700 1471 $size); do
		head -c $length "$dump" >cut
		stkcap --source x cut >out.stk 2>err && got=0 || got=$?
		test $got -le 1
		stkcat -f tsv --only sample out.stk >rows
		count=$(wc -l <rows)
		test $count -ge $last || { echo "$length bytes: fewer rows"; false; }
		last=$count
		head -n $((count - 1)) dump.want >beginning
		head -n $((count - 1)) rows | same beginning -
		lengths=$((lengths + 1))
	done
	test $lengths -gt 8 -a $last -gt 30
'
check 'without its beginning: the threads that are whole are read' '
	tail -c +3000 "$dump" >rest
	stkcap --source x rest >out.stk 2>err || test $? -eq 1
	stkcat -f tsv --only sample out.stk | cut -f 3- >got
	tail -n 24 dump.want | cut -f 3- >want
	tail -n 24 got | cut -f 1-4 >tail.got
	cut -f 1-4 want | same - tail.got
	test "$(wc -l <got)" -gt 25
'
check 'many in one file, in several files, in a folder, through a pipe: the same rows' '
	mkdir many
	for n in 1 2 3; do cp "$dump" many/dump-$n.txt; done
	rows many >want
	test "$(grep -c "2026" want)" -eq 108
	cat many/*.txt | rows - | cut -f 3-6,8- >got
	cut -f 3-6,8- want | same - got
	rows many/dump-1.txt many/dump-2.txt many/dump-3.txt | same want -
'
check 'the zone of the dumps counts: the same moment in two zones' '
	rows --zone +09:00 "$dump" | cut -f 1 | sed -n 2p | grep -x "2026-03-01T00:00:00Z"
	rows --zone Asia/Tokyo "$dump" | cut -f 1 | sed -n 2p | grep -x "2026-03-01T00:00:00Z"
	status 2 stkcap --zone Nowhere/City "$dump" >out 2>err
	test ! -s out -a "$(wc -l <err)" -eq 1
'
check 'files in UTF-8 with a mark at their beginning, joined: no name has it' '
	mark() { printf "\357\273\277"; cat "$1"; }
	printf "main;a 1\nmain;b 2\n" >stacks
	cat stacks stacks stacks >plain; { mark stacks; mark stacks; cat stacks; } >marked
	for text in plain marked; do stkcap -q --format folded $text | stkcat -q -f folded >$text.out; done
	same plain.out marked.out
	for n in 1 2; do mark "$t/data/shop.perf.txt"; done >marked
	for n in 1 2; do cat "$t/data/shop.perf.txt"; done >plain
	for text in plain marked; do stkcap -q $text | stkcat -q -f tsv --only sample | cut -f 3- >$text.out; done
	same plain.out marked.out
'
finish
