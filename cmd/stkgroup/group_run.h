/* SPDX-License-Identifier: MIT
 * group_run: everything that one set of settings asks of the input: a selection, the schemes, sums, a report. Without
 * --queries there is one run; with it one for each query. All see the same blocks. */
#ifndef STKGROUP_GROUP_RUN_H
#define STKGROUP_GROUP_RUN_H

#include "generation.h"
#include "group_views.h"
#include "scheme_watch.h"
#include "step_tables.h"

#include "group/group_records.h"
#include "program/filter.h"
#include "program/printing.h"

struct group_shared {			/* by all runs */
	struct filter filter;
	struct model *model;
	struct naming *naming;
	struct printer printer;
	bool printed;			/* a table */
	bool many;			/* runs: blocks that one of them does not need are read for the others */
};

struct group_run {			/* a zeroed struct with `shared` and `settings` may be closed */
	struct group_shared *shared;
	struct settings settings;
	char about[200];		/* before messages: which query; "" */
	struct selection *selection;
	struct stack_prefixes *prefixes;	/* of --by */
	struct scheme_set set;
	struct scheme_watch watch;		/* with --follow */
	bool embedded;				/* the schemes are the stream's own */
	bool ended;			/* after the last sample and the last event */
	struct sample_groups *samples;
	struct event_feed *feed;
	struct group_records records;
	struct grouped_stacks *stacks;
	struct uncovered *uncovered;
	struct generation *generation;		/* of --generate; or NULL */
	struct grouped grouped;
	struct step_tables steps;
};

/* Whether records are written. */
bool group_run_is_records(const struct group_run *run);

/* The schemes that the settings name. */
int  group_run_read_schemes(struct group_run *run, struct stk_error *err) STK_MUST_CHECK;
/* When input, output, model and naming are open, and the settings final. */
int  group_run_open(struct group_run *run, struct stk_error *err) STK_MUST_CHECK;
void group_run_close(struct group_run *run);

/* Another stream begins: before the model knows. */
int  group_run_turn(struct group_run *run, struct stk_error *err) STK_MUST_CHECK;
/* A block that the model has taken. */
int  group_run_take(struct group_run *run, const struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;
/* The end of the input: what is to be said of it, then the table. */
int  group_run_end(struct group_run *run, struct stk_error *err) STK_MUST_CHECK;
int  group_run_show_sums(struct group_run *run, struct stk_error *err) STK_MUST_CHECK;

#endif
