/* SPDX-License-Identifier: MIT
 * file_changes: what others did to a file that is being written, and what is left in it. */
#ifndef CAPTURE_FILE_CHANGES_H
#define CAPTURE_FILE_CHANGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum file_state { FILE_AS_LEFT, FILE_REMOVED, FILE_MOVED, FILE_CUT, FILE_GROWN };

/* The state of an open file that was left with `left` bytes; *bytes: how many it has now, when that is known. */
enum file_state file_state_of(int fd, const char *path, int64_t left_bytes, int64_t *bytes);

/* Whether a path names this file, or cannot be examined. */
bool file_is_named(const char *path, const struct stat *is);

/* Counts the dumps and samples of the streams that begin at or after this offset of a file of records, as far as they
 * are whole; none when the file cannot be read. */
struct file_rows { uint64_t dumps, samples; };
struct file_rows file_rows_from(const char *path, int64_t began);

#endif
