/* SPDX-License-Identifier: MIT
 * look_back: the last minutes of a capture in memory, as whole streams of a part of that time each, so that the oldest
 * can be dropped. They are compressed as in a file. No file, no clock: the caller says what time it is. */
#ifndef CAPTURE_LOOK_BACK_H
#define CAPTURE_LOOK_BACK_H

#include "stkpipe/stream.h"

#define LOOK_BACK_BYTES (INT64_C(256) << 20)	/* of all streams in memory; what is being added comes to it */

struct look_back;

struct look_back_part {			/* a whole stream */
	char *bytes;
	size_t size;
	int64_t from_ns, to_ns;		/* on the monotonic clock: when it was begun, and last added to */
	uint64_t dumps, samples;	/* in it */
};

/* most_bytes: as LOOK_BACK_BYTES, which is what captures have. */
void look_back_open(struct look_back **out, int64_t span_ns, int64_t most_bytes, int level);
void look_back_close(struct look_back *back);

/* The writer for rows that come at now_ns (monotonic clock). *fresh: it begins a new stream, so that ids start anew. */
int look_back_writer(struct look_back *back, int64_t now_ns, struct stk_writer **writer, bool *fresh,
		     struct stk_error *err) STK_MUST_CHECK;
/* What was added is there from now on. */
int look_back_commit(struct look_back *back, int64_t now_ns, struct stk_error *err) STK_MUST_CHECK;

/* Ends the present part, and drops those before from_ns. */
int look_back_end(struct look_back *back, int64_t from_ns, struct stk_error *err) STK_MUST_CHECK;
/* The oldest part, until the next call of another function; false when there is none. */
bool look_back_first(const struct look_back *back, struct look_back_part *part);
void look_back_drop_first(struct look_back *back);

struct look_back_state {
	uint64_t bytes;
	int64_t from_ns;		/* since when rows are in memory; 0: there are none */
	uint64_t dumps, samples;	/* in parts that have ended */
	bool early;			/* dropped something younger than the span, for want of memory */
};

void look_back_state(const struct look_back *back, struct look_back_state *state);

#endif
