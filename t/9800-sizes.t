#!/bin/sh
# SPDX-License-Identifier: MIT
# The sizes of streams stand in t/data/sizes.tsv: who changes them changes that file, and a diff shows it.
# With the zstd that they were measured with they are exact; others may compress by 3 % more or less.
. "${0%/*}/lib/tap.sh"

table=$t/data/sizes.tsv
tools=$BUILD/bench
zstd_measured=1.5.4

# make NAME   the text, by seed
make_text() {
	case $1 in
	perf) "$tools/make_perf" --megabytes 20 -o text ;;
	jstack) "$tools/make_jstack" --sections "$t/../scripts/bench/jstack.sections" --dumps 150 --start 1200 -o text ;;
	esac 2>/dev/null
}

# measured OPTION   prints the bytes of the text's stream
measured() {
	case $1 in -) set -- ;; esac
	stkcap -q "$@" --source bench --threads 1 -o stream text && wc -c <stream | tr -d ' '
}

near() { test "$1" -eq "$2" || { test "$exact" = 0 && test $(($1 * 100)) -le $(($2 * 103)) && test $(($1 * 100)) -ge $(($2 * 97)); } ||
	{ echo "$1 bytes, the table says $2" >&3; return 1; }; }

exact=0
case $(zstd --version 2>/dev/null) in *"v$zstd_measured,"*) exact=1 ;; esac

tab=$(printf '\t')
while IFS=$tab read -r name option text_bytes stream_bytes things; do
	case $name in '#'* | name) continue ;; esac
	check "$name $option: $text_bytes bytes of text with $things things are $stream_bytes bytes of stream" '
		make_text "$name"
		test "$(wc -c <text)" -eq "$text_bytes"
		near "$(measured "$option")" "$stream_bytes"
	'
done <"$table"
finish
