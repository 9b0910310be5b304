/* SPDX-License-Identifier: MIT
 * what_changed: which counted series (classes, segments, groups) are others after a moment than before it, and which
 * moment that is. Seasons are taken out, and what all have in common. A change that a segment and what is in it have in
 * common is told once. */
#ifndef TREND_WHAT_CHANGED_H
#define TREND_WHAT_CHANGED_H

#include "base/array.h"
#include "trend/count_changes.h"
#include "trend/series_set.h"

struct changed_series {
	uint32_t number;
	struct count_change change;
	double q;			/* the share of false claims among those as clear as this one */
	int64_t began_ns;		/* where its own counts divide best; STK_TIME_UNKNOWN: nowhere */
	size_t within;			/* series in it that changed as it did */
	bool is_new, is_gone;		/* none before, or after, but in the slot in which a found moment is */
	bool shifted;			/* what holds it did not change: its siblings went the other way */
};

enum changes_season {
	CHANGES_BY_PERIOD,		/* like slots of like days were compared */
	CHANGES_BY_DAY,			/* the two sides have different kinds of days: by time of day */
	CHANGES_FLAT			/* and different times of day: as they are */
};

struct what_changed {
	bool known;			/* a moment was given or found, and both sides can be compared */
	bool searched;
	int64_t from_ns, to_ns;		/* before and after; the same for a moment */
	int64_t around_ns;		/* how much of either side was compared; 0: all of it */
	bool by_line;			/* what jumps there, in a record too short to know its season */
	size_t slots[2];		/* with dumps on either side */
	enum changes_season season;
	double left_out;		/* share of the dumps, in slots of the season that one side alone has */
	size_t tested, scarce;		/* series; those with too few samples */
	double usual;			/* ratio of most of them */
	struct count_change all;	/* of all threads of the classes; ratio NAN: there are none */
	ARRAY(struct changed_series) rows;	/* the greatest change first */
};

/* What the record was before from_ns against after to_ns; STK_TIME_UNKNOWN: the moment is searched for. `rate`: of
 * claims that may be false. The set keeps counts. -1 with *err: the periods cannot be opened. Release it. */
int what_changed_find(struct what_changed *out, const struct series_set *set, int64_t from_ns, int64_t to_ns,
		      double rate, struct stk_error *err) STK_MUST_CHECK;
void what_changed_release(struct what_changed *is);

#endif
