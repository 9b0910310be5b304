#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages of trends, groups and classes in a real browser: numbers, keys, names, accessibility, print.
. "${0%/*}/lib/tap.sh"
have node stkplot python3 zstd || skip_all 'no node, python3 or zstd'
find_browser
test -z "$browser" || skip_all "$browser"

look() { node "$t/browser/ask.js" "$t/lib/chart_page.js" "$@"; }
one_browser

awk 'function poisson(x,   l, p, n) { l = exp(-x); p = 1; n = 0; do { n++; p *= rand() } while (p > l); return n - 1 }
	BEGIN { srand(1); for (i = 0; i < 9 * 48; i++) {
		print "@" 1772323200 + i * 1800 >"dumps.txt"
		a = i < 7 * 48 ? 9 : 1
		x = poisson(a); y = poisson(10 - a); z = poisson(3)
		if (x) print "main;serve;old " x >"dumps.txt"; if (y) print "main;serve;new " y >"dumps.txt"; if (z) print "main;index " z >"dumps.txt"
		printf "%d,heap.used,%.0f\n", 1772323200 + i * 1800, 2e9 + 2e6 * i + 1e7 * rand() >"heap.csv"
	} }'
stkcap -q --format folded-dumps dumps.txt | stkclass -q -f stream - >classes.stk
stkcap -q heap.csv >heap.stk
stkcat --merge -f stream classes.stk heap.stk | stktrend -q --periods day -f stream --limit heap.used=4G - >trend.stk
stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" >jstack.stk
stkgroup -q -s jvm --step 2s -f stream jstack.stk >groups.stk
for what in trend groups classes; do stkplot $what -q -o $what.html $what.stk; done

check 'trend: means of windows are those of the records' '
	look trend trend.html trend.stk
'
check 'groups: sums of all groups are those of stkgroup, in all and in each step' '
	look groups groups.html jstack.stk 2s jvm
'
check 'classes: totals of all ways are those of stkclass --tree' '
	look classes classes.html classes.stk
'
check 'keys alone: the moment, a window, zoom, the table, the next panel, the zone, dark; the address keeps it' '
	look keys trend.html
'
check 'groups go off and on; a window by mouse and the name of a group choose the flame graph' '
	look drill groups.html
'
check 'wrong addresses harm nothing' '
	look address groups.html
'
check 'one dump, two, a page of plain ASCII' '
	for n in 1 2; do
		awk -v n=$n "BEGIN { for (i = 0; i < n; i++) { print \"@\" 1772323200 + i * 60; print \"main;a 3\" } }" | stkcap -q --format folded-dumps - >few.stk
		stkclass -q -f stream few.stk | stkplot classes -q -o classes$n.html
		stkclass -q -f stream few.stk | stktrend -q -f stream | stkplot trend -q -o trend$n.html
		stkgroup -q -s jvm --step 1m -f stream few.stk | stkplot groups -q -o groups$n.html
	done
	stkplot groups -q --text -o plain.html groups.stk
	LC_ALL=C status 1 grep -q "[^ -~	]" plain.html
	look opens classes1.html trend1.html groups1.html classes2.html trend2.html groups2.html plain.html
'
check 'names cannot leave their place' '
	python3 - <<-\X
		names = ["</script><script>window.pwned=1</script>", "<!--<script>", "\"onmouseover=\"window.pwned=1", "`${window.pwned=1}`", "<img src=x onerror=window.pwned=1>",
			"]]><script>window.pwned=1</script>", "</style><script>window.pwned=1</script>", "</title></desc></svg>", "\u202Etxt.exe\u202C", "\x1b[31m", "__proto__", "constructor",
			"%00%0a#&v=2&=", "x" * 300, "y" * 65536, "\ufffe"]
		open("names", "w", encoding="utf-8").write("".join("@%d\n" % (1772323200 + i * 60) + "".join("top:" + name + ";" + name + " 2\n" for name in names) for i in range(30)))
		open("names.yaml", "w").write("scheme: \"<svg onload=window.pwned=1>\"\ngroups:\n" + "".join("  - name: %s\n    members: [\"*%s*\"]\n" % (repr(a), b)
			for a, b in [("<b onclick=window.pwned=1>", "style"), ("<img src=x onerror=window.pwned=1>", "img"), ("__proto__", "proto"), ("constructor", "constructor")]))
	X
	stkcap -q --format folded-dumps names >names.stk
	stkclass -q -f stream names.stk >names-classes.stk
	stktrend -q -f stream names-classes.stk | stkplot trend -q --title "</title><script>window.pwned=1</script>" -o names-trend.html
	stkplot classes -q -o names-classes.html names-classes.stk
	stkgroup -q -s names.yaml --step 1m -f stream names.stk | stkplot groups -q -o names-groups.html
	look hostile names-trend.html names-classes.html names-groups.html
'
check 'paper: pictures, no controls, and white' '
	look print trend.html groups.html classes.html
'
check 'axe finds nothing: narrow, with the table and a window, and in a dialog' '
	look axe trend.html groups.html classes.html
'
finish
