#!/bin/sh
# SPDX-License-Identifier: MIT
# stkpath: graphs, paths, plans and events that are wrong: each is told with its line, and nothing is counted that could be wrong.
. "${0%/*}/lib/tap.sh"

have stkpath || skip_all 'stkpath was not built: no gmp'
cat >good.yaml <<'END'
function: f
entry: A
exit: D
blocks:
  - {id: A, succ: [B, C]}
  - {id: B, succ: [D, A2]}
  - {id: A2, succ: [B]}
  - {id: C, succ: [D]}
  - {id: D, succ: []}
END
echo 'paths: [[A, B, D], [A, "(B A2)*2", B, D]]' >paths.yaml
stkpath plan -q -m psp2 --cfg good.yaml --paths paths.yaml -o good.plan || skip_all 'no plan'

# refused GRAPH-EDIT MESSAGE: the graph with a sed script applied
refused() {
	sed "$1" good.yaml >bad.yaml
	status 2 stkpath plan -q -m pap --cfg bad.yaml >out 2>err
	test ! -s out
	grep -qF "$2" err || { echo "wanted: $2"; cat err; return 1; }
}
check 'graphs that are none' '
	refused "s/exit: D/exit: E/" "bad.yaml:3:7: there is no block '\''E'\''"
	refused "/^exit/d" "there is no '\''exit'\''"
	refused "s/exit: D/exit: B/" "the exit '\''B'\'' has successors"
	refused "s/exit: D/exit: A/" "is the entry and the exit"
	refused "s/succ: \[B, C\]/succ: [B]/" "bad.yaml:8:5: block '\''C'\'' cannot be reached from the entry '\''A'\''"
	refused "s/C, succ: \[D\]/C, succ: [C]/" "bad.yaml:8:5: block '\''C'\'' does not lead to the exit '\''D'\''"
	refused "s/succ: \[B\]/succ: [Z]/" "bad.yaml:7:21: there is no block '\''Z'\''"
	refused "s/id: C/id: B/" "bad.yaml:8:10: a second block '\''B'\''"
	refused "s/id: C/id: \"C D\"/" "a blank or"
	refused "s/succ: \[D\]/succ: D/" "not a list"
	refused "s/blocks:/blocks: 3/;/id:/d" "blocks"
	refused "s/{id: C/[id: C/" "bad.yaml:"
	status 3 stkpath plan -q -m pap --cfg nowhere.yaml 2>err || status 2 stkpath plan -q -m pap --cfg nowhere.yaml 2>err
	grep -q nowhere.yaml err
	: >empty.yaml; status 2 stkpath plan -q -m pap --cfg empty.yaml 2>err; grep -q "empty.yaml" err
'
# unpath PATHS MESSAGE
unpath() {
	echo "paths: $1" >bad.yaml
	status 2 stkpath plan -q -m psp0 --cfg good.yaml --paths bad.yaml >out 2>err
	test ! -s out
	grep -qF "$2" err || { echo "wanted: $2"; cat err; return 1; }
}
check 'interesting paths that are no paths: which edge is missing is said' '
	unpath "[[A, C, B, D]]" "bad.yaml:1:16: no edge leads from '\''C'\'' to '\''B'\''"
	unpath "[[B, D]]" "a path that begins at '\''B'\'': expected A"
	unpath "[[A, B]]" "a path that ends at '\''B'\'': expected D"
	unpath "[[A, Q, D]]" "the graph has no block '\''Q'\''"
	unpath "[[A, B, D], [A, B, D]]" "a path that was there before"
	unpath "[]" "no paths"
	unpath "[[]]" "an empty path"
	unpath "[[A, \"(B A2)*0\", B, D]]" "not a repetition"
	unpath "[[A, \"(B A2)*99999999\", B, D]]" "not a repetition"
	unpath "[[A, \"(B ((((( )*999999)*999999)*999999)*999999)*999999)*2\", B, D]]" "not a repetition"
	unpath "[[A, \"((B A2)*999999)*999999\", B, D]]" "more than 10000000 blocks"
	unpath "[[A, \"((((...)*999999)*999999)*999999)*999999\", D]]" "more than 10000000 blocks"
	unpath "{a: b}" "of another type"
	unpath "[[A, {B: D}]]" "not a block"
	status 2 stkpath plan -q -m psp0 --cfg good.yaml 2>err; grep -q "psp0 needs interesting paths" err
	status 2 stkpath plan -q -m spp --cfg good.yaml --paths paths.yaml 2>err; grep -q "has a loop" err
	status 2 stkpath plan -q -m epp --cfg good.yaml --paths paths.yaml 2>err; grep -q "cut at the edges that lead back" err
'
check 'more paths than numbers: said, not wrapped' '
	awk "BEGIN { print \"entry: n0\nexit: n140\nblocks:\"; for (i = 0; i < 140; i += 2) printf \"  - {id: n%d, succ: [n%d, n%d]}\n  - {id: n%d, succ: [n%d]}\n\", i, i + 1, i + 2, i + 1, i + 2
		print \"  - {id: n140}\" }" >many.yaml
	status 2 stkpath plan -q -m epp --cfg many.yaml 2>err
	grep -q "more than 2^64 paths" err
	stkpath plan -q -m pap --cfg many.yaml | grep "^plan" | cut -f 3 | grep -qx spill
'
# unplan EDIT MESSAGE
unplan() {
	sed "$1" good.plan >bad.plan
	status 2 stkpath run -q --plan bad.plan events >out 2>err || { echo "of: $1"; return 1; }
	test ! -s out
	grep -qF "$2" err || { echo "wanted: $2"; cat err; return 1; }
}
printf '> 1\nA\nB\nD\n<\n' >events
check 'plans of another graph or version, and plans that were meddled with' '
	stkpath run -q --plan good.plan events >out
	unplan "s/^block	A	succ	B C/block	A	succ	C B/" "checksum"
	unplan "s/^block	C	succ	D/block	C	succ	D B/" "checksum"
	unplan "s/^graph	f	sum	./graph	f	sum	z/" "not a checksum"
	unplan "s/	shift64	/	base5	/" "another version"
	unplan "s/^plan	psp2/plan	psp9/" "an unknown method"
	unplan "s/^edge	A>C	end/edge	A>C	explode/" "an unknown probe"
	unplan "s/^edge	A>C/edge	C>A/" "no such place"
	unplan "s/mul	2 1/mul	2 2/" "not a value"
	unplan "s/mul	2 1/mul	3 1/" "the id that a path is said to have"
	unplan "s/^\(path	A B D	\).*/\\19/" "the id that a path is said to have"
	unplan "s/^path	A B D/path	A D/" "no edge"
	unplan "/^edge	A>C/s/	.*//" "not a line of a plan"
	unplan "1,3d" "where none belongs"
	: >none; status 2 stkpath run -q --plan none events 2>err; grep -q "not a plan" err
	printf "path	A	1\n" >only; status 2 stkpath run -q --plan only events 2>err
'
check 'a plan cut at every byte is refused, or says what it said' '
	stkpath run -q --plan good.plan events >whole
	size=$(wc -c <good.plan)
	for n in $(seq 0 7 $size); do
		head -c $n good.plan >cut.plan
		stkpath run -q --plan cut.plan events >got 2>err && grep -q "^path" cut.plan || continue
		head -2 whole | same - got || same whole got
	done
'
check 'events that make no sense count nothing; those around them do' '
	printf "> 1\nA\nB\nD\n<\n> 1\nA\nD\n<\n> 1\nA\nQ\n<\n<\nB\n> 2\nA\nB\n<\n> 3\nA\nB\nD\n<\n> 4\nA" >odd
	status 1 stkpath run --plan good.plan odd >got 2>err
	printf "path\tcount\nA B D\t2\nA B A2 B A2 B D\t0\n" | same - got
	grep -qF "odd:8: no edge leads here from the block before" err
	grep -qF "odd:12: not a block of the graph: '\''Q'\''" err
	grep -qF "odd:14: no call has begun" err
	grep -qF "odd:26: the last line is incomplete" err
	grep -q "2 unfinished, 2 broken" err
	head -c 100000 /dev/urandom >noise
	status 1 stkpath run --plan good.plan noise >got 2>err
	printf "path\tcount\nA B D\t0\nA B A2 B A2 B D\t0\n" | same - got
	test $(wc -l <err) -le 15
	status 3 stkpath run -q --plan good.plan nowhere 2>err || status 1 stkpath run -q --plan good.plan nowhere 2>err
	grep -q nowhere err
'
check 'a plan that counts every id has the probes of its method: whoever makes paths of ids relies on it' '
	for method in epp pap; do
		stkpath plan -q -g good.yaml -m $method -o all.plan
		sed "s/\\(add	\\)\\([0-9]*\\)\$/\\11\\2/; s/2 1\$/2 0/" all.plan >other.plan
		status 1 cmp -s all.plan other.plan
		status 2 stkpath run --plan other.plan events 2>err
		grep -q "other.plan:.*these are not the probes of this method" err
	done
'
check 'mistakes in the usage' '
	for wrong in "" "dance" "plan" "plan --cfg good.yaml -m psp4" "plan --cfg good.yaml -m pap --poison" "run" "run --plan good.plan --repr base5 events" "plan --cfg good.yaml extra" "run --plan good.plan -f ndjson events" "instrument" "instrument --mode fast good.yaml" \
		"instrument --method psp2 good.yaml" "instrument --steps good.yaml good.plan"; do
		status 2 stkpath $wrong >out 2>err </dev/null
		test ! -s out
		test $(wc -l <err) -eq 1
	done
'
check 'a plan that takes long ends at the first signal' '
	awk "BEGIN { print \"function: f\\nentry: b0\\nexit: b80000\\nblocks:\"
		for (i = 0; i < 80000; i += 2) printf \"  - {id: b%d, succ: [b%d, b%d]}\\n  - {id: b%d, succ: [b%d]}\\n\", i, i + 1, i + 2, i + 1, i + 2
		print \"  - {id: b80000, succ: []}\" }" >long.yaml
	awk "BEGIN { printf \"paths:\\n  - [\"; for (i = 0; i < 80000; i += 2) printf \"b%d, \", i; print \"b80000]\" }" >long.paths
	status 124 timeout -k 5 .2 stkpath plan -q -m psp3 -g long.yaml -p long.paths -o long.plan
	test ! -e long.plan
'
finish
