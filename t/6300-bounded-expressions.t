#!/bin/sh
# SPDX-License-Identifier: MIT
# A regular expression that is too large is refused, wherever it comes from; what was good stays good, and a name that was made to be slow is not.
. "${0%/*}/lib/tap.sh"

printf 'main;aab 5\nmain;xyz 3\n' | stkcap -q -o in.stk -

# many WORD N: the word, N times
many() { awk -v word="$1" -v count="$2" 'BEGIN { while (count-- > 0) printf "%s", word }'; }

# scheme EXPRESSION >FILE
scheme() { printf "groups:\n  - name: g\n    members: ['/%s/']\n" "$1"; }

# refused 'EXPRESSION' 'part of the message'
refused() {
	expression=$1 wanted=$2
	check "$(printf %.40s "$1"): $wanted" '
		scheme "$expression" >s.yaml
		status 2 timeout 60 stkgroup -s s.yaml -f tsv in.stk >out 2>said
		grep -q "s.yaml:3:15: bad regular expression" said && grep -qF -- "$wanted" said || { cut -c 1-300 said; false; }
		status 2 timeout 60 stkcat -f tsv --grep "$expression" in.stk >out 2>said
		grep -qF -- "$wanted" said
	'
}

refused 'a{1,30000}' 'at character 2: repetitions of too many elements when they are written out (expected at most 1000)'
refused '((a{1,200}){1,200}){1,200}' 'too many elements'
refused '(a{1,40}){40}' 'too many elements'
refused 'x(ab|[]{9}]*){300}y' 'too many elements'
refused "$(many 'a?' 3000)" 'too many elements'
refused "$(many '(' 40000)a$(many ')' 40000)" 'a regular expression of 80001 bytes (expected at most 65536)'
refused "$(many '(' 10000)a$(many ')' 10000)" 'parentheses one inside another (expected at most 100)'
refused '(.*)(.*)(.*)\1\2\3c' 'at character 13: a back reference'
refused 'a{1,2' 'at character 2: Unmatched {'
refused '[[:nothing:]]' 'at character 2: Invalid class of characters (expected alpha, digit,'

check 'every option that takes one refuses it: --grep --thread --process --where' '
	for command in stkcat stktree stkgroup; do
		scheme=; test $command != stkgroup || scheme="-s $t/../schemes/jvm.yaml"
		for option in grep thread process; do
			status 2 timeout 60 $command $scheme -f text --$option "a{1,30000}" in.stk 2>said
			grep "^$command: --$option: .*too many elements" said
		done
		status 2 timeout 60 $command $scheme -f text --where "thread ~ \"a{1,30000}\"" in.stk 2>said
		grep "^$command: --where: at character 10: at character 2: repetitions of too many" said
	done
'
check 'all expressions of a scheme have a bound together' '
	awk "BEGIN { print \"groups:\n  - name: g\n    members:\"; for (i = 0; i < 1000; i++) printf \"      - /x%da{1,900}/\n\", i }" >s.yaml
	status 2 timeout 60 stkgroup -s s.yaml -f tsv in.stk 2>said
	grep "s.yaml:26:9: bad regular expression .*the repetitions of all of them" said
'
check 'no expression is compiled by anybody else' '
	status 1 grep -rl "regcomp" "$t/../lib" "$t/../cmd" --include="*.c"
'
# fits 'EXPRESSION' COUNT: so many samples have a frame that it matches
fits() {
	expression=$1 wanted=$2
	check "$(printf %.40s "$1") is still good" '
		test "$(stkcat -f folded --grep "$expression" in.stk | wc -l)" -eq "$wanted"
		scheme "$expression" >s.yaml
		status 0 stkgroup -q -s s.yaml -f tsv in.stk
	'
}
fits '^a{2}b$' 1
fits '(((((((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)' 2
fits '[]a]{1,}' 2
fits '[[:alpha:]]{1,900}z' 1
fits '(a|x){0,255}b' 1
fits 'a{,3}b' 1
fits '\.?x(y|\{)+' 1
fits "$(many 'xyz|' 5000)q" 1
fits '^[^]x-z[]+$' 2

# the C library needs a second for 300 such letters, and more than a minute for 1,000
awk 'BEGIN { srand(7); printf "main;"; for (i = 0; i < 20000; i++) printf "%s", rand() < .5 ? "a" : "b"; print " 1" }' >hostile.txt
check 'a name of 20,000 letters that reaches a new state by each, in a scheme and by --grep' '
	stkcap -q -o hostile.stk hostile.txt
	scheme "(a|b)*a(a|b){200}c" >s.yaml
	timeout 60 stkgroup -q -s s.yaml -f tsv hostile.stk >out
	grep -q "(none)" out
	test "$(timeout 60 stkcat -f folded --grep "(a|b)*a(a|b){200}c" hostile.stk | wc -l)" -eq 0
	test "$(timeout 60 stkcat -f folded --grep "(a|b)*a(a|b){200}$" hostile.stk | wc -l)" -eq "$(
		awk "{ print substr(\$1, length(\$1) - 200, 1) == \"a\" }" hostile.txt)"
'
finish
