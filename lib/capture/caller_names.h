/* SPDX-License-Identifier: MIT
 * caller_names: the callers that the kernel noted at a tick, as text that perf script would print: compiled methods by
 * the VM's map, others by their files' symbols. */
#ifndef CAPTURE_CALLER_NAMES_H
#define CAPTURE_CALLER_NAMES_H

#include "capture/process.h"

struct caller_names;

/* -1 (STK_EDATA): the VM cannot be asked for what it has compiled. */
int  caller_names_open(struct caller_names **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;
void caller_names_close(struct caller_names *names);

/* Before stacks that were noted lately: looks at what is mapped, and when an address was of nobody the last time, asks
 * the VM again; every few seconds at most. */
void caller_names_refresh(struct caller_names *names);
/* Good until the next one. */
const char *caller_names_text(struct caller_names *names, const uint64_t *callers, size_t count);

#endif
