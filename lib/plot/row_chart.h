/* SPDX-License-Identifier: MIT
 * row_chart: rows of a table, before they are drawn: panels with series of y over x. Where each x is a number these are
 * lines, and otherwise bars beside each other. */
#ifndef PLOT_ROW_CHART_H
#define PLOT_ROW_CHART_H

#include "base/text_buffer.h"
#include "base/text_table.h"

#define ROW_PANELS_MOST 40u
#define ROW_SERIES_MOST 12u	/* more colours are not told apart */
#define ROW_PLACES_MOST 200u	/* of x in one panel */

struct row_value { uint32_t place, series; double y; };		/* place: of x, in its panel */

struct row_panel {
	struct text_table places;	/* x, as it is written, in the order of the rows */
	ARRAY(struct row_value) values;
	double low, high;		/* of y, with 0 */
};

struct row_chart {
	struct stk_text x_name, y_name;	/* as the header has them */
	struct text_table panels, series;
	ARRAY(struct row_panel) list;	/* by panel */
	bool bars;			/* some x is not a number */
};

/* The text, which is borrowed, is a header of four names, and rows "panel, series, x, y" with tabs between. A y of "-"
 * is not known. -1 with *err: a line that is not such a row, or more than there is room for. *out is to be released in
 * either case. */
int row_chart_read(struct row_chart *out, struct stk_text text, struct stk_error *err) STK_MUST_CHECK;
void row_chart_release(struct row_chart *chart);

/* "12.5"; false: it is not a number. */
bool row_chart_number(struct stk_text text, double *to);

#endif
