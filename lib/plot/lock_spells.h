/* SPDX-License-Identifier: MIT
 * lock_spells: who held a lock over time: dumps that follow one another, in which threads waited for the same holder. */
#ifndef PLOT_LOCK_SPELLS_H
#define PLOT_LOCK_SPELLS_H

#include "plot/thread_lines.h"

struct lock_spell {
	uint32_t first, last; /* dumps of the lock's process */
	uint32_t holder, held_at; /* as of history_wait: 0, not known */
	uint32_t most; /* threads that waited at once */
	bool ring;
	int64_t lost_ns; /* thread time; summed over a lock it is the lock's */
};

struct lock_spells {
	ARRAY(struct lock_spell) list; /* in the order of time */
};

void lock_spells_make(struct lock_spells *out, const struct history_lock *lock);
void lock_spells_release(struct lock_spells *spells);

/* "TIME to TIME: up to 8 wait, 16.0 s lost; held by NAME"; with `place`, where it was locked. after: a time that comes
 * before, so that its date need not be repeated; "". */
void add_spell_words(struct text_buffer *to, const struct thread_picture *picture, const struct history_lock *lock,
		     const struct lock_spell *spell, const char *after, bool place);
/* Who holds it: a thread's name, "each other" or "?" */
struct stk_text spell_holder(const struct thread_picture *picture, const struct lock_spell *spell);

#endif
