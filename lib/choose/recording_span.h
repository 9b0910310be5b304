/* SPDX-License-Identifier: MIT
 * recording_span: when recordings begin and end, and in which zone their clocks were, without reading their rows: the
 * headers of blocks know. */
#ifndef CHOOSE_RECORDING_SPAN_H
#define CHOOSE_RECORDING_SPAN_H

#include "base/time_range.h"
#include "stkpipe/error.h"

#include <stdbool.h>

#define SPAN_ZONE_MAX 100

struct stream_file;

struct recording_span {
	struct time_range range;	/* of all rows with a time, definitions too */
	char zone[SPAN_ZONE_MAX];	/* of the sources; "" when none says one, or they do not agree */
	bool zones_differ;
};

/* Sets *span to that of no recording. */
void recording_span_init(struct recording_span *span);

/* Adds a file. Damage is skipped: the reader of the rows reports it. -1 with *err: it cannot be read, and *span is
 * unchanged. keep, unless it is NULL, gets the file, which stays open, or NULL where that may have hidden damage from
 * who reads it next. ids: it was opened with those of its blocks. */
int  recording_span_add(struct recording_span *span, const char *path, struct stream_file **keep, bool ids,
			struct stk_error *err) STK_MUST_CHECK;

#endif
