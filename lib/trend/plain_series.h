/* SPDX-License-Identifier: MIT
 * plain_series: a CSV or TSV file as series: one column of times, others of values. */
#ifndef TREND_PLAIN_SERIES_H
#define TREND_PLAIN_SERIES_H

#include "base/arena.h"
#include "base/array.h"
#include "trend/trend_options.h"
#include "trend/trend_start.h"

struct plain_points { struct trend_point *at; size_t count, room; };

struct plain_series {
	ARRAY(struct stk_text) names;
	ARRAY(struct plain_points) points;	/* of each */
	struct arena arena;
};

struct plain_source {
	const char *path;		/* "-": standard input */
	const char *columns;		/* of values, with commas between; NULL: all others */
	const char *time;		/* the column of times; NULL: the first */
	int64_t now_ns;			/* what times such as 09:00 are relative to */
	const struct time_zone *zone;	/* of times that name none; NULL: UTC */
	struct trend_listener listener;
};

/* Reads the file. Rows that cannot be used are left out and reported to the listener with their line. -1 with *err:
 * there is nothing to use; what was read must be released all the same. */
int plain_series_read(struct plain_series *plain, const struct plain_source *source,
		      struct stk_error *err) STK_MUST_CHECK;
void plain_series_release(struct plain_series *plain);

#endif
