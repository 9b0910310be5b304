/* SPDX-License-Identifier: MIT
 * frame_text: a frame's parts to text without loss: the inverse of how the ingest formats parse frames. */
#ifndef MODEL_FRAME_TEXT_H
#define MODEL_FRAME_TEXT_H

#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stddef.h>

struct frame_names { struct stk_text function, module, file; int64_t line; uint64_t form, address, offset; };

/* Writes at most room bytes at `to`; returns the size it needs. */
size_t frame_text(const struct frame_names *frame, char *to, size_t room);

#endif
