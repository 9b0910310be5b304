/* SPDX-License-Identifier: MIT
 * frame_link: the shapes in which functions are entered and left, and frame pointers between. */
#include "walk/frame_link.h"

#define WORD   8u
#define BEFORE 8u			/* bytes of code that are read before the pc, and from it on */
#define AFTER  8u

/* Where the return address is, and the caller's frame pointer; 0: still in its register. */
struct link { uint64_t at, pointer_at; };

/* The code around a pc, and what is on the stack there: words before its return address, and whether rbp is the first
 * of them. */
struct shape {
	bool is_entry;			/* only of a frame that was interrupted */
	unsigned char before, size;	/* bytes of the code before the pc, and in all */
	const char *code;
	unsigned char words;
	bool saved;
};

static const struct shape shapes[] = {
	{ false, 0, 1, "\xc3", 0, false },			/* ret */
	{ false, 0, 2, "\x5d\xc3", 1, true },			/* pop rbp; ret */
	{ false, 0, 5, "\x48\x83\xc4\x08\xc3", 1, false },	/* add rsp,8; ret: of CPython's trampolines */
	{ true, 0, 4, "\x55\x48\x89\xe5", 0, false },		/* push rbp; mov rbp,rsp */
	{ true, 1, 4, "\x55\x48\x89\xe5", 1, true },
	{ true, 0, 4, "\x55\x48\x8b\xec", 0, false },		/* the same, encoded otherwise */
	{ true, 1, 4, "\x55\x48\x8b\xec", 1, true },
	{ true, 0, 6, "\x48\x83\xec\x08\xff\xd1", 0, false },	/* sub rsp,8; call rcx: of CPython's trampolines */
	{ true, 4, 6, "\x48\x83\xec\x08\xff\xd1", 1, false },
};

void
code_pages_begin(struct code_pages *code)
{
	code->reads = 0;
	for (unsigned i = 0; i < CODE_PAGES; i++)
		code->pages[i].is_read = false;
}

static const unsigned char *
page_of(struct code_pages *code, uint64_t address)
{
	uint64_t from = address - address % CODE_PAGE;
	unsigned i = (unsigned)(from / CODE_PAGE % CODE_PAGES);

	if (!code->pages[i].is_read || code->pages[i].from != from) {
		if (code->reads == CODE_READS_MAX)
			return NULL;
		code->reads++;
		code->pages[i].is_read = true;
		code->pages[i].from = from;
		code->pages[i].known = remote_read(code->memory, from, code->pages[i].bytes, CODE_PAGE);
	}
	return code->pages[i].known ? code->pages[i].bytes : NULL;
}

/* The pages before and behind may not be mapped. What cannot be read is 0. */
static bool
read_code(struct code_pages *code, uint64_t pc, unsigned char around[BEFORE + AFTER])
{
	for (unsigned i = 0; i < BEFORE + AFTER; i++) {
		uint64_t at = pc - BEFORE + i;
		const unsigned char *page = page_of(code, at);

		around[i] = page != NULL ? page[at % CODE_PAGE] : 0;
	}
	return page_of(code, pc) != NULL;
}

static bool
link_by_code(struct code_pages *code, const struct stack_copy *stack, bool is_top, struct link *link)
{
	unsigned char around[BEFORE + AFTER];
	uint64_t sp = stack->registers[AT_RSP];

	if (!read_code(code, stack->registers[AT_RIP], around))
		return false;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape *s = &shapes[i];

		if ((s->is_entry && !is_top) || memcmp(around + BEFORE - s->before, s->code, s->size) != 0)
			continue;
		*link = (struct link){ sp + s->words * WORD, s->saved ? sp : 0 };
		return true;
	}
	return false;
}

static bool
link_by_pointer(const struct stack_copy *stack, struct link *link)
{
	uint64_t pointer = stack->registers[AT_RBP];

	*link = (struct link){ pointer + WORD, pointer };
	return pointer >= stack->registers[AT_RSP] && pointer % WORD == 0;
}

/* call rel32, or call of a register or of what lies in memory. */
static bool
follows_call(struct code_pages *code, uint64_t address)
{
	static const unsigned sizes[] = { 2, 3, 4, 6, 7 };
	unsigned char around[BEFORE + AFTER];

	if (!read_code(code, address, around))
		return false;
	if (around[BEFORE - 5] == 0xe8)
		return true;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (around[BEFORE - sizes[i]] == 0xff && (around[BEFORE - sizes[i] + 1] & 0x38) == 0x10)
			return true;
	return false;
}

static bool
follow(struct code_pages *code, struct stack_copy *stack, const struct link *link)
{
	uint64_t pc, pointer = stack->registers[AT_RBP];

	if (!stack_read(stack, link->at, &pc, sizeof pc) || !follows_call(code, pc) ||
	    (link->pointer_at != 0 && !stack_read(stack, link->pointer_at, &pointer, sizeof pointer)))
		return false;
	stack->registers[AT_RIP] = pc;
	stack->registers[AT_RBP] = pointer;
	stack->registers[AT_RSP] = link->at + WORD;
	return true;
}

enum frame_link
frame_link_step(struct code_pages *code, struct stack_copy *stack, bool is_top)
{
	struct link link;

	if (link_by_code(code, stack, is_top, &link) && follow(code, stack, &link))
		return LINK_BY_CODE;
	if (stack->registers[AT_RBP] == 0)
		return LINK_ENTRY;
	return link_by_pointer(stack, &link) && follow(code, stack, &link) ? LINK_BY_POINTER : LINK_NONE;
}
