#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --budget and --adaptive: what a capture costs is measured, recorded, and kept small.
. "${0%/*}/lib/tap.sh"
. "$t/lib/jvm.sh"

test -n "$java_homes" || skip_all 'no JDK'
java=${java_homes%%
*}/bin/java
load one 120

check 'a VM that stands still for longer than the budget allows is asked less often, and that is told' '
	status 0 stkcap --jvm $one --every 10ms --budget 0.5% --count 600 -o budget.stk 2>said
	grep -q "asked every [0-9]* moments: a dump stops it for longer than the budget allows" said
	dumps=$(stkcat -f tsv --only dump budget.stk | wc -l)
	test $dumps -ge 6 -a $dumps -le 400
	stkcat --check budget.stk
'
check 'without a budget it is asked as often as it answers' '
	status 0 stkcap -q --jvm $one --every 100ms --budget 0 --count 30 -o free.stk
	test $(stkcat -f tsv --only dump free.stk | wc -l) -ge 20
'
check 'adaptive: what runs often needs few dumps' '
	status 0 stkcap --jvm $one --every 100ms --adaptive --budget 0 --count 40 -o adaptive.stk 2>said
	grep -q "what runs in it is known well enough so" said
	test $(stkcat -f tsv --only dump adaptive.stk | wc -l) -le 20
'
check 'adaptive without moments, or of dumps that show no states of threads, has no effect: it is refused' '
	status 2 stkcap --jvm $one --adaptive -o x.stk 2>said
	grep -q "adaptive needs --every TIME, or a plan" said
	status 2 stkcap --native $one --every 100ms --adaptive -o x.stk 2>said
	grep -q "adaptive needs dumps that show which threads run" said
	printf "output: x.stk\njvm: all\nadaptive: yes\n" >service.yaml
	status 2 stkcap --config service.yaml 2>said
	grep -q "adaptive needs --every" said
	test ! -e x.stk
'
check 'adaptive: dumps of a command that show no states are not spared, which is reported once' '
	cp "$t/fuzz/seed/process_dump/go" dump
	status 1 stkcap --exec "cat dump" --every 50ms --adaptive --budget 0 --count 40 -o stateless.stk 2>said
	test $(grep -c "has no effect on it: its dumps do not show which threads run" said) = 1
	status 1 grep "asked every" said
'
check 'the cost is in the stream' '
	status 0 stkcap -q --jvm $one --every 500ms --count 4 -o cost.stk
	for metric in capture.pause capture.share capture.cpu capture.interval; do
		stkcat -f tsv --only metric cost.stk | cut -f 3 | grep -qx $metric
	done
	stkcat -f tsv --only metric cost.stk | awk -F "\t" "\$3 == \"capture.interval\" { exit \$4 != 0.5 }"
'
check 'a budget of a name that nobody has is reported' '
	status 1 stkcap --jvm $one --budget "0,Nobody=3%" -o own.stk 2>said
	grep -q "^stkcap: --budget Nobody: no process of that name was captured" said
	status 2 stkcap --jvm $one --budget "=3%" -o own.stk
	status 2 stkcap --jvm $one --budget "1%,Load=x" -o own.stk
'
check 'a budget that is none is refused' '
	status 2 stkcap -q --jvm $one --budget lots -o x.stk
	status 2 stkcap -q --jvm $one --budget 101% -o x.stk
'
unload one
finish
