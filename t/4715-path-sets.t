#!/bin/sh
# SPDX-License-Identifier: MIT
# stkpath paths: paths of interest made from what was walked, from the graph, and by chance.
. "${0%/*}/lib/tap.sh"

have stkpath || skip_all 'stkpath was not built: no gmp'

cat >find.yaml <<'END'
function: find
entry: A
exit: E
blocks:
  - {id: A, succ: [B@10]}
  - {id: B@10, succ: [C@11, D@13]}
  - {id: C@11, succ: [B@10], calls: [read]}
  - {id: D@13, succ: [E, F@13]}
  - {id: F@13, succ: [E], calls: [write, close]}
  - {id: E}
END
# calls ROUNDS TIMES: that many calls with that many rounds of the loop
calls() { awk -v rounds="$1" -v times="$2" 'BEGIN { while (times--) { print "> 1\nA\nB@10"; for (r = 0; r < rounds; r++) print "C@11\nB@10"; print "D@13\nE\n<" } }'; }
{ calls 1 2; calls 0 5; calls 12 3; calls 19999 1; } >events

check 'what was walked, most frequent first; rounds of a loop are written as such' '
	stkpath paths -g find.yaml events >got 2>said
	same - got <<-END
	# of find
	paths:
	  - ['\''A'\'', '\''B@10'\'', '\''D@13'\'', '\''E'\'']	# 5
	  - ['\''A'\'', '\''(B@10 C@11)*12'\'', '\''B@10'\'', '\''D@13'\'', '\''E'\'']	# 3
	  - ['\''A'\'', '\''B@10'\'', '\''C@11'\'', '\''B@10'\'', '\''D@13'\'', '\''E'\'']	# 2
	  - ['\''A'\'', '\''(B@10 C@11)*19999'\'', '\''B@10'\'', '\''D@13'\'', '\''E'\'']	# 1
	END
	grep -qx "stkpath: paths written: 4" said
	sed 4q got >first
	stkpath paths -q -g find.yaml --hot 2 events | same first -
	stkpath paths -q -g find.yaml --hot 9 events | same got -
	stkpath paths -q -g find.yaml - <events | same got -
'
check 'they are what a plan takes, and what run counts then' '
	for method in psp0 psp2 trie; do
		stkpath plan -q -g find.yaml -p got -m $method -o plan
		stkpath run -q --plan plan events | sed 1d | awk -F "	" "{ print \$2 }" | sort -n | tr "\n" " " >counts
		test "$(cat counts)" = "1 2 3 5 "
	done
'
check 'those that come to a block, its label or a line, or that call a function' '
	stkpath paths -g find.yaml --through C events >some 2>said
	test $(grep -c "^  - " some) -eq 3
	grep -qx "stkpath: paths written: 3; left out, because they do not go there: 1" said
	stkpath paths -q -g find.yaml --through @11 events | same some -
	stkpath paths -q -g find.yaml --around read events | same some -
	stkpath paths -q -g find.yaml --through @11 --through F@13 events | same some -
	stkpath paths -g find.yaml --around write events 2>said | grep -qx "paths: \[\]"
	grep -qx "stkpath: paths written: 0; left out, because they do not go there: 4" said
	stkpath paths -q -g find.yaml --through D --hot 1 --around read events | grep -q "C@11)\*12.*# 3"
'
check 'without files: all ways there that come to no block twice' '
	stkpath paths -q -g find.yaml --around close | grep "^  - " >lines; same - lines <<-END
	  - ['\''A'\'', '\''B@10'\'', '\''D@13'\'', '\''F@13'\'', '\''E'\'']
	END
	test $(stkpath paths -q -g find.yaml --through E | grep -c "^  - ") -eq 2
	test $(stkpath paths -q -g find.yaml --through A | grep -c "^  - ") -eq 2
'
check 'chance: different ones, the same for the same seed' '
	stkpath paths -q -g find.yaml --random 6 --seed 1 >one
	test $(grep "^  - " one | sort -u | wc -l) -eq 6
	stkpath paths -q -g find.yaml --random 6 --seed 1 | same one -
	stkpath paths -q -g find.yaml --random 6 --seed 2 >other
	if cmp -s one other; then false; fi
	stkpath paths -q -g find.yaml --random 4 --around write >four
	test $(grep "^  - " four | grep -c F@13) -eq 4
	stkpath plan -q -g find.yaml -p four -m psp2 >plan
	cat >line.yaml <<-END
	{function: line, entry: A, exit: B, blocks: [{id: A, succ: [B]}, {id: B}]}
	END
	stkpath paths -g line.yaml --random 3 >none 2>said
	test $(grep -c "^  - " none) -eq 1
	grep -q "1 different paths were found, not 3: of 300 random walks" said
'
check 'an entry in a loop, an end that is the entry, one block' '
	cat >loop.yaml <<-END
	{function: loop, entry: A, exit: B, blocks: [{id: A, succ: [A, B]}, {id: B}]}
	END
	printf "> 1\nA\nA\nA\nA\nB\n<\n> 1\nA\nB\n<\n" >rounds
	stkpath paths -q -g loop.yaml rounds | grep "^  - " >lines; same - lines <<-END
	  - ['\''A'\'', '\''B'\'']	# 1
	  - ['\''(A)*4'\'', '\''B'\'']	# 1
	END
	stkpath paths -q -g loop.yaml rounds >both
	stkpath plan -q -g loop.yaml -p both -m psp2 -o plan
	test "$(stkpath run -q --plan plan rounds | sed 1d | cut -f 2 | tr "\n" " ")" = "1 1 "
	stkpath paths -q -g loop.yaml --random 3 | grep -c "A" | grep -qx 3
'
if have python3; then
check 'untaken: the prime paths that are in no walk, by brute force over random graphs' '
	python3 "$t/lib/untaken.py" 40
	test $(ls graph-* | wc -l) -eq 40
	for graph in graph-*; do
		n=${graph#graph-}
		stkpath paths -g $graph --untaken walks-$n 2>said | sed -n "s/^  - \[\(.*\)\]$/\1/p" | tr -d "\047," | sort >got
		same want-$n got
		test ! -s got || test "$(wc -l <got)" -eq "$(sed -n "s/.*written: \([0-9]*\).*/\1/p" said)"
	done
'
else
skip 'no python3' 'untaken: the prime paths that are in no walk, by brute force over random graphs'
fi
check 'what has no effect is refused, and a graph that says no calls is named' '
	for wrong in "" "-f tsv events" "--seed 3 events" "--random 3 events" "--random 3 --hot 3" "--hot 3 --untaken events" "--random 0" "--hot x events"; do
		status 2 stkpath paths -g find.yaml $wrong 2>err
		test -s err
	done
	status 2 stkpath paths events 2>err; grep -q "missing --cfg" err
	status 2 stkpath paths -g find.yaml --through nowhere 2>err; grep -q "no block is called .nowhere." err
	status 2 stkpath paths -g find.yaml --around nobody 2>err; grep -q "no block calls .nobody. by name" err
	sed "s/, calls: .*\]/]/; s/\[E\]\]/[E]/" find.yaml | sed "s/\(succ: \[[^]]*\]\).*/\1}/" >plain.yaml
	status 2 stkpath paths -g plain.yaml --around read 2>err; grep -q "stkpath cfg FILE.ll writes one that does" err
	sed "s/calls: \[read\]/calls: read/" find.yaml >bad.yaml
	status 2 stkpath paths -g bad.yaml --through C 2>err; grep -q "bad.yaml:[0-9]*:[0-9]*: not a list" err
	printf "> 1\nA\nB@10\n<\n> 1\nA\nB@10\nD@13\nE\n<\n" >cut
	stkpath paths -g find.yaml cut 2>err | grep -c "^  - " | grep -qx 1
	grep -qx "stkpath: calls that did not end, whose paths are left out: 1" err
	printf "> 1\nA\nX\n<\n" >wrong
	status 1 stkpath paths -q -g find.yaml wrong 2>err >/dev/null; grep -q "wrong:3" err
'
check 'what blocks of a program call stands in its graph' '
	stkpath cfg "$t/data/functions.ll" --function throws | grep "id: .start" | grep -q "calls: \[.callee.\]"
	stkpath cfg "$t/data/functions.ll" --function endless >endless.yaml
	test $(grep -c calls: endless.yaml) -eq 1
	stkpath paths -q -g endless.yaml --around callee | grep -q "^  - "
'
if have clang && test -e "$BUILD/lib/stkpipe/libstkpath.a"; then
	. "$t/lib/probed.sh"
check 'what a program counted: whole paths, and prime ones, which are parts' '
	assembly shapes "$t/data/shapes.c"
	plain shapes
	stkpath cfg shapes.ll >shapes.functions
	steps shapes
	for all in *.all; do
		f=${all%.all}
		test -s $all || continue
		awk -F "	" "{ print \$2 }" $f.all | sort -n >want
		stkpath paths -q -g $f.yaml shapes.steps | sed -n "s/.*]	# //p" | sort -n >got
		same want got
	done
	probed shapes --method pap
	f=$(ls -S *.all | head -1) f=${f%.all}
	stkpath paths -q -g $f.yaml counts.stk | sed -n "s/.*]	# //p" | sort -n >got
	awk -F "	" "{ print \$2 }" $f.all | sort -n >want
	same want got
	probed shapes --method ac --prime
	stkpath paths -g $f.yaml counts.stk 2>said >parts
	grep -q "begin or end within the function" said
	stkpath plan -q -g $f.yaml -p parts -m ac >plan
	stkpath coverage -q --function $f counts.stk | sed 1d | cut -f 1 | sort >want
	stkpath paths -q -g $f.yaml --untaken counts.stk >untaken
	test $(grep -c "^  - " untaken) -eq $(wc -l <want)
'
else
skip 'no clang, or no runtime' 'what a program counted: whole paths, and prime ones, which are parts'
fi
finish
