#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles of OpenTelemetry, in and out: what a reader and writer without any library of ours says, in all their forms and versions.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

otlp() { python3 "$t/lib/otlp.py" "$@"; }
# rows FILE...: time, thread, state, weight, stack, event, processor, note, tid
rows() { stkcat -q -f tsv --only sample "$@" | sed 1d | cut -f 1,3-6,8,13,16,17; }
otlp make shop >shop.otlp

check 'values, times, threads, states, processors, links, attributes, inlined functions; a value without a time has that of the profile' '
	stkcap shop.otlp >x.stk 2>err
	grep "0 dumps, 8 samples, 3 distinct stacks, 0 lines skipped" err
	rows x.stk | cut -f 1-6,8,9 >got
	sed "s/|/	/g; s/^/2026-01-01T00:00:00/" >wanted <<-END
	.000000005Z|web-1|running|10000000|main;work;leaf|cpu/nanoseconds||12
	.000000007Z|web-1|running|30000000|main;work;leaf|cpu/nanoseconds||12
	.000000006Z||unknown|20000000|main|cpu/nanoseconds|trace_id=00112233445566778899aabbccddeeff, span_id=0123456789abcdef|0
	.000000008Z||unknown|1000000|main|cpu/nanoseconds|trace_id=00112233445566778899aabbccddeeff, span_id=0123456789abcdef|0
	Z||unknown|5000000|main;[libc.so.6]|cpu/nanoseconds|size=64bytes, share=0.5, on=true, who=(list)|0
	.000000001Z|web-1|unknown|1|main|samples||12
	.000000002Z|web-1|unknown|1|main|samples||12
	Z||unknown|4096||alloc_space/bytes||0
	END
	same wanted got
	stkcat -q -f folded --by process --event all --names full x.stk >got
	printf "batch 4096\nshop;main:7 21000002\nshop;main:7;[libc.so.6] 5000000\nshop;main:7;work:20;leaf:1 40000000\n" >wanted
	sed "s/(a.c)//; s/([^()]*:\([0-9]*\))/:\1/g" got | grep -c shop | grep -x 3
	stkcat -q -f ndjson --only source x.stk >got
	grep "\"host\":\"h1\"" got | grep "\"process\":\"shop\"" | grep "\"pid\":42"
	stkcat -q -f ndjson --only sample x.stk | head -n 1 | grep "\"processor\":3"
'
check 'the same samples from the fields of 1.9, JSON, JSON lines, messages after their size, and gzip' '
	rows x.stk >wanted
	cat wanted wanted >twice
	for form in 1.9 json lines sized; do
		otlp as $form <shop.otlp >x
		stkcap -q -o y.stk x
		rows y.stk >got
		case $form in lines|sized) same twice got ;; *) same wanted got ;; esac
	done
	gzip -c x >x.gz; stkcap -q x.gz | rows - | same twice -
'
check 'what 1.9 and 1.10 say by the same bytes is left out with a word; names in JSON leave no doubt' '
	otlp make unsure >x
	status 1 stkcap -o y.stk x 2>err
	grep "x: profiles that can be of OTLP 1.9 or 1.10, which mean different things by the same bytes; left out" err
	otlp as json <x >x.json
	stkcap -q x.json | rows - >got
	printf "2026-01-01T00:00:00Z\tmain\tunknown\t1\tf\tsamples\t0\t\t0\n" | same - got
'
check 'profiles of 1.7 are told, whether in bytes or in JSON' '
	otlp make old >x
	status 1 stkcap -o y.stk x 2>err
	grep "x: profiles of OTLP 1.7 or older, of which the fields mean other things: 1.8 is the first that can be read; left out" err
	echo "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sample\":[{\"locationsStartIndex\":1,\"locationsLength\":2}]}]}]}]}" >x
	status 1 stkcap -o y.stk x 2>err
	grep "OTLP 1.7 or older" err
'
check 'what refers to what is not there, and negative values, are told; the rest is kept' '
	otlp make lost >x
	status 1 stkcap -o y.stk x 2>err
	grep "x: negative values" err
	grep "x: profiles that refer to what they do not have, or samples with more or fewer times than values" err
	stkcat -q -f folded --by none y.stk >got
	printf "? 1\nf 6\n" | same - got
'
check 'JSON that is not what its names ask for, and that is cut, is told; numbers may be texts' '
	otlp make least | otlp as json >least.json
	stkcap -q least.json | rows - >wanted
	sed "s/\"line\": 7/\"line\": \"7\"/; s/\"unknown\": 1/\"x\": {\"y\": [1]}/" least.json >x.json
	stkcap -q x.json | rows - | same wanted -
	sed "s/\"stackIndex\": 1/\"stackIndex\": [[1]]/" least.json >x.json
	status 1 stkcap -o y.stk x.json 2>err
	grep "x.json: values that are not what their names ask for; left out" err
	head -c 700 least.json >x.json
	status 1 stkcap -o y.stk x.json 2>err
	grep "x.json: not JSON at byte 700: " err
	printf "{\"resourceProfiles\":[]}" >x.json
	status 1 stkcap -o y.stk x.json 2>err; grep "no stack, no metric and no event" err
'
check 'JSON from a pipe that gives a few bytes at a time, after blanks and a byte order mark; messages around one of 1.7; lines after what is not JSON are listed' '
	stkcap -q shop.otlp | rows - >wanted
	cat wanted wanted >twice
	otlp as json <shop.otlp >shop.json
	(printf "\357\273\277 "; sleep 0.1; printf "\n"; head -c 2 shop.json; sleep 0.1; tail -c +3 shop.json) | stkcap -q - >y.stk
	rows y.stk | same wanted -
	tr -d "\n" <shop.json >line
	old="{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"samples\":[{\"locationsStartIndex\":1}]}]}]}]}"
	(cat line; echo; echo "$old"; cat line; echo; echo "{\"resourceProfiles\":[1,}"; echo rest) >x
	status 1 stkcap -o y.stk --rejects r x 2>err
	rows y.stk | same twice -
	grep "x: profiles of OTLP 1.7 or older" err
	grep "x: not JSON at byte $(($(wc -c <x) - 7)): " err
	grep "rest" r
'
check 'every beginning of a message: what it has is kept, and that it is cut is told' '
	otlp make least >least
	size=$(wc -c <least) n=0
	while [ $n -lt "$size" ]; do
		head -c $n least >cut
		code=0; stkcap --format otlp -o cut.stk cut 2>err || code=$?
		test $code -le 1
		test $code = 1
		n=$((n + 1))
	done
'
check 'out: every sample with its time, weight, thread, state; equal bytes again; read back, the same samples' '
	stkcat -q -f otlp x.stk >p
	otlp print <p | sort >got
	sed "s/|/	/g; s/^T/17672256000000000/" >wanted <<-END
	T00|alloc_space/bytes|4096|shop.otlp|#0||
	T00|cpu/nanoseconds|5000000|shop.otlp|#0||main:/src/main.c:7@/opt/shop;[libc.so.6]::0@/usr/lib/libc.so.6
	T01|samples/count|1|shop.otlp|web-1#12||main:/src/main.c:7@/opt/shop
	T02|samples/count|1|shop.otlp|web-1#12||main:/src/main.c:7@/opt/shop
	T05|cpu/nanoseconds|10000000|shop.otlp|web-1#12|running|main:/src/main.c:7@/opt/shop;work:/src/a.c:20@;leaf:/src/a.c:1@
	T06|cpu/nanoseconds|20000000|shop.otlp|#0||main:/src/main.c:7@/opt/shop
	T07|cpu/nanoseconds|30000000|shop.otlp|web-1#12|running|main:/src/main.c:7@/opt/shop;work:/src/a.c:20@;leaf:/src/a.c:1@
	T08|cpu/nanoseconds|1000000|shop.otlp|#0||main:/src/main.c:7@/opt/shop
	END
	same wanted got
	stkcat -q -f otlp -o q x.stk; cmp p q
	stkcap -q p >again.stk
	rows x.stk | cut -f 1-6,9 | sort >wanted; rows again.stk | cut -f 1-6,9 | sort | same wanted -
'
check 'out: dumps and samples of several sources with their times, states and numbers; what has no place is said' '
	stkcap -q --source orders -o j.stk "$t/../scripts/sample/order-service.jstack.txt.gz"
	stkcap -q --source shop -o s.stk "$t/data/shop.perf.txt"
	stkcat -f otlp -o p j.stk s.stk 2>err
	grep "locks of samples are left out: otlp has no place for them" err
	stkcap -q -o again.stk p
	stkcat -q -S --merge -o both.stk j.stk s.stk
	for stk in both again; do stkcat -q -f tsv --only sample $stk.stk | sed 1d | awk -F "\t" -v OFS="\t" "{ time = \$1 ~ /^20/ ? \$1 : \"-\"; sum[time OFS \$3 OFS \$4 OFS \$6 OFS (\$8 == \"\" ? \"samples\" : \$8) OFS \$17] += \$5 } END { for (k in sum) print k, sum[k] }" | sort >$stk.rows; done
	same both.rows again.rows
	test "$(grep -c "^20" again.rows)" -gt 400
	grep "times that count from an unknown moment are left out: otlp.s count from 1970" err
	test "$(otlp print <p | cut -f 4 | sort -u | tr "\n" " ")" = "orders shop "
	stkcat -q -f ndjson --only thread --ids j.stk | sed -n "s/.*\"number\":\([0-9]*\).*/\1/p" | grep -vx 0 | sort >wanted
	stkcap -q p | stkcat -q -f ndjson --only thread --ids - | sed -n "s/.*\"number\":\([0-9]*\).*/\1/p" | grep -vx 0 | sort | same wanted -
'
check 'out: a sum beyond what a value holds is said' '
	printf "main;f 9223372036854775807\nmain;f 5\n" | stkcap -q --format folded -o big.stk -
	stkcat -f otlp big.stk 2>err >p
	grep "values beyond 2^63 - 1 are written as that" err
	otlp print <p | cut -f 1-3 >got
	printf -- "-\tsamples/count\t9223372036854775807\n" | same - got
'
check 'out: one sample, none, a window; not to a terminal; options without effect are refused' '
	stkcap -q --format otlp least | stkcat -q -f otlp - | otlp print >got
	printf "1767225600000000000\tsamples/count\t1\tleast\tmain#0\t\tf::7@\n" | same - got
	stkcat -q -f otlp --thread nobody j.stk >p || test $? = 1
	otlp print <p >got; test ! -s got
	status 2 stkcat -f otlp --only dump j.stk
	status 2 stkcat -f otlp --ids j.stk 2>err; grep "\-\-ids works only with -f tsv, ndjson and csv" err
	status 2 stkcat -f otlp --top 3 j.stk 2>err; grep "\-\-top works only with -f text" err
	status 2 script -qec "stkcat -f otlp j.stk" /dev/null >shown
	grep "protocol buffers are not for a terminal: use -o FILE" shown
'
have protoc || skip 'no protoc (Debian: protobuf-compiler)' 'protoc reads what is written' :
if command -v protoc >/dev/null 2>&1; then
	check 'protoc reads what is written' '
		stkcat -q -f otlp -o p x.stk
		protoc --decode_raw <p >got
		test "$(grep -c "^[12] {" got)" = 3	# two processes, and the tables
	'
fi
check 'the size of a part is not taken for the brace and the quote of JSON' '
	for lengths in 14,23 15,22; do		# the resource has 34 and 35 bytes, and all of the first part 123: a quote and a brace
		otlp make $lengths >x
		head -c 2 x | od -An -c | grep "n *{"
		stkcap -q --rejects r -o x.stk x
		rows x.stk | wc -l | grep -x 1
		test ! -s r
	done
	otlp make 14,23 | head -c 4 | tail -c 1 | grep "\""
'
check 'what is written of no sample is recognised, and other small messages are not' '
	printf "" | stkcap -q --format folded -o none.stk - 2>err || true
	stkcat -q -f otlp -o none none.stk
	status 1 stkcap -o x.stk none 2>err; grep "none: no stack, no metric and no event found" err
	for size in 1 2 3 4 8 14 15; do head -c $size none >cut; status 1 stkcap -o x.stk cut 2>err; grep -c "not a known format" err; done
	{ cat none; printf "\012\001x"; } >more; status 1 stkcap -o x.stk more 2>err; grep "not a known format" err
'
finish
