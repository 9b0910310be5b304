/* SPDX-License-Identifier: MIT
 * statistics: rows and bytes of each kind, from the headers of blocks. What the blocks hold is not read, except, for a
 * person, which stacks the samples have. */
#include "base/id_table.h"
#include "base/memory.h"
#include "report/report.h"
#include "report/table.h"

#include <stdio.h>

struct kind_size { uint64_t rows, bytes, blocks; char *name; };

struct statistics {
	struct report report;
	struct kind_size kinds[STK_KIND_MAX];
	uint64_t streams, stacks;
	struct id_table seen;		/* stacks of the present stream's samples */
};

static void *
statistics_open(const struct report *report, struct stk_error *err)
{
	struct statistics *s = mem_new(1, sizeof *s);

	(void)err;
	s->report = *report;
	s->seen.size = 1;
	return s;
}

static void
name_kind(struct kind_size *kind, const struct stk_block *block)
{
	const struct stk_kind_schema *schema = block->kind == STK_HEAD ? &stk_schema()->kind[STK_HEAD] : block->schema;
	char number[16];

	if (kind->name != NULL)
		return;
	snprintf(number, sizeof number, "#%u", block->kind);
	kind->name = mem_string(schema == NULL ? number : schema->name);
}

static int
count_stacks(struct statistics *s, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint64_t *stacks;

	if (stk_reader_column(reader, STK_COLUMN(sample, stack), &stacks, err) < 0)
		return -1;
	for (uint32_t row = 0; row < block->rows; row++) {
		unsigned char *seen;

		if (stacks[row] == 0 || stacks[row] > UINT32_MAX)
			continue;
		seen = id_table_at(&s->seen, (uint32_t)stacks[row]);
		s->stacks += *seen == 0;
		*seen = 1;
	}
	return 0;
}

static int
statistics_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct statistics *s = context;
	struct kind_size *kind = &s->kinds[block->kind];

	if (block->kind == STK_HEAD) {
		s->streams++;
		id_table_clear(&s->seen);
	}
	if (!selection_kind(s->report.selection, block->schema, block->kind))
		return 0;
	if (block->kind == STK_SAMPLE && !s->report.tsv && count_stacks(s, reader, block, err) < 0)
		return -1;
	name_kind(kind, block);
	kind->rows += block->rows;
	kind->bytes += block->bytes;
	kind->blocks++;
	return 0;
}

static void
add_tsv(struct statistics *s, struct text_buffer *to)
{
	add_string(to, "kind\trows\tbytes\n");
	for (unsigned k = 0; k < STK_KIND_MAX; k++) {
		if (s->kinds[k].blocks == 0)
			continue;
		add_escaped(to, text_from(s->kinds[k].name));
		add_format(to, "\t%llu\t%llu\n", (unsigned long long)s->kinds[k].rows,
			   (unsigned long long)s->kinds[k].bytes);
	}
}

static void
add_table(struct statistics *s, uint64_t bytes)
{
	struct table table = { 0 };

	table_column(&table, TABLE_LEFT, "kind");
	table_column(&table, TABLE_RIGHT, "rows");
	table_column(&table, TABLE_RIGHT | TABLE_SPARE, "blocks");
	table_column(&table, TABLE_RIGHT, "size");
	table_column(&table, TABLE_RIGHT | TABLE_SPARE, "bytes/row");
	table_column(&table, TABLE_RIGHT, "share");
	for (unsigned k = 0; k < STK_KIND_MAX; k++) {
		struct kind_size *kind = &s->kinds[k];
		size_t from;

		if (kind->blocks == 0)
			continue;
		table_cell(&table, text_from(kind->name));
		table_format(&table, "%llu", (unsigned long long)kind->rows);
		table_format(&table, "%llu", (unsigned long long)kind->blocks);
		from = table.text.count;
		add_size(&table.text, kind->bytes);
		table_cell_from(&table, from);
		table_format(&table, "%.2f", kind->rows == 0 ? 0 : (double)kind->bytes / (double)kind->rows);
		from = table.text.count;
		add_share(&table.text, (double)kind->bytes, (double)bytes);
		table_cell_from(&table, from);
	}
	table_print(&table, s->report.printer);
	table_release(&table);
}

static int
statistics_finish(void *context, struct stk_error *err)
{
	struct statistics *s = context;
	struct text_buffer *to = &s->report.printer->text, text = { 0 };
	uint64_t bytes = 0, samples = s->kinds[STK_SAMPLE].rows;

	(void)err;
	if (s->report.tsv) {
		add_tsv(s, to);
		return 0;
	}
	for (unsigned k = 0; k < STK_KIND_MAX; k++)
		bytes += s->kinds[k].bytes;
	add_counted(&text, s->streams, "stream");
	add_string(&text, ", ");
	add_size(&text, bytes);
	if (samples > 0) {
		add_string(&text, ", ");
		add_counted(&text, samples, "sample");
		add_format(&text, ", %.2f bytes a sample, ", (double)bytes / (double)samples);
		add_counted(&text, s->stacks, "distinct stack");
		add_string(&text, s->streams > 1 ? " (counted in each stream)" : "");
	}
	printer_prose(s->report.printer, 0, text_in(&text, 0));
	array_release(&text);
	add_char(to, '\n');
	add_table(s, bytes);
	return 0;
}

static void
statistics_close(void *context)
{
	struct statistics *s = context;

	for (unsigned k = 0; k < STK_KIND_MAX; k++)
		free(s->kinds[k].name);
	id_table_clear(&s->seen);
	free(s);
}

const struct report_form statistics_form = { .name = "stats",
					     .bare = true,
					     .open = statistics_open,
					     .take = statistics_take,
					     .finish = statistics_finish,
					     .close = statistics_close };
