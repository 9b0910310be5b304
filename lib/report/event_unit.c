/* SPDX-License-Identifier: MIT
 * event_unit: the weights of clocks and of waits are nanoseconds, those of allocations bytes; "heap/bytes" says its
 * unit, as events of pprof do; other events count themselves. */
#include "report/event_unit.h"

#include "base/bytes.h"
#include "base/time_text.h"
#include "report/table.h"

#define NAME_MOST 20		/* of an event in a header */

static bool
has_name(struct stk_text event)
{
	return event.size > 0 && !text_is(event, "none") && !text_is(event, "all");
}

/* Events of recordings whose weights are how long something lasted, or how much was allocated. */
static const char *const spans[] = { "jdk.JavaMonitorEnter", "jdk.JavaMonitorWait", "jdk.ThreadPark", "jdk.ThreadSleep",
				     "jdk.SocketRead", "jdk.SocketWrite", "jdk.FileRead", "jdk.FileWrite",
				     "jdk.FileForce", "jdk.VirtualThreadPinned", "jdk.MethodTrace",
				     "profiler.NativeLock", "profiler.Span", NULL };
static const char *const sizes[] = { "jdk.ObjectAllocationSample", "jdk.ObjectAllocationInNewTLAB",
				     "jdk.ObjectAllocationOutsideTLAB", "profiler.LiveObject", "profiler.Malloc",
				     NULL };

static bool
is_one_of(struct stk_text event, const char *const *names)
{
	while (*names != NULL && !text_is(event, *names))
		names++;
	return *names != NULL;
}

enum event_weighs
event_weighs(struct stk_text event)
{
	if (is_one_of(event, sizes) || text_ends(event, "/bytes"))
		return EVENT_BYTES;
	return event_is_time(event) || is_one_of(event, spans) || text_ends(event, "/nanoseconds") ? EVENT_NANOSECONDS
												     : EVENT_COUNTS;
}

void
add_event_unit(struct text_buffer *to, struct stk_text event)
{
	if (event_is_time(event))
		add_string(to, "cpu time");
	else if (has_name(event))
		add_text(to, text_of(event.data, event.size > NAME_MOST ? NAME_MOST : event.size));
	else
		add_string(to, "weight");
}

void
add_event_weight(struct text_buffer *to, struct stk_text event, uint64_t weight)
{
	char time[TIME_TEXT_MAX];

	if (event_weighs(event) == EVENT_BYTES)
		add_size(to, weight);
	else if (event_weighs(event) == EVENT_NANOSECONDS && weight < INT64_MAX)
		add_string(to, duration_print(time, (int64_t)weight));
	else
		add_quantity(to, (double)weight);
}

void
add_event_amount(struct text_buffer *to, struct stk_text event, uint64_t weight)
{
	bool is_time = event_is_time(event);

	add_event_weight(to, event, weight);
	add_string(to, is_time ? " of cpu time " "(" : " ");
	add_text(to, has_name(event)           ? event
		     : text_is(event, "all") ? text_from("in weight, of all events")
					     : text_from("in weight"));
	add_string(to, is_time ? ")" : "");
}
