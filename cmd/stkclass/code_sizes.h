/* SPDX-License-Identifier: MIT
 * code_sizes: for --codes --stats, the sizes of codes, of the text of the same stacks, and of its gzip and zstd. */
#ifndef STKCLASS_CODE_SIZES_H
#define STKCLASS_CODE_SIZES_H

#include "classify/class_codes.h"

struct code_sizes;

void code_sizes_open(struct code_sizes **out);
void code_sizes_close(struct code_sizes *sizes);

/* A dump, as text: "@TIME" and a folded line for each of its samples. */
void code_sizes_add(struct code_sizes *sizes, struct classifier *classifier, int64_t time_ns, const uint32_t *classes,
		    const uint64_t *times, size_t count);

/* Prints the sizes on stderr, a line each. stream: bytes of the records read; codes: of those written. */
void code_sizes_tell(struct code_sizes *sizes, const struct class_code_totals *totals, uint64_t stream, uint64_t codes);

#endif
