#!/bin/sh
# SPDX-License-Identifier: MIT
# The pictures of the README are what stkplot draws today of the embedded samples.
. "${0%/*}/lib/tap.sh"
have stkplot || skip_all 'no stkplot'

check 'the pictures of the README are those that make shots makes, less than 200 kB together' '
	STKBIN=$(dirname "$(command -v stkplot)") "$t/../scripts/shots" "$PWD/shots"
	STKBIN=$(dirname "$(command -v stkplot)") "$t/../scripts/shots" "$PWD/again"
	diff -r shots again
	test "$(cat shots/* | wc -c)" -lt 200000
	for file in shots/*; do
		grep -q "(docs/pictures/${file#shots/})" "$t/../README.md"
		cmp "$file" "$t/../docs/pictures/${file#shots/}" || { echo "run: make shots"; false; }
	done
'
finish
