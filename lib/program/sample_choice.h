/* SPDX-License-Identifier: MIT
 * sample_choice: the options by which every filter selects samples: one table, with one name and one meaning for each.
 *
 *	static const struct option_row options[] = { ..., OPT_TABLE(sample_choice_options), ..., OPT_END };
 *	program_begin(...)
 *	sample_choice_read(&choice, argv + first, argc - first)
 *	... choice.selection, choice.zone ...
 *	sample_choice_report(&choice, &filter)
 *
 * A clock time (09:00) is on the day of the recording's last row, and -2h is before that row, where an input is a file;
 * from a pipe both are relative to now. Both are in the zone of --zone, or else in the one zone of the recordings'
 * sources, or else UTC. */
#ifndef PROGRAM_SAMPLE_CHOICE_H
#define PROGRAM_SAMPLE_CHOICE_H

#include "choose/recording_span.h"
#include "choose/selection.h"
#include "program/options.h"

struct filter;

/* --from --to --window --thread --process --state --event --grep --invert --where --running; and --zone,
 * separate for filters with another use of it, which set the zone before sample_choice_read. */
extern const struct option_row sample_choice_options[], sample_zone_option[];
void sample_choice_set_zone(const char *name);

struct sample_choice {
	struct selection_options selection;	/* what it points to lives until sample_choice_release */
	struct time_zone *zone;			/* of --zone; NULL: not given */
	struct time_zone *typed_zone;		/* of the times that were typed, when that is the recordings'; NULL:
						 * zone's */
	const char *from, *to, *zone_name;	/* as they were typed: NULL when not given */
	struct time_window windows[OPTION_TEXTS_MOST + 1];	/* of the selection: in order, none touches another */
	struct recording_span span;		/* of the operands that are files; only read when a time was given */
	int64_t last_ns;			/* what times are relative to */
};

/* For filters that open recordings, before sample_choice_read: where the times of one file are needed to read those
 * that were typed, it stays open. */
void sample_choice_keep_file(void);
/* That file, if it is this one and nothing is wrong with it so far, for recording_options; else NULL. */
struct stream_file *sample_choice_take_file(const char *path);

/* The options, for these operands. A mistake ends the program. */
void sample_choice_read(struct sample_choice *choice, char **operands, int count);

/* Finds what times are relative to, and the zone in which they are typed, for a filter that takes times of its own. */
void sample_choice_refer(struct sample_choice *choice, char **operands, int count);

/* Whether any of these options, other than --zone and times, was used: not all samples of the window are selected. */
bool sample_choice_is_filtered(void);
/* The selection, as it was typed: for states, which must not be resumed with another one. */
void sample_choice_describe(char *to, size_t size);
/* Whether a time was given. */
bool sample_choice_has_window(void);

/* For filters whose --state was a file before: adds to a failure of selection_open the present name of --state FILE.
 * Always -1. */
int sample_choice_was_file(struct stk_error *err);

/* The zone of times that are typed; NULL: UTC. */
const struct time_zone *sample_choice_typing_zone(const struct sample_choice *choice);

/* After the last input: warns when windows were given and the recording is outside all of them. True when it did. */
bool sample_choice_report(const struct sample_choice *choice, const struct filter *filter);
/* What to say when a window is outside of a recording: why that may be so, or "". */
const char *sample_choice_hint(void);

void sample_choice_release(struct sample_choice *choice);

#endif
