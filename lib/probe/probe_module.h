/* SPDX-License-Identifier: MIT
 * probe_module: rewrites a module of LLVM's assembly language, with functions that carry their plans. What they count
 * is written by runtime/stkpath_runtime.c. */
#ifndef PROBE_PROBE_MODULE_H
#define PROBE_PROBE_MODULE_H

#include "base/text_table.h"
#include "path/word_plan.h"
#include "probe/ir_buffer.h"
#include "probe/llvm_ir.h"

/* What happens when a call turns out not to be a path of interest. */
enum end_mode {
	END_CLONE,			/* it continues in a copy of the function that has no probes */
	END_STICKY,			/* it continues here, and is not counted */
	END_STOP			/* the run ends, or the function of stkpath_on_stop is called */
};

struct probe_options {
	enum end_mode mode;
	bool atomic;			/* counts are in memory at all times, and added there atomically: right also
					 * when a signal asks for them, or counts, meanwhile */
	const struct text_table *outside;	/* functions that other modules have: where they are called by name is
						 * reported as a step; NULL */
};

struct probed {
	const struct ir_function *function;
	const struct flow_graph *graph;	/* the function's own; of a plan: the plan's */
	const struct word_plan *words;	/* NULL: its blocks are reported as they are visited, nothing is counted */
	bool without_blocks;		/* only where its calls begin and end is reported */
};

/* The module with its probed functions; to be released with array_release. -1 (STK_EUSAGE): a function that cannot be
 * probed, and why. */
int  probe_module_write(struct ir_buffer *to, const struct ir_module *module, const struct probed *functions,
			size_t count, const struct probe_options *options,
	struct stk_error *err) STK_MUST_CHECK;

#endif
