/* SPDX-License-Identifier: MIT
 * locked_file: opens the file that a capture writes to, for itself alone: two captures into one file would mix their
 * blocks. */
#ifndef CAPTURE_LOCKED_FILE_H
#define CAPTURE_LOCKED_FILE_H

#include "stkpipe/error.h"

#include <sys/stat.h>

/* The descriptor, with *is; -1 with *err (STK_ESYSTEM). Creates the file if there is none. What is not a regular file
 * is not locked. */
int locked_file_open(const char *path, struct stat *is, struct stk_error *err) STK_MUST_CHECK;

/* Whether the file can be opened later, as far as can be said without creating it. */
int locked_file_is_possible(const char *path, struct stk_error *err) STK_MUST_CHECK;

#endif
