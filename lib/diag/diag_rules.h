/* SPDX-License-Identifier: MIT
 * diag_rules: what is looked for, and the thresholds from which on it is worth telling. */
#ifndef DIAG_DIAG_RULES_H
#define DIAG_DIAG_RULES_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

/* RULE(NAME, name, what it says in a few words) */
#define DIAG_RULES(RULE) \
	RULE(DEADLOCK,     "deadlock",     "threads wait for each other in a ring, and will for ever") \
	RULE(CONVOY,       "convoy",       "many threads queue for a lock that passes from one to the next") \
	RULE(BLOCKED,      "blocked",      "many threads wait for a lock that one thread keeps") \
	RULE(HOLDER_IDLE,  "holder-idle",  "a thread keeps a lock that others want while it sleeps or waits itself") \
	RULE(CLASS_INIT,   "class-init",   "threads wait until a class is initialized") \
	RULE(LOGGING,      "logging",      "threads queue to write a log") \
	RULE(POOL,         "pool-exhausted", "no thread of a pool is free, and most stand in the same place") \
	RULE(STARVED,      "starved-by-own-tasks", "all threads of a pool wait for results that nobody computes") \
	RULE(CONNECTION,   "connection-pool", "threads wait for a connection of a pool") \
	RULE(SEMAPHORE,    "semaphore",    "threads wait for a permit") \
	RULE(RATE,         "rate-limit",   "threads wait for a rate limiter") \
	RULE(FULL,         "queue-full",   "threads wait until there is room in a queue") \
	RULE(COMMON,       "common-pool",  "the workers that the whole program shares wait instead of computing") \
	RULE(FUTEX,        "futex",        "threads of a native program wait for a lock in the same function") \
	RULE(STUCK,        "stuck",        "threads stand in one place without using a processor") \
	RULE(SPIN,         "spin",         "a thread uses a whole processor in one place") \
	RULE(LIVELOCK,     "livelock",     "threads try again and again to get what the others do not let go") \
	RULE(LOST,         "lost-wakeup",  "threads that worked wait to be notified, and nobody is there who could") \
	RULE(PINNED,       "pinned",       "a virtual thread waits without leaving its carrier") \
	RULE(GIL,          "gil",          "Python threads could run, but another one has the interpreter's lock") \
	RULE(GOROUTINES,   "goroutines",   "goroutines pile up in one place") \
	RULE(HERD,         "herd",         "many threads come to one place at once") \
	RULE(HOT,          "hot",          "threads that use the most of the processors") \
	RULE(ALLOCATION,   "allocation",   "threads that allocate most") \
	RULE(LEAK,         "thread-leak",  "a pool has more and more threads") \
	RULE(FINALIZER,    "finalizer",    "the threads that clean up after objects do not get on") \
	RULE(GC,           "gc",           "garbage collection leaves too little for the program") \
	RULE(GC_THREADS,   "gc-threads",   "a virtual machine with many threads that collect garbage") \
	RULE(LATE,         "safepoint-late", "a dump that took long, as threads were late to stop for it") \
	RULE(TORN,         "torn",         "a dump that was cut, or whose threads contradict each other") \
	RULE(HEALTHY,      "healthy",      "nothing of the above that would be a warning")

enum diag_rule {
#define RULE(NAME, name, about) RULE_##NAME,
	DIAG_RULES(RULE)
#undef RULE
	DIAG_RULES_COUNT
};

/* THRESHOLD(NAME, rule, name, default, least, most, what it is) */
#define DIAG_THRESHOLDS(THRESHOLD) \
	THRESHOLD(CONVOY_DUMPS, CONVOY, "dumps", 3, 1, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(CONVOY_THREADS, CONVOY, "threads", 3, 1, 1e6, "threads that wait, in the median dump") \
	THRESHOLD(CONVOY_PART, CONVOY, "critical-part", 0.5, 0, 1, "critical from this part of a pool's time on") \
	THRESHOLD(CONVOY_SECONDS, CONVOY, "critical-seconds", 60, 0, 1e9, "and when it lasts so long") \
	THRESHOLD(IDLE_THREADS, HOLDER_IDLE, "threads", 2, 1, 1e6, "threads that wait, in the median dump") \
	THRESHOLD(IDLE_DUMPS, HOLDER_IDLE, "dumps", 3, 1, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(INIT_DUMPS, CLASS_INIT, "dumps", 2, 1, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(POOL_THREADS, POOL, "threads", 2, 1, 1e6, "smaller pools are not looked at") \
	THRESHOLD(POOL_DUMPS, POOL, "dumps", 3, 1, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(POOL_SECONDS, POOL, "seconds", 60, 0, 1e9, "and lasts at least so long") \
	THRESHOLD(POOL_PART, POOL, "part", 0.8, 0, 1, "of its threads that stand in the same place") \
	THRESHOLD(WAIT_THREADS, CONNECTION, "threads", 3, 1, 1e6, \
		  "threads that wait, in the median dump; of semaphore, rate-limit and queues too") \
	THRESHOLD(WAIT_DUMPS, CONNECTION, "dumps", 3, 1, 1e6, "it is seen in at least so many dumps; of these too") \
	THRESHOLD(COMMON_PART, COMMON, "part", 0.5, 0, 1, "of its threads that wait") \
	THRESHOLD(COMMON_DUMPS, COMMON, "dumps", 3, 1, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(FUTEX_THREADS, FUTEX, "threads", 3, 1, 1e6, "threads that wait, in the median dump") \
	THRESHOLD(FUTEX_DUMPS, FUTEX, "dumps", 3, 1, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(STUCK_DUMPS, STUCK, "dumps", 3, 2, 1e6, "the same stack in at least so many dumps") \
	THRESHOLD(STUCK_BLIND, STUCK, "dumps-blind", 5, 2, 1e6, "where dumps do not show CPU time") \
	THRESHOLD(STUCK_CHANCE, STUCK, "chance", 0.05, 0, 1e9, \
		  "and then so many times by chance at most, by how often its pool is in that stack") \
	THRESHOLD(STUCK_SECONDS, STUCK, "seconds", 60, 0, 1e9, "and for at least so long") \
	THRESHOLD(STUCK_CPU, STUCK, "cpu", 0.0001, 0, 1, \
		  "part of a processor that it uses at most, from dump to dump") \
	THRESHOLD(STUCK_APART, STUCK, "apart", 600, 0, 1e9, \
		  "seconds between dumps; dumps further apart do not show that a thread stood still") \
	THRESHOLD(SPIN_DUMPS, SPIN, "dumps", 3, 2, 1e6, "the same stack in at least so many dumps") \
	THRESHOLD(SPIN_CPU, SPIN, "cpu", 0.8, 0, 1, "part of a processor that it uses at least") \
	THRESHOLD(LIVELOCK_THREADS, LIVELOCK, "threads", 2, 2, 1e6, "threads that never get on meanwhile") \
	THRESHOLD(LIVELOCK_DUMPS, LIVELOCK, "dumps", 5, 2, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(LIVELOCK_CPU, LIVELOCK, "cpu", 0.1, 0, 1, \
		  "part of a processor that each uses at least, where dumps show it") \
	THRESHOLD(LOST_THREADS, LOST, "threads", 1, 1, 1e6, "threads that wait all the time") \
	THRESHOLD(LOST_DUMPS, LOST, "dumps", 5, 2, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(LOST_SECONDS, LOST, "seconds", 300, 0, 1e9, "and lasts at least so long") \
	THRESHOLD(PINNED_THREADS, PINNED, "threads", 1, 1, 1e6, "carriers that are held, in the median dump") \
	THRESHOLD(PINNED_DUMPS, PINNED, "dumps", 3, 1, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(GIL_THREADS, GIL, "threads", 2, 1, 1e6, "threads that could run, in the median dump") \
	THRESHOLD(GIL_DUMPS, GIL, "dumps", 3, 1, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(GO_THREADS, GOROUTINES, "threads", 50, 1, 1e9, "goroutines in one place that send or want a lock") \
	THRESHOLD(GO_MANY, GOROUTINES, "many", 1000, 1, 1e9, \
		  "goroutines in one place that receive or select: fewer may be workers") \
	THRESHOLD(HERD_THREADS, HERD, "threads", 10, 1, 1e6, "more than usual: than the running median of that place") \
	THRESHOLD(HERD_TIMES, HERD, "times", 5, 1, 1e6, "and as many times the usual") \
	THRESHOLD(HERD_DUMPS, HERD, "dumps", 10, 1, 1e6, "dumps from which what is usual is known") \
	THRESHOLD(HOT_CPU, HOT, "cpu", 0.2, 0, 1e6, "part of a processor that a pool uses at least") \
	THRESHOLD(HOT_MOST, HOT, "most", 5, 0, 1e6, "as many are told, the largest") \
	THRESHOLD(ALLOCATION_BYTES, ALLOCATION, "megabytes", 100, 0, 1e9, \
		  "a second that a pool allocates at least (of 1,000,000 bytes)") \
	THRESHOLD(ALLOCATION_MOST, ALLOCATION, "most", 5, 0, 1e6, "as many are told, the largest") \
	THRESHOLD(LEAK_THREADS, LEAK, "threads", 10, 1, 1e6, "as many more threads at the end than at the beginning") \
	THRESHOLD(LEAK_PART, LEAK, "part", 0.2, 0, 1e6, "and this part more") \
	THRESHOLD(LEAK_P, LEAK, "p", 0.01, 0, 1, "chance of such a growth in a pool that does not grow") \
	THRESHOLD(FINALIZER_DUMPS, FINALIZER, "dumps", 3, 1, 1e6, "it is seen in at least so many dumps") \
	THRESHOLD(GC_THROUGHPUT, GC, "throughput", 0.9, 0, 1, \
		  "part of a minute that is left for the program, at least") \
	THRESHOLD(GC_CRITICAL, GC, "critical", 0.5, 0, 1, "critical below this part") \
	THRESHOLD(GC_PAUSE, GC, "pause", 0.4, 0, 1e9, "seconds of a pause (0.03 would suit ZGC and Shenandoah)") \
	THRESHOLD(GC_FILLED, GC, "filled", 0.8, 0, 1, "part of the heap that a full collection may leave in use") \
	THRESHOLD(GC_APART, GC, "apart", 60, 0, 1e9, "seconds between full collections, at least") \
	THRESHOLD(GC_OFTEN, GC, "often", 1, 0, 1e9, "seconds between young collections, at least") \
	THRESHOLD(GC_OFTEN_COUNT, GC, "often-times", 10, 1, 1e9, "as many in a minute that were closer") \
	THRESHOLD(GC_THREADS, GC_THREADS, "threads", 32, 1, 1e6, "threads that collect garbage, at least") \
	THRESHOLD(LATE_SECONDS, LATE, "seconds", 1, 0, 1e9, "that taking it lasted; such a dump is not of one moment")

enum diag_threshold {
#define THRESHOLD(NAME, rule, name, value, least, most, about) LIMIT_##NAME,
	DIAG_THRESHOLDS(THRESHOLD)
#undef THRESHOLD
	DIAG_THRESHOLDS_COUNT
};

struct diag_limits {
	double at[DIAG_THRESHOLDS_COUNT];
	bool off[DIAG_RULES_COUNT];		/* rules that are not wanted */
};

struct diag_rule_facts { const char *name, *about; };
struct diag_threshold_facts {
	enum diag_rule rule;
	const char *name, *about;
	double value, least, most;
};

const struct diag_rule_facts *diag_rule_facts(enum diag_rule rule);
const struct diag_threshold_facts *diag_threshold_facts(enum diag_threshold threshold);
/* The rule of a name; DIAG_RULES_COUNT when there is none. */
enum diag_rule diag_rule_find(struct stk_text name);

/* Those of the tables above. */
void diag_limits_default(struct diag_limits *limits);
/* A file of YAML: a map of rules, each with a map of thresholds, or "off". What it does not mention stays. -1 with *err
 * (STK_EUSAGE): "FILE:LINE:COLUMN: ...". */
int diag_limits_read(struct diag_limits *limits, const char *path, struct stk_error *err) STK_MUST_CHECK;

#endif
