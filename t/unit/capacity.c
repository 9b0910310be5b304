/* SPDX-License-Identifier: MIT
 * capacity: a worked example to nine digits, waves that grow, a new epoch, and the smallest inputs. */
#include "../lib/tap.h"

#include "trend/capacity.h"

#include <math.h>
#include <stdint.h>

#define SLOTS 480

static const size_t starts[] = { 0, 144, 312 };

static double
uniform(uint64_t *state)
{
	*state = (1103515245 * *state + 12345) % 2147483648u;
	return (double)*state / 2147483648.0;
}

static struct capacity_moment
moment(double day)
{
	return (struct capacity_moment){ day, day - floor(day), (int)floor(day) % 7 >= 5 };
}

/* Twenty days from a Monday on, with restarts on the sixth and the thirteenth; share: of the wave that grows with what
 * was since. */
static void
make(struct capacity_slot *slots, double share)
{
	uint64_t state = 3;

	for (size_t i = 0; i < SLOTS; i++) {
		double day = (double)i / 24, since = day - (double)starts[(i >= 144) + (i >= 312)] / 24,
		       level = 500 + 50 * since, wave = cos(2 * M_PI * ((double)(i % 24) - 14) / 24);

		slots[i] = (struct capacity_slot){ moment(day + 0.5 / 24),
						   level + 60 * wave * (1 - share + share * level / 600) +
							   8 * (uniform(&state) - 0.5) };
	}
}

/* As the reference, detect-ref/capacity.py, has it. */
static void
test_example(void)
{
	static const double days[] = { 19, 25, 30 },
			    values[] = { 749.9165284830958, 1050.933401409858, 1301.1807140908847 },
			    errors[] = { 2.3363162387206606, 2.366846095244516, 2.417156851314061 };
	struct capacity_slot slots[SLOTS];
	struct capacity_line line;

	make(slots, 0);
	ok(capacity_fit(&line, slots, SLOTS, starts, 3), "twenty days with two restarts have a line");
	ok(fabs(line.slope - 50.04946253620535) < 1e-8, "the slope is that of the reference: %.10f", line.slope);
	ok(fabs(sqrt(line.slope_variance) - 0.04691018095092363) < 1e-9, "... and its error: %.12f",
	   sqrt(line.slope_variance));
	ok(line.factor == 1 && !line.multiplies && line.trials == 9, "nine trials are no worse than the line says");
	for (size_t i = 0; i < 3; i++) {
		struct capacity_moment at = moment(days[i]);

		ok(fabs(capacity_value(&line, &at) - values[i]) < 1e-7, "day %g: the value is that of the reference",
		   days[i]);
		ok(fabs(capacity_error(&line, days[i]) - errors[i]) < 1e-8, "... and its error");
	}
}

static void
test_growing_wave(void)
{
	struct capacity_slot slots[SLOTS];
	struct capacity_line line;
	struct capacity_moment noon = moment(30 + 14.5 / 24), night = moment(30 + 2.5 / 24);

	make(slots, 1);
	ok(capacity_fit(&line, slots, SLOTS, starts, 3) && line.multiplies, "a wave that grows with the line is seen");
	ok(fabs(capacity_value(&line, &noon) - capacity_value(&line, &night) - 25 - 2 * 60 * 1362.5 / 600) < 8,
	   "... and grows on: %.1f", capacity_value(&line, &noon) - capacity_value(&line, &night));
}

static void
test_young(void)
{
	struct capacity_slot slots[SLOTS];
	struct capacity_line line;
	bool near = true;

	make(slots, 0);
	for (size_t young = 1; young <= 12; young++) {
		ok(capacity_fit(&line, slots, 312 + young, starts, 3), "%zu slots after a restart", young);
		near = near && fabs(line.slope - 50) < 1 && fabs(capacity_level(&line, 13) - 500) < 8;
	}
	ok(near, "... there is the slope of earlier times, from where the last restart began");
}

static void
test_few(void)
{
	struct capacity_slot slots[SLOTS];
	struct capacity_line line;

	make(slots, 0);
	ok(!capacity_fit(&line, slots, 0, starts, 1), "nothing has no line");
	ok(!capacity_fit(&line, slots, CAPACITY_SLOTS_LEAST - 1, starts, 1), "neither have 47 slots");
	ok(capacity_fit(&line, slots, CAPACITY_SLOTS_LEAST, starts, 1) && isfinite(capacity_error(&line, 30)),
	   "48 slots have one");
	for (size_t i = 0; i < SLOTS; i++)
		slots[i].value = 7;
	ok(capacity_fit(&line, slots, SLOTS, starts, 3) && fabs(line.slope) < 1e-9 &&
		   fabs(capacity_level(&line, 40) - 7) < 1e-6 && capacity_error(&line, 40) < 1e-6,
	   "what never changes stays as it is");
}

static void
test_misfit(void)
{
	static const size_t wrong[] = { 0, 100, 200, 300 };
	struct capacity_slot slots[SLOTS];

	make(slots, 0);
	ok(capacity_misfit(slots, SLOTS, starts, 3) < capacity_misfit(slots, SLOTS, starts, 1),
	   "with its restarts a record is explained better than without");
	ok(capacity_misfit(slots, SLOTS, starts, 3) < capacity_misfit(slots, SLOTS, wrong, 4),
	   "... and than by others");
}

int
main(void)
{
	test_example();
	test_growing_wave();
	test_young();
	test_few();
	test_misfit();
	return tap_end();
}
