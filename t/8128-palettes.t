#!/bin/sh
# SPDX-License-Identifier: MIT
# --palette: every picture has its colours from the same place, in all forms.
. "${0%/*}/lib/tap.sh"
have stkplot || skip_all 'no stkplot'

stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" >orders.stk
stkgroup -q -s jvm --step 2s -f stream orders.stk >groups.stk
stkclass -q -f stream orders.stk >classes.stk
awk 'BEGIN { for (i = 0; i < 200; i++) printf "%d,heap.used,%d\n", 1772323200 + i * 1800, 2e9 + 2e6 * i + (i > 150) * 5e8 + 1e7 * (i % 7) }' |
	stkcap -q --format metrics - | stktrend -q --periods day -f stream --limit heap.used=4G >trend.stk
printf '%s\n' 'states orders' 'locks orders' 'groups groups' 'classes classes' 'trend trend' 'heat orders' >pictures

# hues: colours of a still picture, or of a drawing in 24 bits, that are not grey
hues() {
	tr 'A-F' 'a-f' <"$1" | grep -o '#[0-9a-f]\{6\}\|#[0-9a-f]\{3\}[^0-9a-f]\|48;2;[0-9;]*m' | grep -v '^#\(..\)\1\1$\|^#\(.\)\2\2[^0-9a-f]$\|48;2;\([0-9]*\);\3;\3m'
}

check 'grey: no colour has a hue, in still pictures and in drawings with 24 bits; safe is what comes without the option' '
	while read -r what of; do
		COLORTERM=truecolor stkplot "$what" -q -f term --color always --palette grey "$of.stk" >drawn
		status 1 hues drawn || { echo "$what"; false; }
		test "$what" != heat || continue
		stkplot "$what" -q -f svg --palette grey "$of.stk" >grey.svg
		sed "s/<style>svg.*:#ff7bff}}<.style>//" grey.svg >own.svg	# which the palette is laid over
		status 1 hues own.svg || { echo "$what"; hues own.svg | sort | uniq -c; false; }
		stkplot "$what" -q -f svg "$of.stk" >plain.svg
		stkplot "$what" -q -f svg --palette safe "$of.stk" | same plain.svg -
		hues plain.svg >colours && test -s colours || { echo "$what has no colours"; false; }
	done <pictures
'
check 'warm and safe differ from it and from each other, in each form; pages name the palette' '
	while read -r what of; do
		for form in svg html term; do
			test "$what $form" != "heat svg" || continue
			for palette in safe warm grey; do
				COLORTERM=truecolor stkplot "$what" -q -f $form $(test $form != term || echo --color always) --palette $palette "$of.stk" >$palette
			done
			status 1 cmp -s safe warm && status 1 cmp -s warm grey && status 1 cmp -s safe grey || { echo "$what $form"; false; }
		done
	done <pictures
'
check 'a report has the palette in each of its pictures, and says what colours mean there' '
	stkplot report -q --palette grey orders.stk >report
	sed "/<style>/d" report | sed -n "/<main>/,\$p" >body
	status 1 hues body || { hues body | sort | uniq -c; false; }
	grep -q "In the picture, dark is more, pale less" body
	grep -q "<ol class=grey>" body
	stkplot report -q --palette warm groups.stk | grep -q "<svg [^>]*class=\"chart warm\""
'
check '... and the graph of a function; where an option has no effect it is refused' '
	make=$BUILD/t/tools/make_path_counts
	test -x "$make" || { echo "no make_path_counts: run by make check"; false; }
	"$make" epp >odd.stk
	stkplot graph -q --palette grey odd.stk >dot
	status 1 hues dot
	stkplot graph -q odd.stk | grep -q "color=\"#0B57D0\""
	stkplot graph -q --palette warm odd.stk | grep -q "fillcolor=\"#ff5252\""
	status 2 stkplot graph -q -f term --palette grey odd.stk 2>err
	grep -q "no effect on -f term" err
	status 2 stkplot states -f term --color never --palette grey orders.stk 2>err
	grep -q "no effect without colours" err
'
finish
