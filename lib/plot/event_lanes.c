/* SPDX-License-Identifier: MIT
 * event_lanes: what is too near to be seen apart is one span. */
#include "plot/event_lanes.h"

#include <stdlib.h>

void
event_lanes_release(struct event_lanes *l)
{
	text_table_release(&l->names);
	array_release(&l->list);
	array_release(&l->open);
	array_release(&l->ends);
}

void
event_lanes_turn(struct event_lanes *l)
{
	l->open.count = 0;
}

struct happening *
event_lanes_take(struct event_lanes *l, const struct stk_event *row)
{
	uint32_t lane;

	if (row->time == STK_TIME_UNKNOWN || row->happening == STK_HAPPENING_SWITCH_OUT ||
	    row->happening == STK_HAPPENING_SWITCH_IN)
		return NULL;
	lane = text_table_number(&l->names, row->name);
	for (size_t i = l->open.count; row->happening == STK_HAPPENING_STOP && i-- > 0; ) {
		struct open_event open = l->open.at[i];

		if (open.lane != lane || open.thread != row->thread || open.activity != row->activity)
			continue;
		l->list.at[open.place].to_ns = row->time;
		while (l->ends.count < lane)
			*array_push(&l->ends) = false;
		l->ends.at[lane - 1] = true;
		l->open.at[i] = l->open.at[--l->open.count];
		return NULL;
	}
	if (row->happening == STK_HAPPENING_START)
		*array_push(&l->open) = (struct open_event){ row->thread, row->activity, lane,
			(uint32_t)l->list.count };
	*array_push(&l->list) = (struct happening){ row->time,
		row->happening == STK_HAPPENING_START ? STK_TIME_UNKNOWN : row->time, lane, 0 };
	return &l->list.at[l->list.count - 1];
}

static int
compare_happenings(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return (x->to_ns > y->to_ns) - (x->to_ns < y->to_ns);
}

static void
say_span(struct chart *chart, struct chart_span *span, struct stk_text lane, size_t merged)
{
	struct text_buffer text = { 0 };
	char lasted[TIME_TEXT_MAX];

	add_text(&text, lane);
	add_string(&text, ", ");
	chart_add_moment(&text, chart, span->from_ns);
	if (span->to_ns > span->from_ns)
		add_format(&text, ", %s", duration_print(lasted, time_difference(span->from_ns, span->to_ns)));
	if (merged > 1)
		add_format(&text, ", %zu of them", merged);
	span->say = chart_take(chart, &text);
	array_release(&text);
}

/* What is less than half a column apart is one span. */
size_t
add_spans(struct chart *chart, struct chart_panel *panel, const struct happening *list, size_t count)
{
	size_t merged = 0, left = 0;

	for (size_t i = 0; i < count; i++) {
		struct chart_span *last = merged > 0 ? &panel->spans.at[panel->spans.count - 1] : NULL;
		struct happening is = list[i];

		if (last != NULL && last->lane + 1 == is.lane &&
		    time_difference(last->to_ns, is.from_ns) < chart->column_ns / 2) {
			last->to_ns = is.to_ns > last->to_ns ? is.to_ns : last->to_ns;
			merged++;
			continue;
		}
		if (last != NULL)
			say_span(chart, last, panel->lanes.at[last->lane], merged);
		merged = 0;
		if (panel->spans.count >= SPANS_MOST) {
			left++;
			continue;
		}
		*array_push(&panel->spans) = (struct chart_span){ is.from_ns, is.to_ns, is.lane - 1, text_of("", 0) };
		merged = 1;
	}
	if (merged > 0)
		say_span(chart, &panel->spans.at[panel->spans.count - 1],
			 panel->lanes.at[panel->spans.at[panel->spans.count - 1].lane], merged);
	return left;
}

void
event_lanes_draw(struct event_lanes *l, struct chart *chart)
{
	struct chart_panel *panel = chart->panels.count > 0 ? &chart->panels.at[0] : NULL;
	ARRAY(struct happening) drawn = { 0 };
	size_t unended = 0, left;

	if (panel == NULL || l->list.count == 0)
		return;
	qsort(l->list.at, l->list.count, sizeof *l->list.at, compare_happenings);
	for (uint32_t lane = 1; lane <= l->names.texts.count && lane <= LANES_MOST; lane++)
		*array_push(&panel->lanes) = chart_text(chart, text_table_text(&l->names, lane));
	for (size_t i = 0; i < l->list.count; i++) {
		struct happening is = l->list.at[i];
		bool ends = is.lane <= l->ends.count && l->ends.at[is.lane - 1];

		if (is.to_ns == STK_TIME_UNKNOWN) {
			unended += !ends;
			is.to_ns = ends ? chart_end_ns(chart) : is.from_ns;
		}
		if (is.lane <= LANES_MOST)
			*array_push(&drawn) = is;
	}
	left = l->list.count - drawn.count + add_spans(chart, panel, drawn.at, drawn.count);
	array_release(&drawn);
	if (unended > 0)
		chart_note(chart, "%zu events that begin something, and are ended under another name, are drawn as moments", unended);
	if (left > 0)
		chart_note(chart, "%zu events of more than %u lanes or %u spans are not drawn", left, LANES_MOST, SPANS_MOST);
}
