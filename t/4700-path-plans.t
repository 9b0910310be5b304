#!/bin/sh
# SPDX-License-Identifier: MIT
# stkpath: the worked examples of the literature (Ball and Larus; Apiwattanapong and Harrold; Vaswani, Nori and Chilimbi; Wang and Li), to the number.
. "${0%/*}/lib/tap.sh"

have stkpath || skip_all 'stkpath was not built: no gmp'

# graph NAME ENTRY EXIT "A: B C" ...: writes NAME.yaml
graph() {
	name=$1
	printf 'function: %s\nentry: %s\nexit: %s\nblocks:\n' "$1" "$2" "$3" >"$name.yaml"
	shift 3
	for block; do echo "  - {id: ${block%%:*}, succ: [$(echo ${block#*:} | sed 's/ /, /g')]}"; done >>"$name.yaml"
}
# paths NAME "A B C" ...: writes NAME.yaml
paths() {
	name=$1
	shift
	{ echo 'paths:'; for path; do echo "  - [$(echo $path | sed 's/ /, /g')]"; done; } >"$name.yaml"
}
# plan METHOD GRAPH PATHS: probes and ids alone
plan() { stkpath plan -q -m $1 --cfg $2.yaml ${3:+--paths $3.yaml} -f tsv | grep -E '^(edge|node|parts|path)'; }
# walks "A B C" ...: events of these walks
walks() { for walk; do printf '> 1\n'; printf '%s\n' $walk; echo '<'; done; }
tab() { sed 's/ | /	/g'; }

graph two A H 'A: B C' 'B: D' 'C: D' 'D: E H' 'E: F G' 'F: G' 'G: D' 'H:'
graph three A H 'A: C B D' 'B: D' 'C: D' 'D: H E' 'E: F G' 'F: G' 'G: H' 'H:'
paths three.paths 'A D H' 'A B D E G H'
check 'all acyclic paths of a loop are numbered: 9, and each piece is counted' '
	stkpath plan -m epp --cfg two.yaml -f text | grep "^9 paths in all"
	stkpath plan -m epp --cfg two.yaml -o epp.plan
	walks "A B D E G D E F G D H" "A C D H" | stkpath run -q --plan epp.plan | tail -n +2 | sort >got
	tab <<-END | same - got
	A B D E G | 1
	A C D H | 1
	D E F G | 1
	D H | 1
	END
'
check 'loops of a path are repetitions for people, which a paths file takes, and all their blocks in rows' '
	stkpath plan -q -m pap --cfg two.yaml -o pap.plan
	walks "A B D E G D E G D E G D E F G D H" "A C D H" "A C D E G D H" >events
	stkpath run -q -f text --plan pap.plan events | sed "s/^ *//" | sort >got
	same - got <<-END
	1  A B (D E G)*3 D E F G D H
	1  A C D E G D H
	1  A C D H
	END
	stkpath run -q --plan pap.plan events | grep -qx "A B D E G D E G D E G D E F G D H	1"
	sed "s/^1  \(.*\)/  - \"\1\"/; 1i paths:" got >these.yaml
	stkpath plan -q -m psp0 --cfg two.yaml --paths these.yaml -o these.plan
	stkpath run -q --plan these.plan events | cut -f 2 | tail -n +2 | tr "\n" " " | grep -qx "1 1 1 "
	walks "A C $(yes "D E G" | head -n 5000 | tr "\n" " ") D H" | stkpath run -q -f text --plan pap.plan | grep -qx " *1  A C (D E G)\*5000 D H"
	stkpath run -f text --plan pap.plan /dev/null >got 2>&1
	status 1 grep "[(]" got
'
check 'all paths: a digit for each way into a join' '
	plan pap two >got
	tab <<-END | same - got
	edge | B>D | mul | 3 0
	edge | C>D | mul | 3 1
	edge | E>G | mul | 2 0
	edge | F>G | mul | 2 1
	edge | G>D | mul | 3 2
	END
'
check 'weights of interesting edges alone: two paths with one id, which is told by walking them' '
	plan spp three three.paths >got
	tab <<-END | same - got
	edge | A>D | add | 6
	edge | B>D | add | 3
	edge | E>G | add | 2
	path | A D H | 6
	path | A B D E G H | 5
	END
	stkpath plan -q -m spp --cfg three.yaml --paths three.paths.yaml | grep "^plan" | grep -q "inexact$"
'
check 'the weight that is needed is kept: exact' '
	plan espp three three.paths >got
	tab <<-END | same - got
	edge | A>D | add | 6
	edge | B>D | add | 3
	edge | E>G | add | 2
	edge | F>G | add | 1
	path | A D H | 6
	path | A B D E G H | 5
	END
	walks "A D E F G H" >collides
	for method in spp espp; do
		stkpath plan -q -m $method --cfg three.yaml --paths three.paths.yaml -o $method.plan
		stkpath run --plan $method.plan --verify collides >$method.got 2>$method.err
	done
	printf "path\tcount\nA D H\t1\nA B D E G H\t0\n" | same - spp.got
	printf "path\tcount\nA D H\t0\nA B D E G H\t0\n" | same - espp.got
	grep -q "inaccuracy 1.0000: 1 of 1" spp.err
	grep -q "inaccuracy 0.0000" espp.err
	stkpath run --plan spp.plan collides 2>err >/dev/null
	grep -q "spp is inexact: other paths may be counted as interesting ones" err
	stkpath coverage --plan spp.plan collides 2>err >/dev/null
	grep -q "spp is inexact" err
	stkpath run --plan espp.plan collides 2>err >/dev/null
	status 1 grep -q inexact err
'
graph six S X 'S: B' 'B: C D' 'C: E' 'D: E' 'E: B X' 'X:'
printf 'paths: [[S, B, D, E, X], [S, "(B D E)*2", X]]\n' >six.paths.yaml
check 'checks where a way was chosen: a loop, its first and its second round' '
	plan psp0 six six.paths >got
	tab <<-END | same - got
	edge | S>B | mul | 2 0
	edge | C>E | mul | 2 0
	edge | D>E | mul | 2 1
	edge | E>B | mul | 2 1
	node | B | chk | 0 3
	node | C | end | 
	node | D | chk | 0 3
	node | X | chk | 1 7
	path | S B D E X | 1
	path | S B D E B D E X | 7
	END
	stkpath plan -q -m psp0 --cfg six.yaml --paths six.paths.yaml -o psp0.plan
	walks "S B D E B C E X" | stkpath run -q --effort --plan psp0.plan >got
	grep -q "^ended	1$" got && grep -q "^skipped	2$" got
	stkpath plan -m psp0 --cfg six.yaml --paths six.paths.yaml -f text >text
	grep -qx "  X  end unless r is 1 or 7" text
	{ echo "paths:"; for rounds in 1 2 3 4 5 6 7 8 9; do echo "  - [S, \"(B D E)*$rounds\", X]"; done; } >long.yaml
	stkpath plan -q -m psp0 --cfg six.yaml --paths long.yaml >plan
	stkpath plan -m psp0 --cfg six.yaml --paths long.yaml -f text >text
	grep -qx "  X  end unless r is 1, 7, 31, 127, 511, 2047, 8191, 32767 or one of 1 more" text
	grep -qx "node	X	chk	1 7 31 127 511 2047 8191 32767 131071" plan
'
graph seven A X 'A: B' 'B: C D E' 'C: E' 'D: E' 'E: M' 'M: I J' 'I: G J' 'J: G' 'G: B X' 'X:'
paths seven.paths 'A B D E M J G X' 'A B E M J G B D E M J G X'
check 'a region is one digit: its ways are told within, and checked at its end' '
	plan psp1 seven seven.paths >got
	tab <<-END | same - got
	edge | A>B | mul | 2 0
	edge | B>E | ladd | 6
	edge | D>E | ladd | 3
	edge | M>J | ladd | 2
	edge | G>B | mul | 2 1
	node | B | lset | 0
	node | G | lchk | 5 8
	node | G | ljoin | 9
	path | A B D E M J G X | 5
	path | A B E M J G B D E M J G X | 158
	END
'
check '... pap-epp numbers all ways through a region, and checks none' '
	plan pap-epp seven seven.paths >got
	tab <<-END | same - got
	edge | A>B | mul | 2 0
	edge | B>D | ladd | 3
	edge | B>E | ladd | 6
	edge | M>J | ladd | 2
	edge | I>J | ladd | 1
	edge | G>B | mul | 2 1
	node | B | lset | 0
	node | G | ljoin | 9
	path | A B D E M J G X | 5
	path | A B E M J G B D E M J G X | 158
	END
	stkpath plan -q -m pap-epp -g seven.yaml -p seven.paths.yaml -o region.plan
	grep -qx "plan	pap-epp	shift64	exact" region.plan
	walks "A B D E M J G X" "A B C E M I G B C E M I J G X" "A B E M J G B D E M J G X" "A B D E M J G X" |
		stkpath run -q --plan region.plan >got
	printf "path\tcount\nA B D E M J G X\t2\nA B E M J G B D E M J G X\t1\n" | same - got
	status 2 stkpath plan -m pap-epp -g seven.yaml 2>err
	grep -q "pap-epp needs interesting paths" err
'
check '... of the graph without what is left for good it has two' '
	plan psp3 seven seven.paths >got
	grep -q "^edge	B>C	end	$" got && grep -q "^edge	M>I	end	$" got
	grep -q "^node	G	ljoin	2$" got
	grep "^path" got | cut -f 3 >ids
	same - ids <<-END
	0
	6
	END
'
graph nine A H 'A: B C' 'B: D E F' 'C: E' 'D: H' 'E: H' 'F: G' 'G: H' 'H:'
paths nine.paths 'A B D H' 'A C E H'
check 'ends stand on the edges that leave what is of interest, not on those behind them' '
	plan psp2 nine nine.paths | grep "end" >got
	printf "edge\tB>E\tend\t\nedge\tB>F\tend\t\n" | same - got
'
graph mid A J 'A: B F' 'B: C D' 'D: E J' 'E: J' 'C: J' 'F: G H' 'G: J' 'H: I J' 'I: J' 'J:'
paths mid.paths 'A B D E J' 'A F H J'
paths mid.all 'A B C J' 'A B D E J' 'A B D J' 'A F G J' 'A F H I J' 'A F H J'
check 'the middle of three numbers, by every method' '
	plan epp mid mid.all | grep "^path" | cut -f 3 | tr "\n" " " | grep -qx "0 1 2 3 4 5 "
	for method in spp espp; do
		plan $method mid mid.paths >got
		printf "edge\tE>J\tadd\t2\nedge\tH>J\tadd\t5\npath\tA B D E J\t2\npath\tA F H J\t5\n" | same - got
	done
	plan prepp mid mid.paths >got
	printf "edge\tA>F\tadd\t1\npath\tA B D E J\t0\npath\tA F H J\t1\n" | same - got
	plan psp0 mid mid.paths | grep -qx "node	J	chk	1 4"
	plan psp2 mid mid.paths >got
	tab <<-END | same - got
	edge | A>B | mul | 2 0
	edge | A>F | mul | 2 1
	edge | B>C | end | 
	edge | D>J | end | 
	edge | F>G | end | 
	edge | H>I | end | 
	path | A B D E J | 0
	path | A F H J | 1
	END
	stkpath plan -q -m prepp --poison --cfg mid.yaml --paths mid.paths.yaml | grep "^plan" | grep -q "	exact$"
'
check 'a long walk that has the id of a short path in 64 bits is not taken for it' '
	graph wrap S X "S: B" "B: C D X" "C: B" "D: B" "X:"
	paths wrap.paths "S B C B D B X"
	for method in pap pap-epp psp0 psp1 psp2 psp3 trie; do
		stkpath plan -q -m $method --cfg wrap.yaml --paths wrap.paths.yaml -o wrap.plan
		{ printf "> 1\nS\nB\n"
		  echo 1112121212122211122121111111212121112121212122122122222212222221121111111112111121221211 | fold -w 1 | awk "{ print \$1 == 1 ? \"C\" : \"D\"; print \"B\" }"
		  printf "X\n<\n"; walks "S B C B D B X"; } >long
		stkpath run -q --verify --plan wrap.plan long >got
		printf "path\tcount\nS B C B D B X\t1\n" | same - got
	done
	stkpath plan -q -m pap --cfg wrap.yaml --paths wrap.paths.yaml -o wrap.plan
	status 2 stkpath run -q --repr u64 --plan wrap.plan long 2>err
	grep -q "not exact for this plan" err
	grep "^path" wrap.plan | cut -f 3 | grep -qx 5
'
check 'ids of any size: a path of 300 rounds; kept as states' '
	printf "paths: [[S, \"(B D E)*300\", X]]\n" >long.paths.yaml
	stkpath plan -q -m pap --cfg six.yaml --paths long.paths.yaml -o long.plan
	grep "^plan" long.plan | cut -f 3 | grep -qx table
	test "$(grep "^path" long.plan | cut -f 3)" = "$(python3 -c "
r = 0
for i in range(300): r = (r * 2 + (i > 0)) * 2 + 1
print(r)" 2>/dev/null || grep "^path" long.plan | cut -f 3)"
	{ walks "S $(yes "B D E" | head -300 | tr "\n" " ") X" "S $(yes "B D E" | head -299 | tr "\n" " ") X"; } >events
	stkpath run -q --plan long.plan events | tail -1 | cut -f 2 | grep -qx 1
'
check 'paths of which nothing is known before, of any length: counted in pieces, and told by name' '
	stkpath plan -q -m pap --cfg six.yaml -o any.plan
	grep "^plan" any.plan | cut -f 3 | grep -qx spill
	long="S $(yes "B D E B C E" | head -100 | tr "\n" " ") X"
	walks "$long" "S B C E X" "$long" "S B D E X" | stkpath run -q --plan any.plan | sed "s/ \+/ /g" >got
	test "$(sed -n 2p got)" = "$(echo $long)	2"
	tail -2 got | sort >last
	same - last <<-END
	S B C E X	1
	S B D E X	1
	END
'
check 'pieces end before a digit of a join of thousands of ways, which 64 bits would not hold' '
	{
		printf "function: wide\nentry: S\nexit: X\nblocks:\n  - {id: S, succ: [H]}\n  - {id: J, succ: [H, X]}\n  - {id: X, succ: []}\n  - {id: H, succ: ["
		seq -s ", " -f "c%.0f" 5000; echo "]}"
		seq -f "  - {id: c%.0f, succ: [J]}" 5000
	} | sed "/^  - {id: H/{N;s/\n//;}" >wide.yaml
	stkpath plan -q -m pap --cfg wide.yaml -o wide.plan
	awk "BEGIN { srand(7); for (call = 1; call <= 100; call++) { print \"> 1\\nS\"; for (round = 1; round <= 12; round++) print \"H\\nc\" 1 + int(rand() * 5000) \"\\nJ\"; print \"X\\n<\" } }" >events
	awk "/^>/ { path = \"\"; next } /^</ { taken[path]++; next } { path = path (path == \"\" ? \"\" : \" \") \$1 } END { for (path in taken) print path \"\\t\" taken[path] }" events | sort >want
	test $(grep -c "" want) = 100
	stkpath run -q --plan wide.plan events | sed 1d | sort | same - want
'
check 'parts of paths: every occurrence, also those that overlap or go from one round into the next' '
	paths six.parts "B D E" "D E B" "E B C E" "E" "D E X"
	stkpath plan -q -m ac --cfg six.yaml --paths six.parts.yaml -o ac.plan
	grep "^plan" ac.plan | cut -f 2-4 >got
	same - got <<-END
	ac	table	exact
	END
	walks "S B D E B D E B C E X" "S B D E X" | stkpath run -q --plan ac.plan >got
	same - got <<-END
	path	count
	B D E	3
	D E B	2
	E B C E	1
	E	4
	D E X	1
	END
'
check 'prime paths: rounds and what leads past them; which were never taken' '
	stkpath plan -q -m ac --prime --cfg six.yaml -o prime.plan
	grep "^path" prime.plan | cut -f 2 | sort >got
	same - got <<-END
	B C E B
	B D E B
	C E B C
	C E B D
	D E B C
	D E B D
	E B C E
	E B D E
	S B C E X
	S B D E X
	END
	walks "S B D E B D E X" | stkpath run --untaken --plan prime.plan >got 2>err
	tail -n +2 got | cut -f 1 | sort >untaken
	same - untaken <<-END
	B C E B
	C E B C
	C E B D
	D E B C
	E B C E
	S B C E X
	S B D E X
	END
	grep -q "3 of 10 paths were taken: 30.0 %" err
'
check 'auto: the first property that is known decides; --any: any that speaks for psp0' '
	stkpath plan --cfg six.yaml --paths six.paths.yaml 2>err | grep "^plan" | cut -f 2 | grep -qx psp0
	grep -q "of the blocks in loops" err
	stkpath plan --duration 20ms --cfg six.yaml --paths six.paths.yaml 2>err | grep "^plan" | cut -f 2 | grep -qx psp2
	stkpath plan --duration 800ms --cfg six.yaml --paths six.paths.yaml -q | grep "^plan" | cut -f 2 | grep -qx psp0
	stkpath plan --duration 20ms --any --cfg six.yaml --paths six.paths.yaml -q | grep "^plan" | cut -f 2 | grep -qx psp0
'
check 'auto by rules of a file: STKPATH_CHOICE, or the user'"'"'s settings; a file that is no such table is refused' '
	printf "property\tbelow\tmethod\tfrom it on\tgap\nduration\t1\tpsp2\tpsp0\t9\nblocks\t7\tpsp1\tpsp3\t2\n" >rules.tsv
	STKPATH_CHOICE=rules.tsv stkpath plan --cfg six.yaml --paths six.paths.yaml 2>err | grep "^plan" | cut -f 2 | grep -qx "psp[13]"
	grep -qE "psp[13]: [0-9]+ blocks, by rules.tsv" err
	STKPATH_CHOICE=rules.tsv stkpath plan --duration 2ms --cfg six.yaml --paths six.paths.yaml -q | grep "^plan" | cut -f 2 | grep -qx psp0
	mkdir -p settings/stkpipe && sed "/^blocks/d" rules.tsv >settings/stkpipe/path-choice.tsv
	env -u STKPATH_CHOICE XDG_CONFIG_HOME=$PWD/settings stkpath plan --cfg six.yaml --paths six.paths.yaml 2>err | grep "^plan" | cut -f 2 | grep -qx psp2
	grep -q "no property of the rules is known, by .*/settings/stkpipe/path-choice.tsv" err
	printf "x\nheight\t1\tpsp0\tpsp1\n" >rules.tsv
	STKPATH_CHOICE=rules.tsv status 2 stkpath plan --cfg six.yaml --paths six.paths.yaml 2>err >got
	grep -q "rules.tsv: line 2: expected a property" err
	STKPATH_CHOICE=missing.tsv status 2 stkpath plan --cfg six.yaml --paths six.paths.yaml 2>err >got
	grep -q missing.tsv err
'
check 'an entry that is come back to gets one before it, which nobody sees' '
	graph again A X "A: A B" "B: X" "X:"
	paths again.paths "A A B X" "A B X"
	for method in pap pap-epp psp0 psp1 psp2 psp3 trie; do
		stkpath plan -q -m $method --cfg again.yaml --paths again.paths.yaml -o again.plan
		walks "A B X" "A A A B X" "A A B X" "A A B X" | stkpath run -q --plan again.plan >got
		printf "path\tcount\nA A B X\t2\nA B X\t1\n" | same - got
	done
'
check 'calls within calls, and threads that take turns' '
	stkpath plan -q -m psp2 --cfg six.yaml --paths six.paths.yaml -o two.plan
	printf "%s\n" "> 1" S B "> 2" S "@ 1" D "> 1" S B D E X "<" E "@ 2" B C E X "<" "@ 1" X "<" | stkpath run --plan two.plan >got 2>err
	printf "path\tcount\nS B D E X\t2\nS B D E B D E X\t0\n" | same - got
	grep -q "3 activations, 3 finished, 2 of them" err
'
cat >gaps.yaml <<'END'
function: gaps
entry: A
exit: F
blocks:
  - {id: A, succ: [B, C]}
  - {id: B, succ: [D, C]}
  - {id: C, succ: [D]}
  - {id: D, succ: [E, B]}
  - {id: E, succ: [F, A2]}
  - {id: A2, succ: [E]}
  - {id: F, succ: []}
END
# ways PATH: the paths that it stands for
ways() {
	printf 'paths:\n  - [%s]\n' "$1" >gap.yaml
	stkpath plan -q -g gaps.yaml -p gap.yaml -m "${2-trie}" | sed -n 's/^path	\(.*\)	.*/\1/p'
}
check 'gaps: each way between that comes to no block twice, at the front and at the end too' '
	ways "A, ..., D, E, F" >got
	printf "A B D E F\nA B C D E F\nA C D E F\n" | same - got
	ways "..., E, F" >got
	printf "A B D E F\nA B C D E F\nA C D E F\n" | same - got
	ways "A, C, D, ..." >got
	printf "A C D E F\n" | same - got
	ways "A, B, D, B, ..., E, ..., E, F" >got
	printf "A B D B D E A2 E F\nA B D B C D E A2 E F\n" | same - got
	ways "B, ..., E" ac >got
	printf "B D E\nB C D E\n" | same - got
	printf "paths:\n  - [A, ..., F]\n  - [A, C, ..., F]\n" >gap.yaml
	stkpath plan -q -g gaps.yaml -p gap.yaml -m psp2 | grep -c "^path" | grep -qx 3
'
check 'gaps: none fills it, or too many do' '
	printf "paths:\n  - [A, B, ..., A]\n" >gap.yaml
	status 2 stkpath plan -g gaps.yaml -p gap.yaml -m ac 2>err
	grep -q "gap.yaml:2:5: no way fills the gap" err
	for wrong in "..., B" "B, ..."; do
		printf "paths:\n  - [%s]\n" "$wrong" >gap.yaml
		status 2 stkpath plan -g gaps.yaml -p gap.yaml -m ac 2>err
		grep -q "a gap .*: a part may" err
	done
	{
		printf "function: f\nentry: b0\nexit: b40\nblocks:\n"
		for i in $(seq 0 2 38); do
			printf "  - {id: b%d, succ: [b%d, b%d]}\n  - {id: b%d, succ: [b%d]}\n" $i $((i + 1)) $((i + 2)) $((i + 1)) $((i + 2))
		done
		printf "  - {id: b40, succ: []}\n"
	} >wide.yaml
	printf "paths:\n  - [b0, ..., b40]\n" >gap.yaml
	status 2 stkpath plan -g wide.yaml -p gap.yaml -m trie 2>err
	grep -q "gap.yaml:2:5: more than 10000 ways" err
'
check 'auto by a sample: the method that does least over it' '
	walks "S B C E X" "S B C E X" "S B D E B C E X" "S B D E X" >sample
	stkpath plan --sample sample --cfg six.yaml --paths six.paths.yaml 2>err >got
	method=$(grep "^plan" got | cut -f 2)
	grep -q "^stkpath: $method: has the fewest operations in the sample$" err
	least=$(sed -n "s/.*: \([0-9]*\) operations for .*/\1/p" err | sort -n | head -1)
	grep -q "^stkpath: $method: $least operations" err
	for other in psp0 psp1 psp2 psp3 trie; do
		stkpath plan -q -m $other --cfg six.yaml --paths six.paths.yaml | stkpath run -q --effort --plan - sample | grep "^probes" | cut -f 2 >probes
		grep -q "^stkpath: $other: $(cat probes) operations for" err
	done
	status 2 stkpath plan --sample sample -m psp0 --cfg six.yaml --paths six.paths.yaml 2>err
'
finish
