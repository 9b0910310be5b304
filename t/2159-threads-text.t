#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads of a Java VM as text that Thread.dump_to_file wrote: the file of a JDK 25 agrees with its JSON of the same
# moment; the form of JDK 21 to 24 was made after its source.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/threads_text/jdk25" a
cp "$t/fuzz/seed/threads_json/jdk25-other" b
# rows FILE: each thread but the one that wrote the file: state, locks, number, stack
rows() {
	stkcap -q "$1" | stkcat -q -f ndjson --only sample | grep -v '"thread":"Attach Listener"' |
		sed 's/"note":"in [^"]*"/"note":null/; s/"time":"[^"]*",//; s/"age":[0-9]*,//; s/"source":"[^"]*",//; s/"pool":.*//' | sort
}

check 'threads, states, locks, owners and numbers are those of the JSON' '
	stkcap --rejects rejects -o a.stk a 2>err
	grep -x "stkcap: 1 dumps, 13 samples, 11 distinct stacks, 0 lines skipped" err
	rows b >want; test "$(wc -l <want)" = 12
	rows a | same want -
	grep -q "\"thread\":\"v .\"one.\"\"" want
'
check 'of some threads, by hand' '
	stkcat -q -f ndjson --only sample a.stk >got
	test "$(grep -c "" got)" = "$(grep -c "^#" a)"
	grep "\"thread\":\"v ..one..\"" got | grep "\"state\":\"waiting\"" | grep "\"waiting-on\",\"class\":\"java.lang.Object\""
	grep "\"thread\":\"blocked\"" got | grep "\"state\":\"blocked\"" | grep "\"waiting-to-lock\",\"class\":\"java.lang.Class\""
	grep "\"thread\":\"p virtual\"" got | grep "\"parking\""
	stkcat -q -f tsv --only thread a.stk >threads; test "$(grep -c virtual threads)" -ge 2
	grep "\"thread\":\"main\"" got | grep "\"time\":\"2026-11-25T20:32:57.862481934Z\"" | grep "\"age\":162179159"
	stkcat -q -f folded a.stk | grep "^main;com.sun.tools.javac.launcher.SourceLauncher.main;.*;V.main;java.lang.Thread.sleep;"
'
cat >jdk21 <<'END'
77
2026-01-02T03:04:05.678Z
21.0.2+13-LTS

#1 "main"
      java.base/java.lang.Thread.sleep0(Native Method)
      java.base/java.lang.Thread.sleep(Thread.java:509)
      a.B.main(B.java:2)

#21 "" virtual
      a.B.run(B.java:7)

#22 "x" virtual" virtual
      a.B.run(B.java:7)

#23 "no frames"

END
check 'JDK 21: frames without words before them, no state, no time' '
	stkcap --rejects rejects -o x.stk jdk21 2>err
	grep -x "stkcap: 1 dumps, 4 samples, 2 distinct stacks, 0 lines skipped" err
	stkcat -q -f folded x.stk | sort >got
	grep -x "main;a.B.main;java.lang.Thread.sleep;java.lang.Thread.sleep0 1" got
	stkcat -q -f ndjson --only sample x.stk >got
	grep "\"thread\":\"\"" got | grep "\"number\":21"
	grep "\"thread\":\"x.\" virtual\"" got
	grep "\"time\":\"2026-01-02T03:04:05.678Z\"" got | grep -c "" | grep -x 4
'
check 'within a log, twice in a file, with CR LF, in pieces of a pipe: no thread is lost' '
	{ echo "2026-01-02 03:04:05 starting"; cat jdk21; cat jdk21; } >log
	stkcap -q log 2>/dev/null | stkcat -q -f tsv --only sample | sed 1d | wc -l | grep -x 8
	sed "s/\$/\r/" jdk21 | stkcap -q | stkcat -q -f tsv --only sample | sed 1d | wc -l | grep -x 4
	{ head -4 jdk21; for i in $(seq 20000); do printf "#%d \"v\" virtual\n      a.B.run(B.java:%d)\n\n" $i $((i % 7)); done; } >many
	stkcap -o x.stk many 2>err; grep "^stkcap: 1 dumps, 20000 samples, 7 distinct stacks" err
	cat many | stkcap --threads 1 -o y.stk 2>err; grep "^stkcap: 1 dumps, 20000 samples, 7 distinct stacks" err
'
check 'a header that cannot be read, and a foreign line in a stack, are reported' '
	sed "s/^#22.*/#22 \"x\" virtual SLEEPING/" jdk21 >bad
	status 1 stkcap --rejects rejects -o x.stk bad 2>err
	grep "bad:13: a thread.s header that cannot be read" err
	grep "^stkcap: 1 dumps, 3 samples" err
	sed "7s/^/oops\n/" jdk21 >bad
	status 1 stkcap -o x.stk bad 2>err
	grep "bad:7: a line of a stack that is not understood" err
	grep "^stkcap: 1 dumps, 4 samples" err
'
check 'every beginning is read or reported' '
	for size in $(seq 1 97 "$(wc -c <a)"); do
		head -c $size a >cut
		stkcap -q -o x.stk cut 2>err && got=0 || got=$?
		test $got -le 1
		test "$(stkcat -q -f tsv --only sample x.stk 2>/dev/null | grep -c "runnable\|waiting\|blocked")" -le "$(grep -c "^#" cut || true)"
	done
'
finish
