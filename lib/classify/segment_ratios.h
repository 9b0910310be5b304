/* SPDX-License-Identifier: MIT
 * segment_ratios: follows how the halves of a split segment diverge. Right after a split the segment and its halves are
 * in the same stacks; then their ratios drift from 1 to their true values. Later a ratio is compared with that of the
 * same hour on earlier days (seasonal_share), and when it became another one, costs moved. The levels show where: when
 * the first half, where the stacks come from, is unchanged, weight moved between what follows it; when not, all of it
 * grew or shrank. */
#ifndef CLASSIFY_SEGMENT_RATIOS_H
#define CLASSIFY_SEGMENT_RATIOS_H

#include "classify/classifier.h"
#include "classify/seasonal_share.h"

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

#define RATIOS LEVEL_WHOLE

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
	double value, expected, score;	/* of the ratio: since it changed, before, and their difference in standard
					 * deviations */
};

struct segment_ratios;

void segment_ratios_open(struct segment_ratios **out, const struct classifier *classifier);
void segment_ratios_close(struct segment_ratios *ratios);

/* Reads a dump's measures of segments; STK_TIME_UNKNOWN: ratios have no season. The shifts found are valid until the
 * next call; a ratio that shifted converges again. */
struct shifts { struct shift *at; size_t count, room; };
const struct shifts *segment_ratios_take(struct segment_ratios *ratios, const struct measures *segments,
					 int64_t time_ns);

/* What is known of a split segment in a part; NULL when nothing is. */
const struct followed *segment_ratios_of(const struct segment_ratios *ratios, uint32_t segment, uint32_t part,
					 enum ratio_which which);
void segment_ratios_restore(struct segment_ratios *ratios, uint32_t segment, uint32_t part, enum ratio_which which,
			    const struct followed *followed);
/* What a ratio is compared with; NULL when nothing is known. For restoring it is made; NULL: of no split segment. */
const struct seasonal_share *segment_ratios_share(const struct segment_ratios *ratios, uint32_t segment, uint32_t part,
						  enum ratio_which which);
struct seasonal_share *segment_ratios_share_for(struct segment_ratios *ratios, uint32_t segment, uint32_t part,
						enum ratio_which which);
/* After all was restored. */
void segment_ratios_resume(struct segment_ratios *ratios);
size_t segment_ratios_bytes(const struct segment_ratios *ratios);

#endif
