/* SPDX-License-Identifier: MIT
 * probe_module: writes a module of LLVM's assembly language anew, with functions that carry their plans. What they
 * count is written by runtime/stkpath_runtime.c. */
#ifndef PROBE_PROBE_MODULE_H
#define PROBE_PROBE_MODULE_H

#include "path/word_plan.h"
#include "probe/ir_buffer.h"
#include "probe/llvm_ir.h"

/* What happens when a call turns out to be no path of interest. */
enum end_mode {
	END_CLONE,			/* it goes on in a copy of the function that has no probes */
	END_STICKY,			/* it goes on here, and is not counted */
	END_STOP			/* the run ends, or what stkpath_on_stop said is done */
};

struct probe_options {
	enum end_mode mode;
	bool threads;			/* counts are right when several threads count */
};

struct probed {
	const struct ir_function *function;
	const struct flow_graph *graph;	/* the function's own; of a plan: the plan's */
	const struct word_plan *words;	/* NULL: its blocks are told as they go by, nothing is counted */
};

/* The module with its probed functions; to be released with array_release. -1 (STK_EUSAGE): a function that cannot be,
 * and why. */
int  probe_module_write(struct ir_buffer *to, const struct ir_module *module, const struct probed *functions,
			size_t count, const struct probe_options *options,
	struct stk_error *err) STK_MUST_CHECK;

#endif
