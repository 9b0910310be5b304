/* SPDX-License-Identifier: MIT
 * event_unit: the unit is the name of the event, unless that is of a clock. */
#include "report/event_unit.h"

#include "base/bytes.h"
#include "base/time_text.h"
#include "report/table.h"

#include <string.h>

#define NAME_MOST 20		/* of an event in a header */

static bool
has_name(struct stk_text event)
{
	return event.size > 0 && !text_is(event, "none") && !text_is(event, "all");
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

void
add_unit_amount(struct text_buffer *to, uint64_t count, const char *unit)
{
	char time[TIME_TEXT_MAX];

	if (strncmp(unit, "ns of ", 6) == 0 && count <= INT64_MAX)
		add_format(to, "%s %s", duration_print(time, (int64_t)count), unit + 3);
	else
		add_format(to, "%llu %s", (unsigned long long)count, count == 1 && strcmp(unit, "samples") == 0 ? "sample" : unit);
}
