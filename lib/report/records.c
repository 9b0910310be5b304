/* SPDX-License-Identifier: MIT
 * records: streams written again. Blocks of which every row is wanted pass as they came; the others are written from
 * their rows. Where functions get other names, each stream is merged into one of its own, in which what is then the
 * same frame has one id. Sorting keeps the rows that have a time in memory (8 bytes a column) until the end of their
 * stream. */
#include "model/plain_name.h"
#include "model/records_merge.h"
#include "report/recorded_kinds.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

struct kept { int64_t time; uint64_t order; void *row; };

struct records {
	struct report report;
	struct merge *merge;			/* NULL: rows keep their ids */
	struct text_buffer plain;		/* the name of a function */
	uint64_t lost;				/* rows of merges that are closed, likewise */
	bool left_out[STK_KIND_COUNT];
	ARRAY(struct kept) kept[STK_KIND_COUNT];
	struct arena rows;
	uint64_t order;
	uint64_t row[STK_COLUMN_MAX * 2];	/* room for the largest row struct */
	bool told_columns, told_kinds;
};

static void records_close(void *context);

static struct stk_text
plain_function(void *context, struct stk_text function)
{
	struct records *r = context;

	return plain_name(r->report.plain_names, function, &r->plain);
}

static int
open_merge(struct records *r, struct stk_error *err)
{
	if (merge_open(&r->merge, r->report.writer, err) < 0)
		return -1;
	if (r->report.plain_names != 0)
		merge_rename(r->merge, plain_function, r);
	return 0;
}

static void
close_merge(struct records *r)
{
	r->lost += r->merge == NULL ? 0 : merge_lost(r->merge);
	merge_close(r->merge);
	r->merge = NULL;
}

static void *
records_open(const struct report *report, struct stk_error *err)
{
	struct records *r = mem_new(1, sizeof *r);

	r->report = *report;
	if (report->merge && open_merge(r, err) < 0) {
		records_close(r);
		return NULL;
	}
	return r;
}

/* True when every column that the stream declares has a place in this program's struct. */
static bool
is_known(const struct stk_kind_schema *kind)
{
	if (kind == NULL || kind->row_size == 0)
		return false;
	for (unsigned c = 0; c < kind->columns; c++)
		if (kind->column[c].offset == (size_t)-1)
			return false;
	return true;
}

/* A row of a kind from the future cannot be written again, only passed on with its block. */
static bool
can_rewrite(struct records *r, const struct stk_kind_schema *kind)
{
	if (kind == NULL || kind->row_size == 0) {
		if (!r->told_kinds)
			r->report.remark(
				"the stream has kinds that this version does not know: their blocks are passed on whole, or left out of a merge");
		r->told_kinds = true;
		return false;
	}
	if (!is_known(kind) && !r->told_columns) {
		r->report.remark(
			"the stream has columns that this version does not know: rows that are written again lose them");
		r->told_columns = true;
	}
	return true;
}

/* --- rows that wait to be sorted --- */

static void
keep_texts(struct records *r, const struct stk_kind_schema *kind, void *row)
{
	for (unsigned c = 0; c < kind->columns; c++) {
		if (kind->column[c].type != STK_TYPE_TEXT || kind->column[c].offset == (size_t)-1)
			continue;
		struct stk_text *text = (struct stk_text *)(void *)((char *)row + kind->column[c].offset);

		if (text->size > 0)
			text->data = arena_copy(&r->rows, text->data, text->size);
	}
}

static void
keep_row(struct records *r, unsigned number, const void *row)
{
	const struct stk_kind_schema *kind = &stk_schema()->kind[number];
	struct kept *kept = array_push(&r->kept[number]);

	kept->row = arena_alloc(&r->rows, kind->row_size);
	memcpy(kept->row, row, kind->row_size);
	memcpy(&kept->time, (const char *)row + kind->column[kind->time].offset, sizeof kept->time);
	kept->order = r->order++;
	keep_texts(r, kind, kept->row);
}

static int
compare_kept(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
				  : (x->order > y->order) - (x->order < y->order);
}

static int
write_kept(struct records *r, struct stk_error *err)
{
	int result = 0;

	for (unsigned k = 0; k < STK_KIND_COUNT; k++) {
		if (r->kept[k].count > 0)
			qsort(r->kept[k].at, r->kept[k].count, sizeof *r->kept[k].at, compare_kept);
		for (size_t i = 0; i < r->kept[k].count && result == 0; i++)
			result = stk_writer_add(r->report.writer, (enum stk_kind)k, r->kept[k].at[i].row, err);
		array_release(&r->kept[k]);
	}
	arena_release(&r->rows);
	return result;
}

/* --- blocks --- */

static int
write_rows(struct records *r, struct stk_reader *reader, const struct stk_block *block, const uint32_t *rows,
	   uint32_t count, struct stk_error *err)
{
	bool keep = r->report.sort && stk_schema()->kind[block->kind].time >= 0;

	for (uint32_t i = 0; i < count; i++) {
		stk_reader_row(reader, selected_row(rows, i), r->row);
		if (r->merge != NULL)
			merge_map_row(r->merge, block->kind, r->row);
		if (keep)
			keep_row(r, block->kind, r->row);
		else if (stk_writer_add(r->report.writer, (enum stk_kind)block->kind, r->row, err) < 0)
			return -1;
	}
	return 0;
}

static int
take_rows(struct records *r, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	bool timed = block->schema != NULL && block->schema->time >= 0;
	const uint32_t *rows;
	uint32_t count;

	if (selection_rows(r->report.selection, reader, block, &rows, &count, err) < 0)
		return -1;
	if (count == 0)
		return 0;
	if (rows == NULL && r->merge == NULL && !(r->report.sort && timed))
		return stk_writer_pass(r->report.writer, reader, err);
	if (!can_rewrite(r, block->schema))
		return r->merge != NULL ? 0 : stk_writer_pass(r->report.writer, reader, err);
	return stk_reader_rows(reader, err) < 0 ? -1 : write_rows(r, reader, block, rows, count, err);
}

/* A time tree is of all samples, in their order. */
static bool
is_of_lost_tree(const struct records *r, unsigned kind)
{
	bool tree = kind == STK_TREE || kind == STK_TREE_KEY || kind == STK_TREE_NODE || kind == STK_TREE_COUNT;

	return tree && (r->merge != NULL || r->report.sort || selection_rows_matter(r->report.selection));
}

static int
begin_stream(struct records *r, struct stk_reader *reader, struct stk_error *err)
{
	if (r->report.merge) {
		merge_turn(r->merge);
		return 0;
	}
	if (r->report.plain_names == 0)
		return stk_writer_pass(r->report.writer, reader, err);
	close_merge(r);
	return open_merge(r, err);
}

/* What was computed from names of functions does not hold for others. */
static bool
is_of_other_names(struct records *r, unsigned kind)
{
	bool is = r->report.plain_names != 0 && kind < STK_KIND_COUNT && !kind_is_recorded(kind);

	if (is)
		r->left_out[kind] = true;
	return is;
}

static int
records_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct records *r = context;

	if (block->kind == STK_HEAD)
		return begin_stream(r, reader, err);
	if (block->schema != NULL && block->schema->definition)		/* rows that pass may refer to any of them */
		return r->merge != NULL ? merge_take(r->merge, reader, block, err)
					: stk_writer_pass(r->report.writer, reader, err);
	if (is_of_lost_tree(r, block->kind) || !selection_kind(r->report.selection, block->schema, block->kind) ||
	    is_of_other_names(r, block->kind))
		return 0;
	return take_rows(r, reader, block, err);
}

static int
records_turn(void *context, struct stk_error *err)
{
	struct records *r = context;

	return r->report.merge ? 0 : write_kept(r, err);	/* one stream, to the end */
}

static int
records_finish(void *context, struct stk_error *err)
{
	struct records *r = context;
	char text[120];
	uint64_t lost;

	close_merge(r);
	lost = r->lost;
	tell_left_out(&r->report, r->left_out);
	if (lost > 0) {
		snprintf(text, sizeof text,
			 "%llu rows refer to what their stream does not define; they are kept and refer to nothing",
			 (unsigned long long)lost);
		r->report.missing(text);
		stk_writer_lost(r->report.writer, lost);
	}
	return write_kept(r, err);
}

static void
records_close(void *context)
{
	struct records *r = context;

	for (unsigned k = 0; k < STK_KIND_COUNT; k++)
		array_release(&r->kept[k]);
	arena_release(&r->rows);
	array_release(&r->plain);
	merge_close(r->merge);
	free(r);
}

const struct report_form records_form = { .name = "stream",
					  .records = true,
					  .open = records_open,
					  .turn = records_turn,
					  .take = records_take,
					  .finish = records_finish,
					  .close = records_close };
