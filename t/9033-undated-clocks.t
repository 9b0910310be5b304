#!/bin/sh
# SPDX-License-Identifier: MIT
# A clock that counts from an unknown start has no dates: no filter invents one, in any of its formats, and its times are those of the input.
. "${0%/*}/lib/tap.sh"

cat >scheme.yaml <<'END'
scheme: work
siblings:
  - { name: few, members: ['f0', 'f1'] }
  - { name: even, members: ['f2', 'f4'] }
END
awk 'BEGIN { srand(3); for (i = 0; i < 3000; i++) printf "web %d/1%d [000] %.6f: %d cycles: \n\t1 f%d (app)\n\t2 g%d (app)\n\t3 main (app)\n\n", 7 + i % 3, i % 3, 1000 + i / 25, 1 + i % 3, rand() * 9, i % 4 }' |
	stkcap -q --format perf-script -o ticks.stk -
stkclass -q ticks.stk | stkgroup -q -s scheme.yaml >grouped.stk
awk 'BEGIN { srand(2); for (i = 0; i < 5000; i++) { u = (i > 3000 ? 40 : 20) + rand() * 3
	printf "[%.3fs][info][gc] GC(%d) Pause Young (Normal) (G1 Evacuation Pause) %dM->%dM(956M) %.3fms\n", 60 + i * 80, i, u + 20, u, 3 + rand() } }' | stkcap -q -o heap.stk -
printf "rules:\n  - { name: main, of: function, match: main, what: total, over: 20%% }\n" >rules.yaml
stktree -q -f stream --rules rules.yaml grouped.stk >findings.stk

# undated COMMAND...: what it says has no year in which the clock of computers began, and some of its rows are there
undated() {
	for form in text tsv ndjson; do
		"$@" -f $form >"out.$form" 2>said || test $? -le 4
		test -s "out.$form" || test $form = ndjson || { echo "nothing: $* -f $form"; return 1; }
		grep -E "(^|[^0-9.])1970-[0-9][0-9]-[0-9][0-9]" "out.$form" said && { echo "$* -f $form"; return 1; }
	done
	return 0
}

check 'stkgroup: tables, those of steps, and by process and thread' '
	undated stkgroup -s scheme.yaml ticks.stk
	awk -F "\t" "\$2 == \"even\" && \$9 >= 1000 && \$10 < 1120 { found = 1 } END { exit !found }" out.tsv
	grep "\"group\":\"even\".*\"first\":\"1[01][0-9][0-9][.0-9]*\",\"last\":\"1[01][0-9][0-9][.0-9]*\"" out.ndjson
	undated stkgroup -s scheme.yaml --step 10s ticks.stk
	grep "^@1000 to @1010: 250 samples" out.text
	sed -n 2p out.tsv | grep "^1000	work"
	undated stkgroup -s scheme.yaml --report hierarchy --step 20s ticks.stk
	grep "^@1020 to @1040$" out.text
'
check 'stkclass: classes, and one of them' '
	undated stkclass ticks.stk		# which has no ndjson
	sed -n 1p out.text | grep "12 dumps, @1000 to @1110"
	name=$(sed -n 2p out.tsv | cut -f 2)
	stkclass -q -f text --class $name ticks.stk | grep "^ *seen *@1[01][0-9]*0 to @1[01][0-9]*0$"
'
check 'stkcat: rows that have no source have the clock of their stream' '
	undated stkcat grouped.stk
	stkcat -q -f tsv --only class grouped.stk | awk -F "\t" "NR > 1 && (\$5 < 1000 || \$5 > 1120 || \$5 !~ /^[0-9.]+$/) { exit 1 }"
	undated stkcat --only finding findings.stk
	undated stkcat --contents grouped.stk
'
check 'stktree, with steps, windows, and beside another window' '
	undated stktree grouped.stk
	undated stktree --step 30s --report groups grouped.stk
	undated stktree --from @1010 --to @1020 grouped.stk
	undated stktree grouped.stk --diff @1000..@1060 @1060..@1120
'
check 'stktrend: forecasts, anomalies, limits, days that are alike, records' '
	for report in "" --anomalies "--forecast 1h" "--explain heap.used" "--regressions heap.used" --seasons "--limit heap.used=1G"; do
		undated stktrend $report heap.stk
	done
	stktrend -q -f stream heap.stk >trends.stk
	undated stkcat trends.stk
'
check 'states know their clocks, also without new input, and merged' '
	stkclass -q --resume classes -f tsv ticks.stk | cut -f 2,7,8 | sort >want
	stkcat -q -f stream --to @0 ticks.stk >none.stk 2>/dev/null || true
	undated stkclass -q --resume classes none.stk
	undated stkclass -q --merge classes
	cut -f 2,7,8 out.tsv | sort | same want -
	stkclass -q --merge --resume merged classes
	undated stkclass -q --merge merged
	for report in "" "--forecast 1h" --anomalies; do
		rm -f heap
		stktrend -q --resume heap -f stream heap.stk >out.stk
		undated stktrend $report --resume heap none.stk
	done
	undated stktrend --resume heap none.stk
	zcat "$t/data/day-17a.txt.gz" | stkcap -q - | stkclass -q --resume days -f text >/dev/null
	stkclass -q --merge -f tsv days | awk -F "\t" "NR > 1 && \$7 !~ /^2026-/ { exit 1 }"
	stkclass -q --merge -f tsv days classes 2>/dev/null | awk -F "\t" "NR > 1 && \$7 !~ /^(1970|2026)-/ { exit 1 }"
'
check 'pictures' '
	for kind in flame heat states groups classes report; do
		stkplot -q $kind -f html -o picture grouped.stk 2>said || test $? -le 1
		status 1 grep -aE "1970-[0-9][0-9]-[0-9][0-9]T" picture said
	done
	stkplot -q heat -f term -o picture grouped.stk && status 1 grep -a 1970 picture
'
check 'an empty window is named as it was typed' '
	status 2 stkcat --from @1020 --to @1010 ticks.stk 2>said && grep "from @1020 to @1010 is empty" said
	status 2 stkcat --from 2026-03-02 --to 2026-03-01 ticks.stk 2>said && grep "from 2026-03-02T00:00:00Z to 2026-03-01T00:00:00Z is empty" said
'
check 'a wall clock keeps its dates, also in rows without a source, and beside another clock' '
	zcat "$t/data/day-17a.txt.gz" | stkcap -q - | stkclass -q >dated.stk
	stkcat -q -f tsv --only class dated.stk | awk -F "\t" "NR > 1 && \$5 !~ /^2026-/ { exit 1 }"
	stkgroup -q -s scheme.yaml -f tsv --step 6h dated.stk | sed -n 2p | grep "^2026-"
	stkcat -q --merge -o both.stk dated.stk ticks.stk
	stkclass -q -f tsv both.stk | awk -F "\t" "NR > 1 && \$7 !~ /^(1970|2026)-/ { exit 1 }"
'
finish
