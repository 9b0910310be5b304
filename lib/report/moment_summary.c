/* SPDX-License-Identifier: MIT
 * moment_summary: a VM has threads on several processors at once, so at one moment it may do several things. */
#include "report/moment_summary.h"

#include "base/bytes.h"
#include "base/quantities.h"
#include "report/table.h"

#include <stdio.h>
#include <stdlib.h>

#define VMS_MOST 256		/* more are not told apart: a stream may name any number */

enum doing { DOES_INSIDE, DOES_GC, DOES_VM, DOES_NOTHING, DOINGS };

static const char *const doings[DOINGS] = { "inside", "gc", "vm-internal", "nothing" };

/* "1=gc:Shop" of a VM; false: of none. */
static bool
read_word(struct stk_text word, unsigned *doing, struct stk_text *vm)
{
	struct stk_text state;

	(void)text_take(&word, '=');
	state = text_take(&word, ':');
	*vm = word;
	for (*doing = 0; *doing < DOES_NOTHING; ++*doing)
		if (text_is(state, doings[*doing]))
			return word.size > 0;
	return false;
}

static bool
has_unknown(struct stk_text values)
{
	while (values.size > 0) {
		struct stk_text word = text_take(&values, ' ');

		(void)text_take(&word, '=');
		if (text_is(word, "unknown"))
			return true;
	}
	return false;
}

static void
take_pair(struct moment_summary *s, uint32_t a, uint32_t b)
{
	unsigned left = s->present.at[a], right = s->present.at[b];

	left = left != 0 ? left : 1u << DOES_NOTHING;
	right = right != 0 ? right : 1u << DOES_NOTHING;
	pair_sums_at(&s->pairs, a, b)->count++;
	for (uint32_t i = 0; i < DOINGS; i++)
		for (uint32_t j = 0; j < DOINGS && (left >> i & 1) != 0; j++)
			if ((right >> j & 1) != 0)
				pair_sums_at(&s->together, a * DOINGS + i, b * DOINGS + j)->count++;
}

void
moment_summary_take(struct moment_summary *s, struct stk_text values)
{
	struct stk_text word, vm;
	unsigned doing;

	if (has_unknown(values)) {
		s->unknown++;
		return;
	}
	s->moments++;
	for (size_t i = 0; i < s->present.count; i++)
		s->present.at[i] = 0;
	while (values.size > 0) {
		word = text_take(&values, ' ');
		if (!read_word(word, &doing, &vm))
			continue;
		if (s->vms.texts.count >= VMS_MOST && text_table_find(&s->vms, vm) == 0)
			vm = text_from("(others)");
		doing = 1u << doing;
		array_lengthen(&s->present, text_table_number(&s->vms, vm));
		s->present.at[text_table_number(&s->vms, vm) - 1] |= (unsigned char)doing;
	}
	for (uint32_t b = 1; b < s->present.count; b++)
		for (uint32_t a = 0; a < b; a++)
			take_pair(s, a, b);
}

static uint64_t
count_of(const struct moment_summary *s, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < s->together.sums.count; i++)
		if (s->together.sums.at[i].a == a && s->together.sums.at[i].b == b)
			return s->together.sums.at[i].count;
	return 0;
}

static void
add_pair(struct table *table, const struct moment_summary *s, const struct pair_sum *pair)
{
	for (uint32_t i = 0; i < DOINGS; i++) {
		uint64_t all = 0;

		for (uint32_t j = 0; j < DOINGS; j++)
			all += count_of(s, pair->a * DOINGS + i, pair->b * DOINGS + j);
		if (all == 0)
			continue;
		table_cell(table, text_table_text(&s->vms, pair->a + 1));
		table_cell(table, text_from(doings[i]));
		table_cell(table, text_table_text(&s->vms, pair->b + 1));
		for (uint32_t j = 0; j < DOINGS; j++) {
			size_t from = table->text.count;

			add_share(&table->text, (double)count_of(s, pair->a * DOINGS + i, pair->b * DOINGS + j),
				  (double)pair->count);
			table_cell_from(table, from);
		}
	}
}

void
moment_summary_write(const struct moment_summary *s, struct printer *to, size_t top)
{
	size_t shown = s->pairs.sums.count < top ? s->pairs.sums.count : top;
	struct table table = { 0 };

	if (s->moments == 0 && s->unknown == 0)
		return;
	printer_title(to, "At the same moments, on all processors: shares of moments");
	if (shown > 0) {
		table_column(&table, TABLE_CUT, "process");
		table_column(&table, TABLE_LEFT, "does");
		table_column(&table, TABLE_CUT, "while the other");
		for (uint32_t j = 0; j < DOINGS; j++)
			table_column(&table, TABLE_RIGHT, doings[j]);
		for (size_t i = 0; i < shown; i++)
			add_pair(&table, s, &s->pairs.sums.at[i]);
		table_print(&table, to);
	}
	printer_remark(to, "%llu %s%s", (unsigned long long)s->moments, plural(s->moments, "moment", "moments"),
		       shown > 0 ? "" : "; a pair takes two processes");
	if (s->unknown > 0)
		printer_remark(to, "%llu more, in which it is not known what a processor did, do not count",
			       (unsigned long long)s->unknown);
	if (s->pairs.sums.count > shown)
		printer_remark(to, "%zu more pairs of processes", s->pairs.sums.count - shown);
	table_release(&table);
}

void
moment_summary_release(struct moment_summary *s)
{
	text_table_release(&s->vms);
	pair_sums_release(&s->together);
	pair_sums_release(&s->pairs);
	array_release(&s->present);
}
