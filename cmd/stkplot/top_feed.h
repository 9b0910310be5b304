/* SPDX-License-Identifier: MIT
 * top_feed: what stkplot top knows of its streams, which a thread of its own reads: how much of each key runs, the
 * latest samples, and the latest blocks. All but start may be called only between lock and unlock. */
#ifndef STKPLOT_TOP_FEED_H
#define STKPLOT_TOP_FEED_H

#include "stkplot.h"

#include "base/text_buffer.h"
#include "plot/live_shares.h"
#include "stream/recent_blocks.h"

#define TOP_SAMPLES_MOST 400000			/* that stacks are made of; older ones are forgotten */
#define TOP_SAVED_BYTES  (UINT64_C(256) << 20)	/* of rows that can be saved, compressed */

struct top_feed;

int  top_feed_open(struct top_feed **out, const struct plot_settings *settings, char **operands, int count,
		   struct stk_error *err) STK_MUST_CHECK;
/* -1: there can be no thread. */
int  top_feed_start(struct top_feed *feed, struct stk_error *err) STK_MUST_CHECK;
void top_feed_lock(struct top_feed *feed);
void top_feed_unlock(struct top_feed *feed);
/* Of one that was not started, or has ended; while it reads, the end of the program frees it. */
void top_feed_close(struct top_feed *feed);

struct top_state {
	int64_t now_ns;			/* STK_TIME_UNKNOWN: nothing has come yet */
	uint64_t samples;		/* so far */
	bool ended;
	const char *unit, *trouble;	/* trouble: why it ended; NULL */
	uint64_t left_out;
	double silent_seconds;		/* since something came */
};
void top_feed_state(struct top_feed *feed, struct top_state *state);

/* Rows by these keys from now on: source, pool, thread, function, group, class, or as of --by. Samples in memory are
 * counted anew. -1: it does not have them. */
int top_feed_by(struct top_feed *feed, const char *by, struct stk_error *err) STK_MUST_CHECK;
/* Whether there can be such rows: groups need a scheme, classes a stream that has them. */
bool top_feed_has(const struct top_feed *feed, const char *by);

const struct live_row *top_feed_rows(struct top_feed *feed, int64_t now_ns, size_t *count, struct live_row *total);
struct stk_text top_feed_name(const struct top_feed *feed, uint32_t key);

/* The stacks of a key up to a time, the most frequent first. running: only threads that run; else those that do not. */
struct top_stack { uint64_t stack, count; };
struct top_stacks { struct top_stack *at; size_t count, room; };
uint64_t top_feed_stacks(struct top_feed *feed, uint32_t key, int64_t now_ns, bool running, struct top_stacks *stacks);
/* Leaf first, with " < " between; or its frames as they are, a line each. */
void top_feed_add_stack(struct top_feed *feed, uint64_t stack, bool lines, struct text_buffer *to);
/* How many streams began so far: stacks are of the present one. */
unsigned top_feed_streams(const struct top_feed *feed);

/* Writes what is in memory to a new file. */
int top_feed_save(struct top_feed *feed, const char *path, struct recent_rows *rows,
		  struct stk_error *err) STK_MUST_CHECK;

#endif
