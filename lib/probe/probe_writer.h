/* SPDX-License-Identifier: MIT
 * probe_writer: what the writers of a probed function share: where its text goes, and what its parts are called.
 *
 * A function's probes keep r in memory (%stk.r), which the compiler puts into a register; %stk.l is a region's, %stk.piece what was put away, %stk.dead (sticky) says
 * that the call is no path of interest, %stk.way by which edge a landing pad was come to, %stk.call the number of a call that is told step by step. */
#ifndef PROBE_PROBE_WRITER_H
#define PROBE_PROBE_WRITER_H

#include "path/runtime/probed_function.h"
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

enum probed_kind probed_kind_of(const struct probed *probed);
/* Whether its ids are counted in place, in an array. */
bool probe_counts_in_place(const struct probed *probed);
/* How many counts it has in place, marks included. */
uint64_t probe_count_total(const struct probed *probed);

/* "i64" or "i128", and a pointer to it; a pointer to another type. */
const char *probe_word(const struct probe_writer *w);
const char *probe_word_pointer(const struct probe_writer *w);
#define PROBE_POINTER(w, type) ((w)->module->opaque ? "ptr" : type "*")

void ir_put_word(struct ir_buffer *to, path_word value);

/* Whether some of the operations may end, or always do. */
bool probe_may_end(const struct word_ops *ops);
bool probe_always_ends(const struct word_ops *ops);
/* Whether they take more than one block. */
bool probe_splits(const struct word_ops *ops);

/* Operations in a row; the block goes on behind them, or, when an end is met, at the label. False: an end is always met. */
bool probe_write_ops(struct probe_writer *w, const struct word_ops *ops, const char *end_label);
/* Adds 1 to a count with a fixed place. */
void probe_write_increment(struct probe_writer *w, uint64_t place);
/* Counts the id that r is. */
void probe_write_count(struct probe_writer *w);

/* The globals of a function: counts, names, what the runtime needs to know. */
int  probe_write_globals(struct probe_writer *w, struct stk_error *err) STK_MUST_CHECK;
/* Before all else of a module: the type of what the runtime is told. */
void probe_write_type(struct ir_buffer *to, const struct ir_module *module);
/* The metadata: three nodes from this number on; the third is the scope. */
void probe_write_scope(struct ir_buffer *to, uint32_t first);
/* Of the whole module: declarations, and the functions that make all probed ones known; they run before main and behind it, unless a list of such is there. */
void probe_write_module(struct ir_buffer *to, const struct ir_module *module, unsigned functions, bool has_ctors, bool has_dtors);
/* That list, with ours too. False: the line is none. */
bool probe_extend_list(struct ir_buffer *to, const struct ir_module *module, struct stk_text line);

#endif
