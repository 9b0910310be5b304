#!/bin/sh
# SPDX-License-Identifier: MIT
# A list of patterns is refused for any of its patterns: the first, one between, the last.
. "${0%/*}/lib/tap.sh"

# refused PATTERNS: as the methods of a member
refused() {
	printf 'groups:\n  - name: a\n    members:\n      - {method: %s}\n' "$1" >s.yaml
	status 2 stkgroup -s s.yaml --test >out 2>err || { echo "of $1"; return 1; }
	grep -q "^stkgroup: s.yaml:4:" err
	test ! -s out
}

check 'a pattern in a list that is none' '
	refused "[[x], b, c]"
	refused "[a, {b: c}, c]"
	refused "[a, b, [c]]"
'
check 'a list that is empty' '
	refused "[]"
'
finish
