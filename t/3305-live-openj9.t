#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --jvm against processes that wait as OpenJ9 does: who asks is connected to. No such VM is in Debian; these speak its protocol.
. "${0%/*}/lib/tap.sh"

have python3 || skip_all 'no python3'
cat >dump.txt <<'END'
Full thread dump OpenJ9 VM (test):

"main" prio=5 Id=1 RUNNABLE
	at java.lang.Thread.sleep(Native Method)
	at Work.übung(Work.java:5)

"worker" daemon prio=5 Id=12 BLOCKED on java.lang.Object@1b2 owned by "main" Id=1
	at Work.contend(Work.java:35)
	-  blocked on java.lang.Object@1b2
	at java.lang.Thread.run(Thread.java:840)

END
DUMP=$PWD/dump.txt
export DUMP
fake() {
	rm -f "$1.pid"
	python3 "$t/lib/fake_openj9.py" "$2" >"$1.pid" 2>"$1.err" &
	for i in $(seq 100); do test ! -s "$1.pid" || break; sleep .05; done
	read -r pid <"$1.pid" || return 1
	eval "$1=$pid"
}
unfake() { for fake_name; do eval "kill \$$fake_name; wait \$$fake_name 2>/dev/null || true; rm -rf /tmp/.com_ibm_tools_attach/\$$fake_name"; done; }

fake right right || skip_all "it does not run: $(cat right.err)"
check 'a dump: threads, stacks, states, whatever was escaped' '
	status 0 stkcap -q --jvm $right -o got.stk
	stkcat --check got.stk
	stkcat -f folded got.stk | sort >folded
	same - folded <<-END2
	main;Work.übung;java.lang.Thread.sleep 1
	worker;java.lang.Thread.run;Work.contend 1
	END2
	stkcat -f tsv --only sample got.stk | grep -q BLOCKED
	test ! -e /tmp/.com_ibm_tools_attach/$right/replyInfo
'
check 'again and again' '
	status 0 stkcap -q --jvm $right --budget 0 --every 100ms --count 10 -o again.stk
	test $(stkcat -f tsv --only dump again.stk | wc -l) -ge 8
'
check 'one that cuts its answer, refuses, does not come, or does not know the key; the right one is asked still' '
	fake bad cut
	status 1 stkcap -q --jvm $bad -o cut.stk 2>err; grep -q "ends in the middle" err
	unfake bad; fake bad error
	status 1 stkcap -q --jvm $bad -o error.stk 2>err; grep -q "it refused: ATTACH_ERR" err
	unfake bad; fake bad deaf
	status 1 stkcap -q --deadline 500ms --jvm $bad -o deaf.stk 2>err; grep -q "did not connect in time" err
	test ! -e /tmp/.com_ibm_tools_attach/$bad/replyInfo
	unfake bad; fake bad wrongkey
	status 1 stkcap -q --deadline 500ms --jvm $bad -o wrong.stk 2>err; grep -q "did not connect in time" err
	unfake bad
	status 0 stkcap -q --jvm $right -o still.stk
'
unfake right
finish
