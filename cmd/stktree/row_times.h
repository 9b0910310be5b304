/* SPDX-License-Identifier: MIT
 * row_times: --when: the column that shows when each row was counted. */
#ifndef STKTREE_ROW_TIMES_H
#define STKTREE_ROW_TIMES_H

#include "report_sheet.h"

#define ROW_TIMES_COLUMN 1	/* of the call tree */

/* Counts the chosen windows part by part. -1 with *err. *when is to be released in any case. */
int  row_times_make(struct when_counts *when, const struct settings *settings, struct recording *const *recordings,
		    int count, struct call_tree *tree, struct stk_error *err) STK_MUST_CHECK;
/* The cell of a row, which is empty for UINT32_MAX; nothing without --when. */
void row_times_cell(struct sheet *sheet, const struct window_report *report, uint32_t row);
/* What the characters are. */
void row_times_remark(const struct window_report *report);

#endif
