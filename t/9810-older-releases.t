#!/bin/sh
# SPDX-License-Identifier: MIT
# What releases wrote is read as they read it: streams, time trees, states of --resume, plans, findings and masks in t/data/releases, by the commands of that time.
. "${0%/*}/lib/tap.sh"

# Fractions to nine digits: other mathematical libraries round the last ones otherwise.
rounded() { awk -F '\t' -v OFS='\t' '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?$/) $i = sprintf("%.9g", $i); print }' "$1"; }
# as_then ANSWER NOW   NOW is ANSWER, apart from columns that came later, which are at the end.
as_then() {
	columns=$(head -n 1 "$1" | awk -F '\t' '{ print NF }')
	rounded "$1" >wanted
	case $columns in 0 | 1) cat "$2" ;; *) cut -f "1-$columns" "$2" ;; esac >cut
	rounded cut | same wanted -
}

for release in "$t"/data/releases/*/; do
	version=$(basename "$release")
	while IFS=$(printf '\t') read -r name question; do
		check "$version: $question" '
			cp -R "$release" "$name"
			(cd "$name"; set +e; eval "$question" </dev/null; echo "status $?") >now
			as_then "$release/answers/$name" now
		'
	done <"$release/questions"
done
finish
