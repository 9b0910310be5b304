/* SPDX-License-Identifier: MIT
 * event_areas: a pair is in every column that it touches, with the part of the column that it takes. */
#include "plot/event_areas.h"

#include "plot/chart_total.h"
#include "plot/part_moments.h"

#include <stdlib.h>

struct lane_total { uint32_t lane; uint64_t pairs; double ns; };

static int
compare_lane_totals(const void *a, const void *b)
{
	const struct lane_total *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->lane > y->lane) - (x->lane < y->lane);
}

/* part 0: all. The longest first; *all is their sum. */
static void
sum_lanes(const struct event_lanes *l, uint32_t part, struct lane_total *totals, struct chart_total *all)
{
	size_t lanes = l->names.texts.count;

	*all = (struct chart_total){ 0 };
	for (uint32_t lane = 1; lane <= lanes; lane++)
		totals[lane - 1] = (struct lane_total){ .lane = lane };
	for (size_t i = 0; i < l->list.count; i++) {
		const struct happening *is = &l->list.at[i];
		double ns = is_pair(is) ? (double)time_difference(is->from_ns, is->to_ns) : 0;

		if (!is_pair(is) || (part != 0 && is->part != part))
			continue;
		totals[is->lane - 1].pairs++;
		totals[is->lane - 1].ns += ns;
		all->count++;
		all->ns += ns;
	}
	if (lanes > 0)
		qsort(totals, lanes, sizeof *totals, compare_lane_totals);
}

/* How many threads were in it on average, in each column that it touches. */
static void
add_pair_to_columns(const struct chart *chart, const struct happening *is, double *at)
{
	int64_t from = is->from_ns > chart->begin_ns ? is->from_ns : chart->begin_ns;
	int64_t to = is->to_ns < chart_end_ns(chart) ? is->to_ns : chart_end_ns(chart);

	for (unsigned c = from < to ? chart_column(chart, from) : chart->columns; c < chart->columns; c++) {
		int64_t begin = time_sum(chart->begin_ns, time_product(chart->column_ns, c));
		int64_t end = time_sum(begin, chart->column_ns);

		if (begin >= to)
			return;
		at[c] += (double)time_difference(from > begin ? from : begin, to < end ? to : end) /
			 (double)chart->column_ns;
	}
}

static void
fill_lanes(const struct event_lanes *l, struct chart *chart, uint32_t part, double *const *areas)
{
	for (size_t i = 0; i < l->list.count; i++) {
		const struct happening *is = &l->list.at[i];

		if (is_pair(is) && (part == 0 || is->part == part))
			add_pair_to_columns(chart, is, areas[is->lane - 1]);
	}
}

/* colours: by lane - 1, of the panel of all. */
static void
add_areas_of_lanes(const struct event_lanes *l, struct chart *chart, uint32_t part, const struct lane_total *totals,
		   const struct chart_total *all, const unsigned *colours)
{
	size_t panel = chart->panels.count - 1;
	double *other = NULL, **areas = mem_new(l->names.texts.count + 1, sizeof *areas);
	struct chart_total left = { 0 };

	for (size_t i = 0; i < l->names.texts.count && totals[i].ns > 0; i++) {
		uint32_t lane = totals[i].lane;
		struct chart_line *line;

		if (colours[lane - 1] == CHART_OTHER) {
			if (other == NULL)
				other = chart_values(chart, 0);
			areas[lane - 1] = other;
			left.count += totals[i].pairs;
			left.ns += totals[i].ns;
			continue;
		}
		line = chart_line(chart, &chart->panels.at[panel], CHART_AREA, text_table_text(&l->names, lane));
		line->colour = colours[lane - 1];
		areas[lane - 1] = line->at;
		chart_say_total(chart, line, (struct chart_total){ totals[i].pairs, totals[i].ns },
				100 * totals[i].ns / all->ns, true);
	}
	if (other != NULL) {
		struct chart_line *line = chart_line(chart, &chart->panels.at[panel], CHART_AREA, text_from("(other)"));

		line->colour = CHART_OTHER;
		line->at = other;
		chart_say_total(chart, line, left, 100 * left.ns / all->ns, true);
	}
	fill_lanes(l, chart, part, areas);
	free(areas);
}

static void
add_part(const struct event_lanes *l, struct chart *chart, const struct text_table *parts, uint32_t part,
	 struct lane_total *totals, unsigned *colours)
{
	struct chart_total all;
	struct text_buffer text = { 0 };
	struct chart_panel *panel;
	char step[TIME_TEXT_MAX];

	sum_lanes(l, part, totals, &all);
	if (all.ns <= 0)
		return;
	if (part != 0)
		add_text(&text, text_table_text(parts, part));
	add_string(&text, part != 0 ? ", between events" : "time between events");
	panel = chart_panel(chart, text_in(&text, 0), "threads");
	panel->part = part != 0;
	text.count = 0;
	add_format(&text, "threads per step of %s, between events that begin something and those that end it; all: ",
		   duration_print(step, chart->column_ns));
	add_real(&text, all.ns / 1e9);
	add_format(&text, " s in %llu event%s", (unsigned long long)all.count, all.count == 1 ? "" : "s");
	panel->say = chart_take(chart, &text);
	for (size_t i = 0; part == 0 && i < l->names.texts.count; i++)
		colours[totals[i].lane - 1] = i < CHART_FILLS ? (unsigned)i : CHART_OTHER;
	add_areas_of_lanes(l, chart, part, totals, &all, colours);
	array_release(&text);
}

struct part_time { uint32_t part; double ns; };

static int
compare_part_times(const void *a, const void *b)
{
	const struct part_time *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->part > y->part) - (x->part < y->part);
}

/* Parts from place 1 on, those with most time first; place 0 is part 0, which is all of them. */
static struct part_time *
sum_parts(const struct event_lanes *l, size_t parts)
{
	struct part_time *times = mem_new(parts + 1, sizeof *times);

	for (uint32_t part = 0; part <= parts; part++)
		times[part].part = part;
	for (size_t i = 0; i < l->list.count; i++)
		if (is_pair(&l->list.at[i]))
			times[l->list.at[i].part].ns +=
				(double)time_difference(l->list.at[i].from_ns, l->list.at[i].to_ns);
	qsort(times + 1, parts, sizeof *times, compare_part_times);
	return times;
}

void
event_areas_draw(const struct event_lanes *l, const struct text_table *parts, struct chart *chart)
{
	struct lane_total *totals = mem_new(l->names.texts.count + 1, sizeof *totals);
	unsigned *colours = mem_new(l->names.texts.count + 1, sizeof *colours);
	struct part_time *times = sum_parts(l, parts->texts.count);
	size_t left = 0;
	double ns = 0;

	for (uint32_t i = 0; i <= parts->texts.count && (i == 0 || times[i].ns > 0); i++) {
		if (i <= PARTS_MOST) {
			add_part(l, chart, parts, times[i].part, totals, colours);
			continue;
		}
		left++;
		ns += times[i].ns;
	}
	if (left > 0)
		chart_note(chart, "time between events of %zu more parts, %.1f s, is not drawn", left, ns / 1e9);
	free(times);
	free(totals);
	free(colours);
}
