/* SPDX-License-Identifier: MIT
 * Thread dumps: what is found in them, whole, within logs, in pieces, broken and cut. */
#include "base/bytes.h"
#include "ingest/calm_lines.h"
#include "ingest/ingest.h"
#include "ingest/mask.h"
#include "../lib/tap.h"
#include "model/frame_text.h"

#define FORMAT (&thread_dump_format)

/* --- collect's side, which here writes down what it is told --- */

struct stack_reading { FILE *to; unsigned frames, locks, broken; };

static void
put(FILE *to, struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++)
		fputc(text.data[i] == '\n' ? '~' : text.data[i], to);
}

void
stack_frame(struct stack_reading *reading, struct stk_text line)
{
	struct frame_parts p;

	fprintf(reading->to, "  at ");
	if (FORMAT->read_frame(&p, line)) {
		put(reading->to, p.function);
		fprintf(reading->to, "|");
		put(reading->to, p.module);
		fprintf(reading->to, "|");
		put(reading->to, p.file);
		fprintf(reading->to, "|%" PRId64 "\n", p.line);
	}
	reading->frames++;
}

void
stack_is_root_first(struct stack_reading *reading)
{
	fprintf(reading->to, "  root first\n");
}

void
stack_lock(struct stack_reading *reading, enum stk_relation relation, struct stk_text class, uint64_t address)
{
	static const char *const names[] = { "locked",     "waiting-to-lock", "waiting-to-relock",
					     "waiting-on", "parking",         "eliminated",
					     "owns" };

	fprintf(reading->to, "  - %s %" PRIx64 " ", names[relation], address);
	put(reading->to, class);
	fprintf(reading->to, "\n");
	reading->locks++;
}

void
stack_state(struct stack_reading *reading, enum stk_state state)
{
	static const char *const names[] = { "unknown", "new",           "runnable",  "blocked",
					     "waiting", "timed-waiting", "terminated" };

	fprintf(reading->to, "  %s\n", names[state]);
}

void
stack_broken(struct stack_reading *reading, struct stk_text line, const char *why)
{
	fprintf(reading->to, "  broken: ");
	put(reading->to, line);
	fprintf(reading->to, " (%s)\n", why);
	reading->broken++;
}

/* --- findings as text: line (from 1), kind, what it says --- */

enum detail { HEADERS, STACKS };

static void
put_sample(FILE *to, const struct found_sample *s, enum detail detail)
{
	static const char *const roles[] = { "java", "daemon", "vm", "carrier", "virtual" };
	struct stack_reading reading = { to, 0, 0, 0 };

	fprintf(to, "%s [", roles[s->role]);
	put(to, s->name);
	fprintf(to, "]");
	if (s->number != 0)
		fprintf(to, " #%" PRIu64, s->number);
	if (s->tid != 0)
		fprintf(to, " tid %" PRIu64, s->tid);
	if (s->condition.size > 0)
		fprintf(to, " (%.*s)", (int)s->condition.size, s->condition.data);
	if (s->note.size > 0)
		fprintf(to, " {%.*s}", (int)s->note.size, s->note.data);
	fprintf(to, "\n");
	if (detail == STACKS && s->stack.size > 0)
		FORMAT->read_stack(&reading, s->stack);
}

static void
put_finding(FILE *to, const struct finding *f, uint32_t base, enum detail detail)
{
	static const char *const reasons[] = { "noise", "broken", "too long", "cut" };

	fprintf(to, "%" PRIu32 " ", base + f->line + 1);
	switch (f->kind) {
	case FOUND_DUMP:
		fprintf(to, "dump %" PRId64 " [",
			f->is.dump.civil_ns == STK_TIME_UNKNOWN ? -1 : f->is.dump.civil_ns / 1000000);
		put(to, f->is.dump.vm);
		fprintf(to, "]\n");
		break;
	case FOUND_DUMP_FACTS:
		fprintf(to, "facts %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", f->is.facts.listed,
			f->is.facts.exiting, f->is.facts.jni_refs, f->is.facts.weak_refs);
		break;
	case FOUND_DUMP_END:
		fprintf(to, "end\n");
		break;
	case FOUND_SAMPLE:
		put_sample(to, &f->is.sample, detail);
		break;
	case FOUND_METRIC:
		put(to, f->is.metric.name);
		fprintf(to, " %.0f\n", f->is.metric.value);
		break;
	case FOUND_DEADLOCK:
		fprintf(to, "ring %" PRIu64 " [", f->is.deadlock.ring);
		put(to, f->is.deadlock.thread);
		fprintf(to, "] %s %" PRIx64 " ",
			f->is.deadlock.relation == STK_RELATION_PARKING ? "parks for" : "waits for",
			f->is.deadlock.object);
		put(to, f->is.deadlock.class);
		fprintf(to, " of [");
		put(to, f->is.deadlock.owner);
		fprintf(to, "]\n");
		break;
	case FOUND_SKIPPED:
		fprintf(to, "%s %" PRIu32 ": ", reasons[f->is.skipped.reason], f->is.skipped.lines);
		put(to, f->is.skipped.text);
		fprintf(to, "\n");
		break;
	case FOUND_PREFIX:
		fprintf(to, "prefix [");
		put(to, f->is.prefix.prefix);
		fprintf(to, "]\n");
		break;
	default:
		fprintf(to, "?\n");
	}
}

static uint32_t
put_piece(FILE *to, struct stk_text piece, uint32_t base, enum detail detail)
{
	char *copy = malloc(piece.size + 1);	/* what is outside of a piece must not matter */
	struct findings findings = { 0 };

	memcpy(copy, piece.data, piece.size);
	FORMAT->scan(&findings, text_of(copy, piece.size));
	for (size_t i = 0; i < findings.list.count; i++)
		put_finding(to, &findings.list.at[i], base, detail);
	findings_release(&findings);
	free(copy);
	return findings.lines;
}

static char *
findings_of(struct stk_text text, enum detail detail)
{
	char *result;
	size_t size;
	FILE *to = open_memstream(&result, &size);

	put_piece(to, text, 0, detail);
	fclose(to);
	return result;
}

/* The same, read through a window that is only made larger when nothing can be cut off. */
static char *
findings_by_pieces(struct stk_text text, size_t window)
{
	char *result;
	size_t size, at = 0;
	uint32_t base = 0;
	FILE *to = open_memstream(&result, &size);

	while (at < text.size) {
		size_t seen = window, taken;

		do {
			taken = at + seen >= text.size ? text.size - at : FORMAT->cut(text_of(text.data + at, seen));
			seen *= 2;
		} while (taken == 0);
		base += put_piece(to, text_of(text.data + at, taken), base, STACKS);
		at += taken;
	}
	fclose(to);
	return result;
}

static void
finds(const char *text, enum detail detail, const char *wanted, const char *fact)
{
	char *got = findings_of(text_from(text), detail);

	is_text(got, wanted, "%s", fact);
	free(got);
}

/* --- the texts --- */

#define HEAD "2026-11-20 22:14:50\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):\n\n"
#define MAIN \
	"\"main\" #1 prio=5 os_prio=0 cpu=26.71ms elapsed=112020.03s tid=0x00007f9fac017ef0 nid=0x2a1c waiting on condition  [0x00007f9f94e2a000]\n" \
	"   java.lang.Thread.State: TIMED_WAITING (sleeping)\n" \
	"\tat java.lang.Thread.sleep(java.base@17.0.15/Native Method)\n" \
	"\tat com.acme.Main.main(Main.java:212)\n\n"
#define POOL \
	"\"pool-1\" #31 daemon prio=5 os_prio=0 tid=0x00007f9fac017ff0 nid=0x2a1d waiting on condition  [0x00007f9f94e2b000]\n" \
	"   java.lang.Thread.State: WAITING (parking)\n" \
	"\tat jdk.internal.misc.Unsafe.park(java.base@17.0.15/Native Method)\n" \
	"\t- parking to wait for  <0x00000000e21d9f58> (a java.util.concurrent.SynchronousQueue$TransferStack)\n" \
	"\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)\n\n" \
	"   Locked ownable synchronizers:\n\t- <0x00000000e21d9f60> (a java.util.concurrent.ThreadPoolExecutor$Worker)\n\n"
#define VM "\"VM Thread\" os_prio=0 cpu=14.62ms elapsed=5.68s tid=0x00007f3bf00bf090 nid=0x2b2b runnable  \n\n"
#define JNI "JNI global refs: 22, weak refs: 3\n\n"
#define HEAP \
	"Heap\n garbage-first heap   total 131072K, used 61126K [0x00000000f8000000, 0x0000000100000000)\n" \
	"  region size 1024K, 10 young (10240K), 1 survivors (1024K)\n" \
	" Metaspace       used 851K, committed 1024K, reserved 1114112K\n  class space    used 79K, committed 128K, reserved 1048576K\n\n"
#define RING \
	"\nFound one Java-level deadlock:\n=============================\n" \
	"\"a\":\n  waiting to lock monitor 0x00007f3b60001ca0 (object 0x00000000ff40aaa8, a java.lang.Object),\n  which is held by \"b\"\n\n" \
	"\"b\":\n  waiting for ownable synchronizer 0x000000071ab0, (a java.util.concurrent.locks.ReentrantLock$NonfairSync),\n  which is held by \"a\"\n\n" \
	"Java stack information for the threads listed above:\n===================================================\n" \
	"\"a\":\n\tat Shop.lambda(Shop.java:50)\n\t- waiting to lock <0x00000000ff40aaa8> (a java.lang.Object)\n\"b\":\n\tat Shop.other(Shop.java:51)\n\n" \
	"Found 1 deadlock.\n\n"

#define F_HEAD "1 dump 1795212890000 [OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing)]\n"
#define F_MAIN \
	"java [main] #1 tid 10780 (waiting on condition)\n  timed-waiting\n  at java.lang.Thread.sleep|java.base@17.0.15||-1\n" \
	"  at com.acme.Main.main||Main.java|212\n"
#define F_POOL \
	"daemon [pool-1] #31 tid 10781 (waiting on condition)\n  waiting\n  at jdk.internal.misc.Unsafe.park|java.base@17.0.15||-1\n" \
	"  - parking e21d9f58 java.util.concurrent.SynchronousQueue$TransferStack\n  at java.lang.Thread.run|java.base@17.0.15|Thread.java|840\n" \
	"  - owns e21d9f60 java.util.concurrent.ThreadPoolExecutor$Worker\n"
#define F_VM "vm [VM Thread] tid 11051 (runnable)\n"

static void
test_whole_dump(void)
{
	finds(HEAD MAIN POOL VM JNI, STACKS, F_HEAD "4 " F_MAIN "9 " F_POOL "18 " F_VM "20 facts 0 0 22 3\n22 end\n",
	      "a dump is taken whole");
	finds("11044:\n" HEAD VM JNI HEAD VM, STACKS,
	      "2" /* line */ " dump 1795212890000 [OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing)]\n5 " F_VM
	      "7 facts 0 0 22 3\n9 end\n9 dump 1795212890000 [OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing)]\n12 " F_VM,
	      "two dumps, one as jcmd prints it");
	finds("Full thread dump X (1):\n\n" VM, STACKS, "1 dump -1 [X (1)]\n3 " F_VM, "a dump without a date");
	finds("2024-01-15T10:35:20.123+01:00\nThread dump from jcmd 12345 Thread.print:\n\n" VM, HEADERS,
	      "1 dump 1705314920123 []\n4 " F_VM, "another head, another date");
	finds(HEAD
	      "Threads class SMR info:\n_java_thread_list=0x00007f9f24018fd0, length=35, elements={\n0x00007f9fac017ef0, 0x00007f9fac018cc0\n}\n"
	      "_to_delete_list=0x0000600000b9f0a0, length=2, elements={\n0x00007f9fac017ef0\n}\n\n" VM,
	      HEADERS, F_HEAD "5 facts 35 0 0 0\n8 facts 0 2 0 0\n12 " F_VM, "the lists of threads are counted");
	finds(HEAD VM "JNI global references: 123\n\n", HEADERS, F_HEAD "4 " F_VM "6 facts 0 0 123 0\n8 end\n",
	      "JDK 8 counts its references in other words");
	finds("", HEADERS, "", "an empty text");
}

static void
test_headers(void)
{
	finds("\"a \\\" b\" #1 prio=5 tid=0x1 nid=0x10 runnable [0x0]\n", HEADERS,
	      "1 java [a \\\" b] #1 tid 16 (runnable)\n", "a quote in a name");
	finds("\"x\" #5 prio=5 tid=0x1 nid=0x2 runnable\" #1 prio=5 tid=0x1 nid=0x10 runnable [0x0]\n", HEADERS,
	      "1 java [x\" #5 prio=5 tid=0x1 nid=0x2 runnable] #1 tid 16 (runnable)\n",
	      "a name that looks like a header");
	finds("\"two\n\nlines\" #1 prio=5 tid=0x1 nid=0x10 runnable [0x0]\n\tat a.b(C.java:1)\n\n" VM, HEADERS,
	      "1 java [two~~lines] #1 tid 16 (runnable)\n6 " F_VM, "newlines in a name");
	finds("\"\" #1 prio=5 tid=0x1 nid=0x10 runnable [0x0]\n", HEADERS, "1 java [] #1 tid 16 (runnable)\n",
	      "an empty name");
	finds("os_prio=31 cpu=98.99ms elapsed=43.83s tid=0x0000000101bcb200 nid=38915 runnable  \n", HEADERS,
	      "1 vm [] tid 38915 (runnable)\n", "no name at all");
	finds("\"main\" #3 [11144] daemon prio=5 os_prio=0 cpu=61.96ms elapsed=3.81s allocated=1150K defined_classes=95 shiny=yes tid=0x00007f0f1002a8f0 "
	      "nid=11144 in Object.wait()  [0x00007f0f1511e000]\n",
	      HEADERS, "1 daemon [main] #3 tid 11144 (in Object.wait())\n", "JDK 21, and a key that is not known");
	finds("\"main\" nid=NA tid=0x10 prio=5 sleeping[0x00007f0f1511e000]\n", HEADERS, "1 java [main] (sleeping)\n",
	      "another order, no nid");
	finds("\"main\" #1 prio=5\n   java.lang.Thread.State: NEW\n", STACKS, "1 java [main] #1\n  new\n",
	      "a priority is enough");
}

static void
test_header_numbers(void)
{
	const char *text =
		"\"main\" #3 [11144] prio=-1 os_prio=31 cpu=61.96ms elapsed=112020.03s allocated=1150K defined_classes=95 tid=0x00007f0f1002a8f0 nid=11144 "
		"runnable  [0x00007f0f1511e000]\n";
	struct findings findings = { 0 };
	const struct found_sample *s;

	FORMAT->scan(&findings, text_from(text));
	s = &findings.list.at[0].is.sample;
	is_i64(s->cpu_ns, 61960000, "cpu= in nanoseconds");
	is_i64(s->elapsed_ns, INT64_C(112020030000000), "elapsed= in nanoseconds");
	is_u64(s->allocated, 1150 * 1024, "allocated= in bytes");
	is_u64(s->classes, 95, "defined_classes=");
	is_u64(s->handle, UINT64_C(0x7f0f1002a8f0), "tid= is the VM's handle");
	ok(s->priority == -1 && s->os_priority == 31, "priorities, signed");
	ok(s->time_ns == STK_TIME_UNKNOWN && s->weight == 1 && s->processor == PROCESSOR_UNKNOWN,
	   "a dump has the time, and a thread weighs 1");
	findings_release(&findings);
}

static void
test_notes(void)
{
	const char *compiler =
		"\"C2\" #7 daemon prio=9 os_prio=0 tid=0x1 nid=0x10 runnable  [0x0]\n   java.lang.Thread.State: RUNNABLE\n";
	struct findings findings = { 0 };
	char text[2000];

	snprintf(
		text, sizeof text,
		"%s   Compiling: 6716   !   4       Foo::bar (204 bytes)\n\n%s   No compile task\n\n   Locked ownable synchronizers:\n\t- None\n\n%s\n",
		compiler, compiler, compiler);
	finds(text, STACKS,
	      "1 daemon [C2] #7 tid 16 (runnable) {Compiling: 6716   !   4       Foo::bar (204 bytes)}\n  runnable\n"
	      "5 daemon [C2] #7 tid 16 (runnable)\n  runnable\n12 daemon [C2] #7 tid 16 (runnable)\n  runnable\n",
	      "what a compiler is at is a note");
	FORMAT->scan(&findings, text_from(text));
	ok(memcmp(&findings.list.at[0].is.sample.hash, &findings.list.at[1].is.sample.hash, sizeof(struct text_hash)) ==
			   0 &&
		   memcmp(&findings.list.at[1].is.sample.hash, &findings.list.at[2].is.sample.hash,
			  sizeof(struct text_hash)) == 0,
	   "and not of the stack");
	findings_release(&findings);
	finds("\"ForkJoinPool-1-worker-1\" #22 [18] daemon prio=5 tid=0x1 nid=18 waiting on condition  [0x0]\n   Carrying virtual thread #21\n"
	      "\tat jdk.internal.vm.Continuation.run(java.base@21.0.1/Continuation.java:251)\n   Mounted virtual thread #21\n"
	      "\tat com.acme.Work.run(Work.java:9)\n\t- locked <0x00000000e21d9f60> (a java.lang.Object)\n\n" VM,
	      STACKS,
	      "1 carrier [ForkJoinPool-1-worker-1] #22 tid 18 (waiting on condition) {Carrying virtual thread #21}\n"
	      "  at jdk.internal.vm.Continuation.run|java.base@21.0.1|Continuation.java|251\n"
	      "4 virtual [] #21\n  at com.acme.Work.run||Work.java|9\n  - locked e21d9f60 java.lang.Object\n8 " F_VM,
	      "a carrier and the virtual thread it carries");
}

static void
test_locks(void)
{
	finds("\"a\" #1 prio=5 tid=0x1 nid=0x10 runnable [0x0]\n\tat a.b(C.java)\n\t- locked <0x0000000000000abc> (a java.lang.Class for com.Foo)\n"
	      "\t- waiting to lock <0x1> (a X)\n\t- waiting on <0x2> (a X)\n\t- waiting on <no object reference available>\n\t- waiting to re-lock in wait() <0x3> (a X)\n"
	      "\t- parking to wait for  <0x4> (a X)\n\t- eliminated <0x5> (a X)\n\t- eliminated <owner is scalar replaced> (a X)\n"
	      "\t- waiting on the Class initialization monitor for com.Foo\n\t- None\n\t- unheard of <0x6>\n\t- <0x7> (a X$Sync)\n",
	      STACKS,
	      "1 java [a] #1 tid 16 (runnable)\n  at a.b||C.java|0\n  - locked abc java.lang.Class for com.Foo\n  - waiting-to-lock 1 X\n  - waiting-on 2 X\n"
	      "  - waiting-on 0 \n  - waiting-to-relock 3 X\n  - parking 4 X\n  - eliminated 5 X\n  - eliminated 0 X\n"
	      "  - waiting-on 0 Class initialization monitor for com.Foo\n  broken: \t- unheard of <0x6> (a line of a stack that is not understood)\n  - owns 7 X$Sync\n",
	      "every kind of lock line");
}

static void
test_tails(void)
{
	finds(HEAD VM JNI RING HEAP "INFO all is well\n", HEADERS,
	      F_HEAD
	      "4 " F_VM "6 facts 0 0 22 3\n"
	      "11 ring 1 [a] waits for ff40aaa8 java.lang.Object of [b]\n15 ring 1 [b] parks for 71ab0 java.util.concurrent.locks.ReentrantLock$NonfairSync of [a]\n"
	      "29 heap.total 134217728\n29 heap.used 62593024\n29 metaspace.used 871424\n35 noise 1: INFO all is well\n36 end\n",
	      "deadlocks, the heap, and a log behind them");
	finds(JNI "1\n2\n3\n4\n5\n6\n7\n8\n9\nHeap\n", HEADERS,
	      "1 facts 0 0 22 3\n11 end\n3 noise 10: 1~2~3~4~5~6~7~8~9~Heap\n",
	      "a heap far behind is another's");
	finds(JNI "INFO x\nHeap\n ZHeap used 1K, capacity 2K\n", HEADERS,
	      "1 facts 0 0 22 3\n3 noise 1: INFO x\n4 heap.total 2048\n4 heap.used 1024\n6 end\n", "one near is not");
	finds("Found one Java-level deadlock:\n=============================\n\"a\":\n  waiting to lock monitor 0x1 (object 0x2, a X),\n  in JNI, which is held by \"b\"\n"
	      "\"b\":\n  waiting to lock monitor 0x3 (object 0x4, a Y),\n  which is held by UNKNOWN_owner_addr=0x5\n\nJava stack information for the threads listed above:\n",
	      HEADERS, "3 ring 1 [a] waits for 2 X of [b]\n6 ring 1 [b] waits for 4 Y of []\n",
	      "a deadlock of JDK 8, with an owner that is not known");
	finds(JNI
	      "Heap\n PSYoungGen      total 100K, used 50K [0x1, 0x2)\n  eden space 90K, 10% used [0x1,0x2)\n ParOldGen       total 200K, used 20K [0x1, 0x2)\n"
	      "  object space 200K, 10% used\n Metaspace       used 1K, capacity 2K, committed 4K, reserved 5K\n",
	      HEADERS, "1 facts 0 0 22 3\n3 heap.total 307200\n3 heap.used 71680\n3 metaspace.used 1024\n9 end\n",
	      "generations are summed up");
	finds(JNI
	      "Heap\n ZHeap           used 12M, capacity 64M, max capacity 128M\n Metaspace       used 1M, committed 4K, reserved 5K\n",
	      HEADERS,
	      "1 facts 0 0 22 3\n3 heap.total 67108864\n3 heap.used 12582912\n3 metaspace.used 1048576\n6 end\n",
	      "ZGC");
	finds(JNI
	      "Heap\nShenandoah Heap\n 65536K max, 65536K soft max, 3000K committed, 1000K used\n 256 x 256K regions\nStatus: not cancelled\nReserved region:\n"
	      " - [0x1, 0x2) \nCollection set:\n - map (vanilla): 0x1\n\n Metaspace       used 396K, committed 512K, reserved 1114112K\n",
	      HEADERS, "1 facts 0 0 22 3\n3 heap.total 3072000\n3 heap.used 1024000\n3 metaspace.used 405504\n14 end\n",
	      "Shenandoah");
	finds(JNI "Heap\n garbage-first heap   total reserved 2009088K, committed 129024K, used 4063K [0x1, 0x2)\n",
	      HEADERS, "1 facts 0 0 22 3\n3 heap.total 132120576\n3 heap.used 4160512\n5 end\n", "JDK 25");
	finds("Heap\n garbage-first heap   total 131072K, used 61126K [0x1, 0x2)\n", HEADERS,
	      "1 noise 2: Heap~ garbage-first heap   total 131072K, used 61126K [0x1, 0x2)\n",
	      "a heap behind no dump is a log's");
}

/* --- within logs --- */

#define STACK_OF(lines) "\"a\" #1 prio=5 tid=0x1 nid=0x10 runnable [0x0]\n\tat a.b(C.java:1)\n" lines

static void
test_noise(void)
{
	finds("INFO one\nINFO two\n\nINFO three\n" HEAD "WARN four\n" VM "WARN five\n\tat x.y(Z.java:1)\n" VM JNI
	      "INFO six\n\"quoted\" words\n",
	      HEADERS,
	      "1 noise 4: INFO one~INFO two~~INFO three\n5 dump 1795212890000 [OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing)]\n8 noise 1: WARN four\n9 " F_VM
	      "11 noise 2: WARN five~\tat x.y(Z.java:1)\n13 " F_VM
	      "15 facts 0 0 22 3\n17 noise 2: INFO six~\"quoted\" words\n19 end\n",
	      "log lines around and between are told as ranges");
	finds(STACK_OF("2026 INFO x\n2026 INFO y\n\tat d.e(F.java:2)\n\n") VM, STACKS,
	      "1 java [a] #1 tid 16 (runnable)\n  at a.b||C.java|1\n  at d.e||F.java|2\n3 noise 2: 2026 INFO x~2026 INFO y\n7 " F_VM,
	      "log lines within a stack are passed over");
	finds(STACK_OF("INFO x\n\n") VM, STACKS,
	      "1 java [a] #1 tid 16 (runnable)\n  at a.b||C.java|1\n3 noise 1: INFO x\n5 " F_VM,
	      "a log line behind a stack");
	finds(STACK_OF("\nINFO x\n   Locked ownable synchronizers:\n\t- <0x2> (a L)\n\n") VM, STACKS,
	      "1 java [a] #1 tid 16 (runnable)\n  at a.b||C.java|1\n  - owns 2 L\n4 noise 1: INFO x\n8 " F_VM,
	      "one before the synchronizers");
	finds(STACK_OF("\nINFO x\n\tat q.r(S.java:2)\n\n") VM, STACKS,
	      "1 java [a] #1 tid 16 (runnable)\n  at a.b||C.java|1\n4 noise 2: INFO x~\tat q.r(S.java:2)\n7 " F_VM,
	      "an exception between threads is no part of either");
	finds(STACK_OF("java.lang.IllegalStateException: no\n\tat q.r(S.java:2)\n\tat d.e(F.java:2)\n\n") VM, STACKS,
	      "1 java [a] #1 tid 16 (runnable)\n  at a.b||C.java|1\n3 broken 3: java.lang.IllegalStateException: no~\tat q.r(S.java:2)~\tat d.e(F.java:2)\n7 " F_VM,
	      "an exception within a stack breaks it, and that is told");
	finds("\"a\" #1 prio=5 tid=0x1 nid=0x10 runnable [0x0]\njava.lang.Thread.State: RUNNABLE\nat a.b(C.java:1)\n- locked <0x1> (a X)\nat a.c(C.java:2)\n\n" VM,
	      STACKS,
	      "1 java [a] #1 tid 16 (runnable)\n  runnable\n  at a.b||C.java|1\n  - locked 1 X\n  at a.c||C.java|2\n7 " F_VM,
	      "a stack that lost its indentation");
}

static void
test_prefixes(void)
{
	finds("boot\n2026-11-20 10:00:00,123 INFO  [stdout] (main) 2026-11-20 22:14:50\n2026-11-20 10:00:00,124 INFO  [stdout] (main) Full thread dump X (1 mode):\n"
	      "2026-11-20 10:00:00,124 INFO  [stdout] (main)\n2026-11-20 10:00:00,124 INFO  [stdout] (main) \"a\" #1 prio=5 tid=0x1 nid=0x10 runnable\n",
	      HEADERS, "1 noise 1: boot\n2 prefix [2026-11-20 10:00:00,123 INFO  [stdout] (main) ]\n",
	      "a dump behind a log's prefixes begins with its date");
	finds("[pod/web-1/app] Full thread dump X (1 mode):\n[pod/web-1/app] \n[pod/web-1/app] \"a\" #1 prio=5\n",
	      HEADERS, "1 prefix [[pod/web-1/app] ]\n", "or without one");
	finds("INFO will write Full thread dump of x (see y):\nINFO done\n", HEADERS,
	      "1 noise 2: INFO will write Full thread dump of x (see y):~INFO done\n",
	      "a line that speaks of a dump is none");
	finds("\"a\" #1 prio=5 tid=0x1 nid=0x10 runnable [0x0]\n\tat a.b(C.ja2026-11-20 22:14:50\nFull thread dump X (1):\n\n" VM,
	      STACKS,
	      "1 java [a] #1 tid 16 (runnable)\n2 cut 1: \tat a.b(C.ja\n2 dump 1795212890000 [X (1)]\n5 " F_VM,
	      "a dump behind one that was cut in the middle of a line");
}

static void
test_broken(void)
{
	finds("\"a\" #12 pri\n   java.lang.Thread.State: RUNNABLE\n\tat a.b(C.java:1)\n\n" VM, STACKS,
	      "1 broken 3: \"a\" #12 pri~   java.lang.Thread.State: RUNNABLE~\tat a.b(C.java:1)\n5 " F_VM,
	      "a header that cannot be read, with its stack");
	finds(VM "\"main\" #1 prio=5 os_pr", HEADERS, "1 " F_VM "3 cut 1: \"main\" #1 prio=5 os_pr\n",
	      "a text that ends in a header");
	finds(VM STACK_OF("\tat com.acme.Ma"), STACKS,
	      "1 " F_VM "3 java [a] #1 tid 16 (runnable)\n  at a.b||C.java|1\n5 cut 1: \tat com.acme.Ma\n",
	      "or in a frame");
	finds(VM STACK_OF("\tat com.acme.Main.main(Main.java:212)"), STACKS,
	      "1 " F_VM "3 java [a] #1 tid 16 (runnable)\n  at a.b||C.java|1\n  at com.acme.Main.main||Main.java|212\n",
	      "a last line without newline is kept when whole");
	finds(STACK_OF("\t... 3 more\n\tat c.d(E.java:1)\n\n"), STACKS,
	      "1 java [a] #1 tid 16 (runnable)\n  at a.b||C.java|1\n  broken: \t... 3 more (a line of a stack that is not understood)\n  at c.d||E.java|1\n",
	      "a line that is not understood leaves the others");
}

static void
test_long(void)
{
	size_t size = 3 << 20;
	char *text = malloc(size + 1), *got, wanted[100];

	memset(text, 'x', size);
	memcpy(text, "\"name", 5);
	memcpy(text + size - 1, "\n", 2);
	got = findings_of(text_of(text, size), HEADERS);
	ok(strncmp(got, "1 too long 1: \"namex", 20) == 0, "a name that does not end is a line too long");
	free(got);
	memcpy(text, "\"n\" #1 prio=5\n", 14);
	for (size_t i = 14; i + 16 < size; i += 16)
		memcpy(text + i, "\tat a.b(C.java)\n", 16);
	is_u64(FORMAT->cut(text_of(text, size - 100)), 0, "a large section is not cut");
	free(text);
	size = 14 + INGEST_SECTION_MAX + 1024 * 16;
	text = malloc(size);
	memcpy(text, "\"n\" #1 prio=5\n", 14);
	for (size_t i = 14; i < size; i += 16)
		memcpy(text + i, "\tat a.b(C.java)\n", 16);
	got = findings_of(text_of(text, size), HEADERS);
	snprintf(wanted, sizeof wanted, "1 java [n] #1\n%d too long 1024: \tat a.b", INGEST_SECTION_MAX / 16 + 2);
	ok(strncmp(got, wanted, strlen(wanted)) == 0, "a section over the bound is cut there, and said");
	free(got);
	free(text);
}

/* --- passing over lines --- */

static const char *
plain_lines_end(const char *from, const char *end, uint32_t *lines)
{
	for (; from < end; from++) {
		if (*from == '\n' && end - from > 1 && (unsigned char)from[1] > ' ')
			return from;
		*lines += *from == '\n';
	}
	return end;
}

static void
test_calm_lines(void)
{
	static const char bytes[] = "\n\t \n\t\n  \n\xe9\0\r!\x7f\n\n ";
	uint32_t seed = 1;
	unsigned same = 0;

	for (int round = 0; round < 3000; round++) {
		size_t size = (seed >> 7) % 300;
		char *text = malloc(size + 1);
		uint32_t lines = 7, plain = 7;

		for (size_t i = 0; i < size; i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = seed >> 28 < 12 ? ' ' : bytes[(seed >> 16) % (sizeof bytes - 1)];
		}
		seed = seed * 1664525 + 1013904223;
		same += calm_lines_end(text, text + size, &lines) == plain_lines_end(text, text + size, &plain) &&
			lines == plain;
		free(text);
	}
	is_u64(same, 3000, "64 bytes at a time find what one at a time do");
}

/* --- in pieces --- */

static void
test_pieces(void)
{
	static const char *const parts[] = {
		"INFO before\n",
		HEAD MAIN POOL,
		"INFO between\n",
		VM JNI RING HEAP,
		"INFO after\n",
		HEAD MAIN MAIN POOL POOL,
		"\"two\nlines\" #1 prio=5 tid=0x1 nid=0x10 runnable [0x0]\n\tat a.b(C.java:1)\n\n",
		VM VM JNI RING,
		HEAD VM MAIN POOL JNI RING
	};
	char text[10000] = "";
	struct stk_text whole;
	char *wanted;
	unsigned good = 0, windows = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		strcat(text, parts[i]);
	whole = text_from(text);
	wanted = findings_of(whole, STACKS);
	for (size_t window = 1; window < whole.size; window += 7) {
		char *got = findings_by_pieces(whole, window);

		good += strcmp(got, wanted) == 0;
		windows++;
		free(got);
	}
	is_u64(good, windows, "the findings do not depend on where a text is cut into pieces");
	free(wanted);
}

static void
test_log_pieces(void)
{
	char log[40000];
	size_t size = 0, cut;

	while (size + 40 < sizeof log)
		size += (size_t)snprintf(log + size, sizeof log - size, "2026-11-20 INFO nothing, \"%zu\"\n", size);
	cut = FORMAT->cut(text_of(log, size));
	ok(cut > size - 2000 && cut < size && log[cut - 1] == '\n', "a log is cut near its end");
	is_u64(FORMAT->cut(text_of(log, 0)), 0, "nothing is not cut");
	is_u64(FORMAT->cut(text_of(log, 20)), 0, "nor is a line");
}

static void
test_prefixes_of_a_dump(void)
{
	static const char text[] = HEAD MAIN POOL VM JNI RING HEAP;
	unsigned told = 0, ends = 0;

	for (size_t size = 0; size < sizeof text; size++) {
		char *got = findings_of(text_of(text, size), STACKS);
		const char *header = memmem(text, size, "\"main\" #1 prio=5 os_prio=0 cpu=26.71ms", 38);

		ends += strstr(got, " end\n") != NULL;
		told += header == NULL || strstr(got, "[main]") != NULL || strstr(got, " cut 1: ") != NULL;
		free(got);
	}
	is_u64(told, sizeof text,
	       "wherever a dump is cut, a thread whose header had begun is told, or that it was cut");
	is_u64(ends, sizeof text - (strlen(HEAD MAIN POOL VM "JNI global ref")), "and its end only where it was seen");
}

/* --- frames and masks --- */

static void
frame_is(const char *line, const char *function, const char *module, const char *file, int64_t number,
	 enum stk_form form)
{
	struct frame_parts p;
	struct frame_names names;
	char text[300] = "";
	bool read = FORMAT->read_frame(&p, text_from(line));

	names = (struct frame_names){ p.function, p.module, p.file, p.line, p.form, 0, 0 };
	text[frame_text(&names, text, sizeof text - 1)] = '\0';
	ok(read && text_is(p.function, function) && text_is(p.module, module) && text_is(p.file, file) &&
		   p.line == number && p.form == form,
	   "%s", line);
	is_text(text, line, "and back");
}

/* As StackTraceElement writes it, with class loader and module before the class. */
static void
element_is(const char *line, const char *function, const char *module)
{
	struct frame_parts p;

	ok(FORMAT->read_frame(&p, text_from(line)) && text_is(p.function, function) && text_is(p.module, module),
	   "%s is %s of '%s'", line, function, module);
}

static void
test_elements(void)
{
	element_is("java.base@17.0.1/java.lang.Thread.run(Thread.java:833)", "java.lang.Thread.run", "java.base@17.0.1");
	element_is("java.base/java.lang.Thread.run(Thread.java:833)", "java.lang.Thread.run", "java.base");
	element_is("app//com.acme.Shop.sell(Shop.java:12)", "com.acme.Shop.sell", "");
	element_is("platform/java.sql@17/java.sql.Driver.go(Unknown Source)", "java.sql.Driver.go", "java.sql@17");
	element_is("app/shop@1/com.acme.Shop.sell(Native Method)", "com.acme.Shop.sell", "shop@1");
	element_is("shop/com.acme.Shop.sell(Shop.java)", "com.acme.Shop.sell", "shop");
	element_is("app//a.Shop$$Lambda/0x00007f3b7c.run(Unknown Source)", "a.Shop$$Lambda/0x00007f3b7c.run", "");
	element_is("a.Shop$$Lambda$1/1523.run(Unknown Source)", "a.Shop$$Lambda$1/1523.run", "");
	element_is("java/lang/Thread.run(Thread.java:3)", "java/lang/Thread.run", "");
	element_is("/x.y.z()", "/x.y.z", "");
	element_is("a.b/()", "", "a.b");
}

static void
test_frames(void)
{
	frame_is("java.lang.Thread.run(java.base@17.0.15/Thread.java:840)", "java.lang.Thread.run", "java.base@17.0.15",
		 "Thread.java", 840, STK_FORM_JAVA);
	frame_is("java.lang.Object.wait(Native Method)", "java.lang.Object.wait", "", "", STK_LINE_NATIVE,
		 STK_FORM_JAVA);
	frame_is("a.B.c(java.base@25/Native Method)", "a.B.c", "java.base@25", "", STK_LINE_NATIVE, STK_FORM_JAVA);
	frame_is("Shop$$Lambda$7/0x00007f3b7c006240.run(Unknown Source)", "Shop$$Lambda$7/0x00007f3b7c006240.run", "",
		 "", STK_LINE_NO_SOURCE, STK_FORM_JAVA);
	frame_is("a.B.c(Redefined)", "a.B.c", "", "", STK_LINE_REDEFINED, STK_FORM_JAVA);
	frame_is("a.B.<init>(B.java)", "a.B.<init>", "", "B.java", 0, STK_FORM_JAVA);
	frame_is("a.B.c(app//Foo.java:3)", "a.B.c", "app/", "Foo.java", 3, STK_FORM_JAVA);
	frame_is("a.B.c(loader/module@1.2/Foo.java:3)", "a.B.c", "loader/module@1.2", "Foo.java", 3, STK_FORM_JAVA);
	frame_is("a.B.c(java.base@25/LambdaForm$DMH)", "a.B.c", "java.base@25", "LambdaForm$DMH", 0, STK_FORM_JAVA);
	frame_is("a.B.should do (x)(B.kt:1)", "a.B.should do (x)", "", "B.kt", 1, STK_FORM_JAVA);
	frame_is("clojure.core$map$fn__5866.invoke(core.clj:2755)", "clojure.core$map$fn__5866.invoke", "", "core.clj",
		 2755, STK_FORM_JAVA);
	frame_is("a.B.c(B.java:0)", "a.B.c", "", "B.java:0", 0, STK_FORM_JAVA);
	frame_is("a.B.c(B.java:007)", "a.B.c", "", "B.java:007", 0, STK_FORM_JAVA);
	frame_is("a.B.c(B.java:-1)", "a.B.c", "", "B.java:-1", 0, STK_FORM_JAVA);
	frame_is("a.B.c(B.java:99999999999999999999)", "a.B.c", "", "B.java:99999999999999999999", 0, STK_FORM_JAVA);
	frame_is("a.B.c(:5)", "a.B.c", "", "", 5, STK_FORM_JAVA);
	frame_is("a.B.c()", "a.B.c", "", "", 0, STK_FORM_JAVA);
	frame_is("a.B.c(m/)", "a.B.c", "m", "", 0, STK_FORM_JAVA);
	frame_is("a.B.c(/Foo.java:3)", "a.B.c(/Foo.java:3)", "", "", 0, STK_FORM_PLAIN);
	frame_is("no parentheses", "no parentheses", "", "", 0, STK_FORM_PLAIN);
	frame_is("a.B.c(B.java:1) ", "a.B.c(B.java:1) ", "", "", 0, STK_FORM_PLAIN);
	frame_is("(", "(", "", "", 0, STK_FORM_PLAIN);
	frame_is(")", ")", "", "", 0, STK_FORM_PLAIN);
	ok(!FORMAT->read_frame(&(struct frame_parts){ 0 }, text_of("", 0)), "nothing is no frame");
}

static void
text_of_frame_is(struct frame_names names, const char *wanted)
{
	char text[300] = "", small[4] = "...";

	text[frame_text(&names, text, sizeof text - 1)] = '\0';
	is_text(text, wanted, "a frame is written as %s", wanted);
	is_u64(frame_text(&names, small, 3), strlen(wanted), "its size is told when there is no room for it");
	ok(memcmp(small, wanted, 3) == 0 && small[3] == '\0', "and the room is kept to");
}

static void
test_frame_text(void)
{
	struct stk_text f = text_from("read"), m = text_from("libc.so.6"), none = text_of(NULL, 0);

	text_of_frame_is((struct frame_names){ f, m, none, 0, STK_FORM_NATIVE, 0x1234, 0x1f }, "read+0x1f (libc.so.6)");
	text_of_frame_is((struct frame_names){ f, none, none, 0, STK_FORM_NATIVE, 0, 0 }, "read");
	text_of_frame_is((struct frame_names){ f, m, none, 0, STK_FORM_INLINED, 0, 0 }, "read (inlined)");
	text_of_frame_is((struct frame_names){ f, m, m, 7, STK_FORM_PLAIN, 0, 0 }, "read");
	text_of_frame_is((struct frame_names){ f, none, none, -9, STK_FORM_JAVA, 0, 0 }, "read()");
}

static void
mask_is(const char *text, const char *wanted, const char *addresses)
{
	char to[500], list[200] = "";
	uint64_t at[8];
	size_t count, size = thread_dump_mask(text_from(text), to, at, 8, &count);

	is_bytes(to, size, wanted, strlen(wanted), "%zu addresses are cut out", count);
	for (size_t i = 0; i < count && i < 8; i++)
		snprintf(list + strlen(list), 20, "%" PRIx64 " ", at[i]);
	is_text(list, addresses, "which are those");
}

static void
test_masks(void)
{
	mask_is("\tat a.<init>(B.java)\n\t- locked <0xabc> (a X)\n\tat a-b.c(D.java)\n\t- waiting on <no object reference available>\n\t- None",
		"\tat a.<init>(B.java)\n\t- locked  (a X)\n\tat a-b.c(D.java)\n\t- waiting on \n\t- None", "abc 0 ");
	mask_is("- <0x1> (a X)\n\t- eliminated <owner is scalar replaced> (a Y)\n", "-  (a X)\n\t- eliminated  (a Y)\n",
		"1 0 ");
	mask_is("\t- waiting on the Class initialization monitor for A$<0x1>\n\t- locked <0x2> (a X)",
		"\t- waiting on the Class initialization monitor for A$<0x1>\n\t- locked  (a X)", "0 2 ");
	mask_is("\tat - locked <0x1> (a X)\n\t- locked <0x1\n\t- odd <0x1> (a X)\n-",
		"\tat - locked <0x1> (a X)\n\t- locked <0x1\n\t- odd <0x1> (a X)\n-", "");
	mask_is("", "", "");
}

static void
test_recognise(void)
{
	is_u64((unsigned)FORMAT->recognise(text_from("x\n" HEAD)), 100, "a dump's head is certain");
	is_u64((unsigned)FORMAT->recognise(text_from(MAIN POOL)), 100, "so are threads without");
	ok(FORMAT->recognise(text_from("[pod] Full thread dump X:\n[pod] \n")) >= 90, "a head within a line nearly");
	ok(FORMAT->recognise(text_from(MAIN)) >= 90, "and one thread");
	is_u64((unsigned)FORMAT->recognise(text_from("\"name\" #1 prio=5\n")), 0, "a name and a priority are not");
	ok(FORMAT->recognise(text_from("\"name\" #1 prio=5\n\tat a.B.c(D.java)\n")) > 0 &&
		   FORMAT->recognise(text_from("\"name\" #1 prio=5\n\tat a.B.c(D.java)\n")) < 50,
	   "with a stack below they may be");
	is_u64((unsigned)FORMAT->recognise(text_from("main;a;b 12\n\"quoted\" text\n")), 0, "other text is not");
	is_u64((unsigned)FORMAT->recognise(text_from("")), 0, "nor is none");
}

int
main(void)
{
	test_whole_dump();
	test_headers();
	test_header_numbers();
	test_notes();
	test_locks();
	test_tails();
	test_noise();
	test_prefixes();
	test_broken();
	test_long();
	test_calm_lines();
	test_pieces();
	test_log_pieces();
	test_prefixes_of_a_dump();
	test_frames();
	test_elements();
	test_frame_text();
	test_masks();
	test_recognise();
	return tap_end();
}
