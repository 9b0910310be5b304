/* SPDX-License-Identifier: MIT
 * diff_counts: two sides counted and compared as stktree --diff does it, first in samples a second, where lengths are
 * known, then in shares: so the same is marked. */
#ifndef STKPLOT_DIFF_COUNTS_H
#define STKPLOT_DIFF_COUNTS_H

#include "diff_sides.h"
#include "source_clocks.h"

#include "plot/flame_difference.h"

struct diff_counts {
	struct diff_sides sides; /* opened by the caller */
	struct comparison *comparison; /* at last in shares */
	struct answer answer;
	struct flame_difference difference; /* in samples a second, unless shares were asked for */
	struct source_clocks clocks;
	bool timed; /* the lengths of both sides are known */
};

/* -1 with *err. diff_counts_release may follow, also of a zeroed one. */
int diff_counts_make(struct diff_counts *d, const struct plot_settings *settings, struct stk_error *err) STK_MUST_CHECK;
void diff_counts_release(struct diff_counts *d);

#endif
