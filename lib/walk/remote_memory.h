/* SPDX-License-Identifier: MIT
 * remote_memory: reading the memory of another process while it runs. What is read may be half written, reused or gone:
 * whoever reads checks what it says. */
#ifndef WALK_REMOTE_MEMORY_H
#define WALK_REMOTE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote_memory {
	pid_t pid;
	uint64_t reads;
	/* Reads from something else than the process, in tests; NULL: from the process. */
	bool (*other)(void *of, uint64_t from, void *to, size_t size);
	void *of;
};

/* False: not all of it is mapped, or the process may not be looked at or has ended. */
bool remote_read(struct remote_memory *memory, uint64_t from, void *to, size_t size);

/* A word of 8 bytes; 0 when it cannot be read. */
uint64_t remote_word(struct remote_memory *memory, uint64_t from);

/* A text that ends with a NUL, cut to the room; false, and an empty one, when its beginning cannot be read. */
bool remote_text(struct remote_memory *memory, uint64_t from, char *to, size_t room);

#endif
