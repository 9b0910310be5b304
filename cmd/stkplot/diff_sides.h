/* SPDX-License-Identifier: MIT
 * diff_sides: what stkplot diff compares with what: the two sides of a picture, as stktree --diff takes them. */
#ifndef STKPLOT_DIFF_SIDES_H
#define STKPLOT_DIFF_SIDES_H

#include "stkplot.h"

#include "program/difference_sides.h"
#include "timetree/comparison.h"

#define DIFF_NAME_MOST 200

struct diff_sides {
	const struct plot_settings *settings;
	struct sample_choice choice;		/* theirs, or without a window */
	struct recording_options options;
	struct difference_sides sides;
	char names[2][DIFF_NAME_MOST];		/* for people */
};

/* Opens the files of both sides. Wrong usage ends the program. -1 with *err; diff_sides_release may follow anything. */
int diff_sides_open(struct diff_sides *out, const struct plot_settings *settings, char **operands, int count,
		    struct stk_error *err) STK_MUST_CHECK;
/* Two windows of the same files, whatever window the settings have. They are borrowed. */
int diff_sides_open_windows(struct diff_sides *out, const struct plot_settings *settings,
			    const struct option_lists *windows, char **operands, int count,
			    struct stk_error *err) STK_MUST_CHECK;
void diff_sides_release(struct diff_sides *d);
/* What was left out of the answer, or is not exact. */
void diff_sides_say(const struct diff_sides *d, const struct answer *answer);

#endif
