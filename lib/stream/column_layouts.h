/* SPDX-License-Identifier: MIT
 * column_layouts: how numbers are best laid out as planes. */
#ifndef STREAM_COLUMN_LAYOUTS_H
#define STREAM_COLUMN_LAYOUTS_H

#include "stream/column.h"

/* The bits that the largest of the numbers takes. */
unsigned column_bits_of(const uint64_t *numbers, uint32_t count);

/* The best `most` layouts for these numbers, best first; how many. `dictionary` is noted in each. */
unsigned column_judge_layouts(const uint64_t *numbers, uint32_t count, bool dictionary, unsigned most,
			      struct column_layout *layouts);

#endif
