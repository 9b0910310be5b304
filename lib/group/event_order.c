/* SPDX-License-Identifier: MIT
 * event_order: kept events are sorted when some must go. */
#include "group/event_order.h"

#include "base/bytes.h"

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

/* The texts of those that are left, without the others. */
static void
keep_values(struct event_order *o)
{
	struct text_buffer values = o->spare;

	values.count = 0;
	for (size_t i = 0; i < o->kept.count; i++) {
		struct kept_event *event = &o->kept.at[i];

		event->number = (uint32_t)i;
		if (event->values_size == 0)
			continue;
		array_reserve(&values, event->values_size);
		memcpy(values.at + values.count, o->values.at + event->values_at, event->values_size);
		event->values_at = values.count;
		values.count += event->values_size;
	}
	o->spare = o->values;
	o->values = values;
}

/* The first of them. */
static void
give(struct event_order *o, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct kept_event *event = &o->kept.at[i];

		o->give(o->context, event,
			text_of(event->values_size == 0 ? "" : o->values.at + event->values_at, event->values_size));
	}
	memmove(o->kept.at, o->kept.at + count, (o->kept.count - count) * sizeof *o->kept.at);
	o->kept.count -= count;
	keep_values(o);
}

void
event_order_take(struct event_order *o, const struct kept_event *event, struct stk_text values)
{
	struct kept_event *kept = array_push(&o->kept);

	*kept = *event;
	kept->values_at = o->values.count;
	kept->values_size = (uint32_t)values.size;
	add_text(&o->values, values);
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
	array_release(&o->values);
	array_release(&o->spare);
}
