/* SPDX-License-Identifier: MIT
 * selected_blocks: lets a reader leap over the blocks of a file in which, by its index, no row is selected. */
#ifndef CHOOSE_SELECTED_BLOCKS_H
#define CHOOSE_SELECTED_BLOCKS_H

#include "choose/selection.h"

/* Of these kinds (bits) only rows that the selection chose are looked at. */
#define SELECTED_ALL_KINDS UINT64_MAX
#define SELECTED_SAMPLES   (UINT64_C(1) << STK_SAMPLE)

/* After selection_head: from here on, in the reader's input, blocks of these kinds are leapt over as selection_may_pass
 * says; the selection must outlive the reading. Nothing happens where the input cannot seek or has no index, or the
 * selection asks nothing that an index says. Costs once per input: its indexes are read. */
void selected_blocks_follow(struct selection *selection, struct stk_reader *reader, uint64_t kinds);

#endif
