/* SPDX-License-Identifier: MIT
 * scratch: a temporary file without a name, in TMPDIR or /var/tmp: written at its end, read anywhere, removed with the
 * program. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scratch;

int  scratch_open(struct scratch **out, struct stk_error *err) STK_MUST_CHECK;
/* A scratch in a file that is open for reading and writing, and empty: both stay the lender's, and outlive it. Messages
 * have this name. */
struct scratch *scratch_lent(int fd, const char *name);
bool scratch_is_in(const struct scratch *scratch, int fd);	/* whether this file was lent to it */
int  scratch_write(struct scratch *scratch, const void *from, size_t size, struct stk_error *err) STK_MUST_CHECK;
/* Up to size bytes; fewer only at the end; -1 with *err. */
long scratch_read_at(const struct scratch *scratch, void *to, size_t size, int64_t offset,
		     struct stk_error *err) STK_MUST_CHECK;
int64_t scratch_size(const struct scratch *scratch);
void scratch_empty(struct scratch *scratch);		/* empties it */
void scratch_close(struct scratch *scratch);		/* NULL does nothing */

#endif
