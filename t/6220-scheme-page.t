#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of the scheme language: its twenty schemes are whole, and their examples hold; every key of the language is in it.
. "${0%/*}/lib/tap.sh"
page=$t/../cmd/stkgroup/stkscheme.5
STKPIPE_SCHEMES=$t/../schemes; export STKPIPE_SCHEMES

awk '/^\.Bd -literal/ { on = 1; n++; next } /^\.Ed/ { on = 0 } on { gsub(/\\e/, "\\"); print >("page" n ".yaml") }' "$page"

check 'there are twenty' 'test "$(ls page*.yaml | wc -l)" -eq 20'
for file in page*.yaml; do
	check "$file: its examples hold, and would not with other groups" '
		grep -q "^- {stack: " $file
		stkgroup -s $file --test >said
		test ! -s said
		sed "/^- {stack/s/group: [^}]*}/group: (nothing)}/" $file >"other-$file"
		status 1 stkgroup -s "other-$file" --test >said
		test "$(grep -c "page.*the example says" said)" -eq "$(grep -c "^- {stack" $file)"
	'
done
check 'each key of the schema is in the page' '
	sed "s/^\.Bd -lit.*//" "$page" >text
	grep -o "\"[a-z]*\": {" "$t/../schemes/scheme.schema.json" | tr -d "\": {" | grep -v "properties\|items\|patterns\|dependentRequired\|^color$" | LC_ALL=C sort -u >keys
	test "$(wc -l <keys)" -gt 20
	while read -r key; do grep -qw "$key" text || { echo "not there: $key"; exit 1; }; done <keys
'
finish
