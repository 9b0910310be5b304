/* SPDX-License-Identifier: MIT
 * when_counts: when the rows of a call tree were counted: their counts in equal parts of the time that was asked
 * for. */
#ifndef TIMETREE_WHEN_COUNTS_H
#define TIMETREE_WHEN_COUNTS_H

#include "choose/call_tree.h"
#include "timetree/recording.h"

#define WHEN_PARTS 32

struct when_counts {
	uint64_t length_ns;		/* of a part; 0: no time is known, and there are no counts */
	ARRAY(float) counts;		/* by row and part; row 0 is what has no stack */
};

struct when_options {
	unsigned column;		/* of the tree: one that nothing else uses */
	bool names;			/* rows are names of the tree, with what they call, not its nodes */
};

/* Counts the windows part by part, which are in order and bounded, and of which none touches another. For recordings
 * that grew this tree. Cost: that of as many windows as there are parts. What is damaged is reported once more. -1 with
 * *err. *out is released in any case. */
int  when_counts_make(struct when_counts *out, struct recording *const *recordings, size_t count,
		      const struct tree_interval *windows, size_t windows_count, struct call_tree *tree,
		      struct when_options options, struct stk_error *err) STK_MUST_CHECK;
void when_counts_release(struct when_counts *when);

/* The counts of a row in all parts; NULL: it has none. */
static inline const float *
when_counts_of(const struct when_counts *when, uint32_t row)
{
	size_t from = (size_t)row * WHEN_PARTS;

	return from + WHEN_PARTS <= when->counts.count ? when->counts.at + from : NULL;
}

#endif
