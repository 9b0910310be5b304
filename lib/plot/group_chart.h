/* SPDX-License-Identifier: MIT
 * group_chart: the figures of stkgroup --step as stacked areas, a panel for each scheme, and one for the time between
 * its events; events as spans; and, for a page, the call paths of each group by time. */
#ifndef PLOT_GROUP_CHART_H
#define PLOT_GROUP_CHART_H

#include "model/model.h"
#include "plot/chart.h"
#include "plot/flame_counts.h"

struct group_chart;

/* Borrowed, all. */
struct group_chart_options {
	struct model *model;
	const char *scheme;		/* draw this one; NULL: all that the stream has */
	const char *by;			/* "processor", "source", "host", "activity": a panel for each, too; NULL */
	bool flame;			/* count call paths, too */
};

/* -1 with *err (STK_EUSAGE): another key; *out is as far as it was made. */
int  group_chart_open(struct group_chart **out, const struct group_chart_options *options,
		      struct stk_error *err) STK_MUST_CHECK;
void group_chart_close(struct group_chart *groups);	/* NULL does nothing */

/* A stream begins: ids are new ones. Groups with the same names are the same. */
void group_chart_turn(struct group_chart *groups);
/* Takes the reader's present block: what stkgroup writes, samples, events. -1: it is damaged. */
int group_chart_take(struct group_chart *groups, struct stk_reader *reader, const struct stk_block *block,
		     struct stk_error *err) STK_MUST_CHECK;
size_t group_chart_count(const struct group_chart *groups);	/* figures */

/* Fills a zeroed chart, whose title and zone are set. */
void group_chart_make(struct group_chart *groups, struct chart *chart);
/* " -s jvm --step 1m": what stkgroup is given for the same figures. */
void group_chart_add_options(const struct group_chart *groups, struct text_buffer *to);
/* Paths begin with the group of their sample; NULL: they were not counted. After group_chart_make. */
struct flame_tree *group_chart_flame(struct group_chart *groups);

#endif
