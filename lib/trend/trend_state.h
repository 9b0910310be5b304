/* SPDX-License-Identifier: MIT
 * trend_state: the state of all filters, as records: of a stream that is passed on, and of a state, from which another
 * run resumes; states of several runs are read one after the other, if each series, and the dumps, are in one of
 * them. */
#ifndef TREND_TREND_STATE_H
#define TREND_TREND_STATE_H

#include "stkpipe/stream.h"
#include "trend/series_set.h"

/* Filter states and factors; whole: also what only a run that goes on needs. */
int trend_state_add(const struct series_set *set, bool whole, struct stk_writer *writer,
		    struct stk_error *err) STK_MUST_CHECK;

/* What was seen in this run, of the changes that were judged; old: of earlier ones, too. */
int trend_state_add_changes(const struct series_set *set, bool old, struct stk_writer *writer,
			    struct stk_error *err) STK_MUST_CHECK;

/* All that another run needs, into a state. */
int trend_state_write(struct series_set *set, struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;

struct trend_state;		/* a state that is being read */

/* The set is borrowed, and has no series but those of other states; it is filled as blocks come. */
void trend_state_open(struct trend_state **out, struct series_set *set);
/* Takes the reader's present block in. -1: it does not hold together, or another state has the same; then the set may
 * only be closed. */
int trend_state_take(struct trend_state *state, struct stk_reader *reader, const struct stk_block *block,
		     struct stk_error *err) STK_MUST_CHECK;
/* Builds between two releases wrote what a class goes through without its order, which says what is in what: it is left
 * out, and known again of each class that comes again. */
bool trend_state_left_paths(const struct trend_state *state);
void trend_state_close(struct trend_state *state);		/* NULL does nothing */

#endif
