/* SPDX-License-Identifier: MIT
 * frame_end: where the frame of compiled code ends that was interrupted anywhere: in its entry, before it has all of
 * its frame, in its return, when it has no frame any more, or between. The instructions around pc tell (x86-64). */
#ifndef WALK_FRAME_END_H
#define WALK_FRAME_END_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_END_BEFORE  4u		/* bytes of instructions before pc and from it on */
#define FRAME_END_BYTES   24u
#define FRAME_ENTRY_BYTES 96u		/* from the entry on */
#define FRAME_ENTRY_LONG  64u		/* an entry is over after so many */

/* How far above sp the frame ends (the return address lies below it), and where rbp was saved, in bytes above sp, or
 * -1: it still has the caller's value. */
struct frame_end {
	int64_t size, saved_rbp;
};

/* In the return: `around` are the instructions from FRAME_END_BEFORE before pc. False: it is not there. */
bool frame_end_in_return(const unsigned char around[FRAME_END_BYTES], struct frame_end *end);
/* In the entry, `passed` bytes behind its beginning. False: the frame is complete. is_certain: pc is where the VM says
 * that the frame is not complete yet. */
bool frame_end_in_entry(const unsigned char entry[FRAME_ENTRY_BYTES], unsigned passed, int frame_size, bool is_certain,
			struct frame_end *end);

#endif
