#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --config: the options of a capture from a file, sets with their own rates, and reading it again while it runs.
. "${0%/*}/lib/tap.sh"

dump=$t/data/orders.jstack.txt

# counted FILE SOURCE STATE: the last number of a counter
counted() { stkcat -f tsv --only counter "$1" | awk -F '\t' -v source="$2" -v state="$3" '$2 == source && $4 == state { n = $5 } END { print n + 0 }'; }
# refused PLACE TEXT: bad.yaml has a mistake there, which is reported so, and nothing is written
refused() {
	status 2 stkcap --config bad.yaml 2>err
	grep -F "bad.yaml:$1: " err | grep -F -e "$2" || { cat err; false; }
	test ! -e x.stk
}
# said WORDS: waits for a line on the standard error of the capture
said() { for attempt in $(seq 1500); do ! grep -q "$1" err || return 0; sleep .02; done; cat err; false; }

check 'a file does what the same options do' '
	cat >one.yaml <<-END
		# comments are for people
		exec: cat $dump
		every: 400ms
		count: 3
		budget: 0
		source: orders
		output: one.stk
	END
	status 0 stkcap -q --config one.yaml
	status 0 stkcap -q --exec "cat $dump" --every 400ms --count 3 --budget 0 --source orders -o two.stk
	# a watcher that starts late has fewer moments
	for file in one two; do test "$(counted $file.stk orders expected)" -ge 1 -a "$(counted $file.stk orders expected)" -le 3; done
	for file in one two; do stkcat -f folded $file.stk | sed "s# [0-9]*\$##" | sort -u >$file.folded; done
	test -s one.folded
	cmp one.folded two.folded
	stkcat --check one.stk
'
check 'demangle, as on the command line; what it does not know is refused at its place' '
	printf "%s\n" "PID 7 - shop" "TID 7:" "#0  0x00007f01 _ZN4shop4sellEi" "#1  0x00007f02 main" >mangled
	for names in "" "demangle: native"; do
		printf "exec: cat mangled\nevery: 20s\ncount: 1\nbudget: 0\noutput: names.stk\n%s\n" "$names" >one.yaml
		rm -f names.stk
		status 0 stkcap -q --config one.yaml
		stkcat -f folded names.stk | sed "s/.*main;//; s/ [0-9]*$//"
	done >got
	printf "%s\n" _ZN4shop4sellEi shop::sell | same - got
	printf "exec: cat mangled\noutput: x.stk\ndemangle: fortran\n" >bad.yaml; refused 3:1 fortran
'
check 'sets have rates of their own, and share their moments' '
	cat >sets.yaml <<-END
		output: sets.stk
		count: 7
		budget: 0
		sets:
		  - exec: cat $dump
		    every: 200ms
		  - exec: [cat  $dump, "cat   $dump"]
		    every: 600ms
	END
	status 0 stkcap -q --config sets.yaml
	often=$(counted sets.stk "cat $dump" expected) seldom=$(counted sets.stk "cat  $dump" expected) third=$(counted sets.stk "cat   $dump" expected)
	test $often -ge 4 -a $often -le 7
	test $seldom -ge 2 -a $seldom -le 3
	test $third -ge 2 -a $third -le 3
	stkcat -f tsv --only dump sets.stk | awk -F "\t" "
		NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
		\$at[\"source\"] ~ /cat  / && (\$at[\"event\"] - 1) % 3 != 0 { print; bad = 1 } END { exit bad }"
'
check 'a process belongs to the set that has its number, else its name' '
	sleep 300 & process=$!
	cat >whose.yaml <<-END
		output: whose.stk
		every: 100ms
		count: 1
		sets:
		  - of: slee*
		    exec: "echo by name >>seen; cat $dump"
		  - of: $process
		    exec: "echo by number {pid} >>seen; cat $dump"
	END
	stkcap -q --config whose.yaml || true
	kill $process
	grep -x "by number $process" seen
'
check 'mistakes are reported with their place' '
	printf "jvm: all\noutput: x.stk\nevry: 5s\n" >bad.yaml; refused 3:1 "unknown option --evry: did you mean --every?"
	printf "jvm: all\noutput: x.stk\nevery: often\n" >bad.yaml; refused 3:1 "--every: expected a duration"
	printf "jvm: all\noutput: x.stk\nagent: perhaps\n" >bad.yaml; refused 3:8 "expected yes or no"
	printf "jvm: all\noutput: x.stk\norder: count\n" >bad.yaml; refused 3:1 "--order has no effect without --ticks or --on"
	printf "jvm: all\noutput: x.stk\nexec:\n  - a: b\n" >bad.yaml; refused 4:5 "expected a value"
	printf "output: x.stk\n" >bad.yaml; refused 1:1 "expected jvm, native, python, exec or sets"
	printf "jvm: all\n" >bad.yaml; refused 1:1 "expected output"
	printf "output: x.stk\njvm: all\nsets:\n  - exec: true\n" >bad.yaml; refused 3:1 "belong into the sets"
	printf "output: x.stk\nsets:\n  - every: 5s\n" >bad.yaml; refused 3:5 "neither jvm, native, python nor exec"
	printf "output: x.stk\nsets:\n  - exec: true\n    count: 5\n" >bad.yaml; refused 4:5 "unknown option --count"
	printf "output: x.stk\nsets:\n  - exec: true\n    agent: yes\n" >bad.yaml; refused 3:5 "have no effect without jvm"
	printf "output: x.stk\nsets: []\n" >bad.yaml; refused 2:7 "expected a list of 1 to 16 sets"
	printf "output: x.stk\njvm: [all\n" >bad.yaml; status 2 stkcap --config bad.yaml 2>err; grep "bad.yaml:[0-9]*:[0-9]*: " err
	status 2 stkcap --config none.yaml 2>err; grep "none.yaml" err
'
check 'sets that do not fit together are refused' '
	printf "output: x.stk\nsets:\n  - exec: true\n    every: 700ms\n  - exec: false\n    every: 1s\n" >bad.yaml
	status 2 stkcap --config bad.yaml 2>err; grep "multiples of the shortest" err
	printf "output: x.stk\nsets:\n  - exec: true\n    every: 700ms\n  - exec: false\n" >bad.yaml
	status 2 stkcap --config bad.yaml 2>err; grep "some sets have it" err
	printf "output: x.stk\nnative: all\n" >bad.yaml
	status 2 stkcap --config bad.yaml 2>err; grep "too many" err
'
check 'options beside --config would have no effect, and are refused' '
	for option in "--every 5s" "--jvm all" "-o x.stk" "--zone UTC" "--ticks 99" "--source x" "--level 3" "--list"; do
		status 2 stkcap --config one.yaml $option 2>err
		grep -e "has no effect with" -e "belong into the file" err
	done
	status 2 stkcap --config one.yaml file.txt 2>err
	status 2 stkcap --config one.yaml --status s.sock 2>err
'
check 'SIGHUP reads the file again: what is right is used, what is wrong changes nothing' '
	printf "output: again-%%F-%%H%%M%%S.stk\nexec: touch ready; cat $dump\nevery: 100ms\nbudget: 0\n" >again.yaml
	: >err
	stkcap --config again.yaml 2>err & capture=$!
	for attempt in $(seq 1500); do test ! -e ready || break; sleep .02; done
	printf "output: again-%%F-%%H%%M%%S.stk\nexec: touch ready; cat $dump\nevery: 0\n" >again.yaml
	kill -HUP $capture
	said "again.yaml:3:1: --every: .*; the capture goes on as it was"
	printf "output: missing/other.stk\nexec: touch wrong; cat $dump\nevery: 50ms\n" >again.yaml
	kill -HUP $capture
	said "cannot write to missing/other.stk: No such file or directory; the capture goes on as it was"
	printf "output: other.stk\nexec: touch wrong; cat $dump\nevery: 50ms\nlisten: missing/socket\n" >again.yaml
	kill -HUP $capture
	said "cannot make the socket missing/socket: No such file or directory; the capture goes on as it was"
	rm ready
	for attempt in $(seq 1500); do test ! -e ready || break; sleep .02; done
	test -e ready
	printf "output: other.stk\nexec: touch other; cat $dump\nevery: 50ms\nbudget: 0\n" >again.yaml
	kill -HUP $capture
	said "again.yaml: read again"
	for attempt in $(seq 1500); do test ! -e other || break; sleep .02; done
	for attempt in $(seq 1500); do test ! -s other.stk || break; sleep .02; done
	kill $capture
	status 143 wait $capture
	test "$(stkcat -f tsv --only dump other.stk | wc -l)" -ge 2
	test ! -e wrong
	for file in again-*.stk other.stk; do stkcat --check $file; done
'
check 'a pipe can be read once, and does not make the capture wait when it is to be read again' '
	mkfifo pipe.yaml
	printf "output: pipe.stk\nexec: touch piped; cat $dump\nevery: 100ms\nbudget: 0\n" >pipe.yaml & writer=$!
	: >err
	stkcap --config pipe.yaml 2>err & capture=$!
	wait $writer
	for attempt in $(seq 1500); do test ! -e piped || break; sleep .02; done
	kill -HUP $capture
	said "pipe.yaml: not a file, so it can be read only once; the capture goes on as it was"
	rm piped
	for attempt in $(seq 1500); do test ! -e piped || break; sleep .02; done
	test -e piped
	kill $capture
	status 143 wait $capture
	stkcat --check pipe.stk
'
if have python3; then
	check 'the service manager is told when it is ready, reads again and stops' '
		cat >manager.py <<-"END"
			import os, signal, socket, subprocess, sys
			listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
			listener.bind(sys.argv[1])
			listener.settimeout(60)
			name = sys.argv[2] + sys.argv[1].lstrip("\0")
			capture = subprocess.Popen(["stkcap", "-q", "--config", "one.yaml"], env=dict(os.environ, NOTIFY_SOCKET=name), restore_signals=True)
			got = []
			def until(word):
			    while not got or word not in got[-1]:
			        got.append(listener.recv(4096).decode())
			until("READY=1")
			capture.send_signal(signal.SIGHUP)
			until("RELOADING=1")
			assert "MONOTONIC_USEC=" in got[-1]
			until("READY=1")
			until("STATUS=")
			capture.send_signal(signal.SIGTERM)
			until("STOPPING=1")
			print(capture.wait(60))
		END
		printf "output: notify.stk\nexec: cat $dump\nevery: 100ms\nbudget: 0\n" >one.yaml
		test "$(python3 manager.py "$PWD/notify.sock" "")" = -15
	'
else
	skip 'no python3' 'the service manager is told when it is ready, reads again and stops'
fi
check 'the recipe for systemd is a right file, and so is its unit' '
	sed "s#^output: .*#output: x-%F.stk#; s#^listen: .*#listen: s.sock#; s#^jvm: .*#exec: cat $dump\ncount: 1#" "$t/../scripts/recipes/stkcap.yaml" >recipe.yaml
	status 0 stkcap -q --config recipe.yaml
	! have systemd-analyze || {
		sed "s#/usr/local/bin/stkcap#$(command -v stkcap)#; s#^Documentation=.*##" "$t/../scripts/recipes/stkcap.service" >stkcap.service
		systemd-analyze verify ./stkcap.service 2>said || { cat said; false; }
		status 1 grep "stkcap.service" said
	}
'
finish
