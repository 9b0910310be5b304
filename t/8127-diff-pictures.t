#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot diff: two recordings or two windows of one, as a page, a still picture and a drawing; what is marked is what stktree --diff marks.
. "${0%/*}/lib/tap.sh"
have stkplot stktree python3 || skip_all 'no stkplot, stktree or python3'

# Two windows of 100 s: parse falls, lock grows, what else there is stays.
python3 "$t/lib/two_windows.py" >two.perf
stkcap -q two.perf >two.stk
before=@1000..@1100 after=@1100..@1200

check 'terminal: points of what changed, ~ for chance, what vanished; as wide as asked for, in all colours' '
	stkplot diff two.stk --diff $before $after -f term --width 80 --color never >drawn
	cat >wanted <<-\END
		|all ~
		|main ~
		|idle ~|serve ~
		       |  | |lock +22.1              |parse|render ~
		                                                                 |draw ~
		  two.stk @1100..@1200 against two.stk @1000..@1100
		  +, -: points of all samples a second; ~: no more than chance would make;
		  (gone): its width before
	END
	same drawn wanted
	stkplot diff two.stk --diff $before $after -f term --width 200 --color never >wide
	grep -q "|fresh +4.1" wide && grep -q "parse -23.4" wide
	TERM=xterm COLORTERM= stkplot diff two.stk --diff $before $after -f term --color always | grep -q "\[30;43m|lock +22.1"
	TERM=xterm-256color COLORTERM= stkplot diff two.stk --diff $before $after -f term --color always | grep -q "\[30;48;5;166m|lock"
	COLORTERM=truecolor stkplot diff two.stk --diff $before $after -f term --color always | grep -q "\[30;48;2;224;103;10m|lock"
'
check 'SVG: each frame says what it has in both sides; the fills of more, less, chance and gone' '
	stkplot diff two.stk --diff $before $after -o two.svg
	python3 -c "
import xml.etree.ElementTree as x
root = x.parse(\"two.svg\").getroot()
frames = {g[1].text.split(\" (\")[0]: (of.get(\"stroke\"), g[1].text) for of in root.iter() for g in of if len(g) == 2 and g[1].tag.endswith(\"title\")}
assert frames[\"lock\"] == (\"#e0670a\", \"lock (649 samples, 32.45%; before 207 samples, 10.35%; +22.1 points of the rate)\"), frames[\"lock\"]
assert frames[\"parse\"][0] == \"#2f82bf\" and frames[\"serve\"][0] == frames[\"all\"][0] == \"#bdbdbd\" and frames[\"gone\"][0] == \"#767676\" and frames[\"fresh\"][0] == \"#f6a56b\", frames
assert \"no more than chance\" in frames[\"render\"][1]"
	stkplot diff two.stk --diff $before $after --rate share -f svg | grep -q "+22.1 points)"
'
check 'SVG: a side without samples has no shares' '
	status 1 stkplot diff -q two.stk --diff @900..@1000 $after -f svg >none.svg
	grep -q "<title>lock (649 samples, 32.45%; before no samples; +32.5 points of the rate)</title>" none.svg
	status 1 stkplot diff -q two.stk --diff @900..@1000 $after --rate share -f svg >none.svg
	grep -q "<title>lock (649 samples, 32.45%; before no samples; no shares to compare)</title>" none.svg
	status 1 stkplot diff -q two.stk --diff $before @1300..@1400 --rate share -f svg >none.svg
	grep -q "<title>lock (no samples; before 207 samples, 10.35%; no shares to compare)</title>" none.svg
'
check 'windows are spelled as in stktree: two, one against the rest of the options, before the file, with commas' '
	stkplot diff two.stk --diff $before $after -f svg >a
	stkplot diff --diff $before $after two.stk -f svg >b
	same a b
	stkplot diff two.stk --from @1000 --to @1100 --diff $after --title x -f svg >c
	stkplot diff two.stk --diff $before $after --title x -f svg >d
	same c d
	stkplot diff two.stk --window $before --with $after --title x -f svg >c
	same c d
	stkplot diff two.stk --diff @1000..@1050,@1050..@1100 $after --title x -f svg >c
	same c d
	stkplot diff two.stk --diff two.stk $after --window $before --title x -f svg >c
	same c d
	stktree -q -o two.tree two.stk
	stkplot diff two.tree --diff $before $after --title x -f svg >c
	same c d
'
check 'two recordings; from a pipe; a function with a generated name is the same in both' '
	sed "s/ lock / shop.Run\$\$Lambda\$12.0x00007f11.run /" two.perf | stkcap -q - >first.stk
	sed "s/ lock / shop.Run\$\$Lambda\$37.0x00007f22.run /" two.perf | stkcap -q - >other.stk
	stkplot diff first.stk --diff other.stk -f term --width 200 --color never >drawn
	stktree -q first.stk --diff other.stk -f tsv --report flat | grep Lambda >row
	test "$(wc -l <row)" = 1
	status 1 grep "Lambda.*(gone)" drawn
	stkplot diff - --diff other.stk -f svg --title x <first.stk >a
	stkplot diff first.stk --diff other.stk -f svg --title x >b
	same a b
'
check 'folded stacks have no times: shares are compared, which --rate second says' '
	printf "a;b 1000\na;c 500\n" | stkcap -q --format folded - >f.stk
	printf "a;b 4000\na;d 50\n" | stkcap -q --format folded - >g.stk
	stkplot diff f.stk --diff g.stk -f term --color never --width 60 >drawn
	grep -q "points of all samples;" drawn
	stkplot diff f.stk --diff g.stk --rate second -f svg 2>err >/dev/null
	grep -q "times do not say how long both sides are: shares are compared" err
'
check 'no samples, one sample, all gone' '
	stkplot diff two.stk --diff $before @1190..@1190.01 -f svg >one.svg
	status 1 stkplot diff two.stk --diff $before @1300..@1400 -f svg >gone.svg 2>err
	grep -q "the window is outside the recording" err && grep -q "no samples there" err
	python3 -c "
import xml.etree.ElementTree as x
for name in \"one.svg\", \"gone.svg\": x.parse(name)
assert {of.get(\"stroke\") for of in x.parse(\"gone.svg\").getroot().iter() for g in of if len(g) == 2} == {\"#767676\"}"
	status 1 stkcap -q --format folded - </dev/null >none.stk
	status 1 stkplot diff none.stk --diff two.stk -f svg >new.svg 2>err
	status 1 stkplot diff none.stk --with two.stk >new.html 2>err
	for form in term html svg; do status 1 stkplot diff two.stk --diff @1300..@1310 @1400..@1410 -f $form >x 2>err; done
'
check 'what cannot be compared is refused' '
	refused() { text=$1; shift; status 2 stkplot "$@" >out 2>err; grep -q "$text" err || { cat err; false; }; test ! -s out; }
	refused "compared with itself" diff two.stk --diff two.stk
	refused "only one at a time" diff two.stk --diff two.stk --with two.stk
	refused "a picture has two sides" diff two.stk --diff $before $after $before
	refused "a picture has two sides" diff two.stk --diff $before --diff $after
	refused "no effect with two windows" diff two.stk --from @1000 --diff $before $after
	refused "holds nothing" diff two.stk --diff @1100..@1000
	refused "name .two.tree. before its windows" diff two.stk --diff $before two.tree
	refused "expected what is compared with what" diff two.stk
	refused "expected what is compared with what" diff --diff $before $after
	refused "diff has no effect on flame" flame two.stk --diff $before
	refused "rate has no effect on flame" flame two.stk --rate share
	refused "expected a time such as" diff two.stk --diff two.tree nonsense..
	status 3 stkplot diff two.stk --diff missing.stk 2>err
'
check 'what was damaged is reported, and in the title' '
	head -c $(($(wc -c <two.stk) / 2)) two.stk >cut.stk
	status 1 stkplot diff cut.stk --diff two.stk -f svg >cut.svg 2>err
	grep -q "cut" err && grep -q "incomplete: part of the input was lost" cut.svg
'
finish
