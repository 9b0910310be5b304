/* SPDX-License-Identifier: MIT
 * state_file: the file of --state: read, locked against a second run, and replaced when all went well. */
#ifndef STKCLASS_STATE_FILE_H
#define STKCLASS_STATE_FILE_H

#include "classify/class_state.h"

struct state_lock;

/* Takes FILE.lock; -1 when another run has it. */
int  state_lock_take(struct state_lock **out, const char *path, struct stk_error *err) STK_MUST_CHECK;
void state_lock_release(struct state_lock *lock);

/* Reads a state into an empty classifier and intake: 1, 0 when there is no such file, -1 when it is damaged, cut, of another version or of other options. */
int state_file_read(const char *path, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err) STK_MUST_CHECK;

int state_file_write(const char *path, const char *identity, struct classifier *classifier, struct sample_intake *intake, struct stk_error *err) STK_MUST_CHECK;

#endif
