/* SPDX-License-Identifier: MIT
 * mask: the lock lines of a Java stack. The same code parses them for reading a stack and for comparing stacks without
 * their addresses, so that the addresses cut out are those of the reported locks, one for one and in the same order. */
#ifndef INGEST_MASK_H
#define INGEST_MASK_H

#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lock_line {
	enum stk_relation relation;
	struct stk_text class;		/* as written after "a "; empty when the line has none */
	struct stk_text
		gap; /* "<0x...>": what is cut out; empty in a line about a class's initialization, which has no
		      * address */
	uint64_t address;		/* 0 where the dump says that there is none */
};

/* Reads a line (with or without its indentation) that begins with "- ", or "-- " or "^-- " of JRockit, which writes
 * classes with slashes. False when it has no lock ("- None") or is not
 * understood. */
bool lock_line_read(struct lock_line *out, struct stk_text line);

/* The line ` on shop.Till@1b2c3d4 owned by "main" Id=1` below the state in IntelliJ's dumps, whose state is indented by
 * more than HotSpot's; empty without one. */
struct stk_text wait_line_of(struct stk_text stack);
/* Its lock, as one that is waited on. */
bool wait_line_read(struct lock_line *out, struct stk_text line);

/* Copies the text without the gaps of its lock lines to `to`, which has stack.size bytes of room; returns what was
 * written. The addresses, one per lock line, go to `addresses`, which takes the first `room` of them; *count is how
 * many there are. */
size_t thread_dump_mask(struct stk_text stack, char *to, uint64_t *addresses, size_t room, size_t *count);

#endif
