/* SPDX-License-Identifier: MIT
 * window_report: the reports of stktree: recordings, windows, tables, and the messages about them. */
#ifndef STKTREE_WINDOW_REPORT_H
#define STKTREE_WINDOW_REPORT_H

#include "tree_settings.h"

#include "base/output.h"

/* Opens a recording for the settings; damaged parts are reported. -1 with *err, which names the file. */
int open_recording(struct recording **out, const char *path, const struct settings *settings, struct stk_error *err);
/* Warns about undefined ids in the reports, and closes it. NULL: does nothing. */
void close_recording(struct recording *recording);

/* The same without closing it; and no damage is reported from now on: what is read again was reported before. */
void say_lost_ids(const struct recording *recording);
void hush_recordings(void);

/* Reports the windows of the settings over all operands together. */
int report_windows(
	const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err);

/* The times of the samples of some recordings together. */
struct time_range range_of_recordings(struct recording *const *recordings, int count);

/* Reports what is unknown or missing in a window: its place in the recording, clocks, samples without times,
 * coverage. */
void say_window(const struct recording *recording, const char *path, const struct settings *settings,
	struct tree_interval window);
void say_answer(
	const struct answer *answer, struct recording *const *recordings, int count, const struct settings *settings);

/* difference.c: each of the others with the first. Rules: findings raise the status. */
int report_difference(
	const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err);

#endif
