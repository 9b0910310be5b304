#!/bin/sh
# SPDX-License-Identifier: MIT
# What other filters make of counted paths: tables, stacks, groups, pictures, coverage; and where a path profile is worth it.
. "${0%/*}/lib/tap.sh"
. "$t/lib/probed.sh"

cat >halves.c <<'END'
int odd(int n)
{
	if (n & 1)
		return n;
	return -n;
}
int sum(int n)
{
	int s = 0;
	while (n > 0) {
		s += odd(n);
		n--;
	}
	return s;
}
int main(void)
{
	for (int i = 0; i < 4; i++)
		sum(10);
	return 0;
}
END
check 'a program whose counts are known' '
	assembly halves halves.c
	plain halves
	probed halves --method epp
	mv counts.stk epp.stk
	probed halves --method pap
	mv counts.stk pap.stk
'
check 'stkcat: calls by function, paths, and how often each line was come to' '
	stkcat -f text pap.stk >text
	grep -qE "^ +40 +40 +0 +0 +odd +[^ ]*/halves.c$" text
	grep -qE "^ +20 +44.4% +4 +odd +entry@1 if.then@4 return@6 \(exit\)$" text
	stkcat -f text --top 0 epp.stk | sed -n "/^Lines/,/^$/p" >lines
	grep -qE "^ +44 +[^ ]*/halves.c:10 +sum$" lines
	grep -qE "^ +40 +[^ ]*/halves.c:11 +sum$" lines
	grep -qE "^ +20 +[^ ]*/halves.c:4 +odd$" lines
	grep -qE "^ +4 +[^ ]*/halves.c:14 +sum$" lines
'
check 'the tables of paths fit 60 and 80 columns, with the counts whole' '
	for columns in 60 80; do
		stkcat --width $columns pap.stk >got
		awk "length > $columns { print; bad = 1 } END { exit bad }" got
		grep -qE "^ +20 +44.4% .* odd .*entry@1" got
	done
'
check 'stkpath samples: a stack of each path, which flame graphs and groups take' '
	stkpath samples pap.stk >samples.stk
	stkcat --check samples.stk
	stkcat -f folded samples.stk >folded
	grep -qE ";odd;entry;if.then;.* 20$" folded
	awk "{ n += \$NF } END { exit n != 45 }" folded
	printf "scheme: halves\ngroups:\n  - {name: oddness, members: [odd]}\n  - {name: sums, members: [sum]}\n" >halves.yaml
	stkgroup -s halves.yaml -f tsv samples.stk >groups
	cut -f 2,4 groups >got
	printf "group\tweight\noddness\t40\nsums\t4\n(none)\t1\n" | same - got
'
check 'stkplot graph: blocks and ways with their counts; edges at which paths were cut too' '
	stkplot graph --function sum epp.stk >dot
	grep -qF "\"while.cond@10\" [label=\"while.cond\nline 10\n44\"" dot
	grep -qF "\"while.body@11\" -> \"while.cond@10\" [label=\" 40\"" dot
	grep -qF "\"while.cond@10\" -> \"while.end@14\" [label=\" 4\"" dot
	stkplot graph pap.stk | head -1 | grep -qx "digraph \"odd\" {"
	stkplot graph --function main pap.stk | grep -q "main (.*halves.c): 1 times on 1 paths"
	status 2 stkplot graph --function nobody pap.stk 2>err
	grep -qx "stkplot: no graph and no path of nobody in the input" err
	printf "" | status 2 stkplot graph 2>err
	grep -q "expected the output of an instrumented program" err
'
check 'stkplot graph: a block with two ways back has both counts, from pieces, from whole paths, and from both; calls without a path are in the title' '
	cat >back.ll <<-END
	declare i32 @next()
	define i32 @back() {
	entry:
	  br label %outer
	outer:
	  br label %inner
	inner:
	  %x = call i32 @next()
	  switch i32 %x, label %end [
	    i32 0, label %inner
	    i32 1, label %outer
	  ]
	end:
	  ret i32 0
	}
	END
	cat >calls.c <<-END
	#include <stdlib.h>
	int back(void);
	int next(void) { static int n; return n > 4 ? (exit(0), 0) : "\0\0\1\0\2"[n++]; }
	int main(void) { return back() + back(); }
	END
	for method in epp pap; do
		stkpath instrument -q back.ll --method $method -o probed.ll
		clang -w -O0 probed.ll calls.c "$runtime" -lpthread -o back
		rm -f back-$method.stk
		STKPATH_FILE=back-$method.stk ./back
		stkplot graph back-$method.stk >dot
		grep -qF "\"inner\" -> \"inner\" [label=\" 3\"" dot
		grep -qF "\"inner\" -> \"outer\" [label=\" 1\"" dot
		grep -qF "not in the picture: the paths of 1 other calls" dot
	done
	stkplot graph back-epp.stk back-pap.stk >dot
	grep -qF "\"inner\" -> \"inner\" [label=\" 6\"" dot
	grep -qF "\"inner\" -> \"outer\" [label=\" 2\"" dot
	stkpath coverage -q back-epp.stk | cut -f 9-11 | tail -1 | tr "\t" " " | grep -qx "6 6 0"
	stkcat --only path_count,path_call -f stream back-epp.stk | status 3 stkplot graph 2>err
	grep -q "back: the stream does not have its whole graph" err
'
check 'overlapping paths (ac): no lines, no picture, no samples of them, because one visit is on many paths; other functions have theirs' '
	probed halves --function sum,main --method ac --prime
	mv counts.stk prime.stk
	test $(stkcat --only path_count -f tsv prime.stk | grep -c "while.cond@10") -gt 1
	stkcat -f text --width 300 --top 0 prime.stk >text
	status 1 grep -q "/halves.c:1[0-9]" text
	grep -q "lines of 2 functions are left out: their paths overlap (method ac)" text
	stkcat -f text --width 300 --top 0 prime.stk pap.stk | sed -n "/^Lines/,/^$/p" >lines
	grep -qE "^ +20 +[^ ]*/halves.c:4 +odd$" lines
	status 1 grep -q "sum$" lines
	status 2 stkplot graph --function sum prime.stk 2>err >out
	grep -q "sum: its paths overlap (method ac).*count with epp or pap" err
	test ! -s out
	stkplot graph --function odd pap.stk prime.stk >dot
	status 1 stkpath samples prime.stk 2>err >none.stk
	grep -qE "[0-9]+ paths of 2 functions are left out: they overlap" err
	test -z "$(stkcat -f folded none.stk)"
	status 1 stkpath samples pap.stk prime.stk 2>err >some.stk
	stkcat -f folded some.stk | awk "{ n += \$NF } /;sum;/ { bad = 1 } END { exit bad || n != 40 }"
'
if have dot; then
	check 'stkplot graph -f svg: what graphviz makes of it' '
		stkplot graph --function sum -f svg epp.stk -o sum.svg
		head -5 sum.svg | grep -q "<?xml"
		grep -q "while.body" sum.svg
		python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" sum.svg
	'
else
	skip 'no graphviz' 'stkplot graph -f svg'
fi
check 'stkplot graph -f svg without graphviz says so' '
	mkdir -p bin && ln -sf "$(command -v stkplot)" bin/stkplot
	PATH=$scratch/bin status 2 stkplot graph -f svg epp.stk 2>err >out
	grep -q "needs graphviz" err
	test ! -s out
'
check 'stkpath coverage: prime paths that a program never took, from what it counted itself' '
	stkpath cfg halves.ll --function odd >odd.yaml
	stkpath plan -q -g odd.yaml -m ac --prime -o odd.plan
	stkpath instrument -q halves.ll odd.plan -o covered.ll
	build covered.ll covered
	STKPATH_FILE=covered.stk ./covered
	stkpath coverage --plan odd.plan covered.stk >got 2>err
	printf "path\tcount\n" | same - got
	grep -qx "stkpath: 2 of 2 paths were taken: 100.0 %" err
	stkpath run -q --plan odd.plan covered.stk covered.stk | sed 1d | cut -f 2 >got
	printf "40\n40\n" | same - got
	stkpath cfg halves.ll --function sum | stkpath plan -q -g - -m ac --prime -o sum.plan
	status 1 stkpath coverage --plan sum.plan covered.stk >got 2>err
	grep -q "covered.stk: has no steps and no counts of sum" err
	stkpath coverage --plan sum.plan epp.stk >got 2>err
	grep -q "counted paths are not in the plan" err
'
check 'stkpath suggest: functions on top of the hottest stacks, by samples or classes; only those of a module that have branches' '
	printf "a;main;sum;odd 7\na;main;sum 2\na;main;other 5\n" >folded
	stkcap -q folded >some.stk
	stkpath suggest some.stk >got
	printf "function\tfile\tcount\tshare\nodd\t\t7\t0.5000\nother\t\t5\t0.3571\nsum\t\t2\t0.1429\n" | same - got
	stkclass -q some.stk | stkpath suggest | cut -f 1 | head -2 | tail -1 | grep -qx odd
	stkpath suggest --cfg halves.ll some.stk | cut -f 1,5 >got
	printf "function\tblocks\nodd\t5\nsum\t5\n" | same - got
	stkpath suggest -f text some.stk | grep -qE "^ +7 +50.0% +odd"
'
check 'coverage of all functions of a program, from what it wrote: as many prime paths as plans have, as many taken as were counted' '
	assembly all "$t/data/shapes.c"
	plain all
	probed all --method ac --prime
	stkpath coverage counts.stk >table 2>said
	stkpath coverage -f text counts.stk | grep -q " of  *share  function "
	test $(wc -l <table) -gt 8
	for f in sw calls_jumper; do
		stkpath cfg all.ll --function $f >$f.yaml
		stkpath plan -q -g $f.yaml -m ac --prime -o $f.plan
		prime=$(grep -c "^path" $f.plan) taken=$(stkcat --only path_count -f tsv counts.stk | awk -F "	" -v f=$f "\$3 == f && \$6 > 0" | wc -l)
		test $taken -gt 0
		grep "^$f	" table | cut -f 3- >got
		printf "%d\t%d\n" $prime $taken | same - got
		stkpath coverage --function $f counts.stk 2>/dev/null | cut -f 1,2 | sed 1d | sort >untaken
		test $(wc -l <untaken) = $((prime - taken))
		stkpath coverage --plan $f.plan counts.stk 2>/dev/null | sed 1d | sort | same - untaken
	done
	awk -F "	" "NR > 1 { p += \$3; t += \$4 } END { print t \" of \" p \" prime paths\" }" table >sum
	grep -q "$(cat sum) of $(($(wc -l <table) - 1)) functions were taken" said
	stkpath coverage counts.stk counts.stk 2>/dev/null | same - table
'
check 'coverage of a function that nobody called, once, however often counts are written' '
	cat >idle.c <<-END
	#include <signal.h>
	#include <sys/wait.h>
	#include <unistd.h>
	int never(int n) { if (n > 3) return 1; return 2; }
	int always(int n) { if (n > 3) return 1; return 2; }
	int main(int argc, char **argv)
	{
		if (argc > 1) { if (fork() == 0) kill(getpid(), SIGKILL); wait(0); }
		always(1);
		raise(SIGUSR2);
		return always(2) - 2;
	}
	END
	assembly idle idle.c
	stkpath instrument -q idle.ll --method ac --prime -o idle.probed.ll
	build idle.probed.ll idle
	STKPATH_SIGNAL=USR2 STKPATH_FILE=idle-%p.stk ./idle fork
	set -- idle-*.stk
	test $# = 1
	stkcat --only path_call -f tsv "$1" | cut -f 3,6 | sort | uniq -c | grep -qx " *1 never	0"
	stkpath coverage "$1" 2>said | cut -f 1,3,4 >got
	printf "function\tprime\ttaken\nmain\t3\t1\nnever\t2\t0\nalways\t2\t1\n" | sort | same - "$(sort got >sorted; echo sorted)"
	grep -q "2 of 7 prime paths of 3 functions were taken: 28.6 %" said
	stkpath coverage --function never "$1" >got 2>said
	wc -l <got | grep -qx 3
	grep -q "0 of 2 prime paths of never were taken: 0.0 %" said
	stkpath coverage -f text --function never "$1" >got
	grep -c "^    entry@" got | grep -qx 2
	grep -q "^one turn, from entry@[0-9]* (line [0-9]*: .*never.*) to .*:\$" got
	cp "$1" idle.stk
	stkcat -f text "$1" | grep -qE "^ +0 +0 +0 +0 +never "
'
check 'coverage --fail-under: status 4 when less was taken, of all functions, of one, and of a plan' '
	status 0 stkpath coverage --fail-under 28.57 idle.stk >out
	status 4 stkpath coverage --fail-under 28.58% idle.stk >out 2>err
	grep -q "2 of 7 paths is less than 28.58 %" err
	status 0 stkpath coverage --fail-under 50 --function always idle.stk >out
	status 4 stkpath coverage --fail-under 51 --function always idle.stk >out
	stkpath cfg idle.ll --function always | stkpath plan -q -g - -m ac --prime -o always.plan
	status 0 stkpath coverage --fail-under 50 --plan always.plan idle.stk >out
	status 4 stkpath coverage --fail-under 51 --plan always.plan idle.stk >out
	status 0 stkpath coverage --fail-under 0 idle.stk >out
	stkcat --only source -f stream idle.stk >none.stk
	status 4 stkpath coverage --fail-under 1 none.stk >out 2>err
	grep -q "no prime paths were counted" err
	status 2 stkpath run --fail-under 1 --plan always.plan idle.stk 2>err >out
	grep -q "fail-under works only with coverage" err
'
check 'functions of the same name in two files: refused by the name alone, chosen by FILE:NAME' '
	mkdir x y
	printf "static int half(int n) { if (n > 2) return 1; return n; }\nint xs(void) { return half(1) + half(3); }\n" >x/util.c
	printf "static int half(int n) { if (n > 2) return 1; if (n) return 3; return n; }\nint ys(void) { return half(0); }\n" >y/util.c
	printf "int xs(void); int ys(void); int main(void) { return xs() + ys() - 2; }\n" >top.c
	for method in prime epp; do
		STKPATH_METHOD=$method "$t/../scripts/stkpath-cc" top.c x/util.c y/util.c -o two
		STKPATH_FILE=two-$method.stk ./two
	done
	for wanted in half util.c:half; do
		status 2 stkpath coverage --function $wanted two-prime.stk 2>err
		grep -q "several files have one: choose with --function FILE:half, from .*x/util.c and .*y/util.c\|from .*y/util.c and .*x/util.c" err
		status 2 stkplot graph --function $wanted two-epp.stk 2>err >out
		grep -q "several files have one" err
	done
	stkpath coverage --function x/util.c:half two-prime.stk 2>said >got
	printf "path\tcount\tturns\tturn\n" | same - got
	grep -q "2 of 2 prime paths" said
	stkpath coverage --function y/util.c:half two-prime.stk 2>said | wc -l | grep -qx 3
	grep -q "1 of 3 prime paths" said
	stkplot graph --function x/util.c:half two-epp.stk | grep -q "half (.*x/util.c): 2 times on 2 paths"
	stkplot graph --function y/util.c:half two-epp.stk | grep -q "half (.*y/util.c): 1 times on 1 paths"
	printf "int half(int n) { if (n > 2) return 1; return n; }\nint zs(void) { return half(1); }\n" >util.c
	printf "int xs(void); int zs(void); int main(void) { return xs() + zs() - 3; }\n" >beside.c
	STKPATH_METHOD=prime "$t/../scripts/stkpath-cc" beside.c util.c x/util.c -o beside
	STKPATH_FILE=beside.stk ./beside
	status 2 stkpath coverage --function util.c:half beside.stk 2>err
	stkpath coverage --function "$(pwd -P)/util.c:half" beside.stk 2>said >/dev/null
	grep -q "1 of 2 prime paths" said
	stkpath coverage --function x/util.c:half beside.stk 2>said >/dev/null
	grep -q "2 of 2 prime paths" said
	stkpath coverage -q two-prime.stk | sed 1d | awk -F "	" "{ sub(\"/[^/]*\$\", \"\", \$2); n[\$2]++; p[\$2] += \$3; t[\$2] += \$4 } END { for (f in n) print f \"\t\" n[f] \"\t\" p[f] \"\t\" t[f] }" | sort >by_awk
	stkpath coverage -q --by folder two-prime.stk | sed 1d | sort | same by_awk -
	test $(wc -l <by_awk) = 3
	# owners: whatever folder CODEOWNERS is in, the sums are those of the folders; the file above has none
	mkdir -p .github
	printf "*.c @all\n/x/ @x\n/y/ # nobody\n" >.github/CODEOWNERS
	stkpath coverage --by owner --owners .github/CODEOWNERS two-prime.stk 2>said | sed 1d | sort >owned
	sed -e "s,^[^	]*/x	,@x	," -e "s,^[^	]*/y	,(none)	," -e "s,^/[^	]*,@all," by_awk | sort | same - owned
	status 1 grep outside said
	# the same of all paths: main and nothing else is above x and y
	stkpath coverage -q --by owner --owners .github/CODEOWNERS two-epp.stk | sed 1d | cut -f 1-3 | sort | tr "\t\n" " ;" |
		grep -qx "(none) 2 2;@all 1 1;@x 2 2;"
	stkpath coverage --by owner --owners .github/CODEOWNERS --root x two-prime.stk 2>err >got || code=$?
	test $code = 1
	grep -q "no function is of a file in x: with --root" err
	grep -c "^(none)" got | grep -qx 1
	stkpath coverage --by owner --owners .github/CODEOWNERS --root "$(pwd -P)/x/" two-prime.stk 2>said | cut -f 1 | sort | tr "\n" " " | grep -qx "(none) @all owner "
	grep -qE "[1-9][0-9]* of [0-9]+ functions are of files outside of $(pwd -P)/x/?, and have no owner" said
	status 3 stkpath coverage --by owner --owners nosuch two-prime.stk 2>err
	for wrong in "--by owner" "--owners .github/CODEOWNERS" "--by folder --root x" "--by team"; do
		status 2 stkpath coverage $wrong two-prime.stk 2>err
	done
	status 2 stkpath coverage --function half beside.stk 2>err
	status 2 stkpath coverage --function til.c:half two-prime.stk 2>err
	status 2 stkpath coverage --function :half two-prime.stk 2>err
	grep -q "no prime paths of :half were counted" err
'
if stkcat --help | grep -q demangle; then
check 'functions of C++ have the names of the source in tables for people, those of the linker in others, and are chosen by either' '
	printf "namespace ns { int twice(int n) { return n > 2 ? n : 2; } int twice(int n, int m) { return n > m ? n : m; } int once(int n) { return n; } }\nint main() { return ns::twice(1) + ns::twice(1, 2) + ns::once(0) - 4; }\n" >names.cc
	assembly names names.cc
	stkpath instrument -q names.ll --method ac --prime -o names.probed.ll
	level=-O0 build names.probed.ll names
	STKPATH_FILE=names.stk ./names
	stkpath coverage -q names.stk | cut -f 1,3,4 | grep -x "_ZN2ns5twiceEii	2	1"
	stkpath coverage -q -f text names.stk >table
	grep -qE "^ +1 +2 +50.0%  ns::twice\(int, int\) +/" table
	grep -qE "^ +1 +1 +100.0%  ns::once\(int\) +/" table
	status 1 grep _Z table
	stkcat -f text names.stk >table
	test "$(grep -c "ns::twice(int, int)" table)" -ge 2
	status 1 grep _Z table
	stkpath coverage -q --function _ZN2ns5twiceEii names.stk >wanted
	for name in "ns::twice(int, int)" "names.cc:ns::twice(int, int)" "$(pwd -P)/names.cc:_ZN2ns5twiceEii"; do
		stkpath coverage -q --function "$name" names.stk | same wanted -
	done
	stkpath coverage -q --function names.cc:ns::once names.stk | wc -l | grep -qx 1
	status 2 stkpath coverage --function ns::twice names.stk 2>err
	grep -q "several functions are called so, such as _ZN2ns5twiceEii* and _ZN2ns5twiceEii*\$" err
	status 2 stkpath coverage --function other.cc:ns::once names.stk 2>err
'
else
skip 'without libiberty' 'functions of C++ have the names of the source in tables for people'
fi
check 'coverage does not trust methods that take other paths for those of interest: every form leaves these functions out, and says why' '
	stkpath cfg halves.ll --function odd >odd.yaml
	{ echo "paths:"; echo "  - [entry@1, if.then@4, return@6, (exit)]" | sed "s/[a-z(][^],]*/\"&\"/g"; } >odd.paths
	for method in prepp spp psp0; do
		stkpath plan -q -g odd.yaml -p odd.paths -m $method -o odd.plan
		probed halves odd.plan
		mv counts.stk $method.stk
	done
	for method in prepp spp; do
		for format in text tsv json lcov cobertura; do
			status 1 stkpath coverage -f $format $method.stk >out 2>err
			grep -qxF "stkpath: odd: counted by an inexact method, spp or prepp: other paths may be counted as those of interest" err
			! grep -q odd out || { cat out; false; }
		done
	done
	status 1 stkpath coverage psp0.stk 2>err
	! grep -q inexact err || false
'
check 'inexact counts have a mark in every output, those of prepp --poison and of exact methods have none' '
	stkpath plan -q -g odd.yaml -p odd.paths -m prepp --poison -o poison.plan
	probed halves poison.plan
	mv counts.stk poison.stk
	for method in spp prepp poison psp0; do
		{
			stkcat -f text --width 300 --top 0 $method.stk
			stkplot graph --function odd $method.stk
			stkplot graph --function odd -f term $method.stk
			stkpath paths -g odd.yaml --hot 2 $method.stk
			stkpath run --plan odd.plan -f text $method.stk
			stkpath samples $method.stk | stkcat -f folded
		} >$method.out 2>$method.err
	done
	for method in spp prepp; do
		grep -qE "^ +40 +~[0-9]+ +~[0-9]+ +0 +odd" $method.out			# calls
		grep -qE "^ +~[0-9]+ .*odd +entry@1 if.then@4 return@6" $method.out	# paths
		grep -qE "^ +~[0-9]+ +[^ ]*/halves.c:4 +odd$" $method.out		# lines
		grep -qE "label=.odd .*: ~[0-9]+ times on" $method.out			# the picture
		grep -qE "^ +~[0-9]+ +4  " $method.out					# the source
		grep -qF "	# ~" $method.out					# paths of interest
		grep -qE "^ +~[0-9]+  entry@1 if.then@4" $method.out			# run
		grep -qF "odd;[inexact counts];entry" $method.out			# samples
		test $(grep -c "counted by an inexact method, spp or prepp: other paths" $method.out) -ge 5
		test $(grep -c "counted by an inexact method, spp or prepp:" $method.err) = 3
	done
	status 1 grep -E "inexact|~" poison.out poison.err psp0.out psp0.err
	grep -qE "^ +20 .*odd +entry@1 if.then@4 return@6" poison.out
'
check 'coverage of what was counted otherwise, of a program that was changed, of nothing: a message, and the rest' '
	probed all --function sw --method epp
	mv counts.stk epp.stk
	cp "$t/data/shapes.c" shapes.c && chmod u+w shapes.c
	assembly all shapes.c
	sed "s/case 17: return 9;//" "$t/data/shapes.c" >shapes.c
	assembly changed shapes.c
	plain changed
	for name in all changed; do
		probed $name --function sw,calls_jumper --method ac --prime
		mv counts.stk $name.stk
	done
	status 1 stkpath coverage all.stk epp.stk >out 2>err
	grep -q "1 functions are left out: their prime paths were not counted" err
	grep -q "^calls_jumper	" out
	status 1 stkpath coverage all.stk changed.stk >out 2>err
	grep -q "sw: its graph is not the same everywhere" err
	stkcat --only path_count,path_call -f stream all.stk >rows.stk
	status 1 stkpath coverage rows.stk >out 2>err
	grep -q "sw: the stream does not have its graph" err
	stkcat --only cfg,path_count -f stream all.stk >rows.stk
	status 1 stkpath coverage rows.stk >out 2>err
	grep -q "sw: the stream does not have its calls, so its counts may be lost too" err
	test $(wc -l <out) = 1
	status 2 stkpath coverage --function lose all.stk >out 2>err
	grep -q "no prime paths of lose were counted" err
'
check 'what a run adds: paths that an earlier one did not take, by hand, and as the difference of both lists of untaken paths' '
	cat >adds.c <<-END
	#include <stdlib.h>
	int pick(int n) { if (n > 3) return 1; if (n > 1) return 2; return 3; }
	int never(int n) { if (n) return 1; return 2; }
	int main(int argc, char **argv) { int s = 0; for (int i = 1; i < argc; i++) s += pick(atoi(argv[i])); return s < 0 ? never(s) : 0; }
	END
	assembly adds adds.c
	stkpath instrument -q adds.ll --method ac --prime -o adds.probed.ll
	level=-O0 build adds.probed.ll adds
	STKPATH_FILE=one.stk ./adds 5
	STKPATH_FILE=two.stk ./adds 5 2 2
	stkpath coverage --base one.stk two.stk 2>said | cut -f 1,3- >got
	grep -x "pick	3	2	1" got
	grep -x "never	2	0	0" got
	for f in pick main; do
		stkpath coverage -q --function $f one.stk | sed 1d | cut -f 1 | sort >untaken.one
		stkpath coverage -q --function $f two.stk | sed 1d | cut -f 1 | sort >untaken.two
		stkpath coverage -q --function $f --base one.stk two.stk | sed 1d | cut -f 1 | sort >added
		comm -23 untaken.one untaken.two | same - added
		test -s added
		grep -qE "^$f	[0-9]+	[0-9]+	$(wc -l <added)$" got
	done
	sum=$(sed 1d got | awk "{ n += \$4 } END { print n }")
	grep -q "$sum of them were not taken in one.stk" said
	stkpath coverage -q --by file --base one.stk two.stk | sed 1d | cut -f 2- >sums
	sed 1d got | awk "{ p += \$2; t += \$3; a += \$4 } END { print NR \"\t\" p \"\t\" t \"\t\" a }" | same - sums
	stkpath coverage -q --base two.stk one.stk | cut -f 5 | sort -u | tr "\n" " " | grep -qx "0 added "
	cat two.stk | stkpath coverage -q --base one.stk | cut -f 1,3- | same got -
	status 2 stkpath coverage --base one.stk one.stk 2>err
	status 2 stkpath coverage --base nosuch two.stk 2>err
	grep -q "nosuch: no counts of paths to compare with" err
	status 2 stkpath coverage -f lcov --base one.stk two.stk 2>err
	sed "s/n > 1/n > 2 \&\& n < 9/" adds.c >changed.c && mv changed.c adds.c
	assembly adds adds.c
	stkpath instrument -q adds.ll --method ac --prime -o adds.probed.ll
	level=-O0 build adds.probed.ll adds
	rm two.stk
	STKPATH_FILE=two.stk ./adds 3
	status 1 stkpath coverage --base one.stk two.stk 2>err >got
	grep -q "pick: its graph is another one in what it is to be compared with: the program was changed" err
	status 1 grep -q pick got
'
finish
