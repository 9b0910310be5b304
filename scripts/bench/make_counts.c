/* SPDX-License-Identifier: MIT
 * make_counts: dumps with a truth, as stkclass leaves them, for what finds changes: counts of classes with their own
 * seasons, noise from one dump to the next and from one day to the next, a common load, threads that stay, lost dumps,
 * restarts and holidays, and events that are asked for.
 *
 *	make_counts SEED CLASSES DAYS SECONDS NOISE [class=FROM-TO:MEAN,VARIES,STAYS]...
 *		[event=FROM-TO:HOURS-HOURS:CHANGE]...
 *
 * NOISE is negative-binomial, log-normal or none (Poisson). A class has a mean of .05 to 50 threads and a variance of 1
 * to 5 times that, and its threads stay 1 to 400 seconds, unless class= says so. CHANGE is xFACTOR or +THREADS. */
#include "stkpipe/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN 1772409600 /* a Monday */
#define EVENTS_MOST 400
#define PI 3.14159265358979323846

/* --- chance --- */

static uint64_t chance_state;

static double
unit(void)
{
	uint64_t x = chance_state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return ((double)((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double
between(double low, double high)
{
	return low + (high - low) * unit();
}

static double
normal(void)
{
	double radius = sqrt(-2 * log(unit()));

	return radius * cos(2 * PI * unit());
}

/* Marsaglia and Tsang. */
static double
gamma_of(double shape)
{
	double d = (shape < 1 ? shape + 1 : shape) - 1. / 3, c = 1 / sqrt(9 * d);

	for (;;) {
		double x = normal(), v = (1 + c * x) * (1 + c * x) * (1 + c * x);

		if (v > 0 && log(unit()) < 0.5 * x * x + d - d * v + d * log(v))
			return shape < 1 ? d * v * pow(unit(), 1 / shape) : d * v;
	}
}

static uint64_t
poisson(double mean)
{
	double least, left;
	uint64_t count = 0;

	if (mean > 30) {
		double about = round(mean + sqrt(mean) * normal());

		return about > 0 ? (uint64_t)about : 0;
	}
	least = exp(-mean);
	for (left = unit(); left > least; left *= unit())
		count++;
	return count;
}

static uint64_t
binomial(uint64_t n, double chance)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < n && chance > 1e-9; i++)
		count += unit() < chance;
	return count;
}

/* --- classes --- */

struct kind {
	double mean, varies, stays, swing, shift, usual;
	double remains; /* of threads, from dump to dump */
	double shape, keeps; /* of its noise */
	double noise, day;
	int night;
	uint64_t threads;
};

struct event {
	unsigned from, to;
	double begin, end, factor, more;
};

static struct event events[EVENTS_MOST];
static unsigned events_count;

static double
curve(const struct kind *k, double hour, int weekend)
{
	if (k->night)
		return hour > 2 && hour < 4 ? 6.05 : 0.05;
	return pow(exp(log(10) / 2 * cos((hour + k->shift - 14) / 24 * 2 * PI)) * (weekend ? 0.4 : 1), k->swing);
}

static void
choose_kind(struct kind *k, int seconds)
{
	double spread;

	k->swing = between(0.7, 1.15);
	k->shift = between(-1, 1);
	k->night = unit() < 0.04;
	k->mean = exp(between(log(0.05), log(50)));
	k->varies = between(1, 5);
	k->stays = exp(between(0, log(400)));
	k->keeps = exp(-seconds / exp(between(log(30), log(600))));
	spread = fmin(0.7, log1p(fmax(0, k->varies - 1) / k->mean));
	k->shape = spread > 1e-6 ? 1 / expm1(spread) : 0;
}

static void
begin_kind(struct kind *k, int seconds)
{
	double spread = fmin(0.7, log1p(fmax(0, k->varies - 1) / k->mean));

	k->shape = spread > 1e-6 ? 1 / expm1(spread) : 0;
	k->remains = exp(-seconds / k->stays);
	k->usual = 0;
	for (int h = 0; h < 168; h++)
		k->usual += curve(k, h % 24, h / 24 >= 5) / 168;
	k->noise = k->shape > 0 ? gamma_of(k->shape) / k->shape : 1;
}

/* A gamma variable that keeps a share of itself, and whose distribution stays what it is. */
static void
go_on(struct kind *k, int log_normal)
{
	double a = k->shape * k->keeps, b = k->shape - a, first, second;

	if (k->shape <= 0)
		return;
	if (log_normal) {
		double spread = log1p(1 / k->shape), z = (log(k->noise) + spread / 2) / sqrt(spread);

		z = k->keeps * z + sqrt(1 - k->keeps * k->keeps) * normal();
		k->noise = exp(sqrt(spread) * z - spread / 2);
		return;
	}
	first = a > 1e-6 ? gamma_of(a) : 0;
	second = b > 1e-6 ? gamma_of(b) : 0;
	k->noise = k->noise * first / (first + second + 1e-300) + (b > 1e-6 ? gamma_of(b) : 0) / k->shape;
}

static double
with_events(unsigned class, double hours, double mean)
{
	for (unsigned e = 0; e < events_count; e++)
		if (class >= events[e].from && class <= events[e].to && hours >= events[e].begin &&
		    hours < events[e].end)
			mean = mean * events[e].factor + events[e].more;
	return mean;
}

/* --- the stream --- */

static int
write_stdout(void *context, const void *from, size_t size, struct stk_error *err)
{
	(void)context;
	return fwrite(from, 1, size, stdout) == size ? 0 : stk_fail_errno(err, "cannot write");
}

static int
write_names(struct stk_writer *writer, unsigned classes, struct stk_error *err)
{
	char name[32];

	for (unsigned c = 0; c < classes; c++) {
		struct stk_class row = { .id = c + 1,
					 .since = STK_TIME_UNKNOWN,
					 .name = { name, (size_t)snprintf(name, sizeof name, "%016x", c) } };

		if (stk_writer_add(writer, STK_CLASS, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int
write_dump(struct stk_writer *writer, const struct kind *kinds, unsigned classes, int64_t time_ns,
	   struct stk_error *err)
{
	for (unsigned c = 0; c < classes; c++) {
		struct stk_intensity row = {
			.time = time_ns, .series = STK_SERIES_CLASS, .id = c + 1, .count = kinds[c].threads, .dumps = 1
		};

		if (kinds[c].threads > 0 && stk_writer_add(writer, STK_INTENSITY, &row, err) < 0)
			return -1;
	}
	return 0;
}

static void
wrong(const char *text)
{
	fprintf(stderr, "make_counts: expected SEED CLASSES DAYS SECONDS NOISE [class=...] [event=...], not '%s'\n",
		text);
	exit(2);
}

static void
read_choice(const char *text, struct kind *kinds, unsigned classes)
{
	unsigned from, to;
	double mean, varies, stays, begin, end, amount;
	char sign;

	if (sscanf(text, "class=%u-%u:%lf,%lf,%lf", &from, &to, &mean, &varies, &stays) == 5) {
		for (unsigned c = from; c <= to && c < classes; c++) {
			kinds[c].mean = mean;
			kinds[c].varies = varies;
			kinds[c].stays = stays;
			kinds[c].night = 0;
		}
	} else if (sscanf(text, "event=%u-%u:%lf-%lf:%c%lf", &from, &to, &begin, &end, &sign, &amount) == 6 &&
		   (sign == 'x' || sign == '+') && events_count < EVENTS_MOST) {
		events[events_count++] =
			(struct event){ from, to, begin, end, sign == 'x' ? amount : 1, sign == '+' ? amount : 0 };
	} else {
		wrong(text);
	}
}

struct world {
	double load, day;
	int down;
};

static void
step(struct world *w, struct kind *kinds, unsigned classes, int64_t second, int log_normal)
{
	int day = (int)(second / 86400), weekend = day % 7 >= 5 || day == 30 || day == 38;
	double hours = (double)second / 3600, hour = fmod(hours, 24), common;

	w->load = 0.97 * w->load + sqrt(1 - 0.97 * 0.97) * normal();
	common = exp(0.08 * w->load) * w->day;
	if (unit() < 1. / 3000) {
		w->down = 5;
		for (unsigned c = 0; c < classes; c++)
			kinds[c].threads = 0;
	}
	for (unsigned c = 0; c < classes; c++) {
		struct kind *k = &kinds[c];
		double mean = with_events(c, hours, k->mean * curve(k, hour, weekend) / k->usual * k->day * common);

		go_on(k, log_normal);
		mean *= 1 - 0.8 * w->down / 5;
		k->threads = binomial(k->threads, k->remains) + poisson((1 - k->remains) * mean * k->noise);
	}
	w->down -= w->down > 0;
}

static void
begin_day(struct world *w, struct kind *kinds, unsigned classes)
{
	w->day = exp(0.1 * normal());
	for (unsigned c = 0; c < classes; c++)
		kinds[c].day = exp(0.05 * normal());
}

int
main(int argc, char **argv)
{
	struct stk_writer_options options = { .write = write_stdout, .level = STK_LEVEL_PIPE };
	struct stk_writer *writer;
	struct stk_error err = { 0 };
	unsigned classes = argc > 5 ? (unsigned)atoi(argv[2]) : 0;
	int days = argc > 5 ? atoi(argv[3]) : 0, seconds = argc > 5 ? atoi(argv[4]) : 0;
	struct kind *kinds = calloc(classes + 1, sizeof *kinds);
	struct world world = { 0 };

	if (classes == 0 || days <= 0 || seconds <= 0 || kinds == NULL)
		wrong(argc > 1 ? argv[1] : "");
	chance_state = strtoull(argv[1], NULL, 10) * UINT64_C(1000003);
	for (unsigned c = 0; c < classes; c++)
		choose_kind(&kinds[c], seconds);
	for (int a = 6; a < argc; a++)
		read_choice(argv[a], kinds, classes);
	for (unsigned c = 0; c < classes; c++) {
		kinds[c].varies = strcmp(argv[5], "none") == 0 ? 1 : kinds[c].varies;
		begin_kind(&kinds[c], seconds);
	}
	if (stk_writer_open(&writer, &options, &err) < 0 || write_names(writer, classes, &err) < 0)
		return 3;
	for (int64_t second = 0; second < days * 86400; second += seconds) {
		if (second % 86400 < seconds)
			begin_day(&world, kinds, classes);
		step(&world, kinds, classes, second, strcmp(argv[5], "log-normal") == 0);
		if (unit() >= 0.02 && write_dump(writer, kinds, classes, (BEGIN + second) * 1000000000, &err) < 0)
			return 3;
	}
	return stk_writer_close(writer, true, &err) < 0 ? 3 : 0;
}
