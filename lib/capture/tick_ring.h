/* SPDX-License-Identifier: MIT
 * tick_ring: the ring of memory in which the kernel leaves records of perf events. Lengths in it are checked: a record
 * is never taken to be longer than what is there. */
#ifndef CAPTURE_TICK_RING_H
#define CAPTURE_TICK_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/* Copies as much of the next record as there is room for, and returns its space to the kernel. False: there is none.
 * What no kernel writes is discarded. */
bool tick_ring_next(struct perf_event_mmap_page *ring, void *record, size_t room, size_t *size);

#endif
