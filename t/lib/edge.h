/* SPDX-License-Identifier: MIT
 * edge.h: a copy of bytes that ends where readable memory ends, so that reading one byte more is a crash, with and
 * without sanitizers. */
#ifndef T_LIB_EDGE_H
#define T_LIB_EDGE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Valid until the next call. At most EDGE_MAX bytes. */
#define EDGE_MAX ((size_t)24 << 20)

static inline __attribute__((unused)) const char *
at_edge(const char *bytes, size_t size)
{
	static char *room;

	if (room == NULL) {
		room = mmap(NULL, EDGE_MAX + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (room == MAP_FAILED || mprotect(room + EDGE_MAX, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE) < 0 ||
		    size > EDGE_MAX) {
			printf("Bail out! no memory with an edge\n");
			exit(99);
		}
	}
	if (size > 0)
		memcpy(room + EDGE_MAX - size, bytes, size);
	return room + EDGE_MAX - size;
}

#endif
