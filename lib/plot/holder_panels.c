/* SPDX-License-Identifier: MIT
 * holder_panels: an area for each holder; a column has the mean of the hours that begin in it, or of the one that it
 * is in. */
#include "plot/holder_panels.h"

#include "base/time_math.h"
#include "report/leaf_labels.h"

#include <math.h>
#include <stdlib.h>

#define LABEL_FRAMES 2
#define HOUR_NS INT64_C(3600000000000)
#define HOLDERS_MOST 1000	/* of a stream: stktrend finds a few; more are made up */

void
holder_panels_release(struct holder_panels *p)
{
	for (size_t i = 0; i < p->list.count; i++)
		array_release(&p->list.at[i].values);
	array_release(&p->list);
	text_table_release(&p->texts);
}

void
holder_panels_turn(struct holder_panels *p)
{
	p->first = p->list.count;
}

static struct stk_text
kept(struct holder_panels *p, struct stk_text text)
{
	return text_table_text(&p->texts, text_table_number(&p->texts, text));
}

void
holder_panels_take(struct holder_panels *p, const struct stk_holder *row)
{
	if (p->list.count - p->first >= HOLDERS_MOST)
		return;
	*array_push(&p->list) = (struct holder){ .id = row->id, .against = kept(p, row->against),
						 .part = kept(p, row->against_part), .name = kept(p, row->name),
						 .what = kept(p, row->what), .per_thread = row->per_thread,
						 .low = row->low, .high = row->high, .held = row->held,
						 .share = row->share };
}

void
holder_panels_take_held(struct holder_panels *p, const struct stk_held *row)
{
	for (size_t i = p->list.count; i-- > p->first; )
		if (p->list.at[i].id == row->id) {
			if (row->time != STK_TIME_UNKNOWN && isfinite(row->value))
				*array_push(&p->list.at[i].values) = (struct held_value){ row->time, row->value };
			return;
		}
}

/* --- the panel --- */

/* Up to when a value holds. */
static int64_t
end_of(const struct holder *h, size_t i)
{
	int64_t next = i + 1 < h->values.count ? h->values.at[i + 1].time_ns : INT64_MAX;
	int64_t hour = time_sum(h->values.at[i].time_ns, HOUR_NS);

	return next > h->values.at[i].time_ns && next < hour ? next : hour;
}

static void
fill_area(const struct chart *chart, const struct holder *h, double *at, unsigned *counts)
{
	memset(counts, 0, chart->columns * sizeof *counts);
	for (size_t i = 0; i < h->values.count; i++) {
		int64_t end = end_of(h, i);

		for (unsigned c = chart_column(chart, h->values.at[i].time_ns); c < chart->seen; c++) {
			if (counts[c] > 0 && time_sum(chart->begin_ns, time_product(chart->column_ns, c)) >= end)
				break;
			at[c] += fmax(0, h->values.at[i].value);
			counts[c]++;
			if (time_sum(chart->begin_ns, time_product(chart->column_ns, c + 1)) >= end)
				break;
		}
	}
	for (unsigned c = 0; c < chart->columns; c++)
		if (counts[c] > 1)
			at[c] /= counts[c];
}

static bool
is_rest(const struct holder *h)
{
	return text_is(h->what, "rest");
}

/* "22.1M a thread (20M to 25M); 45M on average, 34 %" */
static void
add_saying(struct text_buffer *to, const struct holder *h, const char *unit)
{
	chart_add_number(to, h->per_thread, unit);
	add_string(to, text_is(h->what, "grows") ? " a thread and hour (" : " a thread (");
	chart_add_number(to, h->low, unit);
	add_string(to, " to ");
	chart_add_number(to, h->high, unit);
	add_string(to, "); ");
	chart_add_number(to, h->held, unit);
	add_format(to, " on average, %.0f %%", 100 * h->share);
}

static void
add_name(struct text_buffer *to, const struct holder *h, holder_label *label, void *context)
{
	struct text_buffer room = { 0 };
	struct stk_text name = h->name.size > 0 ? label(context, h->name) : text_from("all threads");

	if (h->name.size > 0)
		leaf_labels(&name, 1, LABEL_FRAMES, &room);
	add_text(to, is_rest(h) ? text_from("base and leak") : name);
	array_release(&room);
}

struct drawing {
	struct chart *chart;
	size_t panel;
	unsigned *counts;		/* of columns */
	unsigned colours;		/* that were used */
	holder_label *label;
	void *context;
};

static void
add_area(struct drawing *d, const struct holder *h)
{
	struct text_buffer text = { 0 };
	struct chart_panel *panel = &d->chart->panels.at[d->panel];
	struct chart_line *line;

	add_name(&text, h, d->label, d->context);
	line = chart_line(d->chart, panel, CHART_AREA, text_in(&text, 0));
	text.count = 0;
	if (!is_rest(h))
		add_saying(&text, h, panel->unit);
	line->say = chart_take(d->chart, &text);
	line->colour = is_rest(h) || d->colours >= CHART_FILLS ? CHART_OTHER : d->colours++;
	fill_area(d->chart, h, line->at, d->counts);
	array_release(&text);
}

static void
begin_panel(struct chart *chart, const struct holder *h)
{
	struct text_buffer name = { 0 };

	add_text(&name, h->against);
	add_string(&name, h->part.size > 0 ? " @ " : "");
	add_text(&name, h->part);
	add_string(&name, ": what holds it");
	(void)chart_panel(chart, text_in(&name, 0), "bytes");
	array_release(&name);
}

/* Which area is which, in words. */
static void
say_order(struct drawing *d)
{
	struct chart_panel *panel = &d->chart->panels.at[d->panel];
	struct text_buffer text = { 0 };

	for (size_t i = 0; i < panel->lines.count; i++) {
		add_string(&text, i == 0 ? "from below: " : ", ");
		add_text(&text, panel->lines.at[i].name);
	}
	panel->say = chart_take(d->chart, &text);
	array_release(&text);
}

static bool
is_of(const struct holder *h, struct stk_text against, struct stk_text part)
{
	return text_equal(h->against, against) && text_equal(h->part, part);
}

/* The base is at the bottom, though it was written last; by itself it says nothing. */
void
holder_panels_add(const struct holder_panels *p, struct chart *chart, struct stk_text against, struct stk_text part,
		  holder_label *label, void *context)
{
	struct drawing d = { .chart = chart, .panel = chart->panels.count, .label = label, .context = context };
	static const bool rests[] = { true, false };

	for (size_t i = 0; i < p->list.count && chart->panels.count == d.panel; i++)
		if (is_of(&p->list.at[i], against, part) && !is_rest(&p->list.at[i]))
			begin_panel(chart, &p->list.at[i]);
	if (chart->panels.count == d.panel)
		return;
	d.counts = mem_new(chart->columns + 1, sizeof *d.counts);
	for (unsigned r = 0; r < 2; r++)
		for (size_t i = 0; i < p->list.count; i++)
			if (is_rest(&p->list.at[i]) == rests[r] && is_of(&p->list.at[i], against, part))
				add_area(&d, &p->list.at[i]);
	say_order(&d);
	free(d.counts);
}
