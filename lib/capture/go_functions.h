/* SPDX-License-Identifier: MIT
 * go_functions: the table of functions that each program of Go has in its section .gopclntab, also one without symbols
 * (go build -ldflags=-s, strip): Go 1.2 to 1.15, 1.16 and 1.17, 1.18 and 1.19, and 1.20 and later. go_places.h has
 * files and lines. */
#ifndef CAPTURE_GO_FUNCTIONS_H
#define CAPTURE_GO_FUNCTIONS_H

#include "base/bytes.h"

struct go_functions {
	struct stk_text table;
	unsigned word;			/* bytes of a pointer, */
	unsigned field;			/* and of the numbers of the list of functions */
	uint64_t text;			/* where the code begins that its addresses count from; 0: they are absolute */
	uint64_t count;			/* of functions */
	uint64_t list, details, names;	/* where the list is in the table, and what its numbers and names count from, */
	uint64_t steps;			/* and those of what changes within functions */
	uint64_t files, units;		/* names of files, and which of them units of compilation have; 0: not known */
	unsigned flags;			/* where a function's flags are behind its address; 0: it has none */
	unsigned fixed;			/* bytes of a function's numbers behind its address; more follow */
};

struct go_function {
	struct stk_text name;
	uint64_t from;
};

/* A function that was found: where it begins, and where in the table its numbers are. */
struct go_details { uint64_t from, at; };

struct go_frame {
	bool is_entry;			/* the first function of its stack */
	uint32_t size;			/* bytes from the stack's top to the address of return */
};

/* The table is borrowed. False: it is not one, or of a version that is not known. */
bool go_functions_read(struct go_functions *functions, struct stk_text table);
/* Where in the table the address is that the code begins at; 0: versions before 1.18 have none. A program that may be
 * loaded anywhere has it in its memory only. */
size_t go_functions_text_at(const struct go_functions *functions);
/* The function of an address; false: none is known. */
bool go_functions_find(const struct go_functions *functions, uint64_t address, struct go_function *found);
/* The frame of a function, where it is at this address; false: it is not known. */
bool go_functions_frame(const struct go_functions *functions, uint64_t address, struct go_frame *frame);

/* For go_places: false where the table does not have it. */
bool go_functions_details(const struct go_functions *functions, uint64_t address, struct go_details *details);
/* A number of 4 or 8 bytes of the table. */
bool go_functions_number(const struct go_functions *functions, uint64_t at, unsigned size, uint64_t *value);
/* The name at a place of the names. */
bool go_functions_name(const struct go_functions *functions, uint64_t at, struct stk_text *name);
/* What has this value at an address of a function, by the steps at a place of those. */
bool go_functions_step(const struct go_functions *functions, uint64_t steps, uint64_t offset, int64_t *value);
/* A text of the table, which ends with a zero byte. */
bool go_functions_text(const struct go_functions *functions, uint64_t at, struct stk_text *text);

#endif
