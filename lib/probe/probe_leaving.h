/* SPDX-License-Identifier: MIT
 * probe_leaving: calls after which nothing of the program runs any more, without its handlers of exit: _exit, exec. */
#ifndef PROBE_PROBE_LEAVING_H
#define PROBE_PROBE_LEAVING_H

#include "probe/ir_buffer.h"

/* Before an instruction's line: if it is such a call, counts are written first. Those of exec are written also when it
 * fails. */
void probe_write_leaving(struct ir_buffer *to, struct stk_text line);

#endif
