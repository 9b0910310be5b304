/* SPDX-License-Identifier: MIT
 * restarts: where a metric by the hour was set back: falls that last, and that explain it clearly better than a wave of
 * the day does. */
#ifndef TREND_RESTARTS_H
#define TREND_RESTARTS_H

#include "trend/capacity.h"

/* The first slot of each time between restarts, the first of them 0, into *starts, which is freed by the caller;
 * returns how many there are. */
size_t restarts_find(const struct capacity_slot *slots, size_t count, size_t **starts);

#endif
