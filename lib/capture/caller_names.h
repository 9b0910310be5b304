/* SPDX-License-Identifier: MIT
 * caller_names: the callers that the kernel recorded at a tick, as text in the form of perf script: compiled methods by
 * the VM's map, others by their files' symbols. */
#ifndef CAPTURE_CALLER_NAMES_H
#define CAPTURE_CALLER_NAMES_H

#include "capture/process.h"

struct caller_names;

/* -1 (STK_EDATA): the VM cannot be asked for its compiled methods. */
int  caller_names_open(struct caller_names **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;
void caller_names_close(struct caller_names *names);

/* Call this before naming recent stacks. Reads what is mapped, and asks the VM again if an address was unknown the last
 * time; at most every few seconds. */
void caller_names_refresh(struct caller_names *names);
/* Valid until the next call. */
const char *caller_names_text(struct caller_names *names, const uint64_t *callers, size_t count);

#endif
