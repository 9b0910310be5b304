/* SPDX-License-Identifier: MIT
 * late_library: a library that few runs of a program need is loaded when one does: the others begin the sooner. */
#ifndef BASE_LATE_LIBRARY_H
#define BASE_LATE_LIBRARY_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>

struct late_function { const char *name; void *at; };	/* at: a pointer to a function of its type, filled in */

struct late_library {
	const char *file;			/* as the loader knows it: libarchive.so.13 */
	const struct late_function *functions;
	size_t count;
	bool loaded;
};

/* Loads it if it was not yet; from any thread. STK_EDATA: it is not there, or another than was expected; what needs it
 * cannot be read here. */
int late_library_load(struct late_library *library, struct stk_error *err) STK_MUST_CHECK;

#endif
