/* SPDX-License-Identifier: MIT
 * segment_generator: a scheme from what stkclass found: a group for each hot segment, named by the frame it ends
 * with. */
#ifndef GROUP_SEGMENT_GENERATOR_H
#define GROUP_SEGMENT_GENERATOR_H

#include "base/text_buffer.h"
#include "model/model.h"

struct segment_generator;

void segment_generator_open(struct segment_generator **out);
void segment_generator_close(struct segment_generator *generator);
/* Takes blocks of segments, splits and intensities; others are left alone. */
int  segment_generator_take(struct segment_generator *generator, const struct model *model, struct stk_reader *reader,
			    const struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;
void segment_generator_count(struct segment_generator *generator, uint64_t samples);
/* Those that are in at least this percentage of the samples. Returns how many. */
unsigned segment_generator_print(struct segment_generator *generator, double least, struct text_buffer *to);

#endif
