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
if have fish; then
check 'fish: names of options, and values' '
	"$t/../scripts/make-completion" "$BUILD/bin" fish >completion.fish
	offered() { fish --no-config -c "source completion.fish; complete -C \"$1\"" | cut -f 1 | sort | tr "\n" " "; }
	test "$(offered "stkcat --names ")" = "full short "
	test "$(offered "stkcat --i")" = "--ids --invert "
	test "$(offered "stktree --report=pa")" = "--report=paths " || { offered "stktree --report=pa"; false; }
	offered "stkcat -f " | grep -w ndjson
	touch other.stk
	offered "stkcat --mask-key oth" | grep -w other.stk
'
else
skip 'no fish' 'fish: names of options, and values' ''
fi
if have zsh; then
# What _arguments is asked for is what zsh offers.
check 'zsh: names of options, and values' '
	"$t/../scripts/make-completion" "$BUILD/bin" zsh >_stkpipe
	zsh -n _stkpipe
	zsh -f -c "_arguments() { print -rl -- \"\$@\"; }; service=stkcat; source ./_stkpipe" >asked
	grep -Fx -- "--names=:names:(short full)" asked
	grep -Fx -- "-f+:format:(text tsv ndjson csv folded dumps stream speedscope firefox chrome pprof otlp sqlite openmetrics md)" asked
	grep -Fx -- "--ids" asked
	grep -Fx -- "--mask-key=:mask-key:_files" asked
	head -1 _stkpipe | grep "^#compdef stkcap stkcat "
'
else
skip 'no zsh' 'zsh: names of options, and values' ''
fi
check 'a shell that is not known is refused' '
	status 2 "$t/../scripts/make-completion" "$BUILD/bin" csh 2>err
	grep "expected bash, zsh or fish" err
'
finish
