/* SPDX-License-Identifier: MIT
 * robust_line: iteratively reweighted least squares; the weight of a measure is its interval times what Huber's or
 * Tukey's function leaves of it. */
#include "trend/robust_line.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HUBER    1.345
#define BISQUARE 4.685
#define NORMAL   0.6745		/* the median size of a standard normal error */
#define LONGEST  0.1		/* of the whole: the most that one measure may count for */
#define ROUNDS   500
#define CLOSE    1e-10

struct weighted { double value, weight; };

static int
compare_weighted(const void *a, const void *b)
{
	double x = ((const struct weighted *)a)->value, y = ((const struct weighted *)b)->value;

	return (x > y) - (x < y);
}

static double
weighted_median(struct weighted *of, size_t n)
{
	double total = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		total += of[i].weight;
	qsort(of, n, sizeof *of, compare_weighted);
	for (size_t i = 0; i < n; i++)
		if ((sum += of[i].weight) >= total / 2)
			return of[i].value;
	return n > 0 ? of[n - 1].value : 0;
}

void
robust_line_intervals(const double *x, size_t n, double longest, double *weights)
{
	struct weighted *room = mem_new(n, sizeof *room);

	for (size_t i = 1; i < n; i++)
		room[i - 1] = (struct weighted){ x[i] - x[i - 1], 1 };
	if (longest <= 0)
		longest = fmax(3 * weighted_median(room, n - 1), (x[n - 1] - x[0]) * LONGEST);
	for (size_t i = 1; i < n; i++)
		weights[i] = longest > 0 ? fmin(x[i] - x[i - 1], longest) : 1;
	weights[0] = weights[1];
	free(room);
}

/* Through the measures with these weights. */
static void
fit_weighted(struct robust_line *line, const double *x, const double *y, const double *weights, size_t n)
{
	double total = 0, sum_x = 0, sum_y = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		total += weights[i];
		sum_x += weights[i] * x[i];
		sum_y += weights[i] * y[i];
	}
	line->middle = sum_x / total;
	line->at_middle = sum_y / total;
	for (size_t i = 0; i < n; i++) {
		xx += weights[i] * (x[i] - line->middle) * (x[i] - line->middle);
		xy += weights[i] * (x[i] - line->middle) * (y[i] - line->at_middle);
	}
	line->slope = xx > 0 ? xy / xx : 0;
}

static double
robust_weight(double z, enum line_method method)
{
	double part = 1 - z * z / (BISQUARE * BISQUARE);

	if (method == LINE_HUBER)
		return fabs(z) <= HUBER ? 1 : HUBER / fabs(z);
	return part > 0 ? part * part : 0;
}

static void
reweigh(struct robust_line *line, const double *x, const double *y, const double *base, double *weights, size_t n,
	enum line_method method, struct weighted *room)
{
	for (int round = 0; round < ROUNDS; round++) {
		double slope = line->slope, level = line->at_middle - line->slope * line->middle, change;

		for (size_t i = 0; i < n; i++)
			room[i] = (struct weighted){ fabs(y[i] - line_at(line, x[i])), base[i] };
		line->scale = weighted_median(room, n) / NORMAL;
		if (line->scale <= 0)
			return;
		for (size_t i = 0; i < n; i++)
			weights[i] = base[i] * robust_weight((y[i] - line_at(line, x[i])) / line->scale, method);
		fit_weighted(line, x, y, weights, n);
		change = fabs(line->slope - slope) * (x[n - 1] - x[0]) +
			 fabs(line->at_middle - line->slope * line->middle - level);
		if (change < CLOSE * (fabs(level) + line->scale))
			return;
	}
}

/* Errors that follow each other smoothly are fewer than they seem: (1 - r) / (1 + r) of them, r from one to the
 * next. */
static void
estimate_error(struct robust_line *line, const double *x, const double *y, const double *weights, size_t n)
{
	double total = 0, squares = 0, errors = 0, xx = 0, next = 0, both = 0, r;

	for (size_t i = 0; i < n; i++) {
		double e = y[i] - line_at(line, x[i]);

		total += weights[i];
		squares += weights[i] * weights[i];
		errors += weights[i] * e * e;
		xx += weights[i] * (x[i] - line->middle) * (x[i] - line->middle);
		if (i > 0) {
			next += weights[i] * e * (y[i - 1] - line_at(line, x[i - 1]));
			both += weights[i] * e * e;
		}
	}
	r = both > 0 ? fmin(fmax(next / both, 0), 0.99) : 0;
	line->pairs = squares > 0 ? fmax(total * total / squares * (1 - r) / (1 + r), 1) : 1;
	line->slope_error = xx > 0 ? sqrt(errors / xx / fmax(line->pairs - 2, 1)) : INFINITY;
}

struct robust_line
robust_line_with(const double *x, const double *y, size_t n, enum line_method method, double *weights)
{
	struct robust_line line = { 0 };
	struct weighted *room;
	double *base;

	if (n < 2)
		return (struct robust_line){ .middle = n > 0 ? x[0] : 0,
					     .at_middle = n > 0 ? y[0] : 0,
					     .slope_error = INFINITY };
	base = mem_new(n, sizeof *base);
	room = mem_new(n, sizeof *room);
	memcpy(base, weights, n * sizeof *base);
	fit_weighted(&line, x, y, weights, n);
	if (method != LINE_LEAST_SQUARES)
		reweigh(&line, x, y, base, weights, n, LINE_HUBER, room);
	if (method == LINE_BISQUARE)
		reweigh(&line, x, y, base, weights, n, LINE_BISQUARE, room);
	estimate_error(&line, x, y, weights, n);
	free(base);
	free(room);
	return line;
}

struct robust_line
robust_line(const double *x, const double *y, size_t n, enum line_method method, bool weighted, double longest)
{
	double *weights = mem_new(n + 1, sizeof *weights);
	struct robust_line line;

	for (size_t i = 0; i < n; i++)
		weights[i] = 1;
	if (weighted && n > 1)
		robust_line_intervals(x, n, longest, weights);
	line = robust_line_with(x, y, n, method, weights);
	free(weights);
	return line;
}

double
line_error(const struct robust_line *line, double x)
{
	double of_level = line->pairs > 0 ? line->scale / sqrt(line->pairs) : 0,
	       of_slope = line->slope_error * (x - line->middle);

	return sqrt(of_level * of_level + of_slope * of_slope);
}
