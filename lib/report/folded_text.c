/* SPDX-License-Identifier: MIT
 * folded_text: "frame;frame;frame COUNT", root first, sorted by bytes. Samples are counted by ids while a stream is
 * read. The lines of one stream are made one after another; those of several are gathered as texts. Memory: 40 bytes
 * for each distinct (key, stack), and those of the order; with several streams the distinct lines. */
#include "base/pair_sums.h"
#include "base/tally.h"
#include "choose/folded_lines.h"
#include "choose/stack_prefix.h"
#include "model/sample_columns.h"
#include "report/report.h"

#include <stdlib.h>

struct folded {
	struct report report;
	struct stack_prefixes *prefixes;
	struct pair_sums sums;			/* by prefix and stack */
	struct text_buffer scratch;
	struct tally lines;
};

/* --- opening --- */

static void folded_close(void *context);

static void *
folded_open(const struct report *report, struct stk_error *err)
{
	struct folded *f = mem_new(1, sizeof *f);

	f->report = *report;
	if (stack_prefixes_open(&f->prefixes, report->model, report->by, err) < 0) {
		folded_close(f);
		return NULL;
	}
	return f;
}

/* --- counting --- */

static int
folded_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct folded *f = context;
	struct sample_columns c;
	const uint32_t *rows;
	uint32_t count;

	if (block->kind != STK_SAMPLE)
		return 0;
	if (selection_rows(f->report.selection, reader, block, &rows, &count, err) < 0 ||
	    sample_columns_load(&c, SAMPLE_THREAD | SAMPLE_DUMP | SAMPLE_STACK | SAMPLE_WEIGHT | SAMPLE_STATE, NULL,
				reader, block, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = selected_row(rows, i);
		uint32_t prefix = stack_prefix(f->prefixes, sample_value(&c.thread, row), sample_value(&c.dump, row),
					       sample_value(&c.state, row));
		uint64_t stack = sample_value(&c.stack, row);

		pair_sums_at(&f->sums, prefix, stack < UINT32_MAX ? (uint32_t)stack : UINT32_MAX)->weight +=
			sample_value(&c.weight, row);
	}
	return 0;
}

/* --- lines --- */

static void
add_sum_to_lines(struct folded *f, const struct pair_sum *sum)
{
	struct text_buffer *line = &f->scratch;

	line->count = 0;
	add_text(line, stack_prefix_text(f->prefixes, sum->a));
	if (sum->b != 0) {
		if (line->count > 0)
			add_char(line, ';');
		naming_add_stack(f->report.naming, sum->b, stack_prefix_is_java(sum->a), line);
	}
	if (line->count == 0)		/* a sample of which nothing is known still counts */
		add_char(line, '?');
	tally_add(&f->lines, text_in(line, 0), sum->weight);
}

static int
folded_turn(void *context, struct stk_error *err)
{
	struct folded *f = context;

	(void)err;
	for (size_t i = 0; i < f->sums.sums.count; i++)
		add_sum_to_lines(f, &f->sums.sums.at[i]);
	pair_sums_clear(&f->sums);
	stack_prefixes_forget(f->prefixes);
	return 0;
}

struct line { struct stk_text text; uint64_t count; };

static int
compare_lines(const void *a, const void *b)
{
	const struct stk_text *x = &((const struct line *)a)->text, *y = &((const struct line *)b)->text;

	return text_compare(*x, *y);
}

static int
print_line(struct folded *f, struct stk_text text, uint64_t count, struct stk_error *err)
{
	struct text_buffer *to = &f->report.printer->text;

	add_text(to, text);
	add_char(to, ' ');
	add_unsigned(to, count);
	add_char(to, '\n');
	return printer_settle(f->report.printer, false, err);
}

/* There was one stream: its ids are at hand. */
static int
print_sums(struct folded *f, struct stk_error *err)
{
	struct folded_lines *lines;
	struct stk_text text;
	uint64_t count, weight;
	int result = 0;

	hash_map_release(&f->sums.map);		/* nothing more is counted */
	folded_lines_open(&lines);
	(void)folded_lines_add(lines, f->report.model, f->report.naming, f->prefixes, &f->sums);
	while (result == 0 && folded_lines_next(lines, &text, &count, &weight))
		result = print_line(f, text, weight, err);
	folded_lines_close(lines);
	return result;
}

static int
print_texts(struct folded *f, struct stk_error *err)
{
	size_t count = f->lines.counts.count;
	struct line *lines = mem_new(count + 1, sizeof *lines);
	int result = 0;

	for (size_t i = 0; i < count; i++)
		lines[i] = (struct line){ f->lines.texts.texts.at[i], f->lines.counts.at[i] };
	qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count && result == 0; i++)
		result = print_line(f, lines[i].text, lines[i].count, err);
	free(lines);
	return result;
}

static int
folded_finish(void *context, struct stk_error *err)
{
	struct folded *f = context;

	if (f->lines.counts.count == 0)
		return print_sums(f, err);
	return folded_turn(f, err) < 0 ? -1 : print_texts(f, err);
}

static void
folded_close(void *context)
{
	struct folded *f = context;

	stack_prefixes_close(f->prefixes);
	pair_sums_release(&f->sums);
	array_release(&f->scratch);
	tally_release(&f->lines);
	free(f);
}

const struct report_form folded_form = {
	.name = "folded", .ends = true,
	.kinds = KIND_BIT(STK_SAMPLE), .counts = COUNT_ALL_BUT_SAMPLES, .has = "samples",
	.open = folded_open, .turn = folded_turn, .take = folded_take, .finish = folded_finish, .close = folded_close
};
