/* SPDX-License-Identifier: MIT
 * watched_counts: rows of a moment come one by one; a dump is over when the next moment comes. */
#include "trend/watched_counts.h"

#include "base/time_math.h"
#include "trend/series_set.h"

#include <stdlib.h>

#define FINDING_OPEN_NS INT64_C(604800000000000) /* a week */
#define FINDING_NEAR_NS INT64_C(1800000000000)
#define FINDING_DUMPS 10

void
watched_counts_release(struct watched_counts *counts)
{
	for (size_t c = 0; c < counts->clocks.count; c++) {
		if (counts->clocks.at[c].watch.slots != NULL)
			count_watch_release(&counts->clocks.at[c].watch);
		array_release(&counts->clocks.at[c].series);
	}
	array_release(&counts->clocks);
	array_release(&counts->found);
}

/* --- places --- */

struct clock_watch *
watched_counts_clock(struct series_set *set, uint32_t clock)
{
	array_lengthen(&set->counts.clocks, (size_t)clock + 1);
	if (set->counts.clocks.at[clock].watch.slots == NULL)
		count_watch_open(&set->counts.clocks.at[clock].watch, set->rules[set->stages - 1].calendar);
	return &set->counts.clocks.at[clock];
}

static uint32_t
add_place(struct clock_watch *c, uint32_t series, bool loads)
{
	*array_push(&c->series) = series;
	return count_watch_add(&c->watch, loads, series == 0);
}

uint32_t
watched_counts_place(struct series_set *set, uint32_t number)
{
	struct series *series = series_set_edit(set, number);

	if (series->watched == 0)
		series->watched = 1 + add_place(watched_counts_clock(set, series->clock), number,
						series->kind == STK_SERIES_CLASS);
	return series->watched - 1;
}

uint32_t
watched_counts_whole(struct series_set *set, uint32_t clock)
{
	struct clock_watch *c = watched_counts_clock(set, clock);

	if (c->whole == 0)
		c->whole = 1 + add_place(c, 0, false);
	return c->whole - 1;
}

void
watched_counts_copy(struct series_set *set, uint32_t from, uint32_t to)
{
	const struct series *first = series_set_at(set, from), *second = series_set_at(set, to);

	if (first->watched > 0 && first->clock == second->clock)
		count_watch_copy(&watched_counts_clock(set, first->clock)->watch, first->watched - 1,
				 watched_counts_place(set, to));
}

bool
watched_counts_tell(const struct series_set *set, uint32_t number)
{
	const struct series *series = series_set_at(set, number);

	return series->watched > 0 && count_watch_is_ready(&set->counts.clocks.at[series->clock].watch);
}

/* --- findings --- */

static enum change_kind
kind_of(enum count_kind kind)
{
	switch (kind) {
	case COUNT_NEW: return CHANGE_NEW;
	case COUNT_GONE: return CHANGE_GONE;
	case COUNT_SHIFT: return CHANGE_SHIFT;
	case COUNT_DRIFT: return CHANGE_DRIFT;
	default: return CHANGE_BURST;
	}
}

static int64_t
time_apart(int64_t a, int64_t b)
{
	return a < b ? time_difference(a, b) : time_difference(b, a);
}

/* When the finding began that one belongs to: what began together, as far as one can tell, is one. */
static int64_t
finding_of(const struct series_set *set, const struct count_finding *one, int64_t dump_ns)
{
	int64_t near_ns = time_difference(one->began_ns, one->told_ns), best = STK_TIME_UNKNOWN;

	near_ns = near_ns > FINDING_NEAR_NS ? near_ns : FINDING_NEAR_NS;
	near_ns = near_ns > FINDING_DUMPS * dump_ns ? near_ns : FINDING_DUMPS * dump_ns;
	for (size_t i = 0; i < set->changes.count; i++) {
		int64_t other = set->changes.at[i].finding_ns;

		if (other != STK_TIME_UNKNOWN && time_apart(other, one->began_ns) <= near_ns &&
		    time_apart(set->changes.at[i].change.end_ns, one->told_ns) <= FINDING_OPEN_NS &&
		    (best == STK_TIME_UNKNOWN || other < best))
			best = other;
	}
	return best == STK_TIME_UNKNOWN ? one->began_ns : best;
}

static void
note_finding(struct series_set *set, const struct count_finding *one, int64_t dump_ns)
{
	struct change change = { .kind = kind_of(one->kind),
				 .time_ns = one->began_ns,
				 .end_ns = one->told_ns,
				 .value = one->after,
				 .expected = one->before,
				 .score = one->score,
				 .before = one->before,
				 .after = one->after };
	int64_t finding = finding_of(set, one, dump_ns);
	struct found_change *found;

	series_set_changed(set, one->series, text_from(one->series == 0 ? ALL_THREADS : ""),
			   change_kind_names[change.kind], &change);
	found = &set->changes.at[set->changes.count - 1];
	found->settled = true;
	found->dropped = one->kind == COUNT_WENT_AWAY;
	found->finding_ns = finding;
	found->low = one->low;
	found->high = one->high;
}

struct told {
	struct series_set *set;
	const struct clock_watch *clock;
};

static void
tell(void *context, const struct count_finding *finding)
{
	const struct told *told = context;
	struct count_finding *kept = array_push(&told->set->counts.found);

	*kept = *finding;
	kept->series = told->clock->series.at[finding->series];
}

/* Not the order in which series came. */
static int
compare_findings(const void *a, const void *b, void *context)
{
	const struct count_finding *x = a, *y = b;
	const struct series_set *set = context;
	uint64_t first = x->series == 0 ? 0 : series_set_at(set, x->series)->key,
		 second = y->series == 0 ? 0 : series_set_at(set, y->series)->key;

	if (x->began_ns != y->began_ns)
		return x->began_ns < y->began_ns ? -1 : 1;
	if (first != second)
		return first < second ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* --- moments --- */

/* How far apart the dumps are that a finding is of; all threads are counted by the clock of all. */
static int64_t
dump_ns_of(const struct series_set *set, const struct count_finding *one)
{
	uint32_t clock = one->series == 0 ? 0 : series_set_at(set, one->series)->clock;

	return count_watch_dump_ns(&set->counts.clocks.at[clock].watch);
}

/* Clocks are in the order in which their sources came, which no finding may depend on: those of all are noted at once.
 */
void
watched_counts_end(struct series_set *set)
{
	struct watched_counts *counts = &set->counts;

	counts->found.count = 0;
	for (size_t c = 0; c < counts->clocks.count; c++) {
		struct clock_watch *clock = &counts->clocks.at[c];
		struct told told = { set, clock };
		struct count_listener listener = { tell, &told };

		if (clock->dumps <= 0)
			continue;
		count_watch_dump(&clock->watch, counts->moment_ns, clock->dumps, &listener);
		clock->dumps = 0;
	}
	if (counts->found.count > 1)
		qsort_r(counts->found.at, counts->found.count, sizeof *counts->found.at, compare_findings, set);
	for (size_t i = 0; i < counts->found.count; i++)
		note_finding(set, &counts->found.at[i], dump_ns_of(set, &counts->found.at[i]));
}

void
watched_counts_come_to(struct series_set *set, int64_t time_ns)
{
	struct watched_counts *counts = &set->counts;

	counts->late = counts->moment_ns != STK_TIME_UNKNOWN && time_ns < counts->moment_ns;
	if (counts->late || time_ns == counts->moment_ns)
		return;
	watched_counts_end(set);
	counts->moment_ns = time_ns;
}

void
watched_counts_tick(struct series_set *set, uint32_t clock)
{
	if (!set->counts.late)
		watched_counts_clock(set, clock)->dumps++;
}

void
watched_counts_add(struct series_set *set, uint32_t number, double amount)
{
	const struct series *series = series_set_at(set, number);
	uint32_t place;

	if (set->counts.late || series->kind > STK_SERIES_SEGMENT)
		return;
	place = watched_counts_place(set, number);
	series = series_set_at(set, number);
	count_watch_hit(&set->counts.clocks.at[series->clock].watch, place, amount);
	if (series->kind == STK_SERIES_CLASS && series->part.size == 0) {
		place = watched_counts_whole(set, series->clock);
		count_watch_hit(&set->counts.clocks.at[series->clock].watch, place, amount);
	}
}
