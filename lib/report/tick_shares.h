/* SPDX-License-Identifier: MIT
 * tick_shares: how many processors each process kept busy, and what part of its own time was in the program, in garbage
 * collection, and in other threads of the VM: of all processors together. */
#ifndef REPORT_TICK_SHARES_H
#define REPORT_TICK_SHARES_H

#include "report/printer.h"
#include "report/summary.h"

void tick_shares_write(const struct summary *s, struct printer *to, size_t top);

#endif
