#!/bin/sh
# SPDX-License-Identifier: MIT
# FORMAT.md's tables of kinds are those of the schema table: `make format` writes them.
. "${0%/*}/lib/tap.sh"

check 'the tables of FORMAT.md are what stkcat --kinds prints' '
	sed -n "/^<!-- kinds -->/,/^<!-- end of kinds -->/p" "$t/../lib/stream/FORMAT.md" | sed "1d;\$d" | sed "1{/^\$/d}" | sed "\${/^\$/d}" >have
	stkcat --kinds -f md >want
	test -s want
	same want have
'
check 'each kind has a table there' '
	test "$(grep -c "^### " have)" -eq "$(stkcat --kinds -f tsv | sed 1d | cut -f1 | sort -u | wc -l)"
'
finish
