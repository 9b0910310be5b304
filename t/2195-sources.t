#!/bin/sh
# SPDX-License-Identifier: MIT
# Files whose names differ only in a counter of dumps are one source; a digit of a name stays part of it.
. "${0%/*}/lib/tap.sh"

# sources NAME...: the sources that a folded line in each file comes from, each once
sources() {
	for name in "$@"; do
		case $name in */*) mkdir -p "${name%/*}" ;; esac
		echo "main;work 1" >"$name"
	done
	stkcap -q "$@" | stkcat -q -f tsv --only source >rows
	awk -F"\t" "NR == 1 { for (i = 1; i <= NF; i++) if (\$i == \"path\" || \$i == \"name\") at = i; next } { print \$at }" rows |
		sort -u | tr "\n" " "
}

check 'a word for dumps and a counter' '
	test "$(sources vm0-t0.txt vm0-t1.txt vm0-t12.txt vm1-t0.txt)" = "vm0-t*.txt vm1-t*.txt "
	test "$(sources app-dump1.txt app-dump2.txt)" = "app-dump*.txt "
	test "$(sources app_jstack1 app_jstack2)" = "app_jstack* "
'
check 'copies as a browser numbers them, and parts of a number of parts' '
	test "$(sources threads.txt "threads (1).txt" "threads (2).txt" "b (12)" "b (13)")" = "b threads.txt "
	test "$(sources dump-1of3.txt dump-2of3.txt x_1_of_2.txt x_2_of_2.txt)" = "dump-*.txt x_*.txt "
	test "$(sources "a (1) b.txt" "a (2) b.txt" "(1).txt" "(2).txt" "c (x).txt" 1of2.txt 2of2.txt e-1of.txt e-2of.txt)" = "(1).txt (2).txt 1of2.txt 2of2.txt a (1) b.txt a (2) b.txt c (x).txt e-1of.txt e-2of.txt "
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
check 'dates in names and of folders, and older files of a log, are of one source' '
	test "$(sources td_20260102_030405.txt td_20260103_030405.txt 02-Jan-2026.txt 03-Jan-2026.txt)" = "*.txt td_*_*.txt "
	test "$(sources h1/2026-01-02/vm0.txt h1/2026-01-03/vm0.txt h2/2026-01-02/vm0.txt)" = "h1/*/vm0.txt h2/*/vm0.txt "
	test "$(sources 20260102T0304/a/b.txt 20260102T0305/a/b.txt a/2026/01/02/b.txt a/2026/01/03/b.txt)" = "*/a/b.txt a/*/b.txt "
	test "$(sources jstack.log jstack.log.1 jstack.log.2 x.out x.out-20260102)" = "jstack.log x.out "
	test "$(sources 1234567/a.txt 1234568/a.txt)" = "1234567/a.txt 1234568/a.txt "
'
check 'hosts by address or number, and versions, are different sources' '
	test "$(sources ip-10-0-0-1.txt ip-10-0-0-2.txt ip-10-10-10-11.txt)" = "ip-10-0-0-1.txt ip-10-0-0-2.txt ip-10-10-10-11.txt "
	test "$(sources 10.0.0.1-t1.txt 10.0.0.1-t2.txt 10.0.0.2-t1.txt)" = "10.0.0.1-t*.txt 10.0.0.2-t*.txt "
	test "$(sources web-1.txt web-2.txt my-node-01.txt my-node-02.txt cobweb-1.txt cobweb-2.txt)" = "cobweb-*.txt my-node-01.txt my-node-02.txt web-1.txt web-2.txt "
	test "$(sources v1.2.3.txt v1.2.4.txt)" = "v1.2.3.txt v1.2.4.txt "
'
check '--source names them all' '
	echo "main;work 1" >app1.txt; cp app1.txt app2.txt
	test "$(stkcap -q --source shop app1.txt app2.txt | stkcat -q -f tsv --only source | grep -c shop)" -eq 1
'
finish
