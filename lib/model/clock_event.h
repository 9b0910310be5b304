/* SPDX-License-Identifier: MIT
 * clock_event: which sampling events are clocks. */
#ifndef MODEL_CLOCK_EVENT_H
#define MODEL_CLOCK_EVENT_H

#include "stkpipe/rows.h"

#include <stdbool.h>

/* Whether weights of this sampling event are nanoseconds. */
bool event_is_time(struct stk_text event);

#endif
