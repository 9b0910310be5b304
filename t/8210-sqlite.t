#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcat -f sqlite: the database has the rows of -f tsv, its views join, and questions in SQL have the answers worked out by hand.
. "${0%/*}/lib/tap.sh"

have python3 || skip_all 'no python3'
stkcap -q --zone +01:00 --source orders -o orders.stk "$t/data/orders.jstack.txt"
stkcat -q -f sqlite -o orders.db orders.stk 2>err || ! grep -q "built without libsqlite3" err || skip_all "built without libsqlite3"
stkcap -q --source shop -o shop.stk "$t/data/shop.perf.txt"
python3 -c 'import sqlite3' 2>/dev/null || skip_all 'no sqlite3 in Python'
cat >sql.py <<'END'
# sql.py FILE QUERY: rows, with tabs between
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print("\t".join("" if v is None else str(v) for v in row))
END
sql() { python3 sql.py "$@"; }

check 'each sample has what tsv says of it' '
	printf "main;a 3\n\377x;b 1\n" | stkcap -q --format folded --source f -o folded.stk -
	for x in orders.stk shop.stk folded.stk "orders.stk shop.stk" "--state blocked orders.stk" "--event page-faults shop.stk"; do
		stkcat -q -f sqlite -o x.db $x
		sql x.db "SELECT CASE WHEN t_ns IS NULL THEN \"\" ELSE coalesce(t, printf(\"%d.%09d\", t_ns / 1000000000, t_ns % 1000000000)) END, source, thread, state, weight, folded, CASE event WHEN \"dump\" THEN \"\" ELSE event END,
			coalesce(processor, -1), condition, coalesce(cpu_ns, 0), coalesce(elapsed_ns, 0), coalesce(allocated, 0), note, coalesce(tid, 0), coalesce(number, 0), pool
			FROM v_sample LEFT JOIN v_folded USING (stack_id) ORDER BY id" >got
		stkcat -q -f tsv --only sample $x | sed 1d | cut -f 1-6,8-13,16-19 | python3 -c "
import sys
sys.stdout.buffer.write(sys.stdin.buffer.read().replace(b\"\xff\", b\"\xef\xbf\xbd\"))" >wanted
		python3 - <<-END
		def rows(name):
		    for line in open(name):
		        f = line.rstrip("\n").split("\t")
		        time = f[0].rstrip("Z")
		        if "." in time: time = time.rstrip("0").rstrip(".")
		        yield [time if time not in ("-", "") else ""] + f[1:]
		got, wanted = list(rows("got")), list(rows("wanted"))
		assert len(got) == len(wanted) > 0, (len(got), len(wanted))
		for a, b in zip(got, wanted):
		    assert a == b, (a, b)
		END
	done
'
check 'sound: references, integrity, who wrote it; counts are those of the stream' '
	stkcat -q -f sqlite -o both.db orders.stk shop.stk orders.stk
	for x in orders.db both.db; do
		test "$(sql $x "PRAGMA integrity_check")" = ok
		test -z "$(sql $x "PRAGMA foreign_key_check")"
	done
	test "$(sql orders.db "SELECT value FROM meta WHERE key = \"samples\"")" -eq "$(stkcat -q -f tsv --only sample orders.stk | sed 1d | wc -l)"
	test "$(sql orders.db "SELECT count(*) FROM metric")" -eq "$(stkcat -q -f tsv --only metric orders.stk | sed 1d | wc -l)"
	test "$(sql orders.db "SELECT count(*) FROM deadlock")" -eq "$(stkcat -q -f tsv --only deadlock orders.stk | sed 1d | wc -l)"
	test "$(sql orders.db "PRAGMA application_id")" = 1398033201
	test "$(sql both.db "SELECT count(*) FROM source")" -eq 3
	test "$(sql both.db "SELECT count(*) FROM thread WHERE source_id = 1")" -eq "$(sql orders.db "SELECT count(*) FROM thread")"
	test "$(sql both.db "SELECT count(*) FROM dump")" -eq 6
'
check 'folded text for flame graphs is that of -f folded' '
	stkcat -q -f folded --by none orders.stk >wanted
	sql orders.db "SELECT coalesce(folded, \"?\"), sum(weight) FROM sample LEFT JOIN v_folded USING (stack_id) GROUP BY 1" | tr "\t" " " | LC_ALL=C sort >got
	LC_ALL=C sort wanted | same - got
'
check 'questions: own time, total time with recursion once, states, stuck threads, who blocks whom' '
	cat >dump.txt <<-END
	2026-03-01 12:00:00
	Full thread dump X (17):

	"a" #1 prio=5 os_prio=0 tid=0x1 nid=0x1 runnable
	   java.lang.Thread.State: RUNNABLE
	 	at s.R.rec(R.java:1)
	 	at s.R.rec(R.java:2)
	 	- locked <0x00000000000000ee> (a s.Lock)
	 	at s.M.run(M.java:1)

	"b" #2 prio=5 os_prio=0 tid=0x2 nid=0x2 waiting for monitor entry
	   java.lang.Thread.State: BLOCKED (on object monitor)
	 	at s.C.get(C.java:1)
	 	- waiting to lock <0x00000000000000ee> (a s.Lock)
	 	at s.M.run(M.java:1)

	2026-03-01 12:00:10
	Full thread dump X (17):

	"a" #1 prio=5 os_prio=0 tid=0x1 nid=0x1 in Object.wait()
	   java.lang.Thread.State: WAITING (on object monitor)
	 	at java.lang.Object.wait(Native Method)
	 	- waiting on <0x00000000000000ee> (a s.Lock)
	 	at s.R.rec(R.java:2)
	 	- locked <0x00000000000000ee> (a s.Lock)
	 	at s.M.run(M.java:1)

	"b" #2 prio=5 os_prio=0 tid=0x2 nid=0x2 waiting for monitor entry
	   java.lang.Thread.State: BLOCKED (on object monitor)
	 	at s.C.get(C.java:1)
	 	- waiting to lock <0x00000000000000ee> (a s.Lock)
	 	at s.M.run(M.java:1)

	END
	sed "s/^ 	/	/" dump.txt | stkcap -q --source s -o s.stk -
	stkcat -q -f sqlite -o s.db s.stk
	sql s.db "SELECT top, sum(weight) FROM v_sample WHERE event = \"dump\" GROUP BY top ORDER BY 2 DESC, 1" >got
	printf "s.C.get\t2\njava.lang.Object.wait\t1\ns.R.rec\t1\n" | same - got
	sql s.db "SELECT function, sum(weight) FROM (SELECT DISTINCT s.id, s.weight, f.function FROM sample s JOIN stack_frame x USING (stack_id) JOIN frame f ON f.id = x.frame_id) GROUP BY 1 ORDER BY 2 DESC, 1" >got
	printf "s.M.run\t4\ns.C.get\t2\ns.R.rec\t2\njava.lang.Object.wait\t1\n" | same - got
	sql s.db "SELECT t_ns / 10000000000 % 6, count(*) FILTER (WHERE state = \"blocked\"), count(*) FROM sample GROUP BY 1" >got
	printf "0\t1\t2\n1\t1\t2\n" | same - got
	sql s.db "SELECT thread, top, count(DISTINCT dump_id) FROM v_sample GROUP BY thread_id, stack_id HAVING count(*) > 1" >got
	printf "b\ts.C.get\t2\n" | same - got
	sql s.db "SELECT w.name, o.name, class, obj, strftime(\"%S\", t_ns / 1000000000, \"unixepoch\") FROM v_blocked JOIN thread w ON w.id = waiter_id JOIN thread o ON o.id = owner_id" >got
	printf "b\ta\ts.Lock\t0xee\t00\n" | same - got
	sql s.db "EXPLAIN QUERY PLAN SELECT * FROM sample WHERE t_ns BETWEEN 1 AND 2" | grep "USING INDEX sample_time"
'
check 'into a pipe; over an older file; not to a terminal; hostile names' '
	stkcat -q -f sqlite orders.stk | cat >pipe.db
	test "$(sql pipe.db "SELECT count(*) FROM sample")" -eq "$(sql orders.db "SELECT count(*) FROM sample")"
	echo old >over.db; stkcat -q -f sqlite -o over.db orders.stk; cmp over.db orders.db
	test "$(ls -A | grep -c "\.tmp\$")" -eq 0
	printf "a\"b'"'"'c;\377x;\001y 2\n" | stkcap -q --format folded -o bad.stk -
	stkcat -q -f sqlite -o bad.db bad.stk
	test "$(sql bad.db "SELECT hex(folded) FROM v_folded")" = 612262276304EFBFBD783B0179 || test "$(sql bad.db "SELECT hex(folded) FROM v_folded")" = "$(printf "a\"b'"'"'c;\357\277\275x;\001y" | od -An -tx1 | tr -d " \n" | tr a-f A-F)"
	status 3 stkcat -q -f sqlite -o no/such/folder.db orders.stk 2>err; grep "cannot create" err
	status 2 stkcat -f sqlite --by thread orders.stk 2>err; grep "only with -f folded" err
'
check 'no samples, and one' '
	printf "" | stkcap -q --format folded -o none.stk - 2>/dev/null || true
	stkcat -q -f sqlite -o none.db none.stk
	test "$(sql none.db "SELECT count(*) FROM v_sample")" = 0
	printf "f 1\n" | stkcap -q --format folded -o one.stk -
	stkcat -q -f sqlite -o one.db one.stk
	test "$(sql one.db "SELECT top || weight || unit || event FROM v_sample")" = f1samples
	stkcat -q -f sqlite --only sample -o x.db orders.stk; test "$(sql x.db "SELECT count(*) FROM metric")" = 0
'
check 'damage: what is left is in the database, with status 1' '
	size=$(wc -c <orders.stk)
	head -c $((size * 2 / 3)) orders.stk >cut.stk
	status 1 stkcat -q -f sqlite -o cut.db cut.stk
	test "$(sql cut.db "PRAGMA integrity_check")" = ok
'
finish
