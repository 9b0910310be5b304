#!/bin/sh
# SPDX-License-Identifier: MIT
# Every fuzz target over its seeds, their beginnings and changed copies, whatever the compiler: each target builds, and
# what a fuzzer found once does not come back.
. "${0%/*}/lib/tap.sh"
cd "$scratch" || exit 99

replay=$BUILD/t/fuzz/replay_seeds
printf '\0' >nothing

# seeds TARGET: its seeds; a byte for one without any
seeds() {
	found=$(find "$t/fuzz/seed/$1" -type f 2>/dev/null | sort)
	echo "${found:-nothing}"
}
for source in "$t"/fuzz/*.c; do
	target=${source##*/} target=${target%.c}
	run='"$replay" "$target" $(seeds "$target") || { ls -l last; od -c last | head -40; false; }'
	got=0
	"$replay" "$target" nothing 2>err || got=$?
	case $got in
	2) skip 'what it tests is not built' "$target" "$run" ;;
	*) check "$target" "$run" ;;
	esac
done
finish
