#!/bin/sh
# SPDX-License-Identifier: MIT
# The house: each floor knows only those below it, names are unique, files say their licence, and what is dangerous is not called.
. "${0%/*}/lib/tap.sh"

cd "$t/.." || exit 99

# sources: the C files and headers of the house
sources() {
	find cmd include lib t scripts \( -name '*.c' -o -name '*.h' \) | sort
}

# floor NAME: how high a folder stands
floor() {
	case $1 in
	stkpipe) echo 0 ;;	# public headers: everybody's
	base) echo 1 ;;
	stream) echo 2 ;;
	model) echo 3 ;;
	*) echo 4 ;;		# ingest, capture, report, and the engines: beside each other
	esac
}

# wrong_includes ROOT: includes that point upwards or sideways
wrong_includes() {
	grep -rn '^[[:space:]]*#[[:space:]]*include "' "$1/lib" "$1/include" --include='*.[ch]' | sed "s#^$1/##" | while IFS=: read -r file line text; do
		from=$(echo "$file" | cut -d/ -f2)
		name=$(echo "$text" | sed 's/.*"\(.*\)".*/\1/')
		to=${name%%/*}
		case $name in
		*/*) ;;
		*) to=$from ;;
		esac
		test "$from" = "$to" || test "$(floor "$to")" -lt "$(floor "$from")" || echo "$file:$line: $name"
	done
}

check 'includes only point downwards: base < stream < model < ingest, report' '
	test -z "$(wrong_includes .)" || { wrong_includes .; false; }
'
check '... and this check sees one that does not' '
	mkdir -p "$scratch/house/lib/base" "$scratch/house/include"
	echo "#include \"stream/reader.h\"" >"$scratch/house/lib/base/arena.c"
	wrong_includes "$scratch/house" | grep "lib/base/arena.c:1: stream/reader.h"
	mkdir -p "$scratch/house/lib/ingest"
	echo "#include \"report/table.h\"" >"$scratch/house/lib/ingest/x.c"
	wrong_includes "$scratch/house" | grep "lib/ingest/x.c:1: report/table.h"
'
check 'the library does not include a command, a test, or a path with dots' '
	status 1 grep -rnE "include \"(\.\./|cmd/|t/|lib/)" lib include cmd
'
check 'public headers include nothing of lib/' '
	status 1 grep -rnE "include \"(base|stream|model|ingest|capture|report|path)/" include
'
check 'the number of a test is unique, and its first digit is a floor that there is' '
	ls t | grep "\.t$" | cut -c 1-4 | sort | uniq -d >"$scratch/twice"
	test ! -s "$scratch/twice" || { cat "$scratch/twice"; false; }
	ls t | grep "\.t$" | grep -v "^[0-9][0-9][0-9][0-9]-[a-z0-9-]*\.t$" >"$scratch/odd" || true
	test ! -s "$scratch/odd" || { cat "$scratch/odd"; false; }
'
check 'no name of a source file is there twice (main.c excepted)' '
	{ sources; find lib -name "*.md"; } | grep -v "/main\.c$" | grep -v "^t/unit/\|^t/fuzz/" | sed "s#.*/##" | sort | uniq -d >"$scratch/twice"
	test ! -s "$scratch/twice" || { cat "$scratch/twice"; false; }
'
check 'every source, script and test says its licence' '
	{ sources; find cmd -name "*.[157]"; find scripts .ci -type f -perm -u+x; find t -name "*.t" -o -name "*.sh" -o -name "*.py"; } >"$scratch/files"
	while read -r file; do head -3 "$file" | grep -q "SPDX-License-Identifier: MIT" || echo "$file"; done <"$scratch/files" >"$scratch/none"
	test ! -s "$scratch/none" || { cat "$scratch/none"; false; }
	test "$(wc -l <"$scratch/files")" -gt 60
'
check 'no strcpy, strcat, sprintf, gets, strtok, localtime, gmtime, atoi; tests and bench may' '
	grep -rnE "(^|[^[:alnum:]_])(strcpy|strcat|sprintf|vsprintf|gets|strtok|localtime|gmtime|asctime|ctime|alloca|tmpnam|mktemp|atoi|atol|atof|scanf|sscanf)[[:space:]]*\(" \
		lib cmd include --include="*.[ch]" >"$scratch/banned" || true
	test ! -s "$scratch/banned" || { cat "$scratch/banned"; false; }
'
check 'the library does not print, exit, read the environment or the clock' '
	grep -rnE "(^|[^[:alnum:]_.>])(printf|puts|putchar|perror|exit|abort|getenv|clock_gettime|gettimeofday|setlocale)[[:space:]]*\(|[^_[:alnum:]]time\(NULL" lib/stream lib/model lib/ingest lib/report lib/classify lib/timetree lib/group lib/trend lib/path --include="*.[ch]" |
		grep -v "^lib/stream/filter.c\|^lib/path/runtime/" >"$scratch/banned" || true	# the latter is part of programs, no part of ours
	test ! -s "$scratch/banned" || { cat "$scratch/banned"; false; }
'
check 'headers have guards that tell their folder, and no file ends without a newline' '
	for header in lib/*/*.h include/stkpipe/*.h; do
		guard=$(echo "$header" | sed -e "s#^lib/##" -e "s#^include/##" | tr "a-z/.-" "A-Z___")
		grep -q "^#ifndef $guard\$" "$header" || echo "$header: expected $guard"
	done >"$scratch/guards"
	test ! -s "$scratch/guards" || { cat "$scratch/guards"; false; }
	sources | while read -r file; do test -z "$(tail -c 1 "$file")" || echo "$file"; done >"$scratch/ends"
	test ! -s "$scratch/ends" || { cat "$scratch/ends"; false; }
'
check 'no blanks at the end of a line' '
	sources | xargs grep -nE "[[:blank:]]+$" >"$scratch/blanks" || true
	test ! -s "$scratch/blanks" || { head "$scratch/blanks"; false; }
'
check 'the shell scripts are POSIX as far as sh -n sees' '
	for script in t/*.t t/lib/tap.sh $(grep -rl "^#!/bin/sh" scripts .ci); do sh -n "$script"; done
'
cd "$scratch" || exit 99
finish
