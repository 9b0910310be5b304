#!/bin/sh
# SPDX-License-Identifier: MIT
# stkgroup over streams: tables, records, views, checks, generation; the schemes that come with it, on real dumps.
. "${0%/*}/lib/tap.sh"

cat >abc.yaml <<'YAML'
scheme: abc
groups:
  - name: A
    colour: '#4e79a7'
    members: [A]
    children:
      - name: B
        members: [B]
        children:
          - name: C
            members: [C]
examples:
  - {stack: A;B;C, group: A/B/C}
YAML
printf '%s\n' 'A 1' 'A;B 1' 'A;B;C 1' 'A;B 1' 'A 1' 'D;C 1' 'X;Y 3' >folded
stkcap -q -o abc.stk --format folded folded
zcat "$t/data/day-17a.txt.gz" | stkcap -q -o jvm.stk -

check 'the worked example as a table: own and total of each group, the rest as (none)' '
	stkgroup -q -s abc.yaml -f tsv abc.stk | cut -f 1-4,7 >got
	printf "scheme\tgroup\tcount\tweight\ttotal\nabc\tA\t2\t2\t6\nabc\tA/B\t2\t2\t4\nabc\tA/B/C\t2\t2\t2\nabc\t(none)\t1\t3\t1\n" | same - got
	stkgroup -q -s abc.yaml -f ndjson abc.stk | grep -q "\"group\":\"A/B/C\",\"count\":2"
	stkgroup -q -s abc.yaml -f text abc.stk | grep -q "66.7\|6[0-9]"'
check 'with another priority' '
	sed "s/- name: C/- name: C\n            priority: -1/" abc.yaml >low.yaml
	stkgroup -q -s low.yaml -f tsv abc.stk | cut -f 2,3 >got
	printf "group\tcount\nA\t2\nA/B\t3\nA/B/C\t1\n(none)\t1\n" | same - got'
check 'as records: the groups, once each stack its group, and the rest untouched' '
	stkgroup -q -s abc.yaml abc.stk >grouped.stk
	stkcat --check grouped.stk
	test "$(stkcat -f tsv --only group grouped.stk | tail -n +2 | cut -f 2,3,4 | tr "\t\n" ",;")" = "1,0,A;2,1,B;3,2,C;"
	stkcat -f tsv --only sample grouped.stk >got && stkcat -f tsv --only sample abc.stk | same - got
	test "$(stkcat -f tsv --only group_of_stack grouped.stk | tail -n +2 | wc -l)" = 5'
check 'cat of streams is a stream for it' '
	cat abc.stk abc.stk | stkgroup -q -s abc.yaml -f tsv - | cut -f 2,3 >got
	printf "group\tcount\nA\t4\nA/B\t4\nA/B/C\t4\n(none)\t2\n" | same - got
	cat abc.stk abc.stk | stkgroup -q -s abc.yaml - >twice.stk && stkcat --check twice.stk'
check 'a scheme travels with its stream' '
	stkgroup -q -s abc.yaml --embed abc.stk >carried.stk && mv abc.yaml away.yaml
	stkgroup -q -f tsv carried.stk >got; mv away.yaml abc.yaml
	stkgroup -q -s abc.yaml -f tsv abc.stk | same - got
	status 2 stkgroup -f tsv abc.stk 2>said && grep -q "the stream carries no scheme" said'
check 'several schemes at once' '
	printf "scheme: other\ngroups: [{name: all, members: [\"*\"]}]\n" >other.yaml
	stkgroup -q -s abc.yaml -s other.yaml -f tsv abc.stk | cut -f 1 | sort | uniq -c | awk "{ print \$1, \$2 }" >got
	printf "4 abc\n1 other\n1 scheme\n" | same - got
	status 2 stkgroup -s abc.yaml -s abc.yaml -f tsv abc.stk 2>said && grep -q "two schemes are named" said'
check 'explained: the group and where its pattern stands, then who lost, and why' '
	stkgroup -s abc.yaml --explain "A;B;C" >got
	test "$(head -1 got)" = "$(printf "A/B/C\tabc.yaml:11")"
	grep -q "A/B is below it" got
	test "$(stkgroup -s abc.yaml --explain "X;Y" | head -1)" = "$(printf "(none)\tabc.yaml:0")"'
check 'examples that are right are silent, others are told with their line' '
	stkgroup -s abc.yaml --test | same - /dev/null
	sed "s#group: A/B/C#group: A/B#" abc.yaml >wrong.yaml
	status 1 stkgroup -s wrong.yaml --test >said && grep -q "wrong.yaml:13: A;B;C goes to A/B/C, the example says A/B" said'
check 'lint: the same twice, shadowed, unreachable, and with a stream unused' '
	stkgroup -s abc.yaml --lint | same - /dev/null
	printf "siblings:\n  - {name: a, members: [\"x*\"]}\n  - {name: b, members: [xy]}\n  - {name: c}\n  - {name: d, members: [\"x*\", q]}\n" >l.yaml
	status 1 stkgroup -s l.yaml --lint >said
	grep -q "l.yaml:3: b: shadowed" said && grep -q "l.yaml:4: c: unreachable" said && grep -q "l.yaml:5: d: overlapping" said
	status 1 stkgroup -s abc.yaml -s other.yaml --lint jvm.stk >said && grep -q "A: unused" said'
check 'what no group took, and what would cover it' '
	stkgroup -q -s abc.yaml --coverage -f tsv abc.stk >got
	printf "weight\tshare\tfunction\n3\t0.3333333333333333\t(none)\n3\t0.3333333333333333\tY\n" | same - got'
check 'folded: the group of the whole; frames of one group as one; with the function that leads in' '
	stkgroup -q -s abc.yaml -f folded abc.stk >got && printf "(none) 3\nA 2\nA;B 2\nA;B;C 2\n" | same - got
	printf "x;A;A;y;B 2\n" | stkcap -q --format folded - >view.stk
	stkgroup -q -s abc.yaml -f folded --frames grouped view.stk >got && printf "x;A;y;A/B 2\n" | same - got
	stkgroup -q -s abc.yaml -f folded --frames entry view.stk >got && printf "x;A!A;y;A/B!B 2\n" | same - got'
check 'by thread, by state, of a part: sums add up' '
	stkgroup -q -s jvm -f tsv jvm.stk | awk -F "\t" "NR > 1 { n += \$4 } END { print n }" >all
	stkgroup -q -s jvm --by pool -f tsv jvm.stk | awk -F "\t" "NR > 1 { n += \$5 } END { print n }" | same all -
	stkgroup -q -s jvm --step 1m -f tsv jvm.stk | awk -F "\t" "NR > 1 { n += \$5 } END { print n }" | same all -
	stkgroup -q -s jvm --state waiting -f tsv jvm.stk | awk -F "\t" "NR > 1 { n += \$4 } END { exit !(n > 0) }"'
check 'figures by time, as records' '
	stkgroup -q -s jvm --step 1m jvm.stk | stkcat -f tsv --only group_figure - >got
	awk -F "\t" "NR > 1 { n += \$8 } END { print n }" got | same all -'
check 'time by events: the worked example, from a text' '
	printf "scheme: e\ngroups: [{name: A, events: {start: a, stop: /a}}, {name: B, events: {start: b, stop: /b}}, {name: C, events: {start: c, stop: /c}}]\n" >e.yaml
	printf "time\tthread\thappening\tname\n0\tt\tstart\ta\n0.001\tt\tstart\tb\n0.002\tt\tstart\tc\n0.003\tt\tstop\t/c\n0.003\tt\tswitch-out\n0.006\tt\tswitch-in\n0.007\tt\tstop\t/b\n0.008\tt\tstop\t/a\n0.008\tt\tstart\tc\n0.009\tt\tstop\t/c\n" >events.tsv
	stkgroup -q -s e.yaml --events events.tsv -f tsv | cut -f 2,6 >got
	printf "group\ttime\nA\t0.002\nB\t0.002\nC\t0.002\n" | same - got
	printf "@0\nx;f 1\n@1\nx;f 1\n@2\nx;f 1\n" | stkcap -q -o both.stk --format folded-dumps -
	printf "scheme: e\ngroups: [{name: A, members: [f], events: {start: a, stop: /a}}]\n" >both.yaml
	printf "0\tt\tstart\ta\n1\tt\tstop\t/a\n" >pairs.tsv
	for how in filled:3 paired:1 sampled:3 mean:2 normalised:1; do
		test "$(stkgroup -q -s both.yaml --events pairs.tsv --timing ${how%:*} -f tsv both.stk | tail -1 | cut -f 6,12,13)" = "$(printf "${how#*:}.0\t3.0\t1.0")"
	done
	printf "nonsense\n1\tt\tstop\t/a\n" >>events.tsv
	status 1 stkgroup -s e.yaml --events events.tsv -f tsv 2>said >/dev/null && grep -q "events.tsv:12: not an event" said && grep -q "events: 1 stop without a start\$" said'
check 'a scheme for the packages of a recording, which is one; brought up to date it keeps what hands wrote' '
	stkgroup -q --generate packages jvm.stk >gen.yaml
	stkgroup -s gen.yaml --test
	test "$(stkgroup -q -s gen.yaml --coverage -f tsv jvm.stk | sed -n 2p | awk "{ print (\$2 < 0.5) }")" = 1
	printf "scheme: mine\ngroups:\n  - name: java.lang\n    owner: me   # by hand\n    members: [java.lang.*]\n" >mine.yaml
	stkgroup -q --generate packages --update mine.yaml jvm.stk >new.yaml
	grep -q "owner: me   # by hand" new.yaml && test "$(grep -c "name: .*java.lang.$" new.yaml)" -le 1 && stkgroup -s new.yaml --test
	test "$(wc -l <new.yaml)" -gt 6'
check 'the moment at which a thread is switched out is no work: perf script with sched_switch' '
	{ printf "app 1/1 1.0: 1 cycles: \n\t1 A (app)\n\n"; printf "app 1/1 1.1: 1 sched:sched_switch: \n\t1 A (app)\n\n"; printf "app 1/1 1.2: 1 cycles: \n\t1 A (app)\n\n"; } | stkcap -q -o sched.stk --format perf-script -
	test "$(stkcat -q --contents -f tsv sched.stk | grep "^sample" | cut -f 2)" = 3
	stkgroup -s abc.yaml --event all -f tsv sched.stk 2>said | tail -1 | cut -f 2,3 >got && printf "A\t2\n" | same - got
	grep -q "1 samples are thread switches" said'
check 'a scheme of the hot segments that stkclass found' '
	stkclass -q jvm.stk | stkgroup -q --generate segments - >seg.yaml
	stkgroup -s seg.yaml --test && test "$(grep -c "name:" seg.yaml)" -gt 5
	test "$(stkgroup -q -s seg.yaml --coverage -f tsv jvm.stk | sed -n 2p | awk "{ print (\$2 < 0.5) }")" = 1
	status 1 stkgroup --generate segments jvm.stk 2>said >/dev/null && grep -q "the output of stkclass" said'
check 'live: a scheme that is edited is read again at the next step; a broken one leaves the old in force' '
	dump() { printf "@%s\n%s 1\n" "$1" "$2" | stkcap -q --format folded-dumps -; }
	printf "scheme: live\ngroups: [{name: one, members: [f]}]\n" >live.yaml
	mkfifo live
	stkgroup -s live.yaml --follow --step 10s -f tsv live >rows 2>said & pid=$!
	exec 8>live
	dump 1000 f >&8; dump 1020 f >&8; sleep 0.5
	printf "scheme: live\ngroups: [{name: two, members: [f]}]\n" >live.yaml
	dump 1040 f >&8; dump 1060 f >&8; sleep 0.5
	printf "groups: [\n" >live.yaml
	dump 1080 f >&8; dump 1100 f >&8; dump 1120 f >&8; sleep 0.5
	exec 8>&-; kill -TERM $pid; wait $pid || true
	grep -q "	one	" rows && grep -q "	two	" rows && grep -q "was edited" said && grep -q "the old scheme remains in use" said'
check 'whose code it is: by CODEOWNERS, and by the history of a repository' '
	printf "# who\n* @all\n/src/main/java/com/ @shop/java\n*.md nobody\njdk/ @vm\n" >CODEOWNERS
	printf "\"t\" #1 prio=5 tid=0x1 nid=0x2 runnable\n\tat com.acme.Page.show(Page.java:3)\n\tat java.lang.Thread.run(Thread.java:1)\n" >one.txt
	{ echo "2026-01-01 00:00:00"; echo "Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):"; echo; cat one.txt; echo; } | stkcap -q -o own.stk -
	stkgroup -q --generate owners --owners CODEOWNERS --root src/main/java own.stk >own.yaml
	stkgroup -s own.yaml --test && grep -q "@shop-java" own.yaml
	test "$(stkgroup -q -s own.yaml -f tsv own.stk | tail -1 | cut -f 2)" = "@shop-java"
	if have git; then
		mkdir -p repo/src/main/java/com/acme && cd repo && git init -q . && touch src/main/java/com/acme/Page.java && git add -A
		git -c user.name=a -c user.email=a@web.example commit -qm one && echo x >>src/main/java/com/acme/Page.java && git -c user.name=b -c user.email=b@core.example commit -qam two && cd ..
		stkgroup -q --generate git --repository repo --root src/main/java own.stk >git.yaml
		grep -q "core.example" git.yaml && test "$(stkgroup -q -s git.yaml -f tsv own.stk | tail -1 | cut -f 2)" = core.example
		status 2 stkgroup --generate git --repository /nowhere own.stk 2>said && grep -q "git log failed in /nowhere" said
	fi'
check 'damage is told, and the rest is grouped' '
	head -c $(($(wc -c <jvm.stk) - 300)) jvm.stk >cut.stk
	status 1 stkgroup -s jvm -f tsv cut.stk >got 2>said && test -s said'

cat >ps.stacktags <<'XML'
<?xml version="1.0" encoding="utf-8"?>
<Tag Name="">
  <Tag Name="TagB"><Entrypoint Module="*" Method="B"/>
    <Tag Name="Interpreter"><Entrypoint Module="System.Management.Automation.dll" Method="System.Management.Automation.Interpreter.*"/></Tag>
  </Tag>
  <Tag Name="TagC"><Entrypoint Module="*" Method="C"/></Tag>
  <HintTag Name="RPC" Priority="5" HintOperator="Callee" OnlyShowModule="true"><Entrypoint Module="rpcrt4.dll" Method="Invoke"/></HintTag>
</Tag>
XML
if stkgroup --import ps.stacktags 2>&1 | grep -q "without expat"; then
	skip 'built without expat' 'tags of Windows Performance Analyzer'
else
check 'tags of Windows Performance Analyzer: A, B, C, D with tags on B and C are A, TagB, TagC, D, and as a whole TagC' '
	stkgroup --import ps.stacktags >ps.yaml 2>said && grep -q "ps.stacktags:7: the hint .RPC." said
	printf "A;B;C;D 1\n" | stkcap -q --format folded - >tagged.stk
	stkgroup -q -s ps.yaml -f folded --frames grouped tagged.stk >got && echo "A;TagB;TagC;D 1" | same - got
	stkgroup -q -s ps.yaml -f folded tagged.stk >got && echo "TagC 1" | same - got
	stkgroup -s ps.yaml --explain "System.Management.Automation.Interpreter.Run (System.Management.Automation.dll)" | head -1 | grep -q "^TagB/Interpreter"
	printf "<Tag Name=\"a\"><Entrypoint></Tag>" >bad.stacktags
	status 2 stkgroup --import bad.stacktags 2>said && grep -q "bad.stacktags:1:[0-9]*: mismatched tag" said'
check '... and back again, the same attribution' '
	stkgroup -s ps.yaml --export stacktags >back.stacktags && stkgroup --import back.stacktags >back.yaml
	stkgroup -q -s back.yaml -f folded --frames grouped tagged.stk >got && echo "A;TagB;TagC;D 1" | same - got
	status 1 stkgroup -s jvm --export stacktags >some.stacktags 2>said && grep -q "cannot express this member" said'
fi
check 'categories of SJK: the first that matches' '
	printf "# ours\ndb=org.postgresql.*,com.mysql.**\nweb.page=com.acme.Page.*\nall=**\nnonsense\n" >x.ctz
	status 1 stkgroup --import x.ctz >x.yaml 2>said && grep -q "x.ctz:5: no category" said
	stkgroup -s x.yaml --explain "com.acme.Page.show;org.postgresql.Q.run" | head -1 | grep -q "^db"
	stkgroup -s x.yaml --explain "com.other.X.y" | head -1 | grep -q "^all"
	stkgroup -s x.yaml --export ctz | grep -q "^web.page=com.acme.Page.\*$"'

# the schemes that come with it
for scheme in $(stkgroup --list); do
	check "$scheme: its examples are right, none of its members is without effect, and it says what it is" '
		stkgroup -s $scheme --test | same - /dev/null
		stkgroup -s $scheme --lint | same - /dev/null
		grep -q "^description: " "$t/../schemes/$scheme.yaml" && grep -q "^examples:" "$t/../schemes/$scheme.yaml"
		grep -q "| \[$scheme\]($scheme.yaml) |" "$t/../schemes/README.md"'
done
check 'of a real day of thread dumps nine of ten threads are in a named group below the top' '
	stkgroup -q -s jvm -f tsv jvm.stk | awk -F "\t" "NR > 1 { n += \$4; if (\$2 ~ /\//) m += \$4 } END { print m, n; exit !(m >= 0.9 * n) }"'
check 'an include brings in another scheme by name' '
	printf "include: [java-data]\nscheme: both\ngroups: [{name: mine, members: [com.shop.*]}]\n" >both.yaml
	stkgroup -s both.yaml --test
	stkgroup -s both.yaml --explain "com.acme.A.b;org.postgresql.X.y" | head -1 | grep -q "^jdbc/postgresql"'
check 'what has one answer for the whole input refuses steps and keys' '
	status 2 stkgroup -s jvm --coverage --step 1h jvm.stk 2>said
	grep "^stkgroup: --step has no effect with --coverage" said
	status 2 stkgroup --generate packages --by thread jvm.stk 2>said
	grep "^stkgroup: --by has no effect with --generate" said
	status 2 stkgroup -s jvm -f folded --step 1h jvm.stk 2>said
	grep "^stkgroup: --step has no effect with -f folded" said
	stkgroup -q -s jvm -f folded --by thread jvm.stk | grep -q "^main;"
'
finish
