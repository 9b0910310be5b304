/* SPDX-License-Identifier: MIT
 * make_foreign: dumps of services that are not Java's, with incidents of which beginning, end and victims are known:
 *
 *	make_foreign python|go|native SEED TRUTH [DUMPS [SECONDS [INCIDENTS]]]
 *
 * writes DUMPS (288) dumps SECONDS (60) apart to standard output, as py-spy, a Go program and eu-stack print them, each
 * below a line with its date; and into TRUTH what make_incidents writes there: rule, first and last moment, strength,
 * dumps, and faint, clear or strong. The same seed gives the same bytes. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define START      1772352000	/* 2026-03-01T08:00:00Z */
#define WORKERS    24
#define CLEAR      4		/* an incident of so many dumps is clear, when it has the threads as well */

struct incident { int from, to, strength, way; };

struct service {
	const char *name, *rule;
	int clear_threads;		/* from so many on it is clear */
	int most;			/* that an incident has */
	void (*dump)(const struct incident *incident);
};

static uint64_t state;
static int number, seconds;
static struct incident incidents[64];
static int incidents_count;

static unsigned
chance(unsigned below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

static void
print_time(FILE *to, int at, const char *format)
{
	time_t when = START + (time_t)at * seconds;
	struct tm date;
	char text[64];

	(void)gmtime_r(&when, &date);
	(void)strftime(text, sizeof text, format, &date);
	fputs(text, to);
}

/* --- Python: a thread has the interpreter's lock, others could run --- */

static void
python_thread(int n, const char *says, const char *frames)
{
	printf("Thread %d (%s): \"worker-%d\"\n%s    run (threading.py:982)\n    _bootstrap (threading.py:1002)\n", 900 + n, says,
	       n, frames);
}

static void
python_work(int n, const char *says)
{
	static const char *const places[] = { "price", "rank", "render", "parse", "encode", "score" };
	char frames[160];

	(void)snprintf(frames, sizeof frames, "    %s (shop.py:%u)\n    handle (shop.py:%u)\n", places[chance(6)],
		       20 + chance(80), 8 + chance(4));
	python_thread(n, says, frames);
}

static void
python_wait(int n)
{
	static const char *const waits[] = {
		"    wait (threading.py:320)\n    get (queue.py:171)\n    next_request (shop.py:5)\n",
		"    recv_into (socket.py:705)\n    readline (shop_db.py:12)\n    query (shop_db.py:40)\n",
		"    read (ssl.py:1166)\n    fetch (shop_http.py:9)\n"
	};

	python_thread(n, "idle", waits[chance(3)]);
}

static void
python_dump(const struct incident *incident)
{
	/* elsewhere one has the lock half of the time, and one more wants it now and then */
	int eager = incident != NULL ? incident->strength : chance(4) == 0;
	bool held = incident != NULL || chance(2) == 0;

	printf("Process 812: python3 shop.py\nPython v3.11.2 (/usr/bin/python3.11)\n\nThread 812 (idle): \"MainThread\"\n"
	       "    wait (threading.py:320)\n    main (shop.py:90)\n");
	for (int n = 1; n <= WORKERS; n++)
		if (held && n == 1)
			python_work(n, "active+gil");
		else if (held && n <= 1 + eager)
			python_work(n, chance(2) == 0 ? "active" : "idle");
		else
			python_wait(n);
}

/* --- Go: goroutines wait to send or for a lock; or those that receive become more and more --- */

static void
goroutine(int n, const char *waits, int minutes, const char *const *frames)
{
	printf("goroutine %d [%s", n, waits);
	if (minutes > 0)
		printf(", %d minutes", minutes);
	printf("]:\n");
	for (; *frames != NULL; frames++)
		printf("%s(0xc000%04x)\n\t/src/shop/shop.go:%d +0x1d\n", *frames, (unsigned)n, 40 + (int)chance(60));
	printf("created by main.start in goroutine 1\n\t/src/shop/shop.go:30 +0x2f\n\n");
}

/* A connection that is kept, or one that is served. */
static void
connection(int n)
{
	static const char *const kept[] = { "internal/poll.runtime_pollWait", "internal/poll.(*FD).Read",
					    "net.(*conn).Read", "net/http.(*connReader).Read", "bufio.(*Reader).fill",
					    "bufio.(*Reader).Peek", "net/http.(*conn).serve", NULL };
	static const char *const places[] = { "main.price", "main.rank", "main.render", "main.parse", "main.score" };
	static const char *const stores[] = { "main.find", "main.save", "main.list" };
	const char *serving[] = { places[chance(5)], "main.(*Server).ServeHTTP", "net/http.(*conn).serve", NULL };
	const char *asking[] = { "internal/poll.runtime_pollWait", "database/sql.(*DB).query", stores[chance(3)],
				 "main.(*Server).ServeHTTP", "net/http.(*conn).serve", NULL };

	switch (chance(4)) {
	case 0:  goroutine(n, "runnable", 0, serving); break;
	case 1:  goroutine(n, "IO wait", 0, asking); break;
	default: goroutine(n, "IO wait", 0, kept); break;
	}
}

static void
go_dump(const struct incident *incident)
{
	static const char *const first[] = { "main.dump", "main.main", NULL },
				 *const worker[] = { "main.worker", NULL },
				 *const publish[] = { "main.publish", "main.(*Server).ServeHTTP", NULL },
				 *const get[] = { "sync.(*Mutex).Lock", "main.(*Cache).Get", "main.(*Server).ServeHTTP", NULL };
	static int connections = 20;
	int n = 1;

	connections += (int)chance(5) - (connections > 35 ? 3 : connections < 8 ? 1 : 2);
	goroutine(n++, "running", 0, first);
	for (int i = 0; i < WORKERS; i++)
		goroutine(n++, "chan receive", number * seconds / 60 % 90, worker);
	for (int i = 0; i < connections; i++)
		connection(n++);
	for (int i = (int)chance(4); i > 0; i--)
		goroutine(n++, "sync.Mutex.Lock", 0, get);
	if (incident == NULL)
		return;
	for (int i = 0; i < incident->strength; i++)
		goroutine(n++, incident->way == 0 ? "chan send" : "sync.Mutex.Lock", (number - incident->from) * seconds / 60,
			  incident->way == 0 ? publish : get);
}

/* --- native: threads wait for a mutex in one function --- */

static void
native_thread(int n, const char *leaf, const char *below, const char *place)
{
	printf("TID %d \"shopd\":\n#0  0x00007f9c02cd0aec %s+0x4c - /usr/lib/libc.so.6\n"
	       "#1  0x00007f9c02cd0b10 %s+0x11 - /usr/lib/libc.so.6\n#2  0x000055676c2cf094 %s - /opt/shopd\n"
	       "#3  0x000055676c24f3d2 serve - /opt/shopd\n", 812 + n, leaf, below, place);
}

static void
native_dump(const struct incident *incident)
{
	static const char *const places[] = { "store_put", "cache_get", "log_line", "session_touch", "index_add" };

	printf("PID 812 - process\n");
	for (int n = 1; n <= WORKERS; n++)
		if (incident != NULL && n <= incident->strength)
			native_thread(n, "__lll_lock_wait", "pthread_mutex_lock", places[incident->way]);
		else if (chance(20) == 0)
			native_thread(n, "__lll_lock_wait", "pthread_mutex_lock", places[chance(5)]);
		else if (chance(3) == 0)
			native_thread(n, "__memmove_avx_unaligned", "qsort_r", places[chance(5)]);
		else if (chance(2) == 0)
			native_thread(n, "epoll_wait", "epoll_pwait", "next_request");
		else
			native_thread(n, "futex_wait", "pthread_cond_wait", "next_task");
}

/* --- incidents --- */

static const struct service services[] = {
	{ "python", "gil", 4, 12, python_dump },
	{ "go", "goroutines", 60, 300, go_dump },
	{ "native", "futex", 4, 16, native_dump }
};

static const char *
clarity(const struct service *service, const struct incident *of)
{
	int length = of->to - of->from + 1;

	if (of->strength < service->clear_threads || length < CLEAR)
		return "faint";
	return of->strength >= 2 * service->clear_threads && length >= 2 * CLEAR ? "strong" : "clear";
}

static void
plan(const struct service *service, int dumps, int most, const char *truth)
{
	FILE *to = fopen(truth, "w");
	int at = 10;

	if (to == NULL) {
		perror(truth);
		exit(3);
	}
	while (incidents_count < most) {
		struct incident *new = &incidents[incidents_count];

		new->from = at + 4 + (int)chance(20);
		new->to = new->from + 2 + (int)chance(24);
		new->strength = 1 + (int)chance((unsigned)service->most);
		new->way = (int)chance(2);
		if (new->to + 6 >= dumps)
			break;
		at = new->to;
		fprintf(to, "%s\t", service->rule);
		print_time(to, new->from, "%Y-%m-%dT%H:%M:%SZ\t");
		print_time(to, new->to, "%Y-%m-%dT%H:%M:%SZ\t");
		fprintf(to, "%d\t%d\t%s\n", new->strength, new->to - new->from + 1, clarity(service, new));
		incidents_count++;
	}
	fclose(to);
}

static const struct incident *
going_on(void)
{
	for (int i = 0; i < incidents_count; i++)
		if (number >= incidents[i].from && number <= incidents[i].to)
			return &incidents[i];
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct service *service = NULL;
	int dumps;

	for (size_t s = 0; argc > 3 && s < sizeof services / sizeof *services; s++)
		if (strcmp(argv[1], services[s].name) == 0)
			service = &services[s];
	if (service == NULL)
		return 2;
	state = strtoull(argv[2], NULL, 10) * 2654435761u + 1;
	dumps = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 288;
	seconds = argc > 5 ? (int)strtol(argv[5], NULL, 10) : 60;
	plan(service, dumps, argc > 6 ? (int)strtol(argv[6], NULL, 10) : 7, argv[3]);
	for (number = 0; number < dumps; number++) {
		print_time(stdout, number, "%Y-%m-%d %H:%M:%S\n");
		service->dump(going_on());
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
