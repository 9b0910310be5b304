/* SPDX-License-Identifier: MIT
 * old_files: keeps the latest of the files that a pattern made, and finds it. */
#ifndef CAPTURE_OLD_FILES_H
#define CAPTURE_OLD_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct time_zone;

struct old_file {
	const char *path;
	int64_t bytes;
	struct timespec changed;	/* when it was last written: its name need not tell */
	bool removed;			/* chosen by old_files_choose */
};

struct old_files_plan {
	const char *pattern;		/* passed file_pattern_check */
	const struct time_zone *zone;
	int64_t keep;			/* files, with the present one; 0: all */
	int64_t most_bytes;		/* of all files, with the present one; 0: any */
	int64_t written_after;		/* seconds since 1970: files that were last written before that go */
};

/* Sorts files, the latest first (of equals, the one that sorts last by path), and marks those that do not stay beside a
 * present file of so many bytes. */
void old_files_choose(struct old_file *files, size_t count, const struct old_files_plan *plan, int64_t present_bytes);

/* Removes what the plan does not keep beside the present file. A file is removed only when it is a record stream, the
 * pattern can have made its name, and no capture holds it; others do not count either. hear is called for each file
 * that was removed, with 0, or could not be, with errno. */
void old_files_remove(const struct old_files_plan *plan, const char *present, int64_t present_bytes,
		      void (*hear)(const char *path, int error));

/* The file of a pattern that was written last, into to: false when there is none. The pattern passed
 * file_pattern_check. */
bool old_files_latest(const char *pattern, const struct time_zone *zone, char to[PATH_MAX]);

#endif
