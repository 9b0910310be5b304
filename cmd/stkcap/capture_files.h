/* SPDX-License-Identifier: MIT
 * capture_files: where a live capture is written: standard output, or files that are always readable, because a capture ends as it likes, by a signal or by the
 * power. What a killed capture left behind is mended, and the file is added to. A pattern of times makes a new file an hour or a day; old ones are removed as asked. */
#ifndef STKCAP_CAPTURE_FILES_H
#define STKCAP_CAPTURE_FILES_H

#include "stkpipe/stream.h"

struct capture_files;
struct time_zone;
struct workers;

struct file_plan {
	const char *name;		/* a pattern of strftime(3)'s; NULL or "-": standard output */
	const struct time_zone *zone;
	struct workers *workers;
	int64_t level;			/* -1: as fits */
	int64_t most_bytes;		/* of a file; 0: any */
	int64_t keep;			/* files; 0: all. With it, or most_total, the name passed file_pattern_check */
	int64_t most_total;		/* bytes of all files; 0: any */
};

/* The plan is borrowed. */
void capture_files_open(struct capture_files **out, const struct file_plan *plan);

/* The writer for what happens at this time. *fresh: it begins a new stream, so that ids start anew. STK_ESYSTEM: nothing can be written now; it may be later. */
int  capture_files_writer(struct capture_files *files, int64_t time_ns, struct stk_writer **writer, bool *fresh, struct stk_error *err) STK_MUST_CHECK;

/* What was added so far goes out, all in one piece. When that fails, the file is as it was before, and the next writer is a fresh one. */
int  capture_files_commit(struct capture_files *files, struct stk_error *err) STK_MUST_CHECK;

/* The present file ends whole, and the next time's is opened anew: somebody may have moved it away. */
int  capture_files_reopen(struct capture_files *files, struct stk_error *err) STK_MUST_CHECK;

const char *capture_files_name(const struct capture_files *files);	/* of the present file, for messages */
void capture_files_lost(struct capture_files *files, uint64_t incidents);

/* Ends the present stream whole. files may be NULL. */
int  capture_files_close(struct capture_files *files, struct stk_error *err) STK_MUST_CHECK;

#endif
