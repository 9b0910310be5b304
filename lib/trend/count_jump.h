/* SPDX-License-Identifier: MIT
 * count_jump: whether a count of threads jumps at a moment, in a record that is too short to know its season. A line is
 * fitted to the slots before the moment and one to those after it: what rises or falls with the time of day goes on
 * along both, and only a jump parts them. */
#ifndef TREND_COUNT_JUMP_H
#define TREND_COUNT_JUMP_H

#include "trend/count_changes.h"

struct count_jump {
	double before, after;		/* threads a dump at the moment, by either line */
	double log_error;		/* standard, of ln(after / before); INFINITY: one of them is not above 0 */
	double t;			/* the distance of both in standard errors, at least 0 */
	double freedom;			/* degrees, of what the slots vary around their lines */
};

/* Between slots `split` - 1 and `split`, by the slots up to span_ns away from the beginning of `split`, but for the
 * `skip` nearest ones on either side, which may have some of both. Where there are fewer than four on a side, or no
 * hits, t is 0. */
struct count_jump count_jump_at(const struct count_slots *slots, const double *hits, size_t split, int64_t span_ns,
				size_t skip);
/* At the beginning of each slot, with none left out. */
void count_jumps_find(const struct count_slots *slots, const double *hits, int64_t span_ns, struct count_jump *jumps);
/* The probability of such a jump at `split` by chance. Where the same record jumps elsewhere by more than chance
 * would, such jumps are usual in it, and this one counts for less by as much. */
double count_jump_p(const struct count_slots *slots, const struct count_jump *jumps, size_t split, int64_t span_ns);

#endif
