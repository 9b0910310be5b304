/* SPDX-License-Identifier: MIT
 * sample_columns: the columns of a block of samples. */
#include "model/sample_columns.h"

/* in the order of enum sample_want, and of struct sample_columns */
static const struct { unsigned number; enum stk_kind refers;
} columns_of_samples[] = { { STK_COLUMN(sample, time), STK_HEAD },   { STK_COLUMN(sample, thread), STK_THREAD },
			   { STK_COLUMN(sample, dump), STK_DUMP },   { STK_COLUMN(sample, stack), STK_STACK },
			   { STK_COLUMN(sample, weight), STK_HEAD }, { STK_COLUMN(sample, state), STK_HEAD },
			   { STK_COLUMN(sample, event), STK_STRING },
			   { STK_COLUMN(sample, processor), STK_HEAD } };

int
sample_columns_load(struct sample_columns *columns, unsigned wanted, struct model *model, struct stk_reader *reader,
		    const struct stk_block *block, struct stk_error *err)
{
	struct sample_column *const loaded[] = { &columns->time,   &columns->thread, &columns->dump, &columns->stack,
						 &columns->weight, &columns->state,  &columns->event,
						 &columns->processor };

	for (unsigned i = 0; i < sizeof loaded / sizeof *loaded; i++) {
		unsigned number = columns_of_samples[i].number, refers = columns_of_samples[i].refers;
		bool checked = model != NULL && refers != STK_HEAD;
		uint64_t *word = &columns->words[i];

		*loaded[i] = (struct sample_column){ word, 0 };
		*word = 0;
		if ((wanted >> i & 1) == 0)
			continue;
		if (stk_reader_is_constant(reader, number, word)) {
			*word = checked ? model_id_of_rows(model, refers, *word, block->rows) : *word;
			continue;
		}
		loaded[i]->mask = UINT32_MAX;
		if (checked ? model_column(model, reader, block, number, &loaded[i]->values, err) < 0
			    : stk_reader_column(reader, number, &loaded[i]->values, err) < 0)
			return -1;
	}
	return 0;
}
