/* SPDX-License-Identifier: MIT
 * state_file: the file of --state: read, and replaced when all went well. */
#ifndef STKCLASS_STATE_FILE_H
#define STKCLASS_STATE_FILE_H

#include "classify/class_state.h"

/* Reads a state into an empty classifier and intake: 1, 0 when there is no such file, -1 when it is damaged, cut, of another version or of other options. */
int state_file_read(const char *path, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err) STK_MUST_CHECK;

int state_file_write(const char *path, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err) STK_MUST_CHECK;

#endif
