/* SPDX-License-Identifier: MIT
 * step_tables: the tables of --step. Where there are events they wait for the end: a pair that is still open, and an
 * event that comes after the samples of its time, count for steps that are over. Then steps with nothing but events
 * have a table, too. */
#ifndef STKGROUP_STEP_TABLES_H
#define STKGROUP_STEP_TABLES_H

#include "group_views.h"

struct kept_step { int64_t from; struct kept_sums sums[SCHEMES_MOST]; };

struct step_tables {			/* a zeroed struct with `of` has none */
	struct grouped *of;
	ARRAY(struct kept_step) kept;
	bool keep;			/* from now on */
	bool shown;			/* a table, */
	int64_t last;			/* the last one of this step */
};

/* The samples of a step are summed up. -1: the output failed. */
int  step_tables_end(struct step_tables *tables, int64_t from_ns, struct stk_error *err) STK_MUST_CHECK;
/* After the last sample and the last event. */
int  step_tables_finish(struct step_tables *tables, struct stk_error *err) STK_MUST_CHECK;
void step_tables_release(struct step_tables *tables);

#endif
