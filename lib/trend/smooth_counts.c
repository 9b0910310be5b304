/* SPDX-License-Identifier: MIT
 * smooth_counts: a regression of the true counts on those that were seen around. The true ones are not known, but
 * their products with what was seen are: noise of two slots is independent, and that of a slot itself shows between
 * its two halves. Bytes a thread are right by such a line; by noisy counts they are too few. */
#include "trend/smooth_counts.h"

#include "base/memory.h"
#include "trend/nonnegative.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define AROUND 3 /* slots before and after */
#define NEIGHBOURS (2 * AROUND + 1 + 2) /* those, the slot, and a day before and after */
#define OTHERS 3 /* of others: the slot, the one before, the one after */
#define TOLD (NEIGHBOURS + OTHERS)
#define SLOTS_EACH 24 /* for one more count to be a part of the line */
#define NOISE_MOST 0.9 /* of the variance of counts: some of what is seen is there */
#define NOWHERE UINT32_MAX

struct smooth_counts {
	const double *weight;
	size_t slots, told; /* counts that tell of a slot */
	uint32_t *at[NEIGHBOURS]; /* by slot the one that is so far away, or NOWHERE; the slot itself first */
};

static double
slot_length(const double *hour, size_t n)
{
	double least = 24;

	for (size_t i = 1; i < n; i++)
		least = fmin(least, hour[i] - hour[i - 1]);
	return least;
}

/* The nearest first, then a day away. */
static double
hours_away(size_t k, double length)
{
	double sign = k % 2 == 0 ? 1 : -1;

	return k > 2 * AROUND ? sign * 24 : sign * (double)((k + 1) / 2) * length;
}

static void
find_neighbours(const double *hour, size_t n, double away, uint32_t *at)
{
	size_t j = 0;

	for (size_t i = 0; i < n; i++) {
		while (j < n && hour[j] < hour[i] + away - 1e-6)
			j++;
		at[i] = j < n && fabs(hour[j] - hour[i] - away) < 1e-6 ? (uint32_t)j : NOWHERE;
	}
}

struct smooth_counts *
smooth_counts_open(const double *hour, const double *weight, size_t slots)
{
	struct smooth_counts *s = mem_new(1, sizeof *s);
	size_t told = slots / SLOTS_EACH;

	*s = (struct smooth_counts){ .weight = weight,
				     .slots = slots,
				     .told = told < 1      ? 1
					     : told > TOLD ? TOLD
							   : told };
	for (size_t k = 0; k < NEIGHBOURS; k++) {
		s->at[k] = mem_new(slots + 1, sizeof **s->at);
		find_neighbours(hour, slots, hours_away(k, slot_length(hour, slots)), s->at[k]);
	}
	return s;
}

void
smooth_counts_close(struct smooth_counts *s)
{
	for (size_t k = 0; s != NULL && k < NEIGHBOURS; k++)
		free(s->at[k]);
	free(s);
}

static double
mean_of(const struct smooth_counts *s, const double *x)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < s->slots; i++) {
		sum += s->weight[i] * x[i];
		weights += s->weight[i];
	}
	return weights > 0 ? sum / weights : 0;
}

/* By slot what is `neighbour` away from it, without the mean; 0 when nothing is known. A count of each slot apart. */
static void
look_around(const struct smooth_counts *s, const double *x, size_t neighbour, double *seen)
{
	double mean = mean_of(s, x);

	for (size_t i = 0; i < s->slots; i++) {
		uint32_t at = s->at[neighbour][i];

		seen[i * s->told] = at != NOWHERE && s->weight[at] > 0 ? x[at] - mean : 0;
	}
}

/* How much each count that was seen tells of the true one. */
static void
find_line(const struct smooth_counts *s, const double *seen, double noise, double *line)
{
	double g[TOLD * TOLD] = { 0 }, inverse[TOLD * TOLD], weights = 0;
	size_t told = s->told;

	for (size_t i = 0; i < s->slots; i++) {
		const double *x = seen + i * told;

		weights += s->weight[i];
		for (size_t j = 0; j < told; j++)
			for (size_t k = 0; k <= j; k++)
				g[j * told + k] += s->weight[i] * x[j] * x[k];
	}
	for (size_t j = 0; j < told; j++) {
		for (size_t k = 0; k < j; k++)
			g[k * told + j] = g[j * told + k];
		g[j * told + j] += 1e-9 * g[j * told + j] + 1e-30; /* copies of each other, and nothing at all */
	}
	noise = fmin(noise * weights, NOISE_MOST * g[0]);
	if (!symmetric_inverse(g, told, inverse))
		noise = 0;
	for (size_t j = 0; j < told; j++)
		line[j] = (j == 0 ? 1 : 0) - (noise > 0 ? noise * inverse[j] : 0);
}

void
smooth_counts_apply(const struct smooth_counts *s, const double *counts, const double *others, const double *noise,
		    double *to)
{
	double *seen = mem_new(s->slots * s->told + 1, sizeof *seen), line[TOLD], mean = mean_of(s, counts);

	for (size_t k = 0; k < s->told; k++)
		if (k < NEIGHBOURS)
			look_around(s, counts, k, seen + k);
		else if (others != NULL)
			look_around(s, others, k - NEIGHBOURS, seen + k);
	find_line(s, seen, mean_of(s, noise), line);
	for (size_t i = 0; i < s->slots; i++) {
		to[i] = mean;
		for (size_t k = 0; k < s->told; k++)
			to[i] += line[k] * seen[i * s->told + k];
	}
	free(seen);
}
