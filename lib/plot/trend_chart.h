/* SPDX-License-Identifier: MIT
 * trend_chart: what stktrend wrote into a stream, as a chart: a panel for each series, with what was measured, what was
 * expected of it, forecasts, findings, and when it reaches a limit. */
#ifndef PLOT_TREND_CHART_H
#define PLOT_TREND_CHART_H

#include "plot/chart.h"
#include "stkpipe/stream.h"

struct trend_chart;

void trend_chart_open(struct trend_chart **out);
void trend_chart_close(struct trend_chart *trends);	/* NULL does nothing */

/* A stream begins: ids are new ones. Series with the same names are the same. */
void trend_chart_turn(struct trend_chart *trends);
/* Takes the reader's present block, if it is of a kind that stktrend writes. -1: it is damaged. */
int trend_chart_take(struct trend_chart *trends, struct stk_reader *reader, const struct stk_block *block,
		     struct stk_error *err) STK_MUST_CHECK;
size_t trend_chart_count(const struct trend_chart *trends);	/* series with measures */

/* Fills a zeroed chart, whose title and zone are set: the series with a limit first, then the one that changed most,
 * then the others by weight; at most `most` panels, the rest is a note. */
void trend_chart_make(struct trend_chart *trends, unsigned most, struct chart *chart);

#endif
