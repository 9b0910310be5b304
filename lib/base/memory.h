/* SPDX-License-Identifier: MIT
 * memory: the one place where running out of memory is handled. These never return NULL: when the system has no more,
 * the host ends the process (see host.h). A size that comes from input is compared with a stated bound before it gets
 * here. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

void *mem_new(size_t count, size_t size);			/* zeroed; free with free() */
void *mem_resize(void *old, size_t count, size_t size);	/* new bytes are not zeroed */
char *mem_string(const char *string);				/* strdup */
ssize_t mem_line(char **line, size_t *room, FILE *from);	/* getline: -1 is the end, or ferror */

#endif
