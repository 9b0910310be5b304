/* SPDX-License-Identifier: MIT
 * make_incidents: thread dumps of a service, with incidents of which beginning, end and victims are known:
 *
 *	make_incidents SEED TRUTH [DUMPS [SECONDS [INCIDENTS [START [HOST]]]]]
 *
 * writes DUMPS (288) dumps SECONDS (60) apart to standard output, from START on (seconds since 1970; default
 * 2026-03-01T08:00:00Z), and into the file TRUTH a line for each incident: rule, first and last moment, its
 * strength (threads) and its dumps. HOST (0) is a number that makes the threads those of another process.
 * The same seed gives the same bytes. Between incidents the service works as such services do: request threads come
 * and go, most are idle. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REQUESTS  32
#define JOBS      8
#define CONSUMERS 4
#define LEAKED    200

enum rule { NONE, DEADLOCK, CONVOY, BLOCKED, UPSTREAM, CONNECTION, STUCK, SPIN, LEAK, SLEEPER, FINALIZER, RULES };

static const char *const rule_names[] = { "none", "deadlock", "convoy", "blocked", "pool-exhausted", "connection-pool",
					  "stuck", "spin", "thread-leak", "holder-idle", "finalizer" };

struct incident { enum rule rule; int from, to, strength; };

struct worker { const char *pool; int number, id; int64_t cpu_us; };

static uint64_t state;
static int64_t now, start = 1772352000;		/* 2026-03-01T08:00:00Z */
static int host;
static int dump_number, dump_seconds;
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

static void
head(struct worker *worker, const char *thread_state)
{
	char name[64];

	if (worker->number > 0)
		(void)snprintf(name, sizeof name, "%s%d", worker->pool, worker->number);
	else
		(void)snprintf(name, sizeof name, "%s", worker->pool);
	printf("\"%s\" #%d daemon prio=5 os_prio=0 cpu=%lld.%02lldms elapsed=%lld.00s tid=0x%016x nid=0x%x %s "
	       "[0x00007f0000000000]\n   java.lang.Thread.State: %s\n",
	       name, worker->id, (long long)(worker->cpu_us / 1000), (long long)(worker->cpu_us / 10 % 100),
	       (long long)(now - start + 1000), 0x10000 + host * 0x100000 + worker->id * 16,
	       0x2000 + host * 0x1000 + worker->id,
	       strcmp(thread_state, "RUNNABLE") == 0 ? "runnable" : "waiting on condition", thread_state);
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

static void
idle(struct worker *worker)
{
	static const char *const waits[] = {
		"at jdk.internal.misc.Unsafe.park(java.base@17.0.1/Native Method)",
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
	head(worker, "WAITING");
	frames(waits);
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
		line("at java.net.SocketInputStream.socketRead0(java.base@17.0.1/Native Method)");
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
	head(worker, "BLOCKED");
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

static void
request(struct worker *worker)
{
	const struct incident *convoy = going_on(CONVOY), *blocked = going_on(BLOCKED), *upstream = going_on(UPSTREAM);
	const struct incident *connection = going_on(CONNECTION), *sleeper = going_on(SLEEPER);

	if (upstream != NULL) {
		worker->cpu_us += chance(2000);
		stand(worker, "RUNNABLE", "java.net.SocketInputStream.socketRead0(java.base@17.0.1/Native Method)",
		      "org.apache.http.impl.io.SessionInputBufferImpl.fillBuffer", "shop.Upstream.ask");
	} else if (convoy != NULL && worker->number == dump_number % REQUESTS + 1) {
		keep(worker, 0xd0000010, "shop.Stock", "shop.Stock.write");
	} else if (convoy != NULL && worker->number <= convoy->strength + 1) {
		want(worker, 0xd0000010, "shop.Stock", "shop.Stock.write");
	} else if (blocked != NULL && worker->number <= blocked->strength) {
		want(worker, 0xd0000020, "shop.Ledger", "shop.Ledger.read");
	} else if (sleeper != NULL && worker->number <= sleeper->strength) {
		want(worker, 0xd0000030, "shop.Session", "shop.Session.touch");
	} else if (connection != NULL && worker->number <= connection->strength) {
		worker->cpu_us += chance(1000);
		stand(worker, "TIMED_WAITING", "java.util.concurrent.SynchronousQueue.poll(SynchronousQueue.java:903)",
		      "com.zaxxer.hikari.util.ConcurrentBag.borrow", "shop.Db.open");
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

		head(worker, "BLOCKED");
		printf("\tat shop.Transfer.%s(Shop.java:5)\n\t- waiting to lock <0x%016x> (a shop.Account)\n"
		       "\tat shop.Transfer.run(Shop.java:9)\n\t- locked <0x%016x> (a shop.Account)\n",
		       first ? "debit" : "credit", first ? 0xd0000042 : 0xd0000041, first ? 0xd0000041 : 0xd0000042);
		frames(run_worker);
	} else if (worker->number == 3 && going_on(BLOCKED) != NULL) {
		keep(worker, 0xd0000020, "shop.Ledger", "shop.Ledger.close");
	} else if (worker->number == 4 && going_on(SLEEPER) != NULL) {
		head(worker, "TIMED_WAITING");
		printf("\tat java.lang.Thread.sleep(java.base@17.0.1/Native Method)\n"
		       "\tat shop.Session.expire(Shop.java:12)\n\t- locked <0x%016x> (a shop.Session)\n", 0xd0000030);
		frames(run_worker);
	} else if (worker->number == 5 && going_on(STUCK) != NULL) {
		stand(worker, "RUNNABLE", "java.net.SocketInputStream.socketRead0(java.base@17.0.1/Native Method)",
		      "com.sun.jndi.ldap.Connection.read", "shop.Mail.send");
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

/* The VM's own small threads, and a consumer. */
static void
others(struct worker *handler, struct worker *finalizer, struct worker *consumers)
{
	head(handler, "RUNNABLE");
	line("at java.lang.ref.Reference.waitForReferencePendingList(java.base@17.0.1/Native Method)");
	line("at java.lang.ref.Reference$ReferenceHandler.run(Reference.java:215)\n");
	if (going_on(FINALIZER) != NULL) {
		head(finalizer, "RUNNABLE");
		line("at java.net.SocketInputStream.socketRead0(java.base@17.0.1/Native Method)");
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
dump(struct worker *workers, int count, struct worker *small, struct worker *leaked)
{
	const struct incident *leak = going_on(LEAK);
	int leaks = leak == NULL ? 0 : 4 + (dump_number - leak->from) * leak->strength / 20;

	print_time(stdout, dump_number, "%Y-%m-%d %H:%M:%S\n");
	printf("Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode, sharing):\n\n");
	for (int w = 0; w < count; w++)
		if (workers[w].pool[0] == 'h')
			request(&workers[w]);
		else
			job(&workers[w]);
	for (int w = 0; w < leaks && w < LEAKED; w++)
		idle(&leaked[w]);
	others(&small[0], &small[1], small + 2);
}

/* --- incidents --- */

static void
plan(int dumps, int most, const char *truth)
{
	FILE *to = fopen(truth, "w");
	int at = 6;

	if (to == NULL) {
		perror(truth);
		exit(3);
	}
	while (incidents_count < most) {
		struct incident *new = &incidents[incidents_count];

		new->rule = (enum rule)(1 + chance(RULES - 1));
		new->from = at + 4 + (int)chance(20);
		new->to = new->from + (new->rule == LEAK ? 29 : 2 + (int)chance(24));
		new->strength = new->rule == LEAK ? 20 + (int)chance(60) : 1 + (int)chance(30);
		if (new->to + 6 >= dumps)
			break;
		at = new->to;
		fprintf(to, "%s\t", rule_names[new->rule]);
		print_time(to, new->from, "%Y-%m-%dT%H:%M:%SZ\t");
		print_time(to, new->to, "%Y-%m-%dT%H:%M:%SZ\t");
		fprintf(to, "%d\t%d\n", new->strength, new->to - new->from + 1);
		incidents_count++;
	}
	fclose(to);
}

int
main(int argc, char **argv)
{
	static struct worker workers[REQUESTS + JOBS], small[2 + CONSUMERS], leaked[LEAKED];
	int dumps, count = 0, id = 10;

	if (argc < 3)
		return 2;
	state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
	dumps = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 288;
	dump_seconds = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 60;
	start = argc > 6 ? strtoll(argv[6], NULL, 10) : start;
	host = argc > 7 ? (int)strtol(argv[7], NULL, 10) : 0;
	plan(dumps, argc > 5 ? (int)strtol(argv[5], NULL, 10) : 6, argv[2]);
	for (int n = 1; n <= REQUESTS; n++)
		workers[count++] = (struct worker){ "http-nio-8080-exec-", n, id++, 1000 };
	for (int n = 1; n <= JOBS; n++)
		workers[count++] = (struct worker){ "job-", n, id++, 1000 };
	small[0] = (struct worker){ "Reference Handler", 0, 2, 100 };
	small[1] = (struct worker){ "Finalizer", 0, 3, 100 };
	for (int n = 1; n <= CONSUMERS; n++)
		small[1 + n] = (struct worker){ "events-", n, id++, 500 };
	for (int n = 1; n <= LEAKED; n++)
		leaked[n - 1] = (struct worker){ "timer-", n, id++, 100 };
	for (dump_number = 0; dump_number < dumps; dump_number++) {
		now = start + (int64_t)dump_number * dump_seconds;
		dump(workers, count, small, leaked);
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
