# SPDX-License-Identifier: MIT
# run_shards.sh: what slurm and parallel share, read by them: `send SHARD,...` runs jobs and waits for them.

test $# -eq 3 && test "$1" -ge 1 2>/dev/null && test -d "$2" || { echo "usage: ${0##*/} SHARDS ARCHIVE OUT" >&2; exit 2; }
shards=$1
archive=$(cd "$2" && pwd)
mkdir -p "$3"
out=$(cd "$3" && pwd)
tries=$((${RETRIES:-3} + 1)) worst=0
rm -f "$out"/*.done "$out"/[0-9]*.tree

unfinished() {	# numbers of the shards that were killed, with commas
	seq "$shards" | while read -r number; do test -s "$out/$number.done" || echo "$number"; done | paste -sd , -
}
left=$(unfinished)
while test -n "$left" && test $tries -gt 0; do
	send "$left"
	again=$left left=$(unfinished) tries=$((tries - 1))
	test -z "$left" || test $tries -eq 0 || echo "${0##*/}: shards $left of $again did not finish: once more" >&2
done
test -z "$left" || { echo "${0##*/}: shards $left could not finish; $out/all.tree is left as it was" >&2; exit 3; }
for number in $(seq "$shards"); do
	status=$(cat "$out/$number.done")
	test "$status" -le $worst || worst=$status
	test "$status" -eq 0 || echo "${0##*/}: shard $number: status $status: $(tail -n 1 "$out/$number.log")" >&2
done
test $worst -le 1 || exit 3
set -- "$out"/[0-9]*.tree
if test ! -e "$1"; then
	echo "${0##*/}: no file in $archive" >&2
	exit 1
elif test $# -eq 1; then
	cp "$1" "$out/.all.tree.$$" && mv "$out/.all.tree.$$" "$out/all.tree"
else
	status=0
	stktree -q --merge -o "$out/all.tree" "$@" || status=$?
	test $status -le $worst || worst=$status
fi
exit $worst
