/* SPDX-License-Identifier: MIT
 * tick_condition: a condition of --when, such as "user=www" or "load>2", is added to a plan of ticks. */
#ifndef STKCAP_TICK_CONDITION_H
#define STKCAP_TICK_CONDITION_H

#include "capture/tick_sampler.h"

/* 0, or -1 with *err. The text is borrowed. */
int tick_condition_add(struct tick_plan *plan, const char *text, struct stk_error *err);

#endif
