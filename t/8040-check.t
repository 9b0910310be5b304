#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a stream whole, how large is it, does it still grow?
. "${0%/*}/lib/tap.sh"

printf 'web 10/10 [000] 5.000000: 1 cycles:\n\t7f00 read (/bin/x)\n\t7f01 main (/bin/x)\n\nweb 10/10 [000] 6.000000: 1 cycles:\n\t7f01 main (/bin/x)\n\n' >perf.txt
stkcap -q perf.txt >good.stk
size=$(wc -c <good.stk)

check '--check of a whole stream: silent, status 0' '
	status 0 stkcat --check good.stk >out 2>err
	test ! -s out
	test ! -s err
	cat good.stk good.stk | status 0 stkcat --check >out 2>err
	test ! -s err
'
check '--check of a cut stream: a line with the file, status 1' '
	head -c $((size - 1)) good.stk >cut.stk
	status 1 stkcat --check cut.stk 2>err
	grep "^stkcat: cut.stk:" err
	head -c 100 good.stk >cut.stk
	status 1 stkcat --check cut.stk 2>err
	test -s err
'
check '--check of a damaged stream: where, and status 1' '
	at=$((size / 2))
	{ head -c $at good.stk; printf "\252\125\252\125"; tail -c +$((at + 5)) good.stk; } >bad.stk
	test "$(wc -c <bad.stk)" = "$size"
	status 1 stkcat --check bad.stk 2>err
	grep "^stkcat: bad.stk:[0-9]*: " err
'
check 'other forms give what is left, and status 1' '
	for form in text tsv ndjson folded dumps; do
		status 1 stkcat -f $form bad.stk >out 2>err
		grep "^stkcat: bad.stk:[0-9]*: " err
	done
'
check 'what is no stream at all: said, status 1' '
	echo hello >no.stk
	: >empty.stk
	status 1 stkcat --check no.stk 2>err
	grep "no.stk" err
	status 1 stkcat -f tsv empty.stk 2>err
	grep "empty.stk" err
	status 1 stkcat -f tsv missing.stk good.stk >out 2>err
	grep "missing.stk" err
	test -s out
'
check '--contents -f tsv: kind rows bytes, for programs' '
	stkcat --contents -f tsv good.stk >got
	test "$(head -1 got)" = "$(printf "kind\trows\tbytes")"
	grep -x "sample	2	[0-9]*" got
	test "$(awk "NR > 1 {sum += \$3} END {print sum}" got)" -le "$size"
'
check '--contents for people: bytes a sample, distinct stacks' '
	stkcat --contents good.stk >got
	grep "1 stream, .*, 2 samples, .* bytes a sample, 2 distinct stacks" got
'
check '--follow shows what is written, as it is written, and ends on SIGINT' '
	cp good.stk grows.stk
	stkcat -f tsv --only sample --follow grows.stk >out 2>err &
	pid=$!
	for try in $(seq 50); do test "$(wc -l <out)" -ge 3 && break; sleep 0.2; done
	test "$(wc -l <out)" -eq 3
	cat good.stk >>grows.stk
	for try in $(seq 50); do test "$(wc -l <out)" -ge 5 && break; sleep 0.2; done
	kill -TERM $pid
	wait $pid || true
	test "$(wc -l <out)" -eq 5
'
check '--kinds: every kind with its columns' '
	stkcat --kinds -f tsv >got
	test "$(head -1 got)" = "$(printf "number\tkind\trole\tplace\tcolumn\ttype\tabout")"
	grep "^9	sample	row	3	stack	id:stack	" got
	stkcat --kinds -f md | grep "^### 9 sample (row)$"
	stkcat --kinds | grep "^9 sample (row): "
'
check 'mistakes: one line, status 2' '
	for wrong in "--colour" "-f pdf" "--check --contents" "--sort -f tsv" "--by thread -f tsv" "--names long" "--compat gdb" "--contents -f folded"; do
		status 2 stkcat $wrong good.stk >out 2>err
		test "$(wc -l <err)" -le 2
		test ! -s out
	done
'
check 'a full disk is status 3' '
	test -c /dev/full || exit 0
	for form in text tsv ndjson folded dumps stream; do status 3 stkcat -f $form good.stk >/dev/full 2>err; done
	grep "^stkcat: " err
'
check '--help fits a screen and names every option of the manual page' '
	stkcat --help >help
	test "$(wc -l <help)" -le 50
	for option in $(stkcat --list-options | grep "^--" | sed "s/=.*//"); do
		grep -q "Fl Fl ${option#--}\b" "$t/../cmd/stkcat/stkcat.1" || { echo "$option is not in stkcat.1"; exit 1; }
	done
'
finish
