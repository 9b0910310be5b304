/* SPDX-License-Identifier: MIT
 * capacity: Huber's regression. Bases and slopes of epochs are taken out of all columns first, so that what is solved
 * has as many unknowns as the wave, however many epochs there are. */
#include "trend/capacity.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HUBER 1.5 /* robust deviations from which on a slot counts less */
#define ROUNDS 20
#define WARM_SLOTS 3 /* after a restart, which are left out of the line */
#define WAVE_DAYS 2.0 /* of a record that has a wave, */
#define WEEKEND_DAYS 10.0 /* and one of the weekend */
#define HARMONICS 3u /* of a smooth day */
#define HOURS 24u /* of one with edges */
#define SHARP_SLOTS 240 /* of a record that tells them apart */
#define EPOCH_DAYS 1.5 /* a longest epoch of so many days tells a line from a wave of the day; a shorter one cannot */
#define TRIAL_SLOTS 48 /* of an epoch that is forecast from its beginning */
#define TRIAL_AHEAD 12 /* slots from there to its end, at least */
#define TRIAL_ENDS 7 /* its last slots, whose mean is compared */
#define TRIAL_PAST 1440 /* slots that such a forecast goes by */
#define TRIAL_EPOCHS 10 /* the latest */
#define TRIALS_LEAST 3
#define TRIAL_SHARE 0.9 /* of trials that the limits contain */
#define TRIAL_Z 1.645
#define FACTOR_MOST 5.0
#define BETTER 0.97 /* error of a wave that grows, beside one that does not, from which on it is taken */
#define SINGULAR 1e-9 /* of a column's square that the others leave */

struct shape {
	enum capacity_day day;
	bool weekends, multiplies;
};

/* One regression: slots [0, n) of which some count, epochs [0, epochs). */
struct fitting {
	const struct capacity_slot *slots;
	size_t n, epochs, columns;
	const size_t *starts;
	struct shape shape;
	bool *used;
	double *wave, *own; /* columns, a slot after another; without what epochs explain */
	double *y, *left, *weight, *room;
	double *base, *slope; /* of epochs */
	double coefficient[CAPACITY_WAVES];
	double scale;
};

static size_t
end_of_epoch(const struct fitting *f, size_t e)
{
	return e + 1 < f->epochs ? f->starts[e + 1] : f->n;
}

static double
day_of(const struct fitting *f, size_t i)
{
	return f->slots[i].at.day;
}

/* --- the wave --- */

static size_t
count_columns(const struct shape *shape)
{
	size_t columns = shape->day == DAY_SMOOTH ? 2 * HARMONICS : shape->day == DAY_SHARP ? HOURS - 1 : 0;

	return columns == 0 || !shape->weekends ? columns : 2 * columns + 1;
}

/* What the columns are on every day, and once more at weekends, whose level is a column, too. */
static void
fill_wave(const struct shape *shape, const struct capacity_moment *at, double *to)
{
	size_t k = 0;

	for (unsigned h = 1; h <= HARMONICS && shape->day == DAY_SMOOTH; h++) {
		to[k++] = sin(2 * M_PI * h * at->of_day);
		to[k++] = cos(2 * M_PI * h * at->of_day);
	}
	for (unsigned h = 1; h < HOURS && shape->day == DAY_SHARP; h++)
		to[k++] = h == (unsigned)(at->of_day * HOURS);
	if (k == 0 || !shape->weekends)
		return;
	for (size_t c = 0; c < k; c++)
		to[k + c] = at->weekend ? to[c] : 0;
	to[2 * k] = at->weekend;
}

/* --- one regression --- */

static int
compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The share of sorted values that are not above it, between two of them in a straight line. */
static double
quantile(const double *sorted, size_t count, double share)
{
	double at = share * (double)(count - 1);
	size_t i = (size_t)at;

	return i + 1 < count ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[count - 1];
}

static double
median_size(const struct fitting *f)
{
	size_t count = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->used[i])
			f->room[count++] = fabs(f->left[i]);
	qsort(f->room, count, sizeof *f->room, compare_reals);
	return count == 0 ? 0 : quantile(f->room, count, 0.5);
}

struct moments {
	double weight, day, spread; /* its sum; the mean; the sum of squares around it */
};

static struct moments
moments_of(const struct fitting *f, size_t e)
{
	struct moments m = { 0 };
	size_t from = f->starts[e], to = end_of_epoch(f, e);

	for (size_t i = from; i < to; i++) {
		double w = f->used[i] ? f->weight[i] : 0;

		m.weight += w;
		m.day += w * (day_of(f, i) - day_of(f, from));
	}
	m.day = m.weight > 0 ? m.day / m.weight : 0;
	for (size_t i = from; i < to; i++) {
		double away = day_of(f, i) - day_of(f, from) - m.day;

		m.spread += f->used[i] ? f->weight[i] * away * away : 0;
	}
	return m;
}

/* The line of an epoch through values that are `stride` apart: its value at the mean day, and its slope. */
static void
line_through(const struct fitting *f, size_t e, const struct moments *m, const double *values, size_t stride,
	     double *mean, double *slope)
{
	size_t from = f->starts[e], to = end_of_epoch(f, e);

	*mean = *slope = 0;
	for (size_t i = from; i < to; i++)
		if (f->used[i]) {
			*mean += f->weight[i] * values[i * stride];
			*slope += f->weight[i] * (day_of(f, i) - day_of(f, from) - m->day) * values[i * stride];
		}
	*mean = m->weight > 0 ? *mean / m->weight : 0;
	*slope = m->spread > 0 ? *slope / m->spread : 0;
}

static void
take_line_out(const struct fitting *f, size_t e, const struct moments *m, const double *values, double *to,
	      size_t stride)
{
	size_t from = f->starts[e];
	double mean, slope;

	line_through(f, e, m, values, stride, &mean, &slope);
	for (size_t i = from; i < end_of_epoch(f, e); i++)
		to[i * stride] = values[i * stride] - mean - slope * (day_of(f, i) - day_of(f, from) - m->day);
}

/* Solves the k equations by Gauss without pivots, which symmetric sums of squares allow; a column that the others
 * explain gets 0. */
static void
solve(double *g, double *b, size_t k, double *m)
{
	double square[CAPACITY_WAVES];

	for (size_t i = 0; i < k; i++)
		square[i] = g[i * k + i];
	for (size_t i = 0; i < k; i++) {
		bool gone = !(g[i * k + i] > SINGULAR * square[i]);

		for (size_t r = i + 1; r < k && !gone; r++) {
			double by = g[r * k + i] / g[i * k + i];

			for (size_t c = i; c < k; c++)
				g[r * k + c] -= by * g[i * k + c];
			b[r] -= by * b[i];
		}
		for (size_t c = i; c < k && gone; c++)
			g[i * k + c] = g[c * k + i] = c == i;
		b[i] = gone ? 0 : b[i];
	}
	for (size_t i = k; i-- > 0;) {
		m[i] = b[i];
		for (size_t c = i + 1; c < k; c++)
			m[i] -= g[i * k + c] * m[c];
		m[i] /= g[i * k + i];
	}
}

static void
solve_wave(struct fitting *f)
{
	size_t k = f->columns;
	double *g = mem_new(k * k + 1, sizeof *g), b[CAPACITY_WAVES] = { 0 };

	for (size_t i = 0; i < f->n; i++) {
		const double *x = f->own + i * k;

		for (size_t r = 0; r < k && f->used[i]; r++) {
			double wx = f->weight[i] * x[r];

			b[r] += wx * f->left[i];
			for (size_t c = r; c < k; c++)
				g[r * k + c] += wx * x[c];
		}
	}
	for (size_t r = 0; r < k; r++)
		for (size_t c = 0; c < r; c++)
			g[r * k + c] = g[c * k + r];
	solve(g, b, k, f->coefficient);
	free(g);
}

/* By the weights at hand. */
static void
fit_once(struct fitting *f)
{
	size_t k = f->columns;

	for (size_t e = 0; e < f->epochs; e++) {
		struct moments m = moments_of(f, e);

		take_line_out(f, e, &m, f->y, f->left, 1);
		for (size_t c = 0; c < k; c++)
			take_line_out(f, e, &m, f->wave + c, f->own + c, k);
	}
	solve_wave(f);
	for (size_t i = 0; i < f->n; i++)
		for (size_t c = 0; c < k; c++)
			f->left[i] -= f->own[i * k + c] * f->coefficient[c];
	f->scale = 1.4826 * median_size(f) + 1e-12;
}

static double
wave_at(const struct fitting *f, size_t i)
{
	double sum = 0;

	for (size_t c = 0; c < f->columns; c++)
		sum += f->wave[i * f->columns + c] * f->coefficient[c];
	return sum;
}

static void
find_lines(struct fitting *f)
{
	for (size_t i = 0; i < f->n; i++)
		f->room[i] = f->y[i] - wave_at(f, i);
	for (size_t e = 0; e < f->epochs; e++) {
		struct moments m = moments_of(f, e);
		double mean;

		line_through(f, e, &m, f->room, 1, &mean, &f->slope[e]);
		f->base[e] = mean - f->slope[e] * m.day;
	}
}

static void
regress(struct fitting *f)
{
	for (size_t i = 0; i < f->n; i++)
		f->weight[i] = 1;
	for (unsigned round = 0; round < ROUNDS; round++) {
		fit_once(f);
		if (round + 1 < ROUNDS)
			for (size_t i = 0; i < f->n; i++)
				f->weight[i] = fmin(1, HUBER * f->scale / fmax(fabs(f->left[i]), 1e-12));
	}
	find_lines(f);
}

/* --- opened and closed --- */

static struct shape
usual_shape(const struct capacity_slot *slots, size_t count, const size_t *starts, size_t epochs)
{
	double days = slots[count - 1].at.day - slots[0].at.day, longest = 0;

	for (size_t e = 0; e < epochs; e++) {
		size_t last = (e + 1 < epochs ? starts[e + 1] : count) - 1;

		longest = fmax(longest, slots[last].at.day - slots[starts[e]].at.day);
	}
	return (struct shape){ .day = days > WAVE_DAYS && longest >= EPOCH_DAYS ? DAY_SMOOTH : DAY_FLAT,
			       .weekends = days >= WEEKEND_DAYS };
}

static void
mark_used(struct fitting *f)
{
	for (size_t e = 0; e < f->epochs; e++) {
		size_t from = f->starts[e], to = end_of_epoch(f, e), warm = e == 0 ? 0 : WARM_SLOTS;

		warm = to - from > warm ? warm : 0; /* of the youngest that is all there is */
		for (size_t i = from; i < to; i++)
			f->used[i] = i - from >= warm;
	}
}

static void
fitting_open(struct fitting *f, const struct capacity_slot *slots, size_t n, const size_t *starts, size_t epochs,
	     struct shape shape)
{
	size_t columns = count_columns(&shape);

	*f = (struct fitting){
		.slots = slots, .n = n, .starts = starts, .epochs = epochs, .shape = shape, .columns = columns
	};
	f->used = mem_new(n + 1, sizeof *f->used);
	f->wave = mem_new(n * columns + 1, sizeof *f->wave);
	f->own = mem_new(n * columns + 1, sizeof *f->own);
	f->y = mem_new(4 * n + 1, sizeof *f->y);
	f->left = f->y + n;
	f->weight = f->left + n;
	f->room = f->weight + n;
	f->base = mem_new(2 * epochs, sizeof *f->base);
	f->slope = f->base + epochs;
	mark_used(f);
	for (size_t i = 0; i < n; i++) {
		f->y[i] = slots[i].value;
		fill_wave(&shape, &slots[i].at, f->wave + i * columns);
	}
}

static void
fitting_release(struct fitting *f)
{
	free(f->used);
	free(f->wave);
	free(f->own);
	free(f->y);
	free(f->base);
}

/* Multiplies the wave by the line, which a regression without that has found; returns the mean of the line. */
static double
let_wave_grow(struct fitting *f)
{
	double mean = 0;

	for (size_t e = 0; e < f->epochs; e++)
		for (size_t i = f->starts[e]; i < end_of_epoch(f, e); i++) {
			f->room[i] = f->base[e] + f->slope[e] * (day_of(f, i) - day_of(f, f->starts[e]));
			mean += f->room[i] / (double)f->n;
		}
	for (size_t i = 0; i < f->n && mean != 0; i++)
		for (size_t c = 0; c < f->columns; c++)
			f->wave[i * f->columns + c] *= f->room[i] / mean;
	return mean;
}

/* --- the line of the present epoch --- */

struct noise {
	double spread, inflation;
}; /* of slots; how much less they tell since each is like the one before */

static struct noise
noise_of(const struct fitting *f)
{
	double sum = 0, squares = 0, products = 0, before = 0, r;
	size_t count = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->used[i]) {
			products += count++ > 0 ? f->left[i] * before : 0;
			squares += f->left[i] * f->left[i];
			sum += f->left[i];
			before = f->left[i];
		}
	r = squares > 0 ? fmin(fmax(products / squares, 0), 0.97) : 0;
	sum /= (double)count;
	return (struct noise){ sqrt(fmax(squares / (double)count - sum * sum, 0)), (1 + r) / (1 - r) };
}

static double
slope_variance(const struct fitting *f, size_t e, const struct noise *noise)
{
	size_t last = end_of_epoch(f, e) - 1, slots = last + 1 - f->starts[e];
	double days = fmax(day_of(f, last) - day_of(f, f->starts[e]), 0.05);

	return 12 * noise->spread * noise->spread * noise->inflation / (double)(slots > 3 ? slots : 3) / (days * days);
}

/* The weighted mean of the slopes of all epochs, and its variance as one of the next; `between` adds to each. */
static double
mean_slope(const struct fitting *f, const struct noise *noise, double between, double *variance)
{
	double weights = 0, sum = 0;

	for (size_t e = 0; e < f->epochs; e++) {
		double w = 1 / (slope_variance(f, e, noise) + between);

		weights += w;
		sum += w * f->slope[e];
	}
	*variance = 1 / weights + between;
	return sum / weights;
}

/* How much slopes differ beyond what each is known to (DerSimonian and Laird). */
static double
variance_between(const struct fitting *f, const struct noise *noise)
{
	double unused, mean = mean_slope(f, noise, 0, &unused), weights = 0, squares = 0, q = 0;

	for (size_t e = 0; e < f->epochs; e++) {
		double w = 1 / slope_variance(f, e, noise);

		weights += w;
		squares += w * w;
		q += w * (f->slope[e] - mean) * (f->slope[e] - mean);
	}
	return fmax(0, (q - (double)(f->epochs - 1)) / (weights - squares / weights));
}

/* A new epoch has the slope of its forerunners, an old one its own. */
static void
weigh_slope(struct capacity_line *line, const struct fitting *f, const struct noise *noise)
{
	size_t e = f->epochs - 1;
	double own = slope_variance(f, e, noise), variance, mean, share;

	line->slope = f->slope[e];
	line->slope_variance = own;
	if (f->epochs == 1 || own <= 0)
		return;
	mean = mean_slope(f, noise, variance_between(f, noise), &variance);
	share = variance / (variance + own);
	line->slope = share * f->slope[e] + (1 - share) * mean;
	line->slope_variance = share * own;
}

static void
find_base(struct capacity_line *line, const struct fitting *f, const struct noise *noise)
{
	size_t from = f->starts[f->epochs - 1], count = 0;

	line->start = day_of(f, from);
	line->middle = 0;
	for (size_t i = from; i < f->n; i++)
		if (f->used[i]) {
			f->room[count++] = f->y[i] - wave_at(f, i) - line->slope * (day_of(f, i) - line->start);
			line->middle += day_of(f, i);
		}
	line->middle /= (double)count;
	qsort(f->room, count, sizeof *f->room, compare_reals);
	line->base = quantile(f->room, count, 0.5);
	line->base_variance = noise->spread * noise->spread * noise->inflation / (double)(count > 3 ? count : 3);
}

static double
wave_of(const struct capacity_line *line, const struct capacity_moment *at)
{
	const struct shape shape = { line->day, line->weekends, false };
	double wave = 0, columns[CAPACITY_WAVES] = { 0 };

	fill_wave(&shape, at, columns);
	for (size_t c = 0; c < count_columns(&shape); c++)
		wave += columns[c] * line->wave[c];
	return wave;
}

static void
fit_line(struct capacity_line *line, const struct capacity_slot *slots, size_t n, const size_t *starts, size_t epochs,
	 struct shape shape)
{
	struct fitting f;
	struct noise noise;

	*line = (struct capacity_line){
		.factor = 1, .day = shape.day, .weekends = shape.weekends, .multiplies = shape.multiplies, .mean = 1
	};
	fitting_open(&f, slots, n, starts, epochs, shape);
	regress(&f);
	if (shape.multiplies) {
		line->mean = let_wave_grow(&f);
		line->multiplies = line->mean != 0;
		regress(&f);
	}
	noise = noise_of(&f);
	weigh_slope(line, &f, &noise);
	find_base(line, &f, &noise);
	line->spread = noise.spread;
	memcpy(line->wave, f.coefficient, sizeof line->wave);
	for (size_t i = 0; i < n; i++)
		line->wave_mean += wave_of(line, &slots[i].at) / (double)n;
	fitting_release(&f);
}

/* A wave that grows is as fitted where the line is at its mean. */
static double
with_wave(const struct capacity_line *line, double day, double wave)
{
	double level = line->base + line->slope * (day - line->start);

	return level + wave * (line->multiplies ? level / line->mean : 1);
}

double
capacity_level(const struct capacity_line *line, double day)
{
	return with_wave(line, day, line->wave_mean);
}

double
capacity_value(const struct capacity_line *line, const struct capacity_moment *at)
{
	return with_wave(line, at->day, wave_of(line, at));
}

double
capacity_drift(const struct capacity_line *line, double day)
{
	double away = day - line->middle;

	return line->factor * sqrt(line->base_variance + line->slope_variance * away * away);
}

double
capacity_error(const struct capacity_line *line, double day)
{
	double away = day - line->middle;

	return line->factor *
	       sqrt(line->base_variance + line->slope_variance * away * away + line->spread * line->spread);
}

/* --- trials: ends of earlier times, forecast from their beginnings --- */

struct trials {
	double size[3 * TRIAL_EPOCHS]; /* errors in standard deviations */
	double sum; /* of errors as they are */
	size_t count;
};

/* The mean error of the last slots of [0, to), forecast from [0, from), which has these epochs. */
static void
try_forecast(struct trials *trials, const struct capacity_slot *slots, size_t from, size_t to, const size_t *starts,
	     size_t epochs, struct shape shape)
{
	struct capacity_line line;
	size_t cut = from > TRIAL_PAST ? from - TRIAL_PAST : 0, first = to - TRIAL_ENDS > from ? to - TRIAL_ENDS : from,
	       skipped = 0, *own = mem_new(epochs, sizeof *own);
	double error = 0, day = 0;

	while (skipped + 1 < epochs && starts[skipped + 1] <= cut)
		skipped++;
	for (size_t e = skipped; e < epochs; e++)
		own[e - skipped] = starts[e] > cut ? starts[e] - cut : 0;
	fit_line(&line, slots + cut, from - cut, own, epochs - skipped, shape);
	free(own);
	for (size_t i = first; i < to; i++) {
		error += (slots[i].value - capacity_value(&line, &slots[i].at)) / (double)(to - first);
		day += slots[i].at.day / (double)(to - first);
	}
	trials->sum += fabs(error);
	trials->size[trials->count++] = fabs(error) / fmax(capacity_error(&line, day), 1e-12);
}

static void
try_epochs(struct trials *trials, const struct capacity_slot *slots, size_t count, const size_t *starts, size_t epochs,
	   struct shape shape)
{
	static const double parts[] = { 0.4, 0.6, 0.8 };

	*trials = (struct trials){ 0 };
	for (size_t e = epochs > TRIAL_EPOCHS ? epochs - TRIAL_EPOCHS : 0; e < epochs; e++) {
		size_t end = e + 1 < epochs ? starts[e + 1] : count, length = end - starts[e];

		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
			size_t from = starts[e] + (size_t)((double)length * parts[k]);

			if (length >= TRIAL_SLOTS && end - 1 - from >= TRIAL_AHEAD)
				try_forecast(trials, slots, from, end, starts, e + 1, shape);
		}
	}
}

static double
factor_of(struct trials *trials)
{
	if (trials->count < TRIALS_LEAST)
		return 1;
	qsort(trials->size, trials->count, sizeof *trials->size, compare_reals);
	return fmin(fmax(quantile(trials->size, trials->count, TRIAL_SHARE) / TRIAL_Z, 1), FACTOR_MOST);
}

/* --- which shape --- */

/* Twice the negative log likelihood, with tails that outliers may have, and what the number of unknowns costs. */
static double
misfit_of(const struct capacity_slot *slots, size_t count, const size_t *starts, size_t epochs, struct shape shape)
{
	struct fitting f;
	double sum = 0, used = 0, n = (double)count, unknowns;

	fitting_open(&f, slots, count, starts, epochs, shape);
	regress(&f);
	for (size_t i = 0; i < count; i++)
		if (f.used[i]) {
			sum += fabs(f.left[i]);
			used++;
		}
	unknowns = (double)(3 * epochs + f.columns); /* base, slope, and where it begins */
	fitting_release(&f);
	return 2 * n * log(fmax(sum / used, 1e-12)) + unknowns * log(n);
}

static struct shape
best_shape(const struct capacity_slot *slots, size_t count, const size_t *starts, size_t epochs, double *misfit)
{
	struct shape smooth = usual_shape(slots, count, starts, epochs), sharp = smooth;
	double other;

	*misfit = misfit_of(slots, count, starts, epochs, smooth);
	if (count < SHARP_SLOTS || smooth.day == DAY_FLAT)
		return smooth;
	sharp.day = DAY_SHARP;
	other = misfit_of(slots, count, starts, epochs, sharp);
	if (!(other < *misfit))
		return smooth;
	*misfit = other;
	return sharp;
}

double
capacity_misfit(const struct capacity_slot *slots, size_t count, const size_t *starts, size_t epochs)
{
	double misfit;

	(void)best_shape(slots, count, starts, epochs, &misfit);
	return misfit;
}

void
capacity_take_wave_off(const struct capacity_slot *slots, size_t count, const size_t *starts, size_t epochs, double *to)
{
	double misfit;
	struct fitting f;

	fitting_open(&f, slots, count, starts, epochs, best_shape(slots, count, starts, epochs, &misfit));
	regress(&f);
	for (size_t i = 0; i < count; i++)
		to[i] = f.y[i] - wave_at(&f, i);
	fitting_release(&f);
}

bool
capacity_fit(struct capacity_line *out, const struct capacity_slot *slots, size_t count, const size_t *starts,
	     size_t epochs)
{
	struct trials trials, growing;
	struct shape shape, grows;
	double misfit;

	*out = (struct capacity_line){ .factor = 1 };
	if (count < CAPACITY_SLOTS_LEAST)
		return false;
	shape = grows = best_shape(slots, count, starts, epochs, &misfit);
	try_epochs(&trials, slots, count, starts, epochs, shape);
	grows.multiplies = true;
	if (trials.count >= TRIALS_LEAST && shape.day != DAY_FLAT) {
		try_epochs(&growing, slots, count, starts, epochs, grows);
		if (growing.sum < BETTER * trials.sum) {
			shape = grows;
			trials = growing;
		}
	}
	fit_line(out, slots, count, starts, epochs, shape);
	out->trials = trials.count;
	out->factor = factor_of(&trials);
	return true;
}
