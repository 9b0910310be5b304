#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --python: the stacks of Python programs, read from outside while they run. PYTHONS="python3.8 python3.13" tries others than python3, and DUMPS=1000 more dumps.
. "${0%/*}/lib/tap.sh"

python=$(python3 -c 'import sys; print(sys.executable, sys.implementation.name, sys.version_info >= (3, 8) and sys.version_info < (3, 14))' 2>/dev/null)
case $python in
*' cpython True') python=${python%% *} ;;
*) skip_all 'no CPython 3.8 to 3.13' ;;
esac

# begin OUT PYTHON ARG...: begins it, whose number is $!, and waits until it is ready
begin() {
	begun=$1
	shift
	"$@" <never >"$begun" 2>&1 & while ! grep -q "^ready" "$begun"; do kill -0 $! || return 1; sleep .02; done 2>/dev/null
}

cat >odd.py <<'END'
import sys, threading
def inner():
    print("ready", flush=True)
    sys.stdin.read()
def deep(n):
    deep(n - 1) if n else inner()
ns = {"deep": deep}
exec(compile("def odd():\n  deep(3)\n", 'a"b\n', "exec"), ns)
odd = ns["odd"]
odd.__code__ = odd.__code__.replace(co_name="Thread 1 (idle):\n")
if hasattr(odd.__code__, "co_qualname"):
    odd.__code__ = odd.__code__.replace(co_qualname="Thread 1 (idle):\n")
if len(sys.argv) > 1:
    sys.setrecursionlimit(20000)
    threading.stack_size(512 << 20)
    ns["deep"] = deep
    t = threading.Thread(target=lambda: deep(9000), name="deep")
    t.start(); t.join()
else:
    odd()
END
cat >busy.py <<'END'
import threading, time
def sell():
    while True: sum(range(300))
threading.Thread(target=sell, name="a seller with a long name", daemon=True).start()
print("ready", flush=True)
time.sleep(600)
END
mkfifo never
sleep 600 >never & holder=$! odd= busy=
trap 'kill -9 $holder $odd $busy 2>/dev/null; rm -rf "$scratch" "$scratch.log"; exit 99' HUP INT TERM
begin odd.out "$python" odd.py; odd=$!
begin busy.out "$python" busy.py; busy=$!
if ! stkcap -q --python $odd -o can.stk 2>why && grep -q "may not be read" why; then
	kill $holder $odd $busy
	skip_all "$(cat why)"
fi

check 'stacks are those that the program itself reports; what runs has a caller at the line of the call' '
	for python in ${PYTHONS:-$python}; do
		rm -f truth.stk report turns
		mkfifo turns
		"$python" "$t/lib/python_truth.py" run report 1 <turns >/dev/null & truth=$!
		exec 8>turns
		for n in $(seq ${DUMPS:-12}); do
			until test "$(wc -l <report)" = $n; do kill -0 $truth; sleep .01; done 2>/dev/null
			status 0 stkcap -q --python $truth -o truth.stk
			test $n = ${DUMPS:-12} || echo >&8
		done
		kill $truth
		exec 8>&-
		stkcat -f ndjson --ids --only string,frame,stack,thread,dump,sample truth.stk >samples
		python3 "$t/lib/python_truth.py" compare report samples
		stkcat -f tsv --only metric truth.stk | awk -F "\t" "\$3 == \"capture.pause\" { n++ } END { exit n != ${DUMPS:-12} }"
	done
'
check 'a program is called by its script, with or without .py, and is one source; names that would break a line do not' '
	status 0 stkcap -q --python odd -o odd.stk
	status 0 stkcap -q --python odd.py -o odd.stk
	stkcat -f tsv --only source odd.stk | awk -F "\t" "NR > 1 { n++; if (\$2 != \"odd.py\" || \$4 != $odd) bad = 1 } END { exit bad || n != 2 }"
	stkcat -f ndjson --ids --only frame,string odd.stk >tables
	grep -F "\"text\":\"a'\''b?\"" tables
	grep -F "\"text\":\"Thread 1 (idle):?\"" tables
	test "$(stkcat -f folded odd.stk)" = "MainThread;<module>;Thread 1 (idle):?;deep;deep;deep;deep;inner 2"
	stkcap --list -f tsv | awk -F "\t" "\$1 == $odd && \$3 ~ /^Python 3/ && \$4 == \"odd.py\" && \$5 == \"Python stacks\" { n++ } END { exit n != 1 }"
'
check 'callers beyond 8,192 frames are left out, and the stack says so; a program that ends is told' '
	begin deep.out "$python" odd.py deep; deep=$!
	status 0 stkcap -q --python $deep -o deep.stk
	stkcat -f folded deep.stk | awk "/^deep;/ { n = split(\$0, f, \";\"); if (n < 8000 || f[2] !~ /truncated/) bad = 1; seen++ } END { exit bad || seen != 1 }"
	kill -9 $deep
	status 1 stkcap -q --python $deep -o gone.stk 2>err
	grep -q "$deep: no such process" err
'
check 'what is not a Python, or belongs to another user, is refused with the reason; a set of --config has it, too' '
	status 1 stkcap -q --python $holder -o no.stk 2>err
	grep -q "not a Python 3 that can be read" err
	printf "output: set.stk\ncount: 1\npython: odd\n" >c.yaml
	status 0 stkcap --config c.yaml
	stkcat -f folded set.stk | grep -q "deep;inner 1$"
	status 2 stkcap --python all -o no.stk 2>err
	if test "$(id -u)" = 0 && have setpriv; then
		chmod 755 "$scratch"
		status 1 setpriv --reuid 65534 --clear-groups "$BUILD/bin/stkcap" -q --python $odd -o - 2>err >/dev/null
		grep -q "belongs to another user (0): root or that user may read it" err
	fi
'
check 'with ticks it is one source, and each thread one thread: with its own stacks in dumps, and native ones at ticks' '
	if test "$(uname -m)" != x86_64 || ! stkcap -q --native $odd --ticks 99 --count 1 -o no.stk 2>why; then
		echo "no ticks here"
		exit 0
	fi
	for asked in "--python busy.py" "--python $busy --native busy" "--native $busy --python busy" "--python busy --native $busy --every 1s"; do
		rm -f both.stk
		status 0 stkcap -q $asked --ticks 99 --count 2 -o both.stk
		stkcat -f tsv --only sample both.stk >samples
		stkcat -f tsv --only source both.stk | awk -F "\t" "NR > 1 { n++; bad += \$2 != \"busy.py\" } END { exit bad || n != 1 }"
		stkcat -f tsv --only thread both.stk | awk -F "\t" "NR > 1 { n[\$5]++ } END { for (tid in n) bad += n[tid] > 1; exit bad > 0 || length(n) != 2 }"
		stkcat -q -f folded both.stk | grep -q "^a seller with a long name;.*;sell\(;\| \)"
		stkcat -q -f folded --event cpu-clock both.stk | grep -q "^a.seller.with.a.long.name;.*_PyEval_EvalFrameDefault"
	done
	status 1 stkcap --python busy.py --native $busy -o two.stk 2>err
	grep -q "$busy: of 1 process there are Python stacks, as --python asks, and no native ones" err
'
kill $holder $odd $busy
finish
