/* SPDX-License-Identifier: MIT
 * event_weighs: what the weights of a sampling event are, by its name: nanoseconds of clocks and of what lasted, bytes,
 * or counts. A name may end in its unit, as types of pprof do: "delay/nanoseconds", "alloc_space/bytes". */
#ifndef MODEL_EVENT_WEIGHS_H
#define MODEL_EVENT_WEIGHS_H

#include "stkpipe/rows.h"

#include <stdbool.h>

enum event_weighs { EVENT_COUNTS, EVENT_NANOSECONDS, EVENT_BYTES };

enum event_weighs event_weighs(struct stk_text event);

/* Whether weights of this sampling event are nanoseconds of a processor. */
bool event_is_time(struct stk_text event);

#endif
