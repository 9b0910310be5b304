/* SPDX-License-Identifier: MIT
 * file_end: another end for a file that stays as it is before it, so that a file of which this was cut short answers
 * for what was there. */
#ifndef TIMETREE_FILE_END_H
#define TIMETREE_FILE_END_H

#include "base/scratch.h"

#include <stdbool.h>

/* The content of a scratch replaces all bytes of the file from `place` on, and is synced to the disk. The path is for
 * messages. Cost: the old end is copied first, then the new one. -1 with *err: the file is unchanged; or, if *torn, the
 * old end could not be restored: what is before `place` is whole. */
int file_end_replace(int fd, int64_t place, const struct scratch *with, const char *path, bool *torn,
	struct stk_error *err) STK_MUST_CHECK;

#endif
