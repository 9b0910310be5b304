#!/bin/sh
# SPDX-License-Identifier: MIT
# The house: each floor knows only those below it, names are unique, files say their licence, and what is dangerous is not called.
. "${0%/*}/lib/tap.sh"

cd "$t/.." || exit 99

# sources: the C files and headers of the house
sources() {
	find cmd examples include lib t scripts \( -name '*.c' -o -name '*.h' \) | sort
}

# How high each folder is: it knows only those below it, and those of one height do not know each other. stkpipe is the public headers, everybody's;
# program, which may speak and exit, is known to commands alone.
floors='stkpipe=0 base=1 stream=2 model=3 choose=4 graph=4 capture=5 classify=5 group=5 ingest=5 path=5 report=5 timetree=5 trend=5 diag=6 probe=6 walk=6 plot=7 program=8'

# wrong_includes ROOT: includes that point upwards or sideways, and folders of which nobody knows how high they are
wrong_includes() {
	grep -rn '^[[:space:]]*#[[:space:]]*include "' "$1/lib" "$1/include" --include='*.[ch]' | sed "s#^$1/##" | awk -v floors="$floors" -F'"' '
		BEGIN { split(floors, pairs, " "); for (i in pairs) { split(pairs[i], one, "="); floor[one[1]] = one[2] } }
		{
			split($1, place, "[/:]")
			from = place[2]; to = $2
			if (!sub(/\/.*/, "", to)) to = from
			if (!(from in floor) || !(to in floor) || (from != to && floor[to] >= floor[from])) { sub(/:#.*/, "", $1); print $1 ": " $2 }
		}'
}

check 'includes only point downwards: base < stream < model < choose < engines, ingest, report < diag, probe < plot < program' '
	test -z "$(wrong_includes .)" || { wrong_includes .; false; }
'
check '... and this check sees one that does not' '
	mkdir -p "$scratch/house/lib/base" "$scratch/house/include"
	echo "#include \"stream/reader.h\"" >"$scratch/house/lib/base/arena.c"
	wrong_includes "$scratch/house" | grep "lib/base/arena.c:1: stream/reader.h"
	mkdir -p "$scratch/house/lib/ingest"
	echo "#include \"report/table.h\"" >"$scratch/house/lib/ingest/x.c"
	wrong_includes "$scratch/house" | grep "lib/ingest/x.c:1: report/table.h"
	echo "#include \"program/program.h\"" >"$scratch/house/lib/ingest/x.c"
	wrong_includes "$scratch/house" | grep "lib/ingest/x.c:1: program/program.h"
'
check 'the library does not include a command, a test, or a path with dots' '
	status 1 grep -rnE "include \"(\.\./|cmd/|t/|lib/)" lib include cmd
'
check 'commands are thin: below a fifth of the code, and no file of theirs has more than 450 lines' '
	wc -l cmd/*/*.c | awk "\$2 != \"total\" && \$1 > 450 { print; bad = 1 } END { exit bad }"
	cat cmd/*/*.c cmd/*/*.h | wc -l >"$scratch/cmd"
	cat lib/*/*.c lib/*/*.h | wc -l >"$scratch/lib"
	test $(($(cat "$scratch/cmd") * 4)) -lt "$(cat "$scratch/lib")" || { cat "$scratch/cmd" "$scratch/lib"; false; }
'
check 'public headers include nothing of lib/' '
	status 1 grep -rnE "include \"($(cd lib && echo * | tr " " "|"))/" include
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
	xargs awk "FNR == 1 && NR > 1 && !said { print last } FNR == 1 { said = 0; last = FILENAME } FNR <= 3 && /SPDX-License-Identifier: MIT/ { said = 1 } END { if (!said) print last }" \
		<"$scratch/files" >"$scratch/none"
	test ! -s "$scratch/none" || { cat "$scratch/none"; false; }
	test "$(wc -l <"$scratch/files")" -gt 60
'
check 'no strcpy, strcat, sprintf, gets, strtok, localtime, gmtime, atoi; tests and bench may' '
	grep -rnE "(^|[^[:alnum:]_])(strcpy|strcat|sprintf|vsprintf|gets|strtok|localtime|gmtime|asctime|ctime|alloca|tmpnam|mktemp|atoi|atol|atof|scanf|sscanf)[[:space:]]*\(" \
		lib cmd include --include="*.[ch]" >"$scratch/banned" || true
	test ! -s "$scratch/banned" || { cat "$scratch/banned"; false; }
'
# calls NAMES: where the library calls one of these functions. lib/program speaks for programs; agent and runtime are parts of other people's programs.
calls() {
	grep -rnE "(^|[^[:alnum:]_.>])($1)[[:space:]]*\(" lib --include="*.[ch]" | grep -v "^lib/program/\|^lib/path/runtime/\|^lib/capture/agent/" || true
}

check 'only lib/program prints, exits, or reads the environment' '
	calls "printf|vprintf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|atexit|getenv|secure_getenv|setlocale" >"$scratch/banned"
	grep -rnE "(stdout|stderr)[,)]|STDERR_FILENO" lib --include="*.[ch]" | grep -v "^lib/program/\|^lib/path/runtime/\|^lib/capture/agent/" >>"$scratch/banned" || true
	calls abort | grep -v "^lib/base/host.c:" >>"$scratch/banned" || true	# when memory ends, and nobody said what to do then
	test ! -s "$scratch/banned" || { cat "$scratch/banned"; false; }
	grep -q "abort()" lib/base/host.c
'
check 'the clock is read only by lib/program, and by lib/capture, which looks at what runs' '
	calls "clock_gettime|gettimeofday|time" | grep -v "^lib/capture/" | grep -v "time(.*UNKNOWN\|\* " >"$scratch/banned" || true
	test ! -s "$scratch/banned" || { cat "$scratch/banned"; false; }
'
check 'headers have guards that tell their folder, and no file ends without a newline' '
	ls lib/*/*.h include/stkpipe/*.h cmd/*/*.h | xargs awk "
		FNR == 1 { if (NR > 1 && !there) print last; last = FILENAME; there = 0
			wanted = toupper(FILENAME); sub(/^(LIB|INCLUDE|CMD)\//, \"\", wanted); gsub(/[\/.-]/, \"_\", wanted) }
		\$1 == \"#ifndef\" && \$2 == wanted { there = 1 }
		END { if (!there) print last }" >"$scratch/guards"
	test ! -s "$scratch/guards" || { cat "$scratch/guards"; false; }
	sources | xargs perl -e "for (@ARGV) { open F, \"<\", \$_; seek F, -1, 2; read F, \$c, 1; print \"\$_\n\" if \$c ne \"\n\" }" >"$scratch/ends"
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
