/* SPDX-License-Identifier: MIT
 * season_points: a copy of the measures, since places in a day are not those that the series itself uses. */
#include "trend/season_points.h"

#include "trend/series_model.h"

#include <stdlib.h>
#include <string.h>

int
season_points_open(struct season_points *out, const struct series_set *set, uint32_t number,
		   const struct plain_points *plain, struct stk_error *err)
{
	const struct series *s = series_set_at(set, number);
	const struct trend_options *o = set->options;

	*out = (struct season_points){ .count = plain != NULL ? plain->count : s->history.count };
	out->at = mem_new(out->count + 1, sizeof *out->at);
	if (plain != NULL)
		memcpy(out->at, plain->at, out->count * sizeof *out->at);
	for (size_t i = 0; plain == NULL && i < out->count; i++)
		out->at[i] = (struct trend_point){ .time_ns = s->history.at[i].time_ns,
						   .value = s->history.at[i].value,
						   .weight = 1 };
	if (season_calendar_open(&out->calendar, "day",
				 o->slot_ns > 0 ? o->slot_ns : series_slot_ns(out->at, out->count), series_zone(set, s),
				 series_shift(s), err) < 0)
		return -1;
	for (size_t i = 0; i < out->count; i++)
		out->at[i].place = season_place(out->calendar, out->at[i].time_ns);
	return 0;
}

void
season_points_close(struct season_points *points)
{
	season_calendar_close(points->calendar);
	free(points->at);
	*points = (struct season_points){ 0 };
}
