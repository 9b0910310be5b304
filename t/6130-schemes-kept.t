#!/bin/sh
# SPDX-License-Identifier: MIT
# Schemes that travel, grow and come from elsewhere: whole where they are read, and what a name does not find is said.
. "${0%/*}/lib/tap.sh"

printf 'main;a;x 3\nmain;b;y 2\nmain;z 1\n' | stkcap -q --format folded -o x.stk -
table() { stkgroup -q -f tsv "$@" | sed 1d | cut -f 1,2,4; }

check '--embed carries what a scheme includes: by file, by name, through others, with quotes in names' '
	mkdir -p from/deep other
	printf "groups:\n  - { name: A, members: [a] }\n" >"from/deep/it'\''s.yaml"
	printf "include: [\"./it'\''s.yaml\"]\ngroups:\n  - name: B   # not A\n    members:\n      - b\n" >from/deep/middle.yaml
	printf "scheme: all\ninclude: [./deep/middle.yaml]\ngroups:\n  - { name: C, members: [z] }\nexamples:\n  - { stack: a, group: A }" >from/all.yaml
	table -s from/all.yaml x.stk >wanted
	printf "all\tA\t3\nall\tB\t2\nall\tC\t1\n" | same - wanted
	stkgroup -q -s from/all.yaml --embed x.stk >carried.stk
	mv from gone
	cd other; table ../carried.stk | same ../wanted -
	stkgroup -q --embed ../carried.stk | table - | same ../wanted -
	stkgroup -q --embed ../carried.stk >twice.stk
	for stk in ../carried.stk twice.stk; do stkcat -q -f ndjson --only scheme $stk; done | sort -u | wc -l | grep -x 1
'
check '... and says so when two files have one name, or the text cannot take others' '
	mkdir -p in/one in/two
	for d in one two; do printf "groups: [{ name: %s, members: [a] }]\n" $d >in/$d/x.yaml; printf "include: ./x.yaml\n" >in/$d/y.yaml; done
	printf "include: [./one/y.yaml, ./two/y.yaml]\n" >in/both.yaml
	status 2 stkgroup -q -s in/both.yaml --embed x.stk 2>err >out.stk
	grep "two files that .both. includes are called ../x.yaml." err
	printf "{ include: [./one/x.yaml] }" >in/flow.yaml
	status 2 stkgroup -q -s in/flow.yaml --embed x.stk 2>err >out.stk
	grep "a text that has each key on a line of its own" err
'
check 'a scheme without a group is refused, whether it is empty, has only a name, or is nothing' '
	: >empty.yaml; printf "scheme: none\n" >named.yaml; printf "groups: []\n" >list.yaml
	for file in ./empty.yaml ./named.yaml ./list.yaml /dev/null; do
		status 2 stkgroup -s $file -f tsv x.stk 2>err
		grep "$file:1:1: a scheme without groups" err
	done
'
check 'a scheme may begin with the byte order mark that some editors write; errors have the same lines and columns' '
	printf "scheme: s\ngroups:\n- { name: A, members: [a] }\n" >plain.yaml
	{ printf "\357\273\277"; cat plain.yaml; } >marked.yaml
	table -s plain.yaml x.stk >wanted; table -s marked.yaml x.stk | same wanted -
	printf "groups: [1\n" >plain.yaml; { printf "\357\273\277"; cat plain.yaml; } >marked.yaml
	status 2 stkgroup -q -s plain.yaml x.stk 2>plain; status 2 stkgroup -q -s marked.yaml x.stk 2>marked
	sed "s/marked/plain/" marked | same plain -
	printf "\357\273\277" >mark.yaml; status 2 stkgroup -q -s mark.yaml x.stk 2>err; grep "without groups" err
'
check '--where with a group that no scheme has is an error, which helps when only its name was given' '
	printf "groups:\n  - name: A\n    members: [a]\n    children:\n      - { name: AX, members: [x] }\n" >s.yaml
	table -s s.yaml --where "group = A/AX" x.stk >got
	printf "s\tA\t0\ns\tA/AX\t3\n" | same - got
	table -s s.yaml --where "group under A and not group = \"(none)\"" x.stk | same - got
	status 2 stkgroup -s s.yaml -f tsv --where "group = AX" x.stk 2>err
	grep "no group has the path .AX.: expected .A/AX., or group under" err
	status 2 stkgroup -s s.yaml -f tsv --where "thread = x or not group under B" x.stk 2>err
	grep "no scheme has a group .B." err
	stkgroup -q -s s.yaml --embed x.stk >carried.stk
	status 2 stkgroup -f tsv --where "group = B" carried.stk 2>err >out
	grep "no scheme has a group .B." err
'
check '--update adds to the groups wherever they are, keeps comments and what follows, knows renamed groups' '
	printf "main;java.lang.Thread.run;java.net.Socket.read 1\nmain;java.util.List.get 1\n" | stkcap -q --format folded -o p.stk -
	cat >own.yaml <<-END
	# ours
	include: [./more.yaml]
	groups:
	  - name: core            # renamed
	    members: ["java.lang.*"]

	# what is tried
	siblings:
	  - { name: S, members: [s] }
	examples:
	  - { stack: java.lang.Thread.run, group: core }
	END
	printf "groups:\n  - { name: more, members: [m] }\n" >more.yaml
	stkgroup -q --generate packages --update own.yaml p.stk >new.yaml
	diff own.yaml new.yaml >changes || test $? = 1
	grep "^[<>]" changes >got
	printf "> %s\n> %s\n> %s\n> %s\n" "  - name: '\''java.net'\''" "    members: ['\''java.net.*'\'']" "  - name: '\''java.util'\''" "    members: ['\''java.util.*'\'']" | same - got
	stkgroup -s ./new.yaml --test
	stkgroup -q --generate packages --update new.yaml p.stk | same new.yaml -
	printf "groups:\n- name: a\n  members: [a]\n" >flush.yaml
	stkgroup -q --generate packages --update flush.yaml p.stk >new.yaml
	grep -c "^- name" new.yaml | grep -x 4
	stkgroup -s ./new.yaml --test
	printf "siblings:\n  - { name: a, members: [a] }" >only.yaml
	stkgroup -q --generate packages --update only.yaml p.stk >new.yaml
	stkgroup -s ./new.yaml --test
	printf "groups: [{ name: a, members: [a] }]\n" >flow.yaml
	status 2 stkgroup -q --generate packages --update flow.yaml p.stk 2>err
	grep "flow.yaml:1:9: new groups cannot be added to this list" err
'
check 'an imported scheme can be read, whatever names its groups had, and changed names are told' '
	printf "a.b=java.*\na.b=x.*\nq/r=z\n(other)=w\n" >c.txt
	stkgroup --import c.txt >c.yaml 2>err
	stkgroup -s ./c.yaml --test
	grep -c "is called" err | grep -x 3
	grep "c.txt:2: the group .a.b. is called .a.b 2. here: another one has its name" err
	grep "c.txt:4: the group .(other). is called ._other). here$" err
'
bare() { unshare -m --propagation private sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$@"; }
if test "$(id -u)" -eq 0 && bare true 2>/dev/null; then
check 'schemes are found without /proc, by the path that the program was started by' '
	unset STKPIPE_SCHEMES
	table -s jvm x.stk >wanted
	test -s wanted
	program=$(command -v stkgroup)
	bare stkgroup -q -s jvm -f tsv x.stk | sed 1d | cut -f 1,2,4 | same wanted -
	ln -s "${program%/*}" programs
	bare programs/stkgroup -q -s jvm -f tsv x.stk | sed 1d | cut -f 1,2,4 | same wanted -
'
else
skip 'not root, or no mounts' 'schemes are found without /proc, by the path that the program was started by' ''
fi
finish
