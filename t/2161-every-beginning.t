#!/bin/sh
# SPDX-License-Identifier: MIT
# Each format that --list-formats names has a seed and a target of fuzzing; each beginning of the seed is read or reported, whether the format is recognised or given.
# Most formats have tests of their own with more beginnings; this one is for all, so that none is forgotten.
. "${0%/*}/lib/tap.sh"

seed=$t/fuzz/seed
cat >files <<END
thread-dump $seed/thread_dump/dump.txt
javacore $seed/javacore/openj9
perf-script $seed/perf_script/shop
process-dump $seed/process_dump/gdb
coroutines $seed/coroutines/probes
bpftrace $seed/bpftrace/maps
dtrace $seed/dtrace/aggregation
go-profile $seed/go_profile/goroutine
go-heap $seed/go_heap/heap
gc-log $seed/gc_log/jdk8
gc-log-uptime $seed/gc_log/uptime
verbose-gc $seed/verbose_gc/gencon
jstat $seed/metric_table/jstat
metrics $seed/metric_table/metrics
openmetrics $seed/openmetrics_text/openmetrics
events $seed/event_table/pairs
events-json $seed/event_json/pair
ftrace $seed/kernel_events/ftrace
strace $seed/kernel_events/strace
babeltrace $seed/kernel_events/babeltrace
austin $seed/austin/wall
folded-dumps $seed/folded_dumps/two
folded-arrows $seed/folded_arrows/arrows
folded $seed/folded/stacks
jfr $seed/jfr/wall
pprof $seed/pprof/cpu
gperftools $seed/gperftools/jemalloc
callgrind $seed/callgrind/shop
otlp $seed/otlp/ours
simpleperf $seed/simpleperf/whole
perfetto $seed/perfetto/whole
nettrace $seed/nettrace/whole
sjk $seed/sjk/v4
macos-sample $seed/macos_sample/shop
instruments $seed/instruments/shop
instruments-text $seed/instruments_text/shop
vtune $seed/vtune/shop
threads-json $seed/threads_json/actuator
threads-text $seed/threads_text/jdk25
pyspy-json $seed/pyspy_json/dump
rbspy $seed/rbspy/v2
speedscope $seed/speedscope/ours
firefox $seed/firefox/ours
chrome $seed/chrome/slices
cpuprofile $seed/cpuprofile/shop
END
# rows FILE: how many samples, metrics and events a stream has
rows() { stkcat -q -f ndjson --only sample,metric,event "$1" | wc -l; }

check 'every listed format has a seed, which is recognised and has rows' '
	stkcap --list-formats | grep "^[a-z]" >listed
	cut -d " " -f 1 files | same listed -
	while read -r name file; do
		code=0; stkcap -q -o a.stk "$file" 2>err || code=$?
		{ test $code -le 1 && test "$(rows a.stk)" -gt 0; } || { echo "$name: $file: status $code"; cat err; exit 1; }
	done <files
'
check 'and a target of fuzzing' '
	while read -r name file; do
		struct=$(awk -v name="$name" "/^const struct text_format [a-z_0-9]*_format = \\{/ { struct = \$4 } index(\$0, \".name = \\\"\" name \"\\\",\") { print struct }" "$t"/../lib/ingest/*.c)
		test -n "$struct" || { echo "$name: no such format in lib/ingest"; exit 1; }
		grep -q "&$struct\>" "$t"/fuzz/*.c || { echo "$name: nothing in t/fuzz has $struct"; exit 1; }
	done <files
'
check 'the page has the list; what stkcat writes as a format is read as that' '
	stkcap --list-formats -f md >list; grep -Fxc -f list "$t/../docs/formats.md" >count; wc -l <list | tr -d " " | same count -
	stkcap -q -o shop.stk "$seed/perf_script/shop"; stkcap -q -o dump.stk "$seed/thread_dump/dump.txt"; echo "2026-03-01T09:00:00Z,heap.used,7" >a; stkcap -q -o memory.stk a
	stkcap --list-formats -f tsv | awk -F "\t" "NR > 1 && \$4 != \"\" { print \$1, \$4 }" >written; test "$(wc -l <written)" -ge 9
	while read -r name form; do
		from=shop.stk; test "$name" != thread-dump || from=dump.stk; test "$name" != openmetrics || from=memory.stk
		stkcat -q -f "$form" -o again $from
		stkcap -q --format "$name" -o back.stk again; test "$(rows back.stk)" -gt 0 || { echo "$name by $form"; false; }
	done <written
'
# beginnings NAME FILE COUNT: every beginning of so many ends with status 0 or 1, and has no more rows than the whole file
beginnings() {
	size=$(wc -c <"$2") n=1 code=0
	stkcap -q --format "$1" -o whole.stk "$2" 2>err || test $? -eq 1
	whole=$(rows whole.stk)
	while [ $n -lt "$size" ]; do
		head -c $n "$2" >cut
		for how in "" "--format $1"; do
			code=0; stkcap -q $how -o cut.stk cut 2>err || code=$?
			test $code -le 1 || { echo "$1: $n bytes: status $code"; cat err; return 1; }
		done
		test "$(rows cut.stk)" -le "$whole" || { echo "$1: $n bytes: more rows than the whole"; return 1; }
		n=$((n + size / $3 + 1))
	done
}
check 'every beginning, of a few for each format' '
	while read -r name file; do beginnings "$name" "$file" 5; done <files
'
check 'and more of those without a test of their own' '
	for name in thread-dump perf-script process-dump gc-log gc-log-uptime jstat metrics events folded-dumps folded-arrows folded; do
		beginnings $name "$(sed -n "s/^$name //p" files)" 20
	done
'
finish
