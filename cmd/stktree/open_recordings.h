/* SPDX-License-Identifier: MIT
 * open_recordings: opens recordings for reports, and says what is damaged or missing in them. */
#ifndef STKTREE_OPEN_RECORDINGS_H
#define STKTREE_OPEN_RECORDINGS_H

#include "tree_settings.h"

/* Opens a recording for the settings; damaged parts are reported. *out is where it stays until it is closed. All count
 * the event of the first. -1 with *err, which names the file. */
int open_recording(struct recording **out, const char *path, const struct settings *settings, struct stk_error *err);
/* Warns about undefined ids in the reports, and closes it. NULL: does nothing. */
void close_recording(struct recording *recording);

/* The same without closing these; and nothing is reported from now on: what is read again was reported before. */
void hush_recordings(struct recording *const *recordings, int count);

#endif
