/* SPDX-License-Identifier: MIT
 * tick_shares: how many processors each process kept busy, and what part of its own time was in the program, in garbage
 * collection, and in other threads of the VM: of all processors together. */
#ifndef REPORT_TICK_SHARES_H
#define REPORT_TICK_SHARES_H

#include "report/printer.h"
#include "report/summary.h"

/* The row of the processor itself; NULL: there is none. */
const struct tick_use *ticks_of_processor(const struct summary *s, int64_t cpu);
/* Ticks that a processor should have had meanwhile. */
uint64_t ticks_expected(const struct tick_use *processor);
/* How much a count has grown meanwhile; where each is recorded once, all that it has. */
uint64_t ticks_grown(const struct tick_use *processor, const struct tick_use *use, unsigned column);

void tick_shares_write(const struct summary *s, struct printer *to, size_t top);

#endif
