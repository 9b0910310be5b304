/* SPDX-License-Identifier: MIT
 * class_paths: each class has a list of its segments; the index is the same by segment, as one array of classes and
 * where each segment's begin. Classes are in the order of their names, so that sums are the same in every run. */
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
class_paths_split(struct series_set *set, const struct segment_halves *halves, size_t count)
{
	for (uint32_t n = 1; n <= series_set_count(set); n++) {
		const struct series *s = series_set_at(set, n);

		/* a half may have been split, too: the list grows on the way */
		for (size_t i = 0; i < s->path.count; i++) {
			const struct segment_halves *h = s->path.at[i] <= count ? &halves[s->path.at[i] - 1] : NULL;

			if (h != NULL && h->first != 0)
				class_paths_add(set, n, h->first);
			if (h != NULL && h->second != 0)
				class_paths_add(set, n, h->second);
		}
	}
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
