/* SPDX-License-Identifier: MIT
 * frame_text: a frame's parts to text and nothing lost: the inverse of what the ingest formats take apart. */
#ifndef MODEL_FRAME_TEXT_H
#define MODEL_FRAME_TEXT_H

#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stddef.h>

struct frame_names { struct stk_text function, module, file; int64_t line; uint64_t form, address, offset; };

/* Writes at most room bytes at `to`; the size it needs. */
size_t frame_text(const struct frame_names *frame, char *to, size_t room);

#endif
