/* SPDX-License-Identifier: MIT
 * perf_map: the method of an address in code that a Java VM compiled, by the file /tmp/perf-PID.map, which a VM since
 * JDK 17 writes on request (Compiler.perfmap). */
#ifndef CAPTURE_PERF_MAP_H
#define CAPTURE_PERF_MAP_H

#include "capture/process.h"

struct perf_map;

/* -1 (STK_EDATA): it is not a VM that can be asked. Nothing is sent yet. */
int  perf_map_open(struct perf_map **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;
/* From the text of a map, without a VM. */
void perf_map_of(struct perf_map **out, const char *text, size_t size);
void perf_map_close(struct perf_map *map);

/* Asks the VM for its compiled methods, and waits until deadline_ns. A map file that did not exist before is removed
 * again. */
int  perf_map_refresh(struct perf_map *map, int64_t deadline_ns, struct stk_error *err) STK_MUST_CHECK;

/* "Duty.spin", as thread dumps name methods; "Interpreter", for all methods that are not compiled; NULL. Valid until
 * the next refresh. */
const char *perf_map_name(const struct perf_map *map, uint64_t address);

#endif
