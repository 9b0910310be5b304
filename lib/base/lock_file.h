/* SPDX-License-Identifier: MIT
 * lock_file: keeps a second run from a file that the first one is about to replace. */
#ifndef BASE_LOCK_FILE_H
#define BASE_LOCK_FILE_H

#include "stkpipe/error.h"

#include <stdbool.h>

struct lock_file;

/* Takes PATH.lock; -1 when another run has it. */
int  lock_file_take(struct lock_file **out, const char *path, struct stk_error *err) STK_MUST_CHECK;
void lock_file_release(struct lock_file *lock);		/* NULL does nothing */


/* Locks an open file. False, with errno: EWOULDBLOCK when another process has it, or why it cannot be locked. */
bool lock_file_try(int fd);

#endif
