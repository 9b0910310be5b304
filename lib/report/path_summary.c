/* SPDX-License-Identifier: MIT
 * path_summary: a line is come to as often as the most frequent of its blocks. */
#include "report/path_summary.h"

#include "report/table.h"

#include <stdlib.h>

/* --- taking --- */

/* "while.body@14": the 14; empty. */
static struct stk_text
line_of(struct stk_text block)
{
	size_t at = block.size;

	while (at > 0 && block.data[at - 1] != '@')
		at--;
	return at == 0 ? text_of("", 0) : text_of(block.data + at, block.size - at);
}

static void
take_blocks(struct path_summary *s, const struct stk_path_count *row)
{
	struct stk_text rest = row->path;

	while (rest.size > 0) {
		struct stk_text block = text_take(&rest, ' '), line = line_of(block);

		if (line.size > 0) {
			s->scratch.count = 0;
			add_text(&s->scratch, row->file);
			add_char(&s->scratch, ':');
			add_text(&s->scratch, line);
			add_char(&s->scratch, '\t');
			add_text(&s->scratch, row->function);
			add_char(&s->scratch, '\t');
			add_text(&s->scratch, block);
			tally_add(&s->blocks, text_in(&s->scratch, 0), row->count);
		}
	}
}

void
path_summary_take(struct path_summary *s, unsigned kind, const void *row)
{
	const struct stk_path_count *count = row;
	const struct stk_path_call *call = row;
	struct path_calls *calls;
	uint32_t number;

	if (kind == STK_PATH_COUNT) {
		(void)text_joined(&s->scratch, count->function, count->path);
		add_char(&s->scratch, '\t');
		add_text(&s->scratch, count->file);
		tally_add(&s->paths, text_in(&s->scratch, 0), count->count);
		take_blocks(s, count);
	} else if (kind == STK_PATH_CALL) {
		number = text_table_number(&s->functions, text_joined(&s->scratch, call->function, call->file));
		while (s->calls.count < number)
			*array_push(&s->calls) = (struct path_calls){ 0 };
		calls = &s->calls.at[number - 1];
		calls->calls += call->calls;
		calls->counted += call->counted;
		calls->others += call->others;
		calls->unfinished += call->unfinished;
		counting_methods_take(&s->methods, call);
	}
}

/* --- writing --- */

/* What stands in the n-th of the columns of a text between tabs. */
static struct stk_text
part(struct stk_text text, unsigned n)
{
	while (n-- > 0)
		(void)text_take(&text, '\t');
	return text_take(&text, '\t');
}

static void
end_section(struct table *table, struct printer *to, size_t left_out)
{
	table_print(table, to);
	if (left_out > 0)
		printer_remark(to, "and %zu more (--top 0)", left_out);
}

/* A count, marked where it is inexact. */
static void
table_count(struct table *table, uint64_t count, bool inexact)
{
	table_format(table, "%s%llu", inexact ? INEXACT_MARK : "", (unsigned long long)count);
}

static void
end_counts(const struct path_summary *s, struct table *table, struct printer *to, size_t left_out)
{
	end_section(table, to, left_out);
	if (s->methods.inexact.texts.count > 0)
		printer_remark(to, INEXACT_MARK ": " INEXACT_COUNTS);
}

static void
write_calls(struct path_summary *s, struct printer *to, struct table *table, size_t top)
{
	struct tally_row *order = mem_new(s->calls.count + 1, sizeof *order);
	size_t count = s->calls.count, shown = count < top ? count : top;

	for (size_t i = 0; i < count; i++)
		order[i] = (struct tally_row){ s->functions.texts.at[i], s->calls.at[i].calls };
	qsort(order, count, sizeof *order, tally_row_compare);
	printer_title(to, "Calls of functions whose paths are counted");
	table_column(table, TABLE_RIGHT, "calls");
	table_column(table, TABLE_RIGHT, "counted");
	table_column(table, TABLE_RIGHT | TABLE_SPARE, "others");
	table_column(table, TABLE_RIGHT | TABLE_SPARE, "unfinished");
	table_column(table, TABLE_CUT_FRONT, "function");
	table_column(table, TABLE_CUT_FRONT | TABLE_SPARE, "file");
	for (size_t i = 0; i < shown; i++) {
		const struct path_calls *calls = &s->calls.at[text_table_find(&s->functions, order[i].text) - 1];

		bool inexact = counting_methods_are_inexact(&s->methods, part(order[i].text, 0),
							    part(order[i].text, 1));

		table_count(table, calls->calls, false);
		table_count(table, calls->counted, inexact);
		table_count(table, calls->others, inexact);
		table_format(table, "%lld", (long long)calls->unfinished);
		table_function(table, part(order[i].text, 0));
		table_cell(table, part(order[i].text, 1));
	}
	end_counts(s, table, to, count - shown);
	free(order);
}

static void
write_paths(struct path_summary *s, struct printer *to, struct table *table, size_t top)
{
	size_t count = s->paths.counts.count, shown = count < top ? count : top;
	struct tally_row *order = tally_ranked(&s->paths);
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++)
		all += order[i].count;
	printer_title(to, "Paths");
	table_column(table, TABLE_RIGHT, "count");
	table_column(table, TABLE_RIGHT, "share");
	table_column(table, TABLE_RIGHT | TABLE_SPARE, "blocks");
	table_column(table, TABLE_CUT_FRONT, "function");
	table_column(table, TABLE_CUT, "path");
	for (size_t i = 0; i < shown; i++) {
		struct stk_text path = part(order[i].text, 1);
		size_t from, blocks = path.size > 0;

		for (size_t k = 0; k < path.size; k++)
			blocks += path.data[k] == ' ';
		table_count(table, order[i].count,
			    counting_methods_are_inexact(&s->methods, part(order[i].text, 0), part(order[i].text, 2)));
		from = table->text.count;
		add_share(&table->text, (double)order[i].count, (double)all);
		table_cell_from(table, from);
		table_format(table, "%zu", blocks);
		table_function(table, part(order[i].text, 0));
		table_cell(table, path);
	}
	end_counts(s, table, to, count - shown);
	free(order);
}

/* Of "file:line": the file. */
static struct stk_text
file_of(struct stk_text where)
{
	while (where.size > 0 && where.data[where.size - 1] != ':')
		where.size--;
	return text_of(where.data, where.size - (where.size > 0));
}

/* Each line with the most frequent of its blocks, "file:line	function". */
static void
gather_lines(struct path_summary *s, struct tally *lines)
{
	for (size_t i = 0; i < s->blocks.counts.count; i++) {
		struct stk_text block = s->blocks.texts.texts.at[i], where = part(block, 0), function = part(block, 1);
		struct stk_text line = text_of(where.data, (size_t)(function.data + function.size - where.data));
		uint64_t had = tally_of(lines, line);

		if (s->blocks.counts.at[i] >= had && !counting_methods_overlap(&s->methods, function, file_of(where)))
			tally_add(lines, line, s->blocks.counts.at[i] - had);
	}
}

static void
write_lines(struct path_summary *s, struct printer *to, struct table *table, size_t top)
{
	struct tally lines = { 0 };
	struct tally_row *order;
	size_t shown, overlapping = s->methods.overlapping.texts.count;

	gather_lines(s, &lines);
	order = tally_ranked(&lines);
	shown = lines.counts.count < top ? lines.counts.count : top;
	printer_title(to, "Lines on counted paths");
	table_column(table, TABLE_RIGHT, "times");
	table_column(table, TABLE_CUT_FRONT, "line");
	table_column(table, TABLE_CUT_FRONT, "function");
	for (size_t i = 0; i < shown; i++) {
		table_count(table, order[i].count,
			    counting_methods_are_inexact(&s->methods, part(order[i].text, 1),
							 file_of(part(order[i].text, 0))));
		table_cell(table, part(order[i].text, 0));
		table_function(table, part(order[i].text, 1));
	}
	end_counts(s, table, to, lines.counts.count - shown);
	if (overlapping > 0)
		printer_remark(
			to,
			"lines of %zu functions are left out: their paths overlap (method ac), so that counts of paths do not add up to those of lines",
			overlapping);
	free(order);
	tally_release(&lines);
}

void
path_summary_write(struct path_summary *s, struct printer *to, size_t top)
{
	struct table table = { 0 };

	if (s->calls.count > 0)
		write_calls(s, to, &table, top);
	if (s->paths.counts.count > 0)
		write_paths(s, to, &table, top);
	if (s->blocks.counts.count > 0)
		write_lines(s, to, &table, top);
	table_release(&table);
}

void
path_summary_release(struct path_summary *s)
{
	text_table_release(&s->functions);
	array_release(&s->calls);
	tally_release(&s->paths);
	tally_release(&s->blocks);
	counting_methods_release(&s->methods);
	array_release(&s->scratch);
}
