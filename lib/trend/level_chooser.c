/* SPDX-License-Identifier: MIT
 * level_chooser: see the header. A person looks at how far apart two levels are in the noise that is left, at the
 * values near the place, at how long both levels last, and at how much else there is to mark. */
#include "trend/level_chooser.h"

#include <math.h>
#include <stdint.h>

#define T_MOST	 50			/* a greater t says no more */
#define MARKED	 0.6			/* of the chance of a mark; chosen by scripts/fit-changes */

static const double clear_limits[CLEAR_COUNTS] = { 2.6, 3.8, 5.2 };
static const size_t windows[] = { 6, 12, 25, 50, 100 };

/* Weights of figures, in their order; each figure is held between the least and the most that marked series had, since
 * nothing was learnt beyond. `scripts/fit-changes FOLDER` prints this table. */
struct figure_weight { double least, most, weight; };

static const double weight_of_all = -3.8527;
static const struct figure_weight weights[LEVEL_FIGURES] = {
	{ 0.0002, 3.9318, 1.2457 },	/* levels apart, in the noise about all levels */
	{ 0.1423, 3.9318, 0.4115 },	/* t of 6 values on each side */
	{ 0.0153, 3.9318, 0.6906 },	/* 12 */
	{ 0.0044, 3.9318, 0.5083 },	/* 25 */
	{ 0.0000, 3.9318, 0.4740 },	/* 50 */
	{ 0.0182, 3.9318, -0.2471 },	/* 100 */
	{ 0.0000, 3.5553, -0.2535 },	/* how many candidates are as clear as 2.6 */
	{ 0.0000, 3.2958, 0.2642 },	/* 3.8 */
	{ 0.0000, 2.8332, -0.3624 },	/* 5.2 */
	{ 1.3863, 6.1159, 0.4593 },	/* values to the nearer end */
	{ -6.3088, 0.0000, 0.1988 },	/* clear beside the clearest */
	{ 1.0986, 6.8068, -0.2723 },	/* length of the level before */
	{ 1.0986, 6.8046, -0.1470 },	/* after */
	{ 0.0000, 0.9495, 4.1697 },	/* share of all squares */
	{ 0.0000, 0.7574, 2.2539 }	/* how alike neighbours are */
};

double
level_step(const double *x, size_t from, size_t at, size_t to, size_t most)
{
	size_t na = at - from < most ? at - from : most, nb = to - at < most ? to - at : most;
	const double *a = x + at - na, *b = x + at;
	double ma = 0, mb = 0, va = 0, vb = 0, variance;

	if (na < 2 || nb < 2)
		return 0;
	for (size_t i = 0; i < na; i++)
		ma += a[i];
	for (size_t i = 0; i < nb; i++)
		mb += b[i];
	ma /= (double)na;
	mb /= (double)nb;
	for (size_t i = 0; i < na; i++)
		va += (a[i] - ma) * (a[i] - ma);
	for (size_t i = 0; i < nb; i++)
		vb += (b[i] - mb) * (b[i] - mb);
	variance = va / (double)(na - 1) / (double)na + vb / (double)(nb - 1) / (double)nb;
	if (variance > 0)
		return fabs(ma - mb) / sqrt(variance);
	return fabs(ma - mb) > 0 ? T_MOST : 0;
}

static double
mean_of(const double *x, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += x[i];
	return sum / (double)(to - from);
}

/* Sums of squares of what is left of the values once their levels are taken away, and of products of neighbours. */
struct rests { double squares, products; };

static void
add_rests(struct rests *sum, double *before, const double *x, size_t from, size_t to)
{
	double level = mean_of(x, from, to);

	for (size_t i = from; i < to; i++) {
		double rest = x[i] - level;

		sum->squares += rest * rest;
		sum->products += i > 0 ? rest * *before : 0;
		*before = rest;
	}
}

static struct rests
rests_about(const struct level_record *r, double limit)
{
	struct rests sum = { 0, 0 };
	double before = 0;
	size_t from = 0;

	for (size_t i = 0; i < r->candidate_count; i++)
		if (r->candidates[i].clear >= limit) {
			add_rests(&sum, &before, r->x, from, r->candidates[i].at);
			from = r->candidates[i].at;
		}
	add_rests(&sum, &before, r->x, from, r->count);
	return sum;
}

double
level_record_alike(const struct level_record *r, double limit)
{
	struct rests rests = rests_about(r, limit);

	return rests.squares > 0 ? fmin(0.95, fmax(0, rests.products / rests.squares)) : 0;
}

void
level_record_begin(struct level_record *r, double limit)
{
	r->limit = limit;
	r->squares = rests_about(r, INFINITY).squares;
	r->spread = sqrt(rests_about(r, limit).squares / (double)r->count);
	r->alike = level_record_alike(r, limit);
	r->clearest = 0;
	for (size_t i = 0; i < r->candidate_count; i++)
		r->clearest = fmax(r->clearest, r->candidates[i].clear);
	for (size_t k = 0; k < CLEAR_COUNTS; k++) {
		size_t count = 0;

		for (size_t i = 0; i < r->candidate_count; i++)
			count += r->candidates[i].clear >= clear_limits[k];
		r->counts[k] = log1p((double)count);
	}
}

size_t
level_kept_before(const struct level_record *r, size_t candidate)
{
	while (candidate-- > 0)
		if (r->candidates[candidate].clear >= r->limit)
			return r->candidates[candidate].at;
	return 0;
}

size_t
level_kept_after(const struct level_record *r, size_t candidate)
{
	while (++candidate < r->candidate_count)
		if (r->candidates[candidate].clear >= r->limit)
			return r->candidates[candidate].at;
	return r->count;
}

void
level_record_figures(const struct level_record *r, size_t candidate, double figures[LEVEL_FIGURES])
{
	size_t at = r->candidates[candidate].at;
	size_t from = level_kept_before(r, candidate), to = level_kept_after(r, candidate);
	double before = (double)(at - from), after = (double)(to - at), *out = figures;
	double apart = fabs(mean_of(r->x, at, to) - mean_of(r->x, from, at));

	*out++ = log1p(apart > 0 ? fmin(T_MOST, apart / r->spread) : 0);
	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
		*out++ = log1p(fmin(T_MOST, level_step(r->x, 0, at, r->count, windows[i])));
	for (size_t i = 0; i < CLEAR_COUNTS; i++)
		*out++ = r->counts[i];
	*out++ = log((double)(at < r->count - at ? at : r->count - at));
	*out++ = r->candidates[candidate].clear - r->clearest;
	*out++ = log(before);
	*out++ = log(after);
	*out++ = r->squares > 0 ? before * after / (before + after) * apart * apart / r->squares : 0;
	*out++ = r->alike;
}

double
level_chance(const double figures[LEVEL_FIGURES])
{
	double sum = weight_of_all;

	for (size_t i = 0; i < LEVEL_FIGURES; i++)
		sum += weights[i].weight * fmin(weights[i].most, fmax(weights[i].least, figures[i]));
	return 1 / (1 + exp(-sum));
}

bool
is_worth_marking(double chance)
{
	return chance >= MARKED;
}
