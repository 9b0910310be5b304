/* SPDX-License-Identifier: MIT
 * sample_types: the type of a sample: the number of its pair of prefix and stack. The type that a stack had the last
 * time, and the prefix of a thread, are kept, since looking them up takes longer than the rest. */
#ifndef TIMETREE_SAMPLE_TYPES_H
#define TIMETREE_SAMPLE_TYPES_H

#include "base/pair_sums.h"
#include "choose/stack_prefix.h"
#include "model/sample_columns.h"

/* The columns that a sample's type depends on. */
#define SAMPLE_TYPE_COLUMNS (SAMPLE_THREAD | SAMPLE_DUMP | SAMPLE_STACK | SAMPLE_STATE)

struct typed { uint32_t prefix, type; };

/* The first four are set by whoever makes it, and borrowed; the rest is zero at first. The model, the prefixes and the
 * pairs must not be cleared meanwhile. */
struct sample_types {
	const struct model *model;
	struct stack_prefixes *prefixes;
	struct pair_sums *pairs;	/* type n is at n - 1 */
	uint64_t *lost;			/* counts samples whose stack the model does not know */
	ARRAY(struct typed) of_stack;	/* the last type of a stack */
	ARRAY(uint32_t) of_thread;	/* the prefix of a thread, outside of dumps and in them */
};

void sample_types_release(struct sample_types *types);

uint32_t sample_types_find_prefix(struct sample_types *types, const struct sample_columns *columns, uint32_t row);
uint32_t sample_types_find(struct sample_types *types, uint32_t prefix, uint64_t stack);

static inline uint32_t
sample_prefix(struct sample_types *types, const struct sample_columns *columns, uint32_t row)
{
	uint64_t at = 2 * sample_value(&columns->thread, row) + (sample_value(&columns->dump, row) != 0);

	if (at < types->of_thread.count && types->of_thread.at[at] != 0)
		return types->of_thread.at[at];
	return sample_types_find_prefix(types, columns, row);
}

/* The type of a row of a block, from 1 on. Cost: two array accesses, or two hash lookups. */
static inline uint32_t
sample_type(struct sample_types *types, const struct sample_columns *columns, uint32_t row)
{
	uint32_t prefix = sample_prefix(types, columns, row);
	uint64_t stack = sample_value(&columns->stack, row);

	if (stack < types->of_stack.count && types->of_stack.at[stack].prefix == prefix)
		return types->of_stack.at[stack].type;
	return sample_types_find(types, prefix, stack);
}

/* The types of all rows. The table by stack is large: what is needed soon is fetched ahead. */
void sample_types_of_rows(
	struct sample_types *types, const struct sample_columns *columns, uint32_t rows, uint32_t *to);

#endif
