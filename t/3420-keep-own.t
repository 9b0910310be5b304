#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --keep removes only what its own pattern can have made.
. "${0%/*}/lib/tap.sh"

dump=$t/data/orders.jstack.txt
stkcap -q "$dump" -o "$scratch.base" || exit 99
trap 'rm -rf "$scratch" "$scratch.log" "$scratch.base"; exit 99' HUP INT TERM

# once PATTERN KEEP [OPTION...]: a capture of one answer
once() {
	pattern=$1 keep=$2
	shift 2
	status 0 stkcap -q --exec "cat $dump" "$@" -o "$pattern" --keep "$keep"
}
# stream NAME...: record streams of an hour ago
stream() { for name; do cp "$scratch.base" "$name"; touch -d '1 hour ago' "$name"; done; }
gone() { for name; do test ! -e "$name" || { echo "it is still there: $name"; return 1; }; done; }
there() { for name; do test -e "$name" || { echo "it is gone: $name"; return 1; }; done; }
# ago TIME FORMAT: some time that is not now
ago() { date -u -d "$1 ago" "+$2"; }
anew() { rm -rf ./* ./.[a-z]*; }

check 'times of day: only names with such a time, and their parts' '
	stream x-000001.stk x-235959.stk x-130501.2.stk x-130501.17.stk
	stream x-incident-KEEP-ME.stk x-month-report.stk x-240000.stk x-126000.stk x-120060.stk x-1300000.stk x-13000.stk x-+13000.stk x-130501.1.stk x-130501.02.stk \
		x-130501.2.3.stk x-130501.2x.stk x-130501.stk.bak x-130501.stk.2 x-130501.100000.stk y-130501.stk .x-130501.stk "x-130501 .stk" "x- 30501.stk" x-.stk
	once "x-%H%M%S.stk" 1
	gone x-000001.stk x-235959.stk x-130501.2.stk x-130501.17.stk
	there x-incident-KEEP-ME.stk x-month-report.stk x-240000.stk x-126000.stk x-120060.stk x-1300000.stk x-13000.stk x-+13000.stk x-130501.1.stk x-130501.02.stk \
		x-130501.2.3.stk x-130501.2x.stk x-130501.stk.bak x-130501.stk.2 x-130501.100000.stk y-130501.stk .x-130501.stk "x-130501 .stk" "x- 30501.stk" x-.stk
'
anew
check 'dates: only those of the calendar; weekdays, weeks and days of the year must be those of the date' '
	stream 2024-02-29.stk 2025-12-31.stk 2023-02-29.stk 2025-11-31.stk 2025-1-1.stk 25-01-01.stk report.stk 2025-00-10.stk
	once "%F.stk" 1
	gone 2024-02-29.stk 2025-12-31.stk
	there 2023-02-29.stk 2025-11-31.stk 2025-1-1.stk 25-01-01.stk report.stk 2025-00-10.stk
	stream Wed-19-Nov-2025.stk Thu-19-Nov-2025.stk Wed-19-Now-2025.stk Wednesday-19-Nov-2025.stk
	once "%a-%d-%b-%Y.stk" 1
	gone Wed-19-Nov-2025.stk
	there Thu-19-Nov-2025.stk Wed-19-Now-2025.stk Wednesday-19-Nov-2025.stk
	stream w-2020-W53.stk w-2025-W01.stk w-2025-W53.stk w-2025-W00.stk
	once "w-%G-W%V.stk" 1
	gone w-2020-W53.stk w-2025-W01.stk
	there w-2025-W53.stk w-2025-W00.stk
	stream j25001 j24366 j25366 j25000
	once "j%y%j" 1
	gone j25001 j24366
	there j25366 j25000
	day=$(ago "3 days" %A)
	stream day-$day day-Someday
	once "day-%A" 1
	gone day-$day
	there day-Someday
	hour=$(ago "3 hours" %I%p)
	stream i-$hour i-13PM i-00AM i-05XM
	once "i-%I%p" 1
	gone i-$hour
	there i-13PM i-00AM i-05XM
	stream "e 5 3.stk" "e05 3.stk" "e 5.stk"
	once "e%e%k.stk" 1
	gone "e 5 3.stk"
	there "e05 3.stk" "e 5.stk"
'
anew
check 'seconds since 1970 are those, whatever the zones' '
	for zone in UTC Europe/Berlin; do
		stream s-1700000000.stk s-17000000000.stk s-170000000.stk s-9999999999.stk s-now.stk
		before=$(date +%s)
		TZ=America/New_York once "s-%s.stk" 1 --zone $zone
		gone s-1700000000.stk
		there s-17000000000.stk s-170000000.stk s-9999999999.stk s-now.stk
		rm s-17000000000.stk s-170000000.stk s-9999999999.stk s-now.stk
		made=$(echo s-*.stk); made=${made#s-}; made=${made%.stk}
		test $made -ge $before -a $made -le $(date +%s)
	done
'
anew
check 'of patterns that overlap each has its own files' '
	stream x-2025-01-01.stk x-2025-01-01-10.stk x-2025-01-01.3.stk x-2025-01-01-10.3.stk
	once "x-%F.stk" 1
	gone x-2025-01-01.stk x-2025-01-01.3.stk
	there x-2025-01-01-10.stk x-2025-01-01-10.3.stk
	stream x-2025-01-01.stk
	once "x-%F-%H.stk" 1
	gone x-2025-01-01-10.stk x-2025-01-01-10.3.stk
	there x-2025-01-01.stk
'
anew
check 'a name without conversions has parts only; one without a dot has them at its end' '
	stream cap.2.stk cap.300.stk cap-old.stk cap.old.stk capital.stk cap.stk.2 cap.2025-01-01.stk
	once cap.stk 1
	gone cap.2.stk cap.300.stk
	there cap.stk cap-old.stk cap.old.stk capital.stk cap.stk.2 cap.2025-01-01.stk
	day=$(ago "3 days" %d)
	stream nodot-$day nodot-$day.2 nodot-$day.x nodot-$day. nodot
	once "nodot-%d" 1
	gone nodot-$day nodot-$day.2
	there nodot-$day.x nodot-$day. nodot
	stream v1.2025-01-01 v1.2.2025-01-01 v1.2025-01-01.2
	once "v1.%F" 1
	gone v1.2025-01-01 v1.2.2025-01-01
	there v1.2025-01-01.2
'
anew
check 'characters that mean something to a shell, a percent sign, a newline are themselves' '
	day=$(ago "3 days" %d)
	stream "g[ab]*?-$day.stk" "ga*?-$day.stk" "g[ab]xx-$day.stk" "gax-$day.stk"
	once "g[ab]*?-%d.stk" 1
	gone "g[ab]*?-$day.stk"
	there "ga*?-$day.stk" "g[ab]xx-$day.stk" "gax-$day.stk"
	stream "b\\-$day.stk" "b-$day.stk" "p%-$day.stk" "p%%-$day.stk" "p%-32.stk"
	once "b\\-%d.stk" 1
	once "p%%-%d.stk" 1
	gone "b\\-$day.stk" "p%-$day.stk"
	there "b-$day.stk" "p%%-$day.stk" "p%-32.stk"
	newline="
"
	stream "n$newline$day.stk" "n $day.stk" "m$newline$day.stk" "m $day.stk"
	once "n%n%d.stk" 1
	once "m$newline%d.stk" 1
	gone "n$newline$day.stk" "m$newline$day.stk"
	there "n $day.stk" "m $day.stk"
'
anew
check 'conversions in folders, and any way to write the folder' '
	year=$(date -u +%Y) day=$(ago "3 days" %d)
	mkdir -p "$year/d[1]" "2020/d[1]" "2020/d1" "year/d[1]" deep/er
	stream "2020/d[1]/x-01.stk" "2020/d[1]/x-01.2.stk" "2020/d[1]/y-01.stk" "2020/d1/x-01.stk" "year/d[1]/x-01.stk"
	once "%Y/d[1]/x-%d.stk" 1
	gone "2020/d[1]/x-01.stk" "2020/d[1]/x-01.2.stk"
	there "2020/d[1]/y-01.stk" "2020/d1/x-01.stk" "year/d[1]/x-01.stk"
	for folder in ./deep/er deep//er "$PWD/deep/er" deep/../deep/er; do
		stream deep/er/x-2020.stk deep/er/x-20.stk
		once "$folder/x-%Y.stk" 1
		gone deep/er/x-2020.stk
		there deep/er/x-20.stk
	done
'
anew
check 'what is no record stream, no regular file, or empty stays; a link stays, and what it points to' '
	mkdir x-2001.stk
	mkfifo x-2002.stk
	echo mine >x-2003.stk
	: >x-2004.stk
	stream target.stk x-2006.stk
	ln -s target.stk x-2005.stk
	once "x-%Y.stk" 1
	there x-2001.stk x-2002.stk x-2003.stk x-2004.stk x-2005.stk target.stk
	gone x-2006.stk
'
anew
check 'the file that another capture writes stays, and is whole; when that has ended it goes' '
	stkcap -q --exec "cat $dump" --every 100ms --budget 0 -o x-000001.stk & other=$!
	for i in $(seq 500); do test ! -s x-000001.stk || break; sleep .02; done
	stream x-000000.stk x-000002.stk
	status 0 stkcap --exec "cat $dump" -o "x-%H%M%S.stk" --keep 1 2>said
	gone x-000000.stk x-000002.stk
	there x-000001.stk
	cat said
	test $(grep -c "x-00000[02].stk: removed" said) -eq 2		# and its own of the second before, should another have begun
	kill $other
	wait $other || true
	stkcat --check x-000001.stk
	sleep 1		# another second, another file
	once "x-%H%M%S.stk" 1
	gone x-000001.stk
'
anew
check 'the latest stay, by when they were written last; so many, or so large' '
	for year in 2001 2002 2003 2004 2005; do cp "$scratch.base" x-$year.stk; done
	touch -d "1 hour ago" x-2001.stk; touch -d "2 hours ago" x-2005.stk; touch -d "3 hours ago" x-2003.stk; touch -d "4 hours ago" x-2002.stk; touch -d "5 hours ago" x-2004.stk
	once "x-%Y.stk" 5
	gone x-2004.stk
	there x-2001.stk x-2005.stk x-2003.stk x-2002.stk
	rm x-2[1-9]*.stk x-20[1-9]*.stk 2>/dev/null || true
	size=$(wc -c <"$scratch.base")
	once "x-%Y.stk" $((2 * size / 1024 + 1))k
	gone x-2002.stk x-2003.stk
	there x-2001.stk x-2005.stk
'
anew
check 'a pattern whose names cannot be recognised is refused with --keep, before anything is asked or written; without it it is a name like any' '
	for bad in "%Z" "%c" "%x" "%X" "%r" "%Ey" "%Od" "%-d" "%_H" "%^b" "%10Y" "%f" "%+"; do
		stream victim.stk
		status 2 stkcap -q --exec "touch asked; cat $dump" -o "c-$bad.stk" --keep 1 2>err
		there victim.stk
	done
	status 2 stkcap -q --exec "touch asked; cat $dump" -o "c-%Z.stk" --keep 10G 2>err
	grep -q -e "--keep: %Z cannot be recognised in file names" err
	status 2 stkcap -q --exec "touch asked; cat $dump" -o "c-%" --keep 1 2>err
	grep -q "single %" err
	gone asked
	status 2 ls c-* 2>/dev/null
	status 0 stkcap -q --exec "cat $dump" -o "c-%Z.stk"
	there c-GMT.stk
'
rm -f "$scratch.base"
finish
