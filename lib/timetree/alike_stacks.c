/* SPDX-License-Identifier: MIT
 * alike_stacks: stacks as nodes of one call tree, which has the names as reports write them. */
#include "timetree/alike_stacks.h"

#include "base/id_table.h"
#include "base/memory.h"
#include "choose/call_tree.h"
#include "choose/naming.h"

#include <stdlib.h>

struct alike_stacks {
	const struct model *model;
	struct naming *naming;
	struct call_tree tree;
	struct id_table numbers[2];	/* by stack, otherwise and of Java processes: its node + 1; 0: not known */
	ARRAY(uint32_t) chain;		/* of stacks whose callers are not yet known */
};

struct alike_stacks *
alike_stacks_open(const struct model *model)
{
	static const struct naming_options names = { 0 };
	struct alike_stacks *alike = mem_new(1, sizeof *alike);

	alike->model = model;
	alike->numbers[0].size = alike->numbers[1].size = sizeof(uint32_t);
	naming_open(&alike->naming, model, &names);
	call_tree_open(&alike->tree, 1);
	return alike;
}

void
alike_stacks_close(struct alike_stacks *alike)
{
	if (alike == NULL)
		return;
	naming_close(alike->naming);
	call_tree_release(&alike->tree);
	id_table_clear(&alike->numbers[0]);
	id_table_clear(&alike->numbers[1]);
	array_release(&alike->chain);
	free(alike);
}

/* A parent's id is below its child's; where it is not, the stack stands alone. */
static uint32_t
parent_of(const struct alike_stacks *alike, uint32_t stack)
{
	uint64_t parent = model_stack(alike->model, stack).parent;

	return parent < stack ? (uint32_t)parent : 0;
}

uint32_t
alike_stacks_number(struct alike_stacks *alike, uint32_t stack, bool java)
{
	uint32_t node = 0, at = stack;

	alike->chain.count = 0;
	while (at != 0 && model_knows(alike->model, STK_STACK, at)) {
		const uint32_t *known = id_table_find(&alike->numbers[java], at);

		if (known != NULL) {
			node = *known - 1;
			break;
		}
		*array_push(&alike->chain) = at;
		at = parent_of(alike, at);
	}
	if (stack != 0 && alike->chain.count == 0 && at == stack && !model_knows(alike->model, STK_STACK, stack))
		return call_tree_child(&alike->tree, 0, text_of("?", 1)) + 1;
	while (alike->chain.count > 0) {
		uint32_t id = alike->chain.at[--alike->chain.count];
		uint64_t frame = model_stack(alike->model, id).frame;

		node = call_tree_path(&alike->tree, node, naming_frame(alike->naming, frame, java));
		*(uint32_t *)id_table_at(&alike->numbers[java], id) = node + 1;
	}
	return node + 1;
}
