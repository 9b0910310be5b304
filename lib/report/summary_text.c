/* SPDX-License-Identifier: MIT
 * summary_text: the tables for people: what is in the streams, what is hot, what waits, for what. */
#include "report/summary.h"

#include "base/time_math.h"
#include "report/event_unit.h"
#include "report/metric_unit.h"
#include "report/table.h"
#include "report/tick_shares.h"

#include <stdio.h>
#include <stdlib.h>

#define HOT_SHARE 10		/* percent from which a row is worth a colour, */
#define HOT_LEAST 2		/* when it is of so many samples */

struct writer {			/* of the text; what all sections need */
	struct summary *s;
	struct table table;
	size_t top;
};

/* by first, then second, downwards; then in the order in which they were met */
struct ranked { uint32_t index; uint64_t first, second; };

static int
compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? 1 : -1;
	if (x->second != y->second)
		return x->second < y->second ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

static void
rank(struct ranked *list, size_t count)
{
	if (count > 0)
		qsort(list, count, sizeof *list, compare_ranked);
}

/* --- cells --- */

static void
cell_count(struct writer *w, uint64_t count)
{
	table_format(&w->table, "%llu", (unsigned long long)count);
}

static void
cell_share(struct writer *w, uint64_t part, uint64_t whole)
{
	size_t from = w->table.text.count;

	add_share(&w->table.text, (double)part, (double)whole);
	table_cell_from(&w->table, from);
}

/* The same, in a colour when it is much. */
static void
cell_hot_share(struct writer *w, uint64_t part, uint64_t whole, uint64_t samples)
{
	bool hot = samples >= HOT_LEAST && (double)part * 100 >= (double)whole * HOT_SHARE;

	w->table.paint = hot ? PAINT_WARM : PAINT_NONE;
	cell_share(w, part, whole);
	w->table.paint = PAINT_NONE;
}

/* What weights count. */
static struct stk_text
counted_event(const struct writer *w)
{
	return text_in(&w->s->event, 0);
}

static void
cell_weight(struct writer *w, uint64_t weight)
{
	size_t from = w->table.text.count;

	add_event_weight(&w->table.text, counted_event(w), weight);
	table_cell_from(&w->table, from);
}

static void
weight_header(struct writer *w)
{
	struct text_buffer unit = { 0 };

	add_event_unit(&unit, counted_event(w));
	add_char(&unit, '\0');
	table_column(&w->table, TABLE_RIGHT, unit.at);
	array_release(&unit);
}

static void
section(struct writer *w, const char *title)
{
	printer_title(w->s->report.printer, title);
}

static void
end_table(struct writer *w, size_t left_out)
{
	table_print(&w->table, w->s->report.printer);
	if (left_out > 0)
		printer_remark(w->s->report.printer, "and %zu more (--top 0)", left_out);
}

/* --- what is in the streams --- */

static uint64_t
distinct_stacks(const struct summary *s)
{
	struct id_table seen = { .size = 1 };
	uint64_t count = 0;

	for (size_t i = 0; i < s->stacks.sums.count; i++) {
		unsigned char *met = id_table_at(&seen, s->stacks.sums.at[i].a);

		count += *met == 0 && s->stacks.sums.at[i].a != 0;
		*met = 1;
	}
	id_table_clear(&seen);
	return count;
}

/* ", 12.3M cycles", ", 1.46s of cpu time (cpu-clock)". */
static void
add_weight(struct writer *w, struct text_buffer *to)
{
	add_string(to, ", ");
	add_event_amount(to, counted_event(w), w->s->weight);
}

static void
add_overview(struct writer *w)
{
	struct summary *s = w->s;
	struct text_buffer *to = &s->scratch;
	char text[TIME_TEXT_MAX];

	to->count = 0;
	if (s->dumps > 0) {
		add_counted(to, s->dumps, "dump");
		add_string(to, " of ");
	}
	add_counted(to, s->sources.count, "source");
	add_string(to, ", ");
	if (s->samples > 0) {
		add_counted(to, s->samples, "sample");
		add_string(to, " of ");
		add_counted(to, s->threads, "thread");
		add_string(to, ", ");
		add_counted(to, distinct_stacks(s), "distinct stack");
	} else {
		add_string(to, "no samples");
	}
	if (s->weighted)
		add_weight(w, to);
	if (time_range_is_known(&s->range) && s->range.to_ns > s->range.from_ns) {
		add_string(to, " in ");
		add_string(to, duration_print(text, time_difference(s->range.from_ns, s->range.to_ns)));
	}
	if (s->streams > 1) {
		add_string(to, ", from ");
		add_counted(to, s->streams, "stream");
	}
	printer_prose(s->report.printer, 0, text_in(to, 0));
}

struct source_columns { bool pid, process, dumps; };	/* that any source has something for */

static void
add_source(struct writer *w, const struct source_use *source, const struct source_columns *with)
{
	table_cell(&w->table, text_from(source->name));
	if (with->pid && source->pid == 0)
		table_cell(&w->table, text_from("-"));
	else if (with->pid)
		cell_count(w, source->pid);
	table_cell(&w->table, text_from(source->from));
	table_cell(&w->table, text_from(source->length));
	if (with->dumps)
		cell_count(w, source->dumps);
	cell_count(w, source->threads);
	cell_count(w, source->samples);
	table_cell(&w->table, text_from(source->clock));
	if (with->process)
		table_cell(&w->table, text_from(source->process[0] == '\0' ? "-" : source->process));
}

static struct source_columns
columns_of_sources(const struct summary *s)
{
	struct source_columns with = { 0 };

	for (size_t i = 0; i < s->sources.count; i++) {
		with.pid |= s->sources.at[i].pid != 0;
		with.process |= s->sources.at[i].process[0] != '\0';
		with.dumps |= s->sources.at[i].dumps != 0;
	}
	return with;
}

static void
add_sources(struct writer *w)
{
	size_t count = w->s->sources.count, shown = count < w->top ? count : w->top;
	struct source_columns with = columns_of_sources(w->s);

	if (count == 0)
		return;
	section(w, "Sources");
	table_column(&w->table, TABLE_CUT_FRONT, "source");
	if (with.pid)
		table_column(&w->table, TABLE_RIGHT | (count == 1 ? TABLE_SPARE : 0), "pid");
	table_column(&w->table, TABLE_RIGHT, "from");
	table_column(&w->table, TABLE_RIGHT, "length");
	if (with.dumps)
		table_column(&w->table, TABLE_RIGHT | TABLE_SPARE, "dumps");
	table_column(&w->table, TABLE_RIGHT | TABLE_SPARE, "threads");
	table_column(&w->table, TABLE_RIGHT, "samples");
	table_column(&w->table, TABLE_LEFT | TABLE_SPARE, "clock");
	if (with.process)
		table_column(&w->table, TABLE_CUT | TABLE_SPARE, "process");
	for (size_t i = 0; i < shown; i++)
		add_source(w, &w->s->sources.at[i], &with);
	end_table(w, count - shown);
}

/* --- what is hot --- */

struct stack_line { uint32_t node; uint64_t samples, weight, states[CLASS_COUNT]; };

static bool
is_waiting_class(unsigned class)
{
	return !is_running_class(class) && class != CLASS_NONE;
}

static int
compare_by_node(const void *a, const void *b)
{
	const struct pair_sum *x = a, *y = b;

	return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* One line a stack, of the sums whose class is wanted. The sums are sorted by node. */
static size_t
gather_lines(const struct summary *s, struct stack_line *lines, bool (*wanted)(unsigned class))
{
	size_t count = 0;

	for (size_t i = 0; i < s->stacks.sums.count; i++) {
		const struct pair_sum *sum = &s->stacks.sums.at[i];

		if (!wanted(sum->b))
			continue;
		if (count == 0 || lines[count - 1].node != sum->a)
			lines[count++] = (struct stack_line){ .node = sum->a };
		lines[count - 1].samples += sum->count;
		lines[count - 1].weight += sum->weight;
		lines[count - 1].states[sum->b] += sum->count;
	}
	return count;
}

static void
cell_states(struct writer *w, const struct stack_line *line)
{
	const char *const *names = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;
	unsigned most = 0;

	for (unsigned c = 1; c < CLASS_COUNT; c++)
		most = line->states[c] > line->states[most] ? c : most;
	w->table.paint = most == STK_STATE_BLOCKED ? PAINT_HOT : PAINT_NONE;
	if (line->states[most] == line->samples)
		table_cell(&w->table, text_from(most == CLASS_IDLE ? "in the system" : names[most]));
	else
		table_format(&w->table, "%s %.0f%%", most == CLASS_IDLE ? "in the system" : names[most],
			     100.0 * (double)line->states[most] / (double)line->samples);
	w->table.paint = PAINT_NONE;
}

/* The stacks of lines whose other cells there are: what a line leaves for them decides how they are written. */
static void
fill_stacks(struct writer *w, const struct stack_line *lines, const struct ranked *ranked, size_t shown)
{
	struct text_buffer *text = &w->s->scratch;
	size_t room = table_room(&w->table, w->s->report.printer);

	for (size_t i = 0; i < shown; i++) {
		text->count = 0;
		add_stack_label(text, w->s, lines[ranked[i].index].node, room);
		table_fill(&w->table, i, text_in(text, 0));
	}
}

static void
add_stack_lines(struct writer *w, const struct stack_line *lines, size_t count, uint64_t samples, uint64_t weight,
		bool states)
{
	struct ranked *ranked = mem_new(count + 1, sizeof *ranked);
	size_t shown = count < w->top ? count : w->top;

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){ (uint32_t)i, lines[i].weight, lines[i].samples };
	rank(ranked, count);
	table_column(&w->table, TABLE_RIGHT, "share");
	table_column(&w->table, TABLE_RIGHT, "samples");
	if (w->s->weighted)
		weight_header(w);
	if (states)
		table_column(&w->table, TABLE_LEFT, "state");
	table_column(&w->table, TABLE_CUT, "stack, leaf first");
	for (size_t i = 0; i < shown; i++) {
		const struct stack_line *line = &lines[ranked[i].index];

		cell_hot_share(w, w->s->weighted ? line->weight : line->samples, w->s->weighted ? weight : samples,
			       states ? 0 : line->samples);
		cell_count(w, line->samples);
		if (w->s->weighted)
			cell_weight(w, line->weight);
		if (states)
			cell_states(w, line);
		table_cell(&w->table, text_of("", 0));
	}
	fill_stacks(w, lines, ranked, shown);
	end_table(w, count - shown);
	free(ranked);
}

static void
sum_lines(const struct stack_line *lines, size_t count, uint64_t *samples, uint64_t *weight)
{
	*samples = *weight = 0;
	for (size_t i = 0; i < count; i++) {
		*samples += lines[i].samples;
		*weight += lines[i].weight;
	}
}

static void
add_stacks(struct writer *w, bool (*wanted)(unsigned class), const char *title, bool states)
{
	struct stack_line *lines = mem_new(w->s->stacks.sums.count + 1, sizeof *lines);
	struct text_buffer *to = &w->s->scratch;
	size_t count = gather_lines(w->s, lines, wanted);
	uint64_t samples, weight;

	sum_lines(lines, count, &samples, &weight);
	if (count > 0) {
		to->count = 0;
		add_string(to, title);
		if (w->s->in_dumps) {
			add_format(to, ": %llu of ", (unsigned long long)samples);
			add_counted(to, w->s->samples, "sample");
			add_string(to, " (");
			add_share(to, (double)samples, (double)w->s->samples);
			add_char(to, ')');
		}
		add_char(to, '\0');
		section(w, to->at);
		add_stack_lines(w, lines, count, samples, weight, states);
	}
	free(lines);
}

/* Self and total of each function, over what runs. A function that stands twice in a stack counts once there. */
struct function_use { uint64_t self, total; size_t last; };

static void
count_functions(const struct summary *s, struct function_use *uses, uint64_t *whole)
{
	for (size_t i = 0; i < s->stacks.sums.count; i++) {
		const struct pair_sum *sum = &s->stacks.sums.at[i];
		uint64_t amount = s->weighted ? sum->weight : sum->count;

		if (!is_running_class(sum->b))
			continue;
		*whole += amount;
		for (uint32_t node = sum->a; node != 0; node = s->nodes.sums.at[node - 1].a) {
			struct function_use *use = &uses[s->nodes.sums.at[node - 1].b];

			use->self += node == sum->a ? amount : 0;
			use->total += use->last == i + 1 ? 0 : amount;
			use->last = i + 1;
		}
	}
}

static void
add_functions(struct writer *w)
{
	const struct summary *s = w->s;
	size_t names = s->names.texts.count, count = 0, shown;
	struct function_use *uses = mem_new(names + 1, sizeof *uses);
	struct ranked *ranked = mem_new(names + 1, sizeof *ranked);
	uint64_t whole = 0;

	count_functions(s, uses, &whole);
	for (size_t n = 1; n <= names; n++)
		if (uses[n].self > 0)
			ranked[count++] = (struct ranked){ (uint32_t)n, uses[n].self, uses[n].total };
	rank(ranked, count);
	shown = count < w->top ? count : w->top;
	if (count > 0) {
		section(w, "Hottest functions");
		table_column(&w->table, TABLE_RIGHT, "self");
		table_column(&w->table, TABLE_RIGHT, "total");
		table_column(&w->table, TABLE_CUT_FRONT, "function");
		for (size_t i = 0; i < shown; i++) {
			cell_share(w, ranked[i].first, whole);
			cell_share(w, ranked[i].second, whole);
			table_cell(&w->table, text_table_text(&s->names, ranked[i].index));
		}
		end_table(w, count - shown);
	}
	free(uses);
	free(ranked);
}

/* --- threads, locks, deadlocks --- */

static void
add_pool(struct writer *w, uint32_t index)
{
	const struct summary *s = w->s;
	const struct pool_use *pool = &s->pools.at[index];
	char time[TIME_TEXT_MAX];

	cell_count(w, pool->threads);
	cell_count(w, pool->use.samples);
	if (s->in_dumps) {
		cell_share(w, pool->use.running, pool->use.samples);
		w->table.paint = pool->use.blocked > 0 ? PAINT_HOT : PAINT_NONE;
		cell_share(w, pool->use.blocked, pool->use.samples);
		w->table.paint = PAINT_NONE;
		cell_share(w, pool->use.waiting, pool->use.samples);
	} else {
		cell_share(w, s->weighted ? pool->use.weight : pool->use.samples, s->weighted ? s->weight : s->samples);
	}
	if (s->with_cpu && s->dumps > 1)
		table_cell(&w->table, text_from(duration_print(time, pool->cpu_ns)));
	table_cell(&w->table, pool->threads == 1 ? text_table_text(&s->names, pool->one)
						 : text_table_text(&s->pool_names, index + 1));
}

static void
add_pools(struct writer *w)
{
	const struct summary *s = w->s;
	size_t count = s->pools.count, shown = count < w->top ? count : w->top;
	struct ranked *ranked = mem_new(count + 1, sizeof *ranked);

	for (size_t i = 0; i < count; i++)
		ranked[i] =
			(struct ranked){ (uint32_t)i,
					 s->in_dumps ? s->pools.at[i].use.running_weight : s->pools.at[i].use.weight,
					 s->pools.at[i].use.samples };
	rank(ranked, count);
	if (count > 0) {
		section(w, "Threads");
		table_column(&w->table, TABLE_RIGHT, "threads");
		table_column(&w->table, TABLE_RIGHT, "samples");
		table_column(&w->table, TABLE_RIGHT, s->in_dumps ? "running" : "share");
		if (s->in_dumps) {
			table_column(&w->table, TABLE_RIGHT, "blocked");
			table_column(&w->table, TABLE_RIGHT | TABLE_SPARE, "waiting");
		}
		if (s->with_cpu && s->dumps > 1)
			table_column(&w->table, TABLE_RIGHT | TABLE_SPARE, "cpu time");
		table_column(&w->table, TABLE_CUT, "name");
		for (size_t i = 0; i < shown; i++)
			add_pool(w, ranked[i].index);
		end_table(w, count - shown);
	}
	free(ranked);
}

static void
cell_address(struct writer *w, const struct lock_row *row)
{
	if (row->lost)
		table_cell(&w->table, text_from("?"));
	else if (row->several || row->address == LOCK_NO_ADDRESS)
		table_cell(&w->table, text_from(row->several ? "several" : "-"));
	else
		table_format(&w->table, "0x%llx", (unsigned long long)row->address);
}

static void
cell_holder(struct writer *w, const struct lock_row *row)
{
	if (row->lock_wanted == 0 && row->others > 0)
		table_cell(&w->table, text_from("several"));
	else if (row->others > 0)
		table_format(&w->table, "(%llu more)", (unsigned long long)row->others);
	else
		table_cell(&w->table, row->holder == 0 ? text_from("-") : text_table_text(&w->s->locks.texts, row->holder));
}

static void
add_lock(struct writer *w, const struct lock_row *row)
{
	struct stk_text class = text_table_text(&w->s->locks.texts, row->class);
	char time[TIME_TEXT_MAX];

	cell_count(w, row->wanted);
	cell_count(w, row->most);
	cell_count(w, row->held);
	table_cell(&w->table, text_from(row->held == 0 ? "-" : duration_print(time, row->longest_ns)));
	cell_count(w, row->waited);
	table_cell(&w->table, class.size == 0 ? text_from("(unknown)") : class);
	cell_address(w, row);
	cell_holder(w, row);
	table_cell(&w->table, text_of("", 0));
}

#define HOLDERS_SHOWN 3		/* of a lock: a convoy has hundreds */

static void
add_locks(struct writer *w)
{
	struct text_buffer *text = &w->s->scratch;
	size_t count, shown, room;
	struct lock_row *rows = lock_summary_rows(&w->s->locks, w->top == SIZE_MAX ? SIZE_MAX : HOLDERS_SHOWN, &count);

	shown = count < w->top ? count : w->top;
	if (count > 0) {
		section(w, "Locks: samples that want, hold or await them, by holder");
		table_column(&w->table, TABLE_RIGHT, "wanted");
		table_column(&w->table, TABLE_RIGHT | TABLE_SPARE, "at once");
		table_column(&w->table, TABLE_RIGHT, "held");
		table_column(&w->table, TABLE_RIGHT | TABLE_SPARE, "longest");
		table_column(&w->table, TABLE_RIGHT | TABLE_SPARE, "waiting");
		table_column(&w->table, TABLE_CUT_FRONT, "class");
		table_column(&w->table, TABLE_LEFT | TABLE_SPARE, "address");
		table_column(&w->table, TABLE_CUT, "held by");
		table_column(&w->table, TABLE_CUT, "in");
		for (size_t i = 0; i < shown; i++)
			add_lock(w, &rows[i]);
		room = table_room(&w->table, w->s->report.printer);
		for (size_t i = 0; i < shown; i++) {
			text->count = 0;
			if (rows[i].holder == 0 || rows[i].others > 0)
				add_char(text, '-');
			else
				add_stack_label(text, w->s, rows[i].node, room);
			table_fill(&w->table, i, text_in(text, 0));
		}
		end_table(w, count - shown);
	}
	free(rows);
}

/* The cells of a deadlock are one text with tabs between them. */
static void
add_deadlocks(struct writer *w)
{
	const struct tally *deadlocks = &w->s->deadlocks;
	size_t count = deadlocks->counts.count, shown = count < w->top ? count : w->top;

	if (count == 0)
		return;
	section(w, "Deadlocks");
	table_column(&w->table, TABLE_RIGHT, "seen");
	table_column(&w->table, TABLE_CUT, "thread");
	table_column(&w->table, TABLE_CUT_FRONT, "waits for");
	table_column(&w->table, TABLE_CUT, "held by");
	table_column(&w->table, TABLE_LEFT | TABLE_SPARE, "address");
	table_column(&w->table, TABLE_LEFT | TABLE_SPARE, "first");
	table_column(&w->table, TABLE_LEFT | TABLE_SPARE, "last");
	w->table.paint = PAINT_HOT;
	for (size_t i = 0; i < shown; i++) {
		struct stk_text rest = deadlocks->texts.texts.at[i];

		cell_count(w, deadlocks->counts.at[i]);
		for (unsigned cell = 0; cell < 4; cell++) {
			const char *tab = memchr(rest.data, '\t', rest.size);
			size_t size = tab == NULL ? rest.size : (size_t)(tab - rest.data);

			table_cell(&w->table, text_of(rest.data, size));
			rest = tab == NULL ? text_of(rest.data, 0) : text_of(tab + 1, rest.size - size - 1);
		}
		table_cell(&w->table, text_from(w->s->deadlock_times.at[i].first));
		table_cell(&w->table, text_from(w->s->deadlock_times.at[i].last));
	}
	end_table(w, count - shown);
}

/* --- the rest --- */

static void
cell_metric(struct writer *w, struct stk_text name, double value)
{
	size_t from = w->table.text.count;

	add_metric(&w->table.text, name, value);
	table_cell_from(&w->table, from);
}

static void
add_series(struct writer *w)
{
	const struct summary *s = w->s;
	size_t count = s->series.count, shown = count < w->top ? count : w->top;

	if (count == 0)
		return;
	section(w, "Metrics and counters");
	table_column(&w->table, TABLE_RIGHT | TABLE_SPARE, "values");
	table_column(&w->table, TABLE_RIGHT | TABLE_SPARE, "first");
	table_column(&w->table, TABLE_RIGHT, "least");
	table_column(&w->table, TABLE_RIGHT, "most");
	table_column(&w->table, TABLE_RIGHT, "last");
	table_column(&w->table, TABLE_CUT, "name");
	for (size_t i = 0; i < shown; i++) {
		const struct series_use *use = &s->series.at[i];
		struct stk_text name = text_table_text(&s->series_names, (uint32_t)i + 1);

		cell_count(w, use->count);
		cell_metric(w, name, use->first);
		cell_metric(w, name, use->least);
		cell_metric(w, name, use->most);
		cell_metric(w, name, use->last);
		table_cell(&w->table, name);
	}
	end_table(w, count - shown);
}

/* Of a VM that was counted by turns: its share of them, and how far that of the whole time may be from it. */
static void
add_turns(struct text_buffer *to, const struct tick_use *use, unsigned c, uint64_t expected)
{
	double share, off, counted = expected == 0 ? 0 : (double)use->grown[TICKS_EXPECTED] / (double)expected;
	bool known = turn_estimate_share(&use->turns[c], counted, &share, &off);

	add_format(to, known ? "%.1f%% +-%.1f" : "%.1f%%", 100 * share, 100 * off);
}

static void
add_tick_row(struct writer *w, const struct summary *s, size_t i)
{
	const struct tick_use *use = &s->ticks.at[i];
	struct stk_text name = text_table_text(&s->tick_names, (uint32_t)i + 1);
	const char *source = (const char *)memchr(name.data, '\t', name.size) + 1, *end = name.data + name.size;
	bool machine = source == end;
	const struct tick_use *processor = ticks_of_processor(s, use->cpu);
	uint64_t expected = ticks_expected(processor);

	cell_count(w, (uint64_t)use->cpu);
	for (unsigned c = TICKS_INSIDE; c <= TICKS_MISSED; c++) {
		size_t from = w->table.text.count;

		if ((c <= TICKS_VM) == machine || !use->counted[c] || expected == 0)
			add_string(&w->table.text, "");
		else if (use->by_turns)
			add_turns(&w->table.text, use, c, expected);
		else
			add_format(&w->table.text, "%.1f%%",
				   100.0 * (double)ticks_grown(processor, use, c) / (double)expected);
		table_cell_from(&w->table, from);
	}
	table_cell(&w->table, machine ? text_from("(the processor)") : text_of(source, (size_t)(end - source)));
}

/* Where the processors' time went, by VM and processor. */
static void
add_ticks(struct writer *w)
{
	const struct summary *s = w->s;
	size_t count = s->ticks.count, shown = count < w->top * 4 || w->top == SIZE_MAX ? count : w->top * 4;
	bool by_turns = false;

	if (count == 0)
		return;
	section(w, "Ticks of the processors");
	table_column(&w->table, TABLE_RIGHT, "cpu");
	for (unsigned c = TICKS_INSIDE; c <= TICKS_MISSED; c++)
		table_column(&w->table, TABLE_RIGHT | (c == TICKS_GC || c == TICKS_VM ? TABLE_SPARE : 0),
			     tick_columns[c]);
	table_column(&w->table, TABLE_CUT_FRONT, "source");
	for (size_t i = 0; i < shown; i++) {
		add_tick_row(w, s, i);
		by_turns |= s->ticks.at[i].by_turns;
	}
	end_table(w, count - shown);
	if (by_turns)
		printer_remark(s->report.printer, "VMs were counted one after another: shares are of their own turns; +- are "
			       "the 95 %% limits for the whole time, from three turns on");
}

static void
add_tally(struct writer *w, const struct tally *tally, const char *title, const char *what)
{
	size_t count = tally->counts.count, shown = count < w->top ? count : w->top;

	if (count == 0)
		return;
	section(w, title);
	table_column(&w->table, TABLE_RIGHT, "rows");
	table_column(&w->table, TABLE_CUT, what);
	for (size_t i = 0; i < shown; i++) {
		cell_count(w, tally->counts.at[i]);
		table_cell(&w->table, tally->texts.texts.at[i]);
	}
	end_table(w, count - shown);
}

int
summary_text(struct summary *s, struct stk_error *err)
{
	struct writer w = { .s = s, .top = s->report.top <= 0 ? SIZE_MAX : (size_t)s->report.top };

	if (s->stacks.sums.count > 0)
		qsort(s->stacks.sums.at, s->stacks.sums.count, sizeof *s->stacks.sums.at, compare_by_node);
	add_overview(&w);
	add_sources(&w);
	add_stacks(&w, is_running_class, s->in_dumps ? "Running" : "Hottest stacks", false);
	add_functions(&w);
	add_stacks(&w, is_waiting_class, "Waiting", true);
	add_pools(&w);
	add_locks(&w);
	add_deadlocks(&w);
	add_ticks(&w);
	tick_shares_write(s, s->report.printer, w.top);
	missing_moments_write(&s->missing, s->report.printer, w.top);
	moment_summary_write(&s->moments, s->report.printer, w.top);
	add_series(&w);
	path_summary_write(&s->paths, s->report.printer, w.top);
	add_tally(&w, &s->events, "Events", "name");
	add_tally(&w, &s->other_kinds, "Other records", "kind");
	add_tally(&w, &s->notes, "Notes", "text");
	table_release(&w.table);
	return printer_settle(s->report.printer, true, err);
}
