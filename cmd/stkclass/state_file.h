/* SPDX-License-Identifier: MIT
 * state_file: the file of --state: read, and written anew. */
#ifndef STKCLASS_STATE_FILE_H
#define STKCLASS_STATE_FILE_H

#include "classify/class_state.h"

struct output;

/* Reads a state into an empty classifier and intake: 1, 0 when there is no such file, -1 when it is damaged, cut, of another version or of other options. */
int state_file_read(const char *path, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err) STK_MUST_CHECK;

/* Writes a new state beside the old one. To close *output, also after a failure, is the caller's: it is kept when all that this run found was delivered. */
int state_file_write(struct output **output, const char *path, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err) STK_MUST_CHECK;

#endif
