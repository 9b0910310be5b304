/* SPDX-License-Identifier: MIT
 * live_screen: a screen of a terminal with a table of what runs: its text, of a size that is given. Names may hold
 * anything: what would steer the terminal is shown as '?'. */
#ifndef PLOT_LIVE_SCREEN_H
#define PLOT_LIVE_SCREEN_H

#include "base/text_buffer.h"
#include "plot/live_shares.h"

#define LIVE_COLUMNS_LEAST 20
#define LIVE_LINES_LEAST   6

enum live_order { LIVE_BY_NOW, LIVE_BY_RECENT, LIVE_BY_WHOLE, LIVE_BY_NAME, LIVE_ORDERS };

struct live_line { struct stk_text name; struct live_row row; };

/* Sorts them, largest first, or by name; equal ones by name. */
void live_lines_sort(struct live_line *lines, size_t count, enum live_order order);

struct live_screen {
	unsigned columns, lines;	/* of the terminal */
	bool blocks;			/* it shows the blocks of Unicode */
	enum live_order order;
	const char *by, *unit;		/* what rows are; what values are: threads, processors */
	int64_t cell_ns;
	struct stk_text title;		/* the first line */
	struct stk_text message;	/* the last line; empty: the keys */
	size_t chosen, first;		/* of the lines: the marked one, and the first that is shown */
};

/* How many rows there is room for. */
unsigned live_screen_rows(const struct live_screen *screen);

/* The whole screen, each line as wide as it. total: of all rows, also those that a filter leaves out. */
void live_screen_add(struct text_buffer *to, const struct live_screen *screen, const struct live_line *lines,
		     size_t count, const struct live_row *total);
/* The same of lines of text, one of which is marked. */
void live_screen_add_texts(struct text_buffer *to, const struct live_screen *screen, const struct stk_text *texts,
			   size_t count);

#endif
