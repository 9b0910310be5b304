#!/bin/sh
# SPDX-License-Identifier: MIT
# A list of patterns is refused for any of its patterns: the first, one between, the last. Many patterns that nearly all match
# take bounded memory.
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
check 'thousands of patterns with many runs on long names: as counted one by one, in bounded memory' '
	awk "BEGIN { srand(3); for (i = 0; i < 15; i++) { s = \"\"; for (k = 0; k < 400; k++) s = s sprintf(\"%c\", 97 + int(rand() * 26)); print s, 1 } }" >names
	awk "BEGIN { srand(4); print \"groups:\"; for (g = 0; g < 24; g++) {
		printf \"- name: g%d\\n  members:\\n\", g
		for (i = 0; i < 500; i++) {
			pattern = \"**\"; for (k = 0; k < 4; k++) pattern = pattern sprintf(\"%c**\", 97 + int(rand() * 26))
			printf \"  - \\047%s\\047\\n\", pattern
			print g, pattern >\"patterns\" } } }" >many.yaml
	stkcap -q --format folded -o names.stk names
	case ${BUILD:-} in *address*) ;; *) ulimit -v 300000 ;; esac
	stkgroup -q -s many.yaml --threads 1 -f tsv names.stk | awk -F "\t" "NR > 1 { print \$2, \$3 }" | sort >got
	# a name matches if it has the letters in this order
	awk "FILENAME == \"names\" { name[++names] = \$1; next }
		{
			gsub(/[*]/, \"\", \$2)
			for (n = 1; n <= names; n++) {
				if ((\$1, n) in has) continue
				at = 0
				for (k = 1; k <= 4 && at >= 0; k++) { found = index(substr(name[n], at + 1), substr(\$2, k, 1)); at = found ? at + found : -1 }
				if (at >= 0) { has[\$1, n] = 1; count[\$1]++ }
			}
		}
		END { for (g in count) print \"g\" g, count[g] }" names patterns | sort | same - got
'
finish
