/* SPDX-License-Identifier: MIT
 * window_records: what stktree knows of a window as a record stream for another filter: its stacks, a sample for each,
 * whose weight is its count; or findings of rules. */
#ifndef STKTREE_WINDOW_RECORDS_H
#define STKTREE_WINDOW_RECORDS_H

#include "base/output.h"
#include "timetree/recording.h"

struct window_records;

int window_records_open(struct window_records **out, struct output *output, struct stk_error *err) STK_MUST_CHECK;
/* The source that rows of a recording have, with its clock; the recording is called by its file. */
uint32_t window_records_source(struct window_records *records, const struct recording_facts *facts, const char *name);
int window_records_add(struct window_records *records, struct recording *recording, const char *name,
	struct tree_interval window, struct answer *answer, struct stk_error *err) STK_MUST_CHECK;
/* Gets the next number. */
int window_records_add_finding(struct window_records *records, struct stk_finding *row,
	struct stk_error *err) STK_MUST_CHECK;
/* A remark for whoever reads the records. */
int window_records_note(struct window_records *records, const char *about, const char *text,
	struct stk_error *err) STK_MUST_CHECK;
/* NULL does nothing. */
int window_records_close(struct window_records *records, bool whole, struct stk_error *err) STK_MUST_CHECK;

#endif
