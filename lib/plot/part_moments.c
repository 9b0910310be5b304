/* SPDX-License-Identifier: MIT
 * part_moments: moments are counted from that of the first sample. */
#include "plot/part_moments.h"

#include <stdio.h>
#include <stdlib.h>

#define MOMENTS_MOST 16384u	/* of parts: then moments become longer ones */
#define MOMENT_FIRST (1u << 31)	/* that of the first sample, so that earlier ones have one */

/* Each is a multiple of those before it, so that steps of minutes are whole moments. */
static const int64_t moment_units[] = { 10000000, 100000000, 1000000000, 10000000000, 60000000000, 300000000000,
					3600000000000, 86400000000000 };
#define MOMENT_UNITS (sizeof moment_units / sizeof *moment_units)

void
part_moments_release(struct part_moments *m)
{
	text_table_release(&m->pairs);
	array_release(&m->of_pair);
	pair_sums_release(&m->sums);
}

static int64_t
moment_start(const struct part_moments *m, uint32_t moment)
{
	int64_t unit = moment_units[m->unit];

	return time_floor(m->origin_ns, unit) + ((int64_t)moment - (int64_t)MOMENT_FIRST) * unit;
}

static uint32_t
moment_of(const struct part_moments *m, int64_t time)
{
	int64_t unit = moment_units[m->unit];
	int64_t apart = time_difference(time_floor(m->origin_ns, unit), time_floor(time, unit)) / unit;

	return (uint32_t)((int64_t)MOMENT_FIRST + (apart > INT32_MAX / 2 ? INT32_MAX / 2 :
						    apart < INT32_MIN / 2 ? INT32_MIN / 2 : apart));
}

static void
lengthen_moments(struct part_moments *m)
{
	struct pair_sums longer = { 0 };
	ARRAY(int64_t) starts = { 0 };
	int64_t first = moment_start(m, m->first), last = moment_start(m, m->last);

	for (size_t i = 0; i < m->sums.sums.count; i++)
		*array_push(&starts) = moment_start(m, m->sums.sums.at[i].b);
	m->unit++;
	for (size_t i = 0; i < m->sums.sums.count; i++) {
		struct pair_sum sum = m->sums.sums.at[i];

		sum.b = moment_of(m, starts.at[i]);
		pair_sums_add(&longer, &sum);
	}
	array_release(&starts);
	pair_sums_release(&m->sums);
	m->sums = longer;
	m->first = moment_of(m, first);
	m->last = moment_of(m, last);
}

void
part_moments_add(struct part_moments *m, uint32_t part, uint32_t group, int64_t time)
{
	struct part_of_pair key = { part, group };
	uint32_t moment, pair;

	if (time == STK_TIME_UNKNOWN) {
		m->untimed++;
		return;
	}
	pair = text_table_number(&m->pairs, text_of((const char *)&key, sizeof key));
	if (pair > m->of_pair.count)
		*array_push(&m->of_pair) = key;
	if (m->sums.sums.count == 0) {
		m->origin_ns = time;
		m->first = m->last = MOMENT_FIRST;
	}
	for (;;) {
		uint32_t first, last;

		moment = moment_of(m, time);
		first = moment < m->first ? moment : m->first;
		last = moment > m->last ? moment : m->last;
		if (last - first < MOMENTS_MOST || m->unit + 1 == MOMENT_UNITS) {
			m->first = first;
			m->last = last;
			break;
		}
		lengthen_moments(m);
	}
	pair_sums_at(&m->sums, pair, moment)->weight++;
}

/* --- panels --- */

struct part_total { uint32_t part; uint64_t samples; };

static int
compare_parts(const void *a, const void *b)
{
	const struct part_total *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return (x->part > y->part) - (x->part < y->part);
}

/* The line of a group in a panel, with the colour that it has in the first one. */
static struct chart_line *
line_of_group(struct chart *chart, size_t panel, struct stk_text name)
{
	struct chart_panel *of = &chart->panels.at[panel];
	const struct chart_panel *first = &chart->panels.at[0];
	unsigned colour = CHART_OTHER;
	struct chart_line *line;

	for (size_t i = 0; i < first->lines.count; i++)
		if (text_compare(first->lines.at[i].name, name) == 0)
			colour = first->lines.at[i].colour;
	if (colour == CHART_OTHER && !text_is(name, NO_GROUP) && !text_is(name, NO_STACK))
		name = text_from("(other)");
	for (size_t i = 0; i < of->lines.count; i++)
		if (text_compare(of->lines.at[i].name, name) == 0)
			return &of->lines.at[i];
	line = chart_line(chart, of, CHART_AREA, name);
	line->colour = colour;
	return line;
}

static int
compare_lines(const void *a, const void *b)
{
	const struct chart_line *x = a, *y = b;

	if (x->colour != y->colour)
		return x->colour > y->colour ? 1 : -1;
	return text_compare(x->name, y->name);
}

struct part_drawing { struct chart *chart; const struct text_table *parts, *groups; };

static void
add_part(const struct part_moments *m, const struct part_drawing *d, struct part_total total)
{
	struct chart *chart = d->chart;
	size_t panel = chart->panels.count;
	char text[100], step[TIME_TEXT_MAX];

	(void)snprintf(text, sizeof text, "samples per step of %s; all: %llu sample%s",
		       duration_print(step, chart->column_ns), (unsigned long long)total.samples,
		       total.samples == 1 ? "" : "s");
	chart_panel(chart, text_table_text(d->parts, total.part), "samples")->part = true;
	chart->panels.at[panel].say = chart_text(chart, text_from(text));
	for (size_t i = 0; i < m->sums.sums.count; i++) {
		const struct pair_sum *sum = &m->sums.sums.at[i];
		struct part_of_pair key = m->of_pair.at[sum->a - 1];
		unsigned column = chart_column(chart, moment_start(m, sum->b));
		struct stk_text name = text_table_text(d->groups, key.group);

		if (key.part == total.part && column < chart->columns)
			line_of_group(chart, panel, name)->at[column] += (double)sum->weight;
	}
	if (chart->panels.at[panel].lines.count > 1)
		qsort(chart->panels.at[panel].lines.at, chart->panels.at[panel].lines.count,
		      sizeof(struct chart_line), compare_lines);
}

void
part_moments_draw(const struct part_moments *m, struct chart *chart, const struct text_table *parts,
		  const struct text_table *groups)
{
	struct part_drawing drawing = { chart, parts, groups };
	struct part_total *totals = mem_new(parts->texts.count + 1, sizeof *totals);
	uint64_t left = 0;

	for (uint32_t i = 0; i < parts->texts.count; i++)
		totals[i].part = i + 1;
	for (size_t i = 0; i < m->sums.sums.count; i++)
		totals[m->of_pair.at[m->sums.sums.at[i].a - 1].part - 1].samples += m->sums.sums.at[i].weight;
	qsort(totals, parts->texts.count, sizeof *totals, compare_parts);
	for (uint32_t i = 0; i < parts->texts.count && chart->panels.count > 0 && totals[i].samples > 0; i++) {
		if (i < PARTS_MOST)
			add_part(m, &drawing, totals[i]);
		else
			left += totals[i].samples;
	}
	if (left > 0)
		chart_note(chart, "parts beyond %u, with %llu samples, are not drawn", PARTS_MOST, (unsigned long long)left);
	if (m->untimed > 0)
		chart_note(chart, "%llu samples without a time are in no part", (unsigned long long)m->untimed);
	free(totals);
}
