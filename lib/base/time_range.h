/* SPDX-License-Identifier: MIT
 * time_range: the first and the last of some times. Unknown times are no times: adding one changes nothing. */
#ifndef BASE_TIME_RANGE_H
#define BASE_TIME_RANGE_H

#include "stkpipe/rows.h"

#include <stdbool.h>

struct time_range { int64_t from_ns, to_ns; };		/* both STK_TIME_UNKNOWN, or both known */

#define TIME_RANGE_NONE ((struct time_range){ STK_TIME_UNKNOWN, STK_TIME_UNKNOWN })

static inline bool
time_range_is_known(const struct time_range *range)
{
	return range->from_ns != STK_TIME_UNKNOWN;
}

static inline void
time_range_add(struct time_range *range, int64_t ns)
{
	if (ns == STK_TIME_UNKNOWN)
		return;
	if (range->from_ns == STK_TIME_UNKNOWN || ns < range->from_ns)
		range->from_ns = ns;
	if (range->to_ns == STK_TIME_UNKNOWN || ns > range->to_ns)
		range->to_ns = ns;
}

/* All times of another range. */
static inline void
time_range_join(struct time_range *range, const struct time_range *more)
{
	time_range_add(range, more->from_ns);
	time_range_add(range, more->to_ns);
}

#endif
