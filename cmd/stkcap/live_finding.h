/* SPDX-License-Identifier: MIT
 * live_finding: finds the processes that were asked for, and has each watched by a thread of its own. */
#ifndef STKCAP_LIVE_FINDING_H
#define STKCAP_LIVE_FINDING_H

#include "live_state.h"

#define SCAN_SOON_NS INT64_C(200000000)	/* between two looks for somebody who was named and is not there */

/* Looks for all, and sets the first moment, which is that of all who are there. -1 with *err: a thread or a command
 * cannot be started. */
int  live_begin(struct live *live, struct stk_error *err) STK_MUST_CHECK;
/* Looks for new processes, when it is time to. */
void live_scan(struct live *live);
/* Whether somebody who was asked for was not met yet. */
bool live_is_somebody_missing(const struct live *live);
/* Why somebody who was asked for gave nothing. */
void live_report_missing(struct live *live);
/* Frees it, with its watcher and sources. */
void watched_release(struct watched *watched);

#endif
