/* SPDX-License-Identifier: MIT
 * vm_conditions: those of conditions.h that a Java VM meets or not: its heap, its pauses, and any of its counters. They
 * are read from what the VM writes about itself (perf_memory.h), so that it is not asked, and does not stop. */
#ifndef CAPTURE_VM_CONDITIONS_H
#define CAPTURE_VM_CONDITIONS_H

#include "capture/conditions.h"

struct perf_memory;
struct process;

struct vm_look {			/* what is kept of a VM between two looks; begins as zeros */
	struct perf_memory *memory;	/* NULL: not looked at yet, or it cannot be read */
	bool tried;
	int64_t looked_ns;		/* on the monotonic clock; 0: never */
	int64_t before[CONDITIONS_MOST];	/* the counters that conditions compare with their last value */
	uint32_t absent;		/* a bit for each condition whose counter it did not have at the last look */
};

/* A bit for each condition that the VM meets at now_ns, by its place in the list. A pause or a growth is of the time
 * since the last look, so the first look meets none of them. */
uint32_t vm_look_take(struct vm_look *look, const struct conditions *conditions, const struct process *process,
		      int64_t now_ns);
/* The same for memory that is at hand, which is borrowed. */
uint32_t vm_look_at(struct vm_look *look, const struct conditions *conditions, const struct perf_memory *memory,
		    int64_t now_ns);
void vm_look_close(struct vm_look *look);

/* Bytes in use after the last collection (all but eden, which was empty then), that the heap takes now, and that it may
 * take at most. */
struct heap_use { double used, total, most; };
void heap_use_read(const struct perf_memory *memory, struct heap_use *use);

#endif
