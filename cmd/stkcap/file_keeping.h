/* SPDX-License-Identifier: MIT
 * file_keeping: --keep, applied whenever a file is begun. */
#ifndef STKCAP_FILE_KEEPING_H
#define STKCAP_FILE_KEEPING_H

#include "capture_files.h"

/* "168" files, "10G" of them, or "7d" since they were written; may be called for each. */
int file_keeping_take(struct file_plan *plan, const char *text, struct stk_error *err);
bool file_keeping_is_asked(const struct file_plan *plan);

/* Removes what the plan does not keep beside the present file, and reports it. */
void file_keeping_apply(const struct file_plan *plan, const char *present, int64_t present_bytes);

#endif
