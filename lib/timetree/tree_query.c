/* SPDX-License-Identifier: MIT
 * tree_query: the walk. Ids of children are below their parent's, so it ends in any file; and what is deeper than a
 * tree can be is damage. */
#include "timetree/tree_query.h"

#include "timetree/count_spread.h"
#include "timetree/tree_builder.h"	/* tree_node_end */

#define DEPTH_MOST 256

struct walk {
	const struct tree_access *access;
	struct tree_interval window;
	struct tree_answer *answer;
	struct stk_error *err;
	uint64_t visits;
};

static bool
is_unbounded(struct tree_interval window)
{
	return window.from == INT64_MIN && window.to == INT64_MAX;
}

static bool
is_outside(const struct stk_tree_node *node, struct tree_interval window)
{
	if (node->time == STK_TIME_UNKNOWN)
		return !is_unbounded(window);
	return node->time >= window.to || tree_node_end(node) <= window.from;
}

static bool
is_inside(const struct stk_tree_node *node, struct tree_interval window)
{
	return node->time >= window.from && (tree_node_end(node) <= window.to || window.to == INT64_MAX);
}

static int
damaged(struct walk *w)
{
	w->answer->damaged++;
	return 0;
}

/* Damaged, and what is below it is known to nobody else. */
static int
unanswered(struct walk *w, struct tree_interval interval)
{
	w->access->unanswered(w->access->context, interval);
	return damaged(w);
}

static struct tree_interval
interval_of(const struct stk_tree_node *node)
{
	return (struct tree_interval){ node->time, tree_node_end(node) };
}

/* 1: the node's counts stand for it; 0: its parts must be asked; -1. */
static int
take_counts(struct walk *w, const struct stk_tree_node *node)
{
	enum tree_access_result got = w->access->counts(w->access->context, node, w->err);
	struct left_out left;

	if (got == TREE_FAILED)
		return -1;
	if (got == TREE_DAMAGED)
		return damaged(w);
	w->answer->stacks += node->counts;
	left = left_out_of(node);
	left_out_add(&w->answer->left, &left);
	return 1;
}

static int visit(struct walk *w, uint64_t id, struct tree_interval within, unsigned depth);

static int
visit_children(struct walk *w, const struct stk_tree_node *node, uint64_t id, unsigned depth)
{
	if (node->last >= id || node->children > node->last || depth == DEPTH_MOST)
		return unanswered(w, interval_of(node));
	for (uint64_t child = node->last - node->children + 1; child <= node->last; child++)
		if (visit(w, child, interval_of(node), depth + 1) < 0)
			return -1;
	return 0;
}

static int
visit_samples(struct walk *w, const struct stk_tree_node *node)
{
	uint64_t taken = 0;
	enum tree_access_result got = w->access->samples(w->access->context, node, w->window, &taken, w->err);

	w->answer->stacks += taken;
	return got == TREE_FAILED ? -1 : 0;	/* damaged samples were reported, and the node is whole */
}

/* A window that cuts a thinned node has a part of what was counted there, in proportion. Of what any one stack can have
 * been left out of, all can be in the window. 1, 0, -1 as take_counts. */
static int
take_part(struct walk *w, const struct stk_tree_node *node)
{
	struct spread spread = spread_of(interval_of(node), w->window);
	struct left_out left = left_out_of(node), share = { 0 },
			all = { .samples = left.samples, .weight = left.weight };
	enum tree_access_result got = w->access->part(w->access->context, node, w->window, w->err);

	w->answer->edges += node->samples;
	if (got != TREE_TAKEN)
		return got == TREE_FAILED ? -1 : damaged(w);
	share.samples = left.samples = spread_share(spread, all.samples, 0);
	share.weight = left.weight = spread_weight(spread, all.samples, all.weight, 0);
	w->answer->stacks += node->counts;
	left_out_add(&w->answer->left, &left);
	left_out_add(&w->answer->guessed, &share);
	left_out_add(&w->answer->possible, &all);
	return 1;
}

static int
visit_thinned(struct walk *w, const struct stk_tree_node *node)
{
	int taken = is_inside(node, w->window) ? take_counts(w, node) : take_part(w, node);

	if (taken == 0)
		w->access->unanswered(w->access->context, interval_of(node));
	return taken < 0 ? -1 : 0;
}

/* More visits than nodes: they refer to one another in a ring or a knot. */
static int
stop_visiting(struct walk *w, struct tree_interval within)
{
	return w->visits == w->access->nodes + 1 ? unanswered(w, within) : 0;
}

static int
visit(struct walk *w, uint64_t id, struct tree_interval within, unsigned depth)
{
	struct stk_tree_node node;
	enum tree_access_result got;

	if (++w->visits > w->access->nodes)
		return stop_visiting(w, within);
	got = w->access->node(w->access->context, id, &node, w->err);
	if (got != TREE_TAKEN)
		return got == TREE_FAILED ? -1 : unanswered(w, within);
	if (node.kept > node.samples)
		return unanswered(w, within);
	if (is_outside(&node, w->window))
		return 0;
	w->answer->nodes++;
	if (node.form == STK_NODE_THINNED)
		return visit_thinned(w, &node);
	if (w->access->thinned && node.children == 0)
		return 0;
	if (is_inside(&node, w->window) && node.counts > 0 && !w->access->thinned) {
		int taken = take_counts(w, &node);

		if (taken != 0)
			return taken < 0 ? -1 : 0;
	}
	return node.children > 0 ? visit_children(w, &node, id, depth) : visit_samples(w, &node);
}

int
tree_query(const struct tree_access *access, const uint64_t *roots, size_t count, struct tree_interval window,
	   struct tree_answer *answer, struct stk_error *err)
{
	const struct tree_interval all = { INT64_MIN, INT64_MAX };
	struct walk w = { access, window, answer, err, 0 };

	for (size_t i = 0; i < count; i++)
		if (visit(&w, roots[i], all, 0) < 0)
			return -1;
	return 0;
}
