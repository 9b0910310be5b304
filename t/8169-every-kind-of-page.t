#!/bin/sh
# SPDX-License-Identifier: MIT
# Every kind of picture that stkplot names, as a page in a real browser: axe-core finds nothing in any of them, light and dark; of pages without scripts, nothing runs.
. "${0%/*}/lib/tap.sh"
have node stkplot zstd || skip_all 'no node or zstd'
make=$BUILD/t/tools/make_path_counts
test -x "$make" || skip_all 'no make_path_counts: run by make check'
find_browser
test -z "$browser" || skip_all "$browser"
one_browser

# A little of each: axe looks at every row, and further ones have nothing new.
stkcap -q "$t/../scripts/sample/order-service.perf.txt.gz" | stkcat -q -S --window @2063..@2064 - >perf.stk
stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" | stkcat -q -S --window 2026-11-20T23:53:57Z..2026-11-20T23:54:01Z --thread "^http|^stock|^pay" - >jstack.stk
stkclass -q -f stream jstack.stk >classes.stk
stktrend -q -f stream classes.stk >trend.stk
printf '%s\n' 'scheme: all' 'groups:' '- name: java' '  members: ["java.*"]' '  events: {start: call, stop: call}' >all.yaml
printf '1795218834\tt\tstart\tcall\t0\t7\n1795218839\tt\tstop\tcall\t0\t7\n1795218838\tu\tstart\tcall\t0\t8\n1795218840\tu\tstop\tcall\t0\t8\n' | stkcap -q --format events - >events.stk
stkcat --merge -q -f stream jstack.stk events.stk | stkgroup -q -s all.yaml --step 2s -f stream - >groups.stk
"$make" epp >paths.stk
printf 'int odd(int n) {\n\twhile (n)\n\t\teven(n);\n\telse <script>odd</script>\n\tnext();\n}\n' >odd.c
printf 'a;b 1000\na;c 500\n' | stkcap -q --format folded - >before.stk
printf 'a;b 4000\na;d 50\n' | stkcap -q --format folded - >after.stk
look() { node "$t/browser/ask.js" "$t/browser/axe_pages.js" "$@"; }
# inputs KIND: the options and files of its picture
inputs() {
	case $1 in
	flame|icicle|heat) echo perf.stk ;;
	diff) echo --with after.stk before.stk ;;
	states|locks|report) echo jstack.stk ;;
	trend|classes) echo "$1.stk" ;;
	groups) echo --by activity groups.stk ;;
	graph) echo --source . paths.stk ;;
	*) return 1 ;;
	esac
}

check 'every kind that stkplot names can be made as a page' '
	status 2 stkplot nosuch 2>err
	sed "s/.*expected \(.*\), not .nosuch.*/\1/; s/ or /, /; s/,//g" err | tr " " "\n" | grep -vxE "top|rows" >kinds		# a screen, and a picture that is no page
	test "$(wc -l <kinds)" -ge 11
	while read -r kind; do
		stkplot "$kind" -q -f html -o "$kind.html" $(inputs "$kind")
		grep -qi "^<!doctype html>" "$kind.html"
	done <kinds
'
check 'axe finds nothing in any of them, light and dark, but what is added to each' '
	look axe $(sed "s/$/.html/" kinds) >seen || { cat seen; false; }
	sed "s/$/.html: well/" kinds | same seen -
'
. "$t/lib/hand_dumps.sh"
check 'pages without scripts: axe finds nothing, narrow ones too; nothing runs, nothing is fetched; keys reach what scrolls' '
	locked_dumps | stkcap -q - | stkplot report -q - >locked.html
	repeated_dumps | stkcap -q - | stkplot report -q - >repeats.html
	look still locked.html repeats.html graph.html
'
finish
