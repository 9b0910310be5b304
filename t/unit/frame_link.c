/* SPDX-License-Identifier: MIT
 * frame_link: callers of code without unwind tables, wherever it is interrupted: in its entry, at its end, between. */
#include "../lib/tap.h"

#include "walk/frame_link.h"

#define CODE   UINT64_C(0x7f0000001000)	/* the code begins with a page */
#define CALLER UINT64_C(0x7f0000002100)	/* an address that follows a call */
#define STACK  UINT64_C(0x7ffc00000000)

static unsigned char code[64];

/* Two pages of code, but not the one before. */
static bool
read_code(void *of, uint64_t from, void *to, size_t size)
{
	(void)of;
	for (size_t i = 0; i < size; i++) {
		uint64_t at = from + i;

		if (at < CODE || at >= CODE + 0x2000)
			return false;
		((unsigned char *)to)[i] = at < CODE + sizeof code ? code[at - CODE] : at == CALLER - 5 ? 0xe8 : 0;
	}
	return true;
}

static uint64_t words[8];
static struct stack_copy stack;
static struct remote_memory memory = { .other = read_code };
static struct code_pages pages = { .memory = &memory };

/* Interrupted, or having called, at the byte `at` of the code; the frame pointer is that of the word `pointer`. */
static enum frame_link
step(const char *text, size_t size, unsigned at, unsigned pointer, bool is_top)
{
	code_pages_begin(&pages);
	memset(code, 0, sizeof code);
	memcpy(code, text, size);
	stack = (struct stack_copy){ .bytes = (const unsigned char *)words, .from = STACK, .size = sizeof words };
	stack.registers[AT_RIP] = CODE + at;
	stack.registers[AT_RSP] = STACK;
	stack.registers[AT_RBP] = STACK + 8 * (uint64_t)pointer;
	return frame_link_step(&pages, &stack, is_top);
}

/* The caller is at CALLER, its stack begins with this word, and its frame pointer is that. */
static bool
is(uint64_t sp, uint64_t pointer)
{
	return stack.registers[AT_RIP] == CALLER && stack.registers[AT_RSP] == STACK + 8 * sp &&
	       stack.registers[AT_RBP] == pointer;
}

int
main(void)
{
	static const char framed[] = "\x55\x48\x89\xe5\x90\x90\x90\x5d\xc3", padded[] = "\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3";
	static const char other[] = "\x55\x48\x8b\xec\x90\x90\x90\xc9\xc3";

	words[0] = CALLER;
	ok(step(framed, 9, 0, 6, true) == LINK_BY_CODE && is(1, STACK + 48), "before it pushes its frame pointer");
	ok(step(framed, 9, 8, 6, true) == LINK_BY_CODE && is(1, STACK + 48), "at its return");
	ok(step(padded, 11, 0, 6, true) == LINK_BY_CODE && is(1, STACK + 48), "at the beginning of a trampoline");
	ok(step(padded, 11, 10, 6, true) == LINK_BY_CODE && is(1, STACK + 48), "at the return of a trampoline");
	words[0] = 77;
	words[1] = CALLER;
	ok(step(framed, 9, 1, 6, true) == LINK_BY_CODE && is(2, 77), "after it has pushed its frame pointer");
	ok(step(other, 9, 1, 6, true) == LINK_BY_CODE && is(2, 77), "the same, encoded otherwise");
	ok(step(framed, 9, 7, 6, true) == LINK_BY_CODE && is(2, 77), "before it pops its frame pointer");
	ok(step(padded, 11, 4, 6, true) == LINK_BY_CODE && is(2, STACK + 48), "in the middle of a trampoline");
	ok(step(padded, 11, 6, 6, false) == LINK_BY_CODE && is(2, STACK + 48), "of a trampoline that called");
	words[4] = 88;
	words[5] = CALLER;
	words[1] = 0;
	ok(step(framed, 9, 5, 4, true) == LINK_BY_POINTER && is(6, 88), "in its body: by the frame pointer");
	ok(step(framed, 9, 1, 4, false) == LINK_BY_POINTER && is(6, 88), "what called is not in its entry");
	words[5] = CALLER + 1;
	ok(step(framed, 9, 5, 4, true) == LINK_NONE, "what follows no call is not a caller");
	words[5] = 0;
	ok(step(framed, 9, 5, 4, true) == LINK_NONE, "nor is 0");
	words[5] = CALLER;
	ok(step(framed, 9, 5, 7, true) == LINK_NONE && stack.ran_out, "a frame pointer to the end of the copy");
	stack.registers[AT_RBP] = 0;
	ok(frame_link_step(&pages, &stack, true) == LINK_ENTRY, "a frame pointer of 0: the first function");
	pages.reads = CODE_READS_MAX;
	pages.pages[1].is_read = false;
	stack.registers[AT_RBP] = STACK + 32;
	ok(frame_link_step(&pages, &stack, true) == LINK_NONE, "code is read so often in a walk, and no more");
	return tap_end();
}
