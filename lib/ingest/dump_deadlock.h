/* SPDX-License-Identifier: MIT
 * dump_deadlock: the deadlocks below a dump: which thread waits for what, and who holds it. */
#ifndef INGEST_DUMP_DEADLOCK_H
#define INGEST_DUMP_DEADLOCK_H

#include "ingest/dump_scan.h"

/* Take a line of a deadlock, or of the stacks that are repeated below it. The end of the line or lines taken; NULL: it
 * is of neither. */
const char *dump_deadlock_take(struct dump_scan *s, struct stk_text line);
const char *dump_deadlock_take_stack(const struct dump_scan *s, struct stk_text line);

#endif
