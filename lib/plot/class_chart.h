/* SPDX-License-Identifier: MIT
 * class_chart: the classes of stkclass as a tree of segments: how many threads were on each way over time, and when
 * segments were found to be two. */
#ifndef PLOT_CLASS_CHART_H
#define PLOT_CLASS_CHART_H

#include "model/model.h"
#include "plot/chart.h"

struct class_chart;

/* The model is borrowed. */
void class_chart_open(struct class_chart **out, const struct model *model);
void class_chart_close(struct class_chart *classes);	/* NULL does nothing */

/* A stream begins: ids are new ones. Classes with the same name are the same. */
void class_chart_turn(struct class_chart *classes);
/* Takes the reader's present block, if it is of a kind that stkclass writes. -1: it is damaged. */
int class_chart_take(struct class_chart *classes, struct stk_reader *reader, const struct stk_block *block,
		     struct stk_error *err) STK_MUST_CHECK;
size_t class_chart_count(const struct class_chart *classes);

/* Fills a zeroed chart, whose title and zone are set: at most `rows` rows of the tree, the heaviest; the rest is a
 * note. */
void class_chart_make(struct class_chart *classes, unsigned rows, struct chart *chart);

#endif
