/* SPDX-License-Identifier: MIT
 * perf_map: the function of an address in code that a program compiled while it runs, by the file /tmp/perf-PID.map. A
 * Java VM since JDK 17 writes it on request (Compiler.perfmap); others write it while they run, if they are started so
 * (node --perf-basic-prof, python -X perf). */
#ifndef CAPTURE_PERF_MAP_H
#define CAPTURE_PERF_MAP_H

#include "capture/process.h"

struct perf_map;

/* -1 (STK_EDATA): it is not a VM that can be asked. Nothing is sent yet. */
int  perf_map_open(struct perf_map **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;
/* The map that the program writes itself, if it does. */
void perf_map_own(struct perf_map **out, const struct process *process);
/* From the text of a VM's map, without a VM. */
void perf_map_of(struct perf_map **out, const char *text, size_t size);
void perf_map_close(struct perf_map *map);

/* Asks the VM for its compiled methods, and waits until deadline_ns. A map file that did not exist before is removed
 * again. */
int  perf_map_refresh(struct perf_map *map, int64_t deadline_ns, struct stk_error *err) STK_MUST_CHECK;

/* Reads the map that the program writes, if it has grown: a regular file of the process's user in its /tmp, of at most
 * 16 MiB, that was written since the process began; all such maps together take at most 256 MiB. */
void perf_map_follow(struct perf_map *map);

/* "Duty.spin", as thread dumps name methods; "Interpreter", for all methods that are not compiled; of other
 * programs as the map has it; NULL. Valid until the next refresh. */
const char *perf_map_name(const struct perf_map *map, uint64_t address);

#endif
