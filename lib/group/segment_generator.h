/* SPDX-License-Identifier: MIT
 * segment_generator: a scheme from what stkclass found: a group for each hot segment, named by the frame it ends
 * with. */
#ifndef GROUP_SEGMENT_GENERATOR_H
#define GROUP_SEGMENT_GENERATOR_H

#include "base/text_buffer.h"
#include "group/scheme_update.h"
#include "model/model.h"

struct segment_generator;

void segment_generator_open(struct segment_generator **out);
void segment_generator_close(struct segment_generator *generator);
/* Takes blocks of segments, splits and intensities; others are left alone. */
int  segment_generator_take(struct segment_generator *generator, const struct model *model, struct stk_reader *reader,
			    const struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;
void segment_generator_count(struct segment_generator *generator, uint64_t samples);
/* Those that are in at least this percentage of the samples, and how many; as a text, or, with an existing scheme,
 * those of them whose frames no group of that has, added to it. -1 with *err: none can be added. */
int  segment_generator_print(struct segment_generator *generator, double least, struct scheme_update *update,
			     struct text_buffer *to, unsigned *printed, struct stk_error *err) STK_MUST_CHECK;

#endif
