/* SPDX-License-Identifier: MIT
 * other_rows: how many rows of a recording have no place in the form of output that was asked for. */
#ifndef REPORT_OTHER_ROWS_H
#define REPORT_OTHER_ROWS_H

#include "report/report.h"

struct other_rows { uint64_t samples, events, metrics, deadlocks; };

/* Counts the chosen rows of the reader's present block. 0, or -1 with *err: damaged. */
int  other_rows_take(struct other_rows *others, struct selection *selection, struct stk_reader *reader,
		     const struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;
/* Remarks that they are left out of the form, if there are any. */
void other_rows_say(const struct other_rows *others, const struct report *report, const struct report_form *form);

#endif
