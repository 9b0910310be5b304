/* SPDX-License-Identifier: MIT
 * tick_moments: --moments: what all processors did at one moment becomes an event, whose activity is the moment's
 * number and whose values say what each processor did: "0=inside:Shop 1=gc:Cart 2=idle". */
#ifndef STKCAP_TICK_MOMENTS_H
#define STKCAP_TICK_MOMENTS_H

#include "live_records.h"

#include "capture/tick_sampler.h"

/* What the VM of this number is called, or was at that time; NULL: it ended, and the
 * number is another one's now. */
typedef const char *tick_moment_name(void *context, int number, int64_t time_ns);

/* All moments that are known by now; nothing if none were asked for. */
int tick_moments_record(const struct tick_sampler *sampler, struct live_records *records, int64_t now_ns,
			int64_t wall_ns, tick_moment_name *name, void *context, struct stk_error *err) STK_MUST_CHECK;

#endif
