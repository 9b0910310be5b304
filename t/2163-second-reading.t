#!/bin/sh
# SPDX-License-Identifier: MIT
# Forms whose own tools cannot be had are read a second time, by lib/second_reading.py, which was written after their descriptions: both readings have the same rows,
# of the samples of docs/format-samples.md and of larger files.
. "${0%/*}/lib/tap.sh"
seed=$t/fuzz/seed
export PYTHONDONTWRITEBYTECODE=1
have python3 || skip_all 'no python3'

# second FORM FILE: both readings
second() {
	stkcap -q -o second.stk "$2" 2>err || { echo "stkcap $1 $2"; cat err; return 1; }
	for kind in sample metric event; do stkcat -q -f ndjson --event all --only $kind second.stk || return; done >second.rows
	python3 "$t/lib/second_reading.py" "$1" "$2" <second.rows >second.out || { echo "$1 $2"; cat second.out; return 1; }
	grep -q "^[1-9][0-9]* rows" second.out
}

check 'the samples' '
	second rbspy "$seed/rbspy/v2"
	second vtune "$seed/vtune/shop"
	second instruments "$seed/instruments/shop"
	second firefox "$seed/firefox/ours"
	second otlp "$seed/otlp/ours"
	second simpleperf "$seed/simpleperf/whole"
	second perfetto "$seed/perfetto/whole"
	second nettrace "$seed/nettrace/whole"
	second nettrace "$seed/nettrace/plain"
	second sjk "$seed/sjk/v4"
	second javacore "$seed/javacore/openj9"
	second verbose-gc "$seed/verbose_gc/gencon"
	second ftrace "$seed/kernel_events/ftrace"
'
check 'text, XML and JSON with some thousand rows, made at random' '
	for form in rbspy vtune instruments firefox javacore verbose-gc ftrace; do
		for random in 1 2; do
			python3 "$t/lib/second_inputs.py" $form $random >"$form.$random"
			second $form "$form.$random"
		done
	done
'
check 'binary forms with some thousand rows' '
	python3 "$t/lib/traces.py" simpleperf many >many; second simpleperf many
	python3 "$t/lib/traces.py" perfetto many >many; second perfetto many
	python3 "$t/lib/traces.py" perfetto zlib >many; second perfetto many
	python3 "$t/lib/nettrace.py" many >many; second nettrace many
	python3 -c "import sys; sys.path.insert(0, \"$t/lib\"); import sjk; sys.stdout.buffer.write(sjk.Trace(4).whole(sjk.SAMPLES * 500))" >many; second sjk many
	python3 "$t/lib/otlp.py" make shop >many; second otlp many
'
check 'a row that differs is seen' '
	second rbspy rbspy.1
	sed "s/\"weight\":1,/\"weight\":2,/; 7q" second.rows >other
	status 1 python3 "$t/lib/second_reading.py" rbspy rbspy.1 <other >out
	grep "^- 1 sample" out
	grep "^+ 1 sample" out
'
finish
