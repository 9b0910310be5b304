#!/bin/sh
# SPDX-License-Identifier: MIT
# The sizes of heat maps stand in t/data/heat-sizes.tsv, beside the order-0 entropy of their counts by stack and hour. Scripts and styles of the page
# are in it, so it is held to one percent; a map with cells as they were asked for has at most 1.2 times the entropy, and 64 kB for page and names.
# Whole days take a while: HEAT_HOURS=24 makes them, too.
. "${0%/*}/lib/tap.sh"
test -x "$BUILD/bench/make_days" || skip_all 'make_days is not built'

tab=$(printf '\t')
while IFS=$tab read -r model hours stacks limit samples entropy bytes; do
	case $model in '#'* | model) continue ;; esac
	if test "$hours" -gt "${HEAT_HOURS:-2}"; then
		skip "HEAT_HOURS=$hours makes it" "$model, $hours hours of $stacks stacks"
		continue
	fi
	check "$model, $hours hours of $stacks stacks: $samples samples, entropy $entropy bytes, page $bytes bytes" '
		"$BUILD/bench/make_days" "$model" "$hours" "$stacks" >days.stk 2>said
		test "$(sed -n "s/^samples //p" said)" = "$samples"
		test "$(sed -n "s/^entropy //p" said)" = "$entropy"
		stkplot heat -q --threads 1 --max-size "$limit" -o days.html days.stk
		made=$(wc -c <days.html | tr -d " ")
		echo "$made bytes"
		test $((made * 100)) -le $((bytes * 101)) && test $((made * 100)) -ge $((bytes * 99))
		test "$made" -le $((entropy * 6 / 5 + 65536))
	'
done <"$t/data/heat-sizes.tsv"
finish
