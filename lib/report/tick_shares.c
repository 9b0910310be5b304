/* SPDX-License-Identifier: MIT
 * tick_shares: the counts of a process are those of each processor; a process that was counted by turns has been seen
 * for a part of the time, of which the shares of a processor are. */
#include "report/tick_shares.h"

#include "base/array.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

struct process_time {
	struct stk_text name;
	double processors;		/* that it kept busy */
	uint64_t ticks, of[TICKS_VM + 1];
	bool is_vm;
};

struct process_times { struct process_time *at; size_t count, room; };

const struct tick_use *
ticks_of_processor(const struct summary *s, int64_t cpu)
{
	for (size_t i = 0; i < s->ticks.count; i++)
		if (s->ticks.at[i].cpu == cpu && !s->ticks.at[i].by_turns && s->ticks.at[i].last[TICKS_EXPECTED] > 0)
			return &s->ticks.at[i];
	return NULL;
}

static bool
is_recorded_once(const struct tick_use *processor)
{
	return processor != NULL && processor->grown[TICKS_EXPECTED] == 0;
}

uint64_t
ticks_expected(const struct tick_use *processor)
{
	return processor == NULL             ? 0
	       : is_recorded_once(processor) ? processor->last[TICKS_EXPECTED]
					     : processor->grown[TICKS_EXPECTED];
}

uint64_t
ticks_grown(const struct tick_use *processor, const struct tick_use *use, unsigned column)
{
	return is_recorded_once(processor) ? use->last[column] : use->grown[column];
}

static struct process_time *
process_named(struct process_times *times, struct stk_text name)
{
	for (size_t i = 0; i < times->count; i++)
		if (times->at[i].name.size == name.size && memcmp(times->at[i].name.data, name.data, name.size) == 0)
			return &times->at[i];
	*array_push(times) = (struct process_time){ .name = name };
	return &times->at[times->count - 1];
}

static void
add_ticks(struct process_times *times, const struct summary *s, size_t i)
{
	const struct tick_use *use = &s->ticks.at[i];
	struct stk_text name = text_table_text(&s->tick_names, (uint32_t)i + 1);
	const char *source = (const char *)memchr(name.data, '\t', name.size) + 1, *end = name.data + name.size;
	const struct tick_use *processor = ticks_of_processor(s, use->cpu);
	/* of one counted by turns, in these */
	uint64_t expected = use->by_turns ? use->grown[TICKS_EXPECTED] : ticks_expected(processor), ticks = 0;
	struct process_time *time;

	if (source == end)		/* the processor */
		return;
	time = process_named(times, text_of(source, (size_t)(end - source)));
	for (unsigned c = TICKS_INSIDE; c <= TICKS_VM; c++) {
		time->of[c] += ticks_grown(processor, use, c);
		ticks += ticks_grown(processor, use, c);
		time->is_vm |= c > TICKS_INSIDE && use->counted[c];
	}
	time->ticks += ticks;
	time->processors += expected > 0 ? (double)ticks / (double)expected : 0;
}

static int
compare_times(const void *a, const void *b)
{
	const struct process_time *x = a, *y = b;
	size_t size = x->name.size < y->name.size ? x->name.size : y->name.size;
	int order = memcmp(x->name.data, y->name.data, size);

	if (x->processors != y->processors)
		return x->processors < y->processors ? 1 : -1;
	return order != 0 ? order : (x->name.size > y->name.size) - (x->name.size < y->name.size);
}

static void
add_row(struct table *table, const struct process_time *time)
{
	table_format(table, "%.2f", time->processors);
	for (unsigned c = TICKS_INSIDE; c <= TICKS_VM; c++)
		if (time->is_vm && time->ticks > 0)
			table_format(table, "%.1f%%", 100.0 * (double)time->of[c] / (double)time->ticks);
		else
			table_cell(table, text_from(""));
	table_cell(table, time->name);
}

void
tick_shares_write(const struct summary *s, struct printer *to, size_t top)
{
	struct process_times times = { 0 };
	struct table table = { 0 };
	size_t shown;

	for (size_t i = 0; i < s->ticks.count; i++)
		add_ticks(&times, s, i);
	shown = times.count < top ? times.count : top;
	if (times.count > 0) {
		qsort(times.at, times.count, sizeof *times.at, compare_times);
		printer_title(to, "Processors that processes kept busy, and what VMs did of their own time");
		table_column(&table, TABLE_RIGHT, "processors");
		for (unsigned c = TICKS_INSIDE; c <= TICKS_VM; c++)
			table_column(&table, TABLE_RIGHT, tick_columns[c]);
		table_column(&table, TABLE_CUT_FRONT, "source");
		for (size_t i = 0; i < shown; i++)
			add_row(&table, &times.at[i]);
		table_print(&table, to);
	}
	if (times.count > shown)
		printer_remark(to, "%zu more processes (--top 0)", times.count - shown);
	table_release(&table);
	array_release(&times);
}
