/* SPDX-License-Identifier: MIT
 * compared_rows: the order of what was compared, and which of it is worth showing. */
#include "timetree/comparison.h"

#include "base/hash_map.h"
#include "base/memory.h"
#include "base/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- echoes --- */

static bool
is_total_known(const struct hash_map *known, const struct compared_row *rows, const struct compared_row *row)
{
	uint64_t hash = hash_pair(row->total[0], row->total[1]);
	uint32_t at = hash_map_start(known, hash), place;

	while ((place = hash_map_next(known, hash, &at)) != 0)
		if (rows[place - 1].total[0] == row->total[0] && rows[place - 1].total[1] == row->total[1] &&
		    rows[place - 1].side == row->side)
			return true;
	return false;
}

static void
know_total(struct hash_map *known, const struct compared_row *rows, size_t place)
{
	hash_map_put(known, hash_pair(rows[place].total[0], rows[place].total[1]), (uint32_t)place + 1);
}

size_t
compared_rows_part_echoes(struct compared_row *rows, size_t count)
{
	struct compared_row *echoes = mem_new(count + 1, sizeof *echoes), *old = mem_new(count + 1, sizeof *old);
	struct hash_map known = { 0 };
	size_t left = 0, parted = 0;

	if (count > 0)
		memcpy(old, rows, count * sizeof *rows);
	for (size_t i = 0; i < count; i++)
		if (!old[i].by_total)
			know_total(&known, old, i);
	for (size_t i = 0; i < count; i++) {
		if (old[i].by_total && is_total_known(&known, old, &old[i])) {
			echoes[parted++] = old[i];
			continue;
		}
		if (old[i].by_total)
			know_total(&known, old, i);
		rows[left++] = old[i];
	}
	if (parted > 0)
		memcpy(rows + left, echoes, parted * sizeof *rows);
	hash_map_release(&known);
	free(echoes);
	free(old);
	return left;
}

/* --- order --- */

/* The largest growth first, that of a function before that of what calls it; then by row, so that the order depends on
 * nothing else. */
static int
compare_growth(const void *a, const void *b)
{
	const struct compared_row *x = a, *y = b;

	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	if (x->by_total != y->by_total && !(x->d.delta > y->d.delta) && !(x->d.delta < y->d.delta))
		return x->by_total ? 1 : -1;
	return x->d.delta > y->d.delta ? -1 : x->d.delta < y->d.delta ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

void
compared_rows_sort(struct compared_row *rows, size_t count)
{
	if (count > 0)
		qsort(rows, count, sizeof *rows, compare_growth);
}

/* --- functions, by what changed more --- */

static int
compare_names(const void *a, const void *b)
{
	const struct compared_row *x = a, *y = b;

	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* What is more than chance, before what is larger. */
static bool
total_changed_more(const struct compared_row *self, const struct compared_row *total)
{
	if (self->significant != total->significant)
		return total->significant;
	return fabs(total->d.delta) > fabs(self->d.delta);
}

/* Both measures have a row for each function that has anything. */
struct compared_row *
comparison_functions(struct comparison *c, size_t *count)
{
	size_t totals_count;
	struct compared_row *rows = comparison_rows(c, MEASURE_FUNCTIONS, 0, count),
			    *totals = comparison_rows(c, MEASURE_TOTALS, 0, &totals_count);

	if (*count > 0)
		qsort(rows, *count, sizeof *rows, compare_names);
	if (totals_count > 0)
		qsort(totals, totals_count, sizeof *totals, compare_names);
	for (size_t i = 0, t = 0; i < *count; i++) {
		while (t < totals_count && compare_names(&totals[t], &rows[i]) < 0)
			t++;
		if (t == totals_count || compare_names(&totals[t], &rows[i]) != 0 ||
		    !total_changed_more(&rows[i], &totals[t]))
			continue;
		rows[i].d = totals[t].d;
		rows[i].significant = totals[t].significant;
		rows[i].by_total = true;
	}
	free(totals);
	compared_rows_sort(rows, *count);
	return rows;
}

/* --- which are shown --- */

struct weighed { const struct compared_row *row; size_t at; };

static int
compare_worth(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;
	double p = fabs(x->row->d.delta), q = fabs(y->row->d.delta);

	if (x->row->side != y->row->side)
		return x->row->side < y->row->side ? -1 : 1;
	if (x->row->significant != y->row->significant)
		return x->row->significant ? -1 : 1;
	return p > q ? -1 : p < q ? 1 : x->at < y->at ? -1 : x->at > y->at;
}

static bool
is_large(struct comparison *c, const struct compared_row *row, double least)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t most = row->total[i] > row->self[i] ? row->total[i] : row->self[i];

		if ((double)most * 100 >= least * (double)comparison_samples(c, i == 0 ? 0 : row->side) && most > 0)
			return true;
	}
	return false;
}

void
compared_rows_mark(struct comparison *c, const struct compared_row *rows, size_t count, size_t most, double least,
		   bool *worth)
{
	struct weighed *weighed = most == 0 ? NULL : mem_new(count + 1, sizeof *weighed);
	size_t n = 0, taken = 0;

	for (size_t i = 0; i < count; i++) {
		worth[i] = is_large(c, &rows[i], least);
		if (worth[i] && most > 0)
			weighed[n++] = (struct weighed){ &rows[i], i };
	}
	if (n > 0)
		qsort(weighed, n, sizeof *weighed, compare_worth);
	for (size_t i = 0; i < n; i++) {
		taken = i > 0 && weighed[i].row->side == weighed[i - 1].row->side ? taken : 0;
		worth[weighed[i].at] = taken++ < most;
	}
	free(weighed);
}

size_t
compared_rows_choose(struct comparison *c, struct compared_row *rows, size_t count, size_t most, double least)
{
	bool *worth = mem_new(count + 1, sizeof *worth);
	size_t left = 0;

	compared_rows_mark(c, rows, count, most, least, worth);
	for (size_t i = 0; i < count; i++)
		if (worth[i])
			rows[left++] = rows[i];
	free(worth);
	return left;
}
