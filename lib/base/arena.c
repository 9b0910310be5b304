/* SPDX-License-Identifier: MIT
 * arena: a list of chunks, each twice the size of the one before; pieces are cut from the newest. */
#include "base/arena.h"
#include "base/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT ((size_t)16)
#define CHUNK_MIN ((size_t)4 << 10)
#define CHUNK_MAX ((size_t)1 << 20)	/* beyond this doubling saves no more calls, but wastes half a chunk */

struct arena_chunk {
	alignas(16) struct arena_chunk *next;
	size_t room;
	alignas(16) char data[];
};

static struct arena_chunk *
chunk_new(struct arena *arena, size_t room)
{
	struct arena_chunk *chunk = mem_resize(NULL, 1, sizeof *chunk + room);

	chunk->room = room;
	arena->bytes += sizeof *chunk + room;
	return chunk;
}

static void
chunk_put_first(struct arena *arena, struct arena_chunk *chunk)
{
	chunk->next = arena->chunks;
	arena->chunks = chunk;
}

static void
chunks_free(struct arena *arena)
{
	struct arena_chunk *chunk, *next;

	for (chunk = arena->chunks; chunk != NULL; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
}

void
arena_release(struct arena *arena)
{
	chunks_free(arena);
	*arena = (struct arena){ 0 };
}

#ifdef ARENA_DEBUG

/* A chunk of exactly this size, so that the byte after the piece is not ours. */
void *
arena_alloc(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = chunk_new(arena, size);

	chunk_put_first(arena, chunk);
	return chunk->data;
}

void
arena_reset(struct arena *arena)
{
	arena_release(arena);
}

#else

static void
chunk_open(struct arena *arena, struct arena_chunk *chunk)
{
	arena->at = chunk->data;
	arena->end = chunk->data + chunk->room;
}

/* A piece larger than a chunk gets its own, second in the list, so that the rest of the first stays in use. */
static void *
alloc_alone(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = chunk_new(arena, size);

	if (arena->chunks == NULL) {
		chunk_put_first(arena, chunk);
		arena->at = arena->end = chunk->data + size;
	} else {
		chunk->next = arena->chunks->next;
		arena->chunks->next = chunk;
	}
	return chunk->data;
}

static void *
alloc_slow(struct arena *arena, size_t size)
{
	size_t room = arena->bytes < CHUNK_MIN ? CHUNK_MIN : arena->bytes < CHUNK_MAX ? arena->bytes : CHUNK_MAX;

	room &= ~(ALIGNMENT - 1);
	if (size > room / 4)
		return alloc_alone(arena, size);
	chunk_put_first(arena, chunk_new(arena, room));
	chunk_open(arena, arena->chunks);
	arena->at += size;
	return arena->chunks->data;
}

void *
arena_alloc(struct arena *arena, size_t size)
{
	void *piece = arena->at;

	if (size > SIZE_MAX / 2)	/* more than any system has; clipped, so that no sum wraps before the system
					 * refuses */
		return alloc_alone(arena, SIZE_MAX / 2);
	size = (size + !size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (size > (size_t)(arena->end - arena->at))
		return alloc_slow(arena, size);
	arena->at += size;
	return piece;
}

/* The largest chunk is kept: the next round is likely to need as much. */
void
arena_reset(struct arena *arena)
{
	struct arena_chunk **link, **largest = &arena->chunks, *kept;

	if (arena->chunks == NULL)
		return;
	for (link = &arena->chunks; *link != NULL; link = &(*link)->next)
		if ((*link)->room > (*largest)->room)
			largest = link;
	kept = *largest;
	*largest = kept->next;
	chunks_free(arena);
	kept->next = NULL;
	arena->chunks = kept;
	arena->bytes = sizeof *kept + kept->room;
	chunk_open(arena, kept);
}

#endif

char *
arena_copy(struct arena *arena, const void *from, size_t size)
{
	char *copy = arena_alloc(arena, size + 1);

	if (size != 0)		/* from may be NULL then, which memcpy does not allow */
		memcpy(copy, from, size);
	copy[size] = '\0';
	return copy;
}
