#!/bin/sh
# SPDX-License-Identifier: MIT
# stkplot top: what runs, on the whole screen of a terminal, with keys; and the terminal afterwards.
. "${0%/*}/lib/tap.sh"
have tmux || skip_all 'no tmux'

# 40 dumps, a second apart: of three workers two run in the first 30 and all in the last 10; "poller" runs in every second dump
awk 'BEGIN {
	for (n = 0; n < 40; n++) {
		printf "2026-03-01 10:00:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17+1 mixed mode):\n\n", n
		for (i = 1; i <= 3; i++)
			thread("worker-" i, i < 3 || n >= 30, "shop.Orders.step" i "(Orders.java:" i ")")
		thread("poller", n % 2, "shop.Poller.poll(Poller.java:9)")
		thread("bad\033[2J\033]0;x\007name", 1, "shop.Bad.run(Bad.java:1)")
		printf "JNI global refs: 1\n\n"
	}
}
function thread(name, runs, frame) {
	printf "\"%s\" #1 prio=5 tid=0x%d nid=0x%d %s\n   java.lang.Thread.State: %s\n\tat %s\n\tat shop.Main.run(Main.java:7)\n\n", name, length(name name frame), length(name frame), runs ? "runnable" : "waiting", runs ? "RUNNABLE" : "WAITING (parking)", frame
}' >dumps.txt
stkcap -q -o day.stk dumps.txt || exit 99

LC_ALL=C.UTF-8 export LC_ALL
terminal() { tmux -S "$scratch/tmux" -f /dev/null "$@"; }
# open_terminal COLUMNS LINES COMMAND: the command runs there, and then a line says its status
open_terminal() {
	terminal new-session -d -x $1 -y $2 "sh -c '$3'; echo \"ended with \$?\"; exec sleep 1000"
}
close_terminal() { terminal kill-server; for attempt in $(seq 200); do terminal ls 2>/dev/null || return 0; sleep .1; done; }
# sees WORDS: the screen has a line with them, sooner or later
sees() {
	for attempt in $(seq 400); do
		terminal capture-pane -p >screen
		! grep -q -e "$1" screen || return 0
		sleep .1
	done
	echo "not seen: $1"
	cat screen
	false
}
press() { terminal send-keys "$@"; }
top='stkplot top day.stk'

check 'running threads by pool, over the last 10 s, minute and 5 minutes, as the dumps have them' '
	open_terminal 100 20 "$top"
	sees "end of input"
	sees "^pool, running threads  *10s  *% now  *1m  *5m the last 5m"
	sees "^worker  *3.00 .* 2.25  *2.25 "
	sees "^poller  *0.50 .* 0.50  *0.50 "
	sees "^all  *4.50  *100.0  *3.75 "
	test $(wc -l <screen) = 20
	press q
	sees "ended with 0"
	close_terminal
'
check 'what is in a name does not steer the terminal' '
	open_terminal 100 20 "$top"
	sees "^bad?\[2J?\]0:x?name  *1.00"
	test "$(terminal display-message -p "#{pane_title}")" != x
	close_terminal
'
check 'rows of classes, as stkclass numbers and names them; samples come before their classes' '
	stkclass -q -f stream -o class.stk day.stk
	number=$(stkclass -q -f tsv day.stk | awk -F "\t" "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next } \$at[\"leaf\"] ~ /Poller/ { print \$at[\"class\"] }")
	open_terminal 140 20 "stkplot top --by class class.stk"
	sees "^class, running threads  *10s"
	sees "^[0-9]* shop.Orders.step1 < shop.Main.run  *1.00 .* 1.00  *1.00 "
	sees "^$number shop.Poller.poll < shop.Main.run  *0.50 "
	press b
	sees "^pool, running"
	for by in source thread function class; do press b; sees "^$by, running"; done
	close_terminal
	open_terminal 100 20 "stkplot top --by class day.stk"
	sees "^(no class: stkclass writes them)  *4.50"
	close_terminal
'
check 'a row, its stacks, the frames of one, and back; threads that wait' '
	open_terminal 100 20 "$top"
	sees "^worker "
	press Enter
	sees "worker: 90 samples of threads that run"
	sees "^ 44.4 %  *40  shop.Orders.step1 < shop.Main.run"
	sees "^ 11.1 %  *10  shop.Orders.step3 < shop.Main.run"
	press Enter
	sees "^shop.Orders.step1(Orders.java:1)$"
	sees "^shop.Main.run(Main.java:7)$"
	press Escape
	sees "^ 44.4 % "
	press r
	sees "worker: 30 samples of threads that do not run"
	sees "^100.0 %  *30  shop.Orders.step3 < shop.Main.run"
	press Left
	sees "^pool, running"
	close_terminal
'
check 'rows by other keys, sorting, a filter, and its end' '
	open_terminal 100 20 "$top --by thread"
	sees "^worker-3  *1.00 "
	press b
	sees "^function, running"
	sees "^shop.Poller.poll  *0.50 "
	press s
	press s
	press s
	sees "sorted by name"
	grep "^[a-z]*[.][A-Z]" screen | cut -d " " -f 1 >names
	sort names | same - names
	press /
	press o r d e r s Enter
	sees "3 of 5 by function  filter: orders"
	test -z "$(grep Poller screen)"
	press Escape
	sees "5 of 5 by function"
	close_terminal
'
check 'a terminal that becomes narrow, tiny and wide again: no line is wider than it' '
	open_terminal 100 20 "$top"
	sees "the last 5m"
	terminal resize-window -x 30 -y 10
	sees "^worker  *3.00$\|^worker  *3.00 "
	test $(awk "length > 30" screen | wc -l) = 0
	terminal resize-window -x 12 -y 4
	sees "too small"
	terminal resize-window -x 120 -y 30
	sees "the last 5m"
	sees "q quit"
	close_terminal
'
check 'w writes a stream of what is in memory: that of the file' '
	rm -f top-*.stk
	open_terminal 100 20 "$top"
	sees "end of input"
	press w
	sees "stk: the last 39 s, 40 dumps, 200 samples"
	close_terminal
	stkcat --check top-*.stk
	stkcat -f tsv --only sample,dump,thread,stack day.stk >want
	stkcat -f tsv --only sample,dump,thread,stack top-*.stk >got
	cmp want got
'
check 'a frozen screen stays while more comes, and goes on' '
	mkfifo pipe
	open_terminal 100 20 "stkplot top <pipe"
	{ stkcap -q dumps.txt; sleep 4; sed "s/10:00/10:01/" dumps.txt | sed "s/worker-/helper-/" | stkcap -q; } >pipe & writer=$!
	sees "^worker "
	press Space
	sees "FROZEN"
	wait $writer
	sleep 1.5
	sees "^worker "
	test -z "$(grep "^helper" screen)"
	press Space
	sees "^helper "
	close_terminal
'
check 'however it ends, the terminal is as it was' '
	for signal in TERM INT HUP QUIT; do
		open_terminal 100 20 "echo \$\$ >pid; trap : INT QUIT; exec $top"
		sees "end of input"
		test "$(terminal display-message -p "#{alternate_on} #{cursor_flag}")" = "1 0"
		tty=$(terminal display-message -p "#{pane_tty}")
		stty -F "$tty" -a | grep -q -e "-icanon"
		kill -$signal $(cat pid)
		sees "ended with"
		test "$(terminal display-message -p "#{alternate_on} #{cursor_flag}")" = "0 1"
		stty -F "$tty" -a | grep " icanon" | grep -v -q -e "-icanon"
		stty -F "$tty" -a | grep -q " echo "
		close_terminal
	done
'
check 'stopped by ^Z the terminal is as it was, and fg comes back' '
	terminal new-session -d -x 100 -y 20 "PS1=ready sh -i"
	sees "^ready"
	press "$top" Enter
	sees "end of input"
	press C-z
	sees "Stopped"
	test "$(terminal display-message -p "#{alternate_on} #{cursor_flag}")" = "0 1"
	press fg Enter
	sees "^worker  *3.00"
	test "$(terminal display-message -p "#{alternate_on} #{cursor_flag}")" = "1 0"
	press q
	sees "ready"
	close_terminal
'
check 'messages about the input are shown afterwards' '
	head -c $(($(wc -c <day.stk) / 2)) day.stk >cut.stk
	open_terminal 100 20 "stkplot top cut.stk"
	sees "end of input"
	test -z "$(grep "^stkplot: cut.stk" screen)"
	press q
	sees "^stkplot: cut.stk"
	sees "ended with 1"
	close_terminal
'
check 'groups of a scheme' '
	printf "scheme: test\ngroups:\n- name: orders\n  members:\n  - method: shop.Orders.*\n" >test.yml
	open_terminal 100 20 "$top --scheme test.yml --by group"
	sees "^orders  *3.00"
	sees "^(ungrouped)  *1.50"
	close_terminal
'
check 'without a terminal, and what has no effect, is refused' '
	status 2 stkplot top day.stk >out 2>err </dev/null
	grep "top needs a terminal: standard output is not one" err
	test ! -s out
	for wrong in "-f html" "-o x.html" "--palette safe" "--from 10:00" "--by group" "--by nothing"; do
		status 2 stkplot top $wrong day.stk >out 2>err </dev/null
	done
'
finish
