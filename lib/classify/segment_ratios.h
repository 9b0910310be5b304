/* SPDX-License-Identifier: MIT
 * segment_ratios: follows how the halves of a split segment diverge. Right after a split the segment and its halves are
 * in the same stacks; then their ratios drift from 1 to their true values. A ratio that has converged and later leaves
 * its band means that costs moved, and the levels show where: when the first half, where the stacks come from, is
 * unchanged, weight moved between what follows it; when not, all of it grew or shrank.
 *
 * A ratio's band is that of an exponentially weighted mean around the mean so far (an EWMA control chart). */
#ifndef CLASSIFY_SEGMENT_RATIOS_H
#define CLASSIFY_SEGMENT_RATIOS_H

#include "classify/classifier.h"

/* whole / first, whole / second, second / first; and how many stacks hold each. */
enum ratio_which {
	RATIO_FIRST,
	RATIO_SECOND,
	RATIO_SIBLINGS,
	LEVEL_WHOLE,
	LEVEL_FIRST,
	LEVEL_SECOND,
	RATIO_WHICH_COUNT
};

struct followed {
	uint64_t count;			/* measures taken in */
	double mean, variance;		/* of all, later ones a little heavier */
	double recent;			/* mean of the last few */
	bool converged;
};

enum shift_kind { SHIFT_OF_COST, SHIFT_OF_LEVEL };	/* between siblings while the first half is unchanged; the first
							 * half itself changed */

struct shift {
	enum shift_kind kind;
	enum ratio_which ratio;
	uint32_t segment, part;		/* the one that was split */
	double value, expected, score;	/* of the ratio: recent mean, mean, and their difference in deviations of the
					 * recent mean */
};

struct segment_ratios;

void segment_ratios_open(struct segment_ratios **out, const struct classifier *classifier);
void segment_ratios_close(struct segment_ratios *ratios);

/* Reads a dump's measures of segments. The shifts found are valid until the next call; a ratio that shifted converges
 * again. */
struct shifts { struct shift *at; size_t count, room; };
const struct shifts *segment_ratios_take(struct segment_ratios *ratios, const struct measures *segments);

/* What is known of a split segment in a part; NULL when nothing is. */
const struct followed *segment_ratios_of(const struct segment_ratios *ratios, uint32_t segment, uint32_t part,
					 enum ratio_which which);
void segment_ratios_restore(struct segment_ratios *ratios, uint32_t segment, uint32_t part, enum ratio_which which,
			    const struct followed *followed);
size_t segment_ratios_bytes(const struct segment_ratios *ratios);

#endif
