/* SPDX-License-Identifier: MIT
 * make_incidents: thread dumps of a service, with incidents of which beginning, end and victims are known:
 *
 *	make_incidents SEED TRUTH [DUMPS [SECONDS [INCIDENTS [START [HOST [JDK]]]]]]
 *
 * writes DUMPS (288) dumps SECONDS (60) apart to standard output, from START on (seconds since 1970; default
 * 2026-03-01T08:00:00Z), and into the file TRUTH a line for each incident: rule, first and last moment, its
 * strength (threads), its dumps, and how clear it is: faint, clear or strong. HOST (0) is a number that makes the
 * threads those of another process. JDK: the text is that of 8, 17 or 21; by default the seed decides. The same seed
 * gives the same bytes. Between incidents the service works as such services do: request threads come and go, most
 * are idle. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REQUESTS  32
#define JOBS      8
#define TASKS     6
#define MAILERS   2
#define SHARED    3
#define CARRIERS  4
#define CONSUMERS 4
#define LEAKED    200

/* RULE(NAME, its name, clear from so many threads on, and from so many dumps on, least JDK whose dumps show it) */
#define RULES_OF(RULE) \
	RULE(DEADLOCK, "deadlock", 0, 4, 8) \
	RULE(CONVOY, "convoy", 4, 4, 8) \
	RULE(BLOCKED, "blocked", 4, 4, 8) \
	RULE(SLEEPER, "holder-idle", 4, 4, 8) \
	RULE(LOADER, "class-init", 1, 4, 8) \
	RULE(LOGGER, "logging", 4, 4, 8) \
	RULE(UPSTREAM, "pool-exhausted", 0, 4, 8) \
	RULE(STARVED, "starved-by-own-tasks", 0, 4, 8) \
	RULE(COMMON, "common-pool", 0, 4, 8) \
	RULE(CONNECTION, "connection-pool", 4, 4, 8) \
	RULE(PERMIT, "semaphore", 4, 4, 8) \
	RULE(RATE, "rate-limit", 4, 4, 8) \
	RULE(FULL, "queue-full", 4, 4, 8) \
	RULE(STUCK, "stuck", 0, 6, 8) \
	RULE(SPIN, "spin", 0, 4, 17) \
	RULE(LIVELOCK, "livelock", 0, 6, 8) \
	RULE(LOST, "lost-wakeup", 0, 7, 8) \
	RULE(PINNED, "pinned", 0, 4, 21) \
	RULE(HERD, "herd", 14, 1, 8) \
	RULE(LEAK, "thread-leak", 0, 4, 8) \
	RULE(FINALIZER, "finalizer", 0, 4, 8)

enum rule {
#define RULE(NAME, name, threads, dumps, jdk) NAME,
	RULES_OF(RULE)
#undef RULE
	RULES
};

static const struct { const char *name; int threads, dumps, jdk; } rules[] = {
#define RULE(NAME, name, threads, dumps, jdk) { name, threads, dumps, jdk },
	RULES_OF(RULE)
#undef RULE
};

struct incident { enum rule rule; int from, to, strength; };

struct worker { const char *pool; int number, id; int64_t cpu_us; void (*act)(struct worker *worker); };

static uint64_t state;
static int64_t now, start = 1772352000;		/* 2026-03-01T08:00:00Z */
static int host;
static int dump_number, dump_seconds, jdk;
static struct incident incidents[64];
static int incidents_count;

static unsigned
chance(unsigned below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

/* The incident of a rule that is on; NULL: there is none. */
static const struct incident *
going_on(enum rule rule)
{
	for (int i = 0; i < incidents_count; i++)
		if (incidents[i].rule == rule && dump_number >= incidents[i].from && dump_number <= incidents[i].to)
			return &incidents[i];
	return NULL;
}

/* --- text --- */

/* When a dump is taken. */
static void
print_time(FILE *to, int number, const char *format)
{
	time_t seconds = (time_t)(start + (int64_t)number * dump_seconds);
	struct tm date;
	char text[64];

	(void)gmtime_r(&seconds, &date);
	(void)strftime(text, sizeof text, format, &date);
	fputs(text, to);
}

/* A carrier has no state: "" when it runs, " " when it waits. */
static void
head(struct worker *worker, const char *thread_state)
{
	char name[64];

	if (worker->number > 0)
		(void)snprintf(name, sizeof name, "%s%d", worker->pool, worker->number);
	else
		(void)snprintf(name, sizeof name, "%s", worker->pool);
	printf("\"%s\" #%d ", name, worker->id);
	if (jdk >= 21)
		printf("[%d] ", 0x2000 + host * 0x1000 + worker->id);
	printf("daemon prio=5 os_prio=0 ");
	if (jdk > 8)
		printf("cpu=%lld.%02lldms elapsed=%lld.00s ", (long long)(worker->cpu_us / 1000),
		       (long long)(worker->cpu_us / 10 % 100), (long long)(now - start + 1000));
	printf("tid=0x%016x nid=", 0x10000 + host * 0x100000 + worker->id * 16);
	printf(jdk >= 21 ? "%d " : "0x%x ", 0x2000 + host * 0x1000 + worker->id);
	printf("%s [0x00007f0000000000]\n", strcmp(thread_state, "RUNNABLE") == 0 || *thread_state == '\0'
	       ? "runnable" : "waiting on condition");
	if (*thread_state != '\0' && *thread_state != ' ')
		printf("   java.lang.Thread.State: %s\n", thread_state);
}

static void
line(const char *text)
{
	printf("\t%s\n", text);
}

static void
frames(const char *const *list)
{
	for (; *list != NULL; list++)
		line(*list);
	putchar('\n');
}

static const char *const run_worker[] = {
	"at java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
	"at java.util.concurrent.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:635)",
	"at java.lang.Thread.run(Thread.java:833)", NULL
};

static const char *
parked(void)
{
	return jdk == 8 ? "at sun.misc.Unsafe.park(Native Method)"
			: "at jdk.internal.misc.Unsafe.park(java.base@17.0.1/Native Method)";
}

static void
idle(struct worker *worker)
{
	static const char *const waits[] = {
		"- parking to wait for  <0x00000000c0000010> (a java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject)",
		"at java.util.concurrent.locks.LockSupport.park(LockSupport.java:341)",
		"at java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
		"at java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",
		"at java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)",
		"at java.util.concurrent.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:635)",
		"at java.lang.Thread.run(Thread.java:833)",
		NULL
	};

	worker->cpu_us += 1;
	head(worker, "WAITING (parking)");
	line(parked());
	frames(waits);
}

static const char *
socket_read(void)
{
	return jdk == 8    ? "java.net.SocketInputStream.socketRead0(Native Method)"
	       : jdk == 17 ? "java.net.SocketInputStream.socketRead0(java.base@17.0.1/Native Method)"
			   : "sun.nio.ch.SocketDispatcher.read0(java.base@21.0.2/Native Method)";
}

/* Ordinary work: computing, a database, a file; a different place almost each time. */
static void
work(struct worker *worker)
{
	static const char *const places[] = { "shop.Cart.total",  "shop.Price.discount", "shop.Search.rank",
					      "shop.Page.render", "shop.Login.check",    "shop.Order.store",
					      "shop.Image.scale", "shop.Feed.parse" };
	const char *place = places[chance(sizeof places / sizeof *places)];

	worker->cpu_us += 1000 + chance(200000);
	head(worker, "RUNNABLE");
	if (chance(2) == 0) {
		printf("\tat %s\n", socket_read());
		line("at org.postgresql.core.v3.QueryExecutorImpl.execute(QueryExecutorImpl.java:355)");
	} else {
		printf("\tat java.util.HashMap.get(HashMap.java:%u)\n", 500 + chance(20));
	}
	printf("\tat %s(Shop.java:%u)\n\tat shop.Server.handle%u(Server.java:40)\n", place, 10 + chance(90), chance(4));
	frames(run_worker);
}

/* A thread that wants a monitor. */
static void
want(struct worker *worker, unsigned address, const char *class, const char *function)
{
	worker->cpu_us += 1;
	head(worker, "BLOCKED (on object monitor)");
	printf("\tat %s(Shop.java:77)\n\t- waiting to lock <0x%016x> (a %s)\n\tat shop.Server.handle(Server.java:40)\n",
	       function, address, class);
	frames(run_worker);
}

/* And one that has it. */
static void
keep(struct worker *worker, unsigned address, const char *class, const char *function)
{
	worker->cpu_us += 5000 + chance(50000);
	head(worker, "RUNNABLE");
	printf("\tat shop.Index.sort%u(Shop.java:90)\n\tat %s(Shop.java:78)\n\t- locked <0x%016x> (a %s)\n"
	       "\tat shop.Server.handle(Server.java:40)\n",
	       chance(5), function, address, class);
	frames(run_worker);
}

static void
stand(struct worker *worker, const char *thread_state, const char *leaf, const char *middle, const char *place)
{
	head(worker, thread_state);
	printf("\tat %s\n\tat %s(X.java:1)\n\tat %s(Shop.java:66)\n", leaf, middle, place);
	frames(run_worker);
}

/* --- threads --- */

/* The ways in which request threads wait without a monitor. */
static const struct wait { enum rule rule; const char *state, *leaf, *middle, *place; } waits[] = {
	{ CONNECTION, "TIMED_WAITING (parking)", "java.util.concurrent.SynchronousQueue.poll(SynchronousQueue.java:903)",
	  "com.zaxxer.hikari.util.ConcurrentBag.borrow", "shop.Db.open" },
	{ PERMIT, "WAITING (parking)", "java.util.concurrent.locks.LockSupport.park(LockSupport.java:175)",
	  "java.util.concurrent.Semaphore.acquire", "shop.Gate.enter" },
	{ RATE, "TIMED_WAITING (sleeping)", "java.lang.Thread.sleep(Thread.java:337)",
	  "com.google.common.util.concurrent.RateLimiter.acquire", "shop.Partner.call" },
	{ FULL, "WAITING (parking)", "java.util.concurrent.locks.LockSupport.park(LockSupport.java:175)",
	  "java.util.concurrent.ArrayBlockingQueue.put", "shop.Audit.add" }
};

/* Locks that request threads want. */
static const struct want { enum rule rule; unsigned address; const char *class, *function; } wants[] = {
	{ BLOCKED, 0xd0000020, "shop.Ledger", "shop.Ledger.read" },
	{ SLEEPER, 0xd0000030, "shop.Session", "shop.Session.touch" },
	{ LOADER, 0xd0000050, "shop.PluginLoader", "java.lang.ClassLoader.loadClass" },
	{ LOGGER, 0xd0000060, "org.apache.log4j.Logger", "org.apache.log4j.Category.callAppenders" }
};

static bool
request_waits(struct worker *worker)
{
	for (size_t w = 0; w < sizeof waits / sizeof *waits; w++) {
		const struct incident *on = going_on(waits[w].rule);

		if (on == NULL || worker->number > on->strength)
			continue;
		worker->cpu_us += chance(1000);
		stand(worker, waits[w].state, waits[w].leaf, waits[w].middle, waits[w].place);
		return true;
	}
	for (size_t w = 0; w < sizeof wants / sizeof *wants; w++) {
		const struct incident *on = going_on(wants[w].rule);

		if (on == NULL || worker->number > on->strength)
			continue;
		want(worker, wants[w].address, wants[w].class, wants[w].function);
		return true;
	}
	return false;
}

static void
request(struct worker *worker)
{
	const struct incident *convoy = going_on(CONVOY), *herd = going_on(HERD);

	if (going_on(UPSTREAM) != NULL) {
		worker->cpu_us += chance(2000);
		stand(worker, "RUNNABLE", socket_read(), "org.apache.http.impl.io.SessionInputBufferImpl.fillBuffer",
		      "shop.Upstream.ask");
	} else if (convoy != NULL && worker->number == dump_number % REQUESTS + 1) {
		keep(worker, 0xd0000010, "shop.Stock", "shop.Stock.write");
	} else if (convoy != NULL && worker->number <= convoy->strength + 1) {
		want(worker, 0xd0000010, "shop.Stock", "shop.Stock.write");
	} else if (herd != NULL && worker->number <= herd->strength) {
		worker->cpu_us += 50000 + chance(200000);
		stand(worker, "RUNNABLE", "java.util.HashMap.put(HashMap.java:600)", "java.util.HashMap.putAll",
		      "shop.Cache.fill");
	} else if (request_waits(worker)) {
		;
	} else if (chance(10) < 3) {
		work(worker);
	} else {
		idle(worker);
	}
}

static void
job(struct worker *worker)
{
	if (worker->number <= 2 && going_on(DEADLOCK) != NULL) {
		bool first = worker->number == 1;

		head(worker, "BLOCKED (on object monitor)");
		printf("\tat shop.Transfer.%s(Shop.java:5)\n\t- waiting to lock <0x%016x> (a shop.Account)\n"
		       "\tat shop.Transfer.run(Shop.java:9)\n\t- locked <0x%016x> (a shop.Account)\n",
		       first ? "debit" : "credit", first ? 0xd0000042 : 0xd0000041, first ? 0xd0000041 : 0xd0000042);
		frames(run_worker);
	} else if (worker->number == 3 && going_on(BLOCKED) != NULL) {
		keep(worker, 0xd0000020, "shop.Ledger", "shop.Ledger.close");
	} else if (worker->number == 4 && going_on(SLEEPER) != NULL) {
		head(worker, "TIMED_WAITING (sleeping)");
		printf("\tat java.lang.Thread.sleep(Thread.java:337)\n"
		       "\tat shop.Session.expire(Shop.java:12)\n\t- locked <0x%016x> (a shop.Session)\n", 0xd0000030);
		frames(run_worker);
	} else if (worker->number == 7 && going_on(LOADER) != NULL) {
		keep(worker, 0xd0000050, "shop.PluginLoader", "java.lang.ClassLoader.loadClass");
	} else if (worker->number == 8 && going_on(LOGGER) != NULL) {
		keep(worker, 0xd0000060, "org.apache.log4j.Logger", "org.apache.log4j.Category.callAppenders");
	} else if (worker->number == 5 && going_on(STUCK) != NULL) {
		stand(worker, "RUNNABLE", socket_read(), "com.sun.jndi.ldap.Connection.read", "shop.Mail.send");
	} else if (worker->number == 6 && going_on(SPIN) != NULL) {
		worker->cpu_us += (int64_t)dump_seconds * 990000;
		stand(worker, "RUNNABLE", "java.util.HashMap.get(HashMap.java:580)", "java.util.HashMap.containsKey",
		      "shop.Cache.find");
	} else if (chance(4) == 0) {
		work(worker);
	} else {
		idle(worker);
	}
}

static void
task(struct worker *worker)
{
	const struct incident *livelock = going_on(LIVELOCK);

	if (going_on(STARVED) != NULL) {
		worker->cpu_us += 1;
		stand(worker, "WAITING (parking)", "java.util.concurrent.locks.LockSupport.park(LockSupport.java:175)",
		      "java.util.concurrent.FutureTask.get", "shop.Report.parts");
	} else if (livelock != NULL && worker->number <= 2 + livelock->strength % 4) {
		worker->cpu_us += (int64_t)dump_seconds * 400000;
		stand(worker, "RUNNABLE", "java.util.concurrent.locks.ReentrantLock.tryLock(ReentrantLock.java:393)",
		      "shop.Transfer.both", "shop.Transfer.retry");
	} else if (chance(3) == 0) {
		work(worker);
	} else {
		idle(worker);
	}
}

static void
mailer(struct worker *worker)
{
	static const char *const box[] = { "at java.lang.Object.wait(Object.java:338)",
					   "- waiting on <0x00000000d0000070> (a shop.Box)",
					   "at shop.Box.take(Shop.java:21)",
					   "- locked <0x00000000d0000070> (a shop.Box)",
					   "at shop.Mailer.run(Shop.java:9)", NULL };

	if (going_on(LOST) == NULL) {
		if (chance(3) == 0)
			work(worker);
		else
			idle(worker);
		return;
	}
	worker->cpu_us += 1;
	head(worker, "WAITING (on object monitor)");
	frames(box);
}

static void
wait_for_work(struct worker *worker)
{
	static const char *const waits_for_work[] = {
		"- parking to wait for  <0x00000000c0000090> (a java.util.concurrent.ForkJoinPool)",
		"at java.util.concurrent.ForkJoinPool.awaitWork(ForkJoinPool.java:1824)",
		"at java.util.concurrent.ForkJoinPool.runWorker(ForkJoinPool.java:1693)", NULL };

	worker->cpu_us += 1;
	head(worker, "WAITING (parking)");
	line(parked());
	frames(waits_for_work);
}

static void
shared(struct worker *worker)
{
	if (going_on(COMMON) != NULL && worker->number <= SHARED - 1) {
		worker->cpu_us += chance(2000);
		stand(worker, "RUNNABLE", socket_read(), "java.net.URL.openStream", "shop.Sum.remote");
	} else if (chance(4) == 0) {
		work(worker);
	} else {
		wait_for_work(worker);
	}
}

/* Carriers of virtual threads, in the text of JDK 21, which has what they carry since 24. */
static void
carrier(struct worker *worker)
{
	const struct incident *pinned = going_on(PINNED);
	bool sleeps = pinned != NULL && worker->number <= 1 + pinned->strength % CARRIERS;

	if (!sleeps && chance(3) > 0) {
		wait_for_work(worker);
		return;
	}
	worker->cpu_us += sleeps ? 1 : 1000 + chance(100000);
	head(worker, sleeps ? " " : "");
	printf("   Carrying virtual thread #%u\n", 1000 + chance(100000));
	line("at jdk.internal.vm.Continuation.run(java.base@21.0.2/Continuation.java:251)");
	line("at java.lang.VirtualThread.runContinuation(java.base@21.0.2/VirtualThread.java:221)");
	printf("   Mounted virtual thread #%u\n", 1000 + chance(100000));
	if (sleeps)
		line("at java.lang.Thread.sleep(java.base@21.0.2/Thread.java:509)");
	printf("\tat shop.%s(Shop.java:%u)\n\n", sleeps ? "Quote.fetch" : "Quote.compute", 10 + chance(80));
}

/* The VM's own small threads, and a consumer. */
static void
others(struct worker *handler, struct worker *finalizer, struct worker *consumers)
{
	head(handler, "RUNNABLE");
	line("at java.lang.ref.Reference.waitForReferencePendingList(java.base@17.0.1/Native Method)");
	line("at java.lang.ref.Reference$ReferenceHandler.run(Reference.java:215)\n");
	if (going_on(FINALIZER) != NULL) {
		head(finalizer, "RUNNABLE");
		printf("\tat %s\n", socket_read());
		line("at shop.Handle.finalize(Shop.java:8)");
		line("at java.lang.ref.Finalizer$FinalizerThread.run(Finalizer.java:172)\n");
	} else {
		head(finalizer, "WAITING");
		line("at java.lang.Object.wait(java.base@17.0.1/Native Method)");
		line("at java.lang.ref.ReferenceQueue.remove(ReferenceQueue.java:155)");
		line("at java.lang.ref.Finalizer$FinalizerThread.run(Finalizer.java:172)\n");
	}
	for (int n = 0; n < CONSUMERS; n++) {
		head(&consumers[n], "RUNNABLE");
		line("at sun.nio.ch.EPoll.wait(java.base@17.0.1/Native Method)");
		line("at sun.nio.ch.SelectorImpl.select(SelectorImpl.java:141)");
		line("at org.apache.kafka.common.network.Selector.poll(Selector.java:481)");
		line("at shop.Events.run(Shop.java:3)\n");
	}
}

static void
banner(void)
{
	static const char *const versions[] = { "25.302-b08 mixed mode", "17.0.1+12 mixed mode, sharing",
						"21.0.2+13-LTS mixed mode, sharing" };

	print_time(stdout, dump_number, "%Y-%m-%d %H:%M:%S\n");
	printf("Full thread dump OpenJDK 64-Bit Server VM (%s):\n\n", versions[jdk == 8 ? 0 : jdk == 17 ? 1 : 2]);
}

static void
dump(struct worker *workers, int count, struct worker *small, struct worker *leaked)
{
	const struct incident *leak = going_on(LEAK);
	int leaks = leak == NULL ? 0 : 4 + (dump_number - leak->from) * leak->strength / 20;

	banner();
	for (int w = 0; w < count; w++)
		workers[w].act(&workers[w]);
	for (int w = 0; w < leaks && w < LEAKED; w++)
		idle(&leaked[w]);
	others(&small[0], &small[1], small + 2);
}

/* --- incidents --- */

/* How clear an incident is: strong when there are twice as many threads and dumps as make it clear. */
static const char *
clarity(const struct incident *of)
{
	int threads = rules[of->rule].threads, dumps = rules[of->rule].dumps, length = of->to - of->from + 1;

	if (of->strength < threads || length < dumps)
		return "faint";
	return of->strength >= 2 * threads && length >= 2 * dumps ? "strong" : "clear";
}

static enum rule
some_rule(void)
{
	enum rule rule;

	do
		rule = (enum rule)chance(RULES);
	while (rules[rule].jdk > jdk);
	return rule;
}

static void
plan(int dumps, int most, const char *truth)
{
	FILE *to = fopen(truth, "w");
	int at = 10;

	if (to == NULL) {
		perror(truth);
		exit(3);
	}
	while (incidents_count < most) {
		struct incident *new = &incidents[incidents_count];

		new->rule = some_rule();
		new->from = at + 4 + (int)chance(20);
		new->to = new->from + (new->rule == LEAK ? 29 : 2 + (int)chance(24));
		new->strength = new->rule == LEAK ? 20 + (int)chance(60) : 1 + (int)chance(30);
		if (new->to + 6 >= dumps)
			break;
		at = new->to;
		fprintf(to, "%s\t", rules[new->rule].name);
		print_time(to, new->from, "%Y-%m-%dT%H:%M:%SZ\t");
		print_time(to, new->to, "%Y-%m-%dT%H:%M:%SZ\t");
		fprintf(to, "%d\t%d\t%s\n", new->strength, new->to - new->from + 1, clarity(new));
		incidents_count++;
	}
	fclose(to);
}

static int
pool(struct worker *to, const char *name, int count, int *id, void (*act)(struct worker *worker))
{
	for (int n = 1; n <= count; n++)
		to[n - 1] = (struct worker){ name, n, (*id)++, 1000, act };
	return count;
}

int
main(int argc, char **argv)
{
	static struct worker workers[REQUESTS + JOBS + TASKS + MAILERS + SHARED + CARRIERS], small[2 + CONSUMERS],
		leaked[LEAKED];
	static const int jdks[] = { 8, 17, 21 };
	int dumps, count = 0, id = 10;
	uint64_t seed;

	if (argc < 3)
		return 2;
	seed = strtoull(argv[1], NULL, 10);
	state = seed * 2654435761u + 1;
	dumps = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 288;
	dump_seconds = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 60;
	start = argc > 6 ? strtoll(argv[6], NULL, 10) : start;
	host = argc > 7 ? (int)strtol(argv[7], NULL, 10) : 0;
	jdk = argc > 8 ? (int)strtol(argv[8], NULL, 10) : jdks[seed % 3];
	plan(dumps, argc > 5 ? (int)strtol(argv[5], NULL, 10) : 7, argv[2]);
	count += pool(workers, "http-nio-8080-exec-", REQUESTS, &id, request);
	count += pool(workers + count, "job-", JOBS, &id, job);
	count += pool(workers + count, "task-", TASKS, &id, task);
	count += pool(workers + count, "mail-", MAILERS, &id, mailer);
	count += pool(workers + count, "ForkJoinPool.commonPool-worker-", SHARED, &id, shared);
	if (jdk >= 21)
		count += pool(workers + count, "ForkJoinPool-1-worker-", CARRIERS, &id, carrier);
	small[0] = (struct worker){ "Reference Handler", 0, 2, 100, NULL };
	small[1] = (struct worker){ "Finalizer", 0, 3, 100, NULL };
	(void)pool(small + 2, "events-", CONSUMERS, &id, NULL);
	(void)pool(leaked, "timer-", LEAKED, &id, NULL);
	for (dump_number = 0; dump_number < dumps; dump_number++) {
		now = start + (int64_t)dump_number * dump_seconds;
		dump(workers, count, small, leaked);
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
