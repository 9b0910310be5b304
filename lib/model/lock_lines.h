/* SPDX-License-Identifier: MIT
 * lock_lines: the lock lines of a sample, combined from its two ids: their text, and their addresses. */
#ifndef MODEL_LOCK_LINES_H
#define MODEL_LOCK_LINES_H

#include "base/array.h"
#include "model/model.h"

#include <stdbool.h>

struct lock_line {
	uint64_t depth;			/* frames above the line, from the leaf */
	uint64_t relation;		/* enum stk_relation */
	uint64_t class;			/* STRING id */
	uint64_t address;
	bool has_address;		/* false: addresses were not kept, or this one was lost */
};

struct lock_lines {
	struct lock_line *at;
	size_t count, room;
	ARRAY(uint64_t) addresses;
	bool lost_lines, lost_addresses;	/* there were more: their definitions were lost */
};

/* The lines in the order in which they were written. Free with lock_lines_release. */
void lock_lines_load(struct lock_lines *lines, const struct model *model, uint64_t locks, uint64_t objects);
void lock_lines_release(struct lock_lines *lines);

#endif
