#!/bin/sh
# SPDX-License-Identifier: MIT
# What the schemes that come with the program take: the table in schemes/README.md is what scripts/scheme-coverage prints; JavaScript is known by its files.
. "${0%/*}/lib/tap.sh"

check 'the table in schemes/README.md is that of the script' '
	STKBIN=$(dirname "$(command -v stkgroup)") "$t/../scripts/scheme-coverage" >table
	test "$(wc -l <table)" -gt 8
	sed -n "/^| scheme | profile/,/^$/p" "$t/../schemes/README.md" | grep "^|" | same table -
'
check 'each of its rows has 90 % in a group, but for kernels, and all examples hold' '
	grep "^| [a-z]" table | grep -v "^| linux-kernel\|^| scheme" | awk -F "|" "{ if (\$5 + 0 < 90) exit 1; split(\$7, e, \" of \"); if (e[1] + 0 != e[2] + 0) exit 1 }"
'
check 'own code in thread dumps: as many samples as have a frame outside of the platform' '
	stkcap -q -o dumps.stk "$t/../scripts/sample/order-service.jstack.txt.gz"
	stkcat -q -f folded dumps.stk | awk "{ n = \$NF; sub(/ [0-9]+\$/, \"\"); frames = split(\$0, frame, \";\"); own = 0
		for (i = 2; i <= frames; i++) own = own || frame[i] !~ /^(java|javax|jdk|sun|com[.]sun)[.]/
		if (own) code += n; else rest += n } END { printf \"code %d\\n(none) %d\\n\", code, rest }" >want
	stkgroup -q -s own-code -f tsv dumps.stk | awk -F "\t" "NR > 1 { print \$2, \$3 }" | same want -
	grep -x "code 188" want
'
check 'a profile of V8, whose functions have files: own code, packages, parts of node' '
	cat >cpu.cpuprofile <<END
{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2,3,4,5,6,7]},
{"id":2,"callFrame":{"functionName":"mix","scriptId":"1","url":"file:///srv/shop/mix.mjs","lineNumber":1,"columnNumber":1},"hitCount":1},
{"id":3,"callFrame":{"functionName":"parse","scriptId":"2","url":"/srv/shop/node_modules/x/y.js","lineNumber":1,"columnNumber":1},"hitCount":1},
{"id":4,"callFrame":{"functionName":"read","scriptId":"3","url":"node:fs","lineNumber":1,"columnNumber":1},"hitCount":1},
{"id":5,"callFrame":{"functionName":"onRead","scriptId":"4","url":"node:internal/stream_base_commons","lineNumber":1,"columnNumber":1},"hitCount":1},
{"id":6,"callFrame":{"functionName":"_fill","scriptId":"5","url":"node:buffer","lineNumber":1,"columnNumber":1},"hitCount":1},
{"id":7,"callFrame":{"functionName":"(garbage collector)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":1}],
"startTime":0,"endTime":7000,"samples":[2,3,4,5,6,7],"timeDeltas":[1000,1000,1000,1000,1000,1000]}
END
	stkcap -q cpu.cpuprofile | stkgroup -q -s "$t/../schemes/node.yaml" -f tsv | awk -F "\t" "NR > 1 && \$3 > 0 { print \$2 }" | LC_ALL=C sort >got
	printf "engine/garbage collection\nloop/files\nloop/http and net\nloop/node\nscript/code\nscript/packages\n" | same - got
'
STKBIN=$(dirname "$(command -v stkgroup)") "$t/../scripts/scheme-coverage" --live 2 >live 2>absent
for scheme in go node cpython rust; do
	why=$(sed -n "s/^scheme-coverage: $scheme: //p" absent)
	if test -n "$why"; then
		skip "$why" "$scheme: nine of ten samples of a program that runs now are in a group" :
	else
		check "$scheme: nine of ten samples of a program that runs now are in a group" '
			grep "^| $scheme | scripts/mixes" live | awk -F "|" "\$5 + 0 >= 90 { found = 1 } END { exit !found }"
		'
	fi
done
check 'a language that is not here is named, and the table has no row of it' '
	mkdir without && for tool in sh dirname mktemp cp rm cat awk grep wc sed tail sleep; do ln -s "$(command -v $tool)" without; done
	STKBIN=$(dirname "$(command -v stkgroup)") PATH=$PWD/without sh "$t/../scripts/scheme-coverage" --live 1 >got 2>said
	test "$(wc -l <got)" -eq 2
	printf "%s\n" "scheme-coverage: go: no go here" "scheme-coverage: node: no node here" "scheme-coverage: cpython: no python3 here" "scheme-coverage: rust: no rustc here" | same said -
'
check 'seconds that are not a number are refused' '
	for seconds in x 0 1.5 ""; do
		status 2 "$t/../scripts/scheme-coverage" --live "$seconds" >got 2>said
		test ! -s got && grep -q "is not a whole number of seconds" said
	done
'
finish
