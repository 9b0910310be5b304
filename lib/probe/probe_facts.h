/* SPDX-License-Identifier: MIT
 * probe_facts: what the runtime needs to know of a module with probes: globals of each function, and code that
 * registers them. */
#ifndef PROBE_PROBE_FACTS_H
#define PROBE_PROBE_FACTS_H

#include "probe/probe_writer.h"

/* The globals of a function: counts, names, what the runtime needs to know. -1 with *err: it has too many paths. */
int  probe_write_globals(struct probe_writer *w, struct stk_error *err) STK_MUST_CHECK;
/* At the beginning of a module: the type that the runtime gets. */
void probe_write_type(struct ir_buffer *to, const struct ir_module *module);
/* The metadata: three nodes from this number on; the third is the scope. */
void probe_write_scope(struct ir_buffer *to, uint32_t first);
/* Of the whole module: declarations, and the functions that register all probed ones; they run before main and after
 * it, unless the module has a list of such functions. */
void probe_write_module(struct ir_buffer *to, const struct ir_module *module, unsigned functions, bool has_ctors,
			bool has_dtors);
/* That list, with ours too. False: the line is not one. */
bool probe_extend_list(struct ir_buffer *to, const struct ir_module *module, struct stk_text line);

#endif
