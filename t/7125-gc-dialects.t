#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs of collections with the options and collectors that spread them over lines: each collection has its heap before and after, its pause or its concurrent time.
. "${0%/*}/lib/tap.sh"

metrics() { stkcap -q "$@" | stkcat -f tsv --only metric - | sed 1d | cut -f 1,3,4 | tr '\t' ' '; }
count() { stkcap -q "$2" | stkcat -f tsv --only metric - | cut -f 3 | grep -c "$1"; }

check 'PrintTenuringDistribution, PrintReferenceGC, PrintGCID: the record goes on below' '
	cat >a <<-END
	2026-03-01T09:00:01.500+0000: 1.500: #0: [GC (Allocation Failure) 1.500: #0: [ParNew
	Desired survivor size 524288 bytes, new threshold 1 (max 15)
	- age   1:    1048576 bytes,    1048576 total
	1.502: [SoftReference, 0 refs, 0.0000100 secs]1.502: [JNI Weak Reference, 0.0000050 secs]: 8678K->1024K(9792K), 0.0088000 secs] 9216K->2048K(31680K), 0.0090000 secs] [Times: user=0.01 sys=0.00, real=0.01 secs]
	END
	metrics a >got
	same - got <<-END
	2026-03-01T09:00:01.500Z heap.before 9437184.0
	2026-03-01T09:00:01.500Z heap.used 2097152.0
	2026-03-01T09:00:01.500Z heap.used.young 2097152.0
	2026-03-01T09:00:01.500Z heap.total 32440320.0
	2026-03-01T09:00:01.500Z gc.pause 0.009
	2026-03-01T09:00:01.500Z gc.cause.Allocation Failure 0.009
	END
'
check 'PrintAdaptiveSizePolicy and PrintHeapAtGC of the parallel collector' '
	cat >a <<-END
	{Heap before GC invocations=1 (full 0):
	 PSYoungGen      total 9216K, used 8192K [0x00000000ff600000, 0x0000000100000000, 0x0000000100000000)
	 ParOldGen       total 22528K, used 1024K [0x00000000fe000000, 0x00000000ff600000, 0x00000000ff600000)
	2.250: [GC (Allocation Failure) AdaptiveSizePolicy::update_averages:  survived: 1048576  promoted: 8192  overflow: false
	AdaptiveSizeStart: 2.255 collection: 1
	PSAdaptiveSizePolicy::compute_eden_space_size: costs minor_time: 0.003 major_cost: 0.000 mutator_cost: 0.99
	AdaptiveSizeStop: collection: 1
	[PSYoungGen: 8192K->1016K(9216K)] 9216K->2048K(31744K), 0.0040000 secs] [Times: user=0.01 sys=0.00, real=0.00 secs]
	Heap after GC invocations=1 (full 0):
	 PSYoungGen      total 9216K, used 1016K [0x00000000ff600000, 0x0000000100000000, 0x0000000100000000)
	}
	3.500: [Full GC (Ergonomics) [PSYoungGen: 1016K->0K(9216K)] [ParOldGen: 9216K->3072K(22528K)] 10240K->3072K(31744K), [Metaspace: 2560K->2560K(1056768K)], 0.0123000 secs] [Times: user=0.03 sys=0.00, real=0.01 secs]
	END
	test "$(metrics a | grep -c "heap.before 9437184.0\|heap.used.young 2097152.0\|gc.pause 0.004$")" -eq 3
	test "$(metrics a | grep -c "heap.before 10485760.0\|heap.used.full 3145728.0\|gc.pause.full 0.0123$\|gc.cause.Ergonomics 0.0123$")" -eq 4
	test "$(metrics a | wc -l)" -eq 12
'
check 'CMS: marks, a concurrent phase in the middle of a collection, a collection within the remark, a failure' '
	cat >a <<-END
	1.500: [GC (CMS Initial Mark) [1 CMS-initial-mark: 4096K(10240K)] 5120K(15360K), 0.0010000 secs] [Times: user=0.00 sys=0.00, real=0.00 secs]
	1.501: [CMS-concurrent-mark-start]
	1.577: [GC (Allocation Failure) 1.577: [ParNew1.578: [CMS-concurrent-mark: 0.070/0.077 secs] [Times: user=0.10 sys=0.00, real=0.08 secs]
	: 4096K->512K(4608K), 0.0020000 secs] 8192K->4608K(15360K), 0.0021000 secs] [Times: user=0.01 sys=0.00, real=0.00 secs]
	1.700: [GC (CMS Final Remark) [YG occupancy: 1024 K (4608 K)]1.700: [GC (CMS Final Remark) 1.700: [ParNew: 1024K->256K(4608K), 0.0011000 secs] 5120K->4352K(15360K), 0.0012000 secs] [Times: user=0.00 sys=0.00, real=0.00 secs]
	1.702: [Rescan (parallel) , 0.0002000 secs]1.702: [weak refs processing, 0.0000100 secs] [1 CMS-remark: 4096K(10240K)] 4352K(15360K), 0.0031000 secs] [Times: user=0.00 sys=0.00, real=0.00 secs]
	2.000: [GC (Allocation Failure) 2.000: [ParNew (promotion failed): 4608K->4608K(4608K), 0.0030000 secs]2.003: [CMS2.004: [CMS-concurrent-sweep: 0.001/0.002 secs] [Times: user=0.00 sys=0.00, real=0.00 secs]
	 (concurrent mode failure): 9216K->2048K(10240K), 0.0200000 secs] 13312K->2048K(15360K), [Metaspace: 2560K->2560K(1056768K)], 0.0231000 secs] [Times: user=0.03 sys=0.00, real=0.02 secs]
	END
	metrics a >got
	test "$(grep -c heap.before got)" -eq 5
	test "$(grep -c "gc.pause " got)" -eq 5
	grep "gc.concurrent.mark 0.077" got; grep "gc.concurrent.sweep 0.002" got
	grep "^1.577 heap.before 8388608.0" got; grep "^1.577 gc.pause 0.0021" got
	grep "heap.used 4456448.0" got; grep "gc.pause 0.0031" got; grep "gc.pause 0.0012" got
	grep "^2 heap.before 13631488.0" got; grep "^2 gc.pause 0.0231" got
'
check 'PrintFLSStatistics, and G1 with ergonomics on lines of their own' '
	cat >a <<-END
	1.000: [GCBefore GC:
	Statistics for BinaryTreeDictionary:
	------------------------------------
	Total Free Space: 1310720
	Max   Chunk Size: 1310720
	1.001: [ParNew: 8192K->1024K(9216K), 0.0010000 secs] 9216K->2048K(31744K)After GC:
	Statistics for BinaryTreeDictionary:
	------------------------------------
	Total Free Space: 1300000
	, 0.0030000 secs] [Times: user=0.00 sys=0.00, real=0.00 secs]
	2.000: [GC pause (G1 Evacuation Pause) (young) 2.000: [G1Ergonomics (CSet Construction) start choosing CSet, _pending_cards: 0, predicted base time: 10.00 ms]
	 2.000: [G1Ergonomics (CSet Construction) finish choosing CSet, eden: 24 regions, survivors: 0 regions]
	, 0.1549000 secs]
	   [Parallel Time: 2.5 ms, GC Workers: 4]
	   [Eden: 24.0M(24.0M)->0.0B(13.0M) Survivors: 0.0B->3072.0K Heap: 24.0M(256.0M)->4.0M(256.0M)]
	 [Times: user=0.01 sys=0.00, real=0.15 secs]
	3.000: [GC concurrent-mark-start]
	3.010: [GC concurrent-mark-end, 0.0100000 secs]
	3.011: [GC remark 3.011: [Finalize Marking, 0.0001000 secs], 0.0020000 secs]
	3.020: [GC cleanup 20M->18M(256M), 0.0015000 secs]
	END
	metrics a >got
	grep "^1 heap.before 9437184.0" got; grep "^1 gc.pause 0.003" got
	grep "^2 heap.before 25165824.0" got; grep "^2 heap.used 4194304.0" got; grep "^2 gc.pause 0.1549" got
	grep "gc.concurrent.mark 0.01" got; grep "gc.pause 0.002$" got; grep "^3.020 heap.before 20971520.0" got
'
check 'unified logs without tags, with other decorations, with a comma, with none' '
	cat >a <<-END
	[0,313s] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.455ms
	[1.500s] GC(1) Pause Full (System.gc()) 36M->21M(46M) 2.600ms
	END
	metrics a >got; test "$(grep -c heap.before got)" -eq 2
	grep "^0.313 gc.cause.G1 Evacuation Pause 0.003455" got; grep "gc.cause.System.gc() 0.0026" got
	echo "[1772355600123ms][4711][info ][gc          ] GC(3) Pause Young (Allocation Failure) 24M->4M(256M) 3.455ms" >a
	metrics a | grep "2026-03-01T09:00:00.123Z heap.used 4194304.0"
	printf "GC(3) Pause Full (System.gc()) 36M->21M(46M) 2.6ms\nGC(4) Pause Young (Normal) (G1 Evacuation Pause) 36M->21M(46M) 2.6ms\n" >a
	test "$(count heap.before a)" -eq 2
'
check 'Shenandoah: a cycle has the heap before the first clean-up and after the last; ZGC: its line and its capacity' '
	cat >a <<-END
	[1.000s][info][gc] GC(0) Pause Init Mark (unload classes) 0.100ms
	[1.010s][info][gc] GC(0) Concurrent marking (unload classes) 10.000ms
	[1.020s][info][gc] GC(0) Pause Final Mark (unload classes) 0.300ms
	[1.030s][info][gc] GC(0) Concurrent cleanup 40M->32M(256M) 0.050ms
	[1.050s][info][gc] GC(0) Concurrent cleanup 36M->8M(256M) 0.060ms
	[2.000s][info][gc] GC(1) Pause Init Mark (unload classes) 0.100ms
	[2.030s][info][gc] GC(1) Concurrent cleanup 41M->9M(256M) 0.050ms
	END
	metrics a >got
	test "$(grep -c heap.before got)" -eq 2
	grep "heap.before 41943040.0" got; grep "heap.used 8388608.0" got; grep "heap.before 42991616.0" got; grep "heap.used 9437184.0" got
	test "$(grep -c "gc.pause " got)" -eq 3; grep "gc.concurrent.marking 0.01" got
	status 1 grep gc.cause got	# what is in brackets is what the cycle does besides
	cat >a <<-END
	[1.000s][info][gc,phases] GC(0) Y: Pause Mark Start (Major) 0.004ms
	[1.010s][info][gc,heap  ] GC(0)  Capacity:      512M (100%)        512M (100%)        512M (100%)        768M (100%)        768M (100%)        512M (100%)
	[1.020s][info][gc       ] GC(0) Major Collection (Warmup) 48M(10%)->26M(5%) 0.020s
	[2.020s][info][gc       ] GC(1) Garbage Collection (Proactive) 48M(10%)->27M(5%)
	END
	metrics a >got
	test "$(grep -c heap.before got)" -eq 2; grep "heap.total 805306368.0" got; grep "gc.pause 4" got || grep "gc.pause 0.000004" got
	grep "gc.concurrent.Major Collection 0.02" got
	# causes: of the whole cycle, and of its pauses; a cycle without a time lasts from its first line to its last
	grep "gc.concurrent.cause.Warmup 0.02" got; grep "^1.020 gc.cause.Warmup 4" got; status 1 grep "gc.cause.Major" got
	status 1 grep "gc.cause.Proactive" got
	cat >a <<-END
	[1.000s][info][gc,start ] GC(0) Garbage Collection (Allocation Stall)
	[1.001s][info][gc,phases] GC(0) Pause Mark Start 2.000ms
	[1.011s][info][gc,phases] GC(0) Pause Mark End 1.000ms
	[1.030s][info][gc       ] GC(0) Garbage Collection (Allocation Stall) 104M(10%)->32M(3%)
	[2.001s][info][gc,phases] GC(1) Pause Mark Start 4.000ms
	[2.030s][info][gc       ] GC(1) Garbage Collection (Proactive) 104M(10%)->32M(3%)
	END
	metrics a >got
	grep "gc.concurrent.cause.Allocation Stall 0.03" got; grep "gc.cause.Allocation Stall 0.003" got; grep "gc.cause.Proactive 0.004" got
	test "$(grep -c gc.concurrent got)" -eq 2
'
check 'the same collections from a large log, in pieces, by any number of threads' '
	awk "BEGIN { for (i = 0; i < 9000; i++) printf \"%d.500: [GC (Allocation Failure) %d.500: [ParNew\nDesired survivor size 524288 bytes, new threshold 1 (max 15)\n- age   1:    1048576 bytes,    1048576 total\n: 8678K->1024K(9792K), 0.0088000 secs] 9216K->2048K(31680K), 0.0090000 secs] [Times: user=0.01 sys=0.00, real=0.01 secs]\n\", i, i }" >big
	test "$(wc -c <big)" -gt 1500000
	test "$(count heap.before big)" -eq 9000
	stkcap -q --threads 1 big | stkcat -f tsv >one; stkcap -q --threads 5 big | stkcat -f tsv | same one -
	stkcap --rejects rejects -o out.stk big 2>err; grep ", 0 lines skipped" err
'
finish
