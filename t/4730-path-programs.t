#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs with probes: they do what they did without, and count the paths that their steps say were taken, by every method, in every mode.
. "${0%/*}/lib/tap.sh"
. "$t/lib/probed.sh"

# --- what is of interest: of each function every other path that was taken, and what a count of these must be ---

# interesting FUNCTION: FUNCTION.paths, FUNCTION.want
interesting() {
	awk -F '	' -v q="'" 'NR % 2 && NR < 30 { gsub(" ", q ", " q, $1); print "  - [" q $1 q "]" }' "$1.all" >"$1.list"
	{ echo 'paths:'; cat "$1.list"; } >"$1.paths"
	awk -F '	' -v f="$1" 'NR % 2 && NR < 30 { print f "\t" $1 "\t" $2 }' "$1.all" | sort >"$1.want"
}

# plans NAME METHOD OPTION...: plans of all functions that were called and that the method is for, in $plans; what they must count in want
plans() {
	name=$1 method=$2 plans=
	shift 2
	: >want
	for all in *.all; do
		f=${all%.all}
		test -s "$f.list" && grep -q "^$f	" "$name.functions" || continue
		stkpath plan -q -g "$f.yaml" -p "$f.paths" -m "$method" "$@" -o "$f.plan" 2>err || { grep -q "has a loop" err; continue; }
		plans="$plans $f.plan"
		cat "$f.want" >>want
	done
	sort -o want want
}

check 'pap of a loop around a switch of 920 cases: its pieces end before a digit that 64 bits would not hold' '
	{
		echo "int wide(unsigned x) { int s = 0; for (int i = 0; i < 11; i++) { x = x * 1103515245u + 12345; switch ((x >> 8) % 920) {"
		seq 0 919 | sed "s,.*,case &: s += x >> & % 13; break;,"
		echo "} } return s; }"
		echo "int main(void) { int s = 0; for (unsigned i = 0; i < 300; i++) s += wide(i * 7919); return s == 12; }"
	} >wide.c
	assembly wide wide.c
	level=-O0
	build wide.ll wide.plain
	./wide.plain
	for how in --steps "--method pap"; do
		stkpath instrument -q wide.ll --function wide $how -o wide.probed.ll
		build wide.probed.ll wide
		STKPATH_FILE=wide.${how##*[- ]}.stk ./wide
	done
	stkcat --only path_step -f tsv wide.steps.stk | awk -F "	" "\$4 == \"wide\" { path = (\$5 == 1 ? \"\" : path \" \") \$7 } \$4 == \"wide\" && \$6 == 1 { n[path]++ } END { for (p in n) print p \"\\t\" n[p] }" | sort >want
	test $(grep -c "" want) = 300
	stkcat --only path_count -f tsv wide.pap.stk | awk -F "	" "\$3 == \"wide\" && \$6 > 0 { print \$5 \"\\t\" \$6 }" | sort | same - want
'
for name in shapes-c shapes-cc; do
	source=$t/data/shapes.${name#shapes-}
	rm -f *.all *.yaml
	check "$name: the steps of a program, whose output and status stay" '
		assembly $name "$source"
		plain $name
		stkpath cfg $name.ll >$name.functions
		steps $name
	'
	for all in *.all; do interesting "${all%.all}"; done
	for method in espp psp0 psp1 psp2 psp3 pap pap-epp trie; do
		check "$name: $method, in either mode: each interesting path is counted as often as it was taken" '
			plans $name $method
			test $(echo $plans | wc -w) -gt 2
			for mode in clone sticky; do
				echo $mode
				case $mode-$method in		# each method optimized in one mode, each mode with some of the methods
				clone-*sp[p13] | clone-trie | sticky-*[02] | sticky-pap) level=-O1 ;;
				*) level=-O0 ;;
				esac
				probed $name $plans --mode $mode
				counted >got
				same want got
				mv counts.stk $method-$mode.stk
			done
			mv $name.probed.ll $method.ll
		'
	done
	test $name = shapes-c && level=-O1 || level=-O0
	check "$name: prepp with poison" '
		plans $name prepp --poison
		probed $name $plans
		counted >got
		same want got
	'
	check "$name: atomic counts" '
		plans $name psp2
		probed $name $plans --atomic
		counted >got
		same want got
	'
	check "$name: pap without paths of interest counts all there are, of any length" '
		probed $name --method pap
		counted >got
		for all in *.all; do grep -q "^${all%.all}	" $name.functions && sed "s/^/${all%.all}	/" $all || true; done | sort >want
		same want got
	'
	for how in epp "ac --prime"; do
		level=-O0
		check "$name: $how counts as stkpath run does" '
			probed $name --method $how
			counted >got
			for yaml in *.yaml; do
				f=${yaml%.yaml}
				grep -q "^$f	" $name.functions || continue
				stkpath plan -q -g $yaml -m $how -o all.plan
				stkpath run -q --plan all.plan $name.steps 2>err | awk -F "	" -v f=$f "NR > 1 && \$2 > 0 { print f \"\\t\" \$0 }" >>want.all || grep -q "has no steps" err
			done
			sort want.all >want
			rm want.all
			same want got
		'
	done
	unset level
	test $name = shapes-c || continue
	check 'psp0 checks r on fewer edges than lead to blocks that its plan checks, and against no larger sets' '
		plans $name psp0
		for plan in $plans; do
			awk -F "	" "\$1 == \"block\" && \$3 == \"succ\" { n = split(\$4, to, \" \"); for (i = 1; i <= n; i++) ways[to[i]]++ }
				\$3 == \"chk\" { at[\$2] = split(\$4, set, \" \") } END { for (b in at) { edges += ways[b]; values += ways[b] * at[b] } print edges, values }" $plan
		done | awk "{ e += \$1; v += \$2 } END { print e, v }" >planned
		awk "/switch i64 %stk/ { n++; inside = 1 } inside && /^    i64/ { values++ } / \\]\$/ { inside = 0 } END { print n, values }" psp0.ll >done
		read -r edges values <planned
		read -r done of <done
		test $done -gt 0
		test $((done * 3)) -lt $((edges * 2))
		test $((of * 3)) -lt $((values * 2))
	'
	check 'ac counts fewer blocks than there are: what follows from other counts is not counted' '
		stkpath instrument -q $name.ll --method ac --prime -o probed.ll
		blocks=$(stkpath cfg $name.ll | awk -F "	" "\$7 == \"\" { n += \$4 } END { print n }")
		test $(grep -c "getelementptr inbounds.*@stk.f[0-9]*[.]counts" probed.ll) -lt $((blocks * 3 / 4))
	'
	check 'tables are left alone where r only goes on by as much each time' '
		test $(grep -c "^stk\.r[0-9]*:" trie.ll) -gt $(grep -c "^stk\.e[0-9]*\.end:" trie.ll | awk "{ print int(\$1 / 10) }")
	'
	check 'the calls of a function: those that a longjmp left are unfinished, others are of no interest' '
		stkcat --only path_call -f tsv psp2-sticky.stk | awk "\$3 == \"calls_jumper\" || \$3 == \"sw\"" | cut -f 3,5- | sort >got
		interesting=$(awk -F "	" "{ n += \$3 } END { print n }" calls_jumper.want) sw=$(awk -F "	" "{ n += \$3 } END { print n }" sw.want)
		printf "calls_jumper\tpsp2\t200\t%d\t%d\t64\nsw\tpsp2\t3000\t%d\t%d\t0\n" $interesting $((136 - interesting)) $sw $((3000 - sw)) | same - got
	'
done
# as_written OPTION...: plans of one method, for what the compiler at hand writes: it is read and copied, and what it is optimized to is of no interest
as_written() {
	level=-O0
	for name in shapes-c shapes-cc; do
		assembly $name "$t/data/shapes.${name#shapes-}" "$@"
		grep -q "ptr " $name.ll
		rm -f *.all *.yaml
		plain $name
		stkpath cfg $name.ll >$name.functions
		steps $name
		for all in *.all; do interesting "${all%.all}"; done
		plans $name psp0
		probed $name $plans --mode clone
		counted >got
		same want got
	done
}
later=
for number in 15 16 17 18 19 20 21 22; do
	have "clang++-$number" || continue
	later=$number version=-$number
	check "what clang $number writes" as_written
	version=
done
if test -z "$later"; then
	skip 'no clang-15 or later beside clang' 'what later clangs write'
	check 'opaque pointers, as later compilers write them' '
		typed_as="-Xclang -opaque-pointers"
		clang --version | grep -q "version 14" || typed_as=
		as_written $typed_as
		typed_as=
	'
fi
check 'assembly that was optimized before: values go from block to block, and to the copy' '
	rm -f *.all *.yaml
	for name in late-c late-cc; do
		assembly $name "$t/data/shapes.${name#late-}"
		clang -O2 -w -g -S -emit-llvm $name.ll -o late.ll && mv late.ll $name.ll
		plain $name
		stkpath cfg $name.ll >$name.functions
		steps $name
		for all in *.all; do interesting "${all%.all}"; done
		for method in psp2 trie; do
			test $name-$method != late-cc-psp2 || continue
			plans $name $method
			probed $name $plans
			counted >got
			same want got
		done
		rm -f *.all *.yaml
	done
'
finish
