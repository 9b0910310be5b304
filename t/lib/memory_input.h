/* SPDX-License-Identifier: MIT
 * memory_input: bytes in memory as what stkcap reads, at most `step` at a time; and an output that keeps nothing. */
#ifndef T_LIB_MEMORY_INPUT_H
#define T_LIB_MEMORY_INPUT_H

#include "stkpipe/error.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct memory_input { const uint8_t *at; size_t left, step; };

/* context: the input */
static inline long
memory_input_read(void *context, void *to, size_t size, struct stk_error *err)
{
	struct memory_input *from = context;

	(void)err;
	size = size < from->step ? size : from->step;
	size = size < from->left ? size : from->left;
	if (size > 0)
		memcpy(to, from->at, size);
	from->at += size;
	from->left -= size;
	return (long)size;
}

static inline int
write_nothing(void *context, const void *from, size_t size, struct stk_error *err)
{
	(void)context;
	(void)from;
	(void)size;
	(void)err;
	return 0;
}

#endif
