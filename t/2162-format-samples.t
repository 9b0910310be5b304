#!/bin/sh
# SPDX-License-Identifier: MIT
# Each format has a sample, real wherever its tool can be had (docs/format-samples.md): what is read of it is what is in it, and none of its beginnings crashes,
# has rows that the whole has not, or loses some and says that all is well.
. "${0%/*}/lib/tap.sh"

# how many beginnings of one sample are tried; BEGINNINGS=100000 tries all
most=${BEGINNINGS:-1000}
root=$t/.. page=$t/../docs/format-samples.md
sed -n 's/^| \([a-z-]*\) | \([a-z-]*\) | \([^ ]*\) | \(.*\) |$/\1 \2 \3/p' "$page" | sed 1d >table

# rows FILE [OPTION...]: of each sample, metric and event what the text says of it, and how many are the same
rows() {
	stkcap -q -o rows.stk "$@" || return
	for kind in sample metric event; do
		stkcat -q -f tsv --event all --only $kind rows.stk | awk -F "\t" -v kind=$kind '
			BEGIN { OFS = FS }
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			kind == "sample" { print kind, $at["thread"], $at["state"], $at["event"], $at["weight"], $at["stack"] }
			kind == "metric" { print kind, $at["name"], $at["value"] }
			kind == "event" { print kind, $at["time"], $at["happening"], $at["thread"], $at["name"], $at["values"], $at["stack"] }'
	done | sort | uniq -c | sed 's/^ *//'
}
# judge SIZE WHOLE FILE: what is wrong with what the beginnings of a file became. Within a line of text another reading may be right, and what follows a line may take
# a row back; so rows are compared with those of the last line's end but one.
judge() {
	awk -v rows="$1" -v lines="$2" '
		BEGIN { while ((getline line <lines) > 0) ends[line] = 1 }
		{ has = $3 + $4 + $5 + $6 }
		$2 > 1 { print $1 " bytes: status " $2 }
		$4 + $5 + $6 > rows { print $1 " bytes: more rows than the whole" }
		$2 == 0 && has < most { print $1 " bytes: " has " rows, and those before had " most }
		$1 in ends { most = kept; kept = has > kept ? has : kept }'
}
# ends FILE: the bytes at which its lines end
ends() { LC_ALL=C tr -c '\n' x <"$1" | awk '{ at += length($0) + 1; print at }'; }

check 'each format that is listed has a sample in the table, whose files are there; no file is without a place in it' '
	stkcap --list-formats | grep "^[a-z]" | cut -d " " -f 1 | sort >listed
	cut -d " " -f 1 table | sort -u | same listed -
	while read -r format name file; do test -s "$root/$file" && test -s "$t/data/formats/$name.rows"; done <table
	{ cut -d " " -f 2 table | sed "s/$/.rows/"; sed -n "s|.* t/data/formats/||p" table; } | sort >named
	ls "$t/data/formats" | sort | same named -
'
check 'the script that makes the real ones again has each of them' '
	sed -n "s|^[a-z-]* \([a-z-]*\) t/data/formats/.*|\1|p" table | grep -v "^metrics$" | sort >real
	"$root/scripts/format-samples/make" -l | sort | same real -
	grep " t/data/formats/" table | grep -v "^metrics " | cut -d " " -f 1 | sort -u >formats
	grep "^Real: $(wc -l <real) samples of $(wc -l <formats) formats\. .* the other $(cut -d " " -f 1 table | sort -u | grep -vxc -f formats) formats" "$page"
'
check 'recognised or asked for, each sample has the rows that are in it' '
	while read -r format name file; do
		for how in "" "--format $format"; do
			rows "$root/$file" $how >got 2>err || { echo "$name $how"; cat err; false; }
			same "$t/data/formats/$name.rows" got || { echo "$name $how"; false; }
		done
	done <table
'
# beginnings NAME FILE HOW STEP
beginnings() {
	"$BUILD/t/tools/beginnings" "$3" "$2" "$4" >tried || { echo "$1 $3: crashed"; return 1; }
	ends "$2" >ends
	judge "$(awk 'END { print $4 + $5 + $6 }' tried)" ends <tried >wrong
	test ! -s wrong || { echo "$1 $3:"; head -5 wrong; return 1; }
}
check "every beginning of each sample, or of a long one $most" '
	while read -r format name file; do
		beginnings "$name" "$root/$file" any $((($(wc -c <"$root/$file") - 1) / most + 1))
		beginnings "$name" "$root/$file" "$format" $((($(wc -c <"$root/$file") - 1) / most * 10 + 11))
	done <table
'
check 'of what is no text, and has an end that can be seen, no beginning passes for the whole, but one without a last end of a line' '
	for name in jfr pprof otlp simpleperf nettrace sjk threads-json pyspy-json speedscope firefox chrome cpuprofile heapprofile instruments; do
		read -r format name file <<-END
		$(grep " $name t/" table)
		END
		"$BUILD/t/tools/beginnings" any "$root/$file" $(($(wc -c <"$root/$file") / 200 + 1)) | sed "1d;\$d" >tried
		awk -v name="$name" -v last="$(($(wc -c <"$root/$file") - 1))" "\$2 == 0 && \$1 < last { print name \": \" \$1 \" bytes: status 0\"; bad = 1 } END { exit bad }" tried
	done
'
finish
