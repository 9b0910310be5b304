/* SPDX-License-Identifier: MIT
 * count_state: what the watches of counts know, as records. */
#ifndef TREND_COUNT_STATE_H
#define TREND_COUNT_STATE_H

#include "stkpipe/stream.h"
#include "trend/series_set.h"

/* Of the watches themselves, in the order of series_set_clocks_by_source. */
int count_state_add_clocks(const struct series_set *set, const uint32_t *clocks, struct stk_writer *writer,
			   struct stk_error *err) STK_MUST_CHECK;
/* Of a series, whose filter_state has that id. */
int count_state_add(const struct series_set *set, uint32_t id, const struct series *series, struct stk_writer *writer,
		    struct stk_error *err) STK_MUST_CHECK;

/* Takes a row in; which series, or which clock, its id stands for. -1: it cannot be. */
int count_state_take(struct series_set *set, uint32_t series, uint32_t clock, const struct stk_count_state *row,
		     struct stk_error *err) STK_MUST_CHECK;
/* Whether a row is of a clock. */
bool count_state_is_of_clock(const struct stk_count_state *row);
/* All rows were taken. */
void count_state_settle(struct series_set *set);

#endif
