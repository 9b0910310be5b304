#!/bin/sh
# SPDX-License-Identifier: MIT
# What the program says of itself: options, help, manual page and mistakes agree.
. "${0%/*}/lib/tap.sh"

# options_of_page COMMAND: the options that its manual page describes: the letters and names behind Fl in the .It lines
options_of_page() {
	grep '^\.It Fl ' "$t/../cmd/$1/$1.1" | awk '{
		fl = 0
		for (i = 2; i <= NF; i++) {
			if ($i == "Fl") { fl++; continue }
			if (fl == 1 && $i ~ /^[a-zA-Z]$/) print "-" $i
			if (fl == 2 && $i ~ /^[a-z][a-z-]*$/) print "--" $i
			fl = 0
		}
	}' | sort -u
}

have stkpath && path=stkpath || path=	# not built without gmp
for command in stkcap stkcat stkclass stktree stkgroup stktrend stkdiag $path; do
page=$t/../cmd/$command/$command.1
check "$command: every option of --list-options is in the manual page, and the other way round" '
	$command --list-options | sed "s/=.*//" | sort -u >listed
	test "$(wc -l <listed)" -gt 10
	options_of_page $command >paged
	same listed paged
'
check "$command: every option is in --help" '
	$command --help >help
	$command --list-options | sed "s/=.*//" | while read -r option; do
		grep -qE -- "(^|[ ,])$option([[ =,]|$)" help || { echo "$option is missing"; false; }
	done
'
check "$command: --help is a screen: 20 to 52 lines of at most 100 columns, on stdout, status 0" '
	status 0 $command --help >help 2>err
	test ! -s err
	lines=$(wc -l <help)
	test $lines -ge 20 -a $lines -le 52 || { echo "$lines lines"; false; }
	awk "length(\$0) > 100 { print; bad = 1 } END { exit bad }" help
	grep "^usage: $command " help
	grep "Exit status: 0 .* 1 .* 2 .* 3 " help
'
check "$command: --version is a line" '
	$command --version >out
	test "$(wc -l <out)" -eq 1
	grep "^$command (stkpipe) [0-9v]" out
'
check "$command: a mistake is a line on stderr with what to try, status 2, nothing on stdout" '
	for mistake in "--no-such-option" "-Z" "--level" "--level 0" "--level 23" "--level many" "--threads -1" "--threads 9999" "-o" "--quiet=yes" "--help=me"; do
		status 2 $command $mistake >out 2>err </dev/null || { echo "of $mistake"; false; }
		test ! -s out
		test "$(wc -l <err)" -eq 1 || { cat err; false; }
		grep -q "^$command: .*(try $command --help)$" err || { cat err; false; }
	done
'
check "$command: -- ends the options; a file may begin with -" '
	printf "a;b 1\n" >./--level
	stkcap -q -- --level >./-q
	status 0 stkcat --check -- -q
'
if have mandoc; then
check "$command: mandoc has nothing to say about the page" '
	status 0 mandoc -T lint -W warning "$page" >lint
	test ! -s lint || { cat lint; false; }
'
else
skip 'no mandoc' "$command: mandoc has nothing to say about the page" ''
fi
check "$command: the page has the sections that are read" '
	for section in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" EXAMPLES "SEE ALSO"; do
		grep -qx "\.Sh $section" "$page" || { echo "no $section"; false; }
	done
'
done

# The examples run where the files that they name are: dumps/, day.stk, hour-*.stk. flamegraph.pl and what waits for ever are left out.
check 'the EXAMPLES of the pages run' '
	mkdir dumps
	cp "$t/data/orders.jstack.txt" dumps/2026-03-01.txt
	cp "$t/data/orders.jstack.txt" "$t/data/shop.perf.txt" .
	gzip -c orders.jstack.txt >dumps/2026-03-02.txt.gz
	stkcap -q dumps >day.stk
	for hour in 1 2 3; do cp day.stk hour-$hour.stk; done
	printf "main;a;b 1\n" >folded.txt
	for command in stkcap stkcat; do
		sed -n "/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ //p" "$t/../cmd/$command/$command.1" | sed -e "s/\\\\e/\\\\/g" -e "s/\\\\&//g" -e "s/\\\\-/-/g"
	done >examples
	test "$(wc -l <examples)" -ge 5
	ran=0
	while read -r line; do
		case $line in
		*flamegraph.pl*) line=${line%%| flamegraph.pl*} ;;
		*--follow*|*jcmd*|*jstack\ *|*perf\ record*|*perf\ script*|*kubectl*|*ssh*) continue ;;
		esac
		echo "\$ $line"
		sh -c "$line" >out 2>err </dev/null && got=0 || got=$?
		test $got -eq 0 || { echo "status $got"; cat err; bad=yes; }
		ran=$((ran + 1))
	done <examples
	test $ran -ge 3 -a -z "${bad-}"
'
check 'README fits into 80 columns of a terminal' '
	awk "length > 80 { print FILENAME \": \" FNR; wide = 1 } END { exit wide }" "$t/../README.md"
'
check 'the tests that the pages of promises and threats name are there' '
	# tests by number: those of promises but its table of faults, and the last column of the tables of threats
	{ grep -v "^| stk" "$t/../docs/promises.md"; sed -n "s/^|.*| \(.*\) |\$/\1/p" "$t/../docs/threats.md"; } | tr -c "0-9a-zA-Z_" "\n" | grep -x "[0-9]\{4\}" | sort -u >named
	test "$(wc -l <named)" -gt 30
	while read -r number; do ls "$t/$number"-*.t || return 1; done <named
	sed -n "s/^|.*| \(.*\) |\$/\1/p" "$t/../docs/threats.md" | grep -o "\(unit\|fuzz\) [a-z_]*" | sort -u >units
	test "$(wc -l <units)" -gt 5
	while read -r kind name; do ls "$t/$kind/$name.c" || return 1; done <units
	# what a row quotes is in the title of a check of that test
	sed -n "s/^|.*| \(.*\) |\$/\1/p" "$t/../docs/threats.md" | grep "\"" | awk -F\" "{ for (i = 2; i <= NF; i += 2) { if (match(\$(i - 1), /[0-9][0-9][0-9][0-9]/)) number = substr(\$(i - 1), RSTART, 4); print number, \$i } }" >quoted
	test "$(wc -l <quoted)" -gt 10
	while read -r number title; do grep -q "^[[:space:]]*check .*$title" "$t/$number"-*.t || { echo "$number: $title"; return 1; }; done <quoted
'
finish
