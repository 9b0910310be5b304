/* SPDX-License-Identifier: MIT
 * frame_end: entries and returns as HotSpot's compilers write them, cut at each of their instructions: the frame's end
 * is where a debugger that runs the instructions would say. */
#include "../lib/tap.h"

#include "walk/frame_end.h"

#include <string.h>

struct step {
	unsigned size;
	int depth;
	bool saved;
}; /* before the instruction at this place: pushed, rbp saved */

static unsigned char bytes[FRAME_ENTRY_BYTES];

static bool
is_end(unsigned passed, int frame_size, bool certain, int64_t size, int64_t saved)
{
	struct frame_end end = { -7, -7 };
	bool in_entry = frame_end_in_entry(bytes, passed, frame_size, certain, &end);

	return in_entry && end.size == size && end.saved_rbp == saved;
}

static bool
is_complete(unsigned passed, int frame_size)
{
	struct frame_end end;

	return !frame_end_in_entry(bytes, passed, frame_size, false, &end);
}

static void
try_entry_with_bang(void)
{
	/* mov %eax,-0x14000(%rsp); push %rbp; sub $0x30,%rsp: a frame of 64 bytes with the return address and rbp */
	static const unsigned char entry[] = { 0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff,
					       0x55, 0x48, 0x83, 0xec, 0x30, 0x90 };

	memcpy(bytes, entry, sizeof entry);
	ok(is_end(0, 64, true, 8, -1), "at the entry only the return address is there");
	ok(is_end(7, 64, true, 8, -1), "after the check of the stack's room, too");
	ok(is_end(8, 64, true, 16, 0), "after push, rbp is saved");
	ok(is_complete(12, 64), "after sub, the frame is complete");
}

static void
try_entry_without_bang(void)
{
	/* sub $0x118,%rsp; mov %rbp,0x110(%rsp) */
	static const unsigned char entry[] = { 0x48, 0x81, 0xec, 0x18, 0x01, 0x00, 0x00, 0x48,
					       0x89, 0xac, 0x24, 0x10, 0x01, 0,    0 };

	memset(bytes, 0x90, sizeof bytes);
	memcpy(bytes, entry, sizeof entry);
	ok(is_end(0, 0x120, true, 8, -1), "a frame made by sub alone: at its entry");
	ok(is_end(7, 0x120, true, 0x120, -1), "after sub, rbp is not saved yet");
	ok(is_complete(15, 0x120), "after mov it is complete");
}

static void
try_entry_made_not_entrant(void)
{
	/* jmp over the first five bytes of the check, push, sub; and of sub */
	static const unsigned char checked[] = { 0xe9, 1, 2, 3, 4, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0x30 };
	static const unsigned char subtracted[] = { 0xe9, 1, 2, 3, 4, 0x00, 0x00, 0x48, 0x89, 0x6c, 0x24, 0x10, 0x90 };

	memset(bytes, 0x90, sizeof bytes);
	memcpy(bytes, checked, sizeof checked);
	ok(is_end(7, 64, true, 8, -1) && is_end(8, 64, true, 16, 0),
	   "a method that is not entered any more: before and after push");
	memcpy(bytes, subtracted, sizeof subtracted);
	ok(is_end(7, 32, true, 32, -1) && is_complete(12, 32), "and one whose frame was made under the jump");
}

static void
try_unknown_entry(void)
{
	memset(bytes, 0x0f, sizeof bytes);
	ok(is_complete(5, 64), "an instruction that no entry has: the frame is taken to be complete");
	ok(is_end(5, 64, true, 8, -1), "... unless the VM says that it is not");
	memset(bytes, 0x90, sizeof bytes);
	ok(is_end(FRAME_ENTRY_LONG - 1, 64, false, 8, -1), "nothing but nops: there is no frame");
}

/* The instructions from pc on, and the byte before it. */
static bool
returns(unsigned char before, const char *at, unsigned size, int64_t end_size, int64_t saved)
{
	unsigned char around[FRAME_END_BYTES] = { 0 };
	struct frame_end end = { 0, 0 };

	around[FRAME_END_BEFORE - 1] = before;
	memcpy(around + FRAME_END_BEFORE, at, size);
	return frame_end_in_return(around, &end) && end.size == end_size && end.saved_rbp == saved;
}

static void
try_returns(void)
{
	unsigned char around[FRAME_END_BYTES] = { 0 };
	struct frame_end end;

	ok(returns(0x5d, "\xc3", 1, 8, -1), "at ret the frame is gone");
	ok(returns(0, "\xc3", 1, 8, -1), "whatever is before it");
	ok(returns(0, "\x5d\xc3", 2, 16, 0), "before pop rbp, it is on the stack's top");
	ok(returns(0, "\x5d\x49\x3b\xa7\x48\x04\0\0", 8, 16, 0) && returns(0x5d, "\x49\x3b\xa7\x48\x04\0\0", 7, 8, -1),
	   "a check for a safepoint between pop and ret");
	ok(returns(0, "\x0f\x87\x01\0\0\0\xc3", 7, 8, -1), "the jump of that check");
	ok(returns(0x5d, "\x4d\x8b\x97\x10\0\0\0", 7, 8, -1), "and the one of JDK 11, after pop only");
	memcpy(around + FRAME_END_BEFORE, "\x4d\x8b\x97\x10\0\0\0", 7);
	ok(!frame_end_in_return(around, &end), "the same instruction elsewhere is no return");
	memcpy(around + FRAME_END_BEFORE, "\x5d\x90", 2);
	ok(!frame_end_in_return(around, &end), "pop rbp that no return follows is none");
}

int
main(void)
{
	try_entry_with_bang();
	try_entry_without_bang();
	try_entry_made_not_entrant();
	try_unknown_entry();
	try_returns();
	return tap_end();
}
