/* SPDX-License-Identifier: MIT
 * trace_point: what the name and the arguments of a traced event mean, whichever tool wrote them. */
#ifndef INGEST_TRACE_POINT_H
#define INGEST_TRACE_POINT_H

#include "base/text_buffer.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

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

/* The same for what the kernel writes: a number alone is what a call returned, maybe its bytes. */
void trace_values(struct text_buffer *to, struct stk_text call, struct stk_text arguments);

/* What is between two words of a text, or after the first one; empty when that is not there. */
struct stk_text trace_part(struct stk_text text, const char *before, const char *after);

/* Who runs after a switch: "==> next_comm=cat next_pid=12 next_prio=120", or "==> cat:12 [120]". */
bool trace_next_thread(struct stk_text arguments, struct stk_text *command, uint64_t *tid);

/* The state in which the thread before it left: 'R' when it could have gone on, 'S' when it waits, 'D' when no signal
 * ends that, 'X' when it ended; '\0': not known. Of "prev_state=R+", "prev_state: S", of the numbers of LTTng, and of
 * "cat:12 [120] S ==> ". */
char trace_left_state(struct stk_text arguments);

/* What a call that moves bytes returned is how many. */
bool trace_moves_bytes(struct stk_text call);

#endif
