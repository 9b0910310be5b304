/* SPDX-License-Identifier: MIT
 * runtime_memory: nothing here takes a lock or calls the allocator. */
#include "runtime_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void
runtime_complain(const char *what)
{
	char text[4400];
	int size = snprintf(text, sizeof text, "stkpath: %s\n", what);

	if (size > 0 && write(2, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1) < 0)
		return;
}

void
runtime_lost(const char *what, const char *why)
{
	char text[4300];

	(void)snprintf(text, sizeof text, "%s: %s: counts are lost", what, why);
	runtime_complain(text);
}

void *
runtime_pages(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at != MAP_FAILED)
		return at;
	runtime_lost("memory", strerror(ENOMEM));
	_exit(3);
}
