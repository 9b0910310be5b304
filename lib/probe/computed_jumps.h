/* SPDX-License-Identifier: MIT
 * computed_jumps: functions that jump to addresses of labels (goto *p, of interpreters), written so that each way is an
 * edge that can have probes: addresses become numbers, and the jump a switch over them. */
#ifndef PROBE_COMPUTED_JUMPS_H
#define PROBE_COMPUTED_JUMPS_H

#include "probe/ir_buffer.h"

/* Adds the text of a module so. Jumps stay as they are in functions whose addresses inline assembly uses, or where a
 * value depends on by which of several ways a jump comes to a label (which compilers do not write before they
 * optimize). */
void computed_jumps_lower(struct ir_buffer *to, struct stk_text module);

#endif
