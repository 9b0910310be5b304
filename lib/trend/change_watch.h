/* SPDX-License-Identifier: MIT
 * change_watch: detects changes in the errors of a filter: a single spike, a burst that goes away again, a shift that
 * stays, a slow drift, more noise than before, a value stuck at its ceiling. A change is reported when its kind is
 * known, with the moment it began. */
#ifndef TREND_CHANGE_WATCH_H
#define TREND_CHANGE_WATCH_H

#include "trend/trend_filter.h"

enum change_kind {
	CHANGE_NONE,
	CHANGE_SPIKE,
	CHANGE_BURST,
	CHANGE_SHIFT,
	CHANGE_DRIFT,
	CHANGE_VARIANCE,
	CHANGE_SATURATION,
	CHANGE_NEW, /* of counts: there were none, and */
	CHANGE_GONE, /* there are none any more */
	CHANGE_KINDS
};

extern const char *const change_kind_names[CHANGE_KINDS];

struct watch_rules {
	double spike;			/* errors of this many standard deviations are outliers; default 6 */
	double sum;			/* errors to one side that add up to this many, less the part due to chance, are
					 * a change too; default 12 */
	double drift;			/* the level has moved by this many since it was last at rest; default 3.5 */
	double least;			/* changes of less than this part of the level are ignored; default 0.1 */
	unsigned settle;		/* measures that a shift must last, or it was a burst; default 6 */
	int64_t settle_ns;		/* and the time; default 4 hours */
	double variance;		/* times as much noise as over the longer time; default 1.6 */
	unsigned learn;			/* measures before anything is reported; default 100 */
	unsigned stuck;			/* equal measures at the highest level seen; default 24 */
};

extern const struct watch_rules watch_rules_usual;

struct change {
	enum change_kind kind;
	int64_t time_ns;		/* when it began */
	int64_t end_ns;			/* up to when it is known */
	double value, expected;		/* at its worst */
	double score;			/* in standard deviations */
	double before, after;		/* levels, seasons taken off */
};

struct change_watch {
	int64_t began_ns;		/* of what is not yet decided */
	unsigned lasted, quiet;		/* measures since it began; of them those back within the old noise, to the
					 * last */
	double value, expected, score;	/* its worst */
	double level;			/* before it */
	double noise;			/* standard deviation of errors before it, in units of the level */
	double away, scale;		/* sums since it began: of distances from what would have been, and of what the
					 * season made of them */
	double rest;			/* the level that the series was last seen to rest at */
	double rest_slow;		/* follows the level slowly */
	double ceiling;
	unsigned at_ceiling;
	double above, below;		/* sums of errors to either side, in standard deviations, as far as they go on:
					 * a move in small steps */
	int64_t above_ns, below_ns;	/* when they began */
	uint64_t count;
	bool noisy, pinned;		/* reported already */
};

/* After trend_filter_update: the filter, what it said, the measure. chance: a standard deviation that a count has by
 * chance alone, in units of the measure; 0: it is no count. True when a change is decided. */
bool change_watch_take(struct change_watch *watch, const struct watch_rules *rules, const struct trend_filter *filter,
		       const struct trend_rules *trend, int64_t time_ns, double value, double chance,
		       const struct trend_step *step, struct change *change);

#endif
