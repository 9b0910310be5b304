#!/bin/sh
# SPDX-License-Identifier: MIT
# A reader and a writer that were made from FORMAT.md alone, without a look at the C code, and this program understand each other.
. "${0%/*}/lib/tap.sh"
have python3 zstd || skip_all 'no python3 or zstd'

PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
make_stream=${BUILD:-$(dirname "$(command -v stkcat)")/..}/t/tools/make_stream
mkdir cases
python3 "$t/reader/selftest.py" cases >selftest.log 2>&1 && selftest=0 || selftest=$?

# blocks FILE: each block as a line of hex, but for HEAD, INDEX and END
blocks() {
	PYTHONPATH=$t/reader python3 -c '
import sys, stkread
data, at = open(sys.argv[1], "rb").read(), 0
while at < len(data):
    block = stkread.parse_block(data, at)
    if block.kind not in (0, 33, 34):
        print(data[at:block.end].hex())
    at = block.end' "$1"
}

# read_alike FILE...: both readers print the same, and find nothing wrong
read_alike() {
	status 0 stkcat -f ndjson --ids "$@" >got
	status 0 python3 "$t/reader/stkread.py" --stkcat "$@" >want
	cmp want got || { diff want got | head -4 | cut -c 1-300; return 1; }
}

# agree PART: stkcat prints the rows that the second reader has found in each input of this part of its selftest, with the same status
agree() {
	tried=0 bad=0
	for input in "cases/$1"-*.stk; do
		name=${input%.stk} tried=$((tried + 1))
		read -r wanted <"$name.status"
		stkcat -f ndjson --ids "$input" >got 2>err && code=0 || code=$?
		if test $code -ne "$wanted" || ! cmp -s "$name.ndjson" got; then
			bad=$((bad + 1))
			echo "$name: status $code, expected $wanted"
			diff "$name.ndjson" got | head -4 | cut -c 1-200
			head -2 err
		fi
	done
	echo "$bad of $tried are wrong"
	test $bad = 0 && test $tried -gt "$2"
}

check 'the second reader reads what the second writer writes' '
	cat selftest.log
	test $selftest = 0
'
check 'every prediction with every layout, keys, flags and dictionaries: both read the same' '
	agree layouts 0
	agree predictions 0
'
check 'every type and encoding, UTF-8 and what is not, reals of all sizes: both print the same' '
	agree types 0
	agree values 0
'
check 'kinds, columns, schema lines and minor versions of the future: both read the same' '
	agree future 10
'
check 'blocks that break a rule are left out, and no others' '
	agree damage 80
'
check 'after damage both go on at the same place' '
	agree resync 7
'
check 'several streams, streams that were cut, heads that were lost: both read the same' '
	agree streams 10
'
check 'both say when a part is missing' '
	agree missing 5
'
check 'times and measures that nobody believes, and ranges that lie: both read the same' '
	agree times 10
'
check 'random damage: the same rows survive' '
	agree flips 60
'
check 'blocks from the future pass bit for bit, and what was lost before stays said' '
	for input in cases/future-*-future-minor-*.stk; do
		status 0 stkcat -f stream "$input" >got.stk
		blocks "$input" >before
		blocks got.stk | cmp before -
		test "$(wc -l <before)" = 6
		status 0 python3 "$t/reader/stkread.py" got.stk >after
		grep "^{\"kind\":\"end\".*\"lost\":2}" after
	done
'
check 'a newer major version is refused by its number' '
	for form in ndjson stream; do
		status 3 stkcat -f $form cases/future-*-major-77.stk >got 2>err
		grep "version 77" err
		blocks got | status 1 grep .
	done
'

fact='streams with every kind, of several seeds, sizes of blocks and levels: both read the same'
if test -x "$make_stream"; then
check "$fact" '
	for args in "1 0" "2 1" "3 10" "4 50 7" "5 300 65536 1" "6 300 100 3" "7 400 65536 3" "8 400 65536 19"; do
		"$make_stream" $args >"made-${args%% *}.stk"
	done
	read_alike made-*.stk
	for kind in string frame stack source thread locks objects dump sample event metric counter deadlock segment class scheme group note; do
		grep -q "^{\"kind\":\"$kind\"" want
	done
	cat made-*.stk | stkcat -f ndjson --ids - | cmp want -
'
else
skip 'no make_stream' "$fact"
fi
check 'a day out of stkcap, at several levels: both read the same' '
	for level in 1 3 19; do
		stkcap -q --level $level "$t"/../scripts/sample/*.gz >sample-$level.stk
	done
	read_alike sample-*.stk
	test "$(grep -c "^{\"kind\":\"sample\"" want)" -gt 100
'
finish
