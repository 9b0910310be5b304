/* SPDX-License-Identifier: MIT
 * status_text: how a running capture is doing, as the text that it sends to who asks, and read from there. A line is a
 * word and fields NAME=VALUE with tabs between; fields that a reader does not know are skipped. */
#ifndef CAPTURE_STATUS_TEXT_H
#define CAPTURE_STATUS_TEXT_H

#include "base/array.h"
#include "base/text_buffer.h"

struct status_capture {
	uint64_t pid;
	double uptime_seconds;
	struct stk_text file;		/* empty: standard output */
	uint64_t file_bytes;
	uint64_t dumps, samples, lost_dumps, lost_samples;
	double cpu_share;		/* of one processor, that the capture uses */
	uint64_t processes_left_out;
	uint64_t uploads_waiting, upload_failures;
	uint64_t ticks_expected, ticks_seen, ticks_lost;
	double memory_seconds;		/* that --look-back has in memory now */
	uint64_t memory_bytes;
};

struct status_process {
	struct stk_text name, way;		/* jvm, native or exec */
	uint64_t pid;		/* 0: a command */
	double every_seconds, interval_seconds;		/* as asked for, and as it is now */
	uint64_t expected, seen, partial, refused, late, owed, unmet, skipped;
	double pause_share, budget_share;		/* of its time, that it is stopped, and may be */
};

struct status {
	struct status_capture capture;
	ARRAY(struct status_process) processes;
	bool whole;		/* the text has its end */
};

enum status_form { STATUS_COUNT, STATUS_REAL, STATUS_TEXT };

/* What the fields are called, in the text and as metrics. */
struct status_field {
	const char *name;
	enum status_form form;
	size_t offset;
	const char *metric;		/* NULL: none */
	bool grows;		/* a counter */
	const char *help;
};

extern const struct status_field status_capture_fields[], status_process_fields[];		/* up to a NULL name */

uint64_t status_count(const void *of, const struct status_field *field);
double status_real(const void *of, const struct status_field *field);
struct stk_text status_words(const void *of, const struct status_field *field);

void status_write(struct text_buffer *to, const struct status *status);
/* The texts remain in what was read. -1: not such a text. */
int status_read(struct status *status, struct stk_text text, struct stk_error *err) STK_MUST_CHECK;
void status_release(struct status *status);

#endif
