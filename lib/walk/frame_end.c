/* SPDX-License-Identifier: MIT
 * frame_end: the few shapes in which HotSpot's compilers enter and leave methods. */
#include "walk/frame_end.h"

#include <string.h>

#define WORD 8

/* --- returns --- */

static bool
starts(const unsigned char *at, const unsigned char *with, unsigned size)
{
	return memcmp(at, with, size) == 0;
}

/* What follows the popping of rbp: ret, or the check for a safepoint before it. */
static bool
is_return(const unsigned char *at, bool popped)
{
	static const unsigned char compare_low[] = { 0x49, 0x3b, 0x67 }, compare_far[] = { 0x49, 0x3b, 0xa7 }; /* cmp */
	static const unsigned char above[] = { 0x0f, 0x87 }, touch[] = { 0x41, 0x85, 0x02, 0xc3 }; /* ja; test, ret */
	static const unsigned char touch_far[] = { 0x85, 0x05 }, load[] = { 0x4d, 0x8b, 0x97 };	/* 8; 11 */

	return at[0] == 0xc3 || starts(at, compare_low, 3) || starts(at, compare_far, 3) ||
	       (starts(at, above, 2) && at[6] == 0xc3) || starts(at, touch, 4) ||
	       (starts(at, touch_far, 2) && at[6] == 0xc3) || (popped && starts(at, load, 3));
}

bool
frame_end_in_return(const unsigned char around[FRAME_END_BYTES], struct frame_end *end)
{
	static const unsigned char pop_rbp = 0x5d;
	const unsigned char *at = around + FRAME_END_BEFORE;

	if (is_return(at, at[-1] == pop_rbp)) {
		*end = (struct frame_end){ WORD, -1 };
		return true;
	}
	if (at[0] != pop_rbp || !(is_return(at + 1, true) || at[1] == 0xc5))	/* vzeroupper */
		return false;
	*end = (struct frame_end){ 2 * (int64_t)WORD, 0 };
	return true;
}

/* --- entries --- */

struct entry {
	int64_t depth;
	bool saved;
};					/* bytes that were pushed, the return address included */

/* The size of an instruction that an entry may have, noting what it does; 0: it has no such one. */
static unsigned
pass_instruction(const unsigned char *at, struct entry *entry)
{
	static const unsigned char bang[] = { 0x89, 0x84, 0x24 }, sub_long[] = { 0x48, 0x81, 0xec };
	static const unsigned char sub_short[] = { 0x48, 0x83, 0xec }, save_far[] = { 0x48, 0x89, 0xac, 0x24 };
	static const unsigned char save_near[] = { 0x48, 0x89, 0x6c, 0x24 }, move[] = { 0x48, 0x8b, 0xec };
	static const unsigned char move_other[] = { 0x48, 0x89, 0xe5 }, nop_5[] = { 0x0f, 0x1f, 0x44 };
	static const unsigned char nop_8[] = { 0x0f, 0x1f, 0x84 }, nop_2[] = { 0x66, 0x90 };
	int32_t size;

	if (at[0] == 0x55) {		/* push rbp */
		entry->depth += WORD;
		entry->saved = true;
		return 1;
	}
	if (starts(at, sub_long, 3)) {
		memcpy(&size, at + 3, sizeof size);
		entry->depth += size > 0 ? size : 0;
		return 7;
	}
	if (starts(at, sub_short, 3)) {
		entry->depth += at[3];
		return 4;
	}
	if (starts(at, save_far, 4) || starts(at, save_near, 4)) {
		entry->saved = true;
		return at[2] == 0xac ? 8 : 5;
	}
	return starts(at, bang, 3)         ? 7
	       : starts(at, move, 3)       ? 3
	       : starts(at, move_other, 3) ? 3
	       : starts(at, nop_5, 3)      ? 5
	       : starts(at, nop_8, 3)      ? 8
	       : starts(at, nop_2, 2)      ? 2
	       : at[0] == 0x90             ? 1
					   : 0;
}

bool
frame_end_in_entry(const unsigned char bytes[FRAME_ENTRY_BYTES], unsigned passed, int frame_size, bool is_certain,
		   struct frame_end *end)
{
	static const unsigned char jump = 0xe9, push_rbp = 0x55;
	struct entry entry = { .depth = WORD };
	bool known = true;
	unsigned at = 0;

	/* A method that must not be entered any more begins with a jump over its first five bytes: of the check of the
	 * stack's room, or of the instruction that makes the frame. */
	if (bytes[0] == jump && passed > 0) {
		at = 7;
		if (bytes[7] != push_rbp)
			entry.depth = frame_size;
	}
	while (at < passed && known && !(entry.depth >= frame_size && entry.saved)) {
		unsigned size = pass_instruction(bytes + at, &entry);

		known = size > 0;
		at += size;
	}
	if ((entry.depth >= frame_size && entry.saved) || !(known || is_certain))
		return false;
	*end = (struct frame_end){ entry.depth, entry.saved && entry.depth >= 2 * (int64_t)WORD
							? entry.depth - 2 * (int64_t)WORD
							: -1 };
	return true;
}
