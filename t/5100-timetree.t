#!/bin/sh
# SPDX-License-Identifier: MIT
# stktree: a tree answers as a scan does, however it came to be: built, appended, merged, out of order, cut, damaged, thinned, growing.
. "${0%/*}/lib/tap.sh"

# Profiles with known times: make_profile NAME COUNT START STEP_MS SEED   samples of nine stacks in two commands
make_profile() {
	awk -v n="$2" -v start="$3" -v step="$4" -v seed="$5" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			w = int(rand() * rand() * 9)
			printf "%s 10/%d %.6f: 1 cycles: \n\t1 f%d (app)\n\t2 g%d (app)\n\t3 main (app)\n\n", (w % 2 ? "web" : "db"), 10 + w % 2, start + i * step / 1000, w, w % 3
		}
	}' | stkcap -q -o "$1" --format perf-script -
}
folded() { stkcat -q -f folded "$@"; }

make_profile day.stk 5000 1000 10 1
make_profile next.stk 3000 1050 7 2
make_profile after.stk 1000 2000 10 3
zcat "$t/data/day-17a.txt.gz" | stkcap -q -o jvm.stk -

check 'a tree is a stream: valid, with what the input had, and its samples bit for bit' '
	stktree -q -o day.tree --leaf 100 --split 2 day.stk
	stkcat --check day.tree && zstd -qt day.tree
	stkcat -f tsv --only sample day.stk >got1
	stkcat -f tsv --only sample day.tree >wanted
	same wanted got1'
check 'folded is as stkcat prints it, of the whole and of windows' '
	for of in day jvm; do
		stktree -q -o $of.tree --leaf 50 --split 3 $of.stk
		folded $of.stk >want && stktree -q -f folded $of.tree | same want -
	done
	for w in "1000 1001" "1010.005 1010.015" "1003 1049.99" "1000 1051" "1020 1030" "1049.98 3000"; do
		set -- $w
		folded --from @$1 --to @$2 day.stk >want && stktree -q --from @$1 --to @$2 -f folded day.tree | same want -
	done'
check 'so are answers of a stream without a tree, through a pipe, compressed, and of any keys' '
	folded --from @1010 --to @1020 day.stk >want
	stktree -q --from @1010 --to @1020 -f folded day.stk | same want -
	stktree -q --from @1010 --to @1020 -f folded - <day.tree | same want -
	cat day.tree | stktree -q --from @1010 --to @1020 -f folded | same want -
	gzip -c day.tree >day.tree.gz && stktree -q --from @1010 --to @1020 -f folded day.tree.gz | same want -
	for by in thread process source pid,tid none; do
		folded --by $by --from @1010 --to @1020 day.stk >want && stktree -q --by $by --from @1010 --to @1020 -f folded day.tree | same want -
	done
	folded --thread web --from @1010 day.stk >want && stktree -q --thread web --from @1010 -f folded day.tree | same want -
	folded --grep f3 --from @1010 day.stk >want && stktree -q --grep f3 --from @1010 -f folded day.tree | same want -
	folded --state waiting jvm.stk >want && stktree -q --state waiting -f folded jvm.tree | same want -'
check 'many windows, each as a scan' '
	awk "BEGIN { srand(9); for (i = 0; i < 40; i++) { a = 1000 + rand() * 50; b = a + rand() * rand() * 30 + 0.001; printf \"%.3f %.3f\n\", a, b } }" >windows
	for shape in "--split-by time" "--split-by samples --leaf 77" "--split-by calendar --leaf 20" "--leaf 1 --split 2"; do
		stktree -q -o w.tree $shape day.stk
		while read -r a b; do
			folded --from @$a --to @$b day.stk >want
			stktree -q --from @$a --to @$b -f folded w.tree | same want -
		done <windows
	done'
check 'what a query reads is told, and is little' '
	stktree -o day.tree -q --leaf 100 --split 2 day.stk
	stktree --from @1010 --to @1020 --stats -f folded day.tree 2>said >/dev/null
	grep -Eq "^stktree: nodes [0-9]+, stacks [0-9]+, bytes [0-9]+ of [0-9]+, coverage 100%$" said
	stacks=$(sed -n "s/.*stacks \([0-9]*\),.*/\1/p" said)
	test "$stacks" -lt 400'
check 'several windows are one answer, and parts of them count once' '
	{ folded --from @1010 --to @1015 day.stk; folded --from @1020 --to @1021 day.stk; } | awk "{ n[\$1] += \$2 } END { for (s in n) print s, n[s] }" | sort >want
	stktree -q --window @1010..@1014 --window @1013..@1015 --window @1020..@1021 -f folded day.tree | same want -'
check 'steps add up to their window' '
	folded --from @1010 --to @1020 day.stk >want
	stktree -q --from @1010 --to @1020 --step 700ms -f stream day.tree >steps.stk && folded steps.stk | same want -
	stktree -q --from @1010 --to @1020 --step 3s --report flat -f tsv day.tree >rows
	test "$(head -1 rows)" = "$(printf "from\tto\tfunction\tself\ttotal")"
	test "$(grep -c "^from" rows)" = 1 && test "$(cut -f 1 rows | sort -u | wc -l)" = 5
	folded day.stk | awk "{ n += \$NF } END { print n }" >got2
	stktree -q --step 1s --report paths -f tsv day.tree | awk "NR > 1 { n += \$3 } END { print n }" >wanted
	same wanted got2'
check 'a window as a stream has the frames of the recording, modules too' '
	stktree -q --from @1010 --to @1011 day.tree | stkcat -f tsv --only frame >frames
	test "$(cut -f 3 frames | sort -u | grep -c app)" = 1'

# reports
check 'the call tree: levels, self and total, from the root down' '
	stktree -q -f tsv day.tree >rows
	test "$(head -1 rows)" = "$(printf "level\tfunction\tself\ttotal")"
	test "$(sed -n 2p rows)" = "$(printf "1\tmain\t0\t5000")"
	awk -F "\t" "NR > 1 { self += \$3; if (\$1 == 2) second += \$4 } END { exit !(self == 5000 && second == 5000) }" rows
	stktree -q -f text --depth 2 day.tree | grep -q "main"
	stktree -q -f tsv --depth 2 day.tree | awk -F "\t" "NR > 1 && \$1 > 2 { exit 1 }"
	stktree -q -f tsv --min 20 day.tree | awk -F "\t" "NR > 1 && \$4 < 1000 { exit 1 }"'
check 'a tree that is cut short by --min or --depth agrees with the whole one' '
	stktree -q -f tsv jvm.tree | sort >whole
	stktree -q -f tsv --min 5 jvm.tree | sort >part
	test -s part && comm -23 part whole | same - /dev/null
	stktree -q -f tsv jvm.tree jvm.tree | awk -F "\t" -v OFS="\t" "NR > 1 { \$3 /= 2; \$4 /= 2 } { print }" | sort | same whole -'
check 'the flat profile counts a recursion once' '
	printf "a;b;a;b 3\na;c 2\n" | stkcap -q --format folded - >recursive.stk
	stktree -q --report flat -f tsv recursive.stk >got
	printf "function\tself\ttotal\nb\t3\t3\nc\t2\t2\na\t0\t5\n" | same - got'
check 'callers and callees of a function' '
	printf "a;b;x;y 3\na;c;x 2\nx;z 1\n" | stkcap -q --format folded - >calls.stk
	stktree -q --function x -f tsv calls.stk >got
	printf "relation\tsamples\tfunction\ncaller\t3\tb\ncaller\t2\tc\ncaller\t1\t(root)\ntotal\t6\tx\nself\t2\tx\ncallee\t3\ty\ncallee\t1\tz\n" | same - got
	status 1 stktree -q --function nowhere -f tsv calls.stk'
check 'hot paths; JSON says the same' '
	stktree -q --report paths -f tsv --top 1 calls.stk >got
	printf "samples\tshare\tstack\n3\t0.5\ta;b;x;y\n" | same - got
	stktree -q --report paths -f ndjson --top 1 calls.stk >got
	echo "{\"samples\":3,\"share\":0.5,\"stack\":\"a;b;x;y\"}" | same - got'
check 'classes, when the stream has them' '
	stkclass -q jvm.stk | stktree -q -o classed.tree -
	stktree -q --report classes -f tsv classed.tree >got
	test "$(awk -F "\t" "NR > 1 { n += \$2 } END { print n }" got)" = "$(folded jvm.stk | awk "{ n += \$NF } END { print n }")"
	stkcat -f tsv --only class classed.tree | cut -f 2 | sort >names
	cut -f 1 got | tail -n +2 | grep -v "^(none)" | sort | comm -23 - names | same - /dev/null'

# how trees come to be
check 'out of order, in several pieces, twice: the same counts' '
	awk "BEGIN { srand(4); for (i = 0; i < 3000; i++) printf \"db 1/1 %.6f: 1 cycles: \n\t1 f%d (app)\n\n\", 1000 + int(rand() * 1000) / 10, rand() * 9 }" | stkcap -q -o mixed.stk --format perf-script -
	stktree -q -o mixed.tree --leaf 50 mixed.stk
	stkcat -f tsv --only sample mixed.tree | tail -n +2 | cut -f 1 | sort -nc
	for w in "1000 1100" "1020.05 1033" "1099.8 1100"; do
		set -- $w
		folded --from @$1 --to @$2 mixed.stk >want && stktree -q --from @$1 --to @$2 -f folded mixed.tree | same want -
	done'
check 'streams of a file, and files that overlap in time, become one' '
	cat day.stk next.stk >both.stk
	stktree -q -o both.tree --leaf 64 both.stk
	stktree -q -o files.tree --leaf 64 day.stk next.stk
	cmp both.tree files.tree
	folded --from @1049 --to @1060 both.stk >want && stktree -q --from @1049 --to @1060 -f folded both.tree | same want -
	test "$(stkcat --contents -f tsv both.tree | awk -F "\t" "\$1 == \"head\" { print \$2 }")" = 1
	stktree -q -o other.tree --leaf 64 next.stk day.stk
	stktree -q -f tsv both.tree | sort >want && stktree -q -f tsv other.tree | sort | same want -'
check 'merged trees are the tree of all' '
	stktree -q -o a.tree --leaf 64 day.stk && stktree -q -o b.tree --leaf 64 next.stk && stktree -q -o c.tree --leaf 64 after.stk
	stktree -q --merge -o abc.tree a.tree b.tree c.tree
	stktree -q -o whole.tree --leaf 64 day.stk next.stk after.stk
	cmp abc.tree whole.tree
	stktree -q --merge -o cab.tree c.tree a.tree b.tree
	for w in "1000 3000" "1049 1051" "2000 2001"; do
		set -- $w
		stktree -q --from @$1 --to @$2 -f folded whole.tree >want && stktree -q --from @$1 --to @$2 -f folded cab.tree | same want -
	done'
check 'trees of different shapes are not merged, and it is said why' '
	stktree -q -o d.tree --leaf 65 next.stk && status 2 stktree --merge -o no.tree a.tree d.tree 2>said && grep -q -- "--leaf of a.tree is 64, of d.tree 65" said
	stktree -q -o d.tree --leaf 64 --keep-percent 90 next.stk && status 2 stktree --merge -o no.tree a.tree d.tree 2>said && grep -q "keep-percent" said
	stktree -q -o d.tree --leaf 64 --split-by samples next.stk && status 2 stktree --merge -o no.tree a.tree d.tree 2>said && grep -q "split by" said
	stktree -q -o d.tree --leaf 64 --by pid next.stk && status 2 stktree --merge -o no.tree a.tree d.tree 2>said && grep -q -- "--by" said
	stktree -q -o d.tree --leaf 64 jvm.stk && status 2 stktree --merge -o no.tree a.tree d.tree 2>said && grep -q "clock" said
	status 3 stktree --merge -o no.tree a.tree day.stk 2>said && grep -q "no tree" said
	test ! -e no.tree'
check 'appending answers as building anew, at every step' '
	stktree -q -o grow.tree --leaf 64 day.stk
	for more in next after next; do
		stktree -q --append grow.tree --again $more.stk
		stkcat --check grow.tree
	done
	stktree -q -o anew.tree --leaf 64 day.stk next.stk after.stk next.stk
	for w in "1000 3000" "1049 1051" "1060 2001" "2005 2010"; do
		set -- $w
		stktree -q --from @$1 --to @$2 -f folded anew.tree >want && stktree -q --from @$1 --to @$2 -f folded grow.tree | same want -
	done
	stktree -q --append new.tree day.stk && folded day.stk >want && stktree -q -f folded new.tree | same want -'
check 'a hundred appended pieces have as many roots as their number has digits' '
	rm -f many.tree
	i=0; while test $i -lt 100; do
		make_profile piece.stk 20 $((5000 + i)) 10 $i
		stktree -q --append many.tree piece.stk
		cat piece.stk >>pieces.stk
		i=$((i + 1))
	done
	test "$(stkcat -f tsv --only tree many.tree | tail -1 | tr "\t" "\n" | tail -1 | wc -w)" -le 8
	folded --from @5017 --to @5063.1 pieces.stk >want && stktree -q --from @5017 --to @5063.1 -f folded many.tree | same want -'
check 'threads and repetition change no byte' '
	stktree -q --threads 1 -o one.tree day.stk next.stk && stktree -q --threads 4 -o four.tree day.stk next.stk && cmp one.tree four.tree'
check 'through a pipe a tree is made as into a file, but for compression' '
	stktree -q --level 9 -o file.tree day.stk && cat day.stk | stktree -q --level 9 | cmp - file.tree'

# less than everything
check 'P below 100: what counts stand for is told, and a bound for what they do not' '
	stktree -q -o part.tree --leaf 100 --split 2 --keep-percent 80 day.stk
	stktree --stats -f folded part.tree >got 2>said
	test "$(awk "{ n += \$NF } END { print n }" got)" = 5000
	grep -v "^(left out) " got | awk "{ n += \$NF } END { print n }" >counted
	grep -q "coverage [0-9.]*%: counts cover $(cat counted) of 5000 samples; no stack has more than" said
	bound=$(sed -n "s/.*no stack has more than \([0-9]*\) .*/\1/p" said)
	folded day.stk | sort >want
	sort got | join - want | awk -v bound=$bound "{ if (\$3 < \$2 || \$3 - \$2 > bound) exit 1 }"
	sort got | join -v 2 - want | awk -v bound=$bound "\$2 > bound { exit 1 }"
	test "$(cat counted)" -ge 4000 && test "$(cat counted)" -lt 5000'
check 'old samples become counts by the minute, older ones by more, and then nothing' '
	make_profile long.stk 4000 10000 1000 7
	stktree -q -o long.tree --leaf 50 long.stk
	stktree -q --thin 10m:raw,30m:1m,50m:10m -o thin.tree long.tree
	stkcat --check thin.tree
	folded --from @13400 long.stk >want && stktree -q --from @13400 -f folded thin.tree | same want -
	folded --from @12300 --to @12600 long.stk >want && stktree -q --from @12300 --to @12600 -f folded thin.tree | same want -
	folded --from @11400 --to @12000 long.stk >want && stktree -q --from @11400 --to @12000 -f folded thin.tree | same want -
	stktree --from @12330 --to @12600 -f folded thin.tree 2>said >/dev/null; grep -q "have only counts" said
	test "$(stkcat -f tsv --only sample thin.tree | wc -l)" -lt 700
	test "$(wc -c <thin.tree)" -lt "$(wc -c <long.tree)"
	stktree -q --thin 10m:raw,30m:1m,50m:10m -o again.tree thin.tree
	stktree -q -f folded thin.tree >want && stktree -q -f folded again.tree | same want -
	stktree -q --append thin.tree after.stk && stkcat --check thin.tree'
check 'a recording of which nothing but counts is left can be thinned again, and loses what is older' '
	stktree -q --thin 20m:1m,2h:10m -o counts.tree long.stk
	test "$(stkcat -f tsv --only sample counts.tree | wc -l)" -le 1
	stktree -q -f folded counts.tree >want && test -s want
	stktree -q --thin 20m:1m,2h:10m -o again.tree counts.tree && stktree -q -f folded again.tree | same want -
	stktree -q --thin 2h:10m -o coarse.tree counts.tree && stktree -q -f folded coarse.tree | same want -
	stktree --thin 10m:1m -o short.tree counts.tree 2>said && grep -q "thin: 0 samples reduced to counts, 3[0-9]* dropped" said
	test "$(stktree -q -f folded short.tree | awk "{ n += \$NF } END { print n }")" -gt 500'

# differences
check 'a difference is told from noise, and noise is not' '
	awk "BEGIN { srand(5); for (w = 0; w < 2; w++) { file = w ? \"b.txt\" : \"a.txt\"; for (i = 0; i < 4000; i++) {
		r = rand(); f = r < 0.1 + 0.05 * w ? \"hot\" : \"f\" int(rand() * 20)
		printf \"app 1/1 %.6f: 1 cycles: \n\t1 %s (app)\n\n\", 1000 + i / 100, f >file } } }"
	stkcap -q -o a.stk a.txt && stkcap -q -o b.stk b.txt && stktree -q -o a.tree a.stk && stktree -q -o b.tree b.stk
	stktree -q a.tree --diff b.tree -f tsv >rows
	test "$(head -1 rows)" = "$(printf "stack\ta\tb\tdelta\tlow\thigh\tsignificant")"
	sed -n 2p rows | grep -q "app;hot" && test "$(sed -n 2p rows | cut -f 7)" = 1
	awk -F "\t" "NR > 1 && !(\$5 <= \$4 && \$4 <= \$6) { exit 1 }" rows
	stktree -q a.tree --diff a.tree -f tsv | awk -F "\t" "NR > 1 && (\$4 != 0 || \$7 != 0) { exit 1 }"
	stktree -q b.tree --diff @1000..@1020 @1020..@1040 -f tsv | awk -F "\t" "NR > 1 && \$7 == 1 { n++ } END { exit n > 1 }"
	stktree -q a.tree --rate share --diff b.tree -f tsv | sed -n 2p | cut -f 1 | grep -q hot
	test "$(stktree -q a.tree --diff b.tree --diff a.tree -f tsv | head -1 | cut -f 1)" = with'
check 'rules find what they name, and only that; the status says so' '
	cat >up.yaml <<END1
rules:
  - name: hotter
    of: function
    match: "h*"
    up: 20%
    at least: 1%
    significant: yes
END1
	status 4 stktree -q a.tree --diff b.tree --rules up.yaml -f tsv >rows
	test "$(cut -f 1,6 rows | tail -n +2)" = "$(printf "hotter\thot")"
	status 0 stktree -q a.tree --diff a.tree --rules up.yaml >rows && test ! -s rows
	printf "rules:\n  - of: function\n    upp: 3\n" >bad.yaml
	status 2 stktree a.tree --diff b.tree --rules bad.yaml 2>said && grep -q "bad.yaml:3:5: .upp. is not one of" said
	printf "rules:\n\t- of: function\n" >bad.yaml
	status 2 stktree a.tree --diff b.tree --rules bad.yaml 2>said && grep -q "bad.yaml:2:1: " said'

# what is wrong is said
check 'windows that are reversed, empty or outside are said' '
	status 2 stktree day.tree --from @1020 --to @1010 -f folded 2>said && grep -q "before it begins" said
	status 2 stktree day.tree --from @1020 --to @1020 -f folded 2>said && grep -q "is empty: it ends" said
	status 1 stktree day.tree --from @9000 -f folded 2>said && grep -q "outside the recording, which is from @1000 to @1049.990" said
	printf "a;b 3\n" | stkcap -q --format folded - >untimed.stk
	status 1 stktree untimed.stk --from @1 -f folded 2>said && grep -q "no sample has a time" said
	stktree -q -f folded untimed.stk >got && echo "a;b 3" | same - got
	status 3 stktree nowhere.tree -f folded 2>said && grep -q "nowhere.tree" said'
check 'clocks of two kinds in one recording are said' '
	cat day.stk jvm.stk | stktree -o clocks.tree - 2>said && grep -q "clocks of two kinds, wall and monotonic" said
	stktree -o one.tree day.stk 2>said && status 1 grep -q "two kinds" said
	status 1 stktree --from @1010 --to @1020 -f folded clocks.tree 2>said >/dev/null && grep -q "wall and monotonic" said'
check 'every prefix of a tree answers for what it holds, and says what is missing' '
	size=$(wc -c <day.tree) at=200
	while test $at -lt $size; do
		head -c $at day.tree >cut.tree
		status 1 stktree -f folded cut.tree >got 2>said
		grep -Eq "cut|middle of a block" said
		stkcat -q -f folded cut.tree 2>/dev/null >want || true
		same want got
		at=$((at + size / 23))
	done'
check 'a damaged node is answered by what is below it, damaged samples are told with their times' '
	offsets=$(stkcat -f tsv --only index day.tree 2>/dev/null | wc -l)
	size=$(wc -c <day.tree) i=0
	folded --from @1003 --to @1047 day.stk >want
	while test $i -lt 60; do
		cp day.tree bad.tree
		at=$((size * (2 * i + 1) / 121))
		printf "\377\000\252" | dd of=bad.tree bs=1 seek=$at conv=notrunc 2>/dev/null
		stktree --from @1003 --to @1047 -f folded bad.tree >got 2>said && rc=0 || rc=$?
		test $rc -le 1
		test $rc -eq 1 || same want got
		test "$(awk "{ n += \$NF } END { print n + 0 }" got)" -le "$(awk "{ n += \$NF } END { print n }" want)"
		i=$((i + 1))
	done'
check 'nothing is left under the final name when a build fails; an append that is cut leaves what was' '
	(ulimit -f 1; stktree -q -o full.tree mixed.stk 2>/dev/null) || true
	test ! -e full.tree
	cp anew.tree torn.tree && stktree -q --append torn.tree after.stk && before=$(wc -c <anew.tree)
	head -c $((before + 500)) torn.tree >torn2.tree
	stktree -q -f folded torn2.tree >got 2>said || test $? -eq 1
	stktree -q -f folded anew.tree >want
	awk "NR == FNR { n[\$1] = \$2; next } n[\$1] > 0 && \$2 < n[\$1] { exit 1 }" want got'
check 'a recording larger than the memory there is builds' '
	"$BUILD/bench/make_samples" week 1500000 500 20 >big.stk
	case $BUILD in *address*) limit=unlimited ;; *) limit=200000 ;; esac		# a sanitizer wants address space
	(ulimit -v $limit; stktree -q --threads 1 -o big.tree big.stk)
	folded big.stk --from 2026-03-03T12:00 --to 2026-03-04 >want && stktree -q --from 2026-03-03T12:00 --to 2026-03-04 -f folded big.tree | same want -
	test $(($(wc -c <big.tree) * 10)) -le $(($(wc -c <big.stk) * 13))'
check 'live: the tree grows with its input, and answers meanwhile' '
	mkfifo live
	stktree -q --follow --every 100ms -o now.tree live & pid=$!
	exec 9>live
	cat day.stk >&9
	tries=0; until test -e now.tree || test $tries -eq 100; do sleep 0.1; tries=$((tries + 1)); done
	folded day.stk >want && stktree -q -f folded now.tree | same want -
	cat after.stk >&9
	tries=0; while stktree -q -f folded now.tree | cmp -s want - && test $tries -lt 100; do sleep 0.1; tries=$((tries + 1)); done
	exec 9>&-
	wait $pid
	cat day.stk after.stk | folded >want && stktree -q -f folded now.tree | same want -
	stkcat --check now.tree'
check 'usage errors are told' '
	status 2 stktree --leaf 0 -o x day.stk 2>/dev/null && status 2 stktree --split 1 -o x day.stk 2>/dev/null && status 2 stktree --keep-percent 79 -o x day.stk 2>/dev/null
	status 2 stktree --split-by moon -o x day.stk 2>/dev/null && status 2 stktree --thin 7d -o x day.stk 2>/dev/null && status 2 stktree --thin 7d:1h,9d:1m -o x day.stk 2>/dev/null
	status 2 stktree --follow day.stk 2>/dev/null && status 2 stktree --report nothing day.stk 2>/dev/null && status 2 stktree --window 3 day.stk 2>/dev/null
	test ! -e x'
# 330 samples in a second, as many in each part as in the example of the method: none near the end
awk 'BEGIN {
	split("100 46 70 114", n); split("0 250 375 500", from); split("250 125 125 500", length_ms)
	for (part = 1; part <= 4; part++) for (i = 0; i < n[part]; i++)
		printf "t 1/1 [000] %.6f: 1 cycles:\n\t7f01 f%d (/bin/x)\n\n", (from[part] + (i + 0.5) * length_ms[part] / n[part]) / 1000, i % 3 }' |
	stkcap -q --format perf-script -o second.stk -
# visited FROM..TO: the nodes that answer, in ms
visited() {
	stktree -f folded --stats --verbose --window "@$1..@$2" ex.tree 2>&1 >folded |
		sed -n "s/.*: node [0-9]*, @\([0-9.]*\) to @\([0-9.]*\): its \([a-z]*\).*/\1-\2 \3/p" | tr "\n" ";"
	stkcat -q -f folded --window "@$1..@$2" second.stk | cmp - folded
}
check 'the worked example: 330 samples of a second, and the nodes that its windows visit' '
	stktree -q --leaf 115 --split 2 --span @0..@1 -o ex.tree second.stk
	test "$(stkcat -q -f tsv --only tree_node ex.tree | tail -n +2 | wc -l)" = 7
	stkcat -q -f tsv --only tree_node ex.tree | cut -f 5 | tail -n +2 | sort -n | tr "\n" " " | grep -x "46 70 100 114 116 216 330 "
	test "$(visited 0.7 1)" = "0.500-1 samples;"
	test "$(visited 0 0.7)" = "0-0.500 counts;0.500-1 samples;"
	test "$(visited 0.3 0.7)" = "0.250-0.375 samples;0.375-0.500 counts;0.500-1 samples;"
	test "$(visited 0 1)" = "0-1 counts;"
'
check '--span: an interval with both ends, around all samples; not by numbers of samples' '
	status 2 stktree --span @0..@0.5 -o refused.tree second.stk 2>said && grep "a sample outside of it, at @0.99" said
	status 2 stktree --span @0.5..@2 -o refused.tree second.stk 2>said && grep "a sample outside of it, at @0.001250 " said
	test ! -e refused.tree
	status 2 stktree --span @0.. -o refused.tree second.stk 2>said && grep "both ends" said
	status 2 stktree --span @1..@1 -o refused.tree second.stk 2>said && grep "an end after the beginning" said
	status 2 stktree --span @0..@1 --split-by samples -o refused.tree second.stk
	status 2 stktree --span @0..@1 --append ex.tree second.stk
	status 2 stktree --verbose ex.tree 2>said && grep "stats" said
	stktree -q --leaf 10 --span @-100..@100000 -o wide.tree second.stk
	stktree -q -f folded wide.tree >got && stkcat -q -f folded second.stk | cmp - got
	stkcat -q -f tsv --only tree_node wide.tree | tail -1 | cut -f 3,5 | grep -x "100100000000000	330"
	test "$(stktree -f folded --stats --verbose wide.tree 2>&1 >got | grep -c ": node .* @-100 to @100000: its counts, of 330 samples")" = 1
'
check 'a node that begins with a gap answers by its counts, and is not called damaged' '
	awk "BEGIN { for (i = -1; i < 2000; i++)
		printf \"t 1/1 [000] %.6f: 1 cycles:\n\t7f01 f%d (/bin/x)\n\n\", i < 0 ? 1 : 61 + i * 0.02, i % 5 }" |
		stkcap -q --format perf-script -o gap.stk -
	for rule in time calendar; do
		stktree -q --leaf 100 --split-by $rule -o gap.tree gap.stk
		for window in @0..@200 @51..@77 @62..@100 @1..@70; do
			status 0 stktree -f folded --stats --window $window gap.tree >got 2>said
			status 1 grep damaged said
			stkcat -q -f folded --window $window gap.stk | cmp - got
		done
	done
'
finish
