#!/bin/sh
# SPDX-License-Identifier: MIT
# stkdiag --merge: findings of machines, in any order and in any pairs, are those of one run over all of their dumps.
. "${0%/*}/lib/tap.sh"

# The sample as three VMs have it, and a fourth one with a deadlock.
for n in 1 2 3; do
	gzip -dc "$t/../scripts/sample/order-service.jstack.txt.gz" | sed "s/0x00007/0x0${n}007/g; s/nid=/nid=$n/; s/<0x0/<0x$n/g" | stkcap -q --source host-$n -o $n.stk -
done
stkcap -q --source host-4 -o 4.stk "$t/data/orders.jstack.txt"
stkcat -q --merge --sort -f stream -o all.stk [1-4].stk
for n in 1 2 3 4 all; do stkdiag -q -f stream -o $n.found $n.stk || test $? = 4; done

check 'rows, evidence and status are those of one run' '
	status 4 stkdiag -f tsv all.stk >one
	status 4 stkdiag --merge -f tsv 3.found 1.found 4.found 2.found | same one -
	test "$(wc -l <one)" -eq 9
	status 4 stkdiag --merge -f ndjson all.found >two; stkdiag -f ndjson all.stk | same two -
	status 4 stkdiag --merge -f stream -o joined [1-4].found
	stkcat --check joined
	for s in joined all.found; do stkcat -f tsv --only finding,evidence $s | sort >$s.rows; done
	same all.found.rows joined.rows
	test "$(wc -l <joined.rows)" -gt 40
	status 4 stkdiag --merge --top 1 -f text joined >table
	sed "s/  */ /g" table | tail -n 1 | grep "^ 2026-03-01T09:00:20Z 2026-03-01T09:00:20Z deadlock critical host-4 order-1, order-2"
'
check 'any order, any pairs, twice, one stream after the other: the same bytes' '
	status 4 stkdiag --merge -f stream -o pair 4.found 2.found
	status 4 stkdiag --merge -f stream -o other 3.found 1.found
	status 4 stkdiag --merge -f stream -o pairs other pair
	cmp joined pairs
	status 4 stkdiag --merge -f stream -o again 2.found pairs 2.found
	cmp joined again
	cat 2.found 1.found 4.found 3.found | status 4 stkdiag --merge -f stream -o piped
	cmp joined piped
'
check 'healthy of some is no answer where others have a warning; else it stays' '
	printf "@1772355600\nr;a;b 1\n" | stkcap -q --format folded-dumps --source host-5 | stkdiag -f stream -o 5.found
	status 0 stkdiag --merge -f tsv 5.found | grep -c "	healthy	" | grep -qx 1
	status 4 stkdiag --merge -f tsv 5.found 4.found >rows
	status 1 grep "	healthy	" rows
'
check 'no findings, or an option without an effect, is reported' '
	status 1 stkdiag --merge -f tsv all.stk 2>said >out; grep "no findings in the input" said
	for other in "--from 09:00" "--rules x" "--compare yesterday" "--evidence 2"; do status 2 stkdiag --merge $other 4.found 2>said; done
'
finish
