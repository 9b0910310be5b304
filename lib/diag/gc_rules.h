/* SPDX-License-Identifier: MIT
 * gc_rules: what is wrong with garbage collection, by the metrics of a stream: gc.pause, heap.used.full and so on. */
#ifndef DIAG_GC_RULES_H
#define DIAG_GC_RULES_H

#include "diag/diag_findings.h"

struct gc_rules;

void gc_rules_open(struct gc_rules **out);
void gc_rules_close(struct gc_rules *rules);

/* A metric of a process, in the order of time. */
void gc_rules_take(struct gc_rules *rules, const struct diag_limits *limits, uint32_t process, int64_t time,
		   struct stk_text name, double value);
void gc_rules_end(struct gc_rules *rules, const struct diag_limits *limits, struct diag_findings *findings);

#endif
