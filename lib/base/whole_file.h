/* SPDX-License-Identifier: MIT
 * whole_file: a whole file in memory. */
#ifndef BASE_WHOLE_FILE_H
#define BASE_WHOLE_FILE_H

#include "base/text_buffer.h"

/* Adds the bytes of a file to a text; "-" is standard input, compressed files are expanded. -1 with *err, which names
 * the file: it cannot be read, or has more than `most` bytes; what was read until then is in the text. */
int whole_file_read(struct text_buffer *to, const char *path, size_t most, struct stk_error *err) STK_MUST_CHECK;

#endif
