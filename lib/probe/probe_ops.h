/* SPDX-License-Identifier: MIT
 * probe_ops: writes operations on words, in a few lines of LLVM's assembly language each. */
#ifndef PROBE_PROBE_OPS_H
#define PROBE_PROBE_OPS_H

#include "probe/probe_writer.h"

/* Whether some of the operations may end, or always do. */
bool probe_may_end(const struct word_ops *ops);
bool probe_always_ends(const struct word_ops *ops);
/* Whether they take more than one block. */
bool probe_splits(const struct word_ops *ops);

/* A sequence of operations; the block continues after them, or, when an end is met, at the label. False: an end is
 * always met. */
bool probe_write_ops(struct probe_writer *w, const struct word_ops *ops, const char *end_label);
/* Adds 1 to a count with a fixed place. */
void probe_write_increment(struct probe_writer *w, uint64_t place);
/* Counts the id in r. */
void probe_write_count(struct probe_writer *w);

#endif
