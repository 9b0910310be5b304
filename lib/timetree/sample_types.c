/* SPDX-License-Identifier: MIT
 * sample_types: what is kept by id is kept while ids are dense and low; others are looked up each time. */
#include "timetree/sample_types.h"

#include "model/records_merge.h"

#define THREADS_KEPT (1u << 20)
#define SPARSE_TIMES 4		/* types are kept by stack while ids are at most this many times the number of stacks */
#define FETCH_AHEAD  16		/* rows */

void
sample_types_release(struct sample_types *types)
{
	array_release(&types->of_stack);
	array_release(&types->of_thread);
}

/* Thread 0 is any thread that nobody named, so it has several prefixes. */
uint32_t
sample_types_find_prefix(struct sample_types *types, const struct sample_columns *columns, uint32_t row)
{
	uint64_t thread = sample_value(&columns->thread, row), dump = sample_value(&columns->dump, row);
	uint64_t at = 2 * thread + (dump != 0);
	uint32_t prefix = stack_prefix(types->prefixes, thread, dump, sample_value(&columns->state, row));

	if (thread == 0 || thread >= THREADS_KEPT || !stack_prefix_is_of_thread(types->prefixes))
		return prefix;
	array_lengthen(&types->of_thread, at + 1);
	types->of_thread.at[at] = prefix;
	return prefix;
}

/* The type of a stack that was not seen with this prefix just before. */
uint32_t
sample_types_find(struct sample_types *types, uint32_t prefix, uint64_t stack)
{
	uint32_t type = pair_sums_index(types->pairs, prefix, stack < UINT32_MAX ? (uint32_t)stack : UINT32_MAX) + 1;

	if (!model_knows(types->model, STK_STACK, stack)) {
		*types->lost += stack != MERGE_LOST_ID;		/* whoever merged counted it */
		return type;
	}
	if (stack / SPARSE_TIMES > model_count(types->model, STK_STACK))
		return type;
	if (stack >= types->of_stack.count)
		array_lengthen(&types->of_stack, (size_t)stack + 1);
	types->of_stack.at[stack] = (struct typed){ prefix, type };
	return type;
}

void
sample_types_of_rows(struct sample_types *types, const struct sample_columns *columns, uint32_t rows, uint32_t *to)
{
	for (uint32_t row = 0; row < rows; row++) {
		uint64_t ahead = row + FETCH_AHEAD < rows ? sample_value(&columns->stack, row + FETCH_AHEAD) : 0;

		if (ahead < types->of_stack.count)
			__builtin_prefetch(&types->of_stack.at[ahead]);
		to[row] = sample_type(types, columns, row);
	}
}
