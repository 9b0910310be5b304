/* SPDX-License-Identifier: MIT
 * stage_feed: a block of samples becomes three arrays. */
#include "timetree/stage_feed.h"

#include "stream/writer.h"

#include <string.h>

#define WANTED (SAMPLE_TIME | SAMPLE_WEIGHT | SAMPLE_TYPE_COLUMNS)

/* False when times go back. */
static bool
feed_times(struct stage_feed *f, const struct sample_columns *c, uint32_t rows, struct tree_samples *to)
{
	int64_t last = f->last, *at = to->times.at + to->times.count;
	bool ordered = true;

	for (uint32_t row = 0; row < rows; row++) {
		int64_t time = sample_time(c, row);

		ordered &= time >= last;
		at[row] = last = time;
	}
	to->times.count += rows;
	f->last = last;
	return ordered;
}

/* Type 0: the sample is there, and not counted. */
static void
feed_types(struct stage_feed *f, const struct sample_columns *c, uint32_t rows, const uint32_t *selected,
	uint32_t count, struct tree_samples *to)
{
	uint32_t *types = to->types.at + to->types.count;

	to->types.count += rows;
	if (selected == NULL) {
		sample_types_of_rows(&f->types, c, rows, types);
		return;
	}
	memset(types, 0, rows * sizeof *types);
	for (uint32_t i = 0; i < count; i++)
		types[selected[i]] = sample_type(&f->types, c, selected[i]);
}

static void
feed_weights(const struct sample_columns *c, uint32_t rows, struct tree_samples *to)
{
	uint64_t *weights = to->weights.at + to->weights.count;

	for (uint32_t row = 0; row < rows; row++)
		weights[row] = sample_value(&c->weight, row);
	to->weights.count += rows;
}

static int
feed_block(struct stage_feed *f, const struct sample_columns *c, uint32_t rows, const uint32_t *selected,
	uint32_t count, struct tree_samples *to, struct stk_error *err)
{
	array_reserve(&to->times, rows);
	array_reserve(&to->types, rows);
	array_reserve(&to->weights, rows);
	if (!feed_times(f, c, rows, to)) {
		f->disorder = true;
		return stk_fail(err, STK_EDATA, "out of order");
	}
	feed_types(f, c, rows, selected, count, to);
	feed_weights(c, rows, to);
	f->counted += count;
	f->others += rows - count;
	return 1;
}

static int
feed_more(void *context, struct tree_samples *to, struct stk_error *err)
{
	struct stage_feed *f = context;
	struct stk_reader *reader = stream_file_reader(f->file);
	const struct file_block *next = &f->blocks[f->next];
	struct sample_columns c;
	struct stk_block block;
	const uint32_t *selected;
	uint32_t count;
	int got;

	if (f->next == f->count)
		return 0;
	f->next++;
	got = stream_file_go(f->file, 0, next, &block, err);
	if (got < 0)
		return -1;
	if (got == 0 || sample_columns_load(&c, WANTED, NULL, reader, &block, err) < 0 ||
		selection_rows(f->selection, reader, &block, &selected, &count, err) < 0) {
		f->disorder = true;
		return stk_fail(err, STK_EDATA, "damaged");
	}
	if (f->lists != NULL)
		pass_note_ids(f->lists, (uint64_t)next->offset, reader);
	return feed_block(f, &c, block.rows, selected, count, to, err);
}

struct tree_feed
stage_feed_of(struct stage_feed *feed)
{
	return (struct tree_feed){ .context = feed, .more = feed_more };
}

/* The latest of the times of a block. */
static int
last_of_block(struct stage_feed *f, const struct file_block *at, int64_t *last, struct stk_error *err)
{
	struct sample_columns c;
	struct stk_block block;
	int got = stream_file_go(f->file, 0, at, &block, err);

	if (got < 0)
		return -1;
	if (got == 0 || sample_columns_load(&c, SAMPLE_TIME, NULL, stream_file_reader(f->file), &block, err) < 0) {
		stk_error_clear(err);		/* damage shows when the block is fed */
		return 0;
	}
	for (uint32_t i = 0; i < block.rows; i++)
		*last = sample_time(&c, i) > *last ? sample_time(&c, i) : *last;
	return 0;
}

int
stage_feed_last(struct stage_feed *f, int64_t *last, struct stk_error *err)
{
	*last = INT64_MIN;
	for (size_t b = 0; b < f->count; b++) {
		if (!f->blocks[b].has_time && last_of_block(f, &f->blocks[b], last, err) < 0)
			return -1;
		if (f->blocks[b].has_time && f->blocks[b].to_ns > *last)
			*last = f->blocks[b].to_ns;
	}
	return 0;
}
