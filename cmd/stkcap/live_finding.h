/* SPDX-License-Identifier: MIT
 * live_finding: finds the requested processes, and starts a thread for each that watches it. */
#ifndef STKCAP_LIVE_FINDING_H
#define STKCAP_LIVE_FINDING_H

#include "live_state.h"

#define SCAN_SOON_NS INT64_C(200000000)	/* between two searches for a named process that is missing */

/* Reads which names the processes had in the file that this capture continues. Before live_begin. */
void live_read_names(struct live *live);
/* Looks for all, and sets the first moment, the same for all that are found. -1 with *err: a thread or a command
 * cannot be started. */
int  live_begin(struct live *live, struct stk_error *err) STK_MUST_CHECK;
/* Looks for new processes, when it is time to. */
void live_scan(struct live *live);
/* Whether a requested process was not found yet. */
bool live_is_somebody_missing(const struct live *live);
/* Frees it, with its watcher and sources. */
void watched_release(struct watched *watched);

#endif
