/* SPDX-License-Identifier: MIT
 * step_tables: the sums of the steps of --step, each shown once and in order, at the end: until then samples of any
 * step may come, as those of the next file do, and a pair of events that is still open counts for steps that are over.
 * Who follows a growing input is shown a step when the next one begins; and figures for a stream are written then, as
 * rows of one step add up. */
#ifndef STKGROUP_STEP_TABLES_H
#define STKGROUP_STEP_TABLES_H

#include "base/array.h"
#include "base/input.h"
#include "group/scheme_set.h"

struct kept_step { int64_t from; unsigned count; struct kept_sums *sums; };	/* by grouping */

struct step_tables {			/* a zeroed struct with a set and `show` has none */
	struct scheme_set *set;
	int (*show)(void *context, int64_t from_ns, struct stk_error *err);
	void *context;
	bool at_once;			/* those of samples are shown when they end */
	bool again;			/* and all that have events once more at the end, with these alone */
	int64_t shown;
	bool shown_any;
	bool told;
	ARRAY(struct kept_step) kept;	/* in order */
};

/* The groupings, which are empty, get the sums of a step. */
void step_tables_begin(struct step_tables *tables, int64_t from_ns);
/* The groupings have sums of a step; they are to be cleared then. -1: the output failed. */
int  step_tables_end(struct step_tables *tables, int64_t from_ns, struct stk_error *err) STK_MUST_CHECK;
/* Once, when a step that is just over came through a pipe and is not shown yet: that waits for the end of the pipe.
 * NULL: the input is at its end. */
void step_tables_tell_waiting(struct step_tables *tables, const struct input *input, int64_t until_ns);
/* After the last sample and the last event. */
int  step_tables_finish(struct step_tables *tables, struct stk_error *err) STK_MUST_CHECK;
void step_tables_release(struct step_tables *tables);

#endif
