/* SPDX-License-Identifier: MIT
 * top_view: what stkplot top shows: three screens: the table, the stacks of one of its rows, the frames of one of
 * these. What is shown is a copy, so that it can be frozen, sorted and filtered while the streams go on. */
#ifndef STKPLOT_TOP_VIEW_H
#define STKPLOT_TOP_VIEW_H

#include "top_feed.h"

#include "base/array.h"
#include "base/text_buffer.h"
#include "plot/live_screen.h"

#define TOP_TYPED_MOST 60

enum top_view { TOP_TABLE, TOP_STACKS, TOP_FRAMES, TOP_KEYS };

struct top {
	const struct plot_settings *settings;
	struct top_feed *feed;
	enum top_view view, before_keys;
	enum live_order order;
	struct top_state state;		/* as it is shown */
	ARRAY(struct live_line) lines, all;	/* shown: those that the filter leaves; and all */
	struct text_buffer names;		/* of all */
	struct live_row total;
	struct top_stacks stacks;
	uint64_t stack_samples;
	unsigned stack_stream;		/* that the stacks are of */
	struct text_buffer texts;	/* of stacks or frames, a line each */
	ARRAY(struct stk_text) text_lines;
	size_t chosen[3], first[3];	/* of each view */
	char key_name[200];		/* of the row whose stacks are shown, as it is */
	uint32_t key;
	bool frozen, typing, waiting;	/* waiting: stacks of threads that do not run */
	char typed[TOP_TYPED_MOST + 1], filter[TOP_TYPED_MOST + 1];
	char message[500];
	unsigned by;			/* of top_by_words */
	const char *own_by;		/* of --by; NULL */
	struct text_buffer screen;
};

#define TOP_BY_WORDS 6
extern const char *const top_by_words[TOP_BY_WORDS];	/* what b turns to, one after another */

const char *top_by_text(const struct top *top);

/* Copies what the feed has now, unless it is frozen. */
void top_refresh(struct top *top);
/* Filters and sorts what was copied. */
void top_choose_lines(struct top *top);
/* The stacks of top->key; the frames of the chosen one, or false: another stream began, whose stacks have other
 * numbers. */
void top_fill_stacks(struct top *top);
bool top_fill_frames(struct top *top);
/* Lines of top->texts. */
void top_cut_texts(struct top *top);
size_t top_shown_count(const struct top *top);	/* lines of the present screen */
void top_show(struct top *top);
void top_release(struct top *top);

#endif
