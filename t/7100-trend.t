#!/bin/sh
# SPDX-License-Identifier: MIT
# stktrend: plain series and streams: what the tables say, states that go on, alerts, and what is refused.
. "${0%/*}/lib/tap.sh"

# Four weeks of quarters of an hour with weekdays and weekends, and a shift at the end: weeks DAYS SEED
weeks() {
	awk -v days="$1" -v seed="$2" 'BEGIN { srand(seed); print "time,load"
		for (i = 0; i < days * 96; i++) {
			day = int(i / 96); busy = day % 7 < 5 ? 1 : 0.4
			v = (200 + 0.02 * i) * (1 + 0.5 * busy * sin(i * 0.0654498)) * (1 + 0.03 * (rand() + rand() + rand() - 1.5))
			if (i == 2000) v *= 4
			if (i >= 2300) v *= 1.8
			printf "%d,%.3f\n", 1404691200 + i * 900, v
		} }'
}
dumps() {	# DAYS SEED: two classes that share a root; their weights change places on day 6
	awk -v days="$1" -v seed="$2" 'function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
		BEGIN { srand(seed); for (i = 0; i < days * 288; i++) {
			print "@" 1772323200 + i * 300
			w = 4 * (1 + 0.7 * sin(i * 0.0218166)); a = i < 6 * 288 ? 0.9 : 0.1
			x = poisson(8 * a); y = poisson(8 * (1 - a)); z = poisson(w)
			if (x) print "main;serve;old " x; if (y) print "main;serve;new " y; if (z) print "main;index " z } }'
}
weeks 28 3 >load.csv
check 'the header of the table begins as scripts expect' '
	stktrend --csv load.csv -f tsv >table
	head -1 table | grep -q "^series	level	rate	accel	season_p	residual	forecast	low	high	"
	test "$(wc -l <table)" = 2
	awk -F "\t" "NR == 2 { exit !(\$1 == \"load\" && \$5 < 0.05 && \$8 < \$7 && \$7 < \$9) }" table'
check '--predict: a row a measure, and errors of one step are small' '
	stktrend --csv load.csv --column load --time-column time --predict -f tsv >rows
	head -1 rows | grep -q "^time	value	predicted	low	high	clipped$"
	test "$(wc -l <rows)" = 2689
	awk -F "\t" "NR > 1500 && NR < 1990 { e = \$2 - \$3; s += e < 0 ? -e : e; v += \$2; n++; in_ += \$2 >= \$4 && \$2 <= \$5 } END { print s / v, in_ / n; exit !(s / v < 0.03 && in_ / n > 0.9) }" rows
	awk -F "\t" "\$6 == 1" rows | grep -q "2014-07-27T20:00:00Z"'
check 'what comes cannot be seen before: predictions are the same when the series ends there' '
	head -1801 load.csv | stktrend --csv - --predict -f tsv >part
	head -1801 rows | same part -'
check '--forecast: a row a step, of the time that was asked for; --factors by period' '
	head -2200 load.csv | stktrend --csv - --forecast 48h -f tsv >comes
	head -1 comes | grep -q "^time	forecast	low	high$" && test "$(wc -l <comes)" = 193
	head -2200 load.csv | COLUMNS=60 stktrend --csv - --forecast 24h | head -4 >picture
	sed -n 1p picture | grep -q "^load: [0-9.]* to [0-9.]*, the last 24 hours and the next$"
	grep -q "█" picture && grep -q "▁" picture
	test "$(sed -n 2,4p picture | grep -o "high\|forecast\|low" | tr "\n" " ")" = "high forecast low "
	head -2200 load.csv | tail -1 | cut -d, -f1 >last
	stktrend --csv load.csv --periods week --factors -f tsv >factors
	head -1 factors | grep -q "^period	slot	factor	at	series	kind	about	low	high$" && test "$(cut -f 1 factors | sort | uniq -c | tr -s " " | tr "\n" ";")" = " 1 period; 96 weekday; 192 weekend;"'
check 'the shift at the end is seen, with its levels, and the wild measure before it is no news' '
	stktrend --csv load.csv --anomalies -f tsv >seen
	grep "shift" seen | awk -F "\t" "{ if (\$8 / \$7 > 1.5 && \$8 / \$7 < 2.1) found = 1 } END { exit !found }"
	grep "^2014-07-3" seen
	status 1 grep -q "	spike	" seen
	stktrend --csv load.csv --anomalies --all -f tsv | grep -q "2014-07-27T20:00:00Z.*spike"'
check '--alert: a line a finding and status 4, silence and 0 without' '
	status 4 stktrend --csv load.csv --alert "shift of lo*" >found
	grep -q "load: shift from" found
	stktrend --csv load.csv --alert "shift of other" >found 2>said && test ! -s found
	grep -qx "stktrend: --alert .shift of other.: no series .other. in the input so far" said
	status 1 stktrend -q --csv load.csv --alert "laod > 300" 2>said && grep -qx "stktrend: --alert .laod > 300.: no series .laod. in the input" said
	stktrend --csv load.csv --alert "any of other" --alert "stuck of other" 2>said && test ! -s said
	status 4 stktrend --csv load.csv --alert "load > 300" | grep -q "level"
	stktrend --csv load.csv --alert "load < 100"
	status 4 stktrend --csv load.csv --alert "load reaches 2000 within 5000d" >found
	grep -q reaches found
	status 2 stktrend --csv load.csv --alert "shfit of load" 2>said && grep -q "expected .shift" said'
check '--limit says when, from when to when' '
	awk "BEGIN { srand(5); print \"time,used\"; for (i = 0; i < 500; i++) printf \"%d,%.1f\n\", 1404691200 + i * 3600, 1000 + 10 * i / 24 + rand() }" >grows.csv
	stktrend --csv grows.csv --periods none --limit used=2000 -f tsv >when
	awk -F "\t" "NR == 2 { exit !(\$4 > 9.95 && \$4 < 10.05 && \$6 ~ /^2014-10-1[45]/ && \$7 <= \$6 && \$6 <= \$8) }" when
	stktrend --csv grows.csv --periods none --limit used=20M -f text | grep -q never'
check 'people see a limit first, with units, and when' '
	awk "BEGIN { for (i = 0; i < 500; i++) printf \"%d,heap.used,%.0f\\n\", 1404691200 + i * 3600, 3e9 + i * 1e6 }" | stkcap -q -o heap.stk -
	stktrend --periods none --limit "heap.used=4G" -f text --width 200 heap.stk >seen
	head -1 seen | grep "^  series  *limit  *now  *a day  *reached (UTC)  *in  *earliest  *latest  *give or take$"
	sed -n 2p seen | grep "^  heap.used  *4G  *3.3G  *+22.9M  *2014-08-29 [0-9][0-9]:[0-9][0-9]  *33 days  *2014-08-"
	test -z "$(sed -n 3p seen)"
	sed -n 4p seen | grep "^  series  *level  *a day"
	sed -n 5p seen | grep "^  heap.used  *3.3G  *+22.9M"
	status 4 stktrend --periods none --alert "heap.used reaches 4294967296 within 60d" heap.stk >said
	grep "Z heap.used: reaches 4.0G at 2014-08-29T[0-9:]*Z (95 %: [^)]*), growing by 22.9M a day$" said'
check 'programs get the kind and the name of what is found, last' '
	dumps 9 1 | stkcap -q --format folded-dumps - | stkclass -q | stktrend -q --periods day --anomalies --all -f tsv >rows
	head -1 rows | grep "^time	series	what	value	expected	score	before	after	kind	about	began	told	finding	low	high$"
	awk -F "\t" "\$3 == \"cost-shift\" && \$9 == \"class\" && \$10 == \"new < serve < main\" { found = 1 } END { exit !found }" rows
	cut -f 1 rows | tail -n +2 | sort -c'
check '--explain tells of all filters' '
	stktrend --csv load.csv --explain load >why
	for word in level rate acceleration season residual clipped chosen; do grep -q "^  $word" why || { echo "no $word"; false; }; done
	status 2 stktrend --csv load.csv --explain oa 2>said && grep -q "no series is called .oa.; .\*oa\*. matches 1" said'
check 'constants that are given are used' '
	stktrend --csv load.csv --constants alpha=0.5,gamma=0.3 --explain load | grep -q "alpha 0.5 an hour"
	status 2 stktrend --csv load.csv --constants alpha=2 2>said && grep -q "0 <= N < 1" said'

# --- a stream of dumps and a metric ---
dumps 9 1 | stkcap -q --format folded-dumps -o dumps.stk -
stkclass -q -o classes.stk dumps.stk
check 'classes: level is the mean number of threads, seasons are seen' '
	stktrend -q -f tsv --kind class classes.stk >table
	awk -F "\t" "/index < main/ { found = \$2 > 3 && \$2 < 5 && \$5 < 0.2 } END { exit !found }" table'
check 'forecasts add up: that of a segment is the sum of those of its classes, whatever is shown' '
	stktrend -q -f tsv --periods day classes.stk >all
	awk -F "\t" "\$12 == \"class\" { whole += \$7; if (\$13 ~ /serve/) part += \$7 } \$12 == \"segment\" { of[\$13] = \$7 }
		END { a = of[\"main\"] - whole; b = of[\"serve\"] - part; print whole, part, a, b; exit !(part > 5 && a * a < 1e-18 && b * b < 1e-18) }" all
	stktrend -q -f tsv --periods day --kind segment classes.stk >some
	awk -F "\t" "NR == 1 || \$12 == \"segment\"" all | same some -'
check 'a pipe passes its stream on, with states, factors, forecasts and anomalies in it' '
	stktrend -q classes.stk | stkcat --check -
	stktrend -q classes.stk | stkcat -f tsv --only sample - >got
	stkcat -f tsv --only sample classes.stk | same got -
	for kind in filter_state seasonal_factor forecast; do test "$(stktrend -q classes.stk | stkcat -f tsv --only $kind - | wc -l)" -gt 3; done
	stktrend -q classes.stk | stktrend -q | stkcat --check -'
cut_at() { stkcat --from "@$1" --to "@$2" -f stream classes.stk; }
check 'a state goes on: in pieces as at once, in what is shown and byte for byte in the state' '
	stktrend -q -f tsv --resume whole classes.stk >want
	a=1772323200
	for b in 1772330000 1772500001 1772800100 1773900000; do cut_at $a $b >piece.stk; stktrend -q -f tsv --resume pieces piece.stk >got; a=$b; done
	same want got
	cmp whole pieces
	stkcat --check pieces
	stktrend -f tsv --resume pieces piece.stk 2>said >again
	same want again && grep -q "earlier run" said'
check 'a state of other options, a broken one and one that another run holds are refused, and kept' '
	cp whole before
	status 2 stktrend -q --resume whole --periods day classes.stk 2>said && grep -q "^stktrend: whole: was made with other options" said
	status 2 stktrend -q --resume whole --periods none classes.stk 2>said && grep -q "^stktrend: whole: was made with other options" said
	head -c 3000 whole >cut && cp cut cut.before
	status 3 stktrend -q -f tsv --resume cut classes.stk 2>said && grep -q "damaged or truncated, left unchanged" said && cmp cut cut.before
	if have flock; then status 3 flock whole.lock stktrend -q -f tsv --resume whole classes.stk 2>said; grep -q "another run holds it" said; fi
	cmp whole before'
check 'weight that only moved between siblings is no news, and is said on request' '
	stktrend -q -f tsv --periods day --kind segment --anomalies classes.stk >news
	status 1 grep -q "	shift	" news
	stktrend -q -f tsv --periods day --kind segment --anomalies --all classes.stk | grep -q "cost-shift"'
check 'a segment that is split later goes on as its halves: their past is its own' '
	{ awk "BEGIN { for (i = 0; i < 600; i++) { print \"@\" 1772323200 + i * 300; print \"main;serve;old \" 5 + i % 3; if (i >= 400) print \"main;serve;new 2\" } }"; } | stkcap -q --format folded-dumps - | stkclass -q >splits.stk
	stktrend -q -f tsv --kind segment splits.stk >table
	awk -F "\t" "\$13 ~ /old/ { n = \$14 } END { exit !(n == 200) }" table
	awk -F "\t" "\$13 ~ /new/ { n = \$14 } END { exit !(n > 60 && n < 70) }" table'
check 'groups are series with their levels above them' '
	printf "scheme: own\ngroups:\n  - name: serving\n    members: [serve]\n    children:\n      - { name: recent, members: [new] }\n" >own.yaml
	stkgroup -q -s own.yaml dumps.stk 2>err | stktrend -q -f tsv --kind group >groups || { cat err; false; }
	cut -f 1 groups | grep -q "^own/serving$" && cut -f 1 groups | grep -q "^own/serving/recent$"
	stkgroup -q -s own.yaml dumps.stk | stktrend -q -f tsv --kind group --series own/serving | tail -1 >alone
	grep "^own/serving	" groups | same alone -
	awk -F "\t" "\$1 == \"own/serving\" { exit !(\$2 > 7 && \$2 < 9) }" groups'
check 'a thread that stands in busy code for long is stuck' '
	{ for i in 0 1 2 3 4 5; do printf "2026-03-01 09:%02d:00\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n\"worker-1\" #11 prio=5 os_prio=0 tid=0x1 nid=0x11 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.Loop.spin(Loop.java:1)\n\tat a.Main.run(Main.java:2)\n\n" $((i * 4)); done; } | stkcap -q - | stktrend -q --alert "stuck" >said && false
	grep -q "thread worker-1 in a.Loop.spin: stuck" said'
check 'metrics of a CSV explain nothing that they do not, and what they do' '
	dumps 9 1 | awk "/^@/ { if (t) printf \"%d,heap.used,%d\n\", t, 5000000 + 1000000 * n; t = substr(\$1, 2); n = 0 } /^main;index/ { n = \$2 }" >heap.csv
	stkcap -q -o heap.stk heap.csv
	stkcat --merge -f stream -o both.stk classes.stk heap.stk
	stktrend -q -f tsv --kind class,metric --against heap.used both.stk >ranks
	head -1 ranks | grep -q "^series	correlation	lag	p	q	"
	sed -n 2p ranks | grep -q "index < main"
	awk -F "\t" "NR == 2 { exit !(\$2 > 0.9 && \$5 < 0.001) }" ranks
	awk -F "\t" "NR > 2 && \$5 < 0.05" ranks >more && test ! -s more'
check '--rate-plan: the busier, the fewer dumps' '
	stktrend -q -f tsv --kind class --rate-plan --series "*" classes.stk >plan
	test "$(wc -l <plan)" = 97
	awk -F "\t" "NR > 1 && \$6 == last { } NR > 1 { if (\$4 < least || !least) least = \$4; if (\$4 > most) most = \$4 } END { exit !(least > 0 && most > least) }" plan'

# --- what is wrong ---
check 'bad rows are told with their line, the rest is used' '
	{ head -300 load.csv; echo "yesterday,5"; echo "1404700000,12"; sed -n 301,302p load.csv; echo "1404961200,text"; echo "1404961300,nan"; sed -n 303,600p load.csv; } >bad.csv
	status 1 stktrend -q --csv bad.csv -f tsv >table 2>said
	grep -q "bad.csv:301: expected a time" said
	grep -q "bad.csv:302: the time is before" said
	grep -q "bad.csv:305: expected a number" said
	grep -q "bad.csv:306: expected a number" said
	test "$(wc -l <table)" = 2'
check 'one measure, equal measures, equal times: no crash, no NaN where a number is' '
	printf "time,v\n1000,5\n" | stktrend --csv - -f tsv >one && grep -q "^v	5.0	" one
	awk "BEGIN { print \"time,v\"; for (i = 0; i < 3000; i++) print i * 900, \",7\" }" | tr -d " " | stktrend --csv - --predict -f tsv >same_ && tail -1 same_ | grep -q "	7.0	7.0	"
	awk "BEGIN { print \"time,v\"; for (i = 0; i < 300; i++) printf \"1000,%d\n\", i % 5 }" | stktrend --csv - -f tsv | tail -1 | cut -f 2,3 | status 1 grep -q "nan\|inf"'
check 'a forecast that the past cannot bear is refused with what is missing' '
	head -1400 load.csv >short.csv
	status 2 stktrend --csv short.csv --periods week --forecast 24h 2>said && grep -q "2 cycles seen, 3 needed" said
	head -15 load.csv >tiny.csv
	status 2 stktrend --csv tiny.csv --forecast 24h 2>said && grep -q "14 measures seen, 20 needed" said'
check 'no interval after no error or one; after two it is that of Student, by the mean size of the errors' '
	printf "time,v\n1772409600,100\n1772410500,104\n1772411400,97\n1772412300,103\n" >four.csv
	stktrend -q --csv four.csv --predict -f tsv >rows
	test "$(awk -F "\t" "NR > 1 && NR < 5 { print \$4, \$5 }" rows | sort -u)" = "nan nan"
	awk -F "\t" "NR == 3 || NR == 4 { e = \$2 - \$3; e = e < 0 ? -e : e; low = NR == 3 || e < low ? e : low; high = e > high ? e : high }
		NR == 5 { size = (\$5 - \$4) / 2 / 4.302653 / 1.2533; exit !(size > low && size < high) }" rows
'
check 'two days without a measure are no change: the interval after them is wide, and what the level took is not repeated' '
	awk "BEGIN { srand(2); print \"time,value\"; for (i = 0; i < 768; i++) if (i < 288 || i >= 480) printf \"%d,%.3f\\n\", 1772409600 + i * 900, 100 + 30 * sin(i * 6.283185307 / 96) + 4 * (rand() - .5) }" >gap.csv
	test "$(stktrend -q --csv gap.csv --anomalies -f tsv | wc -l)" = 1
	stktrend -q --csv gap.csv --predict -f tsv | sed -n "290,291p" >after
	awk -F "\t" "{ if (!(\$4 < \$2 && \$2 < \$5)) bad = 1 } NR == 2 && (\$3 - \$2) ^ 2 > 16 { bad = 1 } END { exit bad || NR != 2 }" after
'
check 'what a season to come explains is no news: periods that were asked for, before they are known' '
	awk "BEGIN { srand(1); print \"time,v\"; for (i = 0; i < 672; i++) printf \"%d,%.3f\\n\", 1772409600 + i * 900, 100 + 30 * sin(i * 6.283185307 / 96) + 2 * rand() }" >sine.csv
	test "$(stktrend -q --csv sine.csv --periods day --anomalies -f tsv | wc -l)" = 1
'
check 'limits of seasonal factors hold the truth: 95 % of 48 slots, of which 42 must' '
	awk "BEGIN { srand(4); print \"time,v\"; for (i = 0; i < 480; i++) { for (n = k = 0; k < 12; k++) n += rand(); printf \"%d,%.3f\\n\", 1772409600 + i * 1800, 100 + 30 * sin(i * 6.283185307 / 48) + 5 * (n - 6) } }" >noisy.csv
	stktrend -q --csv noisy.csv --periods day --multiplicative --smooth none --factors -f tsv >factors
	test "$(head -1 factors)" = "period	slot	factor	at	series	kind	about	low	high"
	awk -F "\t" "NR > 1 { true = 1 + .3 * sin(\$2 * 6.283185307 / 48); hold += \$8 < true && true < \$9; wide += \$9 - \$8 } END { exit !(hold >= 42 && wide / 48 > .05 && wide / 48 < .1) }" factors
'
check 'holidays: lines, a broken line, an empty file' '
	printf "2014-07-14 fete\n# nothing\n2014-07-21;second\nnever\n" >days
	status 1 stktrend --csv load.csv --periods week --holidays days --factors -f tsv >factors 2>said
	grep -q "days:4: expected a date" said
	test "$(cut -f 1 factors | sort -u | tr "\n" " ")" = "fete period second weekday weekend "
	: >none && status 2 stktrend --csv load.csv --periods week --holidays none 2>said && grep -q "holds no dates" said'
check 'iCalendar: events of whole days, for years' '
	printf "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:20100714\r\nDTEND;VALUE=DATE:20100715\r\nRRULE:FREQ=YEARLY\r\nSUMMARY:fete\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n" >days.ics
	got=0; stktrend --csv load.csv --periods week --holidays days.ics --factors -f tsv >factors 2>said || got=$?
	if grep -q "without libical" said; then echo "# no libical"; else test $got = 0 && test "$(grep -c "^fete" factors)" = 96; fi'
check 'wrong usage is said' '
	status 2 stktrend --csv load.csv --periods x=y 2>said && grep -q "expected days" said
	status 2 stktrend --csv load.csv --season-step 7m 2>said && grep -q "divides a day" said
	status 2 stktrend --csv load.csv --column nothing 2>said || status 3 stktrend --csv load.csv --column nothing 2>said
	grep -q "no column" said
	printf "1,2\n3,4\n" >bare.csv && status 3 stktrend --csv bare.csv 2>said && grep -q "expected names of columns" said
	status 2 stktrend --predict classes.stk 2>said && grep -q "no effect without --csv" said
	status 2 stktrend --against nothing classes.stk 2>said && grep -q "no series" said'
check 'every prefix of a stream gives a table or a word, never a crash' '
	size=$(wc -c <classes.stk)
	for at in 1 100 1000 5000 20000 $((size / 3)) $((size / 2)) $((size - 100)) $((size - 1)); do
		head -c $at classes.stk >cut.stk; got=0
		stktrend -q -f tsv cut.stk >out 2>said || got=$?
		test $got -le 2
	done'
check 'damaged blocks are told and left out' '
	cp classes.stk hurt.stk
	printf "\377\377\377\377" | dd of=hurt.stk bs=1 seek=20000 conv=notrunc 2>/dev/null
	got=0; stktrend -q -f tsv hurt.stk >out 2>said || got=$?
	test $got = 1 && grep -q "hurt.stk" said'

# --- metrics that stkcap reads ---
gc() { stkcap -q "$1" 2>err | stkcat -f tsv --only metric - | cut -f 1,3,4; }
check 'unified logs: heap after, total, pause, cause' '
	printf "%s\n" "[2026-03-01T09:00:00.000+0000][info][gc] Using G1" "[2026-03-01T09:00:01.000+0000][1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.455ms" \
		"[2026-03-01T09:00:02.000+0000][2.000s][info][gc,start] GC(1) Pause Full (System.gc())" "[2026-03-01T09:00:02.500+0000][2.500s][info][gc] GC(1) Pause Full (System.gc()) 100M->50M(256M) 500.000ms" \
		"[2026-03-01T09:00:03.000+0000][3.0s][info][gc] GC(2) Concurrent Mark Cycle 5.000ms" >u.log
	gc u.log >got
	printf "time\tname\tvalue\n2026-03-01T09:00:01Z\theap.before\t25165824.0\n2026-03-01T09:00:01Z\theap.used\t4194304.0\n2026-03-01T09:00:01Z\theap.used.young\t4194304.0\n2026-03-01T09:00:01Z\theap.total\t268435456.0\n2026-03-01T09:00:01Z\tgc.pause\t0.003455\n" >want
	printf "2026-03-01T09:00:01Z\tgc.cause.G1 Evacuation Pause\t0.003455\n2026-03-01T09:00:02.500Z\theap.before\t104857600.0\n2026-03-01T09:00:02.500Z\theap.used\t52428800.0\n2026-03-01T09:00:02.500Z\theap.used.full\t52428800.0\n2026-03-01T09:00:02.500Z\theap.total\t268435456.0\n" >>want
	printf "2026-03-01T09:00:02.500Z\tgc.pause.full\t0.5\n2026-03-01T09:00:02.500Z\tgc.cause.System.gc()\t0.5\n2026-03-01T09:00:03Z\tgc.concurrent.Mark Cycle\t0.005\n" >>want
	same want got'
check 'JDK 8: parallel, CMS, serial and G1' '
	printf "%s\n" "2014-07-01T00:00:00.123+0000: 1.994: [GC (Allocation Failure) [PSYoungGen: 6144K->1001K(7168K)] 6144K->1001K(23552K), 0.0040346 secs] [Times: user=0.00 sys=0.00, real=0.00 secs] " \
		"2014-07-01T00:00:02.000+0000: 3.0: [Full GC (Ergonomics) [PSYoungGen: 512K->0K(7168K)] [ParOldGen: 16K->400K(16384K)] 528K->400K(23552K), [Metaspace: 5K->5K(1056768K)], 0.0100000 secs] [Times: user=0.01 sys=0.00, real=0.01 secs]" \
		"2014-07-01T00:00:03.000+0000: 4.0: [GC (Allocation Failure) 2014-07-01T00:00:03.000+0000: 4.0: [ParNew: 100K->10K(200K), 0.0010000 secs] 300K->210K(1000K), 0.0020000 secs] [Times: user=0.01 sys=0.00, real=0.00 secs]" \
		"2014-07-01T00:00:04.000+0000: 5.0: [GC pause (G1 Evacuation Pause) (young), 0.0030000 secs]" "   [Parallel Time: 2.5 ms, GC Workers: 4]" \
		"   [Eden: 24.0M(24.0M)->0.0B(13.0M) Survivors: 0.0B->3072.0K Heap: 24.0M(256.0M)->4.0M(256.0M)]" " [Times: user=0.01 sys=0.00, real=0.00 secs] " >old.log
	gc old.log | grep "heap.used	\|gc.pause\|cause" >got
	printf "2014-07-01T00:00:00.123Z\theap.used\t1025024.0\n2014-07-01T00:00:00.123Z\tgc.pause\t0.0040346\n2014-07-01T00:00:00.123Z\tgc.cause.Allocation Failure\t0.0040346\n" >want
	printf "2014-07-01T00:00:02Z\theap.used\t409600.0\n2014-07-01T00:00:02Z\tgc.pause.full\t0.01\n2014-07-01T00:00:02Z\tgc.cause.Ergonomics\t0.01\n" >>want
	printf "2014-07-01T00:00:03Z\theap.used\t215040.0\n2014-07-01T00:00:03Z\tgc.pause\t0.002\n2014-07-01T00:00:03Z\tgc.cause.Allocation Failure\t0.002\n" >>want
	printf "2014-07-01T00:00:04Z\theap.used\t4194304.0\n2014-07-01T00:00:04Z\tgc.pause\t0.003\n2014-07-01T00:00:04Z\tgc.cause.G1 Evacuation Pause\t0.003\n" >>want
	same want got'
check 'jstat, and what lacks its time' '
	printf "Timestamp        S0C    S1C    S0U    S1U      EC       EU        OC         OU       MC     MU    CCSC   CCSU   YGC     YGCT    FGC    FGCT     GCT   \n          5.1 512.0  512.0   0.0   100.0 4096.0   1000.0   10240.0    2000.0  4864.0 4000.0 512.0  400.0       3    0.010   1      0.020    0.030\n" >j.txt
	gc j.txt | grep -q "heap.used	3174400.0" && gc j.txt | grep -q "gc.full.count	1.0"
	sed "s/^Timestamp *//; s/^ *5.1 //" j.txt >k.txt
	status 1 stkcap -q -o k.stk k.txt 2>said'
check 'tables of time, name and value, and their bad lines' '
	printf "time;name;value\n2026-03-01T09:00:00Z;heap.used;5\n@x;heap.used;5\n1772355601;\"a;b\";2.5\n2026-03-01T09:00:02Z;;5\n2026-03-01T09:00:03Z;heap.used;much\n" >m.csv
	status 1 stkcap -q -o m.stk m.csv
	stkcat -f tsv --only metric m.stk | cut -f 1,3,4 >got
	printf "time\tname\tvalue\n2026-03-01T09:00:00Z\theap.used\t5.0\n2026-03-01T09:00:01Z\ta;b\t2.5\n" | same - got'
finish
