#!/bin/sh
# SPDX-License-Identifier: MIT
# What goes out: the list of what programs are made of, and a source archive that is the same bytes from every clone.
. "${0%/*}/lib/tap.sh"

root=$t/..
if have readelf pkg-config python3; then
check 'the list names stkpipe and what its programs are linked with, with versions, and is the same twice' '
	SOURCE_DATE_EPOCH=1772355600 "$root/scripts/make-sbom" "$BUILD/bin" >sbom.json
	SOURCE_DATE_EPOCH=1772355600 "$root/scripts/make-sbom" "$BUILD/bin" | cmp sbom.json -
	python3 - <<-"END"
		import json
		sbom = json.load(open("sbom.json"))
		versions = {p["name"].split(".so")[0]: p["versionInfo"] for p in sbom["packages"]}
		assert versions["stkpipe"][0].isdigit() and versions["libzstd"][0].isdigit() and versions["libc"][0].isdigit(), versions
		ids = {p["SPDXID"] for p in sbom["packages"]}
		assert len(ids) == len(sbom["packages"]) and all(r["relatedSpdxElement"] in ids for r in sbom["relationships"])
		assert len(sbom["relationships"]) == len(ids)
	END
	for program in "$BUILD"/bin/stk*; do readelf -d "$program"; done | sed -n "s/.*(NEEDED).*\[\(.*\)\]/\1/p" | sort -u | while read -r library; do
		grep -F "\"name\": \"$library\"" sbom.json || { echo "missing: $library"; false; }
	done
'
else
skip 'no readelf, pkg-config or python3' 'the list names stkpipe and what its programs are linked with, with versions, and is the same twice' ''
fi
if have git && git -C "$root" rev-parse HEAD >/dev/null 2>&1; then
check 'make dist makes the same bytes in two clones' '
	for clone in a b; do
		git clone -q "$root" $clone
		touch $clone/README.md
		(cd $clone && env -u MAKEFLAGS -u MAKELEVEL -u T make -s dist) >$clone.name
		cat $clone/dist/*.tar.gz | cksum >$clone.sum
	done
	same a.name b.name
	same a.sum b.sum
	gzip -dc a/dist/*.tar.gz | tar -tf - | grep -q "/README.md\$"
'
else
skip 'not a git checkout' 'make dist makes the same bytes in two clones' ''
fi
finish
