#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend --csv: what a header lacks is named.
. "${0%/*}/lib/tap.sh"

printf 'time,load\n1772323200,1\n1772323260,2\n' >good.csv
printf 'time\n1772323200\n' >one.csv

# refused MESSAGE OPTION...
refused() {
	wanted=$1
	shift
	status 3 stktrend "$@" 2>err
	echo "stktrend: $wanted" | same - err
}

check 'a column that is not there' '
	refused "good.csv:1: no column '\''nope'\'': expected names of columns in the first line" --csv good.csv --column nope
'
check 'a column of times that is not there' '
	refused "good.csv:1: no column '\''when'\'': expected one of the header'\''s names" --csv good.csv --time-column when
'
check 'times alone' '
	refused "one.csv:1: one column: expected names of columns in the first line" --csv one.csv
'
check 'a file that was there before stays when the input cannot be read' '
	echo before >kept.tsv
	status 3 stktrend -f tsv --csv one.csv -o kept.tsv 2>err
	echo before | same - kept.tsv
'
finish
