/* SPDX-License-Identifier: MIT
 * chrome_events: X is a beginning and an end; B and E, and those of activities (b and e, S and F), are one each; i, I,
 * R, n and C are moments. */
#include "ingest/chrome_events.h"

#include <stdlib.h>

/* "0x1f" or "31"; any other id is known by its text. */
static uint64_t
activity_of(struct chrome_events *events, struct stk_text id)
{
	bool hex = text_starts(id, "0x");
	uint64_t number = 0;

	for (size_t i = hex ? 2 : 0; i < id.size && i < 18; i++) {
		unsigned char c = (unsigned char)(id.data[i] | 0x20);
		unsigned digit = c >= '0' && c <= '9'		 ? (unsigned)(c - '0')
				 : hex && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							       : 99;

		if (digit == 99)
			return text_table_number(&events->names, id);
		number = number * (hex ? 16 : 10) + digit;
	}
	return number;
}

static void
keep(struct chrome_events *events, const struct chrome_event *event, int64_t time_ns, enum stk_happening happening,
     bool with_values)
{
	struct kept_chrome_event *kept = array_push(&events->list);

	*kept = (struct kept_chrome_event){ .time_ns = time_ns,
					    .span_ns = event->phase == 'X' ? event->duration_ns : 0,
					    .name = text_table_number(&events->names, event->name),
					    .track = event->track,
					    .order = (uint32_t)events->list.count,
					    .happening = (uint16_t)happening };
	if (with_values) {
		kept->values_at = events->values.count;
		kept->values_size = (uint32_t)event->values.size;
		add_text(&events->values, event->values);
	}
	if (strchr("befnSTFstp", event->phase) != NULL && event->id.size > 0)
		kept->activity = activity_of(events, event->id);
}

bool
chrome_events_take(struct chrome_events *events, const struct chrome_event *event)
{
	int64_t end_ns = event->time_ns;

	switch (event->phase) {
	case 'X':
		if (__builtin_add_overflow(event->time_ns, event->duration_ns, &end_ns))
			end_ns = STK_TIME_MOST;
		keep(events, event, event->time_ns, STK_HAPPENING_START, false);
		keep(events, event, end_ns, STK_HAPPENING_STOP, true);
		return true;
	case 'B': case 'b': case 'S':
		keep(events, event, event->time_ns, STK_HAPPENING_START, true);
		return true;
	case 'E': case 'e': case 'F':
		keep(events, event, event->time_ns, STK_HAPPENING_STOP, true);
		return true;
	case 'i': case 'I': case 'R': case 'n': case 'C':
		keep(events, event, event->time_ns, STK_HAPPENING_POINT, true);
		return true;
	default:
		return false;
	}
}

/* Of X that meet at one time the inner one ends first, all that end do so before others begin, and the outer one begins
 * first. */
static int64_t
place(const struct kept_chrome_event *event)
{
	return event->happening == STK_HAPPENING_STOP && event->span_ns > 0 ? event->span_ns - INT64_MAX
									     : -event->span_ns / 2;
}

static int
compare_events(const void *a, const void *b)
{
	const struct kept_chrome_event *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (place(x) != place(y))
		return place(x) < place(y) ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void
chrome_events_sort(struct chrome_events *events)
{
	if (events->list.count > 0)
		qsort(events->list.at, events->list.count, sizeof *events->list.at, compare_events);
}

struct stk_text
chrome_events_name(const struct chrome_events *events, const struct kept_chrome_event *event)
{
	return text_table_text(&events->names, event->name);
}

struct stk_text
chrome_events_values(const struct chrome_events *events, const struct kept_chrome_event *event)
{
	return event->values_size == 0 ? text_of("", 0)
				       : text_of(events->values.at + event->values_at, event->values_size);
}

void
chrome_events_release(struct chrome_events *events)
{
	array_release(&events->list);
	array_release(&events->values);
	text_table_release(&events->names);
}
