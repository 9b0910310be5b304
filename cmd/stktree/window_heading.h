/* SPDX-License-Identifier: MIT
 * window_heading: what windows are called, and what is counted in them. */
#ifndef STKTREE_WINDOW_HEADING_H
#define STKTREE_WINDOW_HEADING_H

#include "tree_settings.h"

#include "base/text_buffer.h"
#include "program/open_recordings.h"

/* What the numbers of a report are. */
struct counted {
	uint64_t samples, weight;
	bool estimated;			/* some of them are */
	bool plain;			/* they count samples, not weights of the event */
	const char *event;		/* a name, EVENT_NONE or "all" */
	double covered;			/* the share of the samples whose stacks are known; NAN: unknown */
};

/* "09:00:00Z to 10:00:00Z, 11:00:00Z to 12:00:00Z: 7 samples, 12.3M cycles": the times that are known. */
void add_heading(struct text_buffer *to, const struct tree_interval *windows, unsigned count,
		 const struct recordings_facts *facts, const struct counted *counted, const struct time_zone *zone);

/* The unit of the numbers: "samples", "cpu time", "cycles". */
void add_unit(struct text_buffer *to, const struct counted *counted);
/* Whether the numbers are nanoseconds. */
bool counts_time(const struct counted *counted);

/* Classes or groups that are to be shown and are nowhere: everything would be one row, without a class. -1: they are
 * not there. */
int need_labels(struct recording *const *recordings, int count, const char *path,
		const struct recording_options *options, struct stk_error *err) STK_MUST_CHECK;

/* Says which events were left out, or mixed; `weights` are added up, or samples. */
void say_events(struct recording *const *recordings, int count, bool weights);

#endif
