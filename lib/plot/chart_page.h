/* SPDX-License-Identifier: MIT
 * chart_page: a chart as one HTML page; with the flame graph of what is selected, where there are call paths. The
 * panels are a block, c: JSON, deflated. */
#ifndef PLOT_CHART_PAGE_H
#define PLOT_CHART_PAGE_H

#include "plot/chart.h"
#include "plot/flame_counts.h"

struct chart_page_options {
	struct flame_tree *flame;	/* NULL: none */
	bool plain;			/* blocks as base64 */
	uint64_t max_bytes;		/* call paths become FLAME_REST, then panels are left out, until the page is not
					 * larger */
};

/* -1 with *err (STK_EUSAGE): max_bytes is less than a page without data. */
int chart_page_add(struct text_buffer *to, const struct chart *chart, const struct chart_page_options *options,
		   struct stk_error *err) STK_MUST_CHECK;

#endif
