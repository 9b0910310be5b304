/* SPDX-License-Identifier: MIT
 * rival_lines: the lines that could go through a series, each beside the others: by least squares, Huber and bisquare,
 * with measures that count alike or by the time that they stand for. */
#ifndef TREND_RIVAL_LINES_H
#define TREND_RIVAL_LINES_H

#include "trend/plain_series.h"
#include "trend/robust_line.h"
#include "trend/series_set.h"

#define LINE_METHODS 3 /* of enum line_method */

struct rival_lines {
	struct kept_point *points;	/* the measures since the last restart, in order of time */
	size_t count;
	double *x, *y;			/* days before the last one; the measures without their season */
	size_t restarts;		/* before them */
	/* by whether time weighs, and by method */
	struct robust_line lines[2][LINE_METHODS];
	double *base;			/* days that each counts for when time weighs */
	double *weights[2][LINE_METHODS];	/* what each counts for in the end */
};

/* plain: as in outlook.h. False, with nothing in it: fewer than OUTLOOK_POINTS_LEAST measures. Release it in both
 * cases. */
bool rival_lines_fit(struct rival_lines *out, const struct series_set *set, uint32_t number,
		     const struct plain_points *plain);
void rival_lines_release(struct rival_lines *lines);

#endif
