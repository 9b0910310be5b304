#!/bin/sh
# SPDX-License-Identifier: MIT
# An output that cannot be written: status 3 and a line that says why; a reader that goes away: quiet; a file appears whole or not at all.
. "${0%/*}/lib/tap.sh"

dump=$t/data/orders.jstack.txt
stkcap -q "$dump" >good.stk
i=0
while test $i -lt 60; do cat good.stk; i=$((i + 1)); done >big.stk
i=0
while test $i -lt 60; do cat "$dump"; i=$((i + 1)); done >big.txt

# fails COMMAND...: status 3, and why on stderr, besides the summary of stkcap one line
fails() {
	status 3 "$@" 2>err || { cat err; return 1; }
	grep -v "^stkcap: [0-9]* dumps, " err >lines
	test "$(wc -l <lines)" -eq 1 || { cat err; return 1; }
}

if test -w /dev/full; then
check 'a full device: 3, and the reason' '
	fails stkcap "$dump" >/dev/full
	grep "^stkcap: .*No space left" err
	fails stkcap -o /dev/full "$dump"
	grep "^stkcap: /dev/full: .*No space left" err
	for form in "-f text" "-f tsv" "-f ndjson" "-f folded" "-f dumps" "-f stream" "--contents" "--merge" "--sort" "--kinds"; do
		fails stkcat $form big.stk >/dev/full || { echo "of $form"; false; }
		grep "^stkcat: .*No space left" err
		fails stkcat $form -o /dev/full good.stk || { echo "of $form"; false; }
	done
'
check 'also help, version and the list of options' '
	for command in stkcap stkcat; do
		for option in --help --version --list-options; do fails $command $option >/dev/full; done
	done
'
check '--check has no output, so it cannot fail for it' '
	status 0 stkcat --check good.stk >/dev/full 2>err
	test ! -s err
'
else
skip 'no /dev/full' 'a full device' ''
fi
check 'stdout that is closed: 3' '
	fails stkcap "$dump" >&-
	for form in "-f text" "-f tsv" "-f ndjson" "-f folded" "-f dumps" "-f stream" "--contents"; do
		fails stkcat $form good.stk >&- || { echo "of $form"; false; }
	done
'
check 'stdin that is closed is no input: told, no success' '
	stkcap - <&- >out.stk 2>err && got=0 || got=$?
	test $got -eq 1 -o $got -eq 3
	test -s err
	stkcat -f ndjson --ids - <&- >out 2>err && got=0 || got=$?
	test $got -eq 1 -o $got -eq 3
	test -s err
'
check 'stderr that is closed: the records do not get messages mixed in' '
	printf "no dump\n" >other.txt
	stkcap other.txt "$dump" >out.stk 2>&- || test $? -eq 1 -o $? -eq 3
	zstdcat out.stk >/dev/null 2>&1 || ! have zstd
	stkcat -f tsv --only sample out.stk 2>/dev/null | cut -f 3- >got
	stkcat -f tsv --only sample good.stk | cut -f 3- | same - got
'
check 'a reader that goes away: no message, death by SIGPIPE or nothing' '
	for form in "-f text" "-f tsv" "-f ndjson" "-f folded" "-f dumps" "-f stream"; do
		{ stkcat -q $form big.stk 2>err && got=0 || got=$?; echo $got >got; } | head -1 >/dev/null
		test "$(cat got)" -eq 141 -o "$(cat got)" -eq 0 || { echo "of $form: $(cat got)"; false; }
		test ! -s err || { cat err; false; }
	done
	{ stkcat -f ndjson --ids big.stk 2>err && got=0 || got=$?; echo $got >got; } | head -1 >/dev/null
	test "$(cat got)" -eq 141
	{ stkcap big.txt 2>err && got=0 || got=$?; echo $got >got; } | head -c 1 >/dev/null
	test "$(cat got)" -eq 141 -o "$(cat got)" -eq 0
'
check 'likewise where SIGPIPE was ignored by who called' '
	{ (trap "" PIPE; stkcat -f ndjson --ids big.stk 2>err) && got=0 || got=$?; echo $got >got; } | head -1 >/dev/null
	test "$(cat got)" -eq 141
	test ! -s err
'
check '-o: nothing but the file is left' '
	mkdir a
	stkcap -q -o a/x.stk "$dump"
	test "$(ls -A a)" = x.stk
	stkcat -f ndjson --ids a/x.stk >want
	stkcat -o a/x.stk a/x.stk
	test "$(ls -A a)" = x.stk
	stkcat -f ndjson --ids a/x.stk | same want -
	stkcat -f tsv -o a/x.tsv a/x.stk
	stkcat -f tsv a/x.stk | same a/x.tsv -
'
check '-o: the old file stays until the new one is whole' '
	mkdir b; echo old >b/x.stk
	mkfifo slow
	stkcap -q -o b/x.stk slow & pid=$!
	exec 9>slow
	cat "$dump" "$dump" >&9
	sleep 0.3
	test "$(cat b/x.stk)" = old
	exec 9>&-
	wait $pid
	status 0 stkcat --check b/x.stk
	test "$(ls -A b)" = x.stk
'
check '-o: the mode of the file stays, a new one has that of the umask; a link stays a link' '
	mkdir c; echo old >c/x.stk; chmod 640 c/x.stk
	stkcap -q -o c/x.stk "$dump"
	test "$(stat -c %a c/x.stk)" = 640
	(umask 027; stkcap -q -o c/y.stk "$dump")
	test "$(stat -c %a c/y.stk)" = 640
	ln -s x.stk c/link
	stkcap -q -o c/link "$dump"
	test -L c/link
	status 0 stkcat --check c/x.stk
'
check '-o into a directory that is not there, or is one: 3, nothing is left' '
	fails stkcap -o nowhere/x.stk "$dump"
	grep "nowhere/x.stk" err
	mkdir d
	fails stkcap -o d "$dump"
	fails stkcat -o d good.stk
	test "$(ls -A d)" = "" -a ! -e nowhere
'
if test "$(id -u)" = 0; then
skip 'root may write everywhere' 'a directory that must not be written' ''
skip 'root may write everything' 'a file that must not be written stays' ''
else
check 'a directory that must not be written: 3, no file is left' '
	mkdir e; chmod 555 e
	fails stkcap -o e/x.stk "$dump"
	grep "Permission denied" err
	fails stkcat -o e/x.stk good.stk
	chmod 755 e
	test "$(ls -A e)" = ""
'
check 'a file that must not be written stays' '
	mkdir f; echo old >f/x.stk; chmod 444 f/x.stk
	fails stkcap -o f/x.stk "$dump"
	test "$(cat f/x.stk)" = old -a "$(ls -A f)" = x.stk
'
fi
check 'bad input does not keep the file back: 1, and it is there' '
	printf "no dump\n" >other.txt
	status 1 stkcap -q -o some.stk other.txt "$dump" 2>/dev/null
	test "$(stkcat -f tsv --only sample some.stk 2>/dev/null | wc -l)" -eq 37
'
check 'wrong usage leaves the file as it is: 2' '
	echo old >kept.stk
	status 2 stkcap -o kept.stk --zone Nowhere/City "$dump" 2>err
	status 2 stkcap -o kept.stk --format unheard-of "$dump" 2>err
	status 2 stkcat -o kept.stk --grep "(" good.stk 2>err
	status 2 stkcat -o kept.stk --state unheard-of good.stk 2>err
	test "$(cat kept.stk)" = old
	test "$(ls -A | grep -c "tmp$")" -eq 0
'
check '--rejects to a full device, or into nowhere: 3' '
	printf "no dump\n" >>big.txt
	if test -w /dev/full; then status 3 stkcap -q --rejects /dev/full big.txt 2>err >out.stk; test -s err; fi
	status 3 stkcap -q --rejects nowhere/rejects big.txt 2>err >out.stk
	grep "nowhere/rejects" err
'
finish
