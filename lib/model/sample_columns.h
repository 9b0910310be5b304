/* SPDX-License-Identifier: MIT
 * sample_columns: the columns of a block of samples, for counting rows by millions. A column with the same word in all
 * rows is not decoded. */
#ifndef MODEL_SAMPLE_COLUMNS_H
#define MODEL_SAMPLE_COLUMNS_H

#include "model/model.h"

struct sample_column {
	const uint64_t *values;
	uint32_t mask;		/* 0: values[0] is the value of every row */
};

enum sample_want {
	SAMPLE_TIME = 1 << 0,
	SAMPLE_THREAD = 1 << 1,
	SAMPLE_DUMP = 1 << 2,
	SAMPLE_STACK = 1 << 3,
	SAMPLE_WEIGHT = 1 << 4,
	SAMPLE_STATE = 1 << 5,
	SAMPLE_EVENT = 1 << 6,
	SAMPLE_PROCESSOR = 1 << 7
};

/* Do not copy it: columns point into it. */
struct sample_columns {
	struct sample_column time, thread, dump, stack, weight, state, event, processor;
	uint64_t words[8];
};

/* Loads the columns that `wanted` names, bits of enum sample_want; the others are 0 in every row. With a model, ids are
 * as model_id returns them: 0, and counted as lost, where the model does not know them; NULL: as they are in the
 * stream. Valid until the reader's next block, and the next call with that model. -1: the block is damaged (STK_EDATA)
 * and must not be used. */
int sample_columns_load(struct sample_columns *columns, unsigned wanted, struct model *model, struct stk_reader *reader,
			const struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;

static inline uint64_t
sample_value(const struct sample_column *column, uint32_t row)
{
	return column->values[row & column->mask];
}

static inline int64_t
sample_time(const struct sample_columns *columns, uint32_t row)
{
	return (int64_t)sample_value(&columns->time, row);
}

#endif
