/* SPDX-License-Identifier: MIT
 * call_growth: a call tree out of what was counted, from the root down as far as is wanted: totals are known by the
 * numbers of stacks before any frame is named. */
#include "timetree/grove.h"

/* A grove of which only a part is wanted: its counts are totals, and callers know their callees. */
struct settled_grove {
	struct grove *grove;
	uint32_t *first, *next;		/* by number: its first callee, its caller's next one; 0: none */
};

/* A stack that is part of a node of the call tree. */
struct sprout { uint32_t grove, stack; uint32_t node; };

struct growing {
	struct call_tree *to;
	unsigned column;
	struct growth_limits limits;
	struct groves groves;
	ARRAY(struct settled_grove) settled;
	ARRAY(struct sprout) sprouts, grown;
	ARRAY(uint32_t) planted;	/* nodes of the labels of one stack */
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
	uint32_t *known = id_table_at(&part->names[java], frame), node;
	struct stk_text name;

	if (*known != 0)
		return call_tree_child_of(tree, parent, *known);
	name = naming_frame(part->naming, frame, java);
	node = call_tree_path(tree, parent, name);
	if (memchr(name.data, ';', name.size) == NULL)
		*known = tree->nodes.at[node].name;
	return node;
}

/* The node below which the stacks of a grove are. */
static uint32_t
node_of_prefix(const struct growing *s, const struct grove *g)
{
	return call_tree_path(s->to, 0, stack_prefix_text(g->part->prefixes, g->prefix));
}

/* --- labels --- */

static bool
is_above(const struct growing *s, uint32_t above, uint32_t node)
{
	while (node > above)
		node = s->to->nodes.at[node].parent;
	return node == above;
}

/* Of several labels, what is above some of them has the count once. */
static void
plant_label(struct growing *s, struct stk_text label, uint64_t count)
{
	uint32_t node = call_tree_path(s->to, 0, label), above = node;
	bool had = false;

	while (above != 0 && !had) {
		for (size_t i = 0; i < s->planted.count && !had; i++)
			had = is_above(s, above, s->planted.at[i]);
		above = had ? above : s->to->nodes.at[above].parent;
	}
	*self_of(s, node) += count;
	add_total(s, node, above, count);
	*array_push(&s->planted) = node;
}

static void
plant_pool(struct growing *s, struct part *part, uint32_t prefix, uint64_t count)
{
	struct stk_text pool = stack_prefix_text(part->prefixes, prefix);

	plant_label(s, pool.size > 0 ? pool : text_from("(none)"), count);
}

/* Labels, or pools without them, instead of frames: they need no grove. Stacks that are not defined are counted here,
 * elsewhere when they get places. */
static void
plant_labels(struct growing *s, struct part *part, bool samples, struct answer *answer)
{
	part_count_lost(part);
	for (size_t i = 0; i < part->sums.sums.count; i++) {
		const struct pair_sum *sum = &part->sums.sums.at[i];
		uint64_t count = samples ? sum->count : sum->weight;
		struct label_walk walk = { .prefix = sum->a, .stack = sum->b };
		struct stk_text label;

		s->planted.count = 0;
		if (part->labels == NULL)
			plant_pool(s, part, sum->a, count);
		while (part->labels != NULL && stack_label_next(part->labels, &walk, &label))
			plant_label(s, label, count);
		answer->several += s->planted.count > 1 ? sum->count : 0;
		*total_of(s, 0) += count;
	}
}

/* --- all of it --- */

static void
grow_all(struct growing *s, struct grove *g)
{
	bool java = stack_prefix_is_java(g->prefix);
	uint32_t *nodes = mem_new(g->callers.count, sizeof *nodes);

	nodes[0] = node_of_prefix(s, g);
	*self_of(s, nodes[0]) += g->counts.at[0];
	for (size_t n = 1; n < g->callers.count; n++) {
		if (g->frames.at[n] == GROVE_NO_STACK)
			continue;
		nodes[n] = node_of_frame(g->part, nodes[g->callers.at[n]], g->frames.at[n], java, s->to);
		*self_of(s, nodes[n]) += g->counts.at[n];
	}
	free(nodes);
}

/* Of all nodes, those of earlier calls too: a parent's number is below its child's. Most of a large tree has nothing in
 * a short part of a window: parents are far from their children in memory, and are left alone there. */
static void
sum_totals(struct growing *s)
{
	size_t columns = s->to->columns;
	uint64_t *total = s->to->total.at + s->column;
	const uint64_t *self = s->to->self.at + s->column;

	for (size_t n = 0; n < s->to->nodes.count; n++)
		total[n * columns] = self[n * columns];
	for (size_t n = s->to->nodes.count; n-- > 1;)
		if (total[n * columns] != 0)
			total[s->to->nodes.at[n].parent * columns] += total[n * columns];
}

/* --- as far as is wanted --- */

static void
settle_grove(struct growing *s, struct grove *g)
{
	size_t count = g->callers.count;
	struct settled_grove settled = {
		g, mem_new(count, sizeof *settled.first), mem_new(count, sizeof *settled.next)
	};

	for (uint32_t n = (uint32_t)count; n-- > 1;) {
		uint32_t caller = g->callers.at[n];

		if (g->counts.at[n] == 0)
			continue;
		g->counts.at[caller] += g->counts.at[n];
		settled.next[n] = settled.first[caller];
		settled.first[caller] = n;
	}
	*array_push(&s->settled) = settled;
}

/* Totals are known, and given to the node below which the stacks of a grove are. */
static void
begin_grove(struct growing *s, uint32_t number)
{
	const struct grove *g = s->settled.at[number].grove;
	uint32_t node = node_of_prefix(s, g);

	add_total(s, node, 0, g->counts.at[0]);
	*total_of(s, 0) += g->counts.at[0];
	*array_push(&s->sprouts) = (struct sprout){ number, 0, node };
}

/* What a stack has, and its callees have not, is its own. */
static void
add_self(struct growing *s, struct sprout sprout)
{
	const struct settled_grove *g = &s->settled.at[sprout.grove];
	uint64_t self = g->grove->counts.at[sprout.stack];

	for (uint32_t callee = g->first[sprout.stack]; callee != 0; callee = g->next[callee])
		self -= g->grove->counts.at[callee];
	*self_of(s, sprout.node) += self;
}

/* The callees of a stack join the nodes of their names below the stack's own. */
static void
grow_sprout(struct growing *s, struct sprout sprout)
{
	const struct settled_grove *settled = &s->settled.at[sprout.grove];
	const struct grove *g = settled->grove;
	bool java = stack_prefix_is_java(g->prefix);

	for (uint32_t n = settled->first[sprout.stack]; n != 0; n = settled->next[n]) {
		uint32_t node = node_of_frame(g->part, sprout.node, g->frames.at[n], java, s->to);

		add_total(s, node, sprout.node, g->counts.at[n]);
		*array_push(&s->grown) = (struct sprout){ sprout.grove, n, node };
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
	for (size_t g = 0; g < s->groves.all.count; g++)
		settle_grove(s, &s->groves.all.at[g]);
	for (size_t g = 0; g < s->settled.count; g++)
		begin_grove(s, (uint32_t)g);
	while (s->sprouts.count > 0) {
		s->grown.count = 0;
		for (size_t i = 0; i < s->sprouts.count; i++) {
			add_self(s, s->sprouts.at[i]);
			if (is_worth(s, s->sprouts.at[i].node))
				grow_sprout(s, s->sprouts.at[i]);
		}
		s->sprouts.count = 0;
		for (size_t i = s->grown.count; i-- > 0;) /* the lowest numbers next: they are near each other */
			*array_push(&s->sprouts) = s->grown.at[i];
	}
}

/* --- parts --- */

/* Groves stay where only a part of the tree is wanted: that is chosen when all are there. */
static void
grow_part(struct growing *s, struct part *part, bool samples, bool limited)
{
	model_count_lost(part->model, STK_STACK, groves_add(&s->groves, part, samples));
	if (limited)
		return;
	for (size_t g = 0; g < s->groves.all.count; g++)
		grow_all(s, &s->groves.all.at[g]);
	groves_release(&s->groves);
}

static void
release(struct growing *s)
{
	for (size_t g = 0; g < s->settled.count; g++) {
		free(s->settled.at[g].first);
		free(s->settled.at[g].next);
	}
	array_release(&s->settled);
	groves_release(&s->groves);
	array_release(&s->sprouts);
	array_release(&s->grown);
	array_release(&s->planted);
}

int
recordings_grow(struct recording *const *recordings, size_t count, struct growth_limits limits, struct call_tree *to,
	unsigned column, struct answer *answer, struct stk_error *err)
{
	struct growing s = { .to = to, .column = column, .limits = limits };
	bool limited = limits.least > 0 || limits.depth > 0, labels = false;

	(void)total_of(&s, 0);
	for (size_t i = 0; i < count; i++) {
		const struct recording *r = recordings[i];

		for (size_t p = 0; p < r->parts.count; p++) {
			struct part *part = r->parts.at[p];

			part_add_answer(part, answer);
			labels |= r->options.as != AS_FRAMES;
			if (r->options.as != AS_FRAMES)
				plant_labels(&s, part, r->options.samples, answer);
			else
				grow_part(&s, part, r->options.samples, limited);
			pair_sums_clear(&part->sums);
		}
	}
	if (limited)
		grow_worth(&s);
	array_lengthen(&to->total, to->self.count);
	if (!limited && !labels)	/* labels have totals, which may be less than the sums below them */
		sum_totals(&s);
	release(&s);
	return recordings_error(recordings, count, err);
}
