#!/bin/sh
# SPDX-License-Identifier: MIT
# Texts that a log system wrapped give the rows of the text itself: JSON of docker, ECS, logstash, GCP, journald and
# Loki, answers of CloudWatch, Loki and Elasticsearch, CSV, logfmt, journald's export, CRI, HTML, rsyslog; and what is
# lost in them is reported.
. "${0%/*}/lib/tap.sh"

cat >plain <<'END'
2026-01-02 03:04:05
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):

"main" #1 prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x00007f0000000001 nid=0x1 runnable  [0x00007f0000001000]
   java.lang.Thread.State: RUNNABLE
	at a.B.<init>(B.java:1)
	at a.B.main(B.java:2)

"käse & \ 'x' <y>" #2 prio=5 os_prio=0 cpu=1.00ms tid=0x00007f0000000002 nid=0x2 waiting on condition  [0x00007f0000001000]
   java.lang.Thread.State: WAITING (parking)
	at a.B.d(B.java:1)
	- parking to wait for  <0x00000000c0000001> (a x.Y)
	at a.B.main(B.java:2)

"x" #3 prio=5 os_prio=0 tid=0x00007f0000000003 nid=0x3 runnable  [0x00007f0000001000]
   java.lang.Thread.State: RUNNABLE
	at a.B.e(B.java:1)
	at a.B.main(B.java:2)

END
printf '%s\n' 'main;a b;c 3' 'main;d 2' 'main;<a&b>;"e" 1' >stacks
cat >perf <<'END'
java 7 [001] 12.345678:     250000 cycles:
	    7f0001 foo+0x1 (/usr/lib/a.so)
	    7f0002 main+0x2 (/usr/bin/a)

java 8 [000] 12.345679:     250000 cycles:
	    7f0003 bar+0x1 (/usr/lib/a.so)
	    7f0002 main+0x2 (/usr/bin/a)

END
wrap() { python3 "$t/lib/wrap_log.py" "$1"; }

# rows FILE: what is read from it, without the counts of lines
rows() {
	cp "$1" app.txt
	stkcap -q -o out.stk app.txt && stkcat -q -f tsv out.stk | grep -v "^#" >rows
	cat rows
}
rows plain >want; test "$(stkcat -q -f folded out.stk | wc -l)" -eq 3 || exit 99
stkcat -q -f folded out.stk >folded_plain
rows stacks >wantstacks
rows perf >wantperf

for kind in $(python3 "$t/lib/wrap_log.py" --list); do
check "$kind: a thread dump" '
	wrap '"$kind"' <plain >log
	rows log | same want -
'
case $kind in trace | rsyslog*) continue ;; esac	# no tab, no prefix that is known
check "$kind: samples of perf, folded stacks" '
	wrap '"$kind"' <perf >log
	rows log | same wantperf -
	case '"$kind"' in docker | gcp-newest | cri-pieces) ;; *) exit 0 ;; esac
	wrap '"$kind"' <stacks >log
	rows log | same wantstacks -
'
done
check 'a dump that is not wrapped among wrapped lines is read too' '
	printf "%s\n" "{\"message\": \"starting\", \"level\": \"INFO\"}" >log
	cat plain >>log
	printf "%s\n" "{\"message\": \"stopping\"}" "{\"no\": \"message\"}" "{ brace" >>log
	rows log | same want -
'
check 'lines of stderr between those of a dump cost no thread' '
	wrap docker <plain | awk "{ print } NR % 4 == 0 { print \"{\\\"log\\\":\\\"note \" NR \"\\\\n\\\",\\\"stream\\\":\\\"stderr\\\"}\" }" >log
	grep -c stderr log
	stkcap -q -o out.stk log || test $? -eq 1
	stkcat -q -f folded out.stk | wc -l | grep "^3$"
'
check 'UTF-16, a mark, CR LF: of the wrapped text' '
	wrap ecs <plain >log
	iconv -f UTF-8 -t UTF-16 log >wide; rows wide | same want -
	{ printf "\357\273\277"; cat log; } >marked; rows marked | same want -
	sed "s/\$/\r/" log >crlf; rows crlf | same want -
	wrap escaped <plain | iconv -f UTF-8 -t UTF-16LE >wide; rows wide | same want -
'
check 'compressed, and of several megabytes: the same as without wrapping' '
	awk "{ text = text \$0 \"\n\" } END { for (i = 0; i < 1000; i++) printf \"%s\", text }" plain >many
	stkcap -q -o out.stk many; stkcat -q -f folded out.stk >folded
	for kind in docker gcp-newest journal; do
		wrap $kind <many | gzip -1 >log.gz
		stkcap -o out.stk log.gz 2>err; grep "^stkcap: 1000 dumps, 3000 samples" err
		stkcat -q -f folded out.stk | same folded -
	done
'
check 'a record that is cut, and one that the log system left out, are reported: status 1' '
	wrap docker <plain >log
	head -c -30 log >cut
	status 1 stkcap -o out.stk cut 2>err
	grep "cut: the text of 1 records of the log is lost: damaged, too long, or left out by what wrote them" err
	wrap journal-json <plain | sed "7s/\"MESSAGE\": [^\"]*\"[^\"]*\"/\"MESSAGE\": null/" >null
	grep -q null null || { wrap journal-json <plain | awk "NR == 7 { print \"{\\\"MESSAGE\\\":null}\"; next } { print }" >null; }
	status 1 stkcap -o out.stk null 2>err
	grep "null: the text of 1 records of the log is lost" err
	wrap journal <plain | head -c 2600 >cut
	status 1 stkcap -o out.stk cut 2>err
	for kind in gcp-array aws-events loki-range splunk-table; do
		wrap $kind <plain | head -c -20 >cut
		status 1 stkcap -o out.stk cut 2>err
		grep "cut: the text of 1 records of the log is lost" err
	done
	wrap insights <plain | sed "3s/;.*//" >row
	status 1 stkcap -o out.stk row 2>err
	grep "row: the text of 1 records of the log is lost" err
'
check 'JSON lines that begin far behind other lines, or behind an object that is no record, are taken apart' '
	{ seq -f "2026-01-02 03:04:05,%.0f INFO starting, step by step" 1 3000; wrap docker <plain; } >late
	stkcap -o out.stk late 2>err
	grep "^stkcap: 1 dumps, 3 samples, 3 distinct stacks, 3000 lines skipped" err
	stkcat -q -f folded out.stk | same folded_plain -
	cat late | stkcap -q --threads 1 | stkcat -q -f folded | same folded_plain -
	{ echo "{\"port\": 8080}"; wrap ecs <plain; } >object
	stkcap -q object | stkcat -q -f folded | same folded_plain -
	{ cat plain; seq -f "2026-01-02 03:04:05,%.0f INFO between, and nothing else" 1 3000; wrap docker <plain; } >twice
	stkcap -o out.stk twice 2>err; grep "^stkcap: 2 dumps, 6 samples" err
	iconv -f UTF-8 -t UTF-16 late >wide
	stkcap -q wide | stkcat -q -f folded | same folded_plain -
'
check 'a line of JSON here and there within dumps that are not wrapped costs no more than any line of a log' '
	cut -c 1- "$t/data/orders.jstack.txt" >dumps
	for line in $(seq 0 13 320); do
		for log in "2026-01-02 03:04:05,123 INFO a lone line" "{\"level\":\"INFO\",\"message\":\"a lone line\"}"; do
			{ head -n "$line" dumps; echo "$log"; tail -n +$((line + 1)) dumps; } >app.txt
			status 0 stkcap -q -o out.stk app.txt
			stkcat -q -f tsv --only sample,dump,metric out.stk | md5sum
		done | uniq -c | awk "{ n += \$1; lines++ } END { exit lines != 1 || n != 2 }" || { echo "at $line"; false; }
	done
	{ cat dumps; echo "{\"message\":\"starting\"}"; wrap logstash-one <plain; } >app.txt
	stkcap -o out.stk app.txt 2>err; grep "^stkcap: 4 dumps" err
'
check 'lines of several pods (kubectl logs --prefix) by turns: each has its own dump' '
	sed "s#^#[pod/shop-1/app] #" plain >one
	rows one | same want -
	sed "s/a\.B/a.C/" plain | sed "s#^#[pod/shop-2/app] #" >two
	{ paste -d "\n" one two; echo "[pod/shop-1/app] ready"; } >both
	stkcap -o out.stk both 2>err
	grep "^stkcap: 2 dumps, 6 samples, 6 distinct stacks" err
	{ cat folded_plain; sed "s/a\.B/a.C/g" folded_plain; } | sort >wanted
	stkcat -q -f folded out.stk | sort | same wanted -
'
check 'JSON after a prefix: of two services (docker compose) each has its own dump, of syslog the texts in their order' '
	json() { sed "s/[\\\"]/\\\\&/g; s/	/\\\\t/g; s/.*/$1 {\"level\":\"INFO\",\"message\":\"&\"}/" "$2"; }
	json "web-1  |" plain >one; rows one | same want -
	json "Jan  2 03:04:05 host app[7]:" plain >log; rows log | same want -
	sed "s/a\.B/a.C/" plain >other; json "db-1   |" other >two
	{ echo "Attaching to web-1, db-1"; paste -d "\n" one two; echo "db-1   | ready"; } >both
	stkcap -o out.stk both 2>err
	grep "^stkcap: 2 dumps, 6 samples, 6 distinct stacks" err
	{ cat folded_plain; sed "s/a\.B/a.C/g" folded_plain; } | sort >wanted
	stkcat -q -f folded out.stk | sort | same wanted -
'
check 'the event of structlog is the text of a record, that of others is not' '
	python3 -c "import sys; sys.path.insert(0, \"$t/lib\"); import wrap_log; sys.stdout.buffer.write(wrap_log.wrapped(\"structlog\", open(\"plain\").read()))" >log
	rows log | same want -
	sed "s/\"level\"/\"kind\"/" log >none; status 1 stkcap -q -o out.stk none
'
check 'a table of numbers, JSON that has no records, and pairs without a message are not taken apart' '
	printf "time,log,load\n2026-01-02T03:04:05Z,3,0.5\n2026-01-02T03:04:06Z,4,0.5\n" >numbers
	status 1 stkcap -o out.stk numbers 2>err; grep "not a known format" err
	echo "{\"data\":[{\"name\":\"x\",\"line\":3}],\"events\":[1,\"a\"]}" >other
	status 1 stkcap -o out.stk other 2>err; grep "not a known format" err
	printf "level=info note=x\nlevel=info note=y\n" >pairs
	status 1 stkcap -o out.stk pairs 2>err; grep "not a known format" err
'
check 'every beginning of a wrapped text ends well or with status 1' '
	for kind in docker gcp-array journal page aws-events aws-text loki-range logcli logfmt kibana escaped-twice; do
		wrap $kind <plain >log
		for size in $(seq 1 607 "$(wc -c <log)"); do
			head -c $size log >cut
			stkcap -q -o out.stk cut 2>err && got=0 || got=$?
			test $got -le 1
		done
	done
'
check 'a page: breaks are lines, also where one piece of the file ends and the next begins' '
	awk "BEGIN { print \"<html><pre>2026-01-02 03:04:05\"; print \"Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):\"
		for (i = 1; i <= 100; i++) {
			print \"<br>&quot;t-\" i \"&quot; #\" i \" prio=5 os_prio=0 tid=0x1 nid=0x1 runnable\"
			print \"   java.lang.Thread.State: RUNNABLE\"; print \"\\tat a.B.&lt;init&gt;(B.java:1)\"
			for (k = 0; k < 1000; k++) print \"<br> \"
		}
		print \"</pre></html>\" }" >page.html
	stkcap --rejects rejects -o out.stk page.html 2>err
	# of each thread: three lines, one for its break, and two for each of the thousand
	grep "$((2 + 100 * 4 + 100 * 2000 + 1)) lines: 302 taken, $((100 * 2001 + 1)) blank, 0 rejected" err || { cat err; false; }
'
finish
