/* SPDX-License-Identifier: MIT
 * capture_files: the output of a live capture: standard output, or files that are always readable, because a capture
 * may end at any time, by a signal or a power failure. A file that a killed capture left is repaired and appended to. A
 * pattern of times makes a new file per hour or day; old ones are removed as requested. If another program removes,
 * moves, truncates or writes to a file, this is noticed before more is written, and the lost rows are counted. */
#ifndef STKCAP_CAPTURE_FILES_H
#define STKCAP_CAPTURE_FILES_H

#include "capture_rows.h"

#include "stkpipe/stream.h"

struct capture_files;
struct time_zone;
struct stk_workers;

struct file_plan {
	const char *name;		/* a strftime(3) pattern; NULL or "-": standard output */
	const struct time_zone *zone;
	struct stk_workers *workers;
	int64_t level;			/* -1: the default */
	int64_t most_bytes;		/* of a file; 0: any */
	int64_t keep;			/* files; 0: all. With it, most_total or most_age_ns the name passed
				 * file_pattern_check */
	int64_t most_total;		/* bytes of all files; 0: any */
	int64_t most_age_ns;		/* since a file was last written; 0: any */
	int64_t look_back_ns;		/* for capture_files_hold; not above 0: it is not called */
	/* called with each file that is about to be written, and that is left whole and closed; NULL: not */
	void (*begun)(void *context, const char *path);
	void (*finished)(void *context, const char *path);
	void *context;
};

struct capture_totals {
	struct capture_rows kept;	/* in the files, written by this capture */
	struct capture_rows lost;	/* not written, or in files that others removed or truncated */
	struct capture_rows unneeded;	/* in memory at the end, and not to be written */
};

/* So far; *bytes: of the present file. */
const struct capture_totals *capture_files_totals(const struct capture_files *files, int64_t *bytes);

/* The plan is borrowed. */
void capture_files_open(struct capture_files **out, const struct file_plan *plan);

/* The writer for rows of this time. *fresh: it begins a new stream, so that ids start anew. STK_ESYSTEM:
 * nothing can be written now; it may be later. */
int  capture_files_writer(struct capture_files *files, int64_t time_ns, struct stk_writer **writer, bool *fresh,
			  struct stk_error *err) STK_MUST_CHECK;

/* Writes what was added so far, in one piece. When that fails, the file is unchanged, and the next writer is a fresh
 * one. */
int  capture_files_commit(struct capture_files *files, struct stk_error *err) STK_MUST_CHECK;

/* From now on rows are kept in memory, those of the last look_back_ns; the present file is completed. */
int  capture_files_hold(struct capture_files *files, struct stk_error *err) STK_MUST_CHECK;
/* What is in memory is written, before what comes now. When that fails, the rest stays in memory, as what comes does:
 * call it again later. time_ns chooses the file. */
int  capture_files_release(struct capture_files *files, int64_t time_ns, struct stk_error *err) STK_MUST_CHECK;
/* NULL: rows go to a file. */
struct look_back;
const struct look_back *capture_files_held(const struct capture_files *files);

/* Completes the present file, and opens that of the next time again: it may have been moved. */
int  capture_files_reopen(struct capture_files *files, struct stk_error *err) STK_MUST_CHECK;

const char *capture_files_name(const struct capture_files *files);	/* of the present file, for messages */
/* For the end record of the present stream, or of the next. */
void capture_files_lost(struct capture_files *files, uint64_t incidents);
/* Rows that could not even be added, because there was no writer: they are lost. */
void capture_files_unwritten(struct capture_files *files, const struct capture_rows *rows);

/* Ends the present stream whole. files may be NULL, and so may totals. */
int  capture_files_close(struct capture_files *files, struct capture_totals *totals,
			 struct stk_error *err) STK_MUST_CHECK;

#endif
