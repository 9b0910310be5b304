/* SPDX-License-Identifier: MIT
 * count_image: the counts in a file of STKPATH_MAP, of a program that has ended, however it ended, or still runs. */
#ifndef PATH_COUNT_IMAGE_H
#define PATH_COUNT_IMAGE_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_outcome {
	uint64_t functions;		/* that were written */
	uint64_t damaged;		/* others */
	bool lost;			/* the program found no room for all of its counts */
};

/* Writes them to a file as a record stream of its own; time: of its rows. The bytes may change meanwhile, if they are
 * the file itself in memory. Nothing is written for a child of a fork that counted nothing. -1 (STK_EDATA): these are
 * not such a file, or it is too short; the text does not name it. */
int count_image_write(int fd, const void *bytes, size_t size, uint64_t time, struct image_outcome *out,
		      struct stk_error *err) STK_MUST_CHECK;

#endif
