/* SPDX-License-Identifier: MIT
 * call_growth: a call tree out of what was counted, from the root down as far as is wanted: totals are known by the ids
 * of stacks before any frame is named. */
#include "timetree/recording_parts.h"

#define FEW_TIMES  64			/* counted stacks are few when the model has this many times as many */
#define LOST_STACK UINT32_MAX		/* in place of all stacks that are not defined: no stack has this id */

/* What a stack of the present grove has. There are as many as stacks: it is kept small. */
struct growth {
	uint64_t count;			/* its own; when it is settled, with its callees */
	union { uint32_t mark, next; };	/* of which grove this is; when it is settled: its caller's next callee */
	union { uint32_t node, first; };	/* its node; when it is settled: its first callee */
};

/* Stacks by id with what they have, and those above them: of one part and one prefix. */
struct grove {
	struct part *part;
	uint32_t prefix, mark;
	struct id_table stacks;		/* struct growth */
};

/* A stack that is part of a node of the call tree. */
struct sprout { uint32_t grove, stack; uint32_t node; };

struct growing {
	struct call_tree *to;
	unsigned column;
	struct growth_limits limits;
	ARRAY(struct grove) groves;	/* where there are limits; otherwise one at a time, the first */
	ARRAY(uint32_t) first, order;	/* of the present part: sums by prefix */
	ARRAY(uint32_t) planted;	/* stacks of the present grove, each after its caller */
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

static uint32_t
node_of_stack(struct part *part, uint32_t parent, uint32_t stack, bool java, struct call_tree *tree)
{
	return stack == LOST_STACK ? call_tree_child(tree, parent, text_of("?", 1))
				   : node_of_frame(part, parent, model_stack(part->model, stack).frame, java, tree);
}

/* --- groves --- */

/* A parent's id is below its child's; where it is not, or not known, the stack stands alone. */
static uint32_t
parent_of(const struct grove *g, uint32_t id)
{
	uint32_t parent = (uint32_t)model_stack(g->part->model, id).parent;

	return parent < id && (parent == 0 || model_knows(g->part->model, STK_STACK, parent)) ? parent : 0;
}

static struct growth *
growth_of(struct grove *g, uint32_t stack)
{
	struct growth *growth = id_table_find(&g->stacks, stack);

	return growth != NULL ? growth : id_table_at(&g->stacks, stack);
}

/* What is left of another grove has the mark of that. Stacks that are new are met before their callers, and kept behind
 * them. */
static void
plant_stack(struct growing *s, struct grove *g, uint32_t stack, uint64_t count)
{
	size_t first = s->planted.count;
	struct growth *growth;

	for (uint32_t id = stack; (growth = growth_of(g, id))->mark != g->mark; id = parent_of(g, id)) {
		*growth = (struct growth){ .mark = g->mark };
		*array_push(&s->planted) = id;
	}
	for (size_t last = s->planted.count; first + 1 < last; first++) {
		uint32_t id = s->planted.at[--last];

		s->planted.at[last] = s->planted.at[first];
		s->planted.at[first] = id;
	}
	growth_of(g, stack)->count += count;
}

/* What a part counted of a prefix goes to the stacks; to these alone, or to those above them too. */
static void
plant(struct growing *s, struct grove *g, bool alone, bool samples)
{
	s->planted.count = 0;
	*growth_of(g, 0) = (struct growth){ .mark = g->mark };
	for (uint32_t i = s->first.at[g->prefix]; i < s->first.at[g->prefix + 1]; i++) {
		const struct pair_sum *sum = &g->part->sums.sums.at[s->order.at[i]];
		uint32_t stack = sum->b == 0 || model_knows(g->part->model, STK_STACK, sum->b) ? sum->b : LOST_STACK;
		uint64_t count = samples ? sum->count : sum->weight;

		if (alone)
			growth_of(g, stack)->count += count;
		else if (count > 0)
			plant_stack(s, g, stack, count);
	}
}

/* Which sums of a part have which prefix: those at order[first[prefix]] to order[first[prefix + 1] - 1]. */
static void
sort_sums(struct growing *s, const struct pair_sums *sums)
{
	s->first.count = s->order.count = 0;
	array_lengthen(&s->order, sums->sums.count);
	for (size_t i = 0; i < sums->sums.count; i++) {
		array_lengthen(&s->first, (size_t)sums->sums.at[i].a + 2);
		s->first.at[sums->sums.at[i].a]++;
	}
	for (size_t p = 1; p < s->first.count; p++)
		s->first.at[p] += s->first.at[p - 1];
	for (size_t i = sums->sums.count; i-- > 0;)
		s->order.at[--s->first.at[sums->sums.at[i].a]] = (uint32_t)i;
}

/* What is shown instead of a stack's frames: without labels, its pool. */
static struct stk_text
label_of(struct part *part, const struct pair_sum *sum)
{
	struct stk_text pool = part->labels == NULL ? stack_prefix_text(part->prefixes, sum->a) : text_of("", 0);

	return part->labels != NULL ? stack_label(part->labels, sum->b)
	       : pool.size > 0      ? pool
				    : text_from("(none)");
}

/* Labels need no grove. */
static void
plant_labels(struct growing *s, struct part *part, bool samples)
{
	for (size_t i = 0; i < part->sums.sums.count; i++) {
		const struct pair_sum *sum = &part->sums.sums.at[i];
		uint32_t node = call_tree_path(s->to, 0, label_of(part, sum));
		uint64_t count = samples ? sum->count : sum->weight;

		*self_of(s, node) += count;
		add_total(s, node, 0, count);
		*total_of(s, 0) += count;
	}
}

/* --- all of it --- */

/* A caller is before its callees, so its node is known. */
static void
grow_all(struct growing *s, struct grove *g)
{
	bool java = stack_prefix_is_java(g->prefix);
	struct growth *root = growth_of(g, 0);

	root->node = call_tree_path(s->to, 0, stack_prefix_text(g->part->prefixes, g->prefix));
	*self_of(s, root->node) += root->count;
	for (size_t i = 0; i < s->planted.count; i++) {
		uint32_t id = s->planted.at[i], caller = growth_of(g, parent_of(g, id))->node;
		struct growth *growth = growth_of(g, id);

		growth->node = node_of_stack(g->part, caller, id, java, s->to);
		*self_of(s, growth->node) += growth->count;
	}
}

/* Of all nodes, those of earlier calls too: a parent's number is below its child's. */
static void
sum_totals(struct growing *s)
{
	size_t columns = s->to->columns;
	uint64_t *total = s->to->total.at + s->column;
	const uint64_t *self = s->to->self.at + s->column;

	for (size_t n = 0; n < s->to->nodes.count; n++)
		total[n * columns] = self[n * columns];
	for (size_t n = s->to->nodes.count; n-- > 1;)
		total[s->to->nodes.at[n].parent * columns] += total[n * columns];
}

/* --- as far as is wanted --- */

/* What a stack has goes to its caller, which then knows it as a callee. */
static void
settle(struct grove *g, uint32_t id)
{
	struct growth *growth = growth_of(g, id), *above = growth_of(g, parent_of(g, id));

	above->count += growth->count;
	growth->next = above->first;
	above->first = id;
}

/* Callees before their callers. Where a good part of the model was counted that is all of it, by ids that fall. */
static void
settle_grove(struct growing *s, struct grove *g, bool alone)
{
	for (size_t i = s->planted.count; i-- > 0;)
		settle(g, s->planted.at[i]);
	for (uint32_t id = alone ? LOST_STACK : 0; id != 0; id = model_before(g->part->model, STK_STACK, id)) {
		const struct growth *growth = id_table_find(&g->stacks, id);

		if (growth != NULL && growth->count > 0)
			settle(g, id);
	}
}

/* Totals are known, and given to the node below which the stacks of a grove are. */
static void
begin_grove(struct growing *s, uint32_t number)
{
	struct grove *g = &s->groves.at[number];
	uint32_t node = call_tree_path(s->to, 0, stack_prefix_text(g->part->prefixes, g->prefix));
	uint64_t total = growth_of(g, 0)->count;

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
	uint64_t self = growth->count;

	for (uint32_t id = growth->first; id != 0; id = callee->next) {
		callee = growth_of(g, id);
		self -= callee->count;
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
		uint32_t node = node_of_stack(g->part, sprout.node, id, java, s->to);

		add_total(s, node, sprout.node, growth_of(g, id)->count);
		*array_push(&s->grown) = (struct sprout){ sprout.grove, id, node };
	}
}

static bool
is_worth(struct growing *s, uint32_t node)
{
	return (double)*total_of(s, node) * 100 >= s->limits.least * (double)*total_of(s, 0) &&
		(s->limits.depth == 0 || s->to->nodes.at[node].depth < s->limits.depth);
}

/* Level by level, so that a node has all its stacks before it is judged. */
static void
grow_worth(struct growing *s)
{
	for (size_t g = 0; g < s->groves.count; g++)
		begin_grove(s, (uint32_t)g);
	while (s->sprouts.count > 0) {
		s->grown.count = 0;
		for (size_t i = 0; i < s->sprouts.count; i++) {
			add_self(s, s->sprouts.at[i]);
			if (is_worth(s, s->sprouts.at[i].node))
				grow_sprout(s, s->sprouts.at[i]);
		}
		s->sprouts.count = 0;
		for (size_t i = s->grown.count; i-- > 0;) /* the lowest ids next: they are near each other */
			*array_push(&s->sprouts) = s->grown.at[i];
	}
}

/* --- parts --- */

static void
grow_part(struct growing *s, struct part *part, bool samples, bool limited)
{
	sort_sums(s, &part->sums);
	for (uint32_t prefix = 0; prefix + 1 < s->first.count; prefix++) {
		uint64_t sums = s->first.at[prefix + 1] - s->first.at[prefix];
		bool alone = limited && sums * FEW_TIMES >= model_count(part->model, STK_STACK);
		struct grove *g;

		if (sums == 0)
			continue;
		if (limited || s->groves.count == 0)
			*array_push(&s->groves) = (struct grove){ .stacks = { .size = sizeof(struct growth) } };
		g = &s->groves.at[s->groves.count - 1];
		g->part = part;
		g->prefix = prefix;
		g->mark++;
		plant(s, g, alone, samples);
		if (limited)
			settle_grove(s, g, alone);
		else
			grow_all(s, g);
	}
}

static void
release(struct growing *s)
{
	for (size_t g = 0; g < s->groves.count; g++)
		id_table_clear(&s->groves.at[g].stacks);
	array_release(&s->groves);
	array_release(&s->first);
	array_release(&s->order);
	array_release(&s->planted);
	array_release(&s->sprouts);
	array_release(&s->grown);
}

static int
first_error(struct recording *const *recordings, size_t count, struct stk_error *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < recordings[i]->parts.count; p++)
			if (part_error(recordings[i]->parts.at[p], err) < 0)
				return -1;
	return 0;
}

int
recordings_grow(struct recording *const *recordings, size_t count, struct growth_limits limits, struct call_tree *to,
	unsigned column, struct answer *answer, struct stk_error *err)
{
	struct growing s = { .to = to, .column = column, .limits = limits };
	bool limited = limits.least > 0 || limits.depth > 0;

	(void)total_of(&s, 0);
	for (size_t i = 0; i < count; i++) {
		const struct recording *r = recordings[i];

		for (size_t p = 0; p < r->parts.count; p++) {
			struct part *part = r->parts.at[p];

			part_note_sums(part, answer);
			if (r->options.as != AS_FRAMES)
				plant_labels(&s, part, r->options.samples);
			else
				grow_part(&s, part, r->options.samples, limited);
			pair_sums_clear(&part->sums);
		}
	}
	if (limited)
		grow_worth(&s);
	array_lengthen(&to->total, to->self.count);
	if (!limited)
		sum_totals(&s);
	release(&s);
	return first_error(recordings, count, err);
}
