/* SPDX-License-Identifier: MIT
 * layout_trials: a block tries, and its result is for the blocks from LATER to LATER + EVERY - 1 blocks after it. The
 * first result is for those before as well, and the second block waits for it, unless they are small: then each tries,
 * so that the bytes of a short stream do not depend on what was written in which order. */
#include "stream/layout_trials.h"

#define EVERY 16	/* half as many as 8 take a tenth off building a tree, and files are as small */
#define FEW   8192	/* rows of a small block */
#define LATER 4		/* at least the blocks that are made at the same time: then only the first is waited for */

static bool
is_trial(uint32_t block)
{
	return block % EVERY == 0;
}

/* The number of the trial whose result a block has, plus one; 0: it tries itself. */
static uint32_t
trial_for(uint32_t block, uint32_t rows)
{
	if (is_trial(block) || (block < LATER && rows < FEW))
		return 0;
	return block < LATER ? 1 : (block - LATER) / EVERY + 1;
}

uint32_t
layout_trials_begin(struct layout_trials *trials)
{
	return trials->begun++;
}

bool
layout_trials_are_done(const struct layout_trials *trials, uint32_t block, uint32_t rows)
{
	return trial_for(block, rows) <= trials->done;
}

const struct column_shape *
layout_trials_won(const struct layout_trials *trials, uint32_t block, uint32_t rows)
{
	uint32_t trial = trial_for(block, rows);

	return trial == 0 ? NULL : trials->won[(trial - 1) % 2];
}

void
layout_trials_note(struct layout_trials *trials, uint32_t block, const struct block_header *made)
{
	struct column_shape *won = trials->won[block / EVERY % 2];

	if (!is_trial(block))
		return;
	memset(won, 0, sizeof trials->won[0]);
	for (unsigned c = 0; c < made->columns; c++)
		if (made->column[c].encoding == ENCODING_WORDS)
			won[made->column[c].number] = column_shape_of(&made->column[c].coding);
	trials->done++;
}
