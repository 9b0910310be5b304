#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables on terminals of 60, 80, 132 and 200 columns, as they would be recorded: no line is wider, no moment is cut, and what is left out is named.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

# shown COLUMNS COMMAND...: what a terminal of that many columns is given
# screens FILE COLUMNS...: the same for each command of a file, into screen.LINE.COLUMNS
cat >shown.py <<'X'
import fcntl, os, pty, struct, sys, termios

def shown(columns, command):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.pop("COLUMNS", None)
        os.environ.setdefault("TERM", "xterm")
        if os.environ.get("COLOURS") is None:
            os.environ["NO_COLOR"] = "1"
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
        os.dup2(os.open("/dev/null", os.O_RDWR), 0)
        os.dup2(0, 2)
        os.execvp(command[0], command)
    out = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        out += more
    status = os.waitpid(pid, 0)[1]
    os.close(fd)
    return out.replace(b"\r\n", b"\n"), os.WEXITSTATUS(status) if os.WIFEXITED(status) else 99

if sys.argv[1] != "--each":
    out, status = shown(sys.argv[1], sys.argv[2:])
    sys.stdout.buffer.write(out)
    sys.exit(status)
for number, command in enumerate(open(sys.argv[2]).read().splitlines(), 1):
    for columns in sys.argv[3:]:
        out, status = shown(columns, command.split())
        open("screen.%d.%s" % (number, columns), "wb").write(out)
        if status not in (0, 4):        # 4: a rule found something
            sys.exit("%s: status %d" % (command, status))
X
shown() { python3 -SE "$scratch/shown.py" "$@"; }
screens() { python3 -SE "$scratch/shown.py" --each "$@"; }
unset COLUMNS NO_COLOR
export TERM=xterm

zcat "$t/../scripts/sample/order-service.jstack.txt.gz" >dumps.txt
stkcap -q -o day.stk dumps.txt
stkclass -q -f stream day.stk >class.stk
zcat "$t/../scripts/sample/order-service.perf.txt.gz" | stkcap -q --source profile -o profile.stk -
stkcap -q --zone +01:00 -o deadlocks.stk "$t/data/orders.jstack.txt"
{
	for metric in heap.used heap.total gc.pause metaspace.used capture.share queue.length; do
		printf "%s,%s,%s\n" 2026-11-20T10:00:00Z $metric 0.25 2026-11-20T10:01:40Z $metric 360000000
	done
} | stkcap -q --format metrics -o measures.stk -
# nine days: two classes of three whose weights change places on the seventh, and a heap
awk 'BEGIN { for (i = 0; i < 9 * 288; i++) {
		t = 1794614400 + i * 300; w = int(40 + 30 * sin(i * 0.0218166)); a = i < 6 * 288 ? 70 : 10
		print "@" t >"folded.txt"
		s = "com.acme.Main.main;com.acme.shop.Server.serve;com.acme.shop.pricing.Discount."
		printf "%sevaluateRules;java.util.HashMap.get %d\n%sevaluateTaxes;java.util.HashMap.get %d\n", s, a + i % 5, s, 80 - a + i % 3 >"folded.txt"
		print "com.acme.Main.main;com.acme.shop.index.Indexer.index " w >"folded.txt"
		printf "%d,heap.used,%.0f\n%d,gc.pause,%.3f\n", t, 1e9 + i * 800000, t, 0.01 + i % 7 / 1000 >"heap.csv"
	} }'
stkcap -q --format folded-dumps folded.txt | stkclass -q -f stream >classes.stk
stkcap -q -o heap.stk heap.csv
stkcat --merge -f stream -o trend.stk classes.stk heap.stk

printf "rules:\n  - name: changed\n    of: function\n    change: 1%%\n" >hotter.yaml

# the commands whose tables are looked at
cat >views <<'X'
stktree day.stk
stktree --by thread day.stk
stktree --report flat day.stk
stktree --report paths day.stk
stktree --report classes class.stk
stktree --step 10s day.stk
stktree --step 10s --report flat day.stk
stktree --function OrderService.serve day.stk
stktree day.stk --diff day.stk
stktree day.stk --diff ..23:54:10 23:54:10..
stktree --report tree day.stk --diff ..23:54:10 23:54:10..
stktree --report paths day.stk --diff ..23:54:10 23:54:10..
stktree --report pools day.stk --diff ..23:54:10 23:54:10..
stktree --report classes class.stk --diff ..23:54:10 23:54:10..
stktree --function OrderService.serve day.stk --diff ..23:54:10 23:54:10..
stktree day.stk --rate second --diff ..23:54:10 --diff day.stk
stktree --report pools day.stk
stktree day.stk --diff ..23:54:10 23:54:10.. --rules hotter.yaml
stkgroup -s jvm day.stk
stkgroup -s jvm -s java-web --by thread day.stk
stkgroup -s jvm --by thread day.stk
stkgroup -s jvm --step 10s day.stk
stkgroup -s jvm --coverage day.stk
stkcat day.stk
stkcat --names full day.stk
stkcat --contents day.stk
stkcat --kinds
stkcat profile.stk
stkcat measures.stk
stkcat deadlocks.stk
stkclass day.stk
stkclass --segments day.stk
stkclass --tree day.stk
stktrend class.stk
stktrend trend.stk
stktrend --anomalies class.stk
stktrend --periods day --anomalies trend.stk
stktrend --forecast 1h trend.stk
stktrend --limit heap.used=4G trend.stk
stktrend --periods day --explain heap.used trend.stk
X
check 'no line of any table is wider than the terminal' '
	screens views 60 80 132 200
	for columns in 60 80 132 200; do
		awk -v columns=$columns "
			{ line = \$0; gsub(/[\200-\277]/, \"\", line) }
			length(line) > columns { print FILENAME \": \" \$0; bad = 1 }
			END { exit bad || NR < 2 * (ARGC - 1) }" screen.*.$columns
	done
'
check 'stacks that differ do, however little room there is' '
	for columns in 60 80 132 200; do
		stkcat --width $columns --top 0 profile.stk | sed -n "/^Hottest stacks/,/^\$/p" | grep "^ *[0-9.]*%" >got
		test "$(wc -l <got)" = 79
		sed "s/^ *[0-9.]*% *[0-9]* *[^ ]*  //" got | sort | uniq -d >twice
		test ! -s twice || { echo "$columns:"; cat twice; false; }
	done
'
check 'a moment that begins is whole' '
	test $(ls screen.*.60 | wc -l) -eq $(wc -l <views)
	cat screen.*.60 screen.*.80 screen.*.132 | { grep -oE "2026-11-20[T ][^ ]*" || true; } >moments
	test -s moments
	status 1 grep -vE "^2026-11-20[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?Z?)?[:,]?$" moments
'
check 'what is asked for is shown on the narrowest terminal: when a limit is reached, and what changed' '
	cat screen.*.60 | grep -E "^  heap.used +4G +[0-9.]+G +[+][0-9]+M +2026-1[12]-[0-9]{2} [0-9]{2}:[0-9]{2}( |$)"
	cat screen.*.60 | grep -E "^  2026-11-20 00:00  [^ ]*uateRules +shift +72 +[0-9.]+$"
'
check '--width is what counts, then COLUMNS, then the terminal, then 100' '
	paths() { stktree -q -f text --report paths "$@"; }
	for w in 60 120; do
		shown 80 stktree -f text --report paths --width $w day.stk >got
		test "$(awk "{ n = length > n ? length : n } END { print n }" got)" -le $w
		shown 200 stktree -f text --report paths --width $w day.stk | cmp - got
		COLUMNS=$w paths day.stk | cmp - got
		COLUMNS=77 paths --width $w day.stk | cmp - got
	done
	paths day.stk >usual
	paths --width 100 day.stk | cmp - usual
	shown 100 stktree -f text --report paths day.stk | cmp - usual
	for odd in 0 x -5 99999 ""; do COLUMNS=$odd paths day.stk | cmp - usual; done
	status 2 paths --width 39 day.stk
	status 2 paths --width 10001 day.stk
'
check 'colours: at a terminal, unless NO_COLOR, TERM or --color says otherwise, and never in a pipe' '
	esc=$(printf "\033")
	COLOURS=yes shown 80 stkcat day.stk >coloured
	grep -q "$esc\[1m" coloured
	sed "s/$esc\[[0-9]*m//g" coloured >plain
	shown 80 stkcat day.stk | cmp - plain
	COLOURS=yes TERM=dumb shown 80 stkcat day.stk | cmp - plain
	COLOURS=yes shown 80 stkcat --color never day.stk | cmp - plain
	shown 80 stkcat --color always day.stk | cmp - coloured
	stkcat --width 80 day.stk | cmp - plain
	stkcat --width 80 --color always day.stk | cmp - coloured
	status 2 stkcat --color maybe day.stk
'
check 'what a stream holds has no colour of its own, also where colours are' '
	esc=$(printf "\033")
	printf "main;%s[31mred%s[m;leaf 5\nmain;%s[31mred%s[m 3\n" "$esc" "$esc" "$esc" "$esc" |
		stkcap -q --format folded -o red.stk -
	COLOURS=yes shown 200 stkcat red.stk >coloured
	shown 200 stkcat red.stk >plain
	sed "s/$esc\[[0-9]*m//g" coloured | cmp - plain
	grep -F "?[31mred?[m" plain
'
check 'a filter that is interrupted says so in its table, and ends by the signal' '
	python3 - <<-"X"
	import fcntl, glob, signal, struct, subprocess, termios, time
	for command in (["stkcat"], ["stkclass", "-f", "text"], ["stktree", "-f", "text", "-"],
	                ["stkgroup", "-s", "jvm", "-f", "text"], ["stktrend", "-f", "text"]):
	    stream = open("class.stk" if command[0] == "stktrend" else "day.stk", "rb").read()
	    run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
	                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))    # ignored where tests run in the background
	    run.stdin.write(stream)
	    run.stdin.flush()
	    def waits():        # it has read all, and sleeps
	        left = struct.unpack("i", fcntl.ioctl(run.stdin, termios.FIONREAD, b"0000"))[0]
	        states = [open(path).read().rsplit(")", 1)[1].split()[0] for path in glob.glob("/proc/%d/task/*/stat" % run.pid)]
	        return left == 0 and set(states) == {"S"}
	    calm = 0
	    while calm < 5:
	        calm = calm + 1 if waits() else 0
	        time.sleep(0.01)
	    run.send_signal(signal.SIGINT)
	    out, err = run.communicate()
	    assert run.returncode == -signal.SIGINT, (command, run.returncode, err)
	    assert b"interrupted: this is what was read until then" in out, (command, out, err)
	X
'
finish
