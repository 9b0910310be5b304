/* SPDX-License-Identifier: MIT
 * probe_writer: shared by the writers of a probed function: where its text goes, and the names of its parts.
 *
 * %stk.counts is where the calling thread counts.
 * A function's probes keep r in memory (%stk.r), which the compiler puts into a register; %stk.l is a region's,
 * %stk.piece the stored piece, %stk.dead (sticky) says that the call is not a path of interest, %stk.way the edge by
 * which a landing pad was reached, %stk.call the number of a call that is reported step by step. */
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
	uint32_t scope;			/* number of the metadata that says that no memory of the program is a count */
};

/* "i64" or "i128", and a pointer to it; a pointer to another type. */
const char *probe_word(const struct probe_writer *w);
const char *probe_word_pointer(const struct probe_writer *w);
#define PROBE_POINTER(w, type) ((w)->module->opaque ? "ptr" : type "*")

/* Decimal digits of a word. */
void probe_put_word(struct ir_buffer *to, path_word value);

#endif
