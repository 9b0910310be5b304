/* SPDX-License-Identifier: MIT
 * counts_image: what is counted, in a file that is mapped into memory (STKPATH_MAP): the kernel keeps it however the
 * process ends. The file is an image of that memory: pointers in it are addresses of the process, which the head tells
 * apart by where its memory began. stkpath collect reads it (count_image). */
#ifndef PATH_RUNTIME_COUNTS_IMAGE_H
#define PATH_RUNTIME_COUNTS_IMAGE_H

#include "probed_function.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTS_IMAGE_MAGIC "stkpath counts 1"	/* the number changes with any struct of counts */

/* A function of a program, or of a library that may be gone: its texts, graph and counts are in the image, too. */
struct imaged_function {
	struct imaged_function *next;
	struct probed_function *loaded;	/* the module's own; NULL: it is gone */
	struct probed_function function;
};

/* The first bytes of the file. */
struct counts_image {
	char magic[16];
	uint64_t base;			/* the address of this struct in the process */
	uint64_t used;			/* bytes of the image */
	uint64_t lost;			/* counts did not find room, and are not here */
	uint64_t is_child;		/* of a fork: its parent has the functions that nobody called */
	uint64_t pid;
	struct imaged_function *functions;
	const char *left_out;		/* functions without probes, each with a NUL; an empty one after the last */
	char program[256], host[65];
};

/* Makes the file; where there is one of the name, NAME.2 and so on. Returns its head, whose members are still 0 but for
 * the first ones, or NULL with errno. */
struct counts_image *counts_image_open(const char *name);
/* NULL: there is none (any more). */
struct counts_image *counts_image_now(void);
/* Zeroed memory of the image. When there is none or no room in it, of the process alone, from then on; the latter is
 * reported. */
void *counts_image_take(size_t size);
bool counts_image_has(const void *at);
/* Of the memory that it gave: returned to the kernel, unless it is of the image. */
void counts_image_give_back(void *at, size_t size);
/* In the child of a fork, which needs an image of its own under this name, and then has the same memory there. What
 * cannot be is reported, and memory is that of the process alone. */
void counts_image_forked(const char *name);

#endif
