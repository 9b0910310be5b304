/* SPDX-License-Identifier: MIT
 * count_jump: figures of R's lm, slopes that are no jumps, jumps that are usual, and the smallest cases. */
#include "../lib/tap.h"

#include "trend/count_jump.h"

#include <math.h>

#define SLOTS	96
#define QUARTER INT64_C(900000000000)
#define HOUR	(4 * QUARTER)

struct record {
	int64_t times[SLOTS];
	double dumps[SLOTS], hits[SLOTS];
	struct count_slots slots;
};

static void
make_record(struct record *r, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		r->times[i] = (int64_t)i * QUARTER;
		r->dumps[i] = 3 + (double)(i * i % 5);
		r->hits[i] = 0;
	}
	r->slots = (struct count_slots){ .count = count, .time_ns = r->times, .dumps = r->dumps };
}

static bool
near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* lm(hits / dumps ~ hours, weights = dumps) of eight slots on either side, their cov.unscaled, and pt */
static void
lines_of_r(void)
{
	static const double steady[16] = { 15, 22, 33, 36, 21, 14, 20, 37, 79, 42, 35, 43, 75, 80, 41, 35 };
	static const double falls[16] = { 12, 18, 33, 40, 24, 18, 22, 31, 65, 44, 39, 52, 90, 82, 37, 24 };
	struct count_jump jumps[SLOTS];
	struct record r;

	make_record(&r, 16);
	for (int i = 0; i < 16; i++)
		r.hits[i] = steady[i];
	count_jumps_find(&r.slots, r.hits, 3 * HOUR, jumps);
	ok(near(jumps[8].before, 5.1430247718) && near(jumps[8].after, 11.0482398957) && near(jumps[8].t, 4.6161278342),
	   "lines and their distance are those of R: %.9g, %.9g, %.9g", jumps[8].before, jumps[8].after, jumps[8].t);
	ok(near(jumps[8].freedom, 16) && near(count_jump_p(&r.slots, jumps, 8, 4 * HOUR), 0.0002861084382), "and so is p: %g",
	   count_jump_p(&r.slots, jumps, 8, 4 * HOUR));
	for (int i = 0; i < 16; i++)
		r.hits[i] = falls[i];
	count_jumps_find(&r.slots, r.hits, 3 * HOUR, jumps);
	ok(near(jumps[8].t, 2.4289179039), "remainders that repeat count for less, as in R: %.9g", jumps[8].t);
}

static void
slopes(void)
{
	struct count_jump jumps[SLOTS];
	struct record r;
	double greatest = 0;
	size_t at = 0;

	make_record(&r, SLOTS);
	for (size_t i = 0; i < SLOTS; i++)
		r.hits[i] = r.dumps[i] * (5 + (double)i);
	count_jumps_find(&r.slots, r.hits, 3 * HOUR, jumps);
	for (size_t i = 0; i < SLOTS; i++)
		greatest = fmax(greatest, jumps[i].t);
	ok(greatest < 1e-9, "a slope jumps nowhere: %g", greatest);
	for (size_t i = 67; i < SLOTS; i++)
		r.hits[i] += r.dumps[i] * 40;
	count_jumps_find(&r.slots, r.hits, 3 * HOUR, jumps);
	for (size_t i = 0; i < SLOTS; i++)
		at = jumps[i].t > jumps[at].t ? i : at;
	ok(at == 67 && near(jumps[67].after - jumps[67].before, 40), "a jump upon it is found where it is: %zu, %g", at,
	   jumps[67].after - jumps[67].before);
}

static void
usual_jumps(void)
{
	struct count_jump jumps[SLOTS];
	struct record r;
	double alone, among;

	make_record(&r, SLOTS);
	for (size_t i = 0; i < SLOTS; i++)
		r.hits[i] = r.dumps[i] * (i >= 67 ? 20 : 5);
	count_jumps_find(&r.slots, r.hits, 3 * HOUR, jumps);
	alone = count_jump_p(&r.slots, jumps, 67, 3 * HOUR);
	for (size_t i = 20; i < 40; i++)
		r.hits[i] = r.dumps[i] * 20;
	count_jumps_find(&r.slots, r.hits, 3 * HOUR, jumps);
	among = count_jump_p(&r.slots, jumps, 67, 3 * HOUR);
	ok(alone < 1e-9 && among > .02, "a jump among others says less than one alone: %g, %g", alone, among);
}

static void
smallest(void)
{
	struct count_jump jumps[SLOTS];
	struct record r;

	for (size_t count = 0; count <= 8; count++) {
		make_record(&r, count);
		for (size_t i = 0; i < count; i++)
			r.hits[i] = r.dumps[i] * (i >= 4 ? 50 : 1);
		count_jumps_find(&r.slots, r.hits, 3 * HOUR, jumps);
		if (count == 8)
			ok(jumps[4].t > 1 && near(jumps[4].after, 50) && jumps[3].t <= 0 && jumps[5].t <= 0,
			   "four slots on a side are enough, three are not");
		else
			for (size_t i = 0; i < count; i++)
				if (jumps[i].t > 0)
					ok(false, "%zu slots: t %g at %zu", count, jumps[i].t, i);
	}
	make_record(&r, SLOTS);
	count_jumps_find(&r.slots, r.hits, 3 * HOUR, jumps);
	ok(near(count_jump_p(&r.slots, jumps, 40, 3 * HOUR), 1), "no hits: no jump");
}

int
main(void)
{
	lines_of_r();
	slopes();
	usual_jumps();
	smallest();
	return tap_end();
}
