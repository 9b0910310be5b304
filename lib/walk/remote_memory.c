/* SPDX-License-Identifier: MIT
 * remote_memory: process_vm_readv(2). */
#include "walk/remote_memory.h"

#include <string.h>
#include <sys/uio.h>

#define TEXT_PIECE 64u			/* a text is read up to the next multiple of this: it may end at a page's end */

bool
remote_read(struct remote_memory *memory, uint64_t from, void *to, size_t size)
{
	struct iovec here = { to, size };
	/* an address there, which is never used as a pointer here */
	struct iovec there = { (void *)(uintptr_t)from, size };	/* NOLINT(performance-no-int-to-ptr) */

	memory->reads++;
	if (memory->other != NULL)
		return memory->other(memory->of, from, to, size);
	return process_vm_readv(memory->pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

uint64_t
remote_word(struct remote_memory *memory, uint64_t from)
{
	uint64_t word;

	return remote_read(memory, from, &word, sizeof word) ? word : 0;
}

bool
remote_text(struct remote_memory *memory, uint64_t from, char *to, size_t room)
{
	size_t got = 0;

	to[0] = '\0';
	if (from == 0)
		return false;
	while (got < room - 1) {
		size_t piece = TEXT_PIECE - (size_t)(from % TEXT_PIECE);

		if (piece > room - 1 - got)
			piece = room - 1 - got;
		if (!remote_read(memory, from, to + got, piece)) {
			to[got] = '\0';
			return false;
		}
		if (memchr(to + got, '\0', piece) != NULL)
			return true;
		got += piece;
		from += piece;
	}
	to[got] = '\0';
	return true;
}
