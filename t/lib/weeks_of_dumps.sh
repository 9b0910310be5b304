# SPDX-License-Identifier: MIT
# weeks_of_dumps.sh: thread dumps of a shop, one every half hour for a week.
#
# week_of_dumps DAY SEED RUN FACTOR: on stdout, from this day of November 2026 on. Every RUN of the VM has numbers and addresses of its own in what it generates:
# lambdas, proxies, accessors, pools. Discount.evaluateRules has 1.5 % of the samples times FACTOR, 60 other functions what they always have; every
# few hours up to 10 threads queue in one of eight functions for a dump or two.

week_of_dumps() {
	awk -v day="$1" -v seed="$2" -v run="$3" -v factor="$4" '
	function thread(pool, n) {
		printf "\"%s-%d\" #%d daemon prio=5 os_prio=0 cpu=%.2fms elapsed=%.2fs tid=0x%012x nid=0x%x runnable [0x%012x]\n", \
			pool, n, 20 + n, 1, 1, run * 65536 + n * 256, 100 + n, n * 4096
		print "   java.lang.Thread.State: RUNNABLE"
	}
	function frame(name) { print "\tat " name "(Shop.java:1)" }
	function lambda(class, n) { return class "$$Lambda$" (n + run) "/0x0000" run sprintf("%010x", n * 4096) ".run" }
	function stack(leaf, way) {
		frame(leaf)
		frame("com.acme.shop.Service" way ".call")
		frame("jdk.internal.reflect.GeneratedMethodAccessor" (way + run) ".invoke")
		frame("com.sun.proxy.$Proxy" (way + run) ".handle")
		frame(lambda("com.acme.shop.Handler", way))
		frame("java.lang.Thread.run")
	}
	BEGIN {
		srand(seed)
		for (f = 1; f <= 60; f++) sum += weight[f] = 1 + f % 7
		for (at = 0; at < 7 * 48; at++) {
			printf "2026-11-%02d %02d:%02d:00\n", day + int(at / 48), at % 48 / 2, at % 2 * 30
			print "Full thread dump OpenJDK 64-Bit Server VM (25 mixed mode):\n"
			if (queue > 0 && rand() < 0.5) queue = 0
			if (rand() < 0.08) { queue = 3 + int(rand() * 8); queued = 1 + int(rand() * 8) }
			for (n = 1; n <= 30; n++) {
				thread(n <= 24 ? "http-nio-8080-exec" : "pool-" run "-thread", n)
				r = rand()
				if (n <= queue) stack("com.acme.shop.Stock" queued ".reserve", queued % 3)
				else if (r < 0.015 * factor) stack("com.acme.shop.Discount.evaluateRules", n % 3)
				else if (r > 0.6) { frame("jdk.internal.misc.Unsafe.park"); frame("java.util.concurrent.LinkedBlockingQueue.take"); frame("java.lang.Thread.run") }
				else {
					r = rand() * sum
					for (f = 1; f < 60 && r >= weight[f]; f++) r -= weight[f]
					stack("com.acme.shop.part" f % 5 ".Work" f ".step", f % 3)
				}
				print ""
			}
		}
	}'
}
