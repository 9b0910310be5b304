/* SPDX-License-Identifier: MIT
 * memory: allocation that ends the program when there is nothing left to allocate. */
#include "base/memory.h"

#include "base/temp_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Any thread may get here, with any lock held: so no stdio, no atexit handlers, and status 3, "could not finish". Half a file is
 * still removed. */
static void
out_of_memory(size_t count, size_t size)
{
	char line[200];
	int length = snprintf(line, sizeof line, "%s: out of memory: no room for %zu times %zu bytes\n", program_invocation_short_name, count, size);

	temp_files_remove();
	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		_exit(3);
	_exit(3);
}

void *
mem_new(size_t count, size_t size)
{
	void *new = calloc(count != 0 ? count : 1, size != 0 ? size : 1);	/* a NULL for no bytes would look like a failure */

	if (new == NULL)
		out_of_memory(count, size);
	return new;
}

void *
mem_resize(void *old, size_t count, size_t size)
{
	void *new = reallocarray(old, count != 0 ? count : 1, size != 0 ? size : 1);

	if (new == NULL)
		out_of_memory(count, size);
	return new;
}
