/* SPDX-License-Identifier: MIT
 * generation: --generate: a scheme from a stream, by one of the generators. */
#ifndef STKGROUP_GENERATION_H
#define STKGROUP_GENERATION_H

#include "group_settings.h"

#include "base/text_buffer.h"
#include "model/model.h"

struct generation;

/* The settings are borrowed. */
void generation_open(struct generation **out, const struct settings *settings);
/* NULL does nothing. */
void generation_close(struct generation *generation);

/* Takes the useful rows of a block, except samples. -1 with *err: it is damaged. */
int  generation_take(struct generation *generation, const struct model *model, struct stk_reader *reader,
		     const struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;
/* Takes a sample. */
void generation_add(struct generation *generation, const struct model *model, uint64_t stack, uint64_t weight);
/* While this number is the same, so is the scheme. */
uint64_t generation_news(const struct generation *generation);
/* Adds the scheme to a text; last: and reports how good it is. -1 with *err. */
int  generation_print(struct generation *generation, struct text_buffer *to, bool last,
		      struct stk_error *err) STK_MUST_CHECK;

#endif
