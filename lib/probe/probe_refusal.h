/* SPDX-License-Identifier: MIT
 * probe_refusal: functions that cannot have probes, because their paths continue where no edge leads. */
#ifndef PROBE_PROBE_REFUSAL_H
#define PROBE_PROBE_REFUSAL_H

#include "probe/llvm_ir.h"

/* Why the function's paths cannot be followed; NULL: they can. */
const char *probe_refusal(const struct ir_module *module, const struct ir_function *function);
/* Another module has its probes: it is here only to be inlined. */
bool probe_is_elsewhere(const struct ir_module *module, const struct ir_function *function);

#endif
