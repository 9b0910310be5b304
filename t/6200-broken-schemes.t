#!/bin/sh
# SPDX-License-Identifier: MIT
# What is wrong with a scheme is told with file, line and column, and what was expected.
. "${0%/*}/lib/tap.sh"

# broken LINE:COLUMN 'part of the message' 'scheme, as printf writes it'
broken() {
	printf "$3" >s.yaml
	check "$1: $2" '
		printf "%s" "$wanted" >/dev/null
		status 2 stkgroup -s s.yaml --test >out 2>said
		grep -qF -- "s.yaml:$place: " said || { cat said; false; }
		grep -qF -- "$wanted" said || { cat said; false; }
		test ! -s out'
}
each() { place=$1 wanted=$2; broken "$@"; }

each 1:1 'not a scheme' '[]\n'
each 1:1 'not a scheme' 'just words\n'
each 1:1 "unknown key 'group'" 'group:\n  - name: a\n'
each 1:9 'not a list' 'groups: a\n'
each 1:9 'not a list' 'groups: {name: a}\n'
each 1:9 'nothing' "scheme: ''\\ngroups: []\\n"
each 2:5 'not a group' 'groups:\n  - a\n'
each 2:5 'a group without a name' 'groups:\n  - members: [a]\n'
each 2:11 'nothing' "groups:\\n  - name: ''\\n"
each 2:11 'a list or a map' 'groups:\n  - name: [a]\n'
each 2:11 'a name with a slash' 'groups:\n  - name: a/b\n'
each 2:11 'parenthesis' 'groups:\n  - name: (none)\n'
each 3:11 "a second group 'a'" 'groups:\n  - name: a\n  - name: a\n'
each 5:15 "a second group 'b'" 'groups:\n  - name: a\n    children:\n      - name: b\n      - name: b\n'
each 3:5 "unknown key 'member'" 'groups:\n  - name: a\n    member: [x]\n'
each 3:15 'not a number' 'groups:\n  - name: a\n    priority: high\n'
each 3:15 'not a number' 'groups:\n  - name: a\n    priority: 1.5\n'
each 3:15 'not a number' 'groups:\n  - name: a\n    priority: 99999999\n'
each 3:13 'not a colour' 'groups:\n  - name: a\n    colour: red\n'
each 3:13 'not a colour' "groups:\\n  - name: a\\n    colour: '#12345'\\n"
each 3:16 'neither yes nor no' 'groups:\n  - name: a\n    exclusive: maybe\n'
each 3:14 'nothing' "groups:\\n  - name: a\\n    members: ''\\n"
each 3:15 'nothing' "groups:\\n  - name: a\\n    members: ['']\\n"
each 3:15 'not a member' 'groups:\n  - name: a\n    members: [{}]\n'
each 3:16 "unknown key 'methods'" 'groups:\n  - name: a\n    members: [{methods: x}]\n'
each 3:24 'an empty list' 'groups:\n  - name: a\n    members: [{method: []}]\n'
each 3:24 'a map' 'groups:\n  - name: a\n    members: [{method: {}}]\n'
each 3:15 'names no frame' 'groups:\n  - name: a\n    members: [{caller: x}]\n'
each 3:15 'bad regular expression' 'groups:\n  - name: a\n    members: [/a(/]\n'
each 3:15 'bad regular expression' "groups:\\n  - name: a\\n    members: ['/[a/']\\n"
each 3:15 'alternatives' "groups:\\n  - name: a\\n    members: ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}']\\n"
each 3:23 'not a list' 'groups:\n  - name: a\n    members: [{stack: x}]\n'
each 3:24 'a gap (...) at an end' 'groups:\n  - name: a\n    members: [{stack: [..., x]}]\n'
each 3:27 'a gap (...) at an end' 'groups:\n  - name: a\n    members: [{stack: [x, ...]}]\n'
each 3:13 'not a pair of events or a point' 'groups:\n  - name: a\n    events: x\n'
each 3:14 "unknown key 'begin'" 'groups:\n  - name: a\n    events: {begin: x}\n'
each 3:13 'only one of start and stop' 'groups:\n  - name: a\n    events: {start: x}\n'
each 3:21 'a list or a map' 'groups:\n  - name: a\n    events: {start: [x], stop: y}\n'
each 1:11 'not a list' 'examples: x\n'
each 1:12 'not an example' 'examples: [x]\n'
each 1:12 'not an example' 'examples: [{stack: a}]\n'
each 1:33 "unknown key 'note'" 'examples: [{stack: a, group: b, note: c}]\n'
each 1:10 'there is no scheme' 'include: nowhere\n'
each 1:11 'there is no scheme' 'include: [./nowhere.yaml]\n'
each 1:10 'a list or a map' 'include: {a: b}\n'
each 1:10 'a file that includes itself' 'include: s.yaml\ngroups: []\n'
each 2:1 'character that cannot start any token' 'groups:\n\t- name: a\n'
each 2:5 'is here twice' 'groups: [{name: a,\n    name: b}]\n'
each 1:24 'aliases' 'groups: [{name: &x a}, *x]\n'
each 2:1 'a second document' 'groups: []\n---\ngroups: []\n'
each 2:1 'did not find expected' 'groups: [a, b\n'
each 1:1 'UTF-8' 'groups: \377\376\n'

check 'a ring of two files' '
	printf "include: b.yaml\ngroups: [{name: a, members: [x]}]\n" >a.yaml
	printf "include: a.yaml\ngroups: [{name: b, members: [y]}]\n" >b.yaml
	status 2 stkgroup -s a.yaml --test 2>said && grep -q "b.yaml:1:10: a file that includes itself" said'
check 'sixty-five levels, a million nodes, a hundred megabytes: refused, soon, in little memory' '
	awk "BEGIN { for (i = 0; i < 70; i++) printf \"[\"; for (i = 0; i < 70; i++) printf \"]\"; print \"\" }" >deep.yaml
	status 2 stkgroup -s deep.yaml --test 2>said && grep -q "64 levels" said
	awk "BEGIN { print \"groups:\"; for (i = 0; i < 600000; i++) print \"- name: a\" i }" >wide.yaml
	status 2 stkgroup -s wide.yaml --test 2>said && grep -Eq "million nodes|100000 groups|bytes" said
	head -c 100000000 /dev/zero | tr "\0" "#" >huge.yaml
	status 2 stkgroup -s huge.yaml --test 2>said && grep -q "expected at most 16777216" said'
check 'a scheme that is not there' '
	status 2 stkgroup -s nowhere --test 2>said && grep -q "there is no scheme .nowhere." said'
finish
