/* SPDX-License-Identifier: MIT
 * live_recording: what watchers hand over becomes records, and troubles of a process are reported when they begin and
 * end. */
#ifndef STKCAP_LIVE_RECORDING_H
#define STKCAP_LIVE_RECORDING_H

#include "live_state.h"

/* Records what one of them handed over, and all of them; who is over leaves. What cannot be written is counted, and the
 * capture goes on. -1 with *err: nobody reads the output any more. */
int  live_record(struct live *live, struct watched *watched, struct taken *taken, struct stk_error *err) STK_MUST_CHECK;
int  live_record_all(struct live *live, struct stk_error *err) STK_MUST_CHECK;
/* Notes that something was not written, for the reason in *err. -1: nobody reads any more. */
int  live_note_unwritten(struct live *live, struct stk_error *err);
/* A watcher's last word: its counters. Frees it. */
void live_end_watched(struct live *live, struct watched *watched);

#endif
