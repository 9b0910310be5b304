/* SPDX-License-Identifier: MIT
 * file_pattern: names of files that are made of a time, by a pattern of strftime(3), and of the number of a part; and
 * which names a pattern can have made. */
#ifndef CAPTURE_FILE_PATTERN_H
#define CAPTURE_FILE_PATTERN_H

#include "stkpipe/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define FILE_PARTS_MAX 100000	/* files of one time */

struct time_zone;

/* The name of a time's file. A pattern without conversions is the name itself. */
void file_pattern_name(const char *pattern, const struct time_zone *zone, int64_t time_ns, char to[PATH_MAX]);
/* "cap.stk", "cap.2.stk", ...: the number of a part goes before the last dot, or to the end where there is no dot. */
void file_pattern_part(const char *name, unsigned part, char to[PATH_MAX]);

/* -1 (STK_EUSAGE): one of its conversions cannot be recognised in a name. */
int  file_pattern_check(const char *pattern, struct stk_error *err) STK_MUST_CHECK;
/* Whether this is exactly the name of some time and part. The pattern passed file_pattern_check. */
bool file_pattern_made(const char *pattern, const struct time_zone *zone, const char *name);
/* A pattern of glob(3) for all these names; it matches others as well. */
void file_pattern_glob(const char *pattern, char to[PATH_MAX]);

#endif
