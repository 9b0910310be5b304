/* SPDX-License-Identifier: MIT
 * python_dumps: the stacks of all Python threads of a process, as a source of dumps. A thread that rests is read while
 * the process runs; only one that runs is stopped, for as long as its own stack is read. */
#ifndef WALK_PYTHON_DUMPS_H
#define WALK_PYTHON_DUMPS_H

#include "capture/dump_source.h"

/* -1 (STK_EDATA): it is no Python that can be read, and *err says why. Nothing is done to the process. */
int python_dumps_open(struct dump_source **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;

#endif
