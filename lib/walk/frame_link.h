/* SPDX-License-Identifier: MIT
 * frame_link: the caller of code without unwind tables: what a program compiled while it runs, written by hand, or
 * Go's. Such code keeps frame pointers, or is so simple that its instructions tell (x86-64). What is found is checked:
 * it follows a call. */
#ifndef WALK_FRAME_LINK_H
#define WALK_FRAME_LINK_H

#include "capture/stack_copy.h"
#include "walk/remote_memory.h"

#define CODE_PAGE	4096u
#define CODE_PAGES	8u
#define CODE_READS_MAX	256u		/* of pages in one walk: a program could make each frame cost one */

/* Code of the process, as it is during one walk. */
struct code_pages {
	struct remote_memory *memory;
	unsigned reads;
	struct { uint64_t from; bool is_read, known; unsigned char bytes[CODE_PAGE]; } pages[CODE_PAGES];
};
/* A walk begins: what was read before may have changed. */
void code_pages_begin(struct code_pages *code);

enum frame_link {
	LINK_NONE,			/* no caller was found */
	LINK_ENTRY,			/* this is the first function of the thread: its frame pointer is 0 */
	LINK_BY_CODE,			/* the instructions that follow show where the caller is */
	LINK_BY_POINTER			/* the frame pointer does: a function without a frame hides its caller */
};

/* Makes the registers those of the caller. is_top: the frame was interrupted, and did not call something. */
enum frame_link frame_link_step(struct code_pages *code, struct stack_copy *stack, bool is_top);

#endif
