#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot graph -f term and html: the source with how often blocks were reached, as gcov counts them.
. "${0%/*}/lib/tap.sh"
have stkplot python3 zstd || skip_all 'no stkplot, python3 or zstd'
make=$BUILD/t/tools/make_path_counts
test -x "$make" || skip_all 'no make_path_counts: run by make check'

"$make" epp >odd.stk
"$make" ac >ac.stk
mkdir here
printf 'int odd(int n) {\n\twhile (n)\n\t\teven(n);\n\telse <script>odd</script>\33[31m\n\tnext();\n}\n' >here/odd.c
# counted FILE: line and count of the lines that have one
counted() { awk '$1 ~ /^([0-9]+[*]?|never|[+])$/ && $2 ~ /^[0-9]+$/ { print $2, $1 }' "$1"; }

check 'a line has the count of the block that was reached most of those that begin on it, by the paths' '
	stkplot graph -q -f term --source here odd.stk >listed
	counted listed >have
	stkcat -f tsv --only path_count odd.stk | awk -F "\t" "NR > 1 { n = split(\$5, block, \" \"); for (i = 1; i <= n; i++) if (split(block[i], at, \"@\") == 2) count[at[2]] += \$6 }
		END { for (line in count) print line, count[line] }" | sort -n | same - have
	test "$(wc -l <have)" = 5
	tr "\n" " " <listed | grep -q "odd.c: 5 of 5 blocks were reached. Of 1 call no path was counted: "
'
check 'where counts do not add up, + says that a block was reached' '
	stkplot graph -q -f term --source here ac.stk >listed
	counted listed | cut -d " " -f 2 | sort -u >have
	echo + | same - have
'
check 'what the source holds is text: on paper and in the page' '
	status 1 grep -q "$(printf "\033")" listed
	grep -qF "         else <script>odd</script>" listed
	stkplot graph -q --source here --title "</title><script>x" -o odd.html -f html odd.stk
	status 1 grep -qi "<script" odd.html
	LC_ALL=C status 1 grep -q "[^ -~]" odd.html
	grep -qF "&#x3C;script&#x3E;odd" odd.html
	python3 -c "
import re
page = open(\"odd.html\").read()
print(\"\n\".join(line + \" \" + count for count, line in re.findall(r\"<tr><td class=.number[^>]*>([^<]+)<td class=number>([0-9]+)\", page)))" >have
	stkplot graph -q -f term --source here odd.stk >listed
	counted listed | same - have
'
check 'never and in part; beyond the end of the source: said, status 1' '
	stkcat -f ndjson --only head --ids odd.stk | python3 -c "import json, sys; print(json.loads(sys.stdin.readline())[\"schema\"], end=\"\")" >schema
	python3 - <<-\X >part.json
		import json, sys
		edges = [("a@1", "b@2"), ("b@2", "c@2"), ("c@2", "d@3"), ("d@3", "e@99"), ("e@99", "f"), ("f", "(exit)")]
		cfg = [{"number": 0, "texts": ["odd"] * 6}, {"number": 1, "texts": ["/build/x/here/odd.c"] * 6}, {"number": 2, "words": list(range(6))},
		       {"number": 3, "texts": [a for a, b in edges]}, {"number": 4, "texts": [b for a, b in edges]}]
		count = [{"number": 2, "texts": ["odd"]}, {"number": 3, "texts": ["/build/x/here/odd.c"]}, {"number": 4, "texts": ["a@1 b@2"]}, {"number": 5, "words": [7]}]
		json.dump({"schema": open("schema").read().splitlines(), "blocks": [{"kind": 29, "columns": cfg}, {"kind": 31, "columns": count}]}, sys.stdout)
	X
	python3 "$t/reader/stkwrite.py" - part.stk <part.json
	status 1 stkplot graph -q -f term part.stk >listed 2>err
	counted listed >have
	printf "1 7\n2 7*\n3 never\n" | same - have
	tr "\n" " " <listed | grep -q ": 2 of 4 blocks were reached. 1 block is without a line: not here. 1 block begins beyond the end of "
	grep -q "here/odd.c: 1 block begins beyond its end: it is not what was compiled" err
'
check 'only what is in the folder is read; what has no effect is refused' '
	status 2 stkplot graph -q -f term odd.stk 2>err
	grep -q "the source odd.c is not in .: name its folder with --source" err
	mkdir -p a/b && cp here/odd.c .
	status 2 stkplot graph -q -f term --source a/b odd.stk 2>err
	sed "s|/build/x/here/odd.c|here/../odd.c|g" part.json | python3 "$t/reader/stkwrite.py" - out.stk
	status 2 stkplot graph -q -f term --source here out.stk 2>err
	grep -q "the source here/../odd.c is not in here" err
	refused() { text=$1; shift; status 2 stkplot graph "$@" odd.stk 2>err >out; grep -q -e "$text" err || { cat err; false; }; }
	refused "source has an effect only on" --source here
	refused "title has an effect only on -f html" --title x -f term
	refused "paths has no effect on -f term" --paths 2 -f term --source here
	refused "no graph and no path of nobody" -f term --source here --function nobody
'
if have clang gcov gcc && command -v stkpath >/dev/null; then
	check 'a program: the counts of gcov' '
		cat >loops.c <<-\X
			#include <stdio.h>
			static int classify(int n)
			{
				int sum = 0;
				for (int i = 0; i < n; i++) {
					if (i % 3 == 0)
						sum += i;
					else if (i % 7 == 6)
						sum -= 1;
					else
						sum++;
				}
				if (sum < 0)
					return -1;
				while (sum > 10)
					sum /= 2;
				return sum;
			}
			int main(int argc, char **argv)
			{
				int total = 0;
				(void)argv;
				for (int i = 0; i < 25; i++)
					total += classify(i);
				if (argc > 5)
					puts("many");
				printf("%d\n", total);
				return 0;
			}
		X
		STKPATH_RUNTIME=$BUILD/lib/stkpipe/libstkpath.a "$t/../scripts/stkpath-cc" -g -O0 loops.c -o loops >said 2>&1 || { cat said; false; }
		STKPATH_FILE=loops.stk ./loops
		stkplot graph -q -f term loops.stk >listed
		gcc --coverage -g -O0 loops.c -o plain
		./plain
		gcov plain-loops.c >said 2>&1 || gcov loops.c >said 2>&1
		awk -F : "\$1 !~ /-/ { gsub(/ /, \"\", \$1); gsub(/ /, \"\", \$2); sub(/#####/, \"never\", \$1); if (\$2 > 0) print \$2, \$1 }" loops.c.gcov | sort >wanted
		counted listed | sort >have
		test "$(wc -l <have)" -gt 15
		join have wanted | awk "\$2 != \$3 && \$2 !~ /[*]/ { print; bad = 1 } END { exit bad }"
	'
else
	skip 'no clang or gcov' 'a program: the counts of gcov'
fi
finish
