/* SPDX-License-Identifier: MIT
 * live_recording: turns what watchers hand over into records, and reports problems with a process when they begin and
 * end. */
#ifndef STKCAP_LIVE_RECORDING_H
#define STKCAP_LIVE_RECORDING_H

#include "live_state.h"

/* Records what one watcher, or all, handed over; removes those that are over. What cannot be written is counted, and
 * the capture continues. -1 with *err: the output has no reader any more. */
int  live_record(struct live *live, struct watched *watched, struct taken *taken, struct stk_error *err) STK_MUST_CHECK;
int  live_record_all(struct live *live, struct stk_error *err) STK_MUST_CHECK;
/* Notes that something was not written, for the reason in *err. -1: the output has no reader any more. */
int  live_note_unwritten(struct live *live, struct stk_error *err);
/* Records the final counters of a watcher, and frees it. */
void live_end_watched(struct live *live, struct watched *watched);

#endif
