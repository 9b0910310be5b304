/* SPDX-License-Identifier: MIT
 * definitions: what a stream has defined so far: strings, frames, stacks, sources, threads, dumps. It is fed the blocks
 * of a reader and answers by id.
 *
 *	while ((got = stk_reader_next(reader, &block, &err)) > 0) {
 *		if (stk_definitions_take(names, reader, &block, &err) < 0)
 *			...				damaged: leave the block out and continue
 *
 * An id in a stream is a number that anybody may have written: it is not an index, a size or a promise. One whose
 * definition was lost, or never came, gives an empty row, or "?", and never another's. Id 0 is none. */
#ifndef STKPIPE_DEFINITIONS_H
#define STKPIPE_DEFINITIONS_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"
#include "stkpipe/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

STK_DECLARATIONS_BEGIN

struct stk_definitions;

/* An empty set of definitions, for one reader. Never NULL; the caller frees it with stk_definitions_close. */
struct stk_definitions *stk_definitions_open(void);

/* Frees the definitions and everything they returned. NULL does nothing. */
void stk_definitions_close(struct stk_definitions *definitions);

/* Reads the reader's current block if it is a HEAD, which clears everything, or a definition of one of the kinds below;
 * other blocks are ignored. What is read is copied, so memory grows with the size of a stream's definitions. Returns 1
 * if the block was read, 0 if it is of another kind, -1 with *err: STK_EDATA when the block is damaged and must be
 * skipped, STK_ESYSTEM when reading failed. */
int stk_definitions_take(struct stk_definitions *definitions, struct stk_reader *reader,
		const struct stk_block *block,
			 struct stk_error *err) STK_MUST_CHECK;

/* Whether the current stream has defined an id of a kind so far. True of 0. */
bool stk_definitions_know(const struct stk_definitions *definitions, enum stk_kind kind, uint64_t id);

/* A string: "" for 0, "?" for what was lost. Points into the definitions, until the next HEAD or
 * stk_definitions_close. */
struct stk_text stk_definitions_string(const struct stk_definitions *definitions, uint64_t id);

/* Rows by id: all zero for 0 and for what was lost. These and the string cost one array access. */
struct stk_frame  stk_definitions_frame(const struct stk_definitions *definitions, uint64_t id);
struct stk_stack  stk_definitions_stack(const struct stk_definitions *definitions, uint64_t id);
struct stk_source stk_definitions_source(const struct stk_definitions *definitions, uint64_t id);
struct stk_thread stk_definitions_thread(const struct stk_definitions *definitions, uint64_t id);
struct stk_dump   stk_definitions_dump(const struct stk_definitions *definitions, uint64_t id);

/* Puts the ids of a stack's frames into frames[0 .. room - 1], root first, and returns how many frames it has; when
 * that is more than room, those nearest the root are left out. frames may be NULL when room is 0. Takes one step per
 * frame. */
uint32_t stk_definitions_frames(const struct stk_definitions *definitions, uint64_t stack, uint32_t *frames,
		uint32_t room);

/* Writes a frame's text at `to`, at most room bytes and without a NUL, as its source wrote it: java "a.B.c(B.java:12)",
 * native "read+0x1f (/lib/libc.so.6)", plain "main". Returns the size of the whole text. */
size_t stk_definitions_frame_text(const struct stk_definitions *definitions, uint64_t frame, char *to, size_t room);

STK_DECLARATIONS_END

#endif
