/* SPDX-License-Identifier: MIT
 * heap_holders: hours of dumps and measures become the slots of the model. */
#include "trend/heap_holders.h"

#include "trend/epochs.h"
#include "trend/hour_counts.h"

#include <math.h>

#define LOAD_CHANCE 0.01
#define SLOT_DUMPS 4.0 /* the median dumps of a slot, at least: fewer tell little of an hour */
#define THREADS_LEAST 0.05 /* on the mean: a class with fewer holds nothing that could be seen */
#define HITS_LEAST 20.0
#define FALL_WITHOUT 4.5 /* deviations that a restart falls by when what is held is taken off */
#define ROUNDS 3 /* of looking for restarts */
#define SLOT_HOUR_NS INT64_C(3600000000000)

struct slot {
	int64_t number;
	double least, sum, measures; /* measures 0: not known how many */
	double odd, even; /* dumps */
};

struct class
{
	uint32_t series;
	double threads;
};

struct gathering {
	const struct series_set *set;
	ARRAY(uint32_t) sources;
	ARRAY(struct slot) slots;
	ARRAY(struct class) classes;
	int64_t hours; /* of a slot */
	double dumps; /* the median of a slot */
	double *hour, *heap, *weight, *all, *all_noise, *all_odd, *all_even;
	uint32_t *epoch;
	float *odd, *even;
};

/* --- which dumps --- */

/* The dumps of the metric's own source; when it has none, as a log of its own, those of all. */
static void
choose_sources(struct gathering *g, const struct series *subject)
{
	uint32_t own = text_table_find(&g->set->sources, subject->part);

	if (subject->part.size > 0 && own != 0 && hour_counts_dumps(g->set->hours, own) != NULL) {
		*array_push(&g->sources) = own;
		return;
	}
	for (uint32_t s = 0; s < hour_counts_sources(g->set->hours); s++)
		if (hour_counts_dumps(g->set->hours, s) != NULL)
			*array_push(&g->sources) = s;
}

static int
compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median_dumps(const struct gathering *g)
{
	double *dumps = mem_new(g->slots.count + 1, sizeof *dumps), median;

	for (size_t i = 0; i < g->slots.count; i++)
		dumps[i] = g->slots.at[i].odd + g->slots.at[i].even;
	qsort(dumps, g->slots.count, sizeof *dumps, compare_reals);
	median = g->slots.count > 0 ? dumps[g->slots.count / 2] : 0;
	free(dumps);
	return median;
}

static int64_t
slot_of(const struct gathering *g, int64_t hour)
{
	return hour / g->hours - (hour % g->hours < 0);
}

static struct slot *
find_slot(const struct gathering *g, int64_t number)
{
	size_t low = 0, high = g->slots.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (g->slots.at[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < g->slots.count && g->slots.at[low].number == number ? &g->slots.at[low] : NULL;
}

/* Slots in which there are measures, and dumps: at least two, unless no slot has more. */
static void
make_slots(struct gathering *g, const struct hours_of_metric *heap)
{
	size_t kept = 0;

	g->slots.count = 0;
	for (size_t i = 0; i < heap->count; i++) {
		const struct hour_measures *hour = &heap->at[i];
		int64_t number = slot_of(g, hour->hour);
		struct slot *slot;

		if (!isfinite(hour->least))
			continue;
		if (g->slots.count == 0 || g->slots.at[g->slots.count - 1].number != number)
			*array_push(&g->slots) = (struct slot){ .number = number, .least = hour->least };
		slot = &g->slots.at[g->slots.count - 1];
		slot->least = fmin(slot->least, hour->least);
		slot->sum += hour->sum;
		slot->measures += hour->count;
	}
	for (size_t s = 0; s < g->sources.count; s++) {
		const struct hour_cells *dumps = hour_counts_dumps(g->set->hours, g->sources.at[s]);

		for (size_t i = 0; i < dumps->count; i++) {
			struct slot *slot = find_slot(g, slot_of(g, dumps->at[i].hour));

			if (slot == NULL)
				continue;
			slot->odd += (double)dumps->at[i].odd;
			slot->even += (double)dumps->at[i].even;
		}
	}
	for (size_t i = 0; i < g->slots.count; i++)
		if (g->slots.at[i].odd + g->slots.at[i].even > 0)
			g->slots.at[kept++] = g->slots.at[i];
	g->slots.count = kept;
	g->dumps = median_dumps(g);
}

/* Slots of an hour; longer ones when dumps are rare. */
static void
choose_slots(struct gathering *g, const struct hours_of_metric *heap)
{
	static const int64_t lengths[] = { 1, 2, 3, 4, 6 };

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		g->hours = lengths[i];
		make_slots(g, heap);
		if (g->dumps >= SLOT_DUMPS)
			return;
	}
}

/* --- which classes --- */

static bool
is_class(const struct series *s)
{
	return s->kind == STK_SERIES_CLASS && s->part.size == 0 && !s->split;
}

/* Hits in all slots. */
static double
hits_of(const struct gathering *g, uint32_t series)
{
	double hits = 0;

	for (size_t s = 0; s < g->sources.count; s++) {
		const struct hour_cells *cells = hour_counts_of(g->set->hours, g->sources.at[s], series);

		for (size_t i = 0; cells != NULL && i < cells->count; i++)
			if (find_slot(g, slot_of(g, cells->at[i].hour)) != NULL)
				hits += (double)cells->at[i].odd + (double)cells->at[i].even;
	}
	return hits;
}

static int
compare_classes(const void *a, const void *b, void *context)
{
	const struct series_set *set = context;
	const struct class *x = a, *y = b;

	if (x->threads != y->threads)
		return x->threads < y->threads ? 1 : -1;
	return text_compare(series_set_at(set, x->series)->name, series_set_at(set, y->series)->name);
}

static void
choose_classes(struct gathering *g, struct heap_holders *out)
{
	double dumps = 0;

	for (size_t i = 0; i < g->slots.count; i++)
		dumps += g->slots.at[i].odd + g->slots.at[i].even;
	for (uint32_t n = 1; n <= series_set_count(g->set); n++) {
		double hits = is_class(series_set_at(g->set, n)) ? hits_of(g, n) : 0;

		if (hits >= HITS_LEAST && hits / dumps >= THREADS_LEAST)
			*array_push(&g->classes) = (struct class){ n, hits / dumps };
	}
	if (g->classes.count > 0)
		qsort_r(g->classes.at, g->classes.count, sizeof *g->classes.at, compare_classes,
			(void *)(uintptr_t)g->set);
	out->left_out = g->classes.count > HEAP_CLASSES_MOST ? g->classes.count - HEAP_CLASSES_MOST : 0;
	g->classes.count -= out->left_out;
	out->compared = g->classes.count;
	out->classes = mem_new(g->classes.count + 1, sizeof *out->classes);
	for (size_t i = 0; i < g->classes.count; i++)
		out->classes[i] = g->classes.at[i].series;
}

/* --- columns --- */

static void
open_columns(struct gathering *g)
{
	size_t n = g->slots.count + 1;

	g->hour = mem_new(n, sizeof *g->hour);
	g->heap = mem_new(n, sizeof *g->heap);
	g->weight = mem_new(n, sizeof *g->weight);
	g->all = mem_new(n, sizeof *g->all);
	g->all_noise = mem_new(n, sizeof *g->all_noise);
	g->all_odd = mem_new(n, sizeof *g->all_odd);
	g->all_even = mem_new(n, sizeof *g->all_even);
	g->epoch = mem_new(n, sizeof *g->epoch);
	g->odd = mem_new(n * (g->classes.count + 1), sizeof *g->odd);
	g->even = mem_new(n * (g->classes.count + 1), sizeof *g->even);
}

static void
release(struct gathering *g)
{
	free(g->hour);
	free(g->heap);
	free(g->weight);
	free(g->all);
	free(g->all_noise);
	free(g->all_odd);
	free(g->all_even);
	free(g->epoch);
	free(g->odd);
	free(g->even);
	array_release(&g->sources);
	array_release(&g->slots);
	array_release(&g->classes);
}

/* Sums of a class over the dumps of each slot. */
static void
add_counts(const struct gathering *g, uint32_t series, double *odd, double *even)
{
	for (size_t s = 0; s < g->sources.count; s++) {
		const struct hour_cells *cells = hour_counts_of(g->set->hours, g->sources.at[s], series);

		for (size_t i = 0; cells != NULL && i < cells->count; i++) {
			const struct slot *slot = find_slot(g, slot_of(g, cells->at[i].hour));

			if (slot == NULL)
				continue;
			odd[slot - g->slots.at] += (double)cells->at[i].odd;
			even[slot - g->slots.at] += (double)cells->at[i].even;
		}
	}
}

/* Sums become means; a slot of one dump has one mean. */
static void
divide(const struct slot *slot, double *odd, double *even)
{
	double all = (*odd + *even) / (slot->odd + slot->even);

	*odd = slot->odd > 0 && slot->even > 0 ? *odd / slot->odd : all;
	*even = slot->odd > 0 && slot->even > 0 ? *even / slot->even : all;
}

static void
fill_classes(struct gathering *g)
{
	size_t n = g->slots.count;
	double *odd = mem_new(n + 1, sizeof *odd), *even = mem_new(n + 1, sizeof *even);

	for (size_t c = 0; c < g->classes.count; c++) {
		memset(odd, 0, n * sizeof *odd);
		memset(even, 0, n * sizeof *even);
		add_counts(g, g->classes.at[c].series, odd, even);
		for (size_t i = 0; i < n; i++) {
			divide(&g->slots.at[i], &odd[i], &even[i]);
			g->odd[c * n + i] = (float)odd[i];
			g->even[c * n + i] = (float)even[i];
		}
	}
	free(odd);
	free(even);
}

/* All classes, those that are not compared too. */
static void
fill_all(struct gathering *g)
{
	for (uint32_t series = 1; series <= series_set_count(g->set); series++)
		if (is_class(series_set_at(g->set, series)))
			add_counts(g, series, g->all_odd, g->all_even);
	for (size_t i = 0; i < g->slots.count; i++) {
		divide(&g->slots.at[i], &g->all_odd[i], &g->all_even[i]);
		g->all[i] = (g->all_odd[i] + g->all_even[i]) / 2;
		g->all_noise[i] = (g->all_odd[i] - g->all_even[i]) * (g->all_odd[i] - g->all_even[i]) / 4;
	}
}

static void
fill_heap(struct gathering *g, bool by_mean)
{
	for (size_t i = 0; i < g->slots.count; i++) {
		const struct slot *slot = &g->slots.at[i];

		g->hour[i] = (double)(slot->number * g->hours);
		g->heap[i] = by_mean ? slot->sum / slot->measures : slot->least;
	}
}

/* Whether means are known, and are others than the least measures. */
static bool
has_means(const struct gathering *g)
{
	bool others = false;

	for (size_t i = 0; i < g->slots.count; i++) {
		if (!(g->slots.at[i].measures > 0))
			return false;
		others |= g->slots.at[i].measures > 1;
	}
	return others;
}

/* Restarts by falls of the heap, without what is held. The slot of one is of both times: it counts for neither. */
static size_t
find_restarts(struct gathering *g, const double *without, double deviations)
{
	size_t n = g->slots.count, *starts, epochs, next = 1;
	double *days = mem_new(n + 1, sizeof *days);

	for (size_t i = 0; i < n; i++)
		days[i] = g->hour[i] / 24;
	epochs = epochs_find(days, without, n, deviations, &starts);
	for (size_t i = 0; i < n; i++) {
		g->weight[i] = fmin(1, (g->slots.at[i].odd + g->slots.at[i].even) / g->dumps);
		if (next < epochs && starts[next] == i) {
			g->weight[i] = 0;
			next++;
		}
		g->epoch[i] = (uint32_t)next - 1;
	}
	free(starts);
	free(days);
	return epochs - 1;
}

/* --- the answer --- */

static void
keep_held(struct heap_holders *out, const struct gathering *g, const struct heap_slots *slots)
{
	size_t n = g->slots.count;

	free(out->time_ns);
	free(out->held);
	out->time_ns = mem_new(n + 1, sizeof *out->time_ns);
	out->held = mem_new(n * (out->fit.count + 1) + 1, sizeof *out->held);
	for (size_t i = 0; i < n; i++)
		out->time_ns[i] = g->slots.at[i].number * g->hours * SLOT_HOUR_NS;
	for (size_t k = 0; k <= out->fit.count; k++) {
		const struct heap_holder *holder = &out->fit.holders[k];
		double *column = out->held + k * n, each = k < out->fit.count ? holder->per_thread : out->fit.load;

		if (k < out->fit.count)
			heap_model_column(slots, holder->class, holder->grows, column);
		else
			memcpy(column, g->all, n * sizeof *column);
		for (size_t i = 0; i < n; i++)
			column[i] *= each;
	}
}

/* The heap without what threads hold. What grows falls with a restart, and stays. */
static void
take_held_off(const struct heap_holders *out, const struct gathering *g, double *without)
{
	size_t n = g->slots.count;

	memcpy(without, g->heap, n * sizeof *without);
	for (size_t k = 0; k <= out->fit.count && out->fit.known; k++)
		for (size_t i = 0; i < n && (k == out->fit.count || !out->fit.holders[k].grows); i++)
			without[i] -= out->held[k * n + i];
}

/* Falls that the work of threads hid show in what they do not hold; then the heap is explained anew. */
static void
fit_between_restarts(struct heap_holders *out, struct gathering *g, const struct heap_slots *slots)
{
	double *without = mem_new(g->slots.count + 1, sizeof *without);
	size_t found = find_restarts(g, g->heap, EPOCHS_FALL);

	for (int round = 0; round < ROUNDS; round++) {
		out->restarts = found;
		out->fit = heap_model_fit(slots, out->rest);
		keep_held(out, g, slots);
		take_held_off(out, g, without);
		found = find_restarts(g, without, FALL_WITHOUT);
		if (found <= out->restarts)
			break;
	}
	free(without);
}

/* What all threads hold by chance alone is not told: it is a part of the rest, so that all parts make up the heap. */
static void
keep_rest(struct heap_holders *out, size_t n)
{
	double *load = out->held + out->fit.count * n;

	for (size_t i = 0; i < n && out->fit.known && !heap_follows_load(&out->fit); i++) {
		out->rest[i] += load[i];
		load[i] = 0;
	}
}

static void
release_fit(struct heap_holders *h)
{
	free(h->time_ns);
	free(h->rest);
	free(h->held);
}

static struct heap_holders
explain_by(const struct heap_holders *classes, struct gathering *g, bool by_mean)
{
	struct heap_holders out = *classes;
	struct heap_slots slots;

	fill_heap(g, by_mean);
	slots = (struct heap_slots){ .slots = g->slots.count,
				     .classes = g->classes.count,
				     .hour = g->hour,
				     .heap = g->heap,
				     .weight = g->weight,
				     .epoch = g->epoch,
				     .odd = g->odd,
				     .even = g->even,
				     .all = g->all,
				     .all_noise = g->all_noise };
	out.by_mean = by_mean;
	out.rest = mem_new(g->slots.count + 1, sizeof *out.rest);
	fit_between_restarts(&out, g, &slots);
	return out;
}

static bool
tells_more(const struct heap_fit *fit, const struct heap_fit *than)
{
	return fit->known && (fit->count > 0 || heap_follows_load(fit)) && fit->explained > than->explained;
}

/* What threads hold while they work is the least in the least measure of an hour, when the fewest of them did: a heap
 * that follows each dump is explained by its means. Where it goes up and down between collections, these tell of that
 * more than of threads. */
static void
explain(struct heap_holders *out, struct gathering *g)
{
	struct heap_holders by_least, by_mean;

	open_columns(g);
	fill_classes(g);
	fill_all(g);
	by_least = explain_by(out, g, false);
	if (has_means(g)) {
		by_mean = explain_by(out, g, true);
		by_mean.explained_least = by_least.fit.explained;
		if (tells_more(&by_mean.fit, &by_least.fit)) {
			struct heap_holders less = by_least;

			by_least = by_mean;
			by_mean = less;
		}
		release_fit(&by_mean);
	}
	*out = by_least;
	keep_rest(out, g->slots.count);
}

void
heap_holders_find(struct heap_holders *out, const struct series_set *set, uint32_t subject)
{
	const struct hours_of_metric *heap = hour_counts_measures(set->hours, subject);
	struct gathering g = { .set = set, .hours = 1 };

	*out = (struct heap_holders){ .subject = subject };
	choose_sources(&g, series_set_at(set, subject));
	out->sources = g.sources.count;
	if (heap != NULL && g.sources.count > 0)
		choose_slots(&g, heap);
	out->slots = g.slots.count;
	out->hours = (size_t)g.hours;
	choose_classes(&g, out);
	if (g.slots.count > 0) {
		out->days = (double)((g.slots.at[g.slots.count - 1].number - g.slots.at[0].number + 1) * g.hours) / 24;
		explain(out, &g);
	}
	release(&g);
}

void
heap_holders_release(struct heap_holders *h)
{
	free(h->classes);
	release_fit(h);
	*h = (struct heap_holders){ 0 };
}

bool
heap_follows_load(const struct heap_fit *fit)
{
	return fit->known && fit->load > 0 && fit->load_p < LOAD_CHANCE;
}
