/* SPDX-License-Identifier: MIT
 * go_places: the file and line of an address in code of Go, and the functions that were inlined there, by the tables
 * that each program has, also one without symbols and debug information: Go 1.16 and later. */
#ifndef CAPTURE_GO_PLACES_H
#define CAPTURE_GO_PLACES_H

#include "capture/go_functions.h"

#define GO_PLACES_MAX 64u

struct go_place { struct stk_text function, file; uint32_t line; };	/* line 0 and no file: not known */

typedef bool go_memory_function(void *context, uint64_t address, void *to, size_t size);

/* What of the program is not in the table of its functions. */
struct go_memory {
	go_memory_function *read;	/* its memory; false: it cannot be read */
	void *context;
	uint64_t table;			/* where the table of functions is in it */
	uint64_t data;			/* what the places of functions' data count from; 0: not known */
};

/* Searches writable memory for the description of the program, which says where its code begins (`text` of the
 * functions) and where functions' data are. False: it is not there. */
bool go_places_seek(struct go_functions *functions, struct go_memory *memory, uint64_t from, uint64_t size);
/* Innermost first: what was inlined, then the function itself. How many; 0: it is in no function. Without any file
 * there is one place: lines are not known, or what was inlined is not, and a line of that would not be the
 * function's. */
size_t go_places_find(const struct go_functions *functions, const struct go_memory *memory, uint64_t address,
		      struct go_place places[GO_PLACES_MAX]);

#endif
