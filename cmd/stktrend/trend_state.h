/* SPDX-License-Identifier: MIT
 * trend_state: where all filters stand, as records: of a stream that passes by, and of the file of --state, from which another run goes on. */
#ifndef STKTREND_TREND_STATE_H
#define STKTREND_TREND_STATE_H

#include "series_set.h"

#include "stkpipe/stream.h"

struct output;

/* Filter states and factors; whole: also what only a run that goes on needs. */
int trend_state_add(struct series_set *set, bool whole, struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;

/* What was seen in this run; old: of earlier ones, too. */
int trend_state_add_changes(struct series_set *set, bool old, struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;

/* The file of --state. Read: 1, 0 when there is none yet. identity: of the options, which must be those that it was made with. */
int trend_state_read(const char *path, const char *identity, struct series_set *set, struct stk_error *err) STK_MUST_CHECK;
/* Writes a new state beside the old one. To close *output, also after a failure, is the caller's: it is kept when all that this run found was delivered. */
int trend_state_write(struct output **output, const char *path, const char *identity, struct series_set *set, struct stk_error *err) STK_MUST_CHECK;

#endif
