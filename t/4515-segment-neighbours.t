#!/bin/sh
# SPDX-License-Identifier: MIT
# stkclass --segments: which segments stand before and after each in stacks, against a count of neighbours among frames.
. "${0%/*}/lib/tap.sh"

# Random walks over 30 functions, each of which calls one to three others; some call each other in turn.
awk 'BEGIN { srand(7); for (k = 0; k < 400; k++) { f = int(rand() * 3); s = "f" f; for (d = 1; d < 3 + rand() * 20; d++) { f = (f * 7 + 1 + int(rand() * rand() * 3) * (f % 4 == 0)) % 30; s = s ";f" f } print s, 1 + int(rand() * 5) } }' >stacks.txt
stkcap -q --format folded stacks.txt >rec.stk
check 'of every leaf, both ways' '
	stkclass -q --segments -f tsv rec.stk >segments
	awk -F "\t" "
		FNR == NR { if (FNR > 1 && \$3 == 0) { n = split(\$7, f, \";\"); first[f[1]] = last[f[n]] = \$1; before[\$1] = \$9; after[\$1] = \$10; leaf[\$1] = 1 } next }
		{ times = \$0; sub(/.* /, \"\", times); sub(/ [0-9]*\$/, \"\"); n = split(\$0, f, \";\")
			add(0, first[f[1]], times); add(last[f[n]], 0, times)
			for (i = 1; i < n; i++) if (f[i] in last && f[i + 1] in first) add(last[f[i]], first[f[i + 1]], times) }
		function add(a, b, times) { if (b) wb[b, a] += times; if (a) wa[a, b] += times }
		function compare(name, got, want, side,   i, n, part, one, key, seen) {
			n = split(got, part, \" \")
			for (i = 1; i <= n; i++) { split(part[i], one, \":\"); if (want[name, one[1]] != one[2]) { print side, name, part[i], want[name, one[1]]; bad = 1 } seen[one[1]] = 1; total++ }
		}
		END { for (l in leaf) { compare(l, before[l], wb, \"before\"); compare(l, after[l], wa, \"after\") }
			for (k in wb) wanted++; for (k in wa) wanted++
			print total, wanted; exit bad || total != wanted || total < 100 }" segments stacks.txt'
check 'a segment that was split stands where its halves stand one after another' '
	printf "A;B;D 2\nA;B 1\nA;B;E;F 1\nA 1\nA;C 2\nA;B;A;B 3\n" | stkcap -q --format folded - >few.stk
	stkclass -q --segments -f tsv few.stk | cut -f 7,9,10 >got
	printf "frames\tbefore\tafter\nA;B;D\t0:2\t0:2\nA;B\t0:7 6:3\t0:4 5:3 3:2 4:1\nD\t6:2\t0:2\nE;F\t6:1\t0:1\nA\t0:10 6:3\t6:10 7:2 0:1\nB\t5:10\t0:4 5:3 3:2 4:1\nC\t5:2\t0:2\n" | same - got'
check 'one segment has them by name, the most frequent first' '
	stkclass -q --segment 6 few.stk >seen
	grep -q "before it  *5 .* 10$" seen && grep -A 1 "after it  *nothing: stacks end  4$" seen | tail -1 | grep -q "^  *5 .* 3$"'
finish
