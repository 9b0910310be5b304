#!/bin/sh
# SPDX-License-Identifier: MIT
# stkpath cfg: graphs of functions from LLVM's assembly language, with blocks by names that people know.
. "${0%/*}/lib/tap.sh"

have stkpath || skip_all 'stkpath was not built: no gmp'
ll=$t/data/functions.ll

# edges FUNCTION: its graph, an edge a line
edges() { stkpath cfg "$ll" --function "$1" | sed -n "s/^  - {id: '\(.*\)', succ: \[\([^]]*\)\].*}$/\1: \2/p" | tr -d "'"; }

check 'all functions, with their size and where they stand' '
	stkpath cfg "$ll" | cut -f 1,3-6 >got
	sed "s/ | /	/g" <<-END | same - got
	function | line | blocks | edges | loops
	branches | 3 | 5 | 5 | 0
	switches | 0 | 5 | 6 | 0
	throws | 0 | 4 | 4 | 0
	jumps | 0 | 4 | 4 | 0
	asm_goto | 0 | 4 | 4 | 0
	endless | 0 | 4 | 4 | 1
	returns | 0 | 2 | 1 | 0
	END
	stkpath cfg -f text "$ll" | grep "5 blocks.*branches"
	stkpath cfg "$ll" | awk -F "	" "\$1 == \"branches\" || \$1 == \"endless\" { print \$1, \$9, \$10, \$11 }" >got
	printf "branches 0 2 10\nendless 2 0 \n" | same - got
	stkpath cfg "$ll" | grep "^asm_goto" | grep -q "jumps from inline assembly"
'
check 'a branch whose ways are one is one edge; blocks have the line of their first place in the source' '
	edges branches >got
	same - got <<-END
	entry@5: if.then@6, if.else
	if.then@6: if.end@12
	if.else: if.end@12
	if.end@12: (exit)
	(exit): 
	END
	stkpath cfg "$ll" --function branches | grep -q "^file: "
'
check 'a switch over lines, the default first; names in quotes; blocks without names' '
	edges switches >got
	same - got <<-END
	entry: %2, %3, quoted_name
	%2: (exit)
	%3: (exit)
	quoted_name: (exit)
	(exit): 
	END
'
check 'invoke and landing pads; asm goto' '
	edges throws >got
	same - got <<-END
	start: normal, lpad
	normal: (exit)
	lpad: (exit)
	(exit): 
	END
	edges asm_goto | head -1 | grep -qx "entry: through, away"
'
check 'a loop without an end has a way out; what nobody comes to is left out' '
	edges endless >got
	same - got <<-END
	entry: loop
	loop: again
	again: loop, (exit)
	(exit): 
	END
'
check 'a graph that is printed is a graph for plans; blocks may be called by their label or line' '
	stkpath cfg "$ll" --function branches >branches.yaml
	printf "paths:\n  - [entry, if.then, \"@12\", (exit)]\n  - [\"entry@5\", if.else, if.end, (exit)]\n" >paths.yaml
	for method in epp pap pap-epp psp0 psp1 psp2 psp3; do
		stkpath plan -q -m $method --cfg branches.yaml --paths paths.yaml -o plan
		printf "%s\n" "> 1" entry@5 if.else if.end@12 "(exit)" "<" "> 1" entry@5 if.else if.end@12 "(exit)" "<" | stkpath run -q --plan plan | cut -f 2 | tr "\n" " " | grep -qx "count 0 2 "
	done
'
check 'a jump to addresses has an edge to each label, once; one by which a value depends on the way stays, and is refused' '
	cat >jump.ll <<-END
	@table = internal constant [2 x ptr] [ptr blockaddress(@jump, %a), ptr blockaddress(@jump, %b)]
	define i32 @jump(ptr %p) {
	entry:
	  indirectbr ptr %p, [label %a, label %b, label %a]
	a:
	  %x = phi i32 [ 1, %entry ], [ 1, %entry ]
	  ret i32 %x
	b:
	  ret i32 2
	}
	END
	status 2 stkpath cfg jump.ll --function jump 2>err; grep -q "jump: it jumps to addresses" err
	sed "s/phi i32.*/add i32 0, 1/" jump.ll >once.ll
	stkpath cfg once.ll --function jump | grep "id: .entry.*succ: \[.a., .b.\]"
	stkpath instrument -q once.ll -o probed.ll
	grep -q "\[ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr)\]" probed.ll
'
check 'what cannot be followed, or is no such text, is refused with its line' '
	status 2 stkpath cfg "$ll" --function nobody 2>err; grep -q "no function .nobody" err
	sed "s/label %if.else/label %if.other/" "$ll" >bad.ll
	status 2 stkpath cfg bad.ll 2>err; grep -q "bad.ll:11: there is no block .if.other" err
	head -20 "$ll" >cut.ll
	status 2 stkpath cfg cut.ll 2>err; grep -q "cut.ll:" err
	echo "int main(void) { return 0; }" >main.c
	status 2 stkpath cfg main.c 2>err; grep -q "it has no function in LLVM" err
	for n in $(seq 1 $(wc -l <"$ll")); do
		head -n $n "$ll" >cut.ll
		stkpath cfg cut.ll >got 2>err || test $? = 2
	done
'
if have clang; then
	check 'what clang writes, with and without names, early and late' '
		cat >find.c <<-END
		int find(const char *s, int c, int *n)
		{
			for (int i = 0; s[i]; i++)
				if (s[i] == c || s[i] == -c) {
					*n = i;
					return 1;
				}
			switch (c) {
			case 1: return 7;
			case 2: case 3: return *n;
			}
			return 0;
		}
		END
		for flags in "-O0" "-O0 -fno-discard-value-names" "-O2 -g" "-O2 -g -fno-discard-value-names -Xclang -disable-llvm-passes"; do
			clang $flags -S -emit-llvm find.c -o find.ll
			stkpath cfg find.ll --function find >find.yaml
			stkpath plan -q -m epp --cfg find.yaml -f text | grep -q "paths in all"
			test $(grep -c "id:" find.yaml) -ge 7
		done
		grep -q "for.body@4" find.yaml && grep -q "sw.bb@9" find.yaml && grep -q "^file: .*/find.c" find.yaml
	'
else
	skip 'no clang' 'what clang writes, with and without names, early and late'
fi
check 'graphs from .gcno, as gcc 8, 9, 12 and 15 write it, in either byte order' '
	for version in 8 9 12 15 9b 15b; do
		python3 "$t/reader/make_gcno.py" $version >find.gcno
		stkpath cfg find.gcno >got
		printf "function\tfile\tline\tblocks\tedges\tloops\tnote\tpaths\tlooped\tregions\tlines\tregion\nfind\tfind.c\t3\t6\t6\t1\t\t4\t3\t0\t\t0\n" | same - got
		stkpath cfg find.gcno --function find >got
		same - got <<-END
		function: '\''find'\''
		file: '\''find.c'\''
		entry: '\''b0'\''
		exit: '\''(exit)'\''
		blocks:
		  - {id: '\''b0'\'', succ: ['\''b2@4'\'']}
		  - {id: '\''(exit)'\'', succ: []}
		  - {id: '\''b2@4'\'', succ: ['\''b3@5'\'', '\''b5@8'\'']}
		  - {id: '\''b3@5'\'', succ: ['\''b4@6'\'']}
		  - {id: '\''b4@6'\'', succ: ['\''b2@4'\'']}
		  - {id: '\''b5@8'\'', succ: ['\''(exit)'\'']}
		END
	done
	status 2 stkpath cfg find.gcno --function lose 2>err
	grep -q "no function .lose." err
'
check 'what gcc 9 to 15 wrote of two functions gives the same graphs: six ways through the one, two loops in the other' '
	test $(ls "$t"/data/gcno/gcc-*.gcno | wc -l) = 7
	for gcno in "$t"/data/gcno/gcc-*.gcno; do
		stkpath cfg "$gcno" | sed 1d | cut -f 1-6 >got
		printf "rounds\tways.c\t23\t15\t19\t2\nmiddle\tways.c\t4\t13\t17\t0\n" | same - got
		for f in middle rounds; do
			stkpath cfg "$gcno" --function $f >$f.yaml
			stkpath cfg "$t/data/gcno/gcc-12.gcno" --function $f | same - $f.yaml
		done
		stkpath plan -g middle.yaml -m epp -f text | grep -q "^6 paths in all"
		grep -q "b2@4.*succ: .*b3@9.*b7@14" middle.yaml
	done
'
check 'a .gcno that is cut, or has bytes that are others, gives a graph or a message' '
	python3 "$t/reader/make_gcno.py" 12 >find.gcno
	size=$(wc -c <find.gcno)
	for n in $(seq 0 3 $((size - 1))); do
		head -c $n find.gcno >cut.gcno
		stkpath cfg cut.gcno >got 2>err && continue
		test $? = 2 && test $(wc -l <err) = 1
	done
	head -c 60 find.gcno >cut.gcno
	status 2 stkpath cfg cut.gcno 2>err
	grep -q "cut.gcno: byte [0-9]*: " err
	printf "oncg*99Zxxxx" >odd.gcno
	status 2 stkpath cfg odd.gcno 2>err
	grep -q "an unknown version" err
'
if have gcc; then
	check 'graphs from the .gcno of the gcc that is here: that of GetMid has a block more than the published one, behind its return' '
		cat >mid.c <<-END
		double GetMid(double x1, double x2, double x3)
		{
			double mid = x3;
			if (x2 < x3) {
				if (x1 < x2) mid = x2; else if (x1 < x3) mid = x1;
			} else {
				if (x1 > x2) mid = x2; else if (x1 > x3) mid = x1;
			}
			return mid;
		}
		END
		gcc -O0 --coverage -c mid.c
		stkpath cfg mid.gcno --function GetMid >mid.yaml
		stkpath cfg mid.gcno | sed 1d | cut -f 1-5 >got
		printf "GetMid\tmid.c\t1\t13\t17\n" | same - got
		stkpath plan -g mid.yaml -m epp -f text | grep -q "^6 paths in all"
	'
else
	skip 'no gcc' 'graphs from the .gcno of the gcc that is here'
fi
# regions_of FUNCTION FILE: those that its definition gives, for each pair of blocks by walking all ways between them
cat >"$scratch/regions.awk" <<-'END'
	# a walk from block at, which must come to goal and to no block twice, adds 1 to ways
	function walk(at, goal,   i) {
		if (at == goal) { ways++; within[at]; return 1 }
		if (n[at] == 0 || (at in on)) return 0
		on[at]; within[at]
		for (i = 1; i <= n[at]; i++) if (!walk(next_of[at, i], goal)) return 0
		delete on[at]
		return 1
	}
	{ from = $1; sub(/:$/, "", from); name[NR] = from; n[from] = NF - 1; for (i = 2; i <= NF; i++) { sub(/,$/, "", $i); next_of[from, i - 1] = $i } }
	END {
		for (a = 1; a <= NR; a++) for (b = 1; b <= NR; b++) {
			if (a == b) continue
			split("", on); split("", within); ways = 0
			if (!walk(name[a], name[b]) || ways < 2) continue
			alone = 1; blocks = 0
			for (x in within) blocks++
			for (u = 1; u <= NR; u++) for (i = 1; i <= n[name[u]]; i++) {
				v = next_of[name[u], i]
				if (v in within && v != name[a] && (!(name[u] in within) || name[u] == name[b])) alone = 0
			}
			if (alone && name[a] != name[b]) print f "\t" name[a] "\t" name[b] "\t" blocks "\t" ways
		}
	}
END
regions_of() { edges "$1" | awk -v f="$1" -f "$scratch/regions.awk"; }
check 'regions are what walks between all pairs of blocks find, and the list counts them' '
	for f in branches switches throws jumps asm_goto endless returns; do regions_of $f; done | sort >want
	stkpath cfg --regions "$ll" >got
	test "$(head -1 got | tr "\t" " ")" = "function entry exit blocks paths used"
	sed 1d got | cut -f 1-5 | sort | same - want
	test $(grep -c "" want) = 6
	stkpath cfg --regions "$ll" --function branches | sed 1d >one
	grep "^branches" got | same - one
	printf "entry@5 if.end@12 no\nentry@5 (exit) yes\n" >want
	cut -f 2,3,6 one | tr "\t" " " | same - want
	stkpath cfg --regions -f text "$ll" --function branches | grep -qx " *5 *2  yes   branches: entry@5 > (exit)"
	test $(stkpath cfg --regions "$ll" --function endless | wc -l) = 1
	test $(stkpath cfg --regions "$t/data/gcno/gcc-12.gcno" | grep -c "^middle") = 6
	stkpath cfg --regions "$t/data/gcno/gcc-12.gcno" | grep "^middle" >want
	stkpath cfg --regions "$t/data/gcno/gcc-12.gcno" --function middle | sed 1d | same - want
'
check 'functions without a graph have no regions, which is said; only cfg lists them' '
	cat >jump.ll <<-END
	@table = internal constant [2 x ptr] [ptr blockaddress(@jump, %a), ptr blockaddress(@jump, %b)]
	define i32 @jump(ptr %p) {
	entry:
	  indirectbr ptr %p, [label %a, label %b, label %a]
	a:
	  %x = phi i32 [ 1, %entry ], [ 1, %entry ]
	  ret i32 %x
	b:
	  ret i32 2
	}
	END
	stkpath cfg --regions jump.ll >got 2>err
	test $(wc -l <got) = 1
	grep -q "left out: 1 without a graph" err
	status 2 stkpath cfg --regions jump.ll --function jump 2>err; grep -q "jump: it jumps to addresses" err
	status 2 stkpath plan --regions 2>err
	grep -q "regions works only with cfg" err
'
if have clang; then
check 'the list of functions has as many paths as there are lists of them, without loops' '
	clang -w -g -O0 -fno-discard-value-names -S -emit-llvm "$t/data/shapes.c" -o shapes.ll
	for f in sw logic fib jumper big; do
		stkpath cfg shapes.ll --function $f | stkpath paths -q -g - --through "(exit)" | grep -c "^ *- " | sed "s/^/$f	/"
	done >want
	stkpath cfg shapes.ll | awk -F "	" "\$6 == 0 { print \$1 \"\t\" \$8 }" | grep -E "^(sw|logic|fib|jumper|big)	" | sort >got
	sort want | same - got
	test $(wc -l <got) = 5
'
check 'regions of functions with loops, switches and many joins too; a plan of psp1 uses those that are marked' '
	ll=shapes.ll
	clang -w -g -O0 -fno-discard-value-names -S -emit-llvm "$t/data/shapes.c" -o shapes.ll
	for f in $(stkpath cfg shapes.ll | sed 1d | cut -f 1); do regions_of $f; done | sort >want
	stkpath cfg --regions shapes.ll | sed 1d >got
	cut -f 1-5 got | sort | same - want
	test $(grep -c "" want) -gt 30
	for f in logic vla mix sum; do
		stkpath cfg shapes.ll --function $f >$f.yaml
		stkpath paths -q -g $f.yaml --random 1 >$f.paths
		stkpath plan -q -g $f.yaml -p $f.paths -m psp1 | awk -F "	" -v f=$f "\$3 == \"ljoin\" { print f, \$2, \$4 }"
	done | sort >want
	awk -F "	" "\$6 == \"yes\" && \$1 ~ /^(logic|vla|mix|sum)\$/ { print \$1, \$3, \$5 }" got | sort | same - want
	test -s want
'
else
	skip 'no clang' 'the list of functions has as many paths as there are lists of them'
	skip 'no clang' 'regions of functions with loops, switches and many joins too'
fi
finish
