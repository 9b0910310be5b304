/* SPDX-License-Identifier: MIT
 * tracepoint: what the kernel says of one of its tracepoints: its number, and where a field is in its records. That is
 * in tracefs, which only root may read, and which is not mounted everywhere. */
#ifndef CAPTURE_TRACEPOINT_H
#define CAPTURE_TRACEPOINT_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stdint.h>

struct tracepoint { uint64_t number; uint32_t offset, size; };	/* of the field */

/* name: "sched/sched_waking". -1 (STK_ESYSTEM): it cannot be read, and *err says why. */
int tracepoint_read(struct tracepoint *out, const char *name, const char *field, struct stk_error *err) STK_MUST_CHECK;
/* Finds a field in the text of a `format` file. */
bool tracepoint_field(const char *format, const char *field, struct tracepoint *out);

#endif
