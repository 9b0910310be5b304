/* SPDX-License-Identifier: MIT
 * class_paths: each class has a list of its segments, from the root on and each before its halves. The index is the
 * same by segment, as one array of classes and where each segment's begin. Classes are in the order of their names, so
 * that sums are the same in every run. */
#include "trend/class_paths.h"

#include <stdlib.h>

void
class_paths_add(struct series_set *set, uint32_t class, uint32_t segment)
{
	struct series *s = series_set_edit(set, class);

	for (size_t i = 0; i < s->path.count; i++)
		if (s->path.at[i] == segment)
			return;
	*array_push(&s->path) = segment;
}

void
class_paths_begin(struct series_set *set, uint32_t class, const uint32_t *segments, size_t count)
{
	struct series *s = series_set_edit(set, class);
	size_t known = s->path.count;
	uint32_t *before = mem_new(known + 1, sizeof *before);

	if (known > 0)
		memcpy(before, s->path.at, known * sizeof *before);
	s->path.count = 0;
	for (size_t i = 0; i < count; i++)
		class_paths_add(set, class, segments[i]);
	for (size_t i = 0; i < known; i++)
		class_paths_add(set, class, before[i]);
	free(before);
}

/* Puts a segment after the one at a place, unless the class goes through it already; where it is then. */
static size_t
put_after(struct series *s, size_t place, uint32_t segment)
{
	for (size_t i = 0; i < s->path.count; i++)
		if (s->path.at[i] == segment)
			return i;
	(void)array_push(&s->path);
	memmove(&s->path.at[place + 2], &s->path.at[place + 1], (s->path.count - place - 2) * sizeof *s->path.at);
	s->path.at[place + 1] = segment;
	return place + 1;
}

void
class_paths_split(struct series_set *set, const struct segment_halves *halves, size_t count)
{
	for (uint32_t n = 1; n <= series_set_count(set); n++) {
		struct series *s = series_set_edit(set, n);

		/* a half may have been split, too: the list grows on the way */
		for (size_t i = 0; i < s->path.count; i++) {
			struct segment_halves h = s->path.at[i] <= count ? halves[s->path.at[i] - 1]
									 : (struct segment_halves){ 0 };
			size_t first = h.first == 0 ? i : put_after(s, i, h.first);

			if (h.second != 0)
				(void)put_after(s, first, h.second);
		}
	}
}

/* --- the call tree --- */

static bool
all_are_followed(const struct series_set *set)
{
	for (uint32_t n = 1; n <= series_set_count(set); n++)
		if (series_set_at(set, n)->kind <= STK_SERIES_SEGMENT && series_set_at(set, n)->stage == NOT_FOLLOWED)
			return false;
	return true;
}

static void
offer(uint64_t *parent, uint64_t other)
{
	if (other != 0 && (*parent == 0 || other < *parent))
		*parent = other;
}

void
class_paths_offer(struct series *series, uint64_t parent)
{
	offer(&series->parent, parent);
}

/* Segments that were split are in nothing: their halves are. */
static bool
is_in_tree(const struct series *s, int64_t time_ns)
{
	return s->came_ns <= time_ns && !(s->split && s->split_ns <= time_ns);
}

static void
offer_parents_of(const struct series_set *set, const struct series *class, int64_t time_ns, uint64_t *parents)
{
	uint64_t before = 0, last = 0;

	for (size_t i = 0; i < class->path.count; i++) {
		const struct series *segment = series_set_at(set, class->path.at[i]);

		if (!is_in_tree(segment, time_ns))
			continue;
		offer(&parents[class->path.at[i] - 1], last);
		before = last;
		last = segment->key;
	}
	parents[class - set->series.at] = before;
}

void
class_paths_parents_at(const struct series_set *set, int64_t time_ns, uint64_t *parents)
{
	uint32_t count = series_set_count(set);

	for (uint32_t n = 1; n <= count; n++)
		parents[n - 1] = series_set_at(set, n)->parent;
	if (!all_are_followed(set))
		return;
	for (uint32_t n = 1; n <= count; n++)
		for (size_t i = 0; i < series_set_at(set, n)->path.count; i++)
			parents[series_set_at(set, n)->path.at[i] - 1] = 0;
	for (uint32_t n = 1; n <= count; n++)
		if (series_set_at(set, n)->path.count > 0 && series_set_at(set, n)->came_ns <= time_ns)
			offer_parents_of(set, series_set_at(set, n), time_ns, parents);
}

void
class_paths_set_parents(struct series_set *set)
{
	uint64_t *parents = mem_new(set->series.count + 1, sizeof *parents);

	class_paths_parents_at(set, INT64_MAX, parents);
	for (uint32_t n = 1; n <= series_set_count(set); n++)
		series_set_edit(set, n)->parent = parents[n - 1];
	free(parents);
}

static bool
all_are_known(const struct series_set *set)
{
	for (uint32_t n = 1; n <= series_set_count(set); n++) {
		const struct series *s = series_set_at(set, n);

		if (s->kind == STK_SERIES_CLASS && (s->stage == NOT_FOLLOWED || (s->begun && s->path.count == 0)))
			return false;
	}
	return true;
}

void
class_paths_index(struct series_set *set)
{
	size_t series = set->series.count, at = 0;
	uint32_t *order;

	set->passing.count = set->passing_from.count = 0;
	if (!all_are_known(set))
		return;
	array_lengthen(&set->passing_from, series + 1);
	for (size_t c = 0; c < series; c++)
		for (size_t i = 0; i < set->series.at[c].path.count; i++)
			set->passing_from.at[set->series.at[c].path.at[i] - 1]++;
	for (size_t s = 0; s <= series; s++) {
		size_t here = set->passing_from.at[s];

		set->passing_from.at[s] = at;
		at += here;
	}
	array_lengthen(&set->passing, at);
	/* from the last on, each class moves the end of its segments back: ends become beginnings */
	for (size_t s = 0; s < series; s++)
		set->passing_from.at[s] = set->passing_from.at[s + 1];
	order = series_set_by_name(set);
	for (size_t c = series; c-- > 0;) {
		const struct series *s = series_set_at(set, order[c]);

		for (size_t i = 0; i < s->path.count; i++)
			set->passing.at[--set->passing_from.at[s->path.at[i] - 1]] = order[c];
	}
	free(order);
}

const uint32_t *
class_paths_of(const struct series_set *set, uint32_t segment, size_t *count)
{
	*count = 0;
	if (segment == 0 || segment >= set->passing_from.count)
		return NULL;
	*count = set->passing_from.at[segment] - set->passing_from.at[segment - 1];
	return *count == 0 ? NULL : set->passing.at + set->passing_from.at[segment - 1];
}
