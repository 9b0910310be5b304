/* SPDX-License-Identifier: MIT
 * thread_looks: the letter, the colour and the words of a state, in all pictures of threads over time. */
#ifndef PLOT_THREAD_LOOKS_H
#define PLOT_THREAD_LOOKS_H

#include "plot/palette.h"
#include "plot/thread_history.h"

#include "base/text_buffer.h"

struct thread_look {
	char letter;
	const char *name; /* as options call the state; of those that wait for work with " (idle)" */
};

/* By look; those that only wait for work are pale, with a small letter. */
const struct thread_look *thread_look(unsigned look);
const struct palette_fill *thread_look_fill(enum palette palette, unsigned look);

/* "96 samples: 3 running, 32 blocked", the most first. */
void add_looks(struct text_buffer *to, const uint64_t samples[LOOKS]);

/* Which look of two is more urgent, as they are drawn from the bottom up: place 0 is the most urgent. */
unsigned urgent_look(unsigned place);

#endif
