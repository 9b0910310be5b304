/* SPDX-License-Identifier: MIT
 * memory: allocation that never returns NULL. */
#include "base/memory.h"

#include "base/host.h"

#include <stdlib.h>

void *
mem_new(size_t count, size_t size)
{
	/* a NULL for no bytes would look like a failure */
	void *new = calloc(count != 0 ? count : 1, size != 0 ? size : 1);

	if (new == NULL)
		host_out_of_memory(count, size);
	return new;
}

void *
mem_resize(void *old, size_t count, size_t size)
{
	void *new = reallocarray(old, count != 0 ? count : 1, size != 0 ? size : 1);

	if (new == NULL)
		host_out_of_memory(count, size);
	return new;
}
