/* SPDX-License-Identifier: MIT
 * ranking: which series explain another, such as the heap: those whose seasons, and what seasons leave over, go
 * with its own. */
#ifndef TREND_RANKING_H
#define TREND_RANKING_H

#include "trend/season_cycles.h"
#include "trend/series_set.h"

struct ranked_series {
	uint32_t number;
	double correlation;	/* of seasons */
	double together;	/* of what seasons leave */
	double p, q;		/* by chance: of this one; of all up to this one */
	int64_t lag_ns;
};

struct ranking {
	struct ranked_series *at;
	size_t count;
	struct high_months high;	/* of the subject, where only the latest high season is to be compared */
};

/* Fills *ranking with all series that can be compared, the one that explains best first. The set's options keep
 * errors; with high_season history, too: then seasons are those of the subject's latest high season. False, with no
 * series in it: the subject has no season yet, or no high season. Release it in both cases. */
bool ranking_make(struct ranking *ranking, const struct series_set *set, uint32_t subject);
void ranking_release(struct ranking *ranking);

#endif
