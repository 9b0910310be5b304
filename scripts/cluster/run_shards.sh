# SPDX-License-Identifier: MIT
# run_shards.sh: what slurm, gridengine and parallel share, read by them: `send SHARD,...` runs jobs and waits for them.

test $# -eq 3 && test "$1" -ge 1 2>/dev/null && test -d "$2" || { echo "usage: ${0##*/} SHARDS ARCHIVE OUT" >&2; exit 2; }
shards=$1
archive=$(cd "$2" && pwd)
mkdir -p "$3"
out=$(cd "$3" && pwd)
case $here$archive$out in
*\'*) echo "${0##*/}: jobs are texts for a shell: no ' in the names of the folders, please" >&2; exit 2 ;;
esac
tries=$((${RETRIES:-3} + 1))
files=$out/files.list		# of all shards
rm -f "$out"/*.done "$out"/[0-9]*.tree "$out"/[0-9]*.class "$out"/[0-9]*.trend "$out"/[0-9]*.findings "$files" "$files.closed"
"$here/list" "$archive" "$files" || exit 3

unfinished() {	# numbers of the shards that were killed or could not finish, with commas
	seq "$shards" | while read -r number; do test -s "$out/$number.done" || echo "$number"; done | paste -sd , -
}
tell_why() {	# what the first few of them said last
	echo "$left" | tr , '\n' | head -n 5 | while read -r number; do
		test ! -s "$out/$number.log" || tail -n 2 "$out/$number.log" | sed "s/^/${0##*/}: /" >&2
	done
}
left=$(unfinished)
while test -n "$left" && test $tries -gt 0; do
	send "$left"
	again=$left left=$(unfinished) tries=$((tries - 1))
	test -z "$left" || tell_why
	test -z "$left" || test $tries -eq 0 || echo "${0##*/}: shards $left of $again did not finish: once more" >&2
done
test -z "$left" || { echo "${0##*/}: shards $left could not finish; $out/all.* is left as it was" >&2; exit 3; }
exec "$here/merge" "$shards" "$out"
