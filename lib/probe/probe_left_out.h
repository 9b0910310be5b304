/* SPDX-License-Identifier: MIT
 * probe_left_out: what a module says of its functions that got no probes, so that programs can say it, too. */
#ifndef PROBE_PROBE_LEFT_OUT_H
#define PROBE_PROBE_LEFT_OUT_H

#include "probe/ir_buffer.h"
#include "probe/llvm_ir.h"

/* An entry of the section that runtime/unprobed_functions.h reads: LLVM's assembly language, for after the module. */
void probe_write_left_out(struct ir_buffer *to, const struct ir_function *function, struct stk_text reason);

#endif
