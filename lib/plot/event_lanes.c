/* SPDX-License-Identifier: MIT
 * event_lanes: what is too near to be seen apart is one span. */
#include "plot/event_lanes.h"

#include <stdlib.h>

void
event_lanes_release(struct event_lanes *l)
{
	text_table_release(&l->names);
	array_release(&l->list);
	text_table_release(&l->openers);
	array_release(&l->open);
	array_release(&l->below);
	array_release(&l->ends);
	array_release(&l->begins);
	array_release(&l->last);
	array_release(&l->before);
	array_release(&l->others);
}

void
event_lanes_turn(struct event_lanes *l)
{
	text_table_clear(&l->openers);
	l->open.count = 0;
	l->last.count = 0;
}

static uint32_t
opener_of(struct event_lanes *l, const struct stk_event *row, uint32_t lane)
{
	uint64_t key[] = { lane, row->thread, row->activity };

	return text_table_number(&l->openers, text_of((const char *)key, sizeof key));
}

/* What is open of one name, thread and activity. */
static uint32_t *
open_of(struct event_lanes *l, const struct stk_event *row, uint32_t lane)
{
	uint32_t opener = opener_of(l, row, lane);

	array_lengthen(&l->open, opener);
	return &l->open.at[opener - 1];
}

/* What began last of a thread and activity, under any name: it may have ended since. */
static uint32_t *
last_of(struct event_lanes *l, const struct stk_event *row)
{
	uint32_t opener = opener_of(l, row, 0);

	array_lengthen(&l->last, opener);
	return &l->last.at[opener - 1];
}

static void
end_happening(struct event_lanes *l, uint32_t *open, uint32_t lane, int64_t time_ns)
{
	l->list.at[*open - 1].to_ns = time_ns;
	*open = l->below.at[*open - 1];
	array_lengthen(&l->ends, lane);
	l->ends.at[lane - 1] = true;
}

static bool
is_set(const bool *at, size_t count, uint32_t lane)
{
	return lane <= count && at[lane - 1];
}

/* Whether stops of this name are those of starts of other names, as far as is known. */
static bool
ends_others(const struct event_lanes *l, uint32_t lane)
{
	return !is_set(l->begins.at, l->begins.count, lane);
}

static bool
may_end_otherwise(const struct event_lanes *l, uint32_t place)
{
	const struct happening *is = &l->list.at[place - 1];

	return is->to_ns == STK_TIME_UNKNOWN && l->others.at[place - 1].lane == 0 &&
	       !is_set(l->ends.at, l->ends.count, is->lane);
}

/* A stop without a start of its name: it may be that of another one, which is known for certain when all is read. What
 * cannot end so now can never, and is passed once. */
static void
stop_other(struct event_lanes *l, const struct stk_event *row, uint32_t lane)
{
	uint32_t *last = last_of(l, row);

	while (*last != 0 && !may_end_otherwise(l, *last))
		*last = l->before.at[*last - 1];
	if (*last != 0)
		l->others.at[*last - 1] = (struct other_stop){ row->time, lane };
}

void
event_lanes_settle(struct event_lanes *l)
{
	for (size_t i = 0; i < l->list.count; i++) {
		struct happening *is = &l->list.at[i];
		const struct other_stop *stop = &l->others.at[i];

		if (stop->lane == 0 || is->to_ns != STK_TIME_UNKNOWN || !ends_others(l, stop->lane) ||
		    is_set(l->ends.at, l->ends.count, is->lane))
			continue;
		is->to_ns = stop->time_ns;
		l->two_names++;
	}
}

struct happening *
event_lanes_take(struct event_lanes *l, const struct stk_event *row)
{
	struct happening *is;
	uint32_t lane, *open = NULL;

	if (row->time == STK_TIME_UNKNOWN || row->happening == STK_HAPPENING_SWITCH_OUT ||
	    row->happening == STK_HAPPENING_SWITCH_IN)
		return NULL;
	lane = text_table_number(&l->names, row->name);
	if (row->happening == STK_HAPPENING_START || row->happening == STK_HAPPENING_STOP)
		open = open_of(l, row, lane);
	if (row->happening == STK_HAPPENING_STOP && *open != 0) {
		end_happening(l, open, lane, row->time);
		return NULL;
	}
	is = array_push(&l->list);
	*is = (struct happening){ row->time, row->time, lane, 0 };
	*array_push(&l->below) = open != NULL ? *open : 0;
	*array_push(&l->before) = 0;
	*array_push(&l->others) = (struct other_stop){ 0 };
	if (row->happening == STK_HAPPENING_STOP && ends_others(l, lane))
		stop_other(l, row, lane);
	if (row->happening == STK_HAPPENING_START) {
		uint32_t *last = last_of(l, row);

		is->to_ns = STK_TIME_UNKNOWN;
		*open = (uint32_t)l->list.count;
		l->before.at[*open - 1] = *last;
		*last = *open;
		array_lengthen(&l->begins, lane);
		l->begins.at[lane - 1] = true;
	}
	return is;
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
		chart_note(chart, "%zu events that begin something that nothing ends are drawn as moments", unended);
	if (l->two_names > 0)
		chart_note(chart, "%llu events last until a stop of another name, in the same thread and activity",
			   (unsigned long long)l->two_names);
	if (left > 0)
		chart_note(chart, "%zu events of more than %u lanes or %u spans are not drawn", left, LANES_MOST, SPANS_MOST);
}
