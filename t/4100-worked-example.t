#!/bin/sh
# SPDX-License-Identifier: MIT
# The worked examples of the method's source, number for number: three dumps of stacks made of A to E, and seven samples in a calling-context tree.
. "${0%/*}/lib/tap.sh"

cat >names <<'END'
a1;a2;a3 A
b1;b2;b3 B
c1;c2;c3 C
d1;d2;d3 D
e1;e2;e3 E
END
A='a1;a2;a3' B='b1;b2;b3' C='c1;c2;c3' D='d1;d2;d3' E='e1;e2;e3'
n="@1772355600
$A;$B;$D 1"
n1="@1772355620
$A;$B;$D 1
$A;$C 1"
n2="@1772355640
$A;$B;$E 1"

# after DUMP...   the stream of these dumps
after() { printf '%s\n' "$@" | stkcap -q --format folded-dumps -; }
# counters   name, now and total of each segment
counters() { stkclass -q --segments -f tsv --segment-names names | cut -f 2,5,6 | tail -n +2 | sort; }

check 'after dump N: one segment, seen once' '
	after "$n" | stkclass -q --segments -f tsv --segment-names names | cut -f 3-7 >got
	printf "first\tsecond\tnow\ttotal\tframes\n0\t0\t1\t1\t$A;$B;$D\n" | same - got
	test "$(after "$n" | stkclass -q -f tsv | cut -f 1,4,5 | tail -1 | tr "\t" " ")" = "1 1 1"
'
check 'after dump N+1 (claims 1 and 5: a branch splits, and both halves begin with their parent): (A,B,D) 1, 2 is split into (A) 2, 3 and (B,D) 1, 2; (C) 1, 1' '
	after "$n" "$n1" | stkclass -q --segments -f tsv | cut -f 1,3-8 >got
	printf "segment\tfirst\tsecond\tnow\ttotal\tframes\tparent\n1\t2\t3\t1\t2\t$A;$B;$D\t0\n2\t0\t0\t2\t3\t$A\t1\n3\t0\t0\t1\t2\t$B;$D\t1\n4\t0\t0\t1\t1\t$C\t0\n" >want
	cat want | same - got
'
check 'after dump N+2: (B,D) is split into (B) 1, 3 and (D); (A) 1, 4; (E) 1, 1' '
	after "$n" "$n1" "$n2" | counters >got
	printf "A\t1\t4\nA,B,D\t0\t2\nB\t1\t3\nB,D\t0\t2\nC\t0\t1\nD\t0\t2\nE\t1\t1\n" | same - got
'
check 'the grammar, line by line' '
	after "$n" "$n1" "$n2" | stkclass -q --grammar --segment-names names >got
	cat >want <<END
Thread1 -> (A,B,D)
Thread2 -> (A)(C)
Thread3 -> (A)(B)(E)
(A,B,D) -> (A)(B,D)
(B,D) -> (B)(D)
A -> a1 a2 a3
B -> b1 b2 b3
C -> c1 c2 c3
D -> d1 d2 d3
E -> e1 e2 e3
END
	cat want | same - got
'
check 'the parse of a1 a2 a3 b1 b2 b3 d1 d2 d3, step by step' '
	after "$n" "$n1" "$n2" | stkclass -q --explain "$A;$B;$D" --names names >got
	cat >want <<END
 a1 a2 a3 b1 b2 b3 d1 d2 d3
(A) b1 b2 b3 d1 d2 d3
(A)(B) d1 d2 d3
(A)(B)(D)
(A)(B,D)
(A,B,D)
Thread1
END
	cat want | same - got
'
check 'classes: the most intense has the shortest signature; N dumps since it was seen last' '
	after "$n" "$n1" "$n2" | stkclass -q -f tsv --segment-names names | cut -f 1,3-6 >got
	printf "class\tsignature\tnow\ttotal\tshare\n1\tA,B,D\t0\t2\t0.666667\n2\tA C\t0\t1\t0.25\n3\tA B E\t1\t1\t0.333333\n" | same - got
	after "$n" "$n1" "$n2" "@1772355660
$A;$C 1" | stkclass -q | stkcat -f ndjson --ids --only intensity | grep "\"series\":\"class\",\"id\":2," | sed "s/.*\"count\"/\"count\"/" >got
	printf "%s\n" "\"count\":1,\"total\":1,\"dumps\":2}" "\"count\":1,\"total\":2,\"dumps\":2}" | same - got
'
check 'splits travel in the stream: time, parent, both children, the frame before the branch' '
	after "$n" "$n1" "$n2" | stkclass -q | stkcat -f ndjson --ids --only split >got
	cat >want <<END
{"kind":"split","time":1772355620000000000,"segment":1,"first":2,"second":3,"frame":3}
{"kind":"split","time":1772355640000000000,"segment":3,"first":5,"second":6,"frame":6}
END
	cat want | same - got
'
check 'the calling-context example: A7 B4 C2 D2 E1 F1' '
	printf "A;B;D 2\nA;B 1\nA;B;E;F 1\nA 1\nA;C 2\n" | stkcap -q --format folded - | stkclass -q --segments -f tsv >segments
	awk -F "\t" "NR > 1 && \$3 == 0 { n = split(\$7, f, \";\"); for (i = 1; i <= n; i++) print f[i] \$6 }" segments | sort | tr "\n" " " >got
	printf "A7 B4 C2 D2 E1 F1 " | same - got
'
check '... and as a tree: what stands below counts together with its own what it counts' '
	printf "A;B;D 2\nA;B 1\nA;B;E;F 1\nA 1\nA;C 2\n" | stkcap -q --format folded - | stkclass -q --tree -f tsv | cut -f 1,5,6,9 >got
	printf "depth\ttotal\town\tframes\n1\t7\t1\tA\n2\t4\t1\tB\n3\t2\t2\tD\n3\t1\t1\tE;F\n2\t2\t2\tC\n" | same - got
'
finish
