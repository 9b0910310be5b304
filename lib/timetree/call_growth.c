/* SPDX-License-Identifier: MIT
 * call_growth: a call tree out of what was counted, from the root down as far as is wanted: totals are known by the ids
 * of stacks before any frame is named. */
#include "timetree/recording_parts.h"

#define FEW_TIMES  64			/* counted stacks are few when the model has this many times as many */
#define LOST_STACK UINT32_MAX		/* in place of all stacks that are not defined: no stack has this id */

/* What a stack has, with its callees; the first of these, and the next that its caller has. Before it is one of these,
 * `next` is how many of its own callees are not settled yet. There are as many as stacks: it is kept small. */
struct growth { uint64_t total; uint32_t first, next; };

/* Stacks by id with what they have, and those above them: of one part and one prefix. */
struct grove {
	struct part *part;
	uint32_t prefix;
	struct id_table stacks;		/* struct growth */
	ARRAY(uint32_t) ids;		/* those that were counted */
};

/* A stack that is part of a node of the call tree. */
struct sprout { uint32_t grove, stack; uint32_t node; };

struct growing {
	struct call_tree *to;
	unsigned column;
	struct growth_limits limits;
	ARRAY(struct grove) groves;
	ARRAY(uint32_t) of_prefix;	/* of the present part: its groves, from 1 */
	ARRAY(struct sprout) sprouts, grown;
};

/* --- the call tree --- */

static uint64_t *
self_of(struct growing *s, uint32_t node)
{
	return call_tree_self(s->to, node) + s->column;
}

static uint64_t *
total_of(struct growing *s, uint32_t node)
{
	array_lengthen(&s->to->total, ((size_t)node + 1) * s->to->columns);
	return call_tree_total(s->to, node) + s->column;
}

/* A total goes to a node and those above it, up to one that has it already. */
static void
add_total(struct growing *s, uint32_t node, uint32_t above, uint64_t total)
{
	for (uint32_t at = node; at != above; at = s->to->nodes.at[at].parent)
		*total_of(s, at) += total;
}

/* Inlined frames are several names in one frame. */
static uint32_t
node_of_frame(struct part *part, uint32_t parent, uint64_t frame, bool java, struct call_tree *tree)
{
	uint32_t *known = model_knows(part->model, STK_FRAME, frame) ? id_table_at(&part->names[java], frame) : NULL,
		 node;
	struct stk_text name;

	if (known != NULL && *known != 0)
		return call_tree_child_of(tree, parent, *known);
	name = naming_frame(part->naming, frame, java);
	node = call_tree_path(tree, parent, name);
	if (known != NULL && memchr(name.data, ';', name.size) == NULL)
		*known = tree->nodes.at[node].name;
	return node;
}

/* --- groves --- */

static struct grove *
grove_of(struct growing *s, struct part *part, uint32_t prefix)
{
	array_lengthen(&s->of_prefix, (size_t)prefix + 1);
	if (s->of_prefix.at[prefix] == 0) {
		*array_push(&s->groves) =
			(struct grove){ .part = part, .prefix = prefix, .stacks = { .size = sizeof(struct growth) } };
		s->of_prefix.at[prefix] = (uint32_t)s->groves.count;
	}
	return &s->groves.at[s->of_prefix.at[prefix] - 1];
}

static struct growth *
growth_of(struct grove *g, uint32_t stack)
{
	return id_table_at(&g->stacks, stack);
}

/* A parent's id is below its child's; where it is not, or not known, the stack stands alone. */
static uint32_t
parent_of(const struct grove *g, uint32_t id)
{
	uint32_t parent = (uint32_t)model_stack(g->part->model, id).parent;

	return parent < id && (parent == 0 || model_knows(g->part->model, STK_STACK, parent)) ? parent : 0;
}

/* What a part counted goes to the stacks. */
static void
plant(struct growing *s, struct part *part, bool samples)
{
	s->of_prefix.count = 0;
	for (size_t i = 0; i < part->sums.sums.count; i++) {
		const struct pair_sum *sum = &part->sums.sums.at[i];
		struct grove *grove = grove_of(s, part, sum->a);
		uint32_t id = sum->b == 0 || model_knows(part->model, STK_STACK, sum->b) ? sum->b : LOST_STACK;
		uint64_t count = samples ? sum->count : sum->weight;
		struct growth *growth = growth_of(grove, id);

		if (growth->total == 0 && count > 0 && id != 0)
			*array_push(&grove->ids) = id;
		growth->total += count;
	}
}

/* What is shown instead of a stack's frames needs no grove. */
static void
plant_labels(struct growing *s, struct part *part, bool samples)
{
	for (size_t i = 0; i < part->sums.sums.count; i++) {
		const struct pair_sum *sum = &part->sums.sums.at[i];
		uint32_t node = call_tree_path(s->to, 0, stack_label(part->labels, sum->b));
		uint64_t count = samples ? sum->count : sum->weight;

		*self_of(s, node) += count;
		add_total(s, node, 0, count);
		*total_of(s, 0) += count;
	}
}

/* --- totals --- */

/* The callers of counted stacks, each with how many callees it waits for. */
static void
find_callers(struct grove *g)
{
	for (size_t i = 0; i < g->ids.count; i++) {
		bool is_new = true;

		for (uint32_t id = g->ids.at[i]; id != 0 && is_new;) {
			struct growth *above;

			id = parent_of(g, id);
			above = growth_of(g, id);
			is_new = above->next == 0 && above->total == 0;
			above->next++;
		}
	}
}

/* What a stack has goes to its caller, which then knows it as a callee. The caller. */
static uint32_t
settle(struct grove *g, uint32_t id)
{
	struct growth *growth = growth_of(g, id), *above;
	uint32_t parent = parent_of(g, id);

	above = growth_of(g, parent);
	above->total += growth->total;
	growth->next = above->first;
	above->first = id;
	return parent;
}

/* Few stacks of the model: from each without callees up, as far as no other is waited for. */
static void
settle_counted(struct grove *g)
{
	size_t leaves = 0;

	find_callers(g);
	for (size_t i = 0; i < g->ids.count; i++)
		if (growth_of(g, g->ids.at[i])->next == 0)
			g->ids.at[leaves++] = g->ids.at[i];
	for (size_t i = 0; i < leaves; i++) {
		uint32_t id = g->ids.at[i];

		do
			id = settle(g, id);
		while (--growth_of(g, id)->next == 0 && id != 0);
	}
}

/* Many of them: all of the model, callees before their callers, whose ids are lower. */
static void
settle_model(struct grove *g)
{
	for (uint32_t id = LOST_STACK; id != 0; id = model_before(g->part->model, STK_STACK, id)) {
		const struct growth *growth = id_table_find(&g->stacks, id);

		if (growth != NULL && growth->total > 0)
			(void)settle(g, id);
	}
}

/* --- growing --- */

/* Totals are made, and given to the node below which the stacks of a grove are. */
static void
begin_grove(struct growing *s, uint32_t number)
{
	struct grove *g = &s->groves.at[number];
	uint32_t node = call_tree_path(s->to, 0, stack_prefix_text(g->part->prefixes, g->prefix));
	uint64_t total;

	if (g->ids.count * FEW_TIMES < model_count(g->part->model, STK_STACK))
		settle_counted(g);
	else
		settle_model(g);
	array_release(&g->ids);
	total = growth_of(g, 0)->total;
	add_total(s, node, 0, total);
	*total_of(s, 0) += total;
	*array_push(&s->sprouts) = (struct sprout){ number, 0, node };
}

/* What a stack has, and its callees have not, is its own. */
static void
add_self(struct growing *s, struct sprout sprout)
{
	struct grove *g = &s->groves.at[sprout.grove];
	const struct growth *growth = growth_of(g, sprout.stack), *callee;
	uint64_t self = growth->total;

	for (uint32_t id = growth->first; id != 0; id = callee->next) {
		callee = growth_of(g, id);
		self -= callee->total;
	}
	*self_of(s, sprout.node) += self;
}

/* The callees of a stack join the nodes of their names below the stack's own. */
static void
grow_sprout(struct growing *s, struct sprout sprout)
{
	struct grove *g = &s->groves.at[sprout.grove];
	bool java = stack_prefix_is_java(g->prefix);

	for (uint32_t id = growth_of(g, sprout.stack)->first; id != 0; id = growth_of(g, id)->next) {
		const struct growth *growth = growth_of(g, id);
		uint32_t node;

		if (id == LOST_STACK)
			node = call_tree_child(s->to, sprout.node, text_of("?", 1));
		else
			node = node_of_frame(g->part, sprout.node, model_stack(g->part->model, id).frame, java, s->to);
		add_total(s, node, sprout.node, growth->total);
		*array_push(&s->grown) = (struct sprout){ sprout.grove, id, node };
	}
}

static bool
is_worth(struct growing *s, uint32_t node)
{
	return (double)*total_of(s, node) * 100 >= s->limits.least * (double)*total_of(s, 0) &&
		(s->limits.depth == 0 || s->to->nodes.at[node].depth < s->limits.depth);
}

/* Level by level, so that a node has all its stacks before it is judged; where all are wanted, each stack with what is
 * below it, so that a node is near its caller. */
static void
grow(struct growing *s)
{
	for (size_t g = 0; g < s->groves.count; g++)
		begin_grove(s, (uint32_t)g);
	while (s->sprouts.count > 0) {
		size_t first = s->limits.least > 0 ? 0 : s->sprouts.count - 1;

		s->grown.count = 0;
		for (size_t i = first; i < s->sprouts.count; i++) {
			add_self(s, s->sprouts.at[i]);
			if (is_worth(s, s->sprouts.at[i].node))
				grow_sprout(s, s->sprouts.at[i]);
		}
		s->sprouts.count = first;
		for (size_t i = s->grown.count; i-- > 0;) /* the lowest ids next: they are near each other */
			*array_push(&s->sprouts) = s->grown.at[i];
	}
}

static void
release(struct growing *s)
{
	for (size_t g = 0; g < s->groves.count; g++)
		id_table_clear(&s->groves.at[g].stacks);
	array_release(&s->groves);
	array_release(&s->of_prefix);
	array_release(&s->sprouts);
	array_release(&s->grown);
}

void
recordings_grow(struct recording *const *recordings, size_t count, struct growth_limits limits, struct call_tree *to,
	unsigned column, struct answer *answer)
{
	struct growing s = { .to = to, .column = column, .limits = limits };

	(void)total_of(&s, 0);
	for (size_t i = 0; i < count; i++) {
		const struct recording *r = recordings[i];

		for (size_t p = 0; p < r->parts.count; p++) {
			struct part *part = r->parts.at[p];

			part_note_sums(part, answer);
			if (part->labels != NULL)
				plant_labels(&s, part, r->options.samples);
			else
				plant(&s, part, r->options.samples);
			pair_sums_clear(&part->sums);
		}
	}
	grow(&s);
	release(&s);
	array_lengthen(&to->total, to->self.count);
}
