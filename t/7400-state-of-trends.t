#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend: a state is the whole run: pieces of any size give what one run gives, and each finding is reported once.
. "${0%/*}/lib/tap.sh"

# Thread dumps two minutes apart, in which some threads stay in one place for long: dumps COUNT SEED
dumps() {
	awk -v count="$1" -v seed="$2" 'function thread(k, frames) {
			printf "\"worker-%d\" #%d prio=5 os_prio=0 tid=0x%x nid=0x%x runnable\n   java.lang.Thread.State: RUNNABLE\n", k, k + 10, k + 1, k + 1
			n = split(frames, f, " "); for (j = 1; j <= n; j++) printf "\tat %s(X.java:1)\n", f[j]; print "" }
		BEGIN { srand(seed); for (i = 0; i < count; i++) {
			s = i * 120; printf "2026-03-%02d %02d:%02d:00\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n", 1 + int(s / 86400), int(s / 3600) % 24, int(s / 60) % 60
			for (k = 0; k < 8; k++) {
				if (stays[k] <= i && rand() < 0.03) { stays[k] = i + 3 + int(rand() * 20); where[k] = int(rand() * 3) }
				if (stays[k] > i) thread(k, "s.Stuck." substr("abc", where[k] + 1, 1) " a.Run.go a.Main.run")
				else if (rand() < 0.7) thread(k, (i > count / 2 && rand() < 0.3 ? "z.New.n" int(rand() * 3) " " : "") (rand() < 0.5 ? "x.A.f a.Run.go a.Main.run" : rand() < 0.5 ? "x.B.g x.A.f a.Run.go a.Main.run" : "y.C.h a.Main.run"))
			} } }'
}
# pieces SEED: p0000, p0001, ... of dumps.txt
pieces() {
	awk -v seed="$1" 'BEGIN { srand(seed) } /^20/ { if (left-- <= 0) { close(name); name = sprintf("p%04d", piece++); left = int(exp(rand() * 4.5)) - 1 } } { print >name }' dumps.txt
}
told() { stktrend -q -f tsv --anomalies --all --periods "$1" --resume "$2"; }
dumps 420 1 >dumps.txt
stkcap -q <dumps.txt | stkclass -q --resume classes.whole -f stream >whole.stk
check 'random pieces: the same states byte for byte, the same findings, and stuck threads among them' '
	for periods in none day; do
		told $periods whole.$periods <whole.stk | tail -n +2 >told
		test "$(grep -c "	stuck	" told)" -gt 20
		pieces 2$(test $periods = day && echo 3); : >pieces
		for p in p[0-9]*; do stkcap -q <$p | stkclass -q --resume classes.$periods | told $periods pieces.$periods | tail -n +2 >>pieces; done
		test "$(ls p[0-9]* | wc -l)" -gt 10 && rm p[0-9]*
		cmp classes.whole classes.$periods
		cmp whole.$periods pieces.$periods
		sort told >a && sort pieces >b && same a b
	done'
# two hosts, whose stacks are split in one while nothing of it is in the other; a group that nothing is in at first
for h in a b; do dumps 200 $(test $h = a && echo 3 || echo 4) | sed "s/a.Run.go/a.Run.$h/; s/y.C.h/y.C.h$h/" | stkcap -q --source $h -o $h.stk -; done
stkcat --merge --sort -f stream a.stk b.stk >both.stk
printf "scheme: late\ngroups:\n  - name: new\n    members: ['z.New.*']\n  - name: old\n    members: ['x.*']\n" >late.yml
flow() { stkclass -q --by "$1" --resume $2.classes -f stream | stkgroup -q -s late.yml -f stream | stktrend -q -f tsv --anomalies --all --periods day --step 1h --resume $2.trends; }
check 'the same with parts and groups of two hosts: states and findings' '
	for by in source state source,pool; do
		rm -f *.classes *.trends; flow $by one <both.stk | tail -n +2 | sort >told
		from=
		for to in 00:10 00:40 01:58 02:20 03:00 03:31 03:33 04:40 05:00 06:00 ""; do
			stkcat -f stream ${from:+--from 2026-03-01T$from} ${to:+--to 2026-03-01T$to} both.stk | flow $by pieces | tail -n +2
			from=$to
		done | sort | same told -
		test -s told
		cmp one.classes pieces.classes && cmp one.trends pieces.trends
	done'
# one segment whose level rises, and which is split later by a stack that leaves it; `get` is called by two
rising() {
	awk 'BEGIN { srand(6); for (i = 0; i < 600; i++) { print "@" 1772323200 + i * 300
		print "m;a;b;get " (i < 300 ? 2 : 14) + int(rand() * 2); if (i % 3 == 0) print "m;c;get 1"; if (i >= 480) print "m;a;z 3" } }'
}
check 'what was found of a segment before it was split is told by one run as by pieces, and its name is its own frames' '
	rising | stkcap -q -f folded-dumps -o rising.stk -
	changes() { stkclass -q --resume $1.c -f stream | stktrend -q -f tsv --anomalies --periods none --resume $1.t | tail -n +2; }
	changes whole <rising.stk >told
	awk -F "\t" "\$9 == \"segment\" { print \$10 }" told | sort -u | grep -qx "b < a"
	for cut in 1772323200+150*300 1772323200+320*300 1772323200+479*300 1772323200+480*300 1772323200+550*300; do
		rm -f halves.*
		{ stkcat -f stream --to @$(($cut)) rising.stk | changes halves; stkcat -f stream --from @$(($cut)) rising.stk | changes halves; } | sort >pieces
		sort told | same pieces -
		cmp whole.t halves.t
	done
	awk -F "\t" "\$9 == \"segment\" { print \$10 }" told | grep -qx get'
check 'a state of a build that kept no order of segments: that is said, and which class is where is known when it comes again' '
	alter=${BUILD:-}/t/tools/alter; test -x "$alter" || { echo "no $alter: run by make check"; exit 1; }
	cp whole.t old.t
	rows=$(stkcat -f ndjson --only kept_point old.t | awk "/\"raw\":4294967291/ && !/\"value\":0.0}/ { print NR - 1 }") && test -n "$rows"
	for row in $rows; do "$alter" kept_point raw $row 4294967295 <old.t >new.t && mv new.t old.t; done
	cp old.t first.t
	status 1 stktrend -q -f tsv --periods none --resume first.t </dev/null >table 2>said
	grep -q "a build between two releases wrote it, without the order of the segments" said
	status 1 stktrend -q -f tsv --periods none --resume first.t </dev/null >table 2>said
	status 1 grep -q "between two releases" said
	for i in 600 601 602; do printf "@%d\nm;a;b;get 14\nm;c;get 1\nm;a;z 3\n" $((1772323200 + i * 300)); done | stkcap -q -f folded-dumps | stkclass -q --resume whole.c -f stream >late.stk
	for s in whole old; do stktrend -q -f tsv --periods none --resume $s.t late.stk >table 2>said || test $s.$? = old.1; done
	cmp whole.t old.t'
check 'several inputs of one run: threads are followed from one to the next' '
	stktrend -q -f tsv --anomalies --all --periods none --resume run.state whole.stk >told
	awk "/^20/ { dumps++ } { print >(\"third\" int(dumps / 141)) }" dumps.txt
	for p in third0 third1 third2; do stkcap -q <$p | stkclass -q --resume classes.thirds -f stream >$p.stk; done
	stktrend -q -f tsv --anomalies --all --periods none --resume thirds.state third?.stk >thirds
	same told thirds
	cmp run.state thirds.state'
if command -v python3 >/dev/null; then
check 'random recordings whose call tree grows while levels change: whether a finding was reported before does not depend on the tree of later' '
	mkdir -p random && cd random
	for seed in 1 7; do python3 "$t/lib/random_pieces.py" $seed; done'
check 'two hosts whose levels change in one dump: when their finding began does not depend on which of them came first' '
	mkdir -p random && cd random
	python3 "$t/lib/random_pieces.py" 48'
else
skip 'no python3' 'random recordings whose call tree grows'
skip 'no python3' 'two hosts whose levels change in one dump'
fi
check 'every view of what pieces made is that of one run' '
	for view in "" --factors --forecast=6h "--explain=*" "--alert=any" "--alert=*>0.5" --anomalies; do
		for s in whole pieces; do cp $s.day $s.view; stktrend -q -f tsv --periods day --resume $s.view $view </dev/null >$s.out 2>/dev/null || test $? = 4 -o $? = 1 -o $? = 2; done
		same whole.out pieces.out
	done'
check 'rows that are read twice tell nothing twice' '
	cp whole.none again && told none again <whole.stk | tail -n +2 >told && test ! -s told && cmp whole.none again'
check 'what a view does not show stays in the state for one that does, and is told once' '
	stktrend -q -f tsv --resume kept <whole.stk >table
	stktrend --resume kept --forecast 6h -f tsv <whole.stk 2>said >table; grep -q "findings were not shown; the state keeps what was found" said
	status 4 stktrend -q --resume kept --alert "stuck of *Stuck.a" <whole.stk >first
	status 4 stktrend -q --resume kept --alert stuck <whole.stk >rest
	status 0 stktrend -q --resume kept --alert stuck <whole.stk >none && test ! -s none
	status 1 grep -q Stuck.a rest
	stktrend -q --resume one.state --alert stuck <whole.stk >once || test $? = 4
	sort first rest >a && sort once | same a -'
check 'a state of another zone, of other thresholds or of other holidays in its past is refused, and kept' '
	cp whole.none before
	for other in "--zone America/New_York" "--stuck 5m" "--spike 5" "--multiplicative"; do
		status 2 stktrend -q --periods none --resume whole.none $other -f tsv </dev/null 2>said
		grep -q "was made with other options" said
	done
	cmp whole.none before
	for d in 2026-03-01 2030-01-01; do echo "$d feast"; done >days
	stktrend -q --periods day --holidays days --resume holy -f tsv <whole.stk >table
	echo "2031-01-01 feast" >>days && stktrend -q --periods day --holidays days --resume holy -f tsv </dev/null >table 2>said || test $? = 1
	echo "2026-02-27 feast" >>days && cp holy before
	status 2 stktrend -q --periods day --holidays days --resume holy -f tsv </dev/null 2>said
	grep -q "was made with other holidays up to 2026-03-01" said && cmp holy before'
check 'a rule that cannot be understood, and an output that cannot be written, leave the state' '
	cp whole.none before
	status 2 stktrend -q --periods none --resume whole.none --alert shfit <whole.stk 2>said && cmp whole.none before
	if test -c /dev/full; then status 3 stktrend -q --resume full --anomalies --all -f tsv <whole.stk 2>said >/dev/full; test ! -e full; fi'

# --- small things that were wrong ---
check 'amounts in alerts have units, as those of --limit' '
	awk "BEGIN { print \"time,name,value\"; for (i = 0; i < 400; i++) printf \"%d,heap.used,%.0f\n\", 1772323200 + i * 900, 3000000000 + i * 2500000 }" | stkcap -q -o heap.stk -
	status 4 stktrend -q --alert "heap.used reaches 4G within 30d" heap.stk | grep -q "reaches 4.0G"
	status 4 stktrend -q --alert "heap.used > 3G" heap.stk >said
	status 0 stktrend -q --alert "heap.used > 4T" heap.stk >said && test ! -s said
	for bad in 4X nan 0x10 ""; do status 2 stktrend -q --alert "heap.used > $bad" heap.stk 2>said; done'
check 'a class that is gone has a level of 0, and no interval is upside down' '
	awk "BEGIN { srand(1); for (i = 0; i < 2000; i++) { print \"@\" 1772323200 + i * 300; print \"r;a 5\"; if (i < 900) print \"r;b \" int(3 + rand() * 3 - i / 300) } }" | stkcap -q -f folded-dumps | stkclass -q >gone.stk
	stktrend -q -f tsv gone.stk >table && awk -F "\t" "NR > 1 && \$2 < 0 { bad = 1 } END { exit bad }" table
	stktrend -q -f tsv --forecast 24h gone.stk >table && test "$(wc -l <table)" -gt 90
	awk -F "\t" "NR > 1 && (\$5 < \$4 || \$3 < \$4 || \$3 > \$5) { bad = 1 } END { exit bad }" table'
check 'an idle series does not drift: no finding but what happened, and no score is inf' '
	awk "BEGIN { print \"time,load\"; for (i = 0; i < 4000; i++) print 1404691200 + i * 300 \",\" (i == 3000 ? 5 : 0) }" >idle.csv
	stktrend --csv idle.csv --anomalies --all -f tsv >table && test "$(wc -l <table)" -le 3
	status 1 grep -q inf table'
check '--constants beta=0 is a series without a rate' '
	awk "BEGIN { print \"time,load\"; srand(4); for (i = 0; i < 2000; i++) print 1404691200 + i * 900 \",\" (i < 20 ? i : 10 + rand()) }" >step.csv
	stktrend --csv step.csv --constants alpha=0.004,beta=0 --periods none -f tsv | awk -F "\t" "NR == 2 { exit !(\$3 == 0 && \$2 > 10 && \$2 < 11) }"'
check '--against names the series when a pattern is for several names, and takes one name of several sources' '
	for h in a b; do awk "BEGIN { print \"time,name,value\"; for (i = 0; i < 400; i++) printf \"%d,heap.used,%.0f\n\", 1772323200 + i * 900, 3000000000 + i * 2500000 }" >host-$h.csv; done
	stkcap -q host-a.csv host-b.csv >hosts.stk
	stktrend -q --against heap.used hosts.stk
	sed "s/heap.used/heap.total/" host-a.csv | stkcap -q --source host-a.csv - >total.stk
	stkcat --merge -f stream hosts.stk total.stk >more.stk
	status 2 stktrend -q --against "heap.*" more.stk 2>said
	grep -q "is 3 series (heap.total@host-a.csv, heap.used@host-a.csv, heap.used@host-b.csv): name one of them" said
	stktrend -q --against heap.used@host-a.csv hosts.stk 2>said; status 1 grep -q "name one of them" said'

# metrics of two sorts with a change in one of them, each at its own times: metrics SEED COUNT
metrics() {
	awk -v seed="$1" -v count="$2" 'BEGIN { srand(seed); print "time,name,value"; for (i = 0; i < count; i++) {
		time = 1772323200 + i * 900 + seed
		printf "%d,heap.used,%.0f\n%d,cpu,%.3f\n", time, 3e9 + 1e8 * sin(i / 96 * 6.283) + 2e7 * rand() + (i > count * 0.8 ? 1e9 : 0), time, 20 + rand() * 5 + (i == 400 ? 70 : 0) } }'
}
check '--merge: states of machines, in any order and in any pairs, are the state of one run byte for byte, and every view of it' '
	for h in a b c; do metrics $(printf $h | od -An -tu1) $(test $h = c && echo 2 || echo 900) | stkcap -q --format metrics --source $h -o $h.stk -; stktrend -q -f tsv --resume $h.state $h.stk >/dev/null; done
	stktrend -q -f tsv --resume d.state whole.stk >/dev/null
	stktrend -q -f tsv --resume once.state a.stk b.stk c.stk whole.stk >one.tsv
	stktrend -q --merge -f tsv --resume joined.state a.state b.state c.state d.state | same one.tsv -
	cmp once.state joined.state
	stktrend -q --merge --resume da.state d.state a.state >/dev/null
	stktrend -q --merge --resume cb.state c.state b.state >/dev/null
	stktrend -q --merge --resume pairs.state cb.state da.state >/dev/null
	cmp once.state pairs.state
	stktrend -q --anomalies --all -f tsv --resume once.state </dev/null >one.tsv 2>/dev/null || test $? = 1
	test "$(wc -l <one.tsv)" -gt 3
	stktrend -q --merge --anomalies --all -f tsv pairs.state | same one.tsv -
	for h in a b; do metrics $(printf $h | od -An -tu1) 950 | stkcap -q --format metrics --source $h -o more-$h.stk -; done
	for s in joined pairs; do stktrend -q -f tsv --resume $s.state more-a.stk more-b.stk >$s.tsv; done
	same joined.tsv pairs.tsv'
check '--merge: a series, or dumps, in two states, a file that is missing or no state: status 3, and nothing is written' '
	status 3 stktrend --merge --resume no.state a.state da.state >out 2>said; grep -q "^stktrend: da.state: a state before it follows .*@a, too" said
	status 2 stktrend --merge --resume no.state d.state whole.none >out 2>said; grep -q "made with other options" said
	stktrend -q -f tsv --resume e.state <whole.stk >out
	status 3 stktrend --merge --resume no.state d.state e.state >out 2>said; grep -q "^stktrend: e.state: " said
	status 3 stktrend --merge --resume no.state a.state nowhere >out 2>said; grep -q "^stktrend: nowhere: no such file" said
	status 3 stktrend --merge --resume no.state a.stk >out 2>said; grep -q "^stktrend: a.stk: not a stktrend state" said
	status 2 stktrend --merge --from 2026-03-01 a.state 2>said
	status 2 stktrend --merge 2>said </dev/null
	test ! -e no.state && test ! -s out'
check 'of a level that came back within a day one run tells nothing, but if pieces told that it went they tell that it came back' '
	awk "BEGIN { srand(5); print \"time,name,value\"; for (i = 0; i < 2880; i++)
		printf \"%d,q,%.3f\n\", 1772323200 + 900 * i, 100 + 20 * sin(i * 6.283185 / 96) + 4 * rand() + (i >= 2344 && i < 2470 ? 60 : 0) }" >back.csv
	stkcap -q --format metrics -o back.stk back.csv
	shifts() { stktrend -q "$@" -f tsv | awk -F "\t" "NR > 1 && \$3 == \"shift\" { print substr(\$1, 1, 10) }"; }
	test -z "$(shifts --anomalies back.stk)"
	shifts --anomalies --all back.stk >want && test "$(wc -l <want)" = 2
	rm -f back.state
	for part in "--to 2026-03-25T20:00" "--from 2026-03-25T20:00 --to 2026-03-27T00:00" "--from 2026-03-27T00:00"; do
		stkcat -q -f stream $part -o part.stk back.stk
		shifts --anomalies --resume back.state part.stk
	done >got
	same want got'
finish
