/* SPDX-License-Identifier: MIT
 * stack_copy: the registers of a thread at one moment, and the bytes that were on its stack then. A walk changes the
 * registers to those of one caller after another. */
#ifndef CAPTURE_STACK_COPY_H
#define CAPTURE_STACK_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* by their numbers in DWARF */
enum { AT_RBX = 3, AT_RBP = 6, AT_RSP = 7, AT_R12 = 12, AT_R13, AT_R14, AT_R15, AT_RIP, REGISTERS };

struct stack_copy {
	uint64_t registers[REGISTERS];
	const unsigned char *bytes;
	uint64_t from;			/* the address of the first */
	size_t size;
	bool ran_out;			/* something behind the last byte was wanted */
};

/* False: not all of it is in the copy. */
static inline bool
stack_read(struct stack_copy *stack, uint64_t at, void *to, size_t size)
{
	if (at < stack->from || at - stack->from >= stack->size || stack->size - (size_t)(at - stack->from) < size) {
		stack->ran_out |= at >= stack->from && at - stack->from < ((uint64_t)64 << 20);
		return false;
	}
	memcpy(to, stack->bytes + (at - stack->from), size);
	return true;
}

/* 0 when it is not in the copy. */
static inline uint64_t
stack_word(struct stack_copy *stack, uint64_t at)
{
	uint64_t word;

	return stack_read(stack, at, &word, sizeof word) ? word : 0;
}

#endif
