#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages of threads over time in a real browser: numbers, keys, names, accessibility, print. What needs no browser is tried everywhere.
. "${0%/*}/lib/tap.sh"
have stkplot zstd || skip_all 'no stkplot or zstd'
find_browser
look() { node "$t/browser/ask.js" "$t/browser/threads_page.js" "$@"; }
test -n "$browser" || one_browser

stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" -o orders.stk
stkplot states -q -o orders.html orders.stk

check 'a page: the same bytes each time, ASCII with --text, below 40 kB, within --max-size' '
	stkplot states -q orders.stk >again.html
	same orders.html again.html
	stkplot states -q --text -o plain.html orders.stk
	LC_ALL=C status 1 grep -q "[^ -~	]" plain.html
	test "$(wc -c <orders.html)" -lt 40000
	status 2 stkplot states --max-size 10k orders.stk 2>err
	grep -q "so much a page without data has" err
'
check 'the commands of a page keep the selection; times are the one'\''s and not the other'\''s' '
	stkplot states -q --thread "^http" --window 23:54:00..23:54:12 orders.stk >part.html
	grep -aq "\"command\":\"stkdiag -f text --thread .*http.* --window 23:54:00..23:54:12 orders.stk\"" part.html
	grep -aq "\"shown\":\"stkcat -f dumps --thread .*http.* orders.stk\"" part.html
	status 1 grep -aq "\"shown\":\".*--window" part.html
'
in_browser 'samples by thread and state are those of stkcat, what locks cost is that of stkdiag' '
	stkcat -q -f tsv --only sample orders.stk >samples
	stkdiag -q -f tsv orders.stk >found || test $? = 4
	look numbers orders.html samples
	look lost orders.html found
	stkplot states -q --text -o plain.html orders.stk
	look numbers plain.html samples
'
in_browser 'keys alone: findings, threads, moments, pools, search, locks; the address keeps them' '
	look keys orders.html
'
. "$t/lib/hand_dumps.sh"
# A thread that stands thrice for six dumps, and works in between; and one that works.
for i in $(seq 0 29); do
	begin $((i * 30))
	if test $((i % 10)) -lt 6; then thread job-1 1 RUNNABLE $((10 + i / 10)) app.Db.read app.Job.run
	else thread job-1 1 RUNNABLE $((10 + i * 100)) "app.Job.step$i" app.Job.run; fi
	thread other 2 RUNNABLE $((i * 1000)) "app.Other.a$i" app.Other.run
done >repeats.txt
stkcap -q repeats.txt -o repeats.stk
stkplot states -q repeats.stk >repeats.html
in_browser 'findings that are the same but for their time are one line, and a key goes from time to time' '
	look repeats repeats.html
'
in_browser 'the pointer: a click shows the stack, dragging less time' '
	look pointer orders.html
'
in_browser 'a page of locks begins at the locks: who holds, who waits, what it cost' '
	stkplot locks -q -o locks.html orders.stk
	look locks locks.html
'
in_browser 'none, one and two dumps' '
	stkcat -q -S --grep nobody orders.stk >none.stk
	stkplot states -q none.stk >none.html
	look nothing none.html
	for window in 23:53:55..23:53:56 23:53:55..23:53:58; do
		stkplot states -q --window $window orders.stk >few.html
		stkcat -q -f tsv --only sample --window $window orders.stk >few
		look numbers few.html few
	done
'
in_browser 'names cannot leave their place' '
	python3 - <<-\X
		import json
		names = ["</script><script>window.pwned=1</script>", "<!--<script>", "`${window.pwned=1}`", "<img src=x onerror=window.pwned=1>", "</title></desc></svg>",
			"\u202Etxt.exe\u202C", "__proto__", "constructor", "%00%0a#&v=2&=", "y" * 3000, "\u05d0\u05d1", "\uFEFFbom"]
		json.dump(names, open("names.json", "w"))
		head = "2026-01-01 00:00:0%d\nFull thread dump OpenJDK 64-Bit Server VM (21 mixed mode):\n\n"
		one = "\"%s\" #%d prio=5 tid=0x%x nid=0x%x runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.b.C.d(C.java:1)\n\n"
		dump = "".join(one % (name, n, n, n) for n, name in enumerate(names, 1))
		open("names", "w", encoding="utf-8").write("".join(head % second + dump for second in range(3)))
	X
	stkcap -q --format thread-dump names >names.stk
	stkplot states -q --title "</title><script>window.pwned=1</script>" names.stk >names.html
	look hostile names.html names.json
'
make=${BUILD:-}/t/tools/make_incidents
if test -z "$browser" && test -x "$make"; then
	check 'with less room several dumps become one moment, which is said; sums stay those of stkcat' '
		"$make" 11 truth 600 30 2 1772352000 | stkcap -q -o day.stk -
		stkplot states --max-size 39k --thread "^(job|mail|http)-" -o small.html day.stk 2>err
		grep -q "dumps became one moment" err
		test "$(wc -c <small.html)" -le 39936
		stkcat -q -f tsv --only sample --thread "^(job|mail|http)-" day.stk >samples
		look numbers small.html samples
	'
else
	skip 'no browser or no make_incidents' 'with less room several dumps become one moment, which is said; sums stay those of stkcat'
fi
in_browser 'paper; axe finds nothing: narrow, threads and locks, and in a dialog' '
	look print orders.html
	look axe orders.html
'
finish
