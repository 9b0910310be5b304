/* SPDX-License-Identifier: MIT
 * event_order: events in the order of their times, of which an input may have later ones first: the latest million is
 * kept until those before it must have come. Events of one time stay in their order; one without a time stays after the
 * one before it. */
#ifndef GROUP_EVENT_ORDER_H
#define GROUP_EVENT_ORDER_H

#include "base/array.h"
#include "base/text_buffer.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

struct kept_event {
	int64_t time;
	int64_t place;			/* in the order: its time, or that of the event before it */
	uint64_t thread, activity;
	int64_t processor;		/* -1: not known */
	double value;
	uint32_t number, key, stack, name;
	uint32_t values_size;		/* of its text of values, and where that is */
	size_t values_at;
	uint16_t happening;
	bool always;			/* see event_place */
};

#define EVENTS_KEPT (1u << 20)

struct event_order {			/* a zeroed struct with `give` is empty */
	void (*give)(void *context, const struct kept_event *event, struct stk_text values);
	void *context;
	unsigned most;			/* events that are kept; 0: EVENTS_KEPT */
	ARRAY(struct kept_event) kept;
	struct text_buffer values, spare;
	int64_t last, latest;		/* the place of the last event that came, and the latest of all */
	bool met, mixed;		/* mixed: kept is not sorted */
	uint64_t moved;			/* events that came after later ones */
};

/* values: as in an event, of which the order keeps a copy. */
void event_order_take(struct event_order *order, const struct kept_event *event, struct stk_text values);
/* Gives away what is before a time; what comes later and is earlier is given away late. */
void event_order_until(struct event_order *order, int64_t until_ns);
/* Gives away all; nothing is met then. */
void event_order_flush(struct event_order *order);
void event_order_release(struct event_order *order);

#endif
