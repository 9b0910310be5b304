#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot -f term inside a real terminal, which tmux is: as wide as the terminal, nothing wrapped, with the colours that it has.
. "${0%/*}/lib/tap.sh"
have stkplot tmux python3 || skip_all 'no stkplot, tmux or python3'

stkcap -q "$t/../scripts/sample/order-service.perf.txt.gz" -o perf.stk
stkcap -q "$t/../scripts/sample/order-service.jstack.txt.gz" -o orders.stk
stkgroup -q -s jvm --step 2s -f stream orders.stk >groups.stk
stkclass -q -f stream orders.stk >classes.stk
stktrend -q --periods none -f stream classes.stk >trend.stk

# before and after, of one recording
diff='diff --diff 23:53:54..23:54:07 23:54:07..23:54:21 orders.stk'

# draw.sh COLUMNS WORDS... DRAWING: draws at a terminal so wide, WORDS for env; leaves text, and text with its colours in "coloured"
cat >draw.sh <<'X2'
columns=$1
shift
export TERM=screen-256color LC_ALL=C.UTF-8
unset COLUMNS NO_COLOR COLORTERM TMUX STK_COLOR
cat >window.sh <<X3
${*##*|}
echo "ended with \$?"
exec sleep 600
X3
words=${*%%|*}
# The server is of this drawing alone: it begins without a configuration and ends below.
tmux -S "$PWD/tmux" -f /dev/null new-session -d -x "$columns" -y 50 "exec env $words sh ./window.sh"
tries=0
until tmux -S "$PWD/tmux" capture-pane -p -S - >text && grep -q "^ended with" text; do
	tries=$((tries + 1))
	test "$tries" -lt 1200 || break
	sleep 0.05
done
tmux -S "$PWD/tmux" capture-pane -p -e -S - >coloured
tmux -S "$PWD/tmux" kill-server
grep -qx "ended with 0" text
sed -i "/^ended with/,\$d" text
X2

# as_wanted.py DRAWN WANTED KIND: equal but for blanks at the end; without colours a frame begins with a bar
cat >as_wanted.py <<'X'
import sys
def lines(name):
	text = open(name, encoding="utf-8").read()
	if sys.argv[3] != "none":
		text = text.replace("|", " ")
	got = [line.rstrip() for line in text.split("\n")]
	while got and not got[-1]:
		got.pop()
	return got
drawn, wanted = lines(sys.argv[1]), lines(sys.argv[2])
if sys.argv[3] != "none":		# a flame graph has a legend of its colours
	drawn = [line for line in drawn if "[kernel.kallsyms] 24.1%" not in line]
assert len(wanted) > 3, wanted
for i, (have, want) in enumerate(zip(drawn, wanted)):
	assert have == want, (i, have, want)
assert len(drawn) == len(wanted), (len(drawn), len(wanted))
X

# kinds.py: which sorts of colours a drawing has
cat >kinds.py <<'X'
import re
kinds = set()
for words in re.findall(r"\x1b\[([0-9;]*)m", open("coloured", encoding="utf-8").read()):
	if re.search(r"[34]8;2;", words):
		kinds.add("true")
	elif re.search(r"[34]8;5;", words):
		kinds.add("256")
	elif re.search(r"(^|;)(4|10)[0-7](;|$)", words):
		kinds.add("16")
print(*sorted(kinds))
X

# drawn COLUMNS DRAWING: alike with each sort of colours; classes and trend need none
drawn() {
	# shellcheck disable=SC2086  # words of a command
	(unset COLUMNS; LC_ALL=C.UTF-8; stkplot ${2%% *} -q -f term --color never --width "$1" ${2#* } >wanted)
	for kind in none 16 256 true; do
		case $kind in
		none) words='TERM=screen NO_COLOR=1' ;;
		16) words='TERM=screen' ;;
		256) words='TERM=screen-256color' ;;
		true) words='TERM=screen-256color COLORTERM=truecolor' ;;
		esac
		sh draw.sh "$1" "$words|stkplot ${2%% *} -q -f term ${2#* }" || { echo "$kind: failed"; return 1; }
		python3 as_wanted.py text wanted "$kind" || { echo "$kind"; return 1; }
		python3 kinds.py >kinds
		case $kind-$2 in
		none-*) test -z "$(tr -dc '\033' <coloured)" ;;
		*-classes\ *|*-trend\ *) test -z "$(cat kinds)" ;;
		*) echo "$kind" | same - kinds ;;
		esac || { echo "$kind: $(cat kinds)"; return 1; }
	done
}

for columns in 80 200; do
	for drawing in 'flame perf.stk' "$diff" 'states orders.stk' 'groups groups.stk' 'locks orders.stk' 'heat orders.stk' \
		'classes classes.stk' 'trend trend.stk'; do
		check "${drawing%% *} at $columns columns, without colours, with 16, 256 and all" "drawn $columns \"\$drawing\""
	done
done
finish
