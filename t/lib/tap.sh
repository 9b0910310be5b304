# SPDX-License-Identifier: MIT
# tap.sh: what a shell test needs. Every t/*.t starts with:  . "${0%/*}/lib/tap.sh"  and ends with:  finish
#
# check 'fact' 'shell text'   the fact holds when every line of the text succeeds; what it printed is shown only when it does not
# status N COMMAND...         inside a text: COMMAND must exit with exactly N, so that a crash never passes for a refusal
# same WANTED FILE            inside a text: equal, or the difference is shown; - is stdin
# skip 'why' 'fact' 'text'    the fact cannot be tried here
# repeat N FILE               inside a text: the file, N times
# find_browser                says in $browser what is missing for a browser; in_browser 'fact' 'text' is a check with one
# skip_all 'why'              nothing in this file can be tried here; before the first check
# have COMMAND...             all these programs are here: have jq || skip_all 'no jq'
#
# FAILURES names a file to which failed checks are added, with the end of what they printed: scripts/check shows it last. It is not passed on:
# what fails in a test that a test runs, as t/0000-harness.t does, is meant to.
# `make check T=NNNN` runs one test: it sets PATH and BUILD. $t is the directory of the tests. Each file runs in a scratch directory of its own, under LC_ALL=C TZ=UTC; it is left behind when a check failed.

set -u

# Without the programs that were built a test would wait for what nobody does.
missing=
command -v stkcat >/dev/null 2>&1 || missing='stkcat is not in PATH'
test -n "${BUILD:-}" || missing=${missing:+$missing, }'BUILD is not set'
if test -n "$missing"; then
	test_name=${0##*/}
	echo "Bail out!  $missing: use make check T=${test_name%%[-.]*}"
	exit 255
fi

LC_ALL=C TZ=UTC
STKPATH_CHOICE=	# no rules of the user's for stkpath
ASAN_OPTIONS=${ASAN_OPTIONS-exitcode=99}	# a crash must not pass for status 1
export LC_ALL TZ STKPATH_CHOICE ASAN_OPTIONS
t=$(cd "${0%/*}" && pwd) || exit 99
scratch=$(mktemp -d "${TMPDIR:-/tmp}/stk.XXXXXX") && cd "$scratch" || exit 99
# Each awk has random numbers of its own, and data are made with them: where mawk is, it is the tests' awk; scripts use the user's.
if command -v mawk >/dev/null 2>&1; then awk() { mawk "$@"; }; fi
count=0 failed=0 failures=${FAILURES:-}
unset FAILURES
trap 'rm -rf "$scratch" "$scratch.log"; exit 99' HUP INT TERM

# The log lies beside the scratch directory, so that a text may list or empty the directory as it likes.
check() {
	count=$((count + 1))
	(set -e; eval "$2") 3>"$scratch.log" >&3 2>&3		# not inside an if: there the shell would ignore set -e
	if test $? -eq 0; then
		echo "ok $count - $1"
	else
		failed=1
		echo "not ok $count - $1"
		sed 's/^/# /' "$scratch.log" >&2
		test -z "$failures" || { echo "$0: not ok $count - $1"; tail -n 15 "$scratch.log" | sed 's/^/    /'; } >>"$failures"
	fi
	rm -f "$scratch.log"
}

repeat() { yes "$2" | head -n "$1" | xargs cat; }

skip() {
	count=$((count + 1))
	echo "ok $count - $2 # SKIP $1"
}

# Finds what checks in a browser need: Chromium (CHROMIUM names another), node, and playwright-core and axe-core, in NODE_PATH or where npm installs for all.
# $browser is empty then, else it says what is missing.
find_browser() {
	browser='no node, no chromium, or no playwright-core and axe-core (npm install -g playwright-core axe-core)'
	have node && test -x "${CHROMIUM:-/usr/bin/chromium}" || return 0
	NODE_PATH=${NODE_PATH:-}:$(npm root -g 2>/dev/null || true)
	export NODE_PATH
	AXE=$(node -e 'require.resolve("playwright-core"); console.log(require.resolve("axe-core/axe.min.js"))' 2>/dev/null) || return 0
	export AXE
	browser=
}

# in_browser 'fact' 'shell text'   a check that needs a browser
in_browser() {
	if test -z "$browser"; then check "$1" "$2"; else skip "$browser" "$1"; fi
}

# Starts a browser for the checks of the test, which ends with it, and names it in BROWSER, and in TAB the socket of a tab for t/browser/ask.js.
one_browser() {
	TAB=$scratch/tab
	node "$t/browser/serve.js" "$TAB" >"$scratch/browser" 2>/dev/null &
	for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		test -s "$scratch/browser" && break
		sleep 0.5
	done
	BROWSER=$(cat "$scratch/browser")		# empty: each check starts its own
	export BROWSER TAB
}

skip_all() {
	echo "1..0 # SKIP $1"
	rm -rf "$scratch"
	exit 0
}

have() {
	for program; do
		command -v "$program" >/dev/null 2>&1 || return 1
	done
}

status() {
	want=$1
	shift
	"$@" && got=0 || got=$?
	test "$got" -eq "$want" || { echo "status $got, expected $want: $*" >&3; return 1; }
}

same() {
	diff -u "$1" "$2" >"$scratch.diff" && rm -f "$scratch.diff" && return 0
	head -40 "$scratch.diff" | cut -c 1-200 >&3
	rm -f "$scratch.diff"
	return 1
}

# afresh COMMAND...: in place of this shell, with the signals as they are by default. A shell without job control makes commands in the background ignore SIGINT, and what was
# ignored by the parent stays ignored.
afresh() {
	exec perl -e '$SIG{$_} = "DEFAULT" for grep !/^(KILL|STOP|NUM.*|RT.*)$/, keys %SIG; exec @ARGV or die' "$@"
}

finish() {
	echo "1..$count"
	if test $failed = 0; then
		rm -rf "$scratch"
	else
		echo "# left for you in $scratch" >&2
	fi
	exit $failed
}
