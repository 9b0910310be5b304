#!/bin/sh
# SPDX-License-Identifier: MIT
# Three thread dumps, worked by hand: every row that stkcat prints of them (see data/README).
. "${0%/*}/lib/tap.sh"

cp "$t/data/orders.jstack.txt" .
stkcap -q --zone +01:00 orders.jstack.txt >orders.stk

# joined <ndjson: ids of strings become texts, ids of frames the names of their functions
joined() {
	awk '
	function field(name) { match($0, "\"" name "\":[0-9]+"); return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) }
	function join(name, text) { sub("\"" name "\":[0-9]+", "\"" name "\":" text) }
	BEGIN { text[0] = "\"\"" }
	/^{"kind":"string"/ { id = field("id"); sub(/^.*"text":/, ""); sub(/}$/, ""); text[id] = $0; next }
	/^{"kind":"frame"/ { frame[field("id")] = text[field("function")]; next }
	/^{"kind":"stack"/ { join("frame", frame[field("frame")]) }
	/^{"kind":"sample"/ { join("condition", text[field("condition")]); join("note", text[field("note")]) }
	{ print }'
}

check 'nothing is skipped: three dumps, 36 samples, 10 distinct stacks' '
	stkcap --zone +01:00 orders.jstack.txt 2>err >/dev/null
	echo "stkcap: 3 dumps, 36 samples, 10 distinct stacks, 0 lines skipped" | same - err
'
check 'each sample: time, thread, state, stack, condition, cpu, elapsed, allocated, locks, note' '
	stkcat -f tsv --only sample orders.stk | same "$t/data/orders.samples.tsv" -
'
check 'each thread: once, with its number, tid, handle, priorities and role' '
	stkcat -f tsv --only thread orders.stk | same "$t/data/orders.threads.tsv" -
'
check 'the deadlock: who waits for what, and who holds it' '
	stkcat -f tsv --only deadlock orders.stk | same "$t/data/orders.deadlocks.tsv" -
'
check 'dumps, metrics, objects, samples and stacks as ndjson' '
	for kind in dump metric objects; do stkcat -f ndjson --ids --only $kind orders.stk; done >all
	stkcat -f ndjson --ids --only string,sample orders.stk | joined >>all
	stkcat -f ndjson --ids --only string,frame,stack orders.stk | joined >>all
	grep -Fx -f "$t/data/orders.rows.ndjson" all >got
	same "$t/data/orders.rows.ndjson" got
	test "$(grep -c "^{.kind.:.sample" all)" = 36
	test "$(grep -c "^{.kind.:.stack" all)" = 21
	test "$(grep -c "^{.kind.:.dump" all)" = 3
	test "$(grep -c "^{.kind.:.metric" all)" = 6
	test "$(grep -c "^{.kind.:.objects" all)" = 10
'
check 'one source: a virtual machine, its banner, its clock and zone' '
	{
		printf "id\tname\thost\tpid\tprocess\tvm\truntime\tclock\tzone\n"
		printf "1\torders.jstack.txt\t\t0\t\tOpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing)\tjvm\twall\t+01:00\n"
	} >want
	stkcat -f tsv --only source orders.stk | same want -
'
check 'folded by thread and state' '
	cat >want <<X
Finalizer;waiting;java.lang.ref.Finalizer\$FinalizerThread.run;java.lang.ref.ReferenceQueue.remove;java.lang.Object.wait 3
main;timed-waiting;shop.Main.main;java.lang.Thread.sleep 3
order-1;blocked;java.lang.Thread.run;shop.Order.run;shop.Stock.reserve 3
order-2;blocked;java.lang.Thread.run;shop.Order.run;shop.Stock.count;shop.Order.cancel 1
order-2;runnable;java.lang.Thread.run;shop.Order.run;shop.Stock.count 2
pool-1-thread-1;runnable;java.lang.Thread.run;shop.Mail.send 1
X
	stkcat -f folded --by thread,state orders.stk | grep -e "^order" -e "^main;" -e "^Finalizer" -e "^pool-1-thread-1;runnable" | same want -
'
check 'a window of time is one dump' '
	{ sed -n 1p "$t/data/orders.samples.tsv"; grep "^2026-03-01T08:00:10Z" "$t/data/orders.samples.tsv"; } >want
	stkcat -f tsv --only sample --from 2026-03-01T08:00:10Z --to 2026-03-01T08:00:20Z orders.stk | same want -
'
finish
