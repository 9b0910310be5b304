#!/bin/sh
# SPDX-License-Identifier: MIT
# Classes that were kept apart are counted by the dumps of their source, or of all sources when no source is named.
. "${0%/*}/lib/tap.sh"

# Two sources: 4 threads in a dump a minute, 1 thread in two dumps a minute.
awk 'BEGIN { for (i = 0; i < 300; i++) { print "@" 1772323200 + i * 60; print "main;serve;old 4" } }' >a.txt
awk 'BEGIN { for (i = 0; i < 600; i++) { print "@" 1772323205 + i * 30; print "main;serve;old 1" } }' >b.txt
stkcap -q --format folded-dumps a.txt b.txt | stkcat -q --merge --sort -f stream - >both.stk

# levels KEYS: the level of each series of the classes
levels() { stkclass -q --by "$1" both.stk | stktrend -q -f tsv --kind class | awk -F '\t' 'NR > 1 { printf "%.2f\n", $2 }' | sort; }

check 'by source and pool: the mean of the dumps of its own source' '
	printf "1.00\n4.00\n" >want
	levels source,pool | same want -
	levels source | same want -
'
check 'by pool or state: the mean of the dumps of all sources' '
	echo 2.00 >want
	levels pool | same want -
	levels state | same want -
'
finish
