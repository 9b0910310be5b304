/* SPDX-License-Identifier: MIT
 * plain_series: a CSV or TSV file as series: one column of times, others of values. */
#ifndef STKTREND_PLAIN_SERIES_H
#define STKTREND_PLAIN_SERIES_H

#include "series_set.h"

#include "base/arena.h"

struct plain_points { struct trend_point *at; size_t count, room; };

struct plain_series {
	ARRAY(struct stk_text) names;
	ARRAY(struct plain_points) points;	/* of each */
	struct arena arena;
};

/* Reads the file. Rows that cannot be used are told with their line, and left out. -1 with *err when there is nothing to go on with. */
int  plain_series_read(struct plain_series *plain, const struct settings *settings, struct stk_error *err) STK_MUST_CHECK;
void plain_series_release(struct plain_series *plain);

#endif
