#!/bin/sh
# SPDX-License-Identifier: MIT
# The sample of the demo through the whole pipeline: real dumps and a real profile, in every form, and their counts as grep finds them in the text.
. "${0%/*}/lib/tap.sh"

sample=$t/../scripts/sample
gzip -dc "$sample/order-service.jstack.txt.gz" >dumps.txt
gzip -dc "$sample/order-service.perf.txt.gz" >perf.txt

check 'dumps: as many as their heads, threads as many as their headers, nothing skipped' '
	stkcap dumps.txt 2>err >dumps.stk
	heads=$(grep -c "^Full thread dump" dumps.txt) threads=$(grep -c "^\"" dumps.txt)
	grep "^stkcap: $heads dumps, $threads samples, [0-9]* distinct stacks, 0 lines skipped$" err
	test $heads -eq 12 -a $threads -gt 400
	status 0 stkcat --check dumps.stk
'
check 'profile: as many samples as headers, nothing skipped' '
	stkcap perf.txt 2>err >perf.stk
	samples=$(grep -c "^[^[:blank:]#]" perf.txt)
	grep "^stkcap: 0 dumps, $samples samples, [0-9]* distinct stacks, 0 lines skipped$" err
	status 0 stkcat --check perf.stk
'
check 'compressed as it is in the tree: the same records' '
	stkcap -q --source x "$sample/order-service.jstack.txt.gz" | stkcat -f ndjson --ids >got
	stkcap -q --source x dumps.txt | stkcat -f ndjson --ids | same - got
'
check 'states: as many of each as the text has' '
	grep -o "java.lang.Thread.State: [A-Z_]*" dumps.txt | sed "s/.*: //" | tr "A-Z_" "a-z-" | sort | uniq -c | awk "{ print \$2, \$1 }" >want
	stkcat -f tsv --only sample dumps.stk | sed 1d | cut -f 4 | grep -v unknown | sort | uniq -c | awk "{ print \$2, \$1 }" | same want -
'
check 'lock lines: as many of each relation as the text has' '
	for word in "locked" "waiting to lock" "waiting on" "parking to wait for"; do
		echo "$(grep -c "^	- $word *<" dumps.txt) $word"
	done >want
	stkcat -f tsv --only sample dumps.stk | cut -f 15 | tr "," "\n" | sed "s/^ //" >lines
	for word in locked waiting-to-lock waiting-on parking; do
		grep -c "^$word " lines || true
	done | paste -d " " - - - - >got
	cut -d " " -f 1 want | paste -d " " - - - - | same - got
'
check 'frames: each Java frame of the text is there, byte for byte, as often' '
	sed -n "s/^	at //p" dumps.txt | sort | uniq -c | sort >want
	stkcat -f dumps dumps.stk | sed -n "s/^	at //p" | sort | uniq -c | sort | same want -
'
check 'frames of the profile: byte for byte, without address and offset' '
	sed -n "s/^	 *[0-9a-f]* \(.*\)$/\1/p" perf.txt | sed "s/+0x[0-9a-f]* (/ (/" | sort | uniq -c >want
	stkcap -q --raw-symbols perf.txt | stkcat -f dumps | sed -n "s/^	 *[0-9a-f]* \(.*\)$/\1/p" | sort | uniq -c | same want -
'
check 'there and back: the dumps that stkcat writes give the same rows' '
	stkcat -f dumps dumps.stk >again.txt
	stkcap -q --source x again.txt | stkcat -f tsv --only sample >got
	stkcap -q --source x dumps.txt | stkcat -f tsv --only sample | same - got
'
check 'cpu of a thread over time: what the text says' '
	sed -n "s/^\"main\".* cpu=\([0-9.]*\)ms.*/\1/p" dumps.txt | sed -e "s/\.//" -e "s/\$/0000/" >want
	stkcat -f tsv --only sample --thread "^main$" dumps.stk | sed 1d | cut -f 11 | same want -
'
check 'folded: the sum of the counts is the number of threads; of the profile, the sum of the periods' '
	test "$(stkcat -f folded dumps.stk | awk "{ n += \$NF } END { print n }")" = "$(grep -c "^\"" dumps.txt)"
	periods=$(awk "/^[^ \t#]/ { for (i = 1; i < NF; i++) if (\$i ~ /^[0-9]+\.[0-9]+:\$/) n += \$(i + 1) } END { printf \"%d\\n\", n }" perf.txt)
	test "$(stkcat -q -f folded --event all perf.stk | awk "{ n += \$NF } END { printf \"%d\\n\", n }")" = "$periods"
'
check 'every form of output says something, of both at once, and --check nothing' '
	for form in "-f text" "-f tsv" "-f ndjson" "-f folded" "-f dumps" "-f stream" "--contents" "--merge" "--sort"; do
		stkcat -q $form dumps.stk perf.stk >out 2>err
		test -s out -a ! -s err || { echo "of $form"; cat err; false; }
	done
	stkcat --check dumps.stk perf.stk >out 2>&1
	test ! -s out
'
check 'through a pipe of three: capture, choose, fold' '
	stkcap -q dumps.txt perf.txt | stkcat -S --grep "OrderService" | stkcat -f folded --by none >got
	test -s got
	grep -v OrderService got | grep . && { echo "a stack without it"; false; }
	stkcap -q dumps.txt perf.txt | stkcat -q -f folded --by none --grep "OrderService" | same - got
'
check 'merged: one stream, the same samples' '
	stkcat --merge dumps.stk perf.stk dumps.stk >merged.stk
	status 0 stkcat --check merged.stk
	test "$(stkcat -f ndjson --ids --only head merged.stk | wc -l)" -eq 1
	stkcat -f tsv --only sample dumps.stk perf.stk dumps.stk | cut -f 1-6,8-18 | sort >want
	stkcat -f tsv --only sample merged.stk | cut -f 1-6,8-18 | sort | same want -
	test "$(wc -c <merged.stk)" -lt $(($(wc -c <dumps.stk) * 2 + $(wc -c <perf.stk)))
'
check 'small: the dumps take less than a thirtieth of their text' '
	test $(($(wc -c <dumps.stk) * 30)) -lt "$(wc -c <dumps.txt)" || { wc -c dumps.stk dumps.txt; false; }
'
finish
