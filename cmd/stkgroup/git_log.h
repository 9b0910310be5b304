/* SPDX-License-Identifier: MIT
 * git_log: the history of a git repository. */
#ifndef STKGROUP_GIT_LOG_H
#define STKGROUP_GIT_LOG_H

#include "group/file_history.h"
#include "stkpipe/error.h"

/* Runs git log in a folder, and reads who changed which files. .mailmap is applied. -1 with *err: git failed. */
int git_log_read(struct file_history *history, const char *folder, struct stk_error *err) STK_MUST_CHECK;

#endif
