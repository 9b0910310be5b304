#!/bin/sh
# SPDX-License-Identifier: MIT
# stk-nightly over three weeks of a service in which the threads of one kind of work hold the heap: the report names it.
. "${0%/*}/lib/tap.sh"
have flock || skip_all 'no flock'
have awk || skip_all 'no awk'

nightly=$t/../scripts/stk-nightly
# day N: a dump every half hour, twelve kinds of work, each with a daily season of its own; each thread of shop.Export.build holds 60 MB
day() {
	awk -v day="$1" '
	function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
	function thread(c, k) {
		printf "\"%s-%d\" #%d prio=5 os_prio=0 tid=0x%016x nid=0x%x runnable [0x00007f0000000000]\n   java.lang.Thread.State: RUNNABLE\n", name[c], k, c * 50 + k + 10, c * 4096 + k * 16 + 65536, c * 50 + k + 256
		printf "\tat shop.%s.step%d(Shop.java:%d)\n\tat shop.%s.build(Shop.java:12)\n\tat shop.Server.handle(Server.java:40)\n\tat java.lang.Thread.run(Thread.java:833)\n\n", name[c], (k + day) % 3, 20 + k, name[c]
	}
	BEGIN {
		split("Cart Price Search Page Login Order Image Feed Export Mail Stock Audit", name)
		for (c = 1; c <= 12; c++) { phase[c] = c * 2.39996; level[c] = 3 + c % 5 }
		srand(day)
		for (i = 0; i < 48; i++) {
			printf "2026-03-%02d %02d:%02d:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode, sharing):\n\n", day, int(i / 2), i % 2 * 30
			for (c = 1; c <= 12; c++) {
				n = poisson(level[c] * (1 + 0.7 * sin(i / 48 * 6.28318 + phase[c])))
				for (k = 1; k <= n; k++) thread(c, k)
				if (name[c] == "Export") held = n
			}
			printf "[2026-03-%02dT%02d:%02d:00.000+0000][info][gc] GC(%d) Pause Young (Normal) (G1 Evacuation Pause) %dM->%dM(4096M) 12.000ms\n", day, int(i / 2), i % 2 * 30, i, 1700 + held * 60, 800 + held * 60 + int(rand() * 40) >"dumps/gc.log"
		}
	}' >dumps/shop.txt
}
mkdir dumps
n=1
while [ $n -le 20 ]; do
	day $n
	"$nightly" --dumps dumps --state state --out out --date 2026-03-$(printf %02d $n) >/dev/null 2>>messages
	n=$((n + 1))
done

check 'the cause is named when three weeks show it, and not before two' '
	test ! -s messages
	tr -s "\n " " " <out/2026-03-20.txt >report
	cat out/2026-03-20.txt >&3
	grep -o "Likely cause: [^,]*" report >causes
	head -n 1 causes | grep "Export.step"
	status 1 grep -v "Export.step" causes
	grep "^Nothing wrong in 48 dumps with [0-9]* samples of 1 process, and 288$" out/2026-03-20.txt
	grep "Too little past to say what it goes with" out/2026-03-13.txt
	status 1 grep "Likely cause" out/2026-03-13.txt
'
finish
