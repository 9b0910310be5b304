/* SPDX-License-Identifier: MIT
 * memory: allocation that never returns NULL. */
#include "base/memory.h"

#include "base/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What is this large is kept in huge pages where the system has them: else half of the time goes into making room
 * page by page. */
#define HUGE_LEAST ((size_t)2 << 20)
#define PAGE       ((size_t)4096)

/* The system begins a mapping at a huge page when it ends at one, too: malloc adds less than a page of its own. */
static size_t
rounded(size_t count, size_t size)
{
	size_t bytes = count * size;

	if (size != 0 && bytes / size != count)
		host_out_of_memory(count, size);
	if (bytes < HUGE_LEAST || bytes > SIZE_MAX / 2)
		return bytes != 0 ? bytes : 1;		/* a NULL for no bytes would look like a failure */
	return (bytes + PAGE + HUGE_LEAST - 1) / HUGE_LEAST * HUGE_LEAST - PAGE;
}

static void *
in_huge_pages(void *at, size_t bytes)
{
	uintptr_t begin = (uintptr_t)at & ~(PAGE - 1), end = ((uintptr_t)at + bytes + PAGE - 1) & ~(PAGE - 1);

	/* all of a mapping, or it cannot grow in its place; it is advice: a system without them goes on as it is */
	if (bytes >= HUGE_LEAST)
		(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
	return at;
}

void *
mem_new(size_t count, size_t size)
{
	size_t bytes = rounded(count, size);
	void *new = calloc(1, bytes);

	if (new == NULL)
		host_out_of_memory(count, size);
	return in_huge_pages(new, bytes);
}

void *
mem_resize(void *old, size_t count, size_t size)
{
	size_t bytes = rounded(count, size);
	void *new = realloc(old, bytes);

	if (new == NULL)
		host_out_of_memory(count, size);
	return in_huge_pages(new, bytes);
}

char *
mem_string(const char *string)
{
	size_t size = strlen(string) + 1;

	return memcpy(mem_new(size, 1), string, size);
}

/* Without memory for a line getline says neither that the file failed nor that it ended. */
ssize_t
mem_line(char **line, size_t *room, FILE *from)
{
	ssize_t size = getline(line, room, from);

	if (size < 0 && !ferror(from) && !feof(from))
		host_out_of_memory(1, *room);
	return size;
}
