/* SPDX-License-Identifier: MIT
 * probe_writer: what the writers of a probed function share: where its text goes, and what its parts are called.
 *
 * A function's probes keep r in memory (%stk.r), which the compiler puts into a register; %stk.l is a region's,
 * %stk.piece what was put away, %stk.dead (sticky) says that the call is no path of interest, %stk.way by which edge a
 * landing pad was come to, %stk.call the number of a call that is told step by step. */
#ifndef PROBE_PROBE_WRITER_H
#define PROBE_PROBE_WRITER_H

#include "probe/probe_module.h"

struct probe_writer {
	const struct ir_module *module;
	const struct probed *probed;
	const struct probe_options *options;
	unsigned number;		/* of the function: its globals are @stk.fN.* */
	struct ir_buffer *text, *globals;
	unsigned names, tables;		/* given so far */
	uint32_t scope;			/* number of the metadata that says: nothing of the program is a count */
};

/* "i64" or "i128", and a pointer to it; a pointer to another type. */
const char *probe_word(const struct probe_writer *w);
const char *probe_word_pointer(const struct probe_writer *w);
#define PROBE_POINTER(w, type) ((w)->module->opaque ? "ptr" : type "*")

/* Decimal digits of a word. */
void probe_put_word(struct ir_buffer *to, path_word value);

#endif
