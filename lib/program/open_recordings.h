/* SPDX-License-Identifier: MIT
 * open_recordings: opens recordings for reports, and says what is damaged or missing in them. */
#ifndef PROGRAM_OPEN_RECORDINGS_H
#define PROGRAM_OPEN_RECORDINGS_H

#include "base/time_range.h"
#include "base/time_text.h"
#include "timetree/recording.h"

/* Opens a recording; damaged parts are reported, and with verbose the nodes that are visited. *out is where it stays
 * until it is closed. All count the event of the first, by its keys where none are asked for. -1 with *err, which names
 * the file. */
int open_recording(struct recording **out, const char *path, const struct recording_options *options, bool verbose,
		   struct stk_error *err);
/* Warns about undefined ids in the reports, and closes it. NULL: does nothing. */
void close_recording(struct recording *recording);

/* The same without closing these; and nothing is reported from now on: what is read again was reported before. */
void hush_recordings(struct recording *const *recordings, int count);
/* How much damage was reported. */
uint64_t recordings_damaged(void);

/* Several recordings as one: what they count, and by which clock. */
struct recordings_facts {
	struct time_range times;
	const char *event;
	bool seconds;			/* their clocks count from an unknown start */
	bool mixed;			/* they have clocks of two kinds */
};

struct recordings_facts facts_of_recordings(struct recording *const *recordings, int count);

/* The times of the samples of some recordings together. */
struct time_range range_of_recordings(struct recording *const *recordings, int count);

/* Says which event was counted, where samples of others were left out: trees do not know how many of a window. */
void say_other_events_of(struct recording *const *recordings, int count);

/* Reports what is unknown or missing in some windows: their places in the recording, clocks, samples without times. */
void say_windows(const struct recording *recording, const char *path, const struct time_zone *zone,
		 const struct tree_interval *windows, size_t count);

#endif
