/* SPDX-License-Identifier: MIT
 * row_condition: what the figures of a row must be for it to be shown:
 *
 *	total_share >= 20% and time > 1s or count > 1000
 *
 *	FIGURE > >= < <= = != VALUE	and before or
 */
#ifndef GROUP_ROW_CONDITION_H
#define GROUP_ROW_CONDITION_H

#include "stkpipe/error.h"

#include <stdbool.h>

/* Named as the columns of tables; shares are parts of 1, times seconds. */
enum row_figure {
	ROW_COUNT,
	ROW_WEIGHT,
	ROW_SHARE,
	ROW_TIME,
	ROW_TOTAL,
	ROW_TOTAL_SHARE,
	ROW_PAYLOAD,
	ROW_SAMPLED,
	ROW_PAIRED,
	ROW_FIGURES
};

struct row_condition;

/* -1 with *err (STK_EUSAGE), which says at which character. */
int row_condition_open(struct row_condition **out, const char *text, struct stk_error *err) STK_MUST_CHECK;
/* NULL does nothing. */
void row_condition_close(struct row_condition *condition);

/* values: by enum row_figure. Nothing holds for a value that is not a number. */
bool row_condition_holds(const struct row_condition *condition, const double *values);

#endif
