#!/bin/sh
# SPDX-License-Identifier: MIT
# stkclass: ratios of split segments are compared with the same hour of earlier days, as shares of counted threads.
. "${0%/*}/lib/tap.sh"

# Dumps ten minutes apart; the share of the threads of serve that are in work has a season of a day of AMPLITUDE, and
# from the day FROM on it is MORE: mix SEED AMPLITUDE FROM MORE DAYS
mix() {
	awk -v seed="$1" -v amplitude="$2" -v from="$3" -v more="$4" -v days="$5" '
		function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
		BEGIN { srand(seed); for (i = 0; i < days * 144; i++) {
			print "@" 1772323200 + i * 600
			day = sin(i * 2 * atan2(0, -1) / 144); n = poisson(30 * (1 + 0.5 * day)); share = 0.5 + amplitude * day + (i >= from * 144 ? more : 0)
			for (k = j = 0; j < n; j++) k += rand() < share
			if (k) print "main;serve;work " k; if (n - k) print "main;serve;cache;get " n - k
			y = poisson(5); if (y) print "main;index;scan " y; z = poisson(5); if (z) print "main;index " z } }' |
		stkcap -q -f folded-dumps
}
found() { stkcat -f tsv --only anomaly "$1" | tail -n +2; }

check 'nothing moves, with a season of a day and without: nothing is found in four weeks' '
	for amplitude in 0 0.2 0.3; do
		mix 5 $amplitude 99 0 28 | stkclass -q >mix.stk
		test "$(found mix.stk | wc -l)" = 0 || { echo "# amplitude $amplitude"; found mix.stk; false; }
	done
'
check 'weight moves on a day: found on that day or the next, in the direction in which it went, and only there' '
	for more in -0.2 0.15; do
		mix 7 0.2 20 $more 28 | stkclass -q >moved.stk
		found moved.stk >out
		test $(wc -l <out) -ge 2 -a $(wc -l <out) -le 6
		awk -F "\t" -v more=$more "\$1 < \"2026-03-21T00:40\" || \$1 > \"2026-03-22T24\" || \$5 !~ /^(cost|level)-shift / { bad = 1 }
			{ up = \$6 > \$7; segments[\$3] = segments[\$3] + 1 } (\$8 > 0) != up { bad = 1 } END { exit bad }" out
	done
'
check 'what is told is what was counted: the share since then, and what the hours had before' '
	mix 7 0 20 -0.2 28 | stkclass -q >flat.stk
	found flat.stk | awk -F "\t" "\$5 ~ /whole.first/ { n++; bad += (\$6 - 0.5) ^ 2 > 0.03 ^ 2 && (\$6 - 0.3) ^ 2 > 0.05 ^ 2 && (\$6 - 0.7) ^ 2 > 0.05 ^ 2 } END { exit !n || bad }"
'
check 'pieces give what one run gives: the same findings, and the same state' '
	mix 7 0.2 8 -0.25 14 >whole.samples
	stkclass -q --resume whole -f stream <whole.samples >whole.stk
	found whole.stk >want
	test -s want
	: >got
	for day in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
		stkcat -q --from "$(date -u -d "2026-02-28 +$day day" +%Y-%m-%d)T00:0$(((day - 1) % 3)):00Z" --to "$(date -u -d "2026-03-01 +$day day" +%Y-%m-%d)T00:0$((day % 3)):00Z" -f stream whole.samples |
			stkclass -q --resume pieces -f stream >piece.stk
		found piece.stk >>got
	done
	same want got
	cmp whole pieces
'
finish
