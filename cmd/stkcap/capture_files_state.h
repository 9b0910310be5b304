/* SPDX-License-Identifier: MIT
 * capture_files_state: what the parts of capture_files share. */
#ifndef STKCAP_CAPTURE_FILES_STATE_H
#define STKCAP_CAPTURE_FILES_STATE_H

#include "capture_files.h"

#include "base/array.h"

#include <limits.h>

struct capture_files {
	const struct file_plan *plan;
	struct stk_writer *writer;	/* NULL: none yet, or the last one failed */
	ARRAY(char) pending;		/* not committed */
	int fd;				/* -1: none */
	bool plain;			/* standard output, or another thing that is not a file */
	/* the next file must be empty or missing: the file with the last one's name is no longer ours */
	bool anew;
	bool created;			/* the present file was not there before */
	unsigned part;			/* of the present time's file; earlier parts are full, or not ours */
	int64_t size, began;		/* of the file, as committed; and when it was opened */
	char stem[PATH_MAX], path[PATH_MAX];	/* by the pattern; and with a part's number */
	uint64_t incidents;		/* for the end record */
	/* when a reader that takes nothing is not waited for any more; 0: not stopping yet */
	int64_t give_up_ns;
	/* that were committed: of the present stream, which the writer counts, and of the present file */
	struct capture_rows stream, file;
	struct capture_totals totals;
	struct look_back *back;		/* NULL: none is asked for */
	bool holding;			/* rows go there, and not to a file */
	bool wanted;			/* they were to be written, and could not be */
};

/* The present file of this time, opened if it is not, or standard output. */
int capture_files_ready(struct capture_files *files, int64_t time_ns, struct stk_error *err) STK_MUST_CHECK;
/* Writes whole streams to it. */
int capture_files_put(struct capture_files *files, const void *bytes, size_t size,
		      struct stk_error *err) STK_MUST_CHECK;
/* Ends the present stream, and leaves its file. */
int capture_files_finish(struct capture_files *files, bool over, struct stk_error *err) STK_MUST_CHECK;
/* plain: not a file. */
int capture_files_level(const struct capture_files *files, bool plain);

/* Frees what is in memory, which was not needed, or could not be written: it is counted. */
void capture_files_hold_end(struct capture_files *files);

#endif
