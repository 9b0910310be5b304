#!/bin/sh
# SPDX-License-Identifier: MIT
# Completion in bash: names of options, their values, and files.
. "${0%/*}/lib/tap.sh"

have bash || skip_all 'no bash'

cat >complete.bash <<'END'
# complete.bash WORD...: what is offered for the last word, sorted
source ./completion
compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_stkpipe "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}" | sort
END

check 'it is made from what the filters say' '
	"$t/../scripts/make-completion" "$BUILD/bin" >completion
	bash -n completion
	grep -q "^complete -F _stkpipe.* stkcat stkclass" completion
'
check 'names of options, with = where a value follows' '
	test "$(bash complete.bash stkcat --nam)" = "--names="
	test "$(bash complete.bash stkcat --chec)" = "--check"
	test "$(bash complete.bash stkcat --i | tr "\n" " ")" = "--ids --invert "
'
check 'values, in the same word and in the next' '
	test "$(bash complete.bash stkcat --names s)" = short
	test "$(bash complete.bash stkcat --names "" | tr "\n" " ")" = "full short "
	test "$(bash complete.bash stkcat --names =)" = "full
short"
	test "$(bash complete.bash stkcat --names = f)" = full
	test "$(bash complete.bash stktree --report pa)" = paths
	bash complete.bash stkcat --format "" | grep -qx ndjson
'
check 'else files' '
	touch day.stk
	test "$(bash complete.bash stkcat da)" = day.stk
	test "$(bash complete.bash stkcat --grep da)" = day.stk
'
finish
