/* SPDX-License-Identifier: MIT
 * count_sequences: stkpath sequences. The steps of programs are read in their order, and counted as they come. */
#include "path_errors.h"
#include "stkpath.h"

#include "base/bytes.h"
#include "path/sequence_counts.h"
#include "program/filter.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/printer.h"
#include "report/table.h"

#include <string.h>

struct counting {
	struct filter filter;
	struct call_sequences sequences;
	struct sequence_counts *counts;
	ARRAY(uint64_t) pids;		/* of the stream's sources */
	uint64_t lost;			/* incidents so far */
	uint64_t steps, headless;	/* rows; those of calls whose beginning is not known */
};

static int
take_blocks(struct counting *c, const struct sequence_call *call, struct stk_text blocks)
{
	int result = 0;

	while (blocks.size > 0 && result == 0)
		result = sequence_counts_block(c->counts, call, text_take(&blocks, ' '));
	return result;
}

static void
take_step(struct counting *c, const struct stk_path_step *row)
{
	struct sequence_call call = {
		.process = row->source > 0 && row->source <= c->pids.count ? c->pids.at[row->source - 1] : 0,
		.thread = row->thread, .number = row->call, .function = row->function
	};
	int result = row->begins != 0 ? sequence_counts_begin(c->counts, &call) : 0;

	c->steps++;
	if (result == 0)
		result = take_blocks(c, &call, row->blocks);
	if (result == 0 && row->ends != 0)
		result = sequence_counts_end(c->counts, &call);
	c->headless += result < 0;
}

static void
take_row(struct counting *c, unsigned kind, uint32_t i)
{
	struct stk_path_step step;
	struct stk_source source;
	struct stk_cfg edge;

	if (kind == STK_PATH_STEP) {
		stk_reader_row(c->filter.reader, i, &step);
		take_step(c, &step);
	} else if (kind == STK_CFG) {
		stk_reader_row(c->filter.reader, i, &edge);
		sequence_counts_graph(c->counts, edge.function, edge.from);
		sequence_counts_graph(c->counts, edge.function, edge.to);
	} else {
		stk_reader_row(c->filter.reader, i, &source);
		*array_push(&c->pids) = source.pid;
	}
}

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct counting *c = context;

	if (c->filter.lost != c->lost)		/* beginnings or ends of calls may be among it */
		sequence_counts_break(c->counts);
	c->lost = c->filter.lost;
	if (block->kind == STK_HEAD)
		c->pids.count = 0;
	if (block->kind != STK_PATH_STEP && block->kind != STK_CFG && block->kind != STK_SOURCE)
		return 0;
	if (stk_reader_rows(c->filter.reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++)
		take_row(c, block->kind, i);
	return sequence_counts_check(c->counts, err);
}

/* --- what was found --- */

/* What is never seen cannot be counted: a name that was typed wrong, or a function without probes. Each is said
 * once. */
static void
tell_unknown(const struct counting *c, const char *path)
{
	struct text_table told = { 0 };
	struct text_buffer scratch = { 0 };

	for (size_t s = 0; s < c->sequences.list.count; s++) {
		const struct sequence_name *name;
		unsigned line = c->sequences.list.at[s].line;
		size_t at = 0;

		while ((name = sequence_counts_unknown(c->counts, s, &at)) != NULL) {
			struct stk_text function = text_table_text(&c->sequences.functions, name->function);
			struct stk_text both = text_joined(&scratch, function, name->block);

			if (text_table_find(&told, both) != 0)
				continue;
			(void)text_table_number(&told, both);
			if (name->block.size > 0)
				program_warn("%s:%u: no block '%.*s' was seen in %.*s", path, line,
					     (int)name->block.size, name->block.data, (int)function.size,
					     function.data);
			else
				program_say("%s:%u: no call of %.*s was seen: it has no probes, or nothing called it",
					    path, line, (int)function.size, function.data);
		}
	}
	text_table_release(&told);
	array_release(&scratch);
}

static void
add_row(const struct counting *c, size_t s, struct text_buffer *to)
{
	const struct call_sequence *sequence = &c->sequences.list.at[s];
	struct sequence_count count = sequence_counts_of(c->counts, s);

	add_escaped(to, sequence->title);
	add_char(to, '\t');
	add_escaped(to, text_table_text(&c->sequences.functions, sequence->root));
	add_format(to, "\t%llu\t%llu\t%llu\t%llu\n", (unsigned long long)count.calls, (unsigned long long)count.on,
		   (unsigned long long)count.times, (unsigned long long)count.unfinished);
}

static void
print_rows(const struct counting *c, struct printer *to)
{
	add_string(&to->text, "sequence\tfunction\tcalls\ton\ttimes\tunfinished\n");
	for (size_t s = 0; s < c->sequences.list.count; s++)
		add_row(c, s, &to->text);
}

static void
print_table(const struct counting *c, struct printer *to)
{
	struct table table = { 0 };

	table_column(&table, TABLE_RIGHT, "calls");
	table_column(&table, TABLE_RIGHT, "on it");
	table_column(&table, TABLE_RIGHT, "share");
	table_column(&table, TABLE_RIGHT, "times");
	table_column(&table, TABLE_CUT, "of");
	table_column(&table, TABLE_CUT, "sequence");
	for (size_t s = 0; s < c->sequences.list.count; s++) {
		struct sequence_count count = sequence_counts_of(c->counts, s);
		size_t from;

		table_format(&table, "%llu", (unsigned long long)count.calls);
		table_format(&table, "%llu", (unsigned long long)count.on);
		from = table.text.count;
		if (count.calls > 0)
			add_share(&table.text, (double)count.on, (double)count.calls);
		table_cell_from(&table, from);
		table_format(&table, "%llu", (unsigned long long)count.times);
		table_cell(&table, text_table_text(&c->sequences.functions, c->sequences.list.at[s].root));
		table_cell(&table, c->sequences.list.at[s].title);
	}
	table_print(&table, to);
	table_release(&table);
}

static uint64_t
unfinished(const struct counting *c)
{
	uint64_t most = 0;

	for (size_t s = 0; s < c->sequences.list.count; s++) {
		struct sequence_count count = sequence_counts_of(c->counts, s);

		most = c->sequences.list.at[s].to_end && count.unfinished > most ? count.unfinished : most;
	}
	return most;
}

static void
tell(const struct counting *c, const char *path)
{
	if (c->steps == 0)
		program_warn("no steps were read: build with STKPATH_SEQUENCES=%s", path);
	else
		tell_unknown(c, path);
	if (c->headless > 0)
		program_warn("%llu rows are of calls whose beginning is not in the stream; left out",
			     (unsigned long long)c->headless);
	if (unfinished(c) > 0)
		program_say(
			"%llu calls did not end: whether they are on a sequence that lasts to their end is not known",
			(unsigned long long)unfinished(c));
}

static int
count_files(struct counting *c, struct stk_error *err)
{
	struct printer printer;
	int result = filter_each(&c->filter, take_block, c, err);

	sequence_counts_break(c->counts);
	if (result < 0)
		return -1;
	printer = printer_to(c->filter.output);
	if (program_common.format != NULL && strcmp(program_common.format, "text") == 0)
		print_table(c, &printer);
	else
		print_rows(c, &printer);
	result = printer_settle(&printer, true, err);
	printer_release(&printer);
	return result;
}

int
count_sequences(const struct path_settings *settings, char **operands, int count)
{
	struct counting c = { .filter = { .tell_lost = true } };
	struct stk_error err = { 0 };
	int result;

	if (settings->paths == NULL)
		program_usage("sequences: missing --paths FILE, the sequences of interest");
	program_need_input(count);
	result = call_sequences_read_file(&c.sequences, settings->paths, &err);
	if (result == 0)
		result = filter_open(&c.filter, operands, count, &err);
	if (result == 0) {
		sequence_counts_open(&c.counts, &c.sequences);
		result = count_files(&c, &err);
		if (result == 0)
			tell(&c, settings->paths);
		sequence_counts_close(c.counts);
		filter_close(&c.filter, result == 0);
	}
	report_error(&err);
	call_sequences_release(&c.sequences);
	array_release(&c.pids);
	return program_end();
}
