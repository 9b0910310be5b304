/* SPDX-License-Identifier: MIT
 * event_order: kept events are sorted when some must go. */
#include "group/event_order.h"

#include <stdlib.h>

static int
compare_events(const void *a, const void *b)
{
	const struct kept_event *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void
sort(struct event_order *o)
{
	if (o->mixed)
		qsort(o->kept.at, o->kept.count, sizeof *o->kept.at, compare_events);
	o->mixed = false;
}

/* The first of them. */
static void
give(struct event_order *o, size_t count)
{
	for (size_t i = 0; i < count; i++)
		o->give(o->context, &o->kept.at[i]);
	memmove(o->kept.at, o->kept.at + count, (o->kept.count - count) * sizeof *o->kept.at);
	o->kept.count -= count;
	for (size_t i = 0; i < o->kept.count; i++)
		o->kept.at[i].number = (uint32_t)i;
}

void
event_order_take(struct event_order *o, const struct kept_event *event)
{
	struct kept_event *kept = array_push(&o->kept);

	*kept = *event;
	kept->number = (uint32_t)o->kept.count - 1;
	kept->place = event->time != STK_TIME_UNKNOWN ? event->time : o->met ? o->last : STK_TIME_LEAST;
	if (o->met && kept->place < o->latest) {
		o->mixed = true;
		o->moved += event->time != STK_TIME_UNKNOWN;
	}
	o->latest = o->met && o->latest > kept->place ? o->latest : kept->place;
	o->last = kept->place;
	o->met = true;
	if (o->kept.count < (o->most == 0 ? EVENTS_KEPT : o->most))
		return;
	sort(o);
	give(o, o->kept.count - o->kept.count / 2);
}

void
event_order_until(struct event_order *o, int64_t until_ns)
{
	size_t count = 0;

	sort(o);
	while (count < o->kept.count && o->kept.at[count].place < until_ns)
		count++;
	if (count > 0)
		give(o, count);
}

void
event_order_flush(struct event_order *o)
{
	sort(o);
	if (o->kept.count > 0)
		give(o, o->kept.count);
	o->met = false;
}

void
event_order_release(struct event_order *o)
{
	array_release(&o->kept);
}
