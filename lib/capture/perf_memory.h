/* SPDX-License-Identifier: MIT
 * perf_memory: what a HotSpot VM writes about itself into a file in its /tmp: collections, heap, safepoints, identity.
 * Reading it does not touch the VM.
 *
 * The file belongs to another process: each length in it is checked, and it is read, not mapped, because a mapped file
 * that becomes shorter kills its reader. */
#ifndef CAPTURE_PERF_MEMORY_H
#define CAPTURE_PERF_MEMORY_H

#include "capture/process.h"
#include "stkpipe/rows.h"

#define PERF_MEMORY_MAX (4u << 20)	/* bytes that are read */

struct perf_memory;

/* -1 (STK_EDATA): the VM has none, it may not be read, or it is not what it should be. */
int  perf_memory_open(struct perf_memory **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;
/* From bytes that the caller has read; they are copied. */
int  perf_memory_of(struct perf_memory **out, const void *bytes, size_t size, struct stk_error *err) STK_MUST_CHECK;
void perf_memory_close(struct perf_memory *memory);

/* Reads all values again: a few microseconds. False when the file is gone. */
bool perf_memory_refresh(struct perf_memory *memory);
/* Reads one value again; for callers that ask a thousand times a second. */
bool perf_memory_refresh_one(struct perf_memory *memory, int entry);

/* Whether a text value is equal to this one now. Stores nothing: several threads may call this at once. */
bool perf_memory_is(const struct perf_memory *memory, int entry, const char *text);
/* A number as it is now, likewise; 0 when there is none. */
int64_t perf_memory_now(const struct perf_memory *memory, int entry);

/* Entries by name ("sun.gc.cause"): -1 when there is none. */
int  perf_memory_find(const struct perf_memory *memory, const char *name);
bool perf_memory_number(const struct perf_memory *memory, int entry, int64_t *value);
struct stk_text perf_memory_text(const struct perf_memory *memory, int entry);	/* "" when it is not a text */

/* The same by name: 0 or "" when there is none. */
int64_t perf_memory_number_of(const struct perf_memory *memory, const char *name);
struct stk_text perf_memory_text_of(const struct perf_memory *memory, const char *name);

#endif
