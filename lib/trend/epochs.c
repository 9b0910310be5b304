/* SPDX-License-Identifier: MIT
 * epochs: restarts are falls from one slot to the next that are beyond all others and last; slots are hours with their
 * least value, which is what remains after a collection. Slopes of several epochs are weighed by how well each is known
 * and by how much they differ (DerSimonian and Laird). */
#include "trend/epochs.h"

#include "base/array.h"

#include <math.h>
#include <stdbool.h>

#define SLOT_DAYS    (1.0 / 24)
#define SLOTS_LEAST  8			/* of a record in which restarts are looked for */
#define FALL_PART    0.1		/* and the part of the range of values */
#define LASTS        4			/* slots on both sides whose medians differ, too */
#define APART        3			/* slots between restarts, at least */
#define WARM_SLOTS   3			/* after a restart, which are left out of the line */
#define EPOCH_LEAST  12			/* slots of an epoch whose slope counts */

struct slot { double value; size_t from; };	/* the least value; its first measure */
struct slots { struct slot *at; size_t count, room; };

static int
compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the values. */
static double
median_of(double *values, size_t count)
{
	qsort(values, count, sizeof *values, compare_reals);
	return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static double
median_of_slots(const struct slot *slots, size_t count)
{
	double values[LASTS];

	for (size_t i = 0; i < count; i++)
		values[i] = slots[i].value;
	return median_of(values, count);
}

static struct slots
find_slots(const double *x, const double *y, size_t count)
{
	struct slots slots = { 0 };
	double slot = NAN;

	for (size_t i = 0; i < count; i++) {
		double at = floor(x[i] / SLOT_DAYS);

		if (at != slot)
			*array_push(&slots) = (struct slot){ y[i], i };
		slots.at[slots.count - 1].value = fmin(slots.at[slots.count - 1].value, y[i]);
		slot = at;
	}
	return slots;
}

/* How far a slot is below the one before it, to be a restart: a number below 0. */
static double
fall_wanted(const struct slots *slots, double deviations)
{
	size_t n = slots->count;
	double *room = mem_new(n, sizeof *room), middle, spread, range;

	for (size_t i = 1; i < n; i++)
		room[i - 1] = slots->at[i].value - slots->at[i - 1].value;
	middle = median_of(room, n - 1);
	for (size_t i = 1; i < n; i++)
		room[i - 1] = fabs(slots->at[i].value - slots->at[i - 1].value - middle);
	spread = 1.4826 * median_of(room, n - 1);
	for (size_t i = 0; i < n; i++)
		room[i] = slots->at[i].value;
	qsort(room, n, sizeof *room, compare_reals);
	range = room[(size_t)(0.98 * (double)(n - 1))] - room[(size_t)(0.02 * (double)(n - 1))];
	free(room);
	return -fmax(deviations * spread, FALL_PART * range);
}

/* Whether what a slot lost stays lost. */
static bool
stays_low(const struct slots *slots, size_t i, double fall)
{
	size_t before = i < LASTS ? i : LASTS, after = slots->count - i < LASTS ? slots->count - i : LASTS;

	return median_of_slots(slots->at + i, after) - median_of_slots(slots->at + i - before, before) < 0.3 * fall;
}

/* The measure with which the fall into a slot came: the deepest of its steps down. */
static size_t
place_of_fall(const struct slots *slots, size_t i, const double *y, size_t count)
{
	size_t from = slots->at[i - 1].from + 1, to = i + 1 < slots->count ? slots->at[i + 1].from : count, at = from;

	for (size_t k = from; k < to; k++)
		if (y[k] - y[k - 1] < y[at] - y[at - 1])
			at = k;
	return at;
}

size_t
epochs_find(const double *x, const double *y, size_t count, double deviations, size_t **starts)
{
	struct slots slots = find_slots(x, y, count);
	size_t found = 1, last = 0;
	double wanted;

	*starts = mem_new(slots.count + 1, sizeof **starts);
	(*starts)[0] = 0;
	if (slots.count >= SLOTS_LEAST) {
		wanted = fall_wanted(&slots, deviations);
		for (size_t i = 1; i < slots.count; i++) {
			double fall = slots.at[i].value - slots.at[i - 1].value;

			if (fall >= wanted || i - last < APART || !stays_low(&slots, i, fall))
				continue;
			(*starts)[found++] = place_of_fall(&slots, i, y, count);
			last = i;
		}
	}
	array_release(&slots);
	return found;
}

/* The measures of an epoch without its warm-up. */
static struct robust_line
line_of(const double *x, const double *y, size_t from, size_t to)
{
	size_t begin = from;

	while (from > 0 && begin < to && x[begin] - x[from] < WARM_SLOTS * SLOT_DAYS)
		begin++;
	if (to - begin < EPOCH_LEAST)
		begin = from;
	return robust_line(x + begin, y + begin, to - begin, LINE_BISQUARE, true, 0);
}

struct pool { double weights, squares, sum, sum_squares; size_t count; };

static void
pool_add(struct pool *pool, double slope, double variance)
{
	double weight = 1 / variance;

	pool->weights += weight;
	pool->squares += weight * weight;
	pool->sum += weight * slope;
	pool->sum_squares += weight * slope * slope;
	pool->count++;
}

/* The slopes of all epochs but the last that are long enough; between: what is added to the variance of each. */
static struct pool
pool_slopes(const struct robust_line *lines, const double *x, const size_t *starts, size_t epochs, double between)
{
	struct pool pool = { 0 };

	for (size_t e = 0; e + 1 < epochs; e++)
		if (x[starts[e + 1] - 1] - x[starts[e]] >= EPOCH_LEAST * SLOT_DAYS && lines[e].slope_error > 0 &&
		    isfinite(lines[e].slope_error))
			pool_add(&pool, lines[e].slope, lines[e].slope_error * lines[e].slope_error + between);
	return pool;
}

/* How much slopes differ beyond what each is known to. */
static double
variance_between(const struct pool *pool)
{
	double q = pool->sum_squares - pool->sum * pool->sum / pool->weights,
	       freed = pool->weights - pool->squares / pool->weights;

	return pool->count > 1 && freed > 0 ? fmax(0, (q - (double)(pool->count - 1)) / freed) : 0;
}

/* The slope between its own and the mean of earlier ones, through the middle of the measures. */
static void
lean_on(struct robust_line *line, const struct pool *pool, double between, const double *x, const double *y,
	size_t count)
{
	double own = line->slope_error * line->slope_error, mean = pool->sum / pool->weights,
	       variance = 1 / pool->weights + between, share = isfinite(own) ? variance / (variance + own) : 0;
	double *levels = mem_new(count, sizeof *levels);

	line->slope = share * line->slope + (1 - share) * mean;
	line->slope_error = sqrt(isfinite(own) ? share * own : variance);
	for (size_t i = 0; i < count; i++)
		levels[i] = y[i] - line->slope * (x[i] - line->middle);
	line->at_middle = median_of(levels, count);
	free(levels);
}

struct robust_line
epochs_line(const double *x, const double *y, size_t count, const size_t *starts, size_t epochs)
{
	size_t from = starts[epochs - 1];
	struct robust_line line = line_of(x, y, from, count), *lines = mem_new(epochs, sizeof *lines);
	struct pool pool;
	double between;

	for (size_t e = 0; e + 1 < epochs; e++)
		lines[e] = line_of(x, y, starts[e], starts[e + 1]);
	pool = pool_slopes(lines, x, starts, epochs, 0);
	between = pool.count > 0 ? variance_between(&pool) : 0;
	pool = pool_slopes(lines, x, starts, epochs, between);
	if (pool.count > 0)
		lean_on(&line, &pool, between, x + from, y + from, count - from);
	free(lines);
	return line;
}
