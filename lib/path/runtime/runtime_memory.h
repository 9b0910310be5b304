/* SPDX-License-Identifier: MIT
 * runtime_memory: memory from the kernel, which a signal handler may ask for, too. */
#ifndef PATH_RUNTIME_RUNTIME_MEMORY_H
#define PATH_RUNTIME_RUNTIME_MEMORY_H

#include <stddef.h>

/* Zeroed; to be returned by munmap. Ends the program when there is none. */
void *runtime_pages(size_t size);
/* "stkpath: WHAT" on standard error; "stkpath: WHAT: WHY: counts are lost". */
void runtime_complain(const char *what);
void runtime_lost(const char *what, const char *why);

#endif
