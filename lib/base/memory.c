/* SPDX-License-Identifier: MIT
 * memory: allocation that never returns NULL. */
#include "base/memory.h"

#include "base/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What is this large is kept in huge pages where the system has them: else half of the time goes into making room
 * page by page. */
#define HUGE_LEAST ((size_t)2 << 20)
#define PAGE       ((uintptr_t)4096)

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
	/* a NULL for no bytes would look like a failure */
	void *new = calloc(count != 0 ? count : 1, size != 0 ? size : 1);

	if (new == NULL)
		host_out_of_memory(count, size);
	return in_huge_pages(new, count * size);
}

void *
mem_resize(void *old, size_t count, size_t size)
{
	void *new = reallocarray(old, count != 0 ? count : 1, size != 0 ? size : 1);

	if (new == NULL)
		host_out_of_memory(count, size);
	return in_huge_pages(new, count * size);
}
