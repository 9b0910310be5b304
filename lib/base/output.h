/* SPDX-License-Identifier: MIT
 * output: bytes to stdout or to a file that appears whole or not at all: it is written beside its name and renamed when
 * it is closed successfully. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/scratch.h"
#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>

struct output;

/* path NULL or "-" is stdout. A device, a pipe or a socket is written directly. Messages of an output name the file. */
int  output_open(struct output **out, const char *path, struct stk_error *err) STK_MUST_CHECK;
/* all of it, unbuffered */
int  output_write(struct output *out, const void *from, size_t size, struct stk_error *err) STK_MUST_CHECK;
/* A scratch whose bytes go to the new file as they are written, and need not be copied: to be closed before the output.
 * NULL when there is no new file, or when its scratch was given away. */
struct scratch *output_scratch(struct output *out);
/* The bytes of a scratch, and nothing else, become those of the output: they are copied if they are elsewhere. */
int  output_take(struct output *out, const struct scratch *from, struct stk_error *err) STK_MUST_CHECK;
bool output_is_terminal(const struct output *out);
bool output_is_file(const struct output *out);		/* a regular file: worth a good compression */

/* keep: rename the new file into place (fsync first); else remove it. Closing is checked: a full disk is -1. out may be
 * NULL. Once the program's status is 3 nothing is replaced: then keep returns -1 with *err. stdout stays open:
 * program_end closes it, and checks. */
int  output_close(struct output *out, bool keep, struct stk_error *err) STK_MUST_CHECK;

#endif
