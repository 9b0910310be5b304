#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles of gperftools and jemalloc: CPU in words of both sizes and orders, heaps and contention with the libraries of the process, names that pprof --raw adds.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

# words FORM WORD...: < or > and the size of a word in bytes
words() { python3 -c 'import struct, sys; sys.stdout.buffer.write(b"".join(struct.pack(sys.argv[1][0] + {"4": "I", "8": "Q"}[sys.argv[1][1]], int(w, 0)) for w in sys.argv[2:]))' "$@"; }
# rows FILE: event, stack, weight
rows() {
	stkcap -q "$@" >rows.stk || test $? -eq 1
	stkcat -q -f tsv --only sample rows.stk | sed 1d | awk -F "\t" '{ print $8, $6, $5 }'
}

maps='00400000-00500000 r-xp 00000000 08:01 12   /opt/the shop
7f000000-7f100000 r-xp 00001000 08:01 13   /usr/lib/libc.so.6
7f200000-7f201000 rw-p 00000000 00:00 0 
bf000000-bf001000 r-xp 00000000 00:00 0      [vdso]'
records='0 3 0 10000 0  5 2 0x401000 0x7f000500  2 3 0x401008 0x402000 0x7f000500  1 1 0x7f200010  1 0  0 1 0'

check 'CPU: words of 4 or 8 bytes in either order; a count is samples, and as many periods' '
	cat >wanted <<-END
	cpu/nanoseconds [libc.so.6];[the shop] 50000000
	cpu/nanoseconds [libc.so.6];[the shop];[the shop] 20000000
	cpu/nanoseconds [unknown] 10000000
	cpu/nanoseconds  10000000
	samples [libc.so.6];[the shop] 5
	samples [libc.so.6];[the shop];[the shop] 2
	samples [unknown] 1
	samples  1
	END
	for form in "<8" ">8" "<4" ">4"; do
		{ words "$form" $records; echo "build=/opt/the shop"; echo "$maps"; } >cpu
		status 0 stkcap -o x.stk cpu 2>err
		grep "0 dumps, 8 samples" err
		rows cpu | same wanted -
	done
	gzip -c cpu >x.gz; rows x.gz | same wanted -
	stkcat -q x.stk >text; grep 90ms text
'
check 'what the handler of the signal leaves: the leaf twice, its trampoline; a caller of all samples stays' '
	{ echo "--- symbol"; echo "binary=shop"; echo "0x401000 sell"; echo "0x401fff main"; echo "0x7f000500 __restore_rt"; echo "---"; echo "--- profile"
		words "<8" 0 3 0 1 0  3 3 0x401000 0x401000 0x402000  4 3 0x401000 0x7f000501 0x402000  5 2 0x401000 0x402000  0 1 0; } >x
	stkcap -q x | stkcat -q -f folded | grep -x "main;sell 12"
'
check 'Java: numbers with names after them' '
	{ words "<8" 0 3 1 1000 0  7 2 0x10 0x11  0 1 0; echo " 0x10 com.acme.Shop.sell (Shop.java:9)"; echo " 0x11 com.acme.Shop.main (Shop.java:3)"; } >x
	rows x | head -1 | grep -x "cpu/nanoseconds com.acme.Shop.main;com.acme.Shop.sell 7000000"
'
check 'a heap of gperftools: all blocks are counted; libraries, addresses when they are asked for' '
	{ echo "heap profile:     3:     3000 [     5:     5000] @ heapprofile"
		echo "     2:     2000 [     4:     4000] @ 0x401000 0x7f000500"; echo "     1:     1000 [     1:     1000] @ 0x402000"; echo "     0:        0 [     1:       8] @"
		echo; echo "MAPPED_LIBRARIES:"; echo "$maps"; } >heap
	status 0 stkcap -o x.stk heap 2>err
	rows heap >got
	cat >wanted <<-END
	inuse_space/bytes [libc.so.6];[the shop] 2000
	inuse_space/bytes [the shop] 1000
	inuse_objects [libc.so.6];[the shop] 2
	inuse_objects [the shop] 1
	alloc_objects [libc.so.6];[the shop] 4
	alloc_objects [the shop] 1
	alloc_objects  1
	alloc_space/bytes [libc.so.6];[the shop] 4000
	alloc_space/bytes [the shop] 1000
	alloc_space/bytes  8
	END
	same wanted got
	stkcap -q --addresses heap | stkcat -q -f tsv --only frame - | grep "libc.so.6	.*	native	$((0x7f000500))	"
	sed "s/$/\r/" heap >crlf; rows crlf | same wanted -
'
check 'a heap of jemalloc: threads are parts of the whole; sampled blocks stand for all, by their mean size' '
	{ echo "heap_v2/524288"; echo "  t*: 2: 1100000 [0: 0]"; echo "  t0: 2: 1100000 [0: 0]"; echo "@ 0x401000 0x7f000500"; echo "  t*: 1: 100000 [3: 300000]"; echo "  t0: 1: 100000 [3: 300000]"
		echo "@ 0x402000"; echo "  t*: 1: 1000000 [0: 0]"; echo "  t4: 1: 1000000 [0: 0]"; echo; echo "MAPPED_LIBRARIES:"; echo "$maps"; } >je
	status 0 stkcap -o x.stk je 2>err
	# 100000 / (1 - exp(-100000 / 524288)) and so on, by python3
	rows je >got
	cat >wanted <<-END
	inuse_space/bytes [libc.so.6];[the shop] 575876
	inuse_space/bytes [the shop] 1174361
	inuse_objects [libc.so.6];[the shop] 5
	inuse_objects [the shop] 1
	alloc_objects [libc.so.6];[the shop] 17
	alloc_space/bytes [libc.so.6];[the shop] 1727629
	END
	same wanted got
'
check 'contention, with libraries in the short form' '
	{ echo "--- contentionz 1 ---"; echo "cycles/second = 1000"; echo "sampling period = 10"; echo "ms since reset = 5"; echo "  20 2 @ 0x401000 0x7f000500"; echo "--- Memory map: ---"; echo "  400000-500000: /opt/shop"; echo "  7f000000-7f100000: /usr/lib/libc.so.6"; } >x
	rows x >got
	printf "delay/nanoseconds [libc.so.6];[shop] 200000000\ncontentions [libc.so.6];[shop] 20\n" | same - got
'
check 'what is cut off or cannot be read is said, the rest is kept; profiles of Go are not touched' '
	{ words "<8" $records; } >cpu; head -c $((8 * 12)) cpu >x; status 1 stkcap -o x.stk x 2>err; grep "cut off or damaged" err; grep " 4 samples" err || grep " 2 samples" err
	{ cat heap; echo "what is this"; } >x; status 1 stkcap -o x.stk x 2>err; grep "lines of a profile that cannot be read" err; rows x | wc -l | grep -x 10
	printf "%s\n---\n--- heap\n" "--- symbol" >x; status 1 stkcap -o x.stk x
	stkcap -q "$t/fuzz/seed/go_heap/heap" | stkcat -q -f folded | grep -x "main.main;main.work 527365"
	words "<8" 0 3 0 10000 0  4 0  0 1 0 >x; rows x | grep -x "samples  4"
	head -c 100 /dev/zero >x; status 1 stkcap -o x.stk x 2>err; grep "not a known format" err
	for file in cpu heap je; do
		format=gperftools size=$(wc -c <$file) n=1
		while [ $n -lt "$size" ]; do
			head -c $n $file >cut; code=0
			stkcap -q --format $format -o cut.stk cut 2>err || code=$?
			test $code -le 1
			n=$((n + 13))
		done
	done
'
printf '#include <stdlib.h>\n#include <string.h>\nvolatile double x; void *keep[100];\n__attribute__((noinline)) void work(void) { for (int i = 0; i < 20000000; i++) x += i; }\n__attribute__((noinline)) void *alloc(void) { return memset(malloc(100000), 1, 100000); }\nint main(void) { for (int i = 0; i < 5; i++) work(); for (int i = 0; i < 100; i++) keep[i] = alloc(); return keep[9] == 0; }\n' >w.c
if have google-pprof jeprof cc && cc -g -o w_cpu w.c -Wl,--no-as-needed -lprofiler 2>/dev/null && cc -g -o w_heap w.c -Wl,--no-as-needed -ltcmalloc 2>/dev/null &&
	cc -g -o w_je w.c -Wl,--no-as-needed -ljemalloc 2>/dev/null; then
	check 'profiles that the libraries write: as many samples and bytes as google-pprof and jeprof see' '
		CPUPROFILE=cpu ./w_cpu; stkcap -o x.stk cpu
		google-pprof --text w_cpu cpu 2>/dev/null | awk "/^Total:/ { print \$2 }" >wanted
		stkcat -q -f tsv --only sample x.stk | awk -F "\t" "\$8 == \"samples\" { n += \$5 } END { print n }" | same wanted -
		google-pprof --raw w_cpu cpu 2>/dev/null >raw; stkcap -o x.stk raw; stkcat -q -f folded x.stk | grep work | awk "{ n += \$NF } END { exit n < 5 }"
		HEAPPROFILE=hp ./w_heap 2>err; rows hp.0001.heap | awk "/^inuse_space/ { n += \$NF } END { exit n < 10000000 || n > 11000000 }"
		google-pprof --raw w_heap hp.0001.heap 2>/dev/null >raw; stkcap -q raw | stkcat -q -f folded | grep "main;alloc 100*$"
		MALLOC_CONF=prof:true,prof_final:true,lg_prof_sample:14,prof_prefix:je ./w_je; stkcap -o x.stk je.*.heap
		jeprof --text --show_bytes w_je je.*.heap 2>/dev/null | awk "/^Total:/ { print \$2 }" >wanted
		stkcat -q -f folded x.stk | awk -v wanted="$(cat wanted)" "{ n += \$NF } END { exit (n - wanted) ^ 2 > 16 }"
	'
else
	skip 'no gperftools or no jemalloc' 'profiles that the libraries write' ''
fi
finish
