/* SPDX-License-Identifier: MIT
 * upload_marks: which files of a pattern are still to be uploaded, on disk, so that a capture that was killed does not
 * forget them. The mark of cap.stk is an empty file beside it, .cap.stk.upload. */
#ifndef CAPTURE_UPLOAD_MARKS_H
#define CAPTURE_UPLOAD_MARKS_H

#include "stkpipe/error.h"

struct time_zone;

/* -1 with *err: it cannot be made. */
int upload_mark_set(const char *path, struct stk_error *err) STK_MUST_CHECK;
void upload_mark_remove(const char *path);

/* Hands over each marked file that is there, but not `present`, in the order of their names, each whole up to its last
 * dump. Marks and files of other users, and files that another capture writes to, do not count; marks of files that are
 * gone or empty are removed. The pattern passed file_pattern_check. */
typedef void upload_marks_see(void *context, const char *path);
void upload_marks_each(const char *pattern, const struct time_zone *zone, const char *present, upload_marks_see *see,
		       void *context);

#endif
