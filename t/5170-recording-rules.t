#!/bin/sh
# SPDX-License-Identifier: MIT
# Rules on one recording find what they name, and only that; the status tells cron.
. "${0%/*}/lib/tap.sh"

zcat "$t/data/day-17a.txt.gz" | stkcap -q -o day.stk -
stktree -q -o day.tree --leaf 50 day.stk
cat >rules.yaml <<'END'
rules:
  - name: GC over 2 %
    of: pool
    match: GC *
    together: yes
    over: 2%
  - name: hot spot
    of: function
    over: 30%
  - name: waits
    of: pool
    state: waiting
    at least: 3%
    over: 50%
END

check 'what they find is what stkcat counts; the status is 4' '
	status 4 stktree -f tsv --rules rules.yaml day.stk >got
	all=$(stkcat -q -f folded --by none day.stk | awk "{ n += \$NF } END { print n }")
	gc=$(stkcat -q -f folded --by pool day.stk | awk "/^GC / { n += \$NF } END { print n }")
	hot=$(stkcat -q -f folded --by none day.stk | awk "/jdk.internal.misc.Unsafe.park [0-9]+$/ { n += \$NF } END { print n }")
	printf "rule\tsamples\tof\twhat\nGC over 2 %%\t%d\t%d\tGC *\nhot spot\t%d\t%d\tjdk.internal.misc.Unsafe.park\n" $gc $all $hot $all >want
	grep -v "^waits" got | cut -f 1,4,5,6 | same want -
	stkcat -q -f folded --by pool,state day.stk | awk -F ";" "{ n = \$0; sub(/.* /, \"\", n); sub(/ [0-9]+$/, \"\", \$2); all[\$1] += n; if (\$2 == \"waiting\") some[\$1] += n }
		END { for (p in all) if (all[p] >= 0.03 * $all && some[p] > all[p] / 2) printf \"waits\t%d\t%d\t%s\n\", some[p], all[p], p }" | sort >want
	test -s want && grep "^waits" got | cut -f 1,4,5,6 | sort | same want -'
check 'a tree answers as the recording does; for people and as JSON the same' '
	status 4 stktree -f tsv --rules rules.yaml day.stk >want
	status 4 stktree -f tsv --rules rules.yaml day.tree >got && same want got
	status 4 stktree -f text --rules rules.yaml day.tree >got
	test "$(wc -l <got)" = "$(wc -l <want)" && grep -Eq "^  hot spot +[0-9.]+ +30.0 +[0-9]+ +[0-9]+  jdk.internal" got
	status 4 stktree -f ndjson --rules rules.yaml day.tree >got
	test "$(grep -c "^{\"rule\":\"waits\",\"share\":0\.[0-9]*,\"limit\":0.5,\"samples\":" got)" = "$(grep -c ^waits want)"'
check 'as records: a finding each, with the window, in the same order; without any a stream of none' '
	status 4 stktree -f tsv --rules rules.yaml --from 09:00 --to 10:00 day.tree >got
	status 4 stktree -f stream --rules rules.yaml --from 09:00 --to 10:00 day.tree >found.stk
	stkcat --check found.stk
	stkcat -q -f ndjson --only finding found.stk >rows
	tail -n +2 got | awk -F "\t" "{ printf \"%d %s %d %s\n\", NR, \$1, \$4, \$6 }" >want
	jq -r "\"\(.number) \(.rule) \(.samples) \(.subject)\"" rows | same want -
	jq -r "select(.severity != \"warning\" or .time < 1 or .until <= .time or .until - .time > 3600000000000) | .number" rows | same - /dev/null
	first=$(sed -n 2p got | awk -F "\t" "{ printf \"%s: %.1f %% of %d samples, over the limit of %g %%\", \$6, 100 * \$2, \$5, 100 * \$3 }")
	test "$(jq -r .summary rows | head -1)" = "$first"
	printf "rules:\n  - over: 99%%\n" >none.yaml
	status 0 stktree -f stream --rules none.yaml day.tree >none.stk; stkcat --check none.stk; test "$(stkcat -q -f tsv --only finding none.stk | wc -l)" -le 1
	status 2 stktree -f folded --rules rules.yaml day.tree'
check 'what is farthest beyond the limit of a rule comes first, and what is as far by name' '
	printf "%s 1\n" "a;x" "a;z" "b;w" "a;x" "b;w" "a;y" "b;w" "a;x" "b;w" "b;w" | stkcap -q --format folded -o parts.stk -
	printf "rules:\n  - { name: hot, over: 1%% }\n  - { name: cold, under: 40%% }\n" >order.yaml
	status 4 stktree -f tsv --rules order.yaml parts.stk | cut -f 1,4,6 | tail -n +2 | tr "\t\n" "  " >got
	test "$(cat got)" = "hot 5 w hot 3 x hot 1 y hot 1 z cold 0 a cold 0 b cold 1 y cold 1 z cold 3 x "'
check 'of a window, of several recordings, of a filtered one' '
	status 4 stktree -f tsv --rules rules.yaml --from 09:00 --to 10:00 day.tree >got
	test "$(sed -n "/^hot/p" got | cut -f 5)" = "$(stkcat -q -f folded --by none --from 09:00 --to 10:00 day.stk | awk "{ n += \$NF } END { print n }")"
	status 4 stktree -f tsv --rules rules.yaml day.tree day.stk >got
	status 4 stktree -f tsv --rules rules.yaml day.tree | awk -F "\t" -v OFS="\t" "NR > 1 { \$4 *= 2; \$5 *= 2 } { print }" | same got -
	status 0 stktree -f tsv --rules rules.yaml --thread "^VM Thread" day.tree >got && test ! -s got'
check 'nothing found: silence and status 0; an empty window: status 1' '
	printf "rules:\n  - over: 99%%\n" >none.yaml
	status 0 stktree --rules none.yaml day.tree >got 2>said && test ! -s got && test ! -s said
	status 1 stktree --rules none.yaml --from 2030-01-01 day.tree >got 2>said && test ! -s got && grep -q "no samples in the window" said'
check 'classes and groups, where the stream has them' '
	printf "rules:\n  - of: class\n    over: 20%%\n" >classes.yaml
	stkclass -q day.stk >classed.stk
	status 4 stktree -f tsv --rules classes.yaml classed.stk >got
	stktree -q -f tsv --report classes classed.stk | awk -F "\t" "NR > 1 && \$2 > 0.2 * 1082 { print \$2, \$1 }" | sort >want
	tail -n +2 got | awk -F "\t" "{ print \$4, \$6 }" | sort | same want -
	status 2 stktree --rules classes.yaml day.stk >got 2>said && test ! -s got && grep -q "stkclass adds them" said'
check 'bad rules are refused with line and column before anything is printed, of one recording and of two' '
	printf "rules:\n  - of: function\n    ovr: 3\n" >bad.yaml
	for diff in "" "--diff day.tree"; do
		for form in text tsv ndjson; do
			status 2 stktree -f $form --rules bad.yaml day.tree $diff >got 2>said
			test ! -s got && grep -q "bad.yaml:3:5: .ovr. is not one of" said && test "$(wc -l <said)" = 1
		done
	done
	status 2 stktree --rules rules.yaml day.tree --diff day.tree 2>said && grep -q "rules.yaml:5:5: .together. is for rules on one recording\|rules.yaml:3:9: expected" said
	status 3 stktree --rules nowhere.yaml day.tree 2>said && grep -q nowhere.yaml said'
check 'the rules of the page are rules: of one recording, and of two' '
	sed -n "/^rules:/,/^\.Ed/p" "$t/../cmd/stktree/stktree.1" | awk "/^\.Ed/ { n++; next } { print >(n ? \"one.page\" : \"two.page\") }"
	test "$(grep -c "name:" one.page)" = 3 && test "$(grep -c "name:" two.page)" = 1
	status 4 stktree -f tsv --rules one.page day.tree >got && grep -q "^hot spot	" got && status 1 grep "^blocked pool" got
	status 0 stktree --diff day.tree --rules two.page day.tree >got && test ! -s got'
check 'what has no effect beside rules is refused; so is a pipe that would be read twice' '
	for option in "--report flat" "--by pool" "--step 1h" "--function f" "--top 3" "--min 3" "--depth 2" "--samples" "-f folded" "-f stream"; do
		status 2 stktree --rules rules.yaml $option day.tree >got 2>said && test ! -s got
	done
	cat day.stk | status 2 stktree --rules rules.yaml 2>said && grep -q "write it to a file first" said
	printf "rules:\n  - over: 30%%\n" >one.yaml
	cat day.stk | status 4 stktree --rules one.yaml >got && grep -q "Unsafe.park" got'
finish
