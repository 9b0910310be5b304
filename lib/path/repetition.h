/* SPDX-License-Identifier: MIT
 * repetition: "(A B)*3" in the texts of paths and of sequences. */
#ifndef PATH_REPETITION_H
#define PATH_REPETITION_H

#include <stdbool.h>

#define REPETITIONS_NESTED_MOST 32	/* one within another */

struct repetition {
	const char *from, *to;		/* what is between the brackets */
	unsigned long times;		/* 0: this is no repetition that can be read */
	const char *rest;		/* what comes after it */
};

/* At the '(' of `from`. False: no '*' follows the bracket that belongs to it. */
bool repetition_read(const char *from, const char *end, unsigned long most, struct repetition *out);

#endif
