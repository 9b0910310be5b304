/* SPDX-License-Identifier: MIT
 * activity_lanes: events by activity and time; where an end and a beginning are at one moment, the beginning is
 * first. */
#include "plot/activity_lanes.h"

#include "base/quantities.h"
#include "plot/event_lanes.h"

#include <stdlib.h>

void
activity_lanes_release(struct activity_lanes *l)
{
	array_release(&l->list);
}

void
activity_lanes_take(struct activity_lanes *l, const struct stk_event *event)
{
	if (event->time == STK_TIME_UNKNOWN || event->activity == 0 || event->happening == STK_HAPPENING_SWITCH_OUT ||
	    event->happening == STK_HAPPENING_SWITCH_IN)
		return;
	*array_push(&l->list) = (struct activity_event){ event->activity, event->time,
		event->happening == STK_HAPPENING_START ? 1 : event->happening == STK_HAPPENING_STOP ? -1 : 0 };
}

void
add_activity(struct text_buffer *to, uint64_t activity)
{
	add_format(to, "activity %llu", (unsigned long long)activity);
}

static int
compare_events(const void *a, const void *b)
{
	const struct activity_event *x = a, *y = b;

	if (x->activity != y->activity)
		return x->activity < y->activity ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return y->change - x->change;
}

/* Of the activity whose events begin at `first`. */
struct under_way {
	size_t first, end;
	uint64_t activity;
	double ns;
	bool open;			/* it has not ended */
};

/* The next span or moment of an activity from event *at on, which is advanced: to_ns is until_ns where it is open. */
static struct happening
next_span(const struct activity_lanes *l, size_t *at, size_t end, int64_t until_ns, bool *open)
{
	struct happening span = { .from_ns = l->list.at[*at].time_ns, .to_ns = l->list.at[*at].time_ns };
	uint64_t depth = 0;

	do {
		int change = l->list.at[*at].change;

		depth += change > 0 ? 1 : 0;
		depth -= change < 0 && depth > 0 ? 1 : 0;
		span.to_ns = l->list.at[(*at)++].time_ns;
	} while (depth > 0 && *at < end);
	if (depth > 0 && until_ns > span.to_ns)
		span.to_ns = until_ns;
	*open = depth > 0;
	return span;
}

static struct under_way
activity_at(const struct activity_lanes *l, size_t first, int64_t until_ns)
{
	struct under_way is = { .first = first, .end = first, .activity = l->list.at[first].activity };

	while (is.end < l->list.count && l->list.at[is.end].activity == is.activity)
		is.end++;
	for (size_t at = first; at < is.end; ) {
		struct happening span = next_span(l, &at, is.end, until_ns, &is.open);

		is.ns += (double)time_difference(span.from_ns, span.to_ns);
	}
	return is;
}

static int
compare_durations(const void *a, const void *b)
{
	const struct under_way *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->activity > y->activity) - (x->activity < y->activity);
}

static void
say_rest(struct chart *chart, const struct under_way *all, size_t count, size_t drawn, size_t spans_left)
{
	double ns = 0;
	size_t open = 0;

	for (size_t i = 0; i < count; i++) {
		ns += i >= drawn ? all[i].ns : 0;
		open += all[i].open;
	}
	chart_note(chart, "lanes with # are activities by their number: times when one was under way");
	if (count > drawn)
		chart_note(chart, "%zu %s, %.1f s together, %s not drawn: lanes are those that took longest",
			   count - drawn, plural(count - drawn, "activity", "activities"), ns / 1e9,
			   plural(count - drawn, "is", "are"));
	if (open > 0)
		chart_note(chart, "%zu %s not ended: %s up to the end of the picture", open,
			   plural(open, "activity has", "activities have"), plural(open, "it is drawn", "they are drawn"));
	if (spans_left > 0)
		chart_note(chart, "%zu times of activities beyond %u spans are not drawn", spans_left, SPANS_MOST);
}

void
activity_lanes_draw(struct activity_lanes *l, struct chart *chart)
{
	struct chart_panel *panel = chart->panels.count > 0 ? &chart->panels.at[0] : NULL;
	ARRAY(struct under_way) all = { 0 };
	ARRAY(struct happening) spans = { 0 };
	struct text_buffer name = { 0 };
	size_t drawn;

	if (panel == NULL || l->list.count == 0)
		return;
	qsort(l->list.at, l->list.count, sizeof *l->list.at, compare_events);
	for (size_t at = 0; at < l->list.count; at = all.at[all.count - 1].end)
		*array_push(&all) = activity_at(l, at, chart_end_ns(chart));
	qsort(all.at, all.count, sizeof *all.at, compare_durations);
	drawn = all.count < LANES_MOST ? all.count : LANES_MOST;
	for (size_t i = 0; i < drawn; i++) {
		bool open;

		name.count = 0;
		add_format(&name, "#%llu", (unsigned long long)all.at[i].activity);
		*array_push(&panel->lanes) = chart_text(chart, text_in(&name, 0));
		for (size_t at = all.at[i].first; at < all.at[i].end; ) {
			struct happening span = next_span(l, &at, all.at[i].end, chart_end_ns(chart), &open);

			span.lane = (uint32_t)panel->lanes.count;
			*array_push(&spans) = span;
		}
	}
	say_rest(chart, all.at, all.count, drawn, add_spans(chart, panel, spans.at, spans.count));
	array_release(&all);
	array_release(&spans);
	array_release(&name);
}
