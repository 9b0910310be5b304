#!/bin/sh
# SPDX-License-Identifier: MIT
# What events measure is kept apart by name and unit: sums, rates and distributions as a few lines of Python find them.
. "${0%/*}/lib/tap.sh"

cat >two.yaml <<'END'
scheme: two
groups:
- name: render
  events: {start: draw, stop: drawn}
- name: alloc
  events: {point: malloc}
END
tab() { tr "|" "\t"; }

tab >all.tsv <<'END'
time|thread|happening|name|value|activity|stack|processor|process|values
1|t|start|draw||7||3|web|bytes=100B flags=NONE ptr=0x10 rows=2
2|t|point|fault|1||main;f|0|12|
2.5|t|point|malloc|64|00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01|||web|bytes=1e2B bytes=4kB ratio=-0.5
3|t|stop|drawn||||||
5|t|point|malloc|64|4bf92f3577b34da6a3ce929d0e0e4736|||web|
END

check 'each column of a line is kept: values with units, the processor, the process by name or number, W3C ids' '
	stkcap -q all.tsv >all.stk
	stkcat -q -f tsv --only event all.stk | cut -f 3- >got
	tab >want <<END
happening|name|value|activity|stack|values|processor
start|draw|0.0|7||bytes=100B flags=NONE ptr=0x10 rows=2|3
point|fault|1.0|0|main;f||0
point|malloc|64.0|11803532876627986230||bytes=1e2B bytes=4kB ratio=-0.5|-1
stop|drawn|0.0|0|||-1
point|malloc|64.0|11803532876627986230|||-1
END
	same want got
	stkcat -q -f tsv --only thread all.stk | cut -f 1,2 | tail -n +2 >/dev/null
	test "$(stkcat -q -f tsv --only event --process web all.stk | tail -n +2 | wc -l)" = 3
	test "$(stkcat -q -f tsv --only event --process "^12$" all.stk | tail -n +2 | wc -l)" = 1
	for wrong in "1|t|point|p||x" "1|t|point|p||1||-2" "1|t|point|p||1||99999999999" "1|t|point|p||4bf92f3577b34da6a3ce929d0e0e473g"; do
		echo "$wrong" | tab >wrong.tsv; status 1 stkcap -q --format events wrong.tsv >wrong.stk
	done
'

tab >pay.tsv <<'END'
0|t|start|draw
1|t|point|malloc|||||| bytes=100B
2|t|point|malloc|||||| bytes=300B faults=2
3|t|point|malloc|||||| bytes=7kB
4|t|stop|drawn
5|t|point|malloc|9
END
sed -i 's/ bytes/bytes/' pay.tsv

check 'bytes are not added to faults, nor to kilobytes: the column payload is of one name, or says that there are several' '
	stkgroup -q -s two.yaml --events pay.tsv -f tsv | cut -f 2,11 >got
	printf "group\tpayload\nrender\tnan\nalloc\t9.0\n" >want; grep -v none got | same want -
	stkgroup -q -s two.yaml --events pay.tsv -f text | grep -q "render.* several$"
	stkgroup -q -s two.yaml --events pay.tsv -f ndjson | grep -q "\"render\".*\"payload\":null"
'

check '--report payloads: number, sum, rate, least, median, 99 % and most, by name and unit, by step, window and thread' '
	stkgroup -q -s two.yaml --events pay.tsv --report payloads -f tsv | cut -f 2- >got
	tab >want <<END
group|payload|unit|count|sum|rate|min|p50|p99|max
render|bytes|B|2|400.0|80.0|100.0|100.0|300.0|300.0
render|bytes|kB|1|7.0|1.4|7.0|7.0|7.0|7.0
render|faults||1|2.0|0.4|2.0|2.0|2.0|2.0
alloc|malloc||1|9.0|1.8|9.0|9.0|9.0|9.0
END
	same want got
	stkgroup -q -s two.yaml --events pay.tsv --report payloads --step 2s -f tsv | cut -f 1,3-7 | tail -n +2 | sed "s/1970-01-01T00:00:0//" >got
	tab >want <<END
0Z|render|bytes|B|1|100.0
2Z|render|bytes|B|1|300.0
2Z|render|bytes|kB|1|7.0
2Z|render|faults||1|2.0
4Z|alloc|malloc||1|9.0
END
	same want got
	stkgroup -q -s two.yaml --events pay.tsv --report payloads --from @2 --to @4 -f tsv | cut -f 2-7 | head -2 | tail -1 >got
	printf "render\tbytes\tB\t1\t300.0\t150.0\n" | same - got
	stkcap -q pay.tsv | stkgroup -q -s two.yaml --by thread --report payloads -f tsv | cut -f 1,3-6 | sed -n 2p >got
	printf "t\trender\tbytes\tB\t2\n" | same - got
	stkgroup -q -s two.yaml --events pay.tsv --report payloads -f text | grep -q "^ *two  *render  *bytes  *B  *2  *400  *80.00  *100  *100  *300  *300$"
	status 2 stkgroup -s two.yaml --events pay.tsv --report payloads -f folded 2>said
	status 2 stkgroup -s two.yaml --events pay.tsv --report payloads --depth 1 2>said
'

check 'figures of steps have a row for each payload, which add up to the pairs once' '
	stkcap -q pay.tsv | stkgroup -q -s two.yaml --step 1h -f stream | stkcat -q -f tsv --only group_figure - | cut -f 4,10- | tail -n +2 | LC_ALL=C sort >got
	awk -F "\t" "\$1 == 1 { paired += \$2 / 1e9; pairs += \$3; points += \$4; print \$6, \$7, \$5 } END { print paired, pairs, points }" got | LC_ALL=C sort >sums
	printf "4 1 0\nbytes B 400.0\nbytes kB 7.0\nfaults  2.0\n" | same - sums
'

check 'no payload, and one, and rows without a rate' '
	printf "1\tt\tpoint\tmalloc\n" >none.tsv
	test "$(stkgroup -q -s two.yaml --events none.tsv --report payloads -f tsv | wc -l)" = 1
	printf "1\tt\tpoint\tmalloc\t-3\n" >one.tsv
	test "$(stkgroup -q -s two.yaml --events one.tsv --report payloads -f tsv | tail -n +2 | cut -f 5-)" = "$(printf "1\t-3.0\tnan\t-3.0\t-3.0\t-3.0\t-3.0")"
'

have python3 || { skip 'no python3' 'random payloads' ''; finish; exit; }
cat >count.py <<'END'
"""random measures as events; or their sums and the values of rank n/2 and 0.99 n; or whether stkgroup's are near them"""
import math, random, sys
seed = int(sys.argv[2])
chance = random.Random(seed)
values = {}
lines = []
for at in range((0, 1, 2, 3, 100, 5000)[seed % 6]):
    name, unit = chance.choice((("bytes", "B"), ("wait", "ms"), ("wait", "us"), ("d", "")))
    value = chance.choice((0, chance.randrange(-5, 5), chance.uniform(0, 1e6), chance.lognormvariate(0, 9), -chance.lognormvariate(0, 3)))
    values.setdefault((name, unit), []).append(value)
    lines.append(f"{at}\tt\tpoint\tmalloc\t\t\t\t\t\t{name}={value!r}{unit}")
if sys.argv[1] == "make":
    print("\n".join(lines))
    sys.exit()
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[3])][1:]
assert {(r[2], r[3]) for r in rows} == set(values), rows
for _, _, name, unit, count, total, rate, least, median, p99, most in rows:
    v = sorted(values[name, unit])
    near = lambda a, b, part: abs(float(a) - b) <= part * abs(b) + 1e-9
    assert int(count) == len(v) and near(total, math.fsum(v), 1e-9) and near(least, v[0], 1e-15) and near(most, v[-1], 1e-15)
    assert near(median, v[math.ceil(len(v) / 2) - 1], 0.0101) and near(p99, v[math.ceil(0.99 * len(v)) - 1], 0.0101), (name, unit, median, p99)
    assert len(v) < 2 or near(rate, math.fsum(v) / (len(lines) - 1), 1e-9)
END
check 'random payloads' '
	for seed in 0 1 2 3 4 5; do
		python3 count.py make $seed >random.tsv
		stkgroup -q -s two.yaml --events random.tsv --report payloads -f tsv >rows
		python3 count.py check $seed rows
	done
'
finish
