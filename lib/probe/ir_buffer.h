/* SPDX-License-Identifier: MIT
 * ir_buffer: text of LLVM's assembly language that grows at its end. A zeroed struct is an empty one; free with
 * array_release. */
#ifndef PROBE_IR_BUFFER_H
#define PROBE_IR_BUFFER_H

#include "base/array.h"
#include "stkpipe/error.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

struct ir_buffer { char *at; size_t count, room; };

void ir_put(struct ir_buffer *to, const char *format, ...) STK_PRINTF(2, 3);	/* up to 1,000 bytes */
void ir_put_text(struct ir_buffer *to, struct stk_text text);
/* A name after % or before a colon, in quotes where it needs them, with the prefix `before`. */
void ir_put_name(struct ir_buffer *to, const char *before, struct stk_text name);
/* c"...", with a NUL at its end. */
void ir_put_string(struct ir_buffer *to, const char *string, size_t size);

#endif
