/* SPDX-License-Identifier: MIT
 * seasonal_share: the share of stacks that also have something else, such as the rest of a segment, and whether it
 * became another one. What is expected has a season: hours of working days and of weekends are compared with their
 * own. How much more the share varies from hour to hour than chance would is followed, and evidence counts for less by
 * as much. Until an hour has been seen twice, the odds of its share may be 1.7 times higher or lower, and
 * on the first day by as much more as its hours differ. */
#ifndef CLASSIFY_SEASONAL_SHARE_H
#define CLASSIFY_SEASONAL_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARE_SLOTS 48			/* hours, of working days, then of weekends, in UTC */
#define SHARE_PARTS (SHARE_SLOTS + 7)	/* of which a state consists */

struct share_slot {
	float hits, tries;		/* later ones count more */
	uint32_t visits;
};

/* Evidence in one direction, since there was none. */
struct share_evidence { double sum, hits, tries, expected, variance; };

/* What a hit and a miss are evidence of, in one direction. */
struct share_gain { double hit, miss; };

struct seasonal_share {
	struct share_slot *slots;	/* NULL: every try hit so far, or none did */
	double hits, tries;		/* of all hours, later ones count more */
	uint64_t measures, blocks;
	double varies;			/* variance of an hour, in that of a binomial */
	double extra, weight;		/* beyond that of a binomial, and what it is to be divided by */
	/* the hour at hand */
	int64_t hour;
	uint64_t block_measures;
	double block_hits, block_tries, block_expected, block_variance;
	struct share_evidence rise, fall;
	/* computed when an hour begins */
	double expected, varies_now;
	struct share_gain gains[2];	/* of a rise, a fall */
	bool ready;
};

struct share_change { double seen, expected, score; };	/* shares; standard deviations, with a sign */

struct seasonal_share *seasonal_share_open(void);
void seasonal_share_close(struct seasonal_share *share);	/* NULL does nothing */
/* Takes a measure: of `tries` stacks `hits` had it. True: it became another one, by *change, and
 * is learned anew from there. time_ns: STK_TIME_UNKNOWN: there is no season. */
bool seasonal_share_take(struct seasonal_share *share, double hits, double tries, int64_t time_ns,
			 struct share_change *change);
/* No try ever missed. NULL: there was none. */
bool seasonal_share_is_all(const struct seasonal_share *share);
/* NULL is none. */
size_t seasonal_share_bytes(const struct seasonal_share *share);

/* --- for states --- */

struct share_part { uint64_t count, more; double a, b, c; };

/* False: a part is as in a new share, and left out; NULL: all are. */
bool seasonal_share_part(const struct seasonal_share *share, unsigned part, struct share_part *out);
/* After all parts seasonal_share_resume, for which NULL is nothing. */
void seasonal_share_restore(struct seasonal_share *share, unsigned part, const struct share_part *from);
void seasonal_share_resume(struct seasonal_share *share);

#endif
