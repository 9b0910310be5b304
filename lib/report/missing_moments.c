/* SPDX-License-Identifier: MIT
 * missing_moments: counters of a process grow over all files of a capture, so one file has more of them than of dumps.
 */
#include "report/missing_moments.h"

#include "base/bytes.h"
#include "report/table.h"

#include <stdio.h>

enum { EXPECTED, PARTIAL, REFUSED, LATE, OWED, UNMET, SKIPPED, SPARED };

static const char *const reasons[MISSING_REASONS] = { "expected", "partial", "refused", "late",
						      "owed",	  "unmet",   "skipped", "spared" };

void
missing_moments_take(struct missing_moments *m, struct stk_text source, struct stk_text name, uint64_t count)
{
	struct moment_counter *counter;
	uint32_t number;
	unsigned reason = 0;

	while (reason < MISSING_REASONS && !text_is(name, reasons[reason]))
		reason++;
	if (reason == MISSING_REASONS || source.size == 0)
		return;
	number = text_table_number(&m->sources, source);
	array_lengthen(&m->counters, number);
	counter = &m->counters.at[number - 1].of[reason];
	counter->sum += count >= counter->last ? count - counter->last : count;
	counter->last = count;
}

static uint64_t
count_missing(const struct missing_moments *m, size_t source)
{
	uint64_t missing = 0;

	for (unsigned reason = PARTIAL; reason < MISSING_REASONS; reason++)
		missing += m->counters.at[source].of[reason].sum;
	return missing;
}

static void
add_source(struct table *table, const struct missing_moments *m, size_t source)
{
	const struct moment_counter *of = m->counters.at[source].of;

	for (unsigned reason = 0; reason < MISSING_REASONS; reason++) {
		char number[24];

		snprintf(number, sizeof number, "%llu",
			 (unsigned long long)(reason == EXPECTED ? of[EXPECTED].sum + of[SPARED].sum : of[reason].sum));
		table_cell(table, text_from(number));
	}
	table_cell(table, text_table_text(&m->sources, (uint32_t)source + 1));
}

void
missing_moments_write(const struct missing_moments *m, struct printer *to, size_t top)
{
	struct table table = { 0 };
	size_t found = 0;

	for (size_t i = 0; i < m->counters.count; i++)
		found += count_missing(m, i) > 0;
	if (found == 0)
		return;
	printer_title(to, "Moments of the capture without a whole dump");
	table_column(&table, TABLE_RIGHT, "moments");
	for (unsigned reason = PARTIAL; reason < MISSING_REASONS; reason++)
		table_column(&table, TABLE_RIGHT, reasons[reason]);
	table_column(&table, TABLE_CUT, "source");
	for (size_t i = 0, shown = 0; i < m->counters.count && shown < top; i++)
		if (count_missing(m, i) > 0) {
			add_source(&table, m, i);
			shown++;
		}
	table_print(&table, to);
	if (found > top)
		printer_remark(to, "%zu more sources", found - top);
	table_release(&table);
}

void
missing_moments_release(struct missing_moments *m)
{
	text_table_release(&m->sources);
	array_release(&m->counters);
}
