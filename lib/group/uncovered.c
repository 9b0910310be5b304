/* SPDX-License-Identifier: MIT
 * uncovered: stacks as sets of names. */
#include "group/uncovered.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/text_table.h"

#include <stdlib.h>

struct uncovered_stack { uint32_t first, count; uint64_t weight; };

struct uncovered {
	struct text_table names;
	ARRAY(uint32_t) pool;			/* names of stacks, each once */
	ARRAY(struct uncovered_stack) stacks;
	uint64_t whole, none;
};

void
uncovered_open(struct uncovered **out)
{
	*out = mem_new(1, sizeof **out);
}

void
uncovered_close(struct uncovered *u)
{
	if (u == NULL)
		return;
	text_table_release(&u->names);
	array_release(&u->pool);
	array_release(&u->stacks);
	free(u);
}

/* Each name of a stack once. */
static void
add_name(struct uncovered *u, struct uncovered_stack *stack, uint32_t name)
{
	for (uint32_t k = 0; k < stack->count; k++)
		if (u->pool.at[stack->first + k] == name)
			return;
	*array_push(&u->pool) = name;
	stack->count++;
}

void
uncovered_add(struct uncovered *u, struct scheme_set *schemes, const struct model *model, struct naming *naming,
	      bool grouped, uint64_t stack, uint64_t weight)
{
	uint32_t count = model_stack_frames(model, stack, NULL, 0), *frames;
	struct uncovered_stack *one;

	u->whole += weight;
	if (grouped)
		return;
	u->none += weight;
	frames = mem_new(count + 1, sizeof *frames);
	(void)model_stack_frames(model, stack, frames, count);
	one = array_push(&u->stacks);
	*one = (struct uncovered_stack){ .first = (uint32_t)u->pool.count, .weight = weight };
	for (uint32_t i = 0; i < count; i++)
		if (!scheme_set_is_library(schemes, model, frames[i]))
			add_name(u, one, text_table_number(&u->names, naming_frame(naming, frames[i], false)));
	free(frames);
}

uint64_t
uncovered_whole(const struct uncovered *u)
{
	return u->whole;
}

uint64_t
uncovered_none(const struct uncovered *u)
{
	return u->none;
}

/* 0: nothing is left. */
static uint32_t
best_name(const struct uncovered *u, const uint64_t *sums)
{
	uint32_t best = 0;

	for (size_t s = 0; s < u->stacks.count; s++)
		for (uint32_t i = 0; i < u->stacks.at[s].count; i++) {
			uint32_t name = u->pool.at[u->stacks.at[s].first + i];

			if (sums[name] > 0 && (best == 0 || sums[name] >= sums[best]))
				best = name;
		}
	return best;
}

static void
take_out(struct uncovered *u, uint32_t name)
{
	for (size_t s = 0; s < u->stacks.count; s++)
		for (uint32_t i = 0; i < u->stacks.at[s].count; i++)
			if (u->pool.at[u->stacks.at[s].first + i] == name)
				u->stacks.at[s].weight = 0;
}

bool
uncovered_take(struct uncovered *u, struct stk_text *name, uint64_t *covered)
{
	uint64_t *sums = mem_new(u->names.texts.count + 1, sizeof *sums);
	uint32_t best;

	for (size_t s = 0; s < u->stacks.count; s++)
		for (uint32_t i = 0; i < u->stacks.at[s].count; i++)
			sums[u->pool.at[u->stacks.at[s].first + i]] += u->stacks.at[s].weight;
	best = best_name(u, sums);
	*covered = sums[best];
	*name = text_table_text(&u->names, best);
	free(sums);
	if (best != 0)
		take_out(u, best);
	return best != 0;
}
