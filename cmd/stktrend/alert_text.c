/* SPDX-License-Identifier: MIT
 * alert_text: changes in words, for lines of alerts. */
#include "alert_text.h"

#include "series_text.h"

#include <math.h>
#include <stdlib.h>

#define NAMED_MOST 3 /* of changes that began together */

/* "orders < serve: shift from 2.1 to 4.9, score 25" */
static void
add_change(const struct trends *t, const struct found_change *one, struct text_buffer *to)
{
	struct series named = { .name = one->subject };
	const struct series *series = one->series > 0 ? series_set_at(t->set, one->series) : &named;

	add_series(series, to);
	add_format(to, ": %s ", one->kind);
	add_finding(one->series > 0 ? series : NULL, one, to);
	if (strcmp(one->kind, "stuck") != 0)
		add_format(to, ", score %.3g", one->change.score);
}

/* What moved most first. */
static int
by_size(const void *a, const void *b)
{
	const struct found_change *x = *(const struct found_change *const *)a,
				  *y = *(const struct found_change *const *)b;
	double first = fabs(x->change.after - x->change.before), second = fabs(y->change.after - y->change.before);

	return first != second ? (first < second ? 1 : -1) : (x > y) - (x < y);
}

/* "3 changes that began together: 1 new, 2 shift: ...; ...; and 1 more" */
static void
add_together(const struct trends *t, const struct found_change **list, size_t count, struct text_buffer *to)
{
	const char *before = " changes that began together: ";

	add_format(to, "%zu", count);
	for (size_t i = 0; i < count; i++) {
		size_t alike = 0, earlier = 0;

		for (size_t k = 0; k < count; k++) {
			alike += strcmp(list[k]->kind, list[i]->kind) == 0;
			earlier += k < i && strcmp(list[k]->kind, list[i]->kind) == 0;
		}
		if (earlier > 0)
			continue;
		add_format(to, "%s%zu %s", before, alike, list[i]->kind);
		before = ", ";
	}
	qsort(list, count, sizeof *list, by_size);
	for (size_t i = 0; i < count && i < NAMED_MOST; i++) {
		add_string(to, "; ");
		add_change(t, list[i], to);
	}
	if (count > NAMED_MOST)
		add_format(to, "; and %zu more", count - NAMED_MOST);
}

void
add_changes(const struct trends *t, const struct found_change **list, size_t count, struct text_buffer *to)
{
	if (count > 1)
		add_together(t, list, count, to);
	else
		add_change(t, list[0], to);
}
