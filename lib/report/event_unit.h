/* SPDX-License-Identifier: MIT
 * event_unit: what the weights of samples count: cycles, CPU time, or a weight of which no more is known. */
#ifndef REPORT_EVENT_UNIT_H
#define REPORT_EVENT_UNIT_H

#include "base/text_buffer.h"
#include "model/event_weighs.h"

/* "cpu time", or the name of the event, cut where it is long; "weight" for the event without a name, and for all. */
void add_event_unit(struct text_buffer *to, struct stk_text event);
/* A weight with its unit: "12.3M cycles", "1.46s of cpu time (cpu-clock)", "7 in weight". */
void add_event_amount(struct text_buffer *to, struct stk_text event, uint64_t weight);
/* A weight without its unit, short. */
void add_event_weight(struct text_buffer *to, struct stk_text event, uint64_t weight);
/* A count with the unit that a picture has: "1.46s of cpu-clock" for "ns of cpu-clock", "1 sample" for "samples". */
void add_unit_amount(struct text_buffer *to, uint64_t count, const char *unit);

#endif
