#!/bin/sh
# SPDX-License-Identifier: MIT
# Folded stacks as many tools write them: what is recognised, and what each line becomes.
. "${0%/*}/lib/tap.sh"

# becomes TEXT...: lines of it are recognised, taken all, and become the lines of standard input
becomes() {
	printf '%s\n' "$@" >a
	status 0 stkcap --rejects rejects -o a.stk a 2>err || { cat err; return 1; }
	grep -q "^stkcap: $# lines: $# taken, 0 blank, 0 rejected$" err || { cat err; return 1; }
	stkcat -q -f folded --by none a.stk | same - "${wanted:-/dev/stdin}"
}
# unknown TEXT...: not recognised
unknown() {
	printf '%s\n' "$@" >a
	status 1 stkcap -q -o a.stk a 2>err; grep -q "not a known format" err
}

check 'stacks of one frame among others; alone they are not recognised, but read when asked for' '
	printf "idle 2\nmain 3\nmain;a 4\n" >wanted; wanted=wanted becomes "main 3" "idle 2" "main;a 4"
	unknown "main 3" "idle 2" "foo 4"
	status 0 stkcap -q --format folded -o a.stk a; stkcat -q -f folded --by none a.stk | sort >got; printf "foo 4\nidle 2\nmain 3\n" | same - got
	unknown "main 3" "idle 2" "foo" "main;a 4"
'
check 'arrows, with blanks and without; an operator of C++ is none, and one arrow alone is no stack' '
	printf "main 2\nmain;a 7\nmain;a;p::operator->;b 3\n" >wanted
	wanted=wanted becomes "main->a->p::operator->->b 3" "main->a 7" "main 2"
	wanted=wanted becomes "main -> a -> p::operator-> -> b 3" "main -> a 7" "main 2"
	unknown "10.0.0.1 -> 10.0.0.2 443" "10.0.0.3 -> 10.0.0.2 80"
	unknown "a -> b -> c 4" "some text"
	printf "a->b->c 4\na->d\na->e 2\n" >a; status 1 stkcap --rejects rejects -q --format folded-arrows -o a.stk a; grep "a:2: a stack without a count: a->d" rejects
	printf "main;Shop->sell 3\nShop->sell->now 4\n" >a; stkcap -q a | stkcat -q -f folded --by none - | grep -x "Shop->sell->now 4"
'
check 'counts that are fractions or powers, after tabs; less than a half is reported' '
	printf "main;a 1000\nmain;b 3\nmain;c 13\n" >wanted; wanted=wanted becomes "main;a 1e3" "main;b	2.5" "main;c 12.6"
	printf "main;a 0.4\nmain;b 3\nmain;c 0\nmain;d 1e-05\n" >a; status 1 stkcap --rejects rejects -o a.stk a 2>err
	grep "a:1: a count of less than a half, which rounds to nothing" rejects; grep "a:4: a count of less than a half" rejects
	grep "^stkcap: 4 lines: 2 taken, 0 blank, 2 rejected" err
'
check 'counts in front' '
	printf "main;a;b 3\nmain;c 14\nmain;d 1\nmain;e 9 4\n" >wanted; wanted=wanted becomes "      3 main;a;b" "     14 main;c" "      1 main;d" "      4 main;e 9"
	printf "main;b\nmain;a\nmain;b\n" | sort | uniq -c >a; stkcap -q a | stkcat -q -f folded --by none - >got; printf "main;a 1\nmain;b 2\n" | same - got
'
check 'blanks, arguments and `;` of descriptors in frames' '
	printf "main;a b c;d e 3\nmain;std::map<int, int>::operator[] (int) 4\nx;y 3\n" >wanted
	wanted=wanted becomes "main;a b c;d e 3" "main;std::map<int, int>::operator[] (int) 4" "x;y 3"
'
check 'marks of async-profiler and the collapsers: a Java method is that of a thread dump, unless raw symbols are asked for' '
	printf "java;com.a.B.c;com.a.D.e;read_[k];Foo.bar;x_[0] 3\njava;com.a.B.c;f_[j] 4\n" >wanted
	wanted=wanted becomes "java;com/a/B.c_[j];com/a/D.e_[i];read_[k];Foo.bar_[1];x_[0] 3" "java;com.a.B.c_[0];f_[j] 4"
	stkcap -q a | stkcat -q -f folded --by none --annotate inlined - | grep -F "com.a.D.e_[i];"
	stkcap -q --raw-symbols a | stkcat -q -f folded --by none - >got; sort a | same - got
	printf "main;tcp_recv.isra.9_[j];a.b.c_[j];v8.js_[0] 1\nmain;b 2\n" >b; stkcap -q b | stkcat -q -f folded --by none - | sort >got; sort b | same - got
'
check 'py-spy and rbspy: files and lines are part of the frame' '
	printf "%s\n" "process 12:\"python a.py\";<module> (a.py);f (b.py) 2" "run (/srv/a.py:12);step (/srv/b.py:7);sleep (time) 5" "thread (0x7F): MainThread;<module> (a.py:3) 4" >wanted
	wanted=wanted becomes "run (/srv/a.py:12);step (/srv/b.py:7);sleep (time) 5" "thread (0x7F): MainThread;<module> (a.py:3) 4" "process 12:\"python a.py\";<module> (a.py);f (b.py) 2"
	printf "%s\n" "<main> - a.rb:3;block in foo - /usr/lib/b.rb:10 5" "<main> - a.rb:3;sleep [c function] - (unknown) 7" >wanted
	wanted=wanted becomes "<main> - a.rb:3;block in foo - /usr/lib/b.rb:10 5" "<main> - a.rb:3;sleep [c function] - (unknown) 7"
'
check 'what is no count is reported' '
	for line in "main;a -3" "main;a 1,234" "main;a 0x12" "main;a 1.2.3" "main;a"; do
		printf "main;b 4\nmain;c 1\n%s\n" "$line" >a; status 1 stkcap --rejects rejects -q -o a.stk a; grep -F "a:3: " rejects
	done
'
check 'a time in front of most stacks is that of the sample; elsewhere a number there is part of a name' '
	printf "%s\n" "1772355600.25 main;work 3" "1772355601 main;idle 1" "main;work 2" >timed
	status 0 stkcap -q -o out.stk timed
	stkcat -f folded out.stk >got; printf "%s\n" "main;idle 1" "main;work 5" | same - got
	stkcat -q -f tsv --only sample out.stk | sed 1d | cut -f 1,5 >got
	printf "%s\t%s\n" 2026-03-01T09:00:00.250Z 3 2026-03-01T09:00:01Z 1 - 2 | same - got
	printf "%s\n" "1772355600 main;work 3" "main;idle 1" "main;sleep 1" >names
	status 0 stkcap -q -o out.stk names; stkcat -f folded out.stk >got; grep "^1772355600 main;work 3$" got
	printf "%s\n" "17 main;work 3" "18 main;idle 1" >short
	status 0 stkcap -q -o out.stk short; stkcat -f folded out.stk | grep "^18 main;idle 1$"
'
finish
