/* SPDX-License-Identifier: MIT
 * go_record: what text profiles of Go have in common: a record is a line that ends in "@ 0x43a2b6 0x44bd3b", above lines
 * with the names of these addresses, leaf first: "#	0x43a2b5	main.work+0x35	/src/shop/main.go:12". */
#ifndef INGEST_GO_RECORD_H
#define INGEST_GO_RECORD_H

#include "ingest/ingest.h"
#include "ingest/text_lines.h"

/* Adds what begins with # below the record's line to its stack, which begins at the @, and counts these lines and those
 * of a log between them, which are found as skipped (findings NULL: they were before). number: of the record's line. */
uint32_t go_record_lines(struct findings *findings, uint32_t number, struct stk_text *stack, struct stk_text line,
			 struct stk_text *labels, const char *end);
/* The findings of a line that is no record. */
void go_skip_line(struct findings *findings, uint32_t number, struct stk_text text);
/* A format's read_stack and read_frame. */
void go_read_stack(struct stack_reading *reading, struct stk_text stack);
bool go_read_frame(struct frame_parts *parts, struct stk_text line);

#endif
