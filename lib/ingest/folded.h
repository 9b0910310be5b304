/* SPDX-License-Identifier: MIT
 * folded: lines of folded stacks, for formats that have other lines among them. */
#ifndef INGEST_FOLDED_H
#define INGEST_FOLDED_H

#include "ingest/ingest.h"

/* True when the line was not a folded stack, and its finding was added. */
typedef bool folded_other_line(struct findings *findings, uint32_t line, struct stk_text text);

/* Finds what is in a piece of whole lines. Each line is first passed to `other`, which may be NULL. arrows: they are
 * between frames; else a line with them and without a `;` is reported. */
void folded_scan(struct findings *findings, struct stk_text piece, folded_other_line *other, bool arrows);

/* Whether there are so many arrows, which are no operators of C++, or more. */
bool folded_has_arrows(struct stk_text stack, unsigned least);

/* A stack of such a line, as the functions of a format read it. */
void folded_read_stack(struct stack_reading *reading, struct stk_text stack);
bool folded_read_frame(struct frame_parts *parts, struct stk_text line);

#endif
