#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs of collections of OpenJ9 and IBM's VMs: heap before and after, size, pause, cause, full or not, beside the program or not.
. "${0%/*}/lib/tap.sh"

cp "$t/fuzz/seed/verbose_gc/gencon" gencon
cp "$t/fuzz/seed/verbose_gc/java5" java5
# rows FILE: time, metric, value
rows() { stkcap -q "$@" | stkcat -q -f tsv --only metric - | sed 1d | awk -F "\t" '{ print substr($1, 12), $3, $4 }'; }

check 'a scavenge, a global collection, a pause without one, a mark phase with what follows it beside the program' '
	stkcap -o x.stk gencon 2>err
	grep -x "stkcap: 19 metrics, 0 lines skipped" err
	rows gencon >got
	cat >wanted <<-END
	22:14:44.100Z heap.before 2000.0
	22:14:44.100Z heap.used 2500.0
	22:14:44.100Z heap.used.young 2500.0
	22:14:44.100Z heap.total 12000.0
	22:14:44.100Z gc.pause 0.003216
	22:14:44.100Z gc.cause.allocation failure, nursery 0.003216
	22:14:50Z heap.before 5000.0
	22:14:50Z heap.used 1000.0
	22:14:50Z heap.used.full 1000.0
	22:14:50Z heap.total 12000.0
	22:14:50Z gc.pause.full 0.0095
	22:14:50Z gc.cause.System.gc() 0.0095
	22:15:10Z heap.before 6000.0
	22:15:10Z heap.used 6000.0
	22:15:10Z heap.used.young 6000.0
	22:15:10Z heap.total 12000.0
	22:15:10Z gc.pause 0.0205
	22:15:10Z gc.cause.allocation taxation 0.0205
	22:15:10.021Z gc.concurrent.GMP work packet processing 0.139
	END
	same wanted got
'
check 'Java 5 and 6: areas of the heap are added, those within gc are not the end' '
	rows java5 >got
	cat >wanted <<-END
	22:40:24Z heap.before 4900.0
	22:40:24Z heap.used 1000.0
	22:40:24Z heap.used.full 1000.0
	22:40:24Z heap.total 5000.0
	22:40:24Z gc.pause.full 0.0035
	22:40:24Z gc.cause.allocation failure, tenured 0.0035
	22:41:00Z heap.before 3000.0
	22:41:00Z heap.used 2000.0
	22:41:00Z heap.used.young 2000.0
	22:41:00Z heap.total 4000.0
	22:41:00Z gc.pause 0.0015
	22:41:00Z gc.cause.System.gc() 0.0015
	END
	same wanted got
'
check 'a scavenge that asks for a global collection: two heaps, one pause, which is full' '
	grep -v "exclusive-end id=\"12\"\|exclusive-start id=\"13\"\|sys-start" gencon | head -52 >x
	rows x | grep -c "heap.before" | grep -x 2
	rows x | grep "pause\|cause" >got
	printf "22:14:44.100Z gc.pause.full 0.0095\n22:14:44.100Z gc.cause.allocation failure, nursery 0.0095\n" | same - got
'
check 'times are of the zone that is said' '
	rows --zone Europe/Berlin gencon | head -1 | grep "^21:14:44.100Z"
'
check 'within the output of a program, with a prefix, two starts in one file, a log that begins in the middle, CR LF' '
	rows gencon >wanted
	{ echo "Listening on 8080"; cat gencon; echo "bye"; } >x
	rows x | same wanted -
	stkcap -o x.stk x 2>err; grep -x "stkcap: 19 metrics, 2 lines skipped" err
	sed "s/^/2026-11-20T22:14:44.100Z stderr F /" gencon >cri; rows cri | same wanted -
	cat gencon gencon >twice; rows twice | wc -l | grep -x 38
	sed 1,11d gencon >middle; rows middle | sed "s/^22:14:44.103Z gc/22:14:44.100Z gc/" | same wanted -
	sed "s/$/\r/" gencon >crlf; rows crlf | same wanted -
	gzip -c gencon >x.gz; rows x.gz | same wanted -
'
check 'long logs, which are read in pieces: nothing is lost or twice, what runs beside the program keeps its beginning' '
	for i in 1 2 3 4 5 6 7 8; do cat gencon gencon gencon gencon gencon; done >some
	for i in 1 2 3 4 5 6; do cat some; done >many
	stkcap -o x.stk many 2>err; grep -x "stkcap: 4560 metrics, 0 lines skipped" err
	rows many | sort | uniq -c | awk "\$1 != 240 && !/heap/ { bad = 1 } END { exit bad }"
'
check 'a pause without its end is said, also before a new start; a time that cannot be read is said; the rest is kept' '
	head -20 gencon >x; status 1 stkcap -o x.stk x 2>err; grep "a pause whose end is missing" err
	{ head -20 gencon; cat gencon; } >x; status 1 stkcap -o x.stk x 2>err; grep "19 metrics" err; grep "a pause whose end is missing" err
	sed "s/Mar 05/3월 05/" java5 >x; status 1 stkcap -o x.stk x 2>err; grep "a time that cannot be read" err; grep "12 metrics" err
'
check 'what is no such log, and every beginning of one' '
	printf "<project>\n<gc-start/>\n</project>\n" >x; status 1 stkcap -o x.stk x 2>err; grep "not a known format" err
	for file in gencon java5; do
		size=$(wc -c <$file) n=1
		while [ $n -lt "$size" ]; do
			head -c $n $file >cut; code=0
			stkcap -q --format verbose-gc -o cut.stk cut 2>err || code=$?
			test $code -le 1
			n=$((n + 43))
		done
	done
'
finish
