/* SPDX-License-Identifier: MIT
 * path_keeping: ids are whole numbers of any size; this decides how a machine can keep them so that no two paths become
 * one. */
#ifndef PATH_PATH_KEEPING_H
#define PATH_PATH_KEEPING_H

#include <stdint.h>

enum path_keeping {
	KEEP_U64,			/* they never grow larger */
	KEEP_SHIFT64, KEEP_SHIFT128,	/* digits are shifted in, and what is shifted out does not matter */
	KEEP_TABLE,			/* not numbers but states */
	KEEP_SPILL,			/* piece by piece: of any length */
	KEEPINGS
};

extern const char *const path_keeping_names[KEEPINGS];

struct path_plan;

/* The cheapest that is exact for the plan. */
enum path_keeping path_keeping_choose(const struct path_plan *plan);

/* How many bits a digit of this base takes when it is shifted in. */
unsigned digit_bits(uint64_t base);

/* From which r on a piece of an id is stored before a digit of this base is added, which a word would not hold. */
uint64_t spill_limit(uint64_t base);

#endif
