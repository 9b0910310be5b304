#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot: names of blocks and functions cannot leave their place in DOT and SVG, and the SVG is XML whatever they hold.
. "${0%/*}/lib/tap.sh"
have python3 zstd stkplot || skip_all 'no python3 or zstd'

printf 'main;f 1\n' | stkcap -q --format folded - | stkcat -f ndjson --ids --only head | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["schema"], end="")' >schema
python3 - <<-'X' | python3 "$t/reader/stkwrite.py" - hostile.stk
	import json, sys
	blocks = ['a"];\nx[label="', "b&#27;&#xffff;&lt;", "c]]><script>x</script>", "d\\", "e\x1b\x07\u009b\ufffe", "f\udc9b\udcff", "g\u202e", "\\N\\G"]
	name = 'f"<&>\x1b\u0085'
	path = " ".join(b.replace(" ", "_").replace("\n", "\n") for b in blocks)
	edges = list(zip(blocks, blocks[1:]))
	cfg = [{"number": 0, "texts": [name] * len(edges)}, {"number": 1, "texts": ["x.c"] * len(edges)}, {"number": 2, "words": list(range(len(edges)))},
	       {"number": 3, "texts": [a for a, b in edges]}, {"number": 4, "texts": [b for a, b in edges]}]
	count = [{"number": 2, "texts": [name]}, {"number": 3, "texts": ["x.c"]}, {"number": 4, "texts": [path]}, {"number": 5, "words": [7]}]
	json.dump({"schema": open("schema").read().splitlines(), "blocks": [{"kind": 29, "columns": cfg}, {"kind": 31, "columns": count}]}, sys.stdout)
X

check 'DOT: one line a block and an edge, and no character that is not to be shown' '
	status 0 stkplot graph -q -f dot hostile.stk >dot
	test "$(grep -c " -> " dot)" = 7
	test "$(grep -c "^  .*fillcolor=" dot)" = 8
	python3 -c "
import unicodedata
text = open(\"dot\", encoding=\"utf-8\").read()
assert not [c for c in text if c != \"\n\" and unicodedata.category(c) in (\"Cc\", \"Cf\")]
assert \"&#27;\" not in text and \"&amp;#27;\" in text"
'
if have dot; then
check 'SVG: it is XML, and has no element of theirs' '
	status 0 stkplot graph -q -f svg hostile.stk >svg
	python3 - <<-"X"
	import xml.etree.ElementTree as tree
	root = tree.parse("svg").getroot()
	assert not [e for e in root.iter() if e.tag.endswith("script")]
	texts = [e.text or "" for e in root.iter() if e.tag.endswith("text")]
	assert any("b&#27;&#xffff;&lt;" in t for t in texts), texts
	assert any("<script>" in t for t in texts), texts
	X
'
else
	skip 'no dot' 'SVG: it is XML, and has no element of theirs'
fi
finish
