#!/bin/sh
# SPDX-License-Identifier: MIT
# Files whose names differ only in a counter of dumps are one source; a digit of a name stays part of it.
. "${0%/*}/lib/tap.sh"

# sources NAME...: the sources that a folded line in each file comes from, each once
sources() {
	for name in "$@"; do echo "main;work 1" >"$name"; done
	stkcap -q "$@" | stkcat -q -f tsv --only source >rows
	awk -F"\t" "NR == 1 { for (i = 1; i <= NF; i++) if (\$i == \"path\" || \$i == \"name\") at = i; next } { print \$at }" rows |
		sort -u | tr "\n" " "
}

check 'a word for dumps and a counter' '
	test "$(sources vm0-t0.txt vm0-t1.txt vm0-t12.txt vm1-t0.txt)" = "vm0-t*.txt vm1-t*.txt "
	test "$(sources app-dump1.txt app-dump2.txt)" = "app-dump*.txt "
	test "$(sources app_jstack1 app_jstack2)" = "app_jstack* "
'
check 'a digit of a name is no counter' '
	test "$(sources app1.txt app2.txt)" = "app1.txt app2.txt "
	test "$(sources app-node1.txt app-node2.txt)" = "app-node1.txt app-node2.txt "
	test "$(sources t1.txt t2.txt)" = "t1.txt t2.txt "
'
check 'a counter has four digits at most, and ends the name' '
	test "$(sources a-t1-x.txt a-t2-x.txt)" = "a-t1-x.txt a-t2-x.txt "
	test "$(sources a-t10001.txt a-t10002.txt)" = "a-t10001.txt a-t10002.txt "
'
check '--source names them all' '
	echo "main;work 1" >app1.txt; cp app1.txt app2.txt
	test "$(stkcap -q --source shop app1.txt app2.txt | stkcat -q -f tsv --only source | grep -c shop)" -eq 1
'
finish
