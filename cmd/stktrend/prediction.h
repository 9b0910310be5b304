/* SPDX-License-Identifier: MIT
 * prediction: a plain series followed measure by measure as if each were the last one known: what was expected of it is what its past alone says. */
#ifndef STKTREND_PREDICTION_H
#define STKTREND_PREDICTION_H

#include "plain_series.h"

/* Follows all points of a series; rows (may be NULL) gets a line for each. The series' filter, model and changes are those after the last. */
int predict_series(struct series_set *set, const struct settings *settings, uint32_t number, struct plain_points *points, struct row_printer *rows, struct stk_error *err) STK_MUST_CHECK;

#endif
