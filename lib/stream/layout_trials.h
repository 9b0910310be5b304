/* SPDX-License-Identifier: MIT
 * layout_trials: which layouts of a kind's columns proved to be the smallest. Trying them takes longer than all else
 * that a block needs, and neighbours agree: so some blocks try, and those between have what won. Which block tries, and
 * which ones its result is for, depends on nothing but their numbers and how many rows they have: bytes do not depend
 * on threads. */
#ifndef STREAM_LAYOUT_TRIALS_H
#define STREAM_LAYOUT_TRIALS_H

#include "stream/block.h"

#include <stdbool.h>

struct layout_trials {		/* of one kind; zeroed at first */
	uint32_t begun;		/* blocks */
	uint32_t done;		/* trials */
	struct column_shape won[2][STK_COLUMN_MAX];	/* of the last two that are done: by its number and column */
};

/* The number of a block that is about to be made. */
uint32_t layout_trials_begin(struct layout_trials *trials);

/* Whether the results that a block needs are there; else earlier blocks must be finished before it is made. */
bool layout_trials_are_done(const struct layout_trials *trials, uint32_t block, uint32_t rows);

/* The shapes that a block has, by column, valid until it is noted; NULL: it tries. */
const struct column_shape *layout_trials_won(const struct layout_trials *trials, uint32_t block, uint32_t rows);

/* Takes the results of a block that is finished. Blocks are noted in the order of their numbers. */
void layout_trials_note(struct layout_trials *trials, uint32_t block, const struct block_header *made);

#endif
