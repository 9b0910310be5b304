/* SPDX-License-Identifier: MIT
 * series_news: a change is not news when it went away again, or when a sibling lost at the same time what it won. */
#include "trend/series_news.h"

#include "base/time_math.h"
#include "trend/class_paths.h"

#include <math.h>
#include <stdlib.h>

static const char cost_shift[] = "cost-shift";

#define SAME_TIME_STEPS 4	/* within which a shift here and one there are one */
#define WENT_AWAY_NS    INT64_C(259200000000000)	/* three days */

/* Shifts in the order of a key and of time, so that those that may be related are adjacent. */
struct keyed_shift { uint64_t key; int64_t time_ns; struct found_change *found; };

struct shifts { struct keyed_shift *at; size_t count; };

static int
compare_shifts(const void *a, const void *b)
{
	const struct keyed_shift *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* All shifts of series, by the key of the series, or by that of what holds it. */
static struct shifts
sort_shifts(struct series_set *set, bool by_parent)
{
	struct shifts shifts = { .at = mem_new(set->changes.count + 1, sizeof *shifts.at) };

	for (size_t i = 0; i < set->changes.count; i++) {
		struct found_change *found = &set->changes.at[i];
		const struct series *series = found->series == 0 ? NULL : &set->series.at[found->series - 1];

		if (series != NULL && found->change.kind == CHANGE_SHIFT && !found->settled)
			shifts.at[shifts.count++] = (struct keyed_shift){ by_parent ? series->parent : series->key,
									  found->change.time_ns, found };
	}
	qsort(shifts.at, shifts.count, sizeof *shifts.at, compare_shifts);
	return shifts;
}

/* The first shift of a key that is not before a moment. */
static size_t
first_shift(const struct shifts *shifts, uint64_t key, int64_t time_ns)
{
	struct keyed_shift wanted = { key, time_ns, NULL };
	size_t low = 0, high = shifts->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_shifts(&shifts->at[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
is_between(const struct shifts *shifts, size_t i, uint64_t key, int64_t to_ns)
{
	return i < shifts->count && shifts->at[i].key == key && shifts->at[i].time_ns <= to_ns;
}

/* Whether what one series lost or won its siblings won or lost at the same time, and what holds them all stayed:
 * the same work under another name. */
static bool
is_shifted_cost(const struct series_set *set, const struct shifts *by_key, const struct shifts *by_parent,
		const struct found_change *one)
{
	uint64_t parent = set->series.at[one->series - 1].parent;
	double moved = one->change.after - one->change.before, others = 0;
	int64_t near_ns =
		set->step_ns > DURATION_MOST / SAME_TIME_STEPS ? DURATION_MOST : SAME_TIME_STEPS * set->step_ns;
	int64_t from = time_difference(near_ns, one->change.time_ns), to = time_sum(one->change.time_ns, near_ns);

	if (parent == 0 || is_between(by_key, first_shift(by_key, parent, from), parent, to))
		return false;
	for (size_t i = first_shift(by_parent, parent, from); is_between(by_parent, i, parent, to); i++)
		if (by_parent->at[i].found->series != one->series)
			others += by_parent->at[i].found->change.after - by_parent->at[i].found->change.before;
	return fabs(moved + others) < 0.25 * fabs(moved);
}

/* A level that came back to where it was: neither its going nor its coming is news. When an earlier run has told that
 * the level went, its coming back is told, too. */
static void
drop_if_gone(const struct series_set *set, const struct shifts *by_key, struct found_change *one)
{
	uint64_t key = set->series.at[one->series - 1].key;
	double moved = one->change.after - one->change.before;

	if (one->old)
		return;
	for (size_t i = first_shift(by_key, key, one->change.time_ns + 1);
	     is_between(by_key, i, key, one->change.time_ns + WENT_AWAY_NS); i++) {
		struct found_change *back = by_key->at[i].found;

		if (fabs(back->change.after - one->change.before) < 0.35 * fabs(moved))
			one->dropped = back->dropped = true;
	}
}

/* --- findings of counts --- */

#define ANCESTORS_MOST 64
#define EXPLAINS 0.8 /* of a change, from which another one is the same */

static double
moved_by(const struct found_change *found)
{
	return found->change.after - found->change.before;
}

/* In the order in which they were told; in one dump classes first, then what holds them, and all threads last. */
static int
compare_told(const void *a, const void *b, void *context)
{
	const struct series_set *set = context;
	const struct found_change *x = *(struct found_change *const *)a, *y = *(struct found_change *const *)b;
	uint64_t first = x->series == 0 ? UINT64_MAX : set->series.at[x->series - 1].key,
		 second = y->series == 0 ? UINT64_MAX : set->series.at[y->series - 1].key;
	unsigned kind = x->series == 0 ? STK_SERIES_COUNTER : set->series.at[x->series - 1].kind,
		 other = y->series == 0 ? STK_SERIES_COUNTER : set->series.at[y->series - 1].kind;

	if (x->finding_ns != y->finding_ns)
		return x->finding_ns < y->finding_ns ? -1 : 1;
	if (x->change.end_ns != y->change.end_ns)
		return x->change.end_ns < y->change.end_ns ? -1 : 1;
	if (kind != other)
		return kind < other ? -1 : 1;
	return (first > second) - (first < second);
}

/* The call tree as it was when a finding was reported: segments that were split later, and stacks that came later, do
 * not decide what was the same work then. */
struct tree_then {
	const struct series_set *set;
	uint64_t *parents; /* by number less 1 */
	int64_t time_ns;
	bool known;
};

static void
tree_then_be_at(struct tree_then *tree, int64_t time_ns)
{
	if (tree->known && tree->time_ns == time_ns)
		return;
	class_paths_parents_at(tree->set, time_ns, tree->parents);
	tree->time_ns = time_ns;
	tree->known = true;
}

static uint64_t
parent_of(const struct tree_then *tree, const struct series *series)
{
	return tree->parents[series - tree->set->series.at];
}

/* NULL: all threads. */
static const struct series *
series_of(const struct tree_then *tree, const struct found_change *found)
{
	return found->series == 0 ? NULL : series_set_at(tree->set, found->series);
}

static bool
is_above(const struct tree_then *tree, const struct series *series, uint64_t key)
{
	for (unsigned i = 0; i < ANCESTORS_MOST && series != NULL && parent_of(tree, series) != 0; i++) {
		if (parent_of(tree, series) == key)
			return true;
		series = series_set_of_key(tree->set, parent_of(tree, series));
	}
	return false;
}

/* A class and the segment in which it ends are beside each other, and the same threads. */
static bool
is_same_work(const struct tree_then *tree, const struct found_change *told, const struct found_change *one)
{
	const struct series *first = series_of(tree, told), *second = series_of(tree, one);
	double ratio = moved_by(one) / moved_by(told);

	if (first == NULL || second == NULL || !(ratio >= EXPLAINS && ratio <= 1 / EXPLAINS))
		return false;
	return text_equal(first->part, second->part) &&
	       (is_above(tree, second, first->key) || is_above(tree, first, second->key) ||
		(parent_of(tree, first) == parent_of(tree, second) && first->kind != second->kind));
}

/* What a change is made of, as far as that was told before it. */
static double
told_within(const struct tree_then *tree, struct found_change *const *told, size_t count,
	    const struct found_change *one)
{
	const struct series *whole = series_of(tree, one);
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		const struct series *part = series_of(tree, told[i]);

		if (part != NULL && !told[i]->dropped &&
		    (whole == NULL ? part->kind == STK_SERIES_CLASS && part->part.size == 0
				   : text_equal(part->part, whole->part) && is_above(tree, part, whole->key)))
			sum += moved_by(told[i]);
	}
	return sum;
}

/* It goes on: what was told to have moved moved further. A burst that lasts is news once more. */
static bool
goes_on(const struct found_change *told, const struct found_change *one)
{
	return told->series == one->series && told->change.kind != CHANGE_BURST && moved_by(told) * moved_by(one) > 0;
}

static bool
is_told_already(const struct tree_then *tree, struct found_change *const *told, size_t count,
		const struct found_change *one)
{
	for (size_t i = 0; i < count; i++)
		if (!told[i]->dropped && (goes_on(told[i], one) || is_same_work(tree, told[i], one)))
			return true;
	return told_within(tree, told, count, one) / moved_by(one) >= EXPLAINS;
}

#define MOVED_PART 0.25 /* of a change, that its siblings may leave over when it only moved between them */

static bool
is_level(const struct found_change *found)
{
	return found->change.kind == CHANGE_SHIFT || found->change.kind == CHANGE_DRIFT;
}

/* Whether what a series won its siblings lost before it, or the other way round, and what contains them all was not
 * told to change: the same work under another name. */
static bool
moved_between_siblings(const struct tree_then *tree, struct found_change *const *told, size_t count,
		       const struct found_change *one)
{
	const struct series *is = series_of(tree, one);
	double others = 0;

	if (is == NULL || parent_of(tree, is) == 0 || !is_level(one))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct series *other = series_of(tree, told[i]);

		if (other == NULL || !text_equal(other->part, is->part))
			continue;
		if (other->key == parent_of(tree, is) && !told[i]->dropped)
			return false;
		if (other != is && parent_of(tree, other) == parent_of(tree, is) && other->kind == is->kind &&
		    (is_level(told[i]) || told[i]->change.kind == CHANGE_NEW || told[i]->change.kind == CHANGE_GONE))
			others += moved_by(told[i]);
	}
	return fabs(moved_by(one) + others) < MOVED_PART * fabs(moved_by(one));
}

/* A row whose weight only moved is called so. Of a class and the segment that is the same work only one is reported,
 * with the other in the same dump, and either may be the sibling. What is new or gone is called that. */
static void
name_cost_shift(const struct tree_then *tree, struct found_change *const *told, size_t count, struct found_change *one)
{
	if (!moved_between_siblings(tree, told, count, one))
		return;
	if (!one->dropped)
		one->kind = cost_shift;
	for (size_t i = 0; one->dropped && i < count; i++)
		if (!told[i]->dropped && is_level(told[i]) && told[i]->change.end_ns == one->change.end_ns &&
		    is_same_work(tree, told[i], one))
			told[i]->kind = cost_shift;
}

/* When a class changes, so do the segment that it ends in and the one that contains it: they are reported once. Only
 * what was reported before decides, and nothing that comes later, so that pieces of a recording give what the whole
 * does. */
static void
drop_nested(struct series_set *set)
{
	struct found_change **rows = mem_new(set->changes.count + 1, sizeof *rows);
	struct tree_then tree = { .set = set, .parents = mem_new(set->series.count + 1, sizeof *tree.parents) };
	size_t count = 0, first = 0;

	for (size_t i = 0; i < set->changes.count; i++)
		if (set->changes.at[i].finding_ns != STK_TIME_UNKNOWN)
			rows[count++] = &set->changes.at[i];
	if (count > 0)
		qsort_r(rows, count, sizeof(struct found_change *), compare_told, set);
	for (size_t i = 1; i < count; i++) {
		if (rows[i]->finding_ns != rows[first]->finding_ns)
			first = i;
		if (first == i || rows[i]->old)
			continue;
		tree_then_be_at(&tree, rows[i]->change.end_ns);
		if (!rows[i]->dropped && is_told_already(&tree, rows + first, i - first, rows[i]))
			rows[i]->dropped = true;
		name_cost_shift(&tree, rows + first, i - first, rows[i]);
	}
	free(tree.parents);
	free(rows);
}

/* Which changes are news, once for all that there are by now. */
static void
judge_all(struct series_set *set)
{
	struct shifts by_key = sort_shifts(set, false), by_parent = sort_shifts(set, true);

	drop_nested(set);
	for (size_t i = 0; i < by_key.count; i++) {
		struct found_change *found = by_key.at[i].found;

		if (is_shifted_cost(set, &by_key, &by_parent, found)) {
			found->kind = cost_shift;
			found->dropped = true;
		}
		drop_if_gone(set, &by_key, found);
	}
	for (size_t i = 0; i < set->series.count; i++)
		set->series.at[i].changes = set->series.at[i].news = 0;
	for (size_t i = 0; i < set->changes.count; i++) {
		struct found_change *found = &set->changes.at[i];

		/* it went away */
		found->dropped |=
			!found->settled && (found->change.kind == CHANGE_BURST || found->change.kind == CHANGE_SPIKE);
		if (found->series == 0)
			continue;
		set->series.at[found->series - 1].changes++;
		set->series.at[found->series - 1].news += !found->dropped;
	}
	free(by_key.at);
	free(by_parent.at);
	set->judged = set->changes.count;
}

void
series_news_judge(struct series_set *set)
{
	if (set->judged != set->changes.count)
		judge_all(set);
}
