/* SPDX-License-Identifier: MIT
 * tick_counts: what processors did at their ticks that is of no VM, and how many ticks there were, as counters. */
#ifndef STKCAP_TICK_COUNTS_H
#define STKCAP_TICK_COUNTS_H

#include "tick_capture.h"

int tick_counts_record(const struct tick_sampler *sampler, enum tick_order order, struct live_records *records,
		       int64_t time_ns, struct stk_error *err) STK_MUST_CHECK;

#endif
