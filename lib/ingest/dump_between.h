/* SPDX-License-Identifier: MIT
 * dump_between: the lines between the threads of a dump and around it: its date and head, lists, deadlocks, the heap, a
 * log's lines, and what is broken. */
#ifndef INGEST_DUMP_BETWEEN_H
#define INGEST_DUMP_BETWEEN_H

#include "ingest/dump_scan.h"

/* Takes the line at s->at, which begins no thread's section that can be read, and moves past it. */
void dump_between_take(struct dump_scan *s);

#endif
