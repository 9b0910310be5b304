/* SPDX-License-Identifier: MIT
 * function_growth: sums by function out of what was counted, without a call tree: a function has what a stack has where
 * no caller is the same function, as function_sums.h says of call trees. */
#include "timetree/function_lists.h"
#include "timetree/grove.h"

struct function_growth {
	struct call_tree *to;		/* its names and its root */
	uint64_t *sums;			/* by name: self and total */
	size_t room;			/* names that there are sums for */
	ARRAY(uint32_t) prefix;		/* names of the present grove's prefix */
	struct function_lists lists;	/* of the present grove */
};

static uint64_t *
sums_of(struct function_growth *f, uint32_t name)
{
	if (name >= f->room) {
		size_t room = 2 * (size_t)name + 64;

		f->sums = mem_resize(f->sums, 2 * room, sizeof *f->sums);
		memset(f->sums + 2 * f->room, 0, 2 * (room - f->room) * sizeof *f->sums);
		f->room = room;
	}
	return f->sums + 2 * (size_t)name;
}

static struct name_list
names_of(const struct function_growth *f, const uint32_t *functions)
{
	return function_lists_names(&f->lists, functions);
}

static bool
list_has(struct name_list list, uint32_t name)
{
	for (uint32_t i = 0; i < list.count; i++)
		if (list.names[i] == name)
			return true;
	return false;
}

static bool
is_above(const struct function_growth *f, const struct grove *g, uint32_t number, uint32_t name)
{
	const uint32_t *functions = g->frames.at;

	for (uint32_t n = g->callers.at[number]; n != 0; n = g->callers.at[n])
		if (functions[n] == name ||
			(functions[n] & SEVERAL_FUNCTIONS && list_has(names_of(f, &functions[n]), name)))
			return true;
	return list_has((struct name_list){ f->prefix.at, (uint32_t)f->prefix.count }, name);
}

/* What is counted of a stack goes to each function of its frame, inlined ones too, that is not above. */
static void
add_total(struct function_growth *f, const struct grove *g, uint32_t number)
{
	struct name_list list = names_of(f, &g->frames.at[number]);

	for (uint32_t i = 0; i < list.count; i++)
		if (!list_has((struct name_list){ list.names, i }, list.names[i]) &&
		    !is_above(f, g, number, list.names[i]))
			sums_of(f, list.names[i])[1] += g->counts.at[number];
}

static void
begin_prefix(struct function_growth *f, const struct grove *g)
{
	struct stk_text text = stack_prefix_text(g->part->prefixes, g->prefix);
	struct name_list list;
	uint32_t at;

	f->lists.lists.count = f->prefix.count = 0;
	function_lists_turn(&f->lists);
	if (text.size == 0)
		return;
	at = function_lists_text(&f->lists, text);
	list = names_of(f, &at);
	for (uint32_t i = 0; i < list.count; i++)
		*array_push(&f->prefix) = list.names[i];
}

/* What the root has goes to the names of the prefix; where there is none, to the tree's root. */
static void
add_root(struct function_growth *f, uint64_t self, uint64_t total)
{
	struct name_list list = { f->prefix.at, (uint32_t)f->prefix.count };

	*call_tree_total(f->to, 0) += total;
	if (list.count == 0)
		*call_tree_self(f->to, 0) += self;
	else
		sums_of(f, list.names[list.count - 1])[0] += self;
	for (uint32_t i = 0; i < list.count; i++)
		if (!list_has((struct name_list){ list.names, i }, list.names[i]))
			sums_of(f, list.names[i])[1] += total;
}

/* Instead of frames the grove has their functions; its counts become totals. */
static void
grow_functions(struct function_growth *f, struct grove *g)
{
	bool java = stack_prefix_is_java(g->prefix);
	uint64_t self = g->counts.at[0];

	begin_prefix(f, g);
	for (size_t n = 1; n < g->callers.count; n++) {
		struct name_list list;

		if (g->frames.at[n] == GROVE_NO_STACK)
			continue;
		g->frames.at[n] = function_lists_frame(&f->lists, g->part, g->frames.at[n], java);
		list = names_of(f, &g->frames.at[n]);
		sums_of(f, list.names[list.count - 1])[0] += g->counts.at[n];
	}
	for (size_t n = g->callers.count; n-- > 1;)
		g->counts.at[g->callers.at[n]] += g->counts.at[n];
	for (uint32_t n = 1; n < g->callers.count; n++)
		if (g->counts.at[n] > 0)
			add_total(f, g, n);
	add_root(f, self, g->counts.at[0]);
}

int
recordings_functions(struct recording *const *recordings, size_t count, struct call_tree *to, uint64_t **sums,
		     struct answer *answer, struct stk_error *err)
{
	struct function_growth f = { .to = to };

	function_lists_open(&f.lists, &to->names);
	array_lengthen(&to->total, to->self.count);
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < recordings[i]->parts.count; p++) {
			struct part *part = recordings[i]->parts.at[p];
			struct groves groves = { 0 };

			part_add_answer(part, answer);
			model_count_lost(part->model, STK_STACK,
					 groves_add(&groves, part, recordings[i]->options.samples));
			for (size_t g = 0; g < groves.all.count; g++)
				grow_functions(&f, &groves.all.at[g]);
			groves_release(&groves);
			pair_sums_clear(&part->sums);
		}
	(void)sums_of(&f, (uint32_t)to->names.texts.count);
	*sums = f.sums;
	array_release(&f.prefix);
	function_lists_release(&f.lists);
	return recordings_error(recordings, count, err);
}
