/* SPDX-License-Identifier: MIT
 * spare_checks: after a check r is what it is there on some interesting path; where there is no check every edge
 * onwards is one that interesting paths take. So at each block the values that r can have are those of interesting
 * paths, and what an edge brings is what its operations make of them. */
#include "probe/spare_checks.h"

/* What r is at each block, on all interesting paths. */
static struct word_set *
values_at_blocks(const struct word_plan *w)
{
	const struct flow_graph *g = w->plan->graph;
	struct word_set *at = mem_new(g->blocks.count, sizeof *at);

	for (size_t i = 0; i < w->plan->paths.count; i++) {
		const struct flow_path *path = &w->plan->paths.at[i];
		struct word_walk walk = { 0 };

		word_ops_do(&w->entry, &walk);
		for (size_t k = 0; k < path->blocks.count; k++) {
			if (k > 0)
				word_ops_do(&w->of_edge[flow_graph_edge(g, path->blocks.at[k - 1], path->blocks.at[k])],
					    &walk);
			word_set_add(&at[path->blocks.at[k]], walk.r);
		}
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		word_set_settle(&at[b]);
	return at;
}

/* What the edge needs in place of its block's check. The smaller set is compared: of values that may go on, or of those
 * that may not. */
static void
check_on_edge(struct word_plan *w, uint32_t e, const struct word_set *before, const struct word_set *known)
{
	struct word_set good = { 0 }, bad = { 0 };
	struct word_op op = { .kind = WORD_END };

	for (size_t i = 0; i < before->list.count; i++) {
		struct word_walk walk = { .r = before->list.at[i] };

		word_ops_do(&w->of_edge[e], &walk);
		word_set_add(word_set_has(known, walk.r) ? &good : &bad, walk.r);
	}
	word_set_settle(&good);
	word_set_settle(&bad);
	if (bad.list.count > 0) {
		if (good.list.count > 0)
			op = good.list.count <= bad.list.count ? (struct word_op){ .kind = WORD_CHK, .set = good }
				: (struct word_op){ .kind = WORD_REFUSE, .set = bad };
		*array_push(&w->of_edge[e].list) = op;
	}
	if (op.kind != WORD_CHK)
		word_set_release(&good);
	if (op.kind != WORD_REFUSE)
		word_set_release(&bad);
}

/* The block's operations without the check in front. */
static void
drop_check(struct word_ops *ops)
{
	word_set_release(&ops->list.at[0].set);
	for (size_t i = 1; i < ops->list.count; i++)
		ops->list.at[i - 1] = ops->list.at[i];
	ops->list.count--;
}

void
spare_checks(struct word_plan *w)
{
	const struct flow_graph *g = w->plan->graph;
	struct word_set *at;

	if (w->plan->method != PATH_PSP0 || w->keeping == KEEP_TABLE)
		return;
	at = values_at_blocks(w);
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		struct word_ops *ops = &w->of_block[b];

		if (ops->list.count == 0 || ops->list.at[0].kind != WORD_CHK)
			continue;
		for (size_t i = 0; i < g->blocks.at[b].in.count; i++) {
			uint32_t e = g->blocks.at[b].in.at[i];

			check_on_edge(w, e, &at[g->edges.at[e].from], &at[b]);
		}
		drop_check(ops);
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		word_set_release(&at[b]);
	free(at);
}
