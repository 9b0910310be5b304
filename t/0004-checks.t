#!/bin/sh
# SPDX-License-Identifier: MIT
# No assertion that cannot fail. Under set -e a shell goes on after `! command`, whatever the command does, so such a line
# holds always: `status 1 command` is what is meant. `! a || b` is another matter: it fails when b does.
# And no line that is too long to read, except where a text that users see would have to be cut in two.
. "${0%/*}/lib/tap.sh"

# deaf FILE...: lines that begin with `!`, or have it after what a command can stand after, and do not say what then
deaf() {
	awk '
		/^[[:space:]]*#/ { next }
		{
			line = $0
			gsub(/(if|while|until) !/, "", line)
			if (match(line, /(^|;|&&|\{|\(|do|then|else)[[:space:]]+! [^|]*([^|]\|[^|][^|]*)*$/) || line ~ /^! [^|]*([^|]\|[^|][^|]*)*$/)
				print FILENAME ":" FNR ": " $0
		}' "$@"
}

check 'no test has a line that begins with `!` and cannot fail' '
	deaf $(ls "$t"/*.t "$t"/lib/*.sh | grep -v "/0004-") >deaf
	test ! -s deaf || { cat deaf; false; }
'
check '... and this check sees them, wherever they are in a line, and no others' '
	{
		echo "	! grep x y"
		echo "	! blocks got | grep ."
		echo "	for x in y; do ! cmp -s x y; done"
		echo "	grep x y && ! grep -v x y"
		echo "! pgrep x"
	} >bad
	deaf bad >seen
	test "$(wc -l <seen)" -eq 5
	{
		echo "	! have zstd || zstd -t x"
		echo "	if ! grep x y; then false; fi"
		echo "	while ! grep -q x y; do sleep 1; done"
		echo "	test ! -s x"
		echo "	awk \"! seen[\$0]++\" x | status 1 grep x"
	} >good
	deaf good >seen
	test ! -s seen || { cat seen; false; }
'
check 'status at the end of a pipe counts' '
	(set -e; echo y | status 1 grep x; true)
	TMPDIR=$PWD status 1 sh -c ". \"\$1\"; (set -e; echo x | status 1 grep x; true) 3>&1" "$t/0004-checks.t" "$t/lib/tap.sh"
'
check 'no line of code is longer than 120 columns, but for texts' '
	cd "$t/.."
	find lib cmd include examples t scripts -name "*.[ch]" | while read -r file; do
		expand "$file" | awk -v file="$file" "length(\$0) > 120 && !/\"/ { print file \":\" NR }"
	done >"$scratch/long"
	test ! -s "$scratch/long" || { cat "$scratch/long"; false; }
'
finish
