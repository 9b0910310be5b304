/* SPDX-License-Identifier: MIT
 * probe_outside: calls of functions that the module does not have, such as those of the C library, are reported as
 * steps where they are made. */
#ifndef PROBE_PROBE_OUTSIDE_H
#define PROBE_PROBE_OUTSIDE_H

#include "probe/ir_buffer.h"
#include "probe/probe_module.h"

/* Before an instruction's line: if it calls such a function by its name, that is reported first. */
void probe_write_outside(struct ir_buffer *to, const struct ir_module *module, const struct probe_options *options,
			 struct stk_text line);
/* What these need; at the end of the module. */
void probe_write_outside_globals(struct ir_buffer *to, const struct ir_module *module,
				 const struct probe_options *options);

#endif
