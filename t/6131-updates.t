#!/bin/sh
# SPDX-License-Identifier: MIT
# --update of every generator: what is new is added where it belongs, once, and every other line stays as hands wrote it.
. "${0%/*}/lib/tap.sh"

dump() {
	echo "2026-01-01 00:00:00"; echo "Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):"; echo
	n=0
	for at; do n=$((n + 1)); printf '"t%d" #1 prio=5 tid=0x1 nid=0x%d runnable\n\tat %s\n\tat com.acme.Main.main(Main.java:1)\n\n' $n $n "$at"; done
}
# What --update does to a file: added lines begin with "> "; a line that is gone or changed with "< ".
changes() { diff "$1" "$2" >diff.out || test $? = 1; grep "^[<>]" diff.out; }

check 'owners: files go to the group of their owner, whatever it is called now, and a new owner gets a group' '
	dump "com.acme.db.Query.run(Query.java:1)" "com.acme.web.Page.show(Page.java:3)" | stkcap -q -o one.stk -
	printf "/src/com/acme/db/ @db\n/src/com/acme/web/ @web\n" >CODEOWNERS
	stkgroup -q --generate owners --owners CODEOWNERS --root src one.stk >first.yaml
	sed "s/.@db./database team   # by hand/; /^siblings/i # ours" first.yaml >own.yaml
	printf "\n# tried\nexamples:\n  - { stack: com.acme.db.Query.run (Query.java), group: database team }\n" >>own.yaml
	stkgroup -q --generate owners --owners CODEOWNERS --root src --update own.yaml one.stk | same own.yaml -
	dump "com.acme.db.Query.run(Query.java:1)" "com.acme.db.Table.scan(Table.java:1)" "com.acme.web.Page.show(Page.java:3)" "com.acme.web.Form.show(Form.java:3)" \
		"com.acme.pay.Card.charge(Card.java:3)" | stkcap -q -o two.stk -
	printf "/src/com/acme/pay/ @pay\n" >>CODEOWNERS
	stkgroup -q --generate owners --owners CODEOWNERS --root src --update own.yaml two.stk >new.yaml
	changes own.yaml new.yaml >got
	same - got <<-END
	> $(printf "      - { file: %s, method: %s }" "'\''Table.java'\''" "'\''com.acme.db.*'\''")
	> $(printf "      - { file: %s, method: %s }" "'\''Form.java'\''" "'\''com.acme.web.*'\''")
	> $(printf "  - name: %s" "'\''@pay'\''")
	>     members:
	> $(printf "      - { file: %s, method: %s }" "'\''Card.java'\''" "'\''com.acme.pay.*'\''")
	END
	stkgroup -q -s ./new.yaml -f tsv two.stk | awk -F "\t" "NR > 1 { print \$2, \$3 }" >got
	printf "%s\n" "database team 2" "@web 2" "@pay 1" | sort >want
	sort got | same want -
	stkgroup -q --generate owners --owners CODEOWNERS --root src --update new.yaml two.stk | same new.yaml -
'
check 'git: the same by history; groups instead of siblings stay groups' '
	have git || exit 0
	mkdir -p repo/com/acme/db && cd repo && git init -q . && touch com/acme/db/Query.java com/acme/db/Table.java && git add -A
	git -c user.name=a -c user.email=a@core.example commit -qm one && cd ..
	printf "groups:\n- name: core.example\n  members:\n  # the first\n  - { file: Query.java }\n  - { file: Main.java, method: [x.*, \"com.acme.*\"] }\n- { name: Z, members: [z] }\n" >own.yaml
	stkgroup -q --generate git --repository repo --update own.yaml two.stk >new.yaml
	changes own.yaml new.yaml >got
	printf "> %s\n> %s\n" "  - { file: '\''Query.java'\'', method: '\''com.acme.db.*'\'' }" "  - { file: '\''Table.java'\'', method: '\''com.acme.db.*'\'' }" >want
	grep -c "Table.java" got | grep -qx 1
	test "$(grep -c "^<" got)" = 0
	stkgroup -q -s ./new.yaml --test
	stkgroup -q --generate git --repository repo --update new.yaml two.stk | same new.yaml -
'
check 'segments: one whose frames a group has is not new, whatever the group is called; nor is its name taken twice' '
	zcat "$t/data/day-17a.txt.gz" | stkcap -q - | stkclass -q - >day.stk
	stkgroup -q --generate segments day.stk >all.yaml
	test "$(grep -c "name:" all.yaml)" -gt 5
	awk "/name:/ { n++ } n == 2 && /name:/ { print \"  - name: mine   # renamed\"; next } n == 3 || n == 4 { next } { print }" all.yaml >own.yaml
	printf "examples:\n  - { stack: x, group: (none) }\n" >>own.yaml
	stkgroup -q --generate segments --update own.yaml day.stk >new.yaml
	changes own.yaml new.yaml >got
	awk "/name:/ { n++ } n == 3 || n == 4 { print \"> \" \$0 }" all.yaml | same - got
	tail -n 2 new.yaml | grep -q "stack: x"
	stkgroup -q --generate segments --update new.yaml day.stk | same new.yaml -
	printf "groups:\n- { name: %s, members: [nothing] }\n" "$(sed -n "s/.*- name: //p" all.yaml | head -n 1)" >taken.yaml
	stkgroup -q --generate segments --update taken.yaml day.stk >new.yaml
	stkgroup -q -s ./new.yaml --test
	sed -n "4s/.*name: .\(.*\).\$/\1 from/p" all.yaml >first
	grep -qF "$(cat first)" new.yaml
'
check 'modules' '
	printf "a 1/1 1.0: 1 cycles:\n\t2 f (/lib/x.so)\n\t1 g (/bin/a)\n\n" | stkcap -q --format perf-script -o m.stk -
	printf "siblings:\n- name: mine\n  members:\n  - module: \"**x.so\"   # theirs\n" >own.yaml
	stkgroup -q --generate modules --update own.yaml m.stk >new.yaml
	changes own.yaml new.yaml >got
	same - got <<-END
	> groups:
	> $(printf "  - name: %s" "'\''a'\''")
	> $(printf "    members: [{ module: %s }]" "'\''**a'\''")
	END
	stkgroup -q --generate modules --update new.yaml m.stk | same new.yaml -
'
check 'files with absolute paths are of the repository where they are below the folder that it was built in' '
	have git || exit 0
	printf "goroutine 1 [running]:\nshop/cart.Add(0x1)\n\t/home/me/shop/cart/cart.go:33 +0x1b\nmain.main()\n\t/home/me/shop/main.go:12 +0x20\nruntime.main()\n\t/usr/lib/go/cart/main.go:3 +0x1\n\n" |
		stkcap -q -o go.stk -
	printf "/cart/ @cart\nmain.go @main\n" >CODEOWNERS
	status 1 stkgroup -q --generate owners --owners CODEOWNERS go.stk 2>err >out
	grep "^stkgroup: 3 source files have absolute paths: .* --root /DIR" err
	for root in /home/me/shop /home/me/shop/; do
		stkgroup --generate owners --owners CODEOWNERS --root $root go.stk 2>err | sed -n "s/ *- name: //p; s/ *- { file: / /p" | tr -d "'\''}" >got
		printf "%s\n" "@cart" " /home/me/shop/cart/cart.go " "@main" " /home/me/shop/main.go " | same - got
		grep -qx "stkgroup: 2 of 3 source files have an owner" err
	done
	mkdir -p built/cart && cd built && git init -q . && touch cart/cart.go main.go && git add -A && git -c user.name=a -c user.email=a@core.example commit -qm one && cd ..
	stkgroup --generate git --repository built --root /home/me/shop go.stk 2>err | grep -c "file: ./home/me/shop/" | grep -qx 2
	grep -qx "stkgroup: 2 of 3 source files have a history" err
	stkgroup -q --generate owners --owners CODEOWNERS --root /home/me/sho go.stk | grep -c file: | grep -qx 0
'
check 'packages by dots, by :: and by paths, of which each has its group, with a name of its own' '
	printf "%s 1\n" "main;std::vector<int>::push_back" "main;core::fmt::write" "main;core::fmt::num::imp" "<T as core::fmt::Display>::fmt" "f(std::string)" \
		"net/http.(*conn).serve;net/http/httputil.(*Proxy).ServeHTTP" "net.http.Old.get" "std.Old.get" "com.acme.Main\$\$Lambda/0x1.run" | stkcap -q --format folded -o p.stk -
	stkgroup -q --generate packages p.stk >packages.yaml
	stkgroup -q -s ./packages.yaml --test
	sed -n "s/ *- name: //p; s/ *members: / /p" packages.yaml | tr -d "\n" | sed "s/\]/&\n/g" | tr -d "'\''[]" >got
	printf "%s\n" "com.acme com.acme.*" "core::fmt core::fmt::*" "core::fmt::num core::fmt::num::*" "net.http net.http.*" "net.http (path) net/http.*" \
		"net.http.httputil net/http/httputil.*" "std std.*" "std (::) std::*" | same - got
	stkgroup -q -s ./packages.yaml -f tsv p.stk | awk -F "\t" "NR > 1 && \$3 > 0 { print \$2, \$3 }" >got
	printf "%s\n" "com.acme 1" "core::fmt 1" "core::fmt/core::fmt::num 1" "net.http 1" "net.http (path)/net.http.httputil 1" "std 1" "std (::) 1" "(none) 2" | same - got
	stkgroup -q --generate packages --update packages.yaml p.stk | same packages.yaml -
'
check 'a list that is in one line, where nothing can be added, is reported with its place' '
	printf "siblings:\n- { name: \"@db\", members: [{ file: Query.java, method: com.acme.db.* }] }\n" >flow.yaml
	printf "/src/com/acme/db/ @db\n" >CODEOWNERS
	status 2 stkgroup -q --generate owners --owners CODEOWNERS --root src --update flow.yaml two.stk 2>err >out
	grep "flow.yaml:2:.*: new members cannot be added to this group: expected a line .- \.\.\.. for each" err
	test ! -s out
	printf "siblings: [{ name: a, members: [a] }]\n" >flow.yaml
	status 2 stkgroup -q --generate owners --owners CODEOWNERS --root src --update flow.yaml two.stk 2>err
	grep "flow.yaml:1:11: new groups cannot be added to this list" err
	status 3 stkgroup -q --generate owners --owners CODEOWNERS --update nowhere.yaml two.stk
'
check '--follow writes the file again when the scheme changes, whole, and keeps what was edited in it' '
	folded() { printf "$1" | stkcap -q --format folded -; }
	folded "x.y.A;f 1\n" >a.stk; folded "q.r.B;f 1\nx.y.A;z 1\n" >b.stk
	printf "groups:\n- {name: mine, members: [x.y.*]}   # by hand\n" >live.yaml
	appears() { for try in $(seq 600); do grep -qs "$1" live.yaml && return; sleep .05; done; return 1; }
	{ folded "u.v.C;f 1\n"; appears u.v.; sed "s/mine/ours/" live.yaml >edited && mv edited live.yaml; cat a.stk b.stk; appears q.r.; cp live.yaml then.yaml; } |
		stkgroup --generate packages --update live.yaml --follow -o live.yaml
	same live.yaml then.yaml
	test "$(sed -n 2p live.yaml)" = "- {name: ours, members: [x.y.*]}   # by hand"
	stkgroup -q -s ./live.yaml -f tsv b.stk | cut -f 2,3 | sort >got
	printf "group\tcount\nours\t1\nq.r\t1\n" | sort | same - got
	cat a.stk | stkgroup --generate packages --follow >out 2>said
	grep -q "with -o FILE, also whenever it changes" said && grep -q "x.y" out
'
check 'what a compiler appends to the symbol of a clone is no package' '
	printf "%s 1\n" "main;schedule;finish_task_switch.isra.0" "main;free_bulk.part.0;walk.constprop.3.isra.1;com.acme.Shop.cold" >clones.folded
	stkcap -q -f folded clones.folded | stkgroup -q --generate packages >clones.yaml
	test "$(grep -c "name:" clones.yaml)" -eq 1
	grep -q "name: .com.acme" clones.yaml || grep -q "name: com.acme" clones.yaml
'
finish
