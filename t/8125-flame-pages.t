#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages of flame graphs in a real browser: numbers, keys, names, accessibility, print.
. "${0%/*}/lib/tap.sh"
have node stkplot python3 zstd || skip_all 'no node, python3 or zstd'
find_browser
test -z "$browser" || skip_all "$browser"

look() { node "$t/browser/ask.js" "$t/lib/flame_page.js" "$@"; }
one_browser

stkcap -q "$t/../scripts/sample/order-service.perf.txt.gz" >perf.stk
stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" >jstack.stk
printf 'a;b;c 10\na;b;d 5\na;e 3\nf 2\n' | stkcap -q --format folded - >four.stk
for name in perf jstack four; do stkplot flame -q -o $name.html $name.stk; done

check 'numbers of a page are those of stktree, in the whole and in 200 windows' '
	look numbers perf.html perf.stk 100
	look numbers jstack.html jstack.stk 100
'
check 'numbers on the screen are those of the page, each frame is within the picture' '
	stkplot flame -q -o perf.svg perf.stk
	look screen perf.html perf.stk perf.svg
'
check 'keys alone: walk, zoom, search, merge, drop, focus, sandwich, fold, undo; the address keeps steps' '
	look keys four.html
'
check 'a wrong address is said, and harms nothing' '
	look address four.html
'
check 'one sample; a page of plain ASCII; an icicle' '
	printf "main 1\n" | stkcap -q --format folded - | stkplot flame >one.html
	look screen one.html
	stkplot icicle -q --text -o plain.html perf.stk
	LC_ALL=C status 1 grep -q "[^ -~	]" plain.html
	look numbers plain.html perf.stk
'
check '10,000 levels: drawn as far as a canvas goes, about the chosen frame, which is said' '
	python3 -c "print(\";\".join(\"f%d\" % i for i in range(10000)), 3)" | stkcap -q --format folded - | stkplot flame -q >deep.html
	look deep deep.html
'
check 'names cannot leave their place' '
	python3 - <<-\X
		import json
		names = ["</script><script>window.pwned=1</script>", "<!--<script>", "--><script>window.pwned=1</script>", "\"onmouseover=\"window.pwned=1",
			"\x27 onfocus=window.pwned=1 autofocus=\x27", "`${window.pwned=1}`", "&lt;b&gt;&amp;&#x3c;", "<svg/onload=window.pwned=1>", "<img src=x onerror=window.pwned=1>",
			"]]><script>window.pwned=1</script>", "javascript:window.pwned=1", "</style><script>window.pwned=1</script>", "url(//example.org/x):}*{display:none",
			"</title></desc></svg>", "a\u2028b\u2029c", "\u202Etxt.exe\u202C", "\u2066x\u2069", "\x1b[31m", "zal" + "\u0301" * 60,
			"\U0001F468\u200D\U0001F469\u200D\U0001F467", "\uFEFFbom", "__proto__", "constructor", "hasOwnProperty", "=1+1|cmd", "%00%0a#&v=2&=",
			"\\u003cscript\\u003e", "$(touch x)", "x" * 300, "y" * 65536, "Latin \u05d0\u05d1 \u0627\u0644 Latin",
			"std::map<std::pair<int, char const*>, std::vector<T>>::operator[](K&&)"]
		names = [name.replace(";", ":") for name in names]	# folded text has no other
		json.dump(names, open("names.json", "w"))
		open("names.folded", "w", encoding="utf-8").write(	# one mark before a line belongs to a file
			"".join("\uFEFF" * (name[0] == "\uFEFF") + name + " %d\n" % (i + 1) for i, name in enumerate(names)))
	X
	stkcap -q --format folded names.folded >names.stk
	stkcat -f folded names.stk >/dev/null
	stkplot flame -q --title "</title><script>window.pwned=1</script>" -o names.html names.stk
	look hostile names.html names.json
'
check 'paper: frames as SVG, no controls' '
	look print perf.html
'
check 'a difference: ghosts, new functions, overweight' '
	printf "a;b 1000\na;c 500\n" | stkcap -q --format folded - >before.stk
	printf "a;b 4000\na;d 50\n" | stkcap -q --format folded - >after.stk
	stkplot diff before.stk --with after.stk -o diff.html
	look difference diff.html
'
check 'a difference marks the rows and the frames that stktree --diff marks, in rates and in shares' '
	before=@1000..@1100 after=@1100..@1200 middle=23:54:07
	python3 "$t/lib/two_windows.py" | stkcap -q - >two.stk
	stkplot diff two.stk --diff $before $after -o two.html
	look marks two.html 3 two.stk --diff $before $after
	stkplot diff -q jstack.stk --diff ..$middle $middle.. -o halves.html
	look marks halves.html 0 jstack.stk --diff ..$middle $middle..
'
check 'axe finds nothing: narrow, and in a dialog' '
	look axe jstack.html diff.html
'
finish
