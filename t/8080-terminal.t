#!/bin/sh
# SPDX-License-Identifier: MIT
# What a stream holds never steers a terminal: no form of any filter, and no message, gives it a control character or one that turns the text round.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

# ESC, BEL, CSI as one character and as one byte, DEL, backspace, right-to-left override, isolate, mark, byte order mark, a tag
bad=$(printf '\033[31m\033]0;pwn\007\302\233m\233\177\010\342\200\256\342\201\246\342\200\216\330\234\357\273\277\363\240\201\201')

# terminal COMMAND...: notes a command; shown: runs all that were noted, with a terminal as stdout and stderr, and fails when one is given what is not to
# be shown
terminal() { printf '%s\0' "$@" '' >>commands; }
shown() { python3 "$scratch/terminal.py" <commands && rm commands; }
cat >terminal.py <<'X'
import os, pty, sys, unicodedata

def run(command):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(COLUMNS="1000", NO_COLOR="1")
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.execvp(command[0], command)
    out = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        out += more
    os.close(fd)
    return out, os.waitpid(pid, 0)[1]

def wrong_of(out, status):
    if not os.WIFEXITED(status) or os.WEXITSTATUS(status) > 4:
        return "status %d: %r" % (status, out[-300:])
    text = out.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r\033[K", "")      # its own line ends, and the progress line
    for at, c in enumerate(text):
        if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            return "%s in %r" % (hex(ord(c)), text[max(0, at - 40):at + 40])

wrong = [(command, w) for command in sys.stdin.buffer.read().split(b"\0\0") if command for w in [wrong_of(*run(command.split(b"\0")))] if w]
for command, w in wrong:
    print(command, w)
sys.exit(len(wrong) > 0)
X

{
	printf '2026-11-20 22:14:44\nFull thread dump OpenJDK %s VM (25+36 mixed mode):\n\n' "$bad"
	for i in 1 2 3; do
		printf '"pool-%s-%s" #%s prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x1 nid=0x%s waiting for monitor entry  [0x0]\n' "$bad" $i $i $i
		printf '   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat com.acme.f%s(A%s.java:1)\n\t- waiting to lock <0x1> (a %s.Lock)\n\tat main.run(B.java:2)\n\n' "$bad" "$bad" "$bad"
	done
} >dump.txt
stkcap -q --source "host-$bad" -o dump.stk dump.txt
printf 'th%s 10/11 [000] 5.000000: 1 cyc%s:\n\t7f00 read%s+0x1 (/bin/%s)\n\t7f01 main (/bin/x)\n\n' "$bad" "$bad" "$bad" "$bad" | stkcap -q --format perf-script -o perf.stk -
printf 'main;f%s;leaf%s 5\nmain;g%s 3\n' "$bad" "$bad" "$bad" | stkcap -q --format folded -o folded.stk -
stkclass -q -f stream dump.stk perf.stk >classed.stk
stkgroup -q -s "$t/../schemes/jvm.yaml" -f stream dump.stk perf.stk >grouped.stk
stktree -q -o tree.stk perf.stk
streams='dump.stk perf.stk folded.stk classed.stk grouped.stk'

check 'the samples are hostile: the bytes are in the streams' '
	stkcat -q -f folded --only sample perf.stk | grep -qF "$(printf "\033[31m")"
	stkcat -q -f dumps dump.stk | grep -qF "$(printf "\342\200\256")"
	stkcat -q -f tsv --only thread dump.stk | grep "pool-"
'
check 'stkcat: every form' '
	for form in text tsv ndjson folded dumps; do
		for stream in $streams; do terminal stkcat -f $form $stream; done
	done
	terminal stkcat --check $streams
	terminal stkcat --contents $streams
	terminal stkcat -f tsv --names full --only frame $streams
	terminal stkcat -f folded --by source,process,thread,pool,state $streams
	shown
'
check 'stkclass: every view' '
	for form in text tsv; do
		for stream in dump.stk perf.stk folded.stk; do
			for view in "" --segments --tree --grammar "--class 1" "--segment 1"; do terminal stkclass -f $form $view $stream; done
		done
	done
	terminal stkclass -f text --explain "main;f$bad" dump.stk
	printf "main.run\tname%s\n" "$bad" >names
	terminal stkclass -f text --segment-names names --segments dump.stk
	shown
'
check 'stkgroup: every form and view' '
	printf "groups:\n  - name: g\n    members: [\"/./\"]\n" >s.yaml
	for form in text tsv ndjson folded; do
		for stream in dump.stk perf.stk folded.stk; do
			terminal stkgroup -s s.yaml -f $form $stream
			terminal stkgroup -s s.yaml -f $form --by source,process,thread,pool,state $stream
		done
	done
	for view in --coverage --lint "--generate packages" "--generate modules"; do terminal stkgroup -s "$t/../schemes/jvm.yaml" $view dump.stk perf.stk; done
	terminal stkgroup -s s.yaml --explain "main;f$bad"
	shown
'
check 'stktree: every form and report' '
	for form in text tsv ndjson folded; do
		for stream in dump.stk perf.stk tree.stk; do
			for report in tree flat paths classes groups; do terminal stktree -f $form --report $report $stream; done
		done
	done
	terminal stktree -f text --by source,process,thread,pool,state perf.stk
	terminal stktree -f text perf.stk --diff dump.stk
	shown
'
check 'stktrend: every form' '
	for form in text tsv ndjson; do
		terminal stktrend -f $form classed.stk
		terminal stktrend -f $form --anomalies classed.stk
	done
	printf "time\tc%s\n1600000000\t1\n1600000900\t2\n1600001800\t3\n" "$bad" >s.csv
	for form in text tsv ndjson; do terminal stktrend -f $form --csv s.csv; done
	shown
'
check 'stkpath and stkplot' '
	printf "function: f\nfile: \"x.c\"\nentry: a\nexit: c\nblocks:\n  - {id: a, succ: [b]}\n  - {id: b, succ: [c]}\n  - {id: c, succ: []}\n" >g.yaml
	terminal stkpath plan -g g.yaml -m pap
	terminal stkpath cfg "$t/data/functions.ll" --function branches
	terminal stkplot graph perf.stk
	shown
'
check 'messages: names of files that are not there, that are no streams, of options and expressions' '
	printf "no stream" >"x$bad"
	for command in stkcat stkclass stktree stktrend stkgroup stkplot; do
		scheme=; test $command != stkgroup || scheme="-s s.yaml"
		test $command = stkplot && scheme=graph
		terminal $command $scheme "not-there-$bad"
		terminal $command $scheme "x$bad"
		terminal $command "--no$bad"
	done
	terminal stkcap -q -o /dev/null "x$bad"
	terminal stkcat --grep "($bad" dump.stk
	terminal stkcat --where "thread ~ \"($bad\"" dump.stk
	terminal stkgroup -s "no-$bad" dump.stk
	terminal stkcat -f "form$bad" dump.stk
	shown
'
check 'a pipe and a file get folded and dumps as they are' '
	stkcat -q -f folded perf.stk | grep -qF "$(printf %s "$bad" | tr ";" :)"
	stkcat -q -f dumps -o dumps dump.stk
	grep -qF "$bad" dumps
'
check 'tsv: every control character is escaped, and nothing else; it reads back' '
	stkcat -q -f tsv --only string perf.stk >tsv
	status 1 grep -q "$(printf "[\001-\010\013-\037\177]")" tsv
	python3 - "$bad" <<-"X"
	import re, sys
	bad = sys.argv[1].encode("utf-8", "surrogateescape")
	text = open("tsv", "rb").read()
	assert b"th\\x1b[31m\\x1b]0;pwn\\x07\\xc2\\x9bm\\x9b\\x7f\\x08\xe2\x80\xae" in text, text
	back = re.sub(rb"\\(x[0-9a-f]{2}|[tnr\\])", lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b"x" else {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}[m[1]], text)
	assert b"th" + bad in back
	X
'
check 'ndjson: controls and overrides are in digits, and every reader gets the same text' '
	stkcat -q -f ndjson --only string perf.stk >rows
	LC_ALL=C grep -q "u202e.*udb40.udc41" rows
	python3 - "$bad" <<-"X"
	import json, sys
	rows = [json.loads(line)["text"] for line in open("rows", encoding="utf-8", errors="surrogateescape")]
	assert "th" + sys.argv[1] in rows, rows
	raw = open("rows", "rb").read().decode("utf-8")
	assert not [c for c in raw if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u2066\u200e\u061c\ufeff")]
	X
'
finish
