#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot heat: the page has the numbers of stktree in any window, works with mouse and keys, and is within its limit. Needs a browser, and playwright-core
# and axe-core of npm where NODE_PATH says; what needs neither is tried everywhere.
. "${0%/*}/lib/tap.sh"

find_browser
ask() { script=$1; shift; node "$t/browser/ask.js" "$t/browser/$script.js" "$@"; }

"$BUILD/bench/make_days" bursty 4 200 >days.stk 2>entropy
printf 'main;f;g 3\n' | stkcap -q --format folded - -o untimed.stk
stkcap -q "$t/data/orders.jstack.txt" -o orders.stk
stkcap -q "$t/data/shop.perf.txt" -o shop.stk
stktree -q -o days.tree days.stk
python3 "$t/lib/two_windows.py" >two.perf
stkcap -q two.perf >two.stk
stkplot heat -q -o two.html two.stk
test -n "$browser" || one_browser

check 'a page: its blocks come back in the scripts, it is ASCII but for these, and the same each time' '
	status 0 stkplot heat -o days.html days.stk
	status 0 stkplot heat days.stk >again.html
	cmp days.html again.html
	head -c 60 days.html | grep -q "^<!doctype html>"
	grep -av "^<script type=application/x-stk" days.html | LC_ALL=C grep -avc "[^ -~	]" >/dev/null
	status 0 stkplot heat --text -o text.html days.stk
	status 1 grep -aq "[^ -~	]" text.html
'
check 'a page without its data is below 40 kB, also one with counts beside it, and one that reads a time tree' '
	status 0 stkplot heat -q -o shop.html shop.stk
	status 0 stkplot heat -q --beside -o beside.html shop.stk
	stktree -q -o shop.tree shop.stk
	status 0 stkplot heat -q --beside -o tree.html shop.tree
	grep -aq "\"beside\":\"shop.tree\"" tree.html && test ! -e tree.heat
	for page in shop beside tree; do
		size=$(python3 -c "import re, sys
print(len(re.sub(rb\"<script type=application/(x-stk id=[nslfx]|json)[^>]*>.*?</script>\", b\"\", open(sys.argv[1], \"rb\").read(), flags=re.S)))" $page.html)
		echo "$page: $size bytes"
		test "$size" -gt 30000 && test "$size" -lt 40000
	done
'
check 'what a page cannot have is said: times, samples, room, a terminal' '
	status 2 stkplot heat -o x.html untimed.stk 2>err
	grep -q "no sample has a time" err
	test ! -e x.html
	status 2 stkplot heat -o x.html --thread nobody orders.stk 2>err
	grep -q "no samples to draw" err
	status 2 stkplot heat -o x.html --max-size 1k days.stk 2>err
	grep -q "^stkplot: --max-size: expected at least [0-9]* kB: a page without data has" err
	status 2 stkplot heat -o x.html --cell 7ms days.stk 2>err
	grep -q "divide a minute" err
	status 2 stkplot heat --function main days.stk 2>err
	grep -q "no effect on heat" err
	status 2 stkplot graph --cell 1s days.stk 2>err
	grep -q "no effect on graph" err
	status 2 stkplot heat -f term --scheme jvm days.stk 2>err
	grep -q "scheme has an effect only on -f html" err
	status 2 stkplot heat -o x.html --scheme nosuch days.stk 2>err
	grep -q "nosuch" err
	status 2 stkplot heat --beside days.stk >x.html 2>err
	grep -q "beside: expected -o FILE.html" err
	status 2 stkplot heat --beside -f term days.stk 2>err
	grep -q "beside has an effect only on -f html" err
	mkdir sub
	status 0 stkplot heat -q --beside -o sub/x.page orders.stk
	test "$(echo sub/*)" = "sub/x.page sub/x.page.heat"
	status 2 stkplot heat -f svg days.stk 2>err
	grep -q "expected html" err
'
check 'with less room cells are longer, which is said; and rare stacks are one when that is not enough' '
	for size in 400k 180k; do
		status 0 stkplot heat --max-size $size -o small.html days.stk 2>err
		grep -q "cells are .*20ms the page would have" err
		test "$(wc -c <small.html)" -le $((${size%k} * 1024))
	done
	"$BUILD/bench/make_days" memoryless 1 20000 >many.stk 2>/dev/null
	status 0 stkplot heat --max-size 250k -o small.html many.stk 2>err
	grep -q "rare stacks are shown as (other)" err
	test "$(wc -c <small.html)" -le $((250 * 1024))
'
check 'the command beside the picture selects what the page selected, in whatever order the options were; windows are chosen in the page' '
	status 0 stkplot heat -q -o x.html --from 2026-03-01T21:10:00Z --grep "method[1-9]" --state waiting days.stk
	grep -aq "\"command\":\"stktree --grep .*method\[1-9\].* --state waiting days.stk\"" x.html
	status 1 grep -aq "\"command\":\".*--from" x.html
	status 0 stkplot heat --samples --state waiting -o x.html days.stk
	grep -aq "\"command\":\"stktree --state waiting days.stk\",\"samples\":true" x.html
	printf "a 1 [000] 1.0: 5 cycles:\n\t1 f (x)\n\na 1 [000] 2.0: 7 page faults:\n\t1 g (x)\n\n" | stkcap -q >events.stk
	stktree -q -o events.tree events.stk
	status 0 stkplot heat -q -o x.html events.stk
	grep -aq "\"command\":\"stktree --event cycles events.stk\"" x.html
	status 0 stkplot heat -q --event cycles -o x.html events.stk
	grep -aq "\"command\":\"stktree --event cycles events.stk\"" x.html
'
check 'the terminal: as wide as asked, and the same samples' '
	status 0 stkplot heat -f term --width 60 days.stk >map
	test "$(awk "{ if (length > n) n = length } END { print n }" map)" -le 60
	grep -q "$(sed -n "s/^samples //p" entropy) samples" map
	status 0 stkplot heat -f term shop.stk | grep -q " samples; a column is "
	status 0 stkplot heat -f term --max-size 10M orders.stk >/dev/null
'
check 'the page is no larger than counts of a stack and hour have entropy' '
	test "$(wc -c <days.html)" -lt $(($(sed -n "s/^entropy //p" entropy) + 65000))
'
check 'a time tree is read by the page itself, unless rows are chosen by more than events and times' '
	rm -f tree.html tree.heat
	status 0 stkplot heat --beside -o tree.html --thread . shop.tree
	grep -aq "\"beside\":\"tree.heat\"" tree.html && test -e tree.heat
	rm tree.heat
	stkcap -q "$t/data/orders.jstack.txt" | stktree -q -o orders.tree -
	status 0 stkplot heat --beside --samples -o tree.html orders.tree
	grep -aq "\"beside\":\"orders.tree\"" tree.html && test ! -e tree.heat
	status 0 stkplot heat --beside --samples --scheme jvm -o tree.html orders.tree 2>err
	grep -q "cannot read orders.tree itself, so its counts are written beside the page: threads without a stack are grouped by their names" err
	grep -aq "\"beside\":\"tree.heat\"" tree.html && rm tree.heat
	cat orders.tree | status 0 stkplot heat --beside -o tree.html -
	grep -aq "\"beside\":\"tree.heat\"" tree.html
	mkdir away
	status 0 stkplot heat --beside -o away/tree.html orders.tree 2>err
	grep -q "away/tree.html reads orders.tree in its own folder: put it there" err
'
if have node zstd; then
check 'the scripts unpack what zstd packed at any level, and read the columns of samples as stkcat does' '
	stkcat -q -S --window 2026-03-01T21:10..2026-03-01T21:13 -o part.stk days.stk
	stktree -q -o part.tree part.stk
	node "$t/browser/unpack_columns.js" "$t/../lib/plot/page" part.tree orders.tree shop.tree events.tree
'
else
	skip 'no node or no zstd' 'the scripts unpack what zstd packed at any level, and read the columns of samples as stkcat does'
fi
if have node && test -x "$BUILD/t/heat_code.t"; then
check 'the scripts decode what the program codes' '
	mkdir blocks
	"$BUILD/t/heat_code.t" blocks >/dev/null
	node "$t/browser/decode_blocks.js" "$t/../lib/plot/page/heat_blocks.js" blocks
'
check 'the scripts unpack what zlib packed, and nothing that was cut' '
	node "$t/browser/inflate_members.js" "$t/../lib/plot/page/page_inflate.js"
'
else
	skip 'no node, or heat_code.t is not built: run by make check' 'the scripts decode what the program codes'
	skip 'no node, or heat_code.t is not built: run by make check' 'the scripts unpack what zlib packed, and nothing that was cut'
fi

in_browser 'in 200 windows the page has the numbers of stktree' '
	ask heat_windows windows "$PWD/days.html" days.tree 200 | grep -q "^[2-9][0-9][0-9] windows"
'
in_browser '... and in dumps, in samples of an unknown clock, in longer cells, and in a page of ASCII' '
	stkplot heat -q -o orders.html orders.stk
	stkplot heat -q --max-size 180k -o small.html days.stk
	ask heat_windows windows "$PWD/orders.html" orders.stk 20
	ask heat_windows windows "$PWD/shop.html" shop.stk 20
	ask heat_windows windows "$PWD/text.html" days.tree 12
	ask heat_windows windows "$PWD/small.html" days.tree 30
'
in_browser 'of 30 pairs of windows the page calls chance what stktree --diff does not mark; blocks of the level decide where windows are long' '
	ask heat_chances chances "$PWD/two.html" two.stk 30
	ask heat_chances chances "$PWD/days.html" days.tree 4
'
in_browser 'a page that a server calls UTF-8 is read all the same; one that was changed on its way says so' '
	ask served everywhere "$PWD/days.html"
'
in_browser 'mouse, keys, search, filters, a difference, an empty window; axe-core finds nothing' '
	ask heat_use everything "$PWD/days.html"
'
in_browser '... and of twelve dumps' '
	ask heat_use everything "$PWD/orders.html"
'
in_browser 'beside the page: 30 windows by ranges of a file, with the numbers of stktree; what is wrong with server or file is said' '
	"$BUILD/bench/make_days" bursty 2 600 >wide.stk 2>/dev/null
	stktree -q -o wide.tree wide.stk
	mkdir served
	stkplot heat -q --beside --max-size 120k -o served/days.html wide.stk
	test "$(wc -c <served/days.html)" -lt 122880
	ask heat_beside ranges "$PWD/served" wide.tree 30
'
in_browser 'a time tree beside the page: 30 windows by ranges of it, with the numbers of stktree; what is wrong with server or tree is said' '
	mkdir trees
	cp wide.tree trees/wide.tree
	stkplot heat -q --beside --max-size 150k -o trees/days.html trees/wide.tree
	test "$(wc -c <trees/days.html)" -lt 153600 && test ! -e trees/days.heat
	ask heat_beside ranges "$PWD/trees" wide.tree 30 wide.tree
'
in_browser '... and trees of dumps, of one event of several, of two streams, and of a part of the time' '
	mkdir few
	cp orders.tree events.tree shop.tree few
	cat orders.tree orders.tree >few/twice.tree
	for name in orders events shop twice; do stkplot heat -q --beside -o few/$name.html few/$name.tree; done
	ask tree_windows windows "$PWD/few" orders events shop twice
'
cat >odd.yaml <<\X
groups:		# GC is the name of two, a sample may be parked and also parked, threads without a stack, states, names for a shell
  - { name: GC, members: [{ thread: 'G1*' }] }
  - { name: it's, members: ['java.lang.Object.wait*'] }
  - { name: 'say "x" <script>window.pwned=1<script>', members: ['java.lang.Thread.sleep*'] }
  - name: parked
    members: ['jdk.internal.misc.Unsafe.park*']
    children:
      - { name: GC, members: [{ state: timed-waiting, under: 'java.util.concurrent.*' }] }
  - { name: also parked, members: ['jdk.internal.misc.Unsafe.park*'] }
  - { name: '$(touch pwned)`x`', members: [{ thread: 'C2*' }] }
X
in_browser 'a group of a scheme: the samples that stkgroup gives it, and a command that prints them' '
	stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" -o shop2.stk
	stkplot heat -q --scheme ./odd.yaml -o odd.html shop2.stk
	ask heat_groups groups "$PWD/odd.html" shop2.stk ./odd.yaml 3
	test ! -e pwned
	stkplot heat -q --scheme jvm --samples --where "not thread = x" -o jvm.html orders.stk
	ask heat_groups groups "$PWD/jvm.html" orders.stk jvm 2
'
finish
