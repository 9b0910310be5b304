/* SPDX-License-Identifier: MIT
 * rival_lines: all are fitted to the same measures, so that they differ by method alone. */
#include "trend/rival_lines.h"

#include "trend/epochs.h"
#include "trend/outlook.h"

#include <stdlib.h>
#include <string.h>

/* What was before the last restart is another line. */
static void
drop_earlier_epochs(struct rival_lines *r)
{
	size_t *starts, epochs = epochs_find(r->x, r->y, r->count, EPOCHS_FALL, &starts), from = starts[epochs - 1];

	free(starts);
	if (r->count - from < OUTLOOK_POINTS_LEAST) /* too few for a line of their own */
		return;
	r->restarts = epochs - 1;
	r->count -= from;
	memmove(r->points, r->points + from, r->count * sizeof *r->points);
	memmove(r->x, r->x + from, r->count * sizeof *r->x);
	memmove(r->y, r->y + from, r->count * sizeof *r->y);
}

bool
rival_lines_fit(struct rival_lines *r, const struct series_set *set, uint32_t number, const struct plain_points *plain)
{
	*r = (struct rival_lines){ 0 };
	r->points = outlook_points(set, number, plain, &r->count);
	if (r->count < OUTLOOK_POINTS_LEAST)
		return false;
	r->x = mem_new(r->count, sizeof *r->x);
	r->y = mem_new(r->count, sizeof *r->y);
	outlook_without_season(series_set_at(set, number), r->points, r->count, r->x, r->y);
	drop_earlier_epochs(r);
	r->base = mem_new(r->count, sizeof *r->base);
	robust_line_intervals(r->x, r->count, 0, r->base);
	for (unsigned timed = 0; timed < 2; timed++)
		for (unsigned m = 0; m < LINE_METHODS; m++) {
			double *weights = mem_new(r->count, sizeof *weights);

			for (size_t i = 0; i < r->count; i++)
				weights[i] = timed ? r->base[i] : 1;
			r->weights[timed][m] = weights;
			r->lines[timed][m] = robust_line_with(r->x, r->y, r->count, (enum line_method)m, weights);
		}
	return true;
}

void
rival_lines_release(struct rival_lines *r)
{
	for (unsigned timed = 0; timed < 2; timed++)
		for (unsigned m = 0; m < LINE_METHODS; m++)
			free(r->weights[timed][m]);
	free(r->points);
	free(r->x);
	free(r->y);
	free(r->base);
	*r = (struct rival_lines){ 0 };
}
