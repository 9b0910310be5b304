/* SPDX-License-Identifier: MIT
 * where_blocks: a condition over samples of which little is known: a block of which only the index is read, or all that
 * may be at a moment: whether it can hold, and whether it can fail. */
#include "choose/where_parts.h"

#include "stream/block_ids.h"
#include "stream/stream_file.h"

#define IDS_EXAMINED 65536	/* of a block: more are not worth it */

enum { CAN_HOLD = 1, CAN_FAIL = 2, CAN_BOTH = 3 };

struct asked_block {
	struct where *where;
	const struct model *model;
	const struct file_block *block;		/* or NULL: */
	const struct where_sample *moment;
};

/* The column of the ids that decide a condition; -1: an index does not know these. */
static int
column_of(const struct condition *c)
{
	switch (c->what) {
	case WHERE_PROCESS:
	case WHERE_THREAD:
	case WHERE_POOL:
	case WHERE_SOURCE:   return STK_COLUMN(sample, thread);
	case WHERE_STATE:    return STK_COLUMN(sample, state);
	case WHERE_EVENT:    return STK_COLUMN(sample, event);
	case WHERE_FUNCTION: return STK_COLUMN(sample, stack);
	default:	     return -1;
	}
}

/* The process and the source of samples without a thread are those of their dump. Ids that nothing defines are met
 * where the block is read, and counted. */
static unsigned
verdict_of_id(const struct asked_block *a, struct condition *c, int column, uint64_t id)
{
	unsigned refers = stk_schema()->kind[STK_SAMPLE].column[column].refers;
	struct where_sample sample = { .time = STK_TIME_UNKNOWN };
	bool of_dump = c->what == WHERE_PROCESS || c->what == WHERE_SOURCE;

	if (id == 0 ? of_dump : column != STK_COLUMN(sample, state) && !model_knows(a->model, refers, id))
		return CAN_BOTH;
	if (column == STK_COLUMN(sample, thread))
		sample.thread = id;
	else if (column == STK_COLUMN(sample, state))
		sample.state = id;
	else if (column == STK_COLUMN(sample, event))
		sample.event = id;
	else
		sample.stack = id;
	return condition_holds(a->where, c, a->model, &sample) ? CAN_HOLD : CAN_FAIL;
}

/* A moment has a source and a time. */
static unsigned
verdict_of_moment(const struct asked_block *a, struct condition *c)
{
	if (c->what != WHERE_PROCESS && c->what != WHERE_SOURCE && c->what != WHERE_TIME)
		return CAN_BOTH;
	return condition_holds(a->where, c, a->model, a->moment) ? CAN_HOLD : CAN_FAIL;
}

static unsigned
verdict_of_ids(const struct asked_block *a, struct condition *c)
{
	int column = column_of(c);
	struct id_ranges ranges;
	uint64_t first, last, examined = 0;
	unsigned verdict = 0;

	if (column < 0 || !id_ranges_find(&ranges, a->block->holds, (unsigned)column))
		return CAN_BOTH;
	while (verdict != CAN_BOTH && id_ranges_next(&ranges, &first, &last)) {
		if (last - first >= IDS_EXAMINED || (examined += last - first) >= IDS_EXAMINED)
			return CAN_BOTH;
		for (uint64_t id = first; id <= last && verdict != CAN_BOTH; id++)
			verdict |= verdict_of_id(a, c, column, id);
	}
	return verdict;
}

static unsigned
verdict_of_time(const struct asked_block *a, const struct condition *c)
{
	const struct file_block *block = a->block;
	unsigned verdict = 0;

	if (!block->has_time)
		return CAN_BOTH;
	if (block->to_ns >= c->from_ns && (block->from_ns < c->to_ns || c->to_ns == INT64_MAX))
		verdict |= CAN_HOLD;
	if (block->from_ns < c->from_ns || (block->to_ns >= c->to_ns && c->to_ns != INT64_MAX))
		verdict |= CAN_FAIL;
	return verdict;
}

/* Parts are taken as if each were of another row: what is said of a block is then too much, and never too little. */
static unsigned
verdict_of(const struct asked_block *a, struct condition *c)
{
	unsigned left, right;

	switch (c->what) {
	case WHERE_TIME: return a->block != NULL ? verdict_of_time(a, c) : verdict_of_moment(a, c);
	case WHERE_NOT:
		left = verdict_of(a, c->left);
		return (left & CAN_HOLD ? CAN_FAIL : 0) | (left & CAN_FAIL ? CAN_HOLD : 0);
	case WHERE_AND:
		left = verdict_of(a, c->left);
		right = left == CAN_FAIL ? CAN_BOTH : verdict_of(a, c->right);
		return (left & right & CAN_HOLD) | ((left | right) & CAN_FAIL);
	case WHERE_OR:
		left = verdict_of(a, c->left);
		right = left == CAN_HOLD ? CAN_BOTH : verdict_of(a, c->right);
		return ((left | right) & CAN_HOLD) | (left & right & CAN_FAIL);
	default: return a->block != NULL ? verdict_of_ids(a, c) : verdict_of_moment(a, c);
	}
}

bool
where_may_hold(struct where *where, const struct model *model, const struct file_block *block)
{
	struct asked_block asked = { where, model, block, NULL };

	where_turn_to(where, model);
	return (verdict_of(&asked, where->root) & CAN_HOLD) != 0;
}

bool
where_may_hold_at(struct where *where, const struct model *model, const struct where_sample *moment)
{
	struct asked_block asked = { where, model, NULL, moment };

	where_turn_to(where, model);
	return (verdict_of(&asked, where->root) & CAN_HOLD) != 0;
}

static bool
asks_index(const struct condition *c)
{
	return c != NULL && (c->what == WHERE_TIME || column_of(c) >= 0 || asks_index(c->left) || asks_index(c->right));
}

bool
where_asks_index(const struct where *where)
{
	return asks_index(where->root);
}
