/* SPDX-License-Identifier: MIT
 * trace_point: what the name and the arguments of a traced event mean, whichever tool wrote them. */
#ifndef INGEST_TRACE_POINT_H
#define INGEST_TRACE_POINT_H

#include "base/text_buffer.h"
#include "stkpipe/rows.h"

struct trace_point {
	struct stk_text name;		/* of both ends of a pair */
	enum stk_happening happening;
};

/* "sys_enter_read" starts "read", "irq_handler_exit" stops "irq_handler"; others are points. A system that events have
 * before their name ("syscalls:") is left out of the names of pairs. */
struct trace_point trace_point_of(struct stk_text event);

/* Arguments as event_values.h reads them: "fd: 3, count: 1000" becomes "fd:3 count=1000". Numbers that only name
 * something, such as a pid, are no measures: those keep the colon. */
void trace_arguments(struct text_buffer *to, struct stk_text arguments);

/* What a call that moves bytes returned is how many. */
bool trace_moves_bytes(struct stk_text call);

#endif
