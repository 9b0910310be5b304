/* SPDX-License-Identifier: MIT
 * what_changed: kept counts of a set laid out by slot, compared series by series, and told by the tree they form. */
#include "trend/what_changed.h"

#include "base/memory.h"
#include "base/probability.h"
#include "base/time_math.h"
#include "trend/count_jump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPARABLE_LEAST 0.5	/* of the smaller side, for a season to be taken out */
#define COMPARABLE_NS	 INT64_C(43200000000000)	/* or so much of it: what is left out says nothing false */
#define SEARCH_STRICT	 3.0	/* e^-3 of the moments found in a record without changes */
#define CARRIES		 0.8	/* of the change of what holds it: then it is the one to tell */
#define EXPLAINS	 0.5	/* of a change: what has more of it explained by its parts is not reported itself */
#define CANCELS		 0.2	/* what is left of the changes in it: then these only moved */
#define DAY_NS		 INT64_C(86400000000000)
#define BRIEF_DAYS	 2	/* a record shorter than that says nothing of its season */
#define BRIEF_SPAN_NS	 INT64_C(18000000000000)	/* then so much before and after a moment is compared */
#define BRIEF_SPAN_SLOTS 6
#define NEAR_DAYS	 14	/* of either side are compared: each slot of a week twice */
#define NEAR_CYCLES	 2	/* or so often what repeats */
#define LINE_SLOTS_LEAST 4	/* on either side, for a line through them */
#define REPEATED_LEAST	 0.5	/* of the slots, that another day has too */
#define DEPTH_MOST	 1000	/* of the tree that is walked */
#define CALENDARS	 3

/* The slots of one clock. */
struct axis {
	size_t count;
	int64_t *time_ns;
	double *dumps;
	unsigned *stratum;
	signed char *side;
	struct count_comparison *comparison;
	enum changes_season season;
	double left_out;
	struct count_slots slots;
};

/* How much of either side is compared, and how. */
struct window {
	int64_t around_ns;		/* 0: all of it */
	bool by_line;
};

/* One series that is compared. */
struct candidate {
	uint32_t number;
	uint32_t parent, child, next;	/* places in the list plus 1; 0: none */
	struct count_change change;
	double q;
	bool clear, visited, shifted;
};

struct search {
	const struct series_set *set;
	struct season_calendar *calendars[CALENDARS];
	struct axis *axes;		/* by clock */
	double *hits;			/* room for the longest */
	ARRAY(struct candidate) all;
	ARRAY(struct count_change) fits;	/* of those that make up all threads, or of groups */
	enum stk_series basis;		/* what makes up all: classes, or groups where there are none */
	bool parts;			/* all of these are parts */
	double rate;
	struct what_changed *out;
};

/* --- slots --- */

static bool
is_far(const struct what_changed *out, int64_t time_ns)
{
	return out->around_ns > 0 && (time_ns < time_sum(out->from_ns, -out->around_ns) ||
				      time_ns >= time_sum(out->to_ns, out->around_ns));
}

static void
axis_release(struct axis *a)
{
	count_comparison_close(a->comparison);
	free(a->time_ns);
	free(a->dumps);
	free(a->stratum);
	free(a->side);
	*a = (struct axis){ 0 };
}

/* All slots, or those that are not far from the moment. */
static void
axis_open(struct axis *a, const struct kept_points *dumps, const struct what_changed *near)
{
	axis_release(a);
	a->time_ns = mem_new(dumps->count + 1, sizeof *a->time_ns);
	a->dumps = mem_new(dumps->count + 1, sizeof *a->dumps);
	a->stratum = mem_new(dumps->count + 1, sizeof *a->stratum);
	a->side = mem_new(dumps->count + 1, sizeof *a->side);
	for (size_t i = 0; i < dumps->count; i++) {
		if (near != NULL && is_far(near, dumps->at[i].time_ns))
			continue;
		a->time_ns[a->count] = dumps->at[i].time_ns;
		a->dumps[a->count++] = dumps->at[i].value;
	}
}

static void
find_strata(struct axis *a, struct season_calendar *calendar)
{
	for (size_t i = 0; i < a->count; i++)
		a->stratum[i] = season_place(calendar, a->time_ns[i]).slot;
	a->slots = (struct count_slots){ .count = a->count, .time_ns = a->time_ns, .dumps = a->dumps,
		.stratum = a->stratum, .strata = season_slots(calendar), .side = a->side };
}

/* The finest season of which the smaller side has enough in common with the other. */
static void
axis_divide(struct axis *a, const struct search *s)
{
	const struct what_changed *out = s->out;
	struct count_common is;

	for (size_t i = 0; i < a->count; i++)
		a->side[i] = is_far(out, a->time_ns[i]) ? SIDE_NONE :
			     time_sum(a->time_ns[i], s->set->step_ns) <= out->from_ns ? SIDE_BEFORE :
			     a->time_ns[i] >= out->to_ns ? SIDE_AFTER : SIDE_NONE;
	for (unsigned c = 0; c < CALENDARS; c++) {
		a->season = (enum changes_season)c;
		find_strata(a, s->calendars[c]);
		is = count_comparable(&a->slots);
		a->left_out = is.left_out;
		if (is.of_smaller >= COMPARABLE_LEAST || (int64_t)is.slots >= COMPARABLE_NS / s->set->step_ns)
			break;
	}
	count_comparison_close(a->comparison);
	count_comparison_open(&a->comparison, &a->slots);
}

/* Into the room: its hits by slot. Both are in the order of time. */
static void
lay_out_on(const struct search *s, const struct axis *a, const struct series *series)
{
	size_t at = 0;

	memset(s->hits, 0, a->count * sizeof *s->hits);
	for (size_t i = 0; i < series->counts.count; i++) {
		while (at < a->count && a->time_ns[at] < series->counts.at[i].time_ns)
			at++;
		if (at < a->count && a->time_ns[at] == series->counts.at[i].time_ns)
			s->hits[at] += series->counts.at[i].value;
	}
}

static void
lay_out(const struct search *s, const struct series *series)
{
	lay_out_on(s, &s->axes[series->clock], series);
}

static bool
is_compared(const struct series *s)
{
	return s->kind <= STK_SERIES_GROUP && series_is_shown(s) && !s->split && s->counts.count > 0;
}

/* Classes add up to all threads, and so do their parts, by source or state, where they are counted apart. */
static bool
is_of_all(const struct search *s, const struct series *series)
{
	return series->kind == s->basis && (s->parts || series->part.size == 0);
}

static void
list_candidates(struct search *s)
{
	s->all.count = s->fits.count = 0;
	s->out->scarce = 0;
	s->basis = STK_SERIES_GROUP;
	s->parts = true;
	for (uint32_t n = 1; n <= series_set_count(s->set); n++) {
		if (!is_compared(series_set_at(s->set, n)))
			continue;
		*array_push(&s->all) = (struct candidate){ .number = n };
		if (series_set_at(s->set, n)->kind == STK_SERIES_CLASS)
			s->basis = STK_SERIES_CLASS;
	}
	for (size_t i = 0; i < s->all.count; i++) {
		const struct series *series = series_set_at(s->set, s->all.at[i].number);

		s->parts &= series->kind != s->basis || series->part.size > 0;
	}
}

/* --- the moment --- */

static void
pool_season(struct search *s, const struct axis *a)
{
	for (size_t i = 0; i < s->all.count; i++) {
		const struct series *series = series_set_at(s->set, s->all.at[i].number);

		if (&s->axes[series->clock] != a || series->kind == STK_SERIES_SEGMENT)
			continue;
		lay_out(s, series);
		count_comparison_pool(a->comparison, s->hits);
	}
}

/* How much of either side lines go through. */
static int64_t
line_ns(const struct search *s)
{
	int64_t least = BRIEF_SPAN_SLOTS * s->set->step_ns;

	return least > BRIEF_SPAN_NS ? least : BRIEF_SPAN_NS;
}

/* As much as says how like slots differ: an older change, or a later one, is none of this moment. */
static int64_t
near_ns(const struct search *s)
{
	unsigned days = NEAR_CYCLES * season_cycle_days(s->calendars[0]);

	return (days > NEAR_DAYS ? days : NEAR_DAYS) * DAY_NS;
}

/* Too little was seen twice for a season to be taken out: each slot would be what is expected of itself. */
static bool
is_brief(const struct search *s, struct axis *a)
{
	unsigned *visits;
	size_t repeated = 0;

	find_strata(a, s->calendars[0]);
	if (time_sum(a->time_ns[a->count - 1], s->set->step_ns) < time_sum(a->time_ns[0], BRIEF_DAYS * DAY_NS))
		return true;
	visits = mem_new(a->slots.strata + 1, sizeof *visits);
	for (size_t i = 0; i < a->count; i++)
		visits[a->stratum[i]]++;
	for (size_t i = 0; i < a->count; i++)
		repeated += visits[a->stratum[i]] > 1;
	free(visits);
	return (double)repeated < REPEATED_LEAST * (double)a->count;
}

static void
add_jumps(const struct axis *a, const double *hits, const struct search *s, double least, double *gains)
{
	struct count_jump *jumps = mem_new(a->count + 1, sizeof *jumps);

	count_jumps_find(&a->slots, hits, s->out->around_ns, jumps);
	for (size_t i = 0; i < a->count; i++)
		if (jumps[i].t * jumps[i].t > least)	/* else p cannot be as low */
			gains[i] += fmax(0, -log(count_jump_p(&a->slots, jumps, i, s->out->around_ns)) - least);
	free(jumps);
}

/* The gains of the series of one clock, by slot of the clock of all. */
static void
add_gains(struct search *s, struct axis *a, const struct axis *of_all, double least, double *gains)
{
	double *own = mem_new(a->count + 1, sizeof *own);
	size_t to = 0;

	find_strata(a, s->calendars[0]);
	count_comparison_close(a->comparison);
	count_comparison_open(&a->comparison, &a->slots);
	pool_season(s, a);
	for (size_t i = 0; i < s->all.count; i++) {
		const struct series *series = series_set_at(s->set, s->all.at[i].number);

		if (&s->axes[series->clock] != a || !is_of_all(s, series))
			continue;
		lay_out(s, series);
		if (s->out->by_line)
			add_jumps(a, s->hits, s, least, own);
		else
			(void)count_change_gains(a->comparison, s->hits, least, own);
	}
	for (size_t i = 0; i < a->count; i++) {
		while (to + 1 < of_all->count && of_all->time_ns[to] < a->time_ns[i])
			to++;
		gains[to] += own[i];
	}
	free(own);
}

static struct axis *
axis_of_all(struct search *s)
{
	return &s->axes[s->basis == STK_SERIES_CLASS ? 0 : s->set->group_clock];
}

static bool
find_moment(struct search *s)
{
	struct axis *of_all = axis_of_all(s);
	double *gains, least;
	size_t best = 0;
	bool found;

	if (s->all.count == 0 || of_all->count == 0)
		return false;
	gains = mem_new(of_all->count, sizeof *gains);
	least = log((double)of_all->count * (double)s->all.count) + SEARCH_STRICT;
	s->out->by_line = is_brief(s, of_all);
	s->out->around_ns = s->out->by_line ? line_ns(s) : 0;
	for (size_t c = 0; c < s->set->dumps.count; c++)
		add_gains(s, &s->axes[c], of_all, least, gains);
	for (size_t i = 0; i < of_all->count; i++)
		best = gains[i] > gains[best] ? i : best;
	s->out->from_ns = s->out->to_ns = of_all->time_ns[best];
	found = gains[best] > 0;
	free(gains);
	return found;
}

/* --- compared --- */

/* That there is a jump shows best in all that is compared; how great it is, in its nearer half: a day bends lines. */
static struct count_jump
level_jump(const struct search *s, const struct axis *a, size_t split)
{
	struct count_jump half = count_jump_at(&a->slots, s->hits, split, s->out->around_ns / 2, 1);

	return isfinite(half.log_error) ? half : count_jump_at(&a->slots, s->hits, split, s->out->around_ns, 1);
}

/* Levels and their ratio at the moment itself, by the lines on either side: the hours around it have other times of
 * day. A day that rises or falls is not a change, so what has changed jumps, too. */
static void
judge_nearby(const struct search *s, const struct axis *a, struct count_change *of)
{
	double width, p;
	struct count_jump *jumps, at;
	size_t split = 0;

	if (!s->out->by_line || a->count == 0)
		return;
	while (split + 1 < a->count && a->time_ns[split] < s->out->to_ns)
		split++;
	jumps = mem_new(a->count + 1, sizeof *jumps);
	count_jumps_find(&a->slots, s->hits, s->out->around_ns, jumps);
	p = count_jump_p(&a->slots, jumps, split, s->out->around_ns);
	of->p = fmax(of->p, p);
	at = level_jump(s, a, split);
	if (of->hits[0] > 0 && of->hits[1] > 0 && isfinite(at.log_error)) {
		width = at.log_error * student_quantile((1 + s->set->options->confidence) / 2, at.freedom);
		of->level[0] = at.before;
		of->level[1] = at.after;
		of->ratio = at.after / at.before;
		of->low = of->ratio * exp(-width);
		of->high = of->ratio * exp(width);
	}
	free(jumps);
}

static void
fit_all_threads(struct search *s)
{
	struct axis *a = &s->axes[0];
	double *sum = mem_new(a->count + 1, sizeof *sum);

	for (size_t i = 0; i < s->all.count; i++) {
		const struct series *series = series_set_at(s->set, s->all.at[i].number);

		if (series->kind != STK_SERIES_CLASS || !is_of_all(s, series))
			continue;
		lay_out_on(s, a, series);
		for (size_t k = 0; k < a->count; k++)
			sum[k] += s->hits[k];
	}
	(void)count_change_fit(a->comparison, sum, &s->out->all);
	if (!isnan(s->out->all.ratio))
		count_change_judge(a->comparison, 1, count_day_noise(&s->out->all, 1), s->set->options->confidence,
				   &s->out->all);
	memcpy(s->hits, sum, a->count * sizeof *sum);
	judge_nearby(s, a, &s->out->all);
	free(sum);
}

/* Those with too few samples drop out of the list. */
static void
fit_candidates(struct search *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->all.count; i++) {
		struct candidate *c = &s->all.at[i];
		const struct series *series = series_set_at(s->set, c->number);

		lay_out(s, series);
		if (!count_change_fit(s->axes[series->clock].comparison, s->hits, &c->change)) {
			s->out->scarce++;
			continue;
		}
		if (is_of_all(s, series))
			*array_push(&s->fits) = c->change;
		s->all.at[kept++] = *c;
	}
	s->all.count = kept;
	s->out->tested = kept;
}

static void
judge_candidates(struct search *s)
{
	double noise = count_day_noise(s->fits.at, s->fits.count), *p = mem_new(s->all.count + 1, sizeof *p),
	       *q = mem_new(s->all.count + 1, sizeof *q);

	s->out->usual = count_common_ratio(s->fits.at, s->fits.count);
	for (size_t i = 0; i < s->all.count; i++) {
		struct candidate *c = &s->all.at[i];
		const struct series *series = series_set_at(s->set, c->number);
		struct count_comparison *comparison = s->axes[series->clock].comparison;

		lay_out(s, series);
		(void)count_change_fit(comparison, s->hits, &c->change);
		count_change_judge(comparison, s->out->usual, noise, s->set->options->confidence, &c->change);
		judge_nearby(s, &s->axes[series->clock], &c->change);
		p[i] = c->change.p;
	}
	count_discovery_rates(p, s->all.count, q);
	for (size_t i = 0; i < s->all.count; i++) {
		s->all.at[i].q = q[i];
		s->all.at[i].clear = q[i] <= s->rate;
	}
	free(p);
	free(q);
}

/* --- told by the tree --- */

struct keyed { uint64_t key; uint32_t place; };

static int
compare_keys(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static struct candidate *
at_place(struct search *s, uint32_t place)
{
	return place == 0 ? NULL : &s->all.at[place - 1];
}

/* Segments that several hold have one parent each, which may lead back to them. */
static bool
leads_to(const struct search *s, uint32_t from, uint32_t to)
{
	for (unsigned depth = 0; from != 0 && from != to && depth < DEPTH_MOST; depth++)
		from = s->all.at[from - 1].parent;
	return from != 0;
}

static uint32_t
find_keyed(const struct keyed *keys, size_t count, uint64_t key)
{
	struct keyed wanted = { key, 0 }, *found;

	found = key == 0 ? NULL : bsearch(&wanted, keys, count, sizeof *keys, compare_keys);
	return found == NULL ? 0 : found->place;
}

/* The key of the segment in which the stacks of a class end, where it is in what the class is in; 0: there is none. */
static uint64_t
key_of_end(const struct series_set *set, const struct series *class)
{
	for (size_t i = class->path.count; i-- > 0; ) {
		const struct series *segment = series_set_at(set, class->path.at[i]);

		if (!segment->split)
			return segment->parent == class->parent ? segment->key : 0;
	}
	return 0;
}

static void
set_parent(struct search *s, size_t of, uint32_t parent)
{
	if (parent != 0 && !leads_to(s, parent, (uint32_t)of + 1))
		s->all.at[of].parent = parent;
}

static void
link_tree(struct search *s)
{
	size_t count = s->all.count;
	struct keyed *keys = mem_new(count + 1, sizeof *keys);

	for (size_t i = 0; i < count; i++) {
		const struct series *series = series_set_at(s->set, s->all.at[i].number);

		keys[i] = (struct keyed){ series->key, (uint32_t)i + 1 };
	}
	qsort(keys, count, sizeof *keys, compare_keys);
	for (size_t i = 0; i < count; i++) {
		const struct series *series = series_set_at(s->set, s->all.at[i].number);

		if (series->kind == STK_SERIES_CLASS)
			set_parent(s, i, find_keyed(keys, count, key_of_end(s->set, series)));
		if (s->all.at[i].parent == 0)
			set_parent(s, i, find_keyed(keys, count, series->parent));
	}
	for (size_t i = 0; i < count; i++) {
		struct candidate *parent = at_place(s, s->all.at[i].parent);

		if (parent == NULL)
			continue;
		s->all.at[i].next = parent->child;
		parent->child = (uint32_t)i + 1;
	}
	free(keys);
}

static double
moved(const struct candidate *c)
{
	return c->change.level[1] - c->change.level[0];
}

/* How many below it changed clearly; *other: one of them not as it did. */
static size_t
count_below(struct search *s, const struct candidate *of, const struct candidate *top, unsigned depth, bool *other)
{
	size_t count = 0;

	for (struct candidate *c = at_place(s, of->child); c != NULL && depth < DEPTH_MOST; c = at_place(s, c->next)) {
		if (c->clear) {
			count++;
			*other |= c->change.low > top->change.ratio || c->change.high < top->change.ratio;
		}
		count += count_below(s, c, top, depth + 1, other);
	}
	return count;
}

static void
add_row(struct search *s, const struct candidate *c, size_t within)
{
	*array_push(&s->out->rows) = (struct changed_series){ .number = c->number, .change = c->change, .q = c->q,
		.shifted = c->shifted, .within = within, .began_ns = STK_TIME_UNKNOWN };
}

/* The lowest that carries the change of what holds it. */
static struct candidate *
carrier(struct search *s, struct candidate *c)
{
	for (unsigned depth = 0; depth < DEPTH_MOST; depth++) {
		struct candidate *below = NULL;

		for (struct candidate *k = at_place(s, c->child); k != NULL; k = at_place(s, k->next))
			if (k->clear && moved(k) * moved(c) > 0 && fabs(moved(k)) >= CARRIES * fabs(moved(c)))
				below = k;
		if (below == NULL)
			break;
		c = below;
	}
	return c;
}

static void
mark_shifts(struct search *s, const struct candidate *of)
{
	double sum = 0, up = 0;

	for (struct candidate *c = at_place(s, of->child); c != NULL; c = at_place(s, c->next)) {
		sum += c->clear ? fabs(moved(c)) : 0;
		up += c->clear ? fmax(0, moved(c)) : 0;
	}
	for (struct candidate *c = at_place(s, of->child); c != NULL; c = at_place(s, c->next))
		c->shifted = c->clear && up > 0 && up < sum && fabs(moved(of)) < CANCELS * sum;
}

/* Returns how much of what is in it was told. */
static double
tell(struct search *s, struct candidate *c, unsigned depth)
{
	bool other = false;
	double told = 0;

	if (c->visited || depth > DEPTH_MOST)
		return 0;
	c->visited = true;
	mark_shifts(s, c);
	if (c->clear) {
		struct candidate *to = carrier(s, c);
		size_t within = count_below(s, to, to, 0, &other);

		(void)count_below(s, c, c, 0, &other);
		if (!other) {
			to->shifted |= c->shifted;
			add_row(s, to, within);
			return moved(c);
		}
	}
	for (struct candidate *k = at_place(s, c->child); k != NULL; k = at_place(s, k->next))
		told += tell(s, k, depth + 1);
	if (!c->clear || fabs(moved(c) - told) <= EXPLAINS * fabs(moved(c)))
		return told;
	add_row(s, c, 0);
	return moved(c);
}

static int
by_change(const void *a, const void *b)
{
	const struct changed_series *x = a, *y = b;
	double of_x = fabs(x->change.level[1] - x->change.level[0]),
	       of_y = fabs(y->change.level[1] - y->change.level[0]);

	return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : (x->number > y->number) - (x->number < y->number);
}

static void
tell_all(struct search *s)
{
	struct what_changed *out = s->out;

	link_tree(s);
	for (size_t i = 0; i < s->all.count; i++)
		if (s->all.at[i].parent == 0)
			(void)tell(s, &s->all.at[i], 0);
	if (out->rows.count > 0)
		qsort(out->rows.at, out->rows.count, sizeof *out->rows.at, by_change);
}

/* The greatest jump among the slots that were compared. */
static size_t
greatest_jump(const struct search *s, const struct axis *a)
{
	struct count_jump *jumps = mem_new(a->count + 1, sizeof *jumps);
	size_t best = 0;

	count_jumps_find(&a->slots, s->hits, s->out->around_ns, jumps);
	for (size_t i = 1; i < a->count; i++)
		if (a->side[i] != SIDE_NONE && jumps[i].t > jumps[best].t)
			best = i;
	free(jumps);
	return best;
}

/* A moment that was found is known to a slot: that before it, or after it, may have some of both sides. */
static void
tell_ends(const struct search *s, const struct axis *a, struct changed_series *row)
{
	int64_t by = s->out->searched ? s->set->step_ns : 0;
	double before = 0, after = 0;

	for (size_t i = 0; i < a->count; i++) {
		if (a->side[i] == SIDE_BEFORE && time_sum(a->time_ns[i], s->set->step_ns) <= s->out->from_ns - by)
			before += s->hits[i];
		if (a->side[i] == SIDE_AFTER && a->time_ns[i] >= s->out->to_ns + by)
			after += s->hits[i];
	}
	row->is_new = before <= 0 && row->change.ratio > 1;
	row->is_gone = after <= 0 && row->change.ratio < 1;
}

/* Where each row's own counts divide best. */
static void
date_rows(struct search *s)
{
	for (size_t c = 0; c < s->set->dumps.count; c++)
		pool_season(s, &s->axes[c]);
	for (size_t i = 0; i < s->out->rows.count; i++) {
		const struct series *series = series_set_at(s->set, s->out->rows.at[i].number);
		struct axis *a = &s->axes[series->clock];
		double *unused = mem_new(a->count + 1, sizeof *unused);
		size_t at;

		lay_out(s, series);
		tell_ends(s, a, &s->out->rows.at[i]);
		at = s->out->by_line ? greatest_jump(s, a) :
					     count_change_gains(a->comparison, s->hits, 0, unused);
		if (at > 0)
			s->out->rows.at[i].began_ns = a->time_ns[at];
		free(unused);
	}
}

/* --- all --- */

static int
open_search(struct search *s, struct stk_error *err)
{
	const struct series_set *set = s->set;
	int64_t slot_ns = season_slot_ns(set->rules[set->stages - 1].calendar);
	size_t longest = 0;

	s->calendars[0] = set->rules[set->stages - 1].calendar;
	if (season_calendar_open(&s->calendars[1], "day", slot_ns, set->options->zone, 0, err) < 0 ||
	    season_calendar_open(&s->calendars[2], "none", slot_ns, set->options->zone, 0, err) < 0)
		return -1;
	s->axes = mem_new(set->dumps.count + 1, sizeof *s->axes);
	for (size_t c = 0; c < set->dumps.count; c++) {
		axis_open(&s->axes[c], &set->dumps.at[c], NULL);
		longest = s->axes[c].count > longest ? s->axes[c].count : longest;
	}
	s->hits = mem_new(longest + 1, sizeof *s->hits);
	return 0;
}

static void
close_search(struct search *s)
{
	for (size_t c = 0; s->axes != NULL && c < s->set->dumps.count; c++)
		axis_release(&s->axes[c]);
	free(s->axes);
	free(s->hits);
	season_calendar_close(s->calendars[1]);
	season_calendar_close(s->calendars[2]);
	array_release(&s->all);
	array_release(&s->fits);
}

/* Both sides of each clock; whether there is anything on both. A jump is judged by the jumps of the whole record. */
static bool
divide(struct search *s)
{
	struct what_changed *out = s->out;
	bool all = true;

	memset(out->slots, 0, sizeof out->slots);
	for (size_t c = 0; c < s->set->dumps.count; c++) {
		struct axis *a = &s->axes[c];
		size_t slots[2] = { 0 };

		axis_open(a, &s->set->dumps.at[c], out->by_line ? NULL : out);
		all &= a->count == s->set->dumps.at[c].count;
		axis_divide(a, s);
		for (size_t i = 0; i < a->count; i++)
			if (a->side[i] != SIDE_NONE)
				slots[(unsigned)a->side[i]]++;
		if (slots[0] + slots[1] <= out->slots[0] + out->slots[1])
			continue;
		memcpy(out->slots, slots, sizeof slots);
		out->season = a->season;
		out->left_out = a->left_out;
	}
	if (all && !out->by_line)
		out->around_ns = 0;
	return out->slots[0] > 0 && out->slots[1] > 0;
}

static void
compare(struct search *s)
{
	list_candidates(s);
	fit_all_threads(s);
	fit_candidates(s);
	judge_candidates(s);
	tell_all(s);
	date_rows(s);
}

static bool
divide_within(struct search *s, struct window window)
{
	s->out->around_ns = window.around_ns;
	s->out->by_line = window.by_line;
	return divide(s);
}

static struct window
window_of_lines(const struct search *s)
{
	return (struct window){ line_ns(s), true };
}

/* What is near, or else, where one side has nothing there, all there is. */
static bool
divide_by_season(struct search *s)
{
	return divide_within(s, (struct window){ near_ns(s), false }) || divide_within(s, (struct window){ 0, false });
}

static bool
divide_by_lines(struct search *s)
{
	const size_t *slots = s->out->slots;

	return divide_within(s, window_of_lines(s)) && slots[0] >= LINE_SLOTS_LEAST && slots[1] >= LINE_SLOTS_LEAST;
}

/* Of a morning and an evening lines through the hours at the moment say more than their levels. */
static bool
compare_given(struct search *s)
{
	bool known = divide_by_season(s), moment = s->out->from_ns == s->out->to_ns;

	if (known && moment && s->out->season == CHANGES_FLAT && !season_calendar_is_flat(s->calendars[0]) &&
	    !divide_by_lines(s))
		known = divide_by_season(s);
	if (known)
		compare(s);
	return known;
}

/* What stands out in the whole record and in nothing near shows in more of it, or in the same day, where days are too
 * few to know how they differ. */
static bool
compare_found(struct search *s)
{
	const struct window windows[] = { { near_ns(s), false }, { 0, false }, window_of_lines(s) };
	size_t last = sizeof windows / sizeof *windows - 1;
	bool known = false;

	for (size_t w = s->out->by_line ? last : 0; w <= last && s->out->rows.count == 0; w++) {
		if (!divide_within(s, windows[w]))
			continue;
		compare(s);
		known = true;
	}
	return known;
}

int
what_changed_find(struct what_changed *out, const struct series_set *set, int64_t from_ns, int64_t to_ns, double rate,
		  struct stk_error *err)
{
	struct search s = { .set = set, .rate = rate, .out = out };
	int result = open_search(&s, err);

	*out = (struct what_changed){ .from_ns = from_ns, .to_ns = to_ns, .usual = 1, .all = { .ratio = NAN } };
	if (result == 0) {
		list_candidates(&s);
		out->tested = s.all.count;
		out->searched = from_ns == STK_TIME_UNKNOWN;
		out->known = out->searched ? find_moment(&s) && compare_found(&s) : compare_given(&s);
	}
	close_search(&s);
	return result;
}

void
what_changed_release(struct what_changed *is)
{
	array_release(&is->rows);
}
