/* SPDX-License-Identifier: MIT
 * arena: memory that is handed out piece by piece and given back all at once. An object owns one; its _close releases
 * it. A zeroed struct arena is an empty one. Built with -DARENA_DEBUG each piece is a malloc of its own, so that a
 * sanitizer sees every overrun. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_chunk *chunks;	/* newest first */
	char *at, *end;			/* what is left of the newest */
	size_t bytes;			/* taken from the system, for reports of memory use */
};

/* size bytes aligned to 16, not zeroed; valid until reset or release. */
void *arena_alloc(struct arena *arena, size_t size);

/* A copy of size bytes with a NUL after it. */
char *arena_copy(struct arena *arena, const void *from, size_t size);

/* Forgets every piece and keeps one chunk for the next round. */
void arena_reset(struct arena *arena);

/* Gives everything back; the arena is empty and usable. */
void arena_release(struct arena *arena);

#endif
