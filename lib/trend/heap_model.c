/* SPDX-License-Identifier: MIT
 * heap_model: columns are chosen one by one, each by a test that bears outliers, so that every step can be checked by
 * hand. What lasts of a heap's noise from hour to hour hides what a class holds: it is taken out of the heap and of
 * the columns alike. Counting threads in a few dumps makes columns noisy, and with that coefficients too small: counts
 * around a slot tell better (smooth_counts). */
#include "trend/heap_model.h"

#include "trend/nonnegative.h"
#include "trend/smooth_counts.h"

#include "base/memory.h"
#include "base/probability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANCE 0.01 /* of a holder that is none, over all classes */
#define HUBER 1.5 /* robust deviations from which on a residual counts less */
#define TRIED 12 /* the best columns, which are tested */
#define OWN_LEAST 1e-3 /* of a column's square that the chosen ones do not explain */
#define LASTS_MOST 0.7 /* of what is left of a slot, that the next one is taken to show again */
#define CLIP 2.5 /* robust deviations that a residual counts as at most, for how long it lasts */
#define EPOCH_LEAST 12 /* slots of an epoch that has a leak of its own */
#define DAYS_LEAST 10 /* for blocks of a day; else they are of 3 hours */
#define SEEN_ERRORS 3.5 /* standard errors that a holder must be above 0 to be found */
/* Limits are too narrow by as much, in generated heaps: what was chosen looks better than it is. */
#define HOLDS_ERRORS 1.5
#define HOLDS_ERRORS_FEW 2.0 /* of less than DAYS_LEAST days */
#define GROWS_ERRORS 1.6
#define WAVES 6 /* sines and cosines of a day, its half and its third */
#define WITHIN 2.0 /* t of a holder with the waves of the day taken out: not only its hours fit */
#define WITHIN_FEW 3.5 /* the same, of less than DAYS_LEAST days */
#define BESIDE_ALL 4.0 /* t of what grows with one class, with what grows with all taken out */
#define RIVAL 3.84 /* twice the log likelihood, by which a rival is as good */
#define INSTEAD \
	4.0 /* the same, that a class must be ahead of all threads, and of any other class, to be named for them */

struct choice {
	size_t class;
	bool grows;
};

struct fitting {
	const struct heap_slots *of;
	size_t n, blocks, days;
	uint32_t *block;
	double *robust, *weight; /* of residuals; of both */
	double *room, *sorted, *y, *left; /* left: residuals */
	float *threads; /* of a class after another, of all at last: as counts around a slot tell them */
	double lasts, length; /* of what is left of a slot, in the next one, length hours later */
	bool is_smooth, no_load;
	double *raw; /* residuals before they are taken apart from the one before */
	double *column[HEAP_HOLDERS_MOST + 1]; /* all threads, then the chosen ones */
	/* the same columns, then the hours of all threads and waves of a day, orthogonal and of length 1 */
	double *base[HEAP_HOLDERS_MOST + 2 + WAVES];
	struct choice chosen[HEAP_HOLDERS_MOST];
	size_t count;
	double m[HEAP_HOLDERS_MOST + 1];
};

/* --- columns --- */

static void
fill_threads(const struct heap_slots *s, size_t class, double *to)
{
	if (class == s->classes) {
		memcpy(to, s->all, s->slots * sizeof *to);
		return;
	}
	for (size_t i = 0; i < s->slots; i++)
		to[i] = ((double)s->odd[class * s->slots + i] + (double)s->even[class * s->slots + i]) / 2;
}

/* Threads become thread hours since the first slot. */
static void
add_up(const struct heap_slots *s, double *threads)
{
	double before = 0, sum = 0;

	for (size_t i = 0; i < s->slots; i++) {
		double now = threads[i];

		sum += i == 0 ? 0 : (s->hour[i] - s->hour[i - 1]) * (before + now) / 2;
		before = now;
		threads[i] = sum;
	}
}

static void
fill(const struct fitting *f, struct choice choice, double *to)
{
	const float *smooth = f->threads + choice.class * f->n;

	if (f->is_smooth && !choice.grows)
		for (size_t i = 0; i < f->n; i++)
			to[i] = (double)smooth[i];
	else
		fill_threads(f->of, choice.class, to);
	if (choice.grows)
		add_up(f->of, to);
}

/* Each class as the counts around a slot tell it. */
static void
smooth_threads(struct fitting *f)
{
	const struct heap_slots *s = f->of;
	struct smooth_counts *smooth = smooth_counts_open(s->hour, s->weight, f->n);

	for (size_t c = 0; c <= s->classes; c++) {
		fill_threads(s, c, f->room);
		for (size_t i = 0; i < f->n && c < s->classes; i++) {
			double half = ((double)s->odd[c * f->n + i] - (double)s->even[c * f->n + i]) / 2;

			f->sorted[i] = half * half;
		}
		for (size_t i = 0; i < f->n; i++)
			f->raw[i] = s->all[i] - f->room[i];
		smooth_counts_apply(smooth, f->room, c < s->classes ? f->raw : NULL,
				    c < s->classes ? f->sorted : s->all_noise, f->room);
		for (size_t i = 0; i < f->n; i++)
			f->threads[c * f->n + i] = (float)f->room[i];
	}
	smooth_counts_close(smooth);
}

/* The line of one epoch through the values: level at the mean time, and slope. */
struct level {
	double middle, at_middle, slope;
};

static struct level
level_of(const struct heap_slots *s, const double *weight, const double *x, size_t from, size_t to)
{
	double w = 0, wt = 0, wx = 0, tt = 0, tx = 0;
	struct level l = { 0 };

	for (size_t i = from; i < to; i++) {
		w += weight[i];
		wt += weight[i] * s->hour[i];
		wx += weight[i] * x[i];
	}
	if (!(w > 0))
		return l;
	l.middle = wt / w;
	l.at_middle = wx / w;
	for (size_t i = from; i < to && to - from >= EPOCH_LEAST; i++) {
		tt += weight[i] * (s->hour[i] - l.middle) * (s->hour[i] - l.middle);
		tx += weight[i] * (s->hour[i] - l.middle) * (x[i] - l.at_middle);
	}
	l.slope = tt > 0 ? tx / tt : 0;
	return l;
}

static size_t
epoch_end(const struct heap_slots *s, size_t from)
{
	size_t to = from;

	while (to < s->slots && s->epoch[to] == s->epoch[from])
		to++;
	return to;
}

/* Whether a slot has one before it, of its epoch, that tells what lasts. */
static bool
follows(const struct fitting *f, size_t i)
{
	const struct heap_slots *s = f->of;

	return i > 0 && s->epoch[i] == s->epoch[i - 1] && s->weight[i - 1] > 0 &&
	       s->hour[i] - s->hour[i - 1] < 1.5 * f->length;
}

/* What is new in a slot, when so much of the one before lasts: of a value, of a constant, of hours. */
struct news {
	double value, one, hours;
};

static struct news
news_of(const struct fitting *f, const double *x, double middle, size_t i)
{
	double first = sqrt(1 - f->lasts * f->lasts), hours = f->of->hour[i] - middle;

	if (!follows(f, i))
		return (struct news){ first * x[i], first, first * hours };
	return (struct news){ x[i] - f->lasts * x[i - 1], 1 - f->lasts,
			      hours - f->lasts * (f->of->hour[i - 1] - middle) };
}

/* What base and leak of one epoch leave of what is new in the values, weighted. */
static void
project_epoch(const struct fitting *f, const double *x, size_t from, size_t end, double *to)
{
	double middle = (f->of->hour[from] + f->of->hour[end - 1]) / 2, oo = 0, oh = 0, hh = 0, ox = 0, hx = 0, before,
	       less, base, leak = 0;

	for (size_t i = from; i < end; i++) {
		struct news n = news_of(f, x, middle, i);

		oo += f->weight[i] * n.one * n.one;
		oh += f->weight[i] * n.one * n.hours;
		hh += f->weight[i] * n.hours * n.hours;
		ox += f->weight[i] * n.one * n.value;
		hx += f->weight[i] * n.hours * n.value;
	}
	less = oo > 0 ? hh - oh * oh / oo : 0;
	if (end - from >= EPOCH_LEAST && less > 1e-9 * hh)
		leak = (hx - oh * ox / oo) / less;
	base = oo > 0 ? (ox - leak * oh) / oo : 0;
	before = x[from];
	for (size_t i = from; i < end; i++) {
		double now = x[i], first = sqrt(1 - f->lasts * f->lasts);
		struct news n = news_of(f, x, middle, i);

		n.value = follows(f, i) ? now - f->lasts * before : first * now;
		before = now;
		to[i] = sqrt(f->weight[i]) * (n.value - base * n.one - leak * n.hours);
	}
}

/* from and to may be the same. */
static void
project(const struct fitting *f, const double *x, double *to)
{
	for (size_t from = 0, end; from < f->n; from = end) {
		end = epoch_end(f->of, from);
		project_epoch(f, x, from, end, to);
	}
}

static double
product(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* --- the fit of the chosen columns --- */

static void
project_chosen(struct fitting *f)
{
	for (size_t i = 0; i < f->n; i++)
		f->weight[i] = f->of->weight[i] * f->robust[i];
	project(f, f->of->heap, f->y);
	fill(f, (struct choice){ f->of->classes, false }, f->room);
	project(f, f->room, f->column[0]);
	if (f->no_load)
		memset(f->column[0], 0, f->n * sizeof *f->column[0]);
	for (size_t k = 0; k < f->count; k++) {
		fill(f, f->chosen[k], f->room);
		project(f, f->room, f->column[k + 1]);
	}
}

static void
gram_of(const struct fitting *f, double *g, double *b)
{
	size_t k = f->count + 1;

	for (size_t i = 0; i < k; i++) {
		b[i] = product(f->column[i], f->y, f->n);
		for (size_t j = 0; j <= i; j++)
			g[i * k + j] = g[j * k + i] = product(f->column[i], f->column[j], f->n);
	}
}

/* Fits the chosen columns. Returns the square of what is left. */
static double
solve_columns(struct fitting *f)
{
	double g[NONNEGATIVE_MOST * NONNEGATIVE_MOST], b[NONNEGATIVE_MOST];

	project_chosen(f);
	gram_of(f, g, b);
	nonnegative_solve(g, b, f->count + 1, f->m);
	for (size_t i = 0; i < f->n; i++) {
		f->left[i] = f->y[i];
		for (size_t j = 0; j <= f->count; j++)
			f->left[i] -= f->m[j] * f->column[j][i];
	}
	return product(f->left, f->left, f->n);
}

/* A heap may go with the counts themselves, dump by dump, or with what they are a sample of. */
static void
solve(struct fitting *f)
{
	double smooth, raw;

	f->is_smooth = true;
	smooth = solve_columns(f);
	f->is_smooth = false;
	raw = solve_columns(f);
	if (smooth <= raw) {
		f->is_smooth = true;
		(void)solve_columns(f);
	}
}

static int
compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Residuals far from the others count less. */
static void
weigh_residuals(struct fitting *f)
{
	double scale;

	for (size_t i = 0; i < f->n; i++)
		f->room[i] = f->weight[i] > 0 ? fabs(f->left[i]) / sqrt(f->weight[i]) : 0;
	memcpy(f->sorted, f->room, f->n * sizeof *f->room);
	qsort(f->sorted, f->n, sizeof *f->sorted, compare_reals);
	scale = 1.4826 * (f->sorted[(f->n - 1) / 2] + f->sorted[f->n / 2]) / 2;
	for (size_t i = 0; i < f->n; i++)
		f->robust[i] = f->room[i] > HUBER * scale && scale > 0 ? HUBER * scale / f->room[i] : 1;
}

/* How much of what is left of a slot lasts into the next one. Values far from the others are cut. */
static void
find_lasting(struct fitting *f)
{
	double own = 0, both = 0, scale;

	f->lasts = 0;
	(void)solve_columns(f);
	for (size_t i = 0; i < f->n; i++) {
		f->raw[i] = f->of->weight[i] > 0 ? f->left[i] / sqrt(f->weight[i]) : 0;
		f->sorted[i] = fabs(f->raw[i]);
	}
	qsort(f->sorted, f->n, sizeof *f->sorted, compare_reals);
	scale = CLIP * 1.4826 * (f->sorted[(f->n - 1) / 2] + f->sorted[f->n / 2]) / 2;
	for (size_t i = 0; i < f->n; i++)
		f->raw[i] = fmax(-scale, fmin(scale, f->raw[i]));
	for (size_t i = 1; i < f->n; i++) {
		if (!follows(f, i) || !(f->of->weight[i] > 0))
			continue;
		own += (f->raw[i] * f->raw[i] + f->raw[i - 1] * f->raw[i - 1]) / 2;
		both += f->raw[i] * f->raw[i - 1];
	}
	f->lasts = own > 0 ? fmin(LASTS_MOST, fmax(0, both / own)) : 0;
}

/* --- choosing --- */

/* Takes out of a column what the first `count` of the base explain. */
static void
reduce(const struct fitting *f, size_t count, double *column)
{
	for (size_t k = 0; k < count; k++) {
		double along = product(f->base[k], column, f->n);

		for (size_t i = 0; i < f->n; i++)
			column[i] -= along * f->base[k][i];
	}
}

/* The k-th of the base out of a column that it is a copy of: nothing when nothing is left of it. */
static void
settle_base(struct fitting *f, size_t k)
{
	double whole = product(f->base[k], f->base[k], f->n), size;

	reduce(f, k, f->base[k]);
	size = product(f->base[k], f->base[k], f->n);
	for (size_t i = 0; i < f->n; i++)
		f->base[k][i] = size > 1e-12 * whole ? f->base[k][i] / sqrt(size) : 0;
}

static void
make_base(struct fitting *f)
{
	for (size_t k = 0; k <= f->count; k++) {
		memcpy(f->base[k], f->column[k], f->n * sizeof *f->base[k]);
		settle_base(f, k);
	}
	memcpy(f->base[f->count + 1], f->of->all, f->n * sizeof *f->room);
	add_up(f->of, f->base[f->count + 1]);
	project(f, f->base[f->count + 1], f->base[f->count + 1]);
	settle_base(f, f->count + 1);
	for (size_t k = 0; k < WAVES; k++) {
		double *wave = f->base[f->count + 2 + k], turns = (double)(k / 2 + 1) * 2 * M_PI / 24;

		for (size_t i = 0; i < f->n; i++)
			wave[i] = k % 2 == 0 ? sin(turns * f->of->hour[i]) : cos(turns * f->of->hour[i]);
		project(f, wave, wave);
		settle_base(f, f->count + 2 + k);
	}
}

/* A column without what the base explains, in f->room. Returns its square, 0 when hardly anything is its own. */
static double
own_part(struct fitting *f, struct choice choice, size_t waves)
{
	double whole, own;

	fill(f, choice, f->room);
	project(f, f->room, f->room);
	whole = product(f->room, f->room, f->n);
	reduce(f, f->count + 1 + waves, f->room);
	own = product(f->room, f->room, f->n);
	return own > OWN_LEAST * whole ? own : 0;
}

static bool
is_chosen(const struct fitting *f, struct choice choice)
{
	for (size_t k = 0; k < f->count; k++)
		if (f->chosen[k].class == choice.class && f->chosen[k].grows == choice.grows)
			return true;
	return false;
}

struct candidate {
	struct choice choice;
	double rank;
};

/* The columns that go best with what is left, best first. */
static size_t
find_candidates(struct fitting *f, struct candidate *best)
{
	size_t count = 0;

	for (size_t c = 0; c < 2 * f->of->classes; c++) {
		struct choice choice = { c / 2, c % 2 != 0 };
		double own = is_chosen(f, choice) ? 0 : own_part(f, choice, 0),
		       rank = own > 0 ? product(f->room, f->left, f->n) / sqrt(own) : 0;
		size_t at = count < TRIED ? count : TRIED - 1;

		if (!(rank > 0) || (count == TRIED && rank <= best[at].rank))
			continue;
		for (; at > 0 && best[at - 1].rank < rank; at--)
			best[at] = best[at - 1];
		best[at] = (struct candidate){ choice, rank };
		count += count < TRIED;
	}
	return count;
}

/* t of a coefficient, whose error is by blocks of time, since what is left over lasts. waves: how many are taken out
 * before. */
static double
t_of(struct fitting *f, struct choice choice, size_t waves)
{
	double own = own_part(f, choice, waves), *sums = mem_new(f->blocks, sizeof *sums), square = 0, m;

	memcpy(f->sorted, f->left, f->n * sizeof *f->left);
	reduce(f, f->count + 1 + waves, f->sorted);
	m = own > 0 ? product(f->room, f->sorted, f->n) / own : 0;
	for (size_t i = 0; i < f->n; i++)
		sums[f->block[i]] += f->room[i] * (f->sorted[i] - m * f->room[i]);
	for (size_t b = 0; b < f->blocks; b++)
		square += sums[b] * sums[b];
	free(sums);
	square *= (double)f->blocks / fmax(1, (double)f->blocks - 2);
	return square > 0 ? m * own / sqrt(square) : m > 0 ? INFINITY : 0;
}

/* Whether chance explains t, with as many columns to choose from. */
static bool
is_chance(const struct fitting *f, double t, bool grows)
{
	double blocks = (double)f->blocks;

	t /= grows ? GROWS_ERRORS : 1;
	/* of Student's t with so many blocks, as of the normal distribution */
	t = isinf(t) ? sqrt(2 * blocks) : t / sqrt(1 + t * t / (2 * blocks));
	return !(normal_below(-t) * 2 * (double)f->of->classes <= CHANCE);
}

/* Whether a class stands out. A few days repeat the same hours, and a class whose hours fit is no holder yet. */
static bool
is_holder(struct fitting *f, struct choice choice)
{
	if (is_chance(f, t_of(f, choice, 0), choice.grows))
		return false;
	if (choice.grows)
		return t_of(f, choice, 1) >= BESIDE_ALL;
	return t_of(f, choice, 1 + WAVES) >= (f->days < DAYS_LEAST ? WITHIN_FEW : WITHIN);
}

/* Independent slots, by how much a residual tells of the next. */
static double
independent_slots(const struct fitting *f)
{
	double all = product(f->left, f->left, f->n), r = 0;

	for (size_t i = 1; i < f->n; i++)
		r += f->left[i] * f->left[i - 1];
	r = all > 0 ? fmin(0.98, fmax(0, r / all)) : 0;
	return (double)f->n * (1 - r) / (1 + r);
}

/* The best column, when chance does not explain it and it is so far ahead of the next one. */
static bool
find_one(struct fitting *f, double ahead, struct choice *choice)
{
	struct candidate best[TRIED] = { 0 };
	double all = product(f->left, f->left, f->n), first, second;

	make_base(f);
	if (find_candidates(f, best) == 0)
		return false;
	*choice = best[0].choice;
	first = fmax(1e-300, all - best[0].rank * best[0].rank);
	second = fmax(1e-300, all - best[1].rank * best[1].rank);
	return independent_slots(f) * log(second / first) >= ahead && is_holder(f, *choice);
}

/* Hours of a few days repeat each other, so that several classes fit. */
static bool
find_holder(struct fitting *f, struct choice *choice)
{
	return find_one(f, f->days < DAYS_LEAST ? INSTEAD : 0, choice);
}

/* A class that explains more than all threads do, which go with it: then they are no column any more. */
static bool
find_instead(struct fitting *f, struct choice *choice)
{
	double with = product(f->left, f->left, f->n);
	bool found;

	if (!(f->m[0] > 0) || f->no_load)
		return false;
	f->no_load = true;
	(void)solve_columns(f);
	found = find_one(f, INSTEAD, choice);
	if (found) {
		f->chosen[f->count++] = *choice;
		found = independent_slots(f) * log(with / solve_columns(f)) > INSTEAD;
		f->count--;
	}
	f->no_load = found;
	(void)solve_columns(f);
	return found;
}

static bool
find_any(struct fitting *f, struct choice *choice)
{
	struct choice all = { f->of->classes, true };
	double lasts = f->lasts;

	if (find_holder(f, choice))
		return true;
	if (choice->grows && !is_chosen(f, all) && !is_chance(f, t_of(f, all, 0), true)) {
		*choice = all;
		return true;
	}
	/* a holder that is not found yet lasts, too: taken for noise, it hides itself */
	f->lasts = 0;
	(void)solve_columns(f);
	if (find_holder(f, choice) || find_instead(f, choice))
		return true;
	f->lasts = lasts;
	(void)solve_columns(f);
	return find_instead(f, choice);
}

/* Adds the best column when chance does not explain it: with what grows it is all threads when no class stands out. */
static bool
choose_one(struct fitting *f)
{
	struct choice choice = { 0 };

	if (f->count == HEAP_HOLDERS_MOST || !find_any(f, &choice))
		return false;
	f->chosen[f->count++] = choice;
	return true;
}

/* --- limits --- */

/* The covariance of the coefficients, by blocks of time. False: columns depend on each other. */
static bool
covariance_of(const struct fitting *f, double *v)
{
	size_t k = f->count + 1;
	double g[NONNEGATIVE_MOST * NONNEGATIVE_MOST], b[NONNEGATIVE_MOST],
		inverse[NONNEGATIVE_MOST * NONNEGATIVE_MOST],
		*sums = mem_new(f->blocks * k, sizeof *sums),
		scale = (double)f->blocks / fmax(1, (double)f->blocks - (double)k - 1);
	bool possible;

	gram_of(f, g, b);
	if (f->no_load)
		g[0] = 1;
	possible = symmetric_inverse(g, k, inverse);
	for (size_t i = 0; i < f->n; i++)
		for (size_t j = 0; j < k; j++)
			sums[f->block[i] * k + j] += f->column[j][i] * f->left[i];
	memset(v, 0, k * k * sizeof *v);
	for (size_t c = 0; c < f->blocks && possible; c++) {
		double row[NONNEGATIVE_MOST] = { 0 };

		for (size_t j = 0; j < k; j++)
			for (size_t i = 0; i < k; i++)
				row[j] += inverse[j * k + i] * sums[c * k + i];
		for (size_t j = 0; j < k; j++)
			for (size_t i = 0; i < k; i++)
				v[j * k + i] += scale * row[j] * row[i];
	}
	free(sums);
	return possible;
}

/* The weakest of the chosen columns, when chance explains it beside the others. */
static bool
drop_one(struct fitting *f)
{
	double v[NONNEGATIVE_MOST * NONNEGATIVE_MOST], least = INFINITY;
	size_t k = f->count + 1, at = 0;
	bool possible = covariance_of(f, v);

	for (size_t j = 1; j < k; j++) {
		double t = f->m[j] > 0 && possible ? f->m[j] / sqrt(v[j * k + j]) : 0;

		t /= f->chosen[j - 1].grows ? GROWS_ERRORS : 1;
		at = t < least ? j : at;
		least = fmin(t, least);
	}
	if (at == 0 || !is_chance(f, least, false))
		return false;
	f->count--;
	for (size_t j = at; j <= f->count; j++)
		f->chosen[j - 1] = f->chosen[j];
	return true;
}

static void
choose(struct fitting *f)
{
	bool more;

	do {
		solve(f);
		weigh_residuals(f);
		find_lasting(f);
		solve(f);
		weigh_residuals(f);
		solve(f);
		more = choose_one(f);
		weigh_residuals(f);
	} while (more);
	if (f->days < DAYS_LEAST)
		f->lasts = 0;
	do
		solve(f);
	while (drop_one(f));
	if (f->count == 0 && f->no_load) {
		f->no_load = false;
		solve(f);
	}
}

static double
gain_of(struct fitting *f, struct choice choice, const double *y)
{
	double own = own_part(f, choice, 0), along = fmax(0, own > 0 ? product(f->room, y, f->n) : 0);

	return own > 0 ? along * along / own : 0;
}

/* The heap without the chosen columns but one, which leaves the base. */
static void
leave_out(struct fitting *f, size_t k, double *y)
{
	double *kept = f->column[k + 1], *nothing = mem_new(f->n, sizeof *nothing);

	f->column[k + 1] = nothing;
	make_base(f);
	f->column[k + 1] = kept;
	free(nothing);
	memcpy(y, f->y, f->n * sizeof *y);
	reduce(f, f->count + 1, y);
}

/* Keeps the best, the best first. */
static void
offer_rival(struct heap_holder *holder, double *gains, size_t class, double gain)
{
	size_t at = 0;

	while (at < holder->rivals_count && (gains[at] >= gain || holder->rivals[at] == class))
		at++;
	if (at == HEAP_RIVALS_MOST || (at > 0 && holder->rivals[at - 1] == class))
		return;
	holder->rivals_count += holder->rivals_count < HEAP_RIVALS_MOST;
	for (size_t i = holder->rivals_count - 1; i > at; i--) {
		holder->rivals[i] = holder->rivals[i - 1];
		gains[i] = gains[i - 1];
	}
	holder->rivals[at] = class;
	gains[at] = gain;
}

/* Who else would explain what a holder does, about as well? */
static void
find_rivals(struct fitting *f, size_t k, struct heap_holder *holder)
{
	double *y = mem_new(f->n, sizeof *y), gains[HEAP_RIVALS_MOST], all, own, slots = independent_slots(f);

	leave_out(f, k, y);
	all = product(y, y, f->n);
	own = gain_of(f, f->chosen[k], y);
	for (size_t c = 0; c < 2 * f->of->classes && holder->class < f->of->classes; c++) {
		struct choice rival = { c / 2, c % 2 != 0 };
		double gain = is_chosen(f, rival) || rival.class == holder->class ? 0 : gain_of(f, rival, y);

		if (gain > 0 && slots * log((all - gain) / fmax(all - own, 1e-300)) < RIVAL)
			offer_rival(holder, gains, rival.class, gain);
	}
	free(y);
}

/* The least that a class of the middle size would have to hold a thread, to be found. */
static double
least_seen(struct fitting *f)
{
	double *errors = mem_new(f->of->classes + 1, sizeof *errors), square = product(f->left, f->left, f->n),
	       least = NAN, slots = independent_slots(f);
	size_t count = 0;

	make_base(f);
	for (size_t c = 0; c < f->of->classes; c++) {
		double own = own_part(f, (struct choice){ c, false }, 0);

		if (own > 0)
			errors[count++] = sqrt(square / fmax(1, slots) / own);
	}
	qsort(errors, count, sizeof *errors, compare_reals);
	if (count > 0)
		least = SEEN_ERRORS * errors[count / 2];
	free(errors);
	return least;
}

/* --- answers --- */

void
heap_model_column(const struct heap_slots *s, size_t class, bool grows, double *to)
{
	double start = 0;

	fill_threads(s, class, to);
	if (grows)
		add_up(s, to);
	for (size_t i = 0; i < s->slots && grows; i++) {
		start = i == 0 || s->epoch[i] != s->epoch[i - 1] ? to[i] : start;
		to[i] -= start;
	}
}

/* What is held over the slots: on the mean, and in the last day. */
static void
amounts_held(struct fitting *f, struct heap_holder *holder)
{
	const struct heap_slots *s = f->of;
	double sum = 0, weights = 0, late = 0, late_weights = 0;

	heap_model_column(s, holder->class, holder->grows, f->room);
	for (size_t i = 0; i < f->n; i++) {
		bool is_late = s->hour[i] > s->hour[f->n - 1] - 24;

		sum += s->weight[i] * f->room[i];
		weights += s->weight[i];
		late += is_late ? s->weight[i] * f->room[i] : 0;
		late_weights += is_late ? s->weight[i] : 0;
	}
	holder->held = weights > 0 ? holder->per_thread * sum / weights : 0;
	holder->latest = late_weights > 0 ? holder->per_thread * late / late_weights : holder->held;
}

static int
compare_holders(const void *a, const void *b)
{
	const struct heap_holder *x = a, *y = b;

	if (x->held != y->held)
		return x->held < y->held ? 1 : -1;
	return (x->class > y->class) - (x->class < y->class);
}

/* By how much errors are larger than a fit of what was chosen says. */
static double
wider(const struct fitting *f, bool grows)
{
	return grows ? GROWS_ERRORS : f->days < DAYS_LEAST ? HOLDS_ERRORS_FEW : HOLDS_ERRORS;
}

static void
tell_holders(struct fitting *f, struct heap_fit *fit)
{
	double v[NONNEGATIVE_MOST * NONNEGATIVE_MOST];
	size_t k = f->count + 1;
	bool possible = covariance_of(f, v);

	fit->load = f->m[0];
	fit->load_error = possible ? sqrt(v[0]) * wider(f, false) : INFINITY;
	fit->load_p = f->m[0] > 0 ? normal_below(-f->m[0] / fit->load_error) : 1;
	for (size_t j = 0; j < f->count; j++) {
		struct heap_holder *holder = &fit->holders[fit->count];

		if (!(f->m[j + 1] > 0))
			continue;
		*holder = (struct heap_holder){ .class = f->chosen[j].class,
						.grows = f->chosen[j].grows,
						.per_thread = f->m[j + 1],
						.error = possible ? sqrt(v[(j + 1) * k + j + 1]) : INFINITY };
		holder->error *= wider(f, holder->grows);
		amounts_held(f, holder);
		find_rivals(f, j, holder);
		fit->count++;
	}
	qsort(fit->holders, fit->count, sizeof *fit->holders, compare_holders);
}

/* What nobody holds, by slot. */
static void
take_held_off(struct fitting *f, double *rest)
{
	for (size_t i = 0; i < f->n; i++)
		rest[i] = f->of->heap[i] - f->m[0] * f->of->all[i];
	for (size_t j = 0; j < f->count; j++) {
		heap_model_column(f->of, f->chosen[j].class, f->chosen[j].grows, f->room);
		for (size_t i = 0; i < f->n; i++)
			rest[i] -= f->m[j + 1] * f->room[i];
	}
}

/* Base and leak of each epoch, of what nobody holds; the mean of the heap. */
static void
tell_rest(struct fitting *f, struct heap_fit *fit, double *rest)
{
	const struct heap_slots *s = f->of;
	struct heap_holder load = { .per_thread = f->m[0], .class = s->classes };
	double sum = 0, weights = 0;
	struct level l = { 0 };

	take_held_off(f, rest);
	for (size_t from = 0, end; from < f->n; from = end) {
		end = epoch_end(s, from);
		l = level_of(s, f->weight, rest, from, end);
		for (size_t i = from; i < end; i++)
			rest[i] = l.at_middle + l.slope * (s->hour[i] - l.middle);
	}
	for (size_t i = 0; i < f->n; i++) {
		sum += s->weight[i] * s->heap[i];
		weights += s->weight[i];
	}
	fit->leak = 24 * l.slope;
	fit->base = rest[f->n - 1];
	fit->mean = weights > 0 ? sum / weights : NAN;
	amounts_held(f, &load);
	fit->load_held = load.held;
}

/* Blocks of time whose errors are independent: days, or 3 hours when there are few days. */
static void
make_blocks(struct fitting *f)
{
	const double *hour = f->of->hour;
	double length;

	f->days = (size_t)(floor(hour[f->n - 1] / 24) - floor(hour[0] / 24)) + 1;
	length = f->days >= DAYS_LEAST ? 24 : 3;
	f->blocks = 1;
	for (size_t i = 1; i < f->n; i++) {
		f->blocks += floor(hour[i] / length) != floor(hour[i - 1] / length);
		f->block[i] = (uint32_t)f->blocks - 1;
	}
}

static void
open_fitting(struct fitting *f, const struct heap_slots *slots)
{
	size_t n = slots->slots;

	*f = (struct fitting){ .of = slots,
			       .n = n,
			       .block = mem_new(n, sizeof *f->block),
			       .robust = mem_new(n, sizeof *f->robust),
			       .weight = mem_new(n, sizeof *f->weight),
			       .room = mem_new(n, sizeof *f->room),
			       .sorted = mem_new(n, sizeof *f->sorted),
			       .y = mem_new(n, sizeof *f->y),
			       .left = mem_new(n, sizeof *f->left),
			       .threads = mem_new(n * (slots->classes + 1), sizeof *f->threads),
			       .raw = mem_new(n, sizeof *f->raw) };
	for (size_t k = 0; k <= HEAP_HOLDERS_MOST; k++)
		f->column[k] = mem_new(n, sizeof **f->column);
	for (size_t k = 0; k <= HEAP_HOLDERS_MOST + 1 + WAVES; k++)
		f->base[k] = mem_new(n, sizeof **f->base);
	for (size_t i = 0; i < n; i++)
		f->robust[i] = 1;
	make_blocks(f);
	f->length = INFINITY;
	for (size_t i = 1; i < n; i++)
		f->length = fmin(f->length, slots->hour[i] - slots->hour[i - 1]);
	smooth_threads(f);
}

static void
close_fitting(struct fitting *f)
{
	for (size_t k = 0; k <= HEAP_HOLDERS_MOST; k++)
		free(f->column[k]);
	for (size_t k = 0; k <= HEAP_HOLDERS_MOST + 1 + WAVES; k++)
		free(f->base[k]);
	free(f->block);
	free(f->robust);
	free(f->weight);
	free(f->room);
	free(f->sorted);
	free(f->y);
	free(f->left);
	free(f->threads);
	free(f->raw);
}

struct heap_fit
heap_model_fit(const struct heap_slots *slots, double *rest)
{
	struct heap_fit fit = { .least = NAN };
	struct fitting f;
	double all, *own_rest;

	if (slots->slots < HEAP_SLOTS_LEAST)
		return fit;
	own_rest = rest != NULL ? rest : mem_new(slots->slots, sizeof *own_rest);
	open_fitting(&f, slots);
	choose(&f);
	fit.known = true;
	fit.blocks = f.blocks;
	all = product(f.y, f.y, f.n);
	fit.explained = all > 0 ? 1 - product(f.left, f.left, f.n) / all : 0;
	tell_holders(&f, &fit);
	tell_rest(&f, &fit, own_rest);
	fit.least = least_seen(&f);
	close_fitting(&f);
	if (rest == NULL)
		free(own_rest);
	return fit;
}
