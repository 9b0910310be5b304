/* SPDX-License-Identifier: MIT
 * planned_rate: when to take dumps by a plan of rates, as `stktrend --rate-plan -o FILE.yaml` writes it. A slot has as
 * many moments as its interval fits into it, evenly spread, the first at its beginning. Moments depend on the time
 * alone: whoever has the plan has the same ones. Threads may share a plan. */
#ifndef TREND_PLANNED_RATE_H
#define TREND_PLANNED_RATE_H

#include "stkpipe/error.h"

#include <stdint.h>

struct planned_rate;

/* -1 with *err and *out NULL: the file cannot be read, or is not such a plan. */
int planned_rate_open(struct planned_rate **out, const char *path, struct stk_error *err) STK_MUST_CHECK;
void planned_rate_close(struct planned_rate *plan);		/* NULL does nothing */

/* The first moment after this one, and how far apart moments are at present. */
int64_t planned_rate_next(struct planned_rate *plan, int64_t after_ns);
int64_t planned_rate_interval(struct planned_rate *plan, int64_t time_ns);
/* The shortest interval of all slots. */
int64_t planned_rate_shortest(const struct planned_rate *plan);

#endif
