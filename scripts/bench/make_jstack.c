/* SPDX-License-Identifier: MIT
 * A day in the life of an order service, as `jstack -l` of a JDK 17 prints it every 30 seconds: 200 threads; a daily
 * load curve with a lunch dip; an hourly batch; a nightly report 02:00-02:50; a lock incident 10:20-10:40; a slow
 * upstream 16:05-16:25; a deadlock 23:50-23:55. The sections were printed by a real JVM (jstack.sections); names, ids,
 * addresses, cpu= and elapsed= vary here. */
#include "generate.h"

#include <stdbool.h>
#include <sys/stat.h>

static const char usage[] =
	"make_jstack [--sections jstack.sections] [--dumps 2880] [--start 0] [--seed 42] [-o FILE] [--directory DIR]";

enum {
	SLOTS = 200,
	STACKS = 160,
	SECTIONS = 400,
	LINES = 2048,
	SECONDS_BETWEEN = 30,
	NOVEMBER = 12,		/* days of it */
	DAYS = NOVEMBER + 31,
	EPOCH = 20 /* dumps that an object lives */
};

struct section {
	const char     *role, *op, *attributes, *state;
	int             stack;			/* sections of one stack are its variants */
	bool            has_address;
	const uint16_t *line;
	int             lines;
};

struct slot {
	char            name[48], kind[24];
	int             number;
	uint64_t        tid, stack_address;
	uint32_t        nid;
	double          cpu;
	const struct section *now;
	int             left;			/* dumps until it may change */
};

static const char    *line_text[LINES + 1];
static struct section section[SECTIONS];
static int            sections, lines, slots;
static struct slot    slot[SLOTS];
static const char    *deadlock_report;
static struct { int first, count; const char *role, *op; } stack[STACKS];	/* by stack number of the file */

static char   text[4 << 20];		/* one dump */
static size_t used;

static void
add(const char *s, size_t n)
{
	if (used + n > sizeof text)
		die("a dump is larger than expected");
	memcpy(text + used, s, n);
	used += n;
}

#define addf(...) (used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__))

static uint16_t *
parse_ranges(char *p, int *count)
{
	uint16_t *list = get_memory(256 * sizeof *list);

	*count = 0;
	while (*p) {
		long from = strtol(p, &p, 10), to = *p == '-' ? strtol(p + 1, &p, 10) : from;

		for (; from <= to && *count < 256; from++)
			list[(*count)++] = (uint16_t)from;
		while (*p == ' ')
			p++;
	}
	return list;
}

static void
read_sections(const char *name)
{
	size_t length;
	char  *p = read_whole(name, &length), *next;
	int    part = 0;

	for (; p && *p; p = next) {
		if (part == 2) {
			deadlock_report = p;
			return;
		}
		if ((next = strchr(p, '\n')))
			*next++ = 0;
		if (strcmp(p, "%%") == 0) {
			part++;
		} else if (part == 0 && *p == '#') {
			continue;
		} else if (part == 0 && lines < LINES) {
			line_text[++lines] = p;
		} else if (part == 1 && sections < SECTIONS) {
			struct section *s = &section[sections];
			char           *field[7] = { p };

			for (int i = 1; i < 7; i++)
				if (!(field[i] = strchr(field[i - 1], '\t')))
					die("%s: a section without seven fields: %s", name, p);
				else
					*field[i]++ = 0;
			*s = (struct section){ .role = field[0],
					       .op = field[1],
					       .stack = atoi(field[2]),
					       .attributes = field[3],
					       .state = field[4],
					       .has_address = *field[5] == '+' };
			s->line = parse_ranges(field[6], &s->lines);
			if (strcmp(s->role, "sys") && strcmp(s->role, "native") && strcmp(s->role, "dead") &&
			    s->stack < STACKS) {
				if (!stack[s->stack].count++) {
					stack[s->stack].first = sections;
					stack[s->stack].role = s->role;
					stack[s->stack].op = s->op;
				}
			}
			sections++;
		}
	}
	die("%s: no deadlock report at its end", name);
}

/* A stack of this role, and of this op unless it is NULL; by chance when there are several. */
static int
pick(const char *role, const char *op)
{
	int found[STACKS], n = 0;

	for (int i = 0; i < STACKS; i++)
		if (stack[i].count && strcmp(stack[i].role, role) == 0 && (!op || strcmp(stack[i].op, op) == 0))
			found[n++] = i;
	if (!n)
		die("no section of role %s, op %s", role, op ? op : "any");
	return found[n == 1 ? 0 : random_below((uint32_t)n)];
}

static const struct section *
system_section(const char *role, const char *op, int number)
{
	for (int i = 0; i < sections; i++)
		if (strcmp(section[i].role, role) == 0 && strcmp(section[i].op, op) == 0 && section[i].stack == number)
			return &section[i];
	die("no section of role %s, op %s", role, op);
	return NULL;
}

static void
add_slot(const char *kind, const char *name, int number)
{
	static uint64_t tid = 0x7f9fac017ef0, address = 0x7f9f94e2a000;
	static uint32_t nid = 0x2a1c;
	static const uint32_t step[5] = { 1, 1, 1, 2, 7 };
	struct slot    *s = &slot[slots];

	if (slots == SLOTS)
		return;
	snprintf(s->kind, sizeof s->kind, "%s", kind);
	snprintf(s->name, sizeof s->name, name, number);
	s->number = slots + 1;
	s->tid = tid;
	s->nid = nid;
	s->stack_address = address;
	s->cpu = random_unit() * 50;
	tid += 0x600 + 0x10 * random_below(0x160);
	nid += step[random_below(5)];
	address -= 0x100000 + (slots % 9 ? 0 : 0x1000);
	slots++;
}

static void
hire_threads(void)
{
	static const struct { const char *kind, *name; int count, from;
	} crew[] = {
		{ "web", "http-nio-8080-exec-%d", 100, 1 },
		{ "SELECT", "http-nio-8080-Poller", 1, 0 },
		{ "ACCEPT", "http-nio-8080-Acceptor", 1, 0 },
		{ "async", "async-task-%d", 24, 1 },
		{ "batch", "quartzScheduler_Worker-%d", 10, 1 },
		{ "kafka", "kafka-consumer-orders-%d", 8, 1 },
		{ "SELECT3", "kafka-producer-network-thread | producer-1", 1, 0 },
		{ "SELECT2", "lettuce-nioEventLoop-4-%d", 8, 1 },
		{ "log", "log-writer-%d", 3, 1 },
		{ "IDLE_SCHED", "scheduling-%d", 8, 1 },
		{ "fj", "ForkJoinPool.commonPool-worker-%d", 7, 1 },
		{ "TIMER", "Timer-%d", 4, 0 },
		{ "sleep", "metrics-publisher", 1, 0 },
		{ "sleep", "HikariPool-1 housekeeper", 1, 0 },
		{ "HOLD_MONITOR", "reservation-sweeper", 1, 0 },
		{ "HOLD_RELOCK", "number-range-allocator", 1, 0 },
		{ "dead", "ledger-sync-1", 1, 0 },
		{ "dead", "ledger-sync-2", 1, 0 },
		{ "sys", "Attach Listener", 1, 0 },
		{ "IDLE_TPE", "pool-%d-thread-1", SLOTS, 1 },
	};

	for (int i = 0; i < sections; i++)
		if (strcmp(section[i].role, "sys") == 0 && strcmp(section[i].op, "Attach Listener"))
			add_slot("sys", section[i].op, 0);
	for (size_t c = 0; c < sizeof crew / sizeof *crew; c++)
		for (int i = 0; i < crew[c].count; i++)
			add_slot(crew[c].kind, crew[c].name, crew[c].from + i);
}

static double
load_at(double hour)
{
	double load = .06 + .30 * bump(hour, 14.2, 3.6) + .18 * bump(hour, 20.3, 1.6) - .06 * bump(hour, 12.5, .5);

	return load > .03 ? load : .03;
}

/* Some requests are frequent, most are rare: weight 1/rank^(3/4), by ranks that are a fixed shuffle of the stacks. */
static int
pick_request(void)
{
	static int    order[STACKS], n;
	static double upto[STACKS];

	if (!n) {
		double sum = 0;

		for (int i = 0; i < STACKS; i++)
			if (stack[i].count && strcmp(stack[i].role, "web") == 0 &&
			    strcmp(stack[i].op, "MONITOR_WAIT_LOCK") && strcmp(stack[i].op, "RELOCK")) {
				int at = (int)random_below((uint32_t)++n);

				order[n - 1] = order[at];
				order[at] = i;
			}
		for (int i = 0; i < n; i++) {
			double root = 1, rank = i + 1;

			for (int k = 0; k < 40; k++)		/* the fourth root, by Newton */
				root = (3 * root + rank / (root * root * root)) / 4;
			upto[i] = sum += root / rank;
		}
	}
	double x = random_unit() * upto[n - 1];
	int    i = 0;

	while (upto[i] <= x && i < n - 1)
		i++;
	return order[i];
}

static int
choose_stack(const char *kind, int minute_of_day, double load)
{
	double chance = random_unit();
	int    minute = minute_of_day % 60;
	bool   nightly = minute_of_day >= 120 && minute_of_day < 170;

	if (strcmp(kind, "web") == 0) {
		if (minute_of_day >= 620 && minute_of_day < 640 && chance < .62)
			return pick("web", "MONITOR_WAIT_LOCK");
		if (minute_of_day >= 965 && minute_of_day < 985 && chance < .45)
			return pick("web", "SOCKREAD");
		if (chance >= load)
			return pick("idle", "IDLE_TPE");
		if (random_unit() < .015)
			return pick("web", random_unit() < .3 ? "MONITOR_WAIT_LOCK" : "RELOCK");
		return pick_request();
	}
	if (strcmp(kind, "async") == 0)
		return chance < load * .9 ? pick("async", NULL) : pick("idle", "IDLE_LBQ");
	if (strcmp(kind, "batch") == 0)
		return (minute < 5 && chance < .7) || (nightly && chance < .5) ? pick("batch", NULL)
									       : pick("idle", "OBJWAIT");
	if (strcmp(kind, "kafka") == 0)
		return chance < load * .8 ? pick("kafka", NULL) : pick("idle", "SELECT3");
	if (strcmp(kind, "fj") == 0)
		return (nightly || minute < 2) && chance < .6 ? pick("fj", NULL) : pick("idle", "IDLE_FJ");
	if (strcmp(kind, "log") == 0)
		return chance < load ? pick("log", NULL) : pick("idle", "QUEUETAKE");
	if (strcmp(kind, "sleep") == 0)
		return pick("sleep", NULL);
	if (strcmp(kind, "dead") == 0)
		return pick("idle", "OBJWAIT");
	return pick(strncmp(kind, "HOLD", 4) == 0 ? "owner" : "idle", kind);
}

/* Heap addresses. A pool's condition lives as long as the process, a worker as long as its thread, other objects for an
 * epoch. */
static uint64_t
heap_address(const struct slot *s, const struct section *from, const char *label, size_t length, const char *class_name,
	     int epoch)
{
	static const char condition[] = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject";
	static const char *const pools[] = { "web", "async", "batch", "IDLE_TPE", "IDLE_SCHED", "fj", "log" };
	uint64_t key = 0;

	for (size_t i = 0; i < length; i++)
		key = mix64(key + (unsigned char)label[i]);
	if (*label == '!')
		return 0xe1000000 + (key & 0x3fffff) * 8;
	if (strncmp(class_name, "java.util.concurrent.ThreadPoolExecutor$Worker", 46) == 0)
		return 0xe0900000 + (uint64_t)s->number * 0x128;
	for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
		if (strcmp(s->kind, pools[i]) == 0 && strncmp(class_name, condition, sizeof condition - 1) == 0)
			return 0xe0800000 + (mix64(i * 1000 + (i == 3 ? (uint64_t)s->number : 0) + 7) & 0x7ffff) * 8;
	key = mix64(key + mix64((uint64_t)s->number + mix64((uint64_t)(from - section) + mix64((uint64_t)epoch + 1))));
	return 0xe1000000 + (key & 0x3fffff) * 8;
}

static void
add_line(const struct slot *s, const struct section *from, const char *line, int epoch)
{
	const char *mark = strchr(line, '<');
	char        address[24];

	if (mark && (mark[1] == '@' || mark[1] == '!')) {
		const char *end = strchr(mark, '>');
		int n = snprintf(
			address, sizeof address, "<0x%016llx>",
			(unsigned long long)heap_address(s, from, mark + 1, (size_t)(end - mark - 1), end + 5, epoch));

		add(line, (size_t)(mark - line));
		add(address, (size_t)n);
		line = end + 1;
	}
	add(line, strlen(line));
	add("\n", 1);
}

static void
add_thread(struct slot *s, int dump, double elapsed, double load, bool dead)
{
	int minute_of_day = dump * SECONDS_BETWEEN / 60 % 1440;

	if (strcmp(s->kind, "sys") == 0) {
		s->now = system_section("sys", s->name, 0);
	} else if (dead && strcmp(s->kind, "dead") == 0) {
		s->now = system_section("dead", "DEADLOCK", s->name[strlen(s->name) - 1] - '1');
		s->left = 0;
	} else {
		if (s->left <= 0 || (minute_of_day >= 620 && minute_of_day < 641)) {
			int i = choose_stack(s->kind, minute_of_day, load);

			s->now = &section[stack[i].first + (int)random_below((uint32_t)stack[i].count)];
			s->left = 1 + (random_unit() < .06 ? 1 + (int)random_below(5) : 0);
		}
		s->left--;
		if (strcmp(s->now->op, "CPU") == 0 || strcmp(s->now->op, "SHA") == 0)
			s->cpu += SECONDS_BETWEEN * 1000 * (.4 + .55 * random_unit());
		else
			s->cpu += random_unit() * 3;
	}
	addf("\"%s\" #%d %s os_prio=0 cpu=%.2fms elapsed=%.2fs tid=0x%016llx nid=0x%x %s  [0x%016llx]\n", s->name,
	     s->number, s->now->attributes, s->cpu, elapsed - s->number * .04, (unsigned long long)s->tid, s->nid,
	     s->now->state, s->now->has_address ? (unsigned long long)s->stack_address : 0);
	for (int i = 0; i < s->now->lines; i++)
		add_line(s, s->now, line_text[s->now->line[i]], dump / EPOCH);
	add("\n", 1);
}

static void
add_native_threads(double elapsed, double load)
{
	static double cpu[SECTIONS];
	int           n = 0;

	for (int i = 0; i < sections; i++)
		if (strcmp(section[i].role, "native") == 0) {
			if (cpu[n] == 0)
				cpu[n] = random_unit() * 9000;
			cpu[n] += random_unit() * 40 * (1 + 4 * load);
			addf("\"%s\" os_prio=0 cpu=%.2fms elapsed=%.2fs tid=0x%016llx nid=0x%x %s  \n\n", section[i].op,
			     cpu[n], elapsed, 0x7f9fac045e70ull + 0x1150ull * (unsigned)n, 0x2a00 + n,
			     section[i].state);
			n++;
		}
}

/* The first day is 19 November, the last one 31 December. */
static int
month_of(int second)
{
	return second / 86400 < NOVEMBER ? 11 : 12;
}

static int
day_of(int second)
{
	int day = second / 86400;

	return day < NOVEMBER ? 19 + day : day - NOVEMBER + 1;
}

static void
make_dump(int dump)
{
	int    second = dump * SECONDS_BETWEEN;
	double elapsed = (31 * 60 + 7) * 60 + second + random_unit() * .08, load = load_at(second % 86400 / 3600.);
	bool   dead = dump % 2880 >= 2860 && dump % 2880 < 2870;

	used = 0;
	addf("2026-%02d-%02d %02d:%02d:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6-Debian-1deb12u1 mixed mode, sharing):\n\n",
	     month_of(second), day_of(second), second / 3600 % 24, second / 60 % 60, second % 60);
	addf("Threads class SMR info:\n_java_thread_list=0x00007f9f24018fd0, length=%d, elements={\n", slots);
	for (int i = 0; i < slots; i++)
		addf("0x%016llx%s", (unsigned long long)slot[i].tid,
		     i == slots - 1 ? "\n}\n\n"
		     : i % 4 == 3   ? ",\n"
				    : ", ");
	for (int i = 0; i < slots; i++)
		add_thread(&slot[i], dump, elapsed, load, dead);
	add_native_threads(elapsed, load);
	addf("JNI global refs: %d, weak refs: 0\n\n", 22 + dump % 3);
	if (dead)
		addf("\n%s\n", deadlock_report);
}

/* One file a dump, named by its time. */
static void
write_apart(const char *directory, int dump)
{
	char  name[4096];
	int   second = dump * SECONDS_BETWEEN;
	FILE *f;

	snprintf(name, sizeof name, "%s/jstack-2026%02d%02d-%02d%02d%02d.txt", directory, month_of(second),
		 day_of(second), second / 3600 % 24, second / 60 % 60, second % 60);
	if (!(f = fopen(name, "wb")) || fwrite(text, 1, used, f) != used || fclose(f))
		die("%s: %s", name, strerror(errno));
}

int
main(int argc, char **argv)
{
	const char *from = option(&argc, argv, "--sections", "scripts/bench/jstack.sections");
	int dumps = atoi(option(&argc, argv, "--dumps", "2880")), start = atoi(option(&argc, argv, "--start", "0"));
	const char *directory = option(&argc, argv, "--directory", NULL),
		   *name = option(&argc, argv, "-o", directory ? NULL : "-");
	uint64_t    bytes = 0;
	FILE       *out;

	chance_state = strtoull(option(&argc, argv, "--seed", "42"), NULL, 10);
	end_options(argc, argv, usage);
	if (dumps < 1 || start < 0 || dumps > DAYS * 2880 - start)
		die("--dumps and --start: together 1 to %d, not %d and %d", DAYS * 2880, dumps, start);
	read_sections(from);
	hire_threads();
	out = open_output(name);
	if (directory && mkdir(directory, 0777) && errno != EEXIST)
		die("%s: %s", directory, strerror(errno));
	for (int d = start; d < start + dumps; d++) {
		make_dump(d);
		bytes += used;
		if (out)
			fwrite(text, 1, used, out);
		if (directory)
			write_apart(directory, d);
	}
	close_output(out, name);
	fprintf(stderr, "make_jstack: %llu bytes, %d dumps, %d threads each, %d kinds of section\n",
		(unsigned long long)bytes, dumps, slots, sections);
	return 0;
}
