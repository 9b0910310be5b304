#!/bin/sh
# SPDX-License-Identifier: MIT
# Streams that are right by their checksums and wrong by what they say; and streams from the future.
. "${0%/*}/lib/tap.sh"
have python3 zstd || skip_all 'no python3 or zstd'

printf 'web 10/10 [000] 5.000000: 1 cycles:\n\t7f00 read (/bin/x)\n\t7f01 main (/bin/x)\n\n' | stkcap -q - >good.stk
stkcat -f ndjson --ids --only head good.stk | python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["schema"], end="")' >schema

# write SPEC: python that fills a list of blocks; schema lines to add are in `more`, columns of kind sample in `extra`
write() {
	cat >spec.py <<X
import json, sys
lines = open("schema").read().splitlines()
more, extra, blocks = [], [], []
$1
at = next(i for i, line in enumerate(lines) if line.startswith("kind 10 "))
json.dump({"schema": lines[:at] + extra + lines[at:] + more, "blocks": blocks}, sys.stdout)
X
	python3 spec.py | python3 "$t/reader/stkwrite.py" - -
}

write '
def words(n, *v): return {"number": n, "words": list(v)}
blocks.append({"kind": 1, "first": 1, "columns": [{"number": 0, "texts": ["a", "b;c"]}]})
blocks.append({"kind": 2, "first": 1, "columns": [words(0, 1, 2, 99)]})
blocks.append({"kind": 3, "first": 1, "columns": [words(0, 0, 1, 3, 9, 2), words(1, 1, 2, 1, 77, 2)]})	# 3 on itself, 4 on 9: to come
blocks.append({"kind": 3, "first": 4000000000, "columns": [words(0, 2, 4294967295), words(1, 1, 4000000000)]})
blocks.append({"kind": 5, "first": 7, "columns": [words(0, 4000000000, 1)]})
blocks.append({"kind": 4, "first": 9, "columns": [words(0, 1), words(1, 4), words(6, 3)]})
blocks.append({"kind": 6, "first": 1, "columns": [words(0, 1, 5), words(2, 99, 0), words(3, 3, 1)]})
blocks.append({"kind": 8, "first": 3, "columns": [words(0, (1 << 62) - 1), words(1, 12)]})
blocks.append({"kind": 9, "columns": [words(0, 5, 6, (1 << 63), (1 << 62) - 1, 7), words(1, 0, 3, 3, 1 << 63, 0), words(2, 7, 8, 0, 1 << 40, 77),
	words(3, 2, 3, 4, 1 << 63, 4000000000), words(4, 1, (1 << 64) - 1, 1, 1, 0), words(7, 500, 2, 0, 8, 9), words(9, 1, 2, 1 << 33, 0, 2), words(10, 1, 0, 9, 1 << 50, 0),
	words(11, 1 << 63, (1 << 63) - 1, 0, 0, 1)]})
blocks.append({"kind": 13, "columns": [words(0, 99), words(2, 50), words(4, 1 << 60)]})
' >ids.stk

check 'ids that were never defined: every form goes on, and reports them; records pass as they are' '
	for form in text tsv ndjson folded dumps; do
		status 1 stkcat -q -f $form ids.stk >out 2>err
		test -s out
		grep "references to a stack that the input does not define" err
	done
	status 0 stkcat -q -f stream ids.stk >out 2>err
	test -s out
	status 1 stkcat -q --merge --sort ids.stk >out
	status 1 stkcat -q --running -f text ids.stk >out
	status 1 stkcat -q --grep "a|b" --thread . --process . -f tsv ids.stk >out
	status 1 stkcat -q -f folded --by source,process,thread,pool,state,pid,tid,command,command-tid ids.stk >out
'
check 'what was never defined has no text, and nobody takes the text of another' '
	printf "%s\n" "? 1" "?;? 1" "?;a;b:c;a 0" "a 18446744073709551615" "a;b:c 1" >want
	status 1 stkcat -f folded ids.stk >got 2>err
	same want got
'
check '--check says which rows refer to nothing' '
	status 1 stkcat --check ids.stk 2>err
	grep "rows of kind sample refer to a stack that is not defined before them" err
	grep "rows of kind stack refer to a stack that is not defined" err
	grep "rows of kind frame refer to a string" err
'
check 'and it costs no memory to speak of' '
	(ulimit -v 500000 && stkcat --version) >out 2>err || exit 0	# a sanitizer takes terabytes of addresses
	(ulimit -v 500000; status 1 stkcat -q -f text ids.stk >out)
'
check 'a merge keeps references to nothing as what they are, and says so: what is lost is no empty stack' '
	status 1 stkcat --merge ids.stk 2>err >out
	grep "rows refer to what their stream does not define" err
	status 1 stkcat --check out 2>err
	grep "incomplete" err
	grep "1 of 5 rows of kind sample refer to a stack that is not defined" err
	printf "%s\n" "? 1" "?;? 1" "?;a;b:c;a 0" "a 18446744073709551615" "a;b:c 1" >want
	status 1 stkcat -f folded out 2>err | same want -
	status 1 stkcat -q --merge out out 2>err >again
	status 1 stkcat -q --check again 2>err && grep "2 of 10 rows of kind sample refer to a stack" err
'

write '
def words(n, *v): return {"number": n, "words": list(v)}
more += ["kind 77 quasar row", "column time time", "column mood enum:good|bad", "column glow real", "column stack id:stack", "column says text"]
extra += ["column warmth count"]
blocks.append({"kind": 1, "first": 1, "columns": [{"number": 0, "texts": ["f"]}]})
blocks.append({"kind": 2, "first": 1, "columns": [words(0, 1)]})
blocks.append({"kind": 3, "first": 1, "columns": [words(1, 1)]})
blocks.append({"kind": 9, "columns": [words(0, 2, 1), words(3, 1, 1), words(4, 3, 4), words(17, 8, 9)]})
blocks.append({"kind": 77, "columns": [words(0, 10, 20), words(1, 1, 5), {"number": 2, "reals": [0.1, 1e16]}, words(3, 1, 0), {"number": 4, "texts": ["x", "y"]}]})
blocks.append({"kind": 500, "columns": [words(0, 1, 2, 3)]})
' >future.stk

check 'a kind from the future is printed by the schema that came with it' '
	stkcat -f ndjson --ids --only quasar future.stk >got
	printf "%s\n" "{\"kind\":\"quasar\",\"time\":10,\"mood\":\"bad\",\"glow\":0.1,\"stack\":1,\"says\":\"x\"}" \
		"{\"kind\":\"quasar\",\"time\":20,\"mood\":5,\"glow\":1e+16,\"stack\":0,\"says\":\"y\"}" >want
	same want got
	stkcat -f tsv --only quasar future.stk >got
	printf "time\tmood\tglow\tstack\tsays\n1970-01-01T00:00:00.000000010Z\tbad\t0.1\tf\tx\n1970-01-01T00:00:00.000000020Z\t5\t1e+16\t\ty\n" >want
	same want got
'
check 'a kind that nobody declared is counted' '
	stkcat -f ndjson --ids --only "#500" future.stk >got
	test "$(cat got)" = "{\"kind\":\"#500\",\"rows\":3}"
	stkcat -f text future.stk | grep "3  #500"
	stkcat --contents -f tsv future.stk | grep "^#500	3	"
'
check 'a column from the future is printed too' '
	stkcat -f ndjson --ids --only sample future.stk | grep -c "\"warmth\":[89]}" | grep -x 2
'
check 'it passes bit for bit' '
	stkcat -S future.stk >got
	size=$(stkcat --contents -f tsv future.stk | awk "NR > 1 {sum += \$3} END {print sum}")	# all but index and end, which count anew
	cmp -n "$size" future.stk got
	test "$size" -gt 1000
	stkcat -f ndjson --ids future.stk >want
	stkcat -S --only quasar future.stk | stkcat -f ndjson --ids --only quasar >got
	grep quasar want | grep -v head | same got -
'
check 'where rows must be written again, it says what they lose' '
	stkcat --sort future.stk 2>err >got
	grep "columns that this version does not know" err
	test "$(stkcat -f ndjson --ids --only sample got | grep -c warmth)" = 2
	stkcat -f ndjson --ids --only quasar got | wc -l | grep -x 2
'
check 'a window holds for kinds from the future' '
	test "$(stkcat -f ndjson --ids --only quasar --from @0.000000015 future.stk | wc -l)" = 1
	test "$(stkcat -f ndjson --ids --only quasar --grep f future.stk | wc -l)" = 1
'
finish
