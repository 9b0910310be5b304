/* SPDX-License-Identifier: MIT
 * diff_sides: what stkplot diff compares with what: recordings and windows of two sides, as stktree --diff takes
 * them. */
#ifndef STKPLOT_DIFF_SIDES_H
#define STKPLOT_DIFF_SIDES_H

#include "stkplot.h"

#include "timetree/comparison.h"

#define DIFF_NAME_MOST 200

struct diff_side {
	char name[DIFF_NAME_MOST];		/* for people */
	struct recording **recordings;
	size_t count;
	struct tree_interval windows[OPTION_TEXTS_MOST + 1];
	size_t windows_count;
	const char *words[OPTION_TEXTS_MOST];	/* windows, as they were typed */
	unsigned words_count;
};

struct diff_sides {
	const struct plot_settings *settings;
	struct diff_side at[2];
	struct recording **recordings;		/* of both sides, each once */
	const char **paths;			/* of these */
	int count;
	uint64_t damaged;			/* incidents that were reported */
	struct diff_told *told;
};

/* Whether a word names a window, and no file. */
bool diff_is_window(const char *text);

/* Opens the files of both sides. Wrong usage ends the program. -1 with *err; diff_sides_release may follow anything. */
int diff_sides_open(struct diff_sides *out, const struct plot_settings *settings, char **operands, int count,
		    struct stk_error *err) STK_MUST_CHECK;
void diff_sides_release(struct diff_sides *sides);
struct compared_side diff_side_compared(const struct diff_side *side);
/* What is read again was reported before. */
void diff_sides_hush(struct diff_sides *sides);
/* What was left out of the answer, or is not exact. */
void diff_sides_say(const struct diff_sides *sides, const struct answer *answer);

#endif
