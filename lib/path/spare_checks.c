/* SPDX-License-Identifier: MIT
 * spare_checks: behind a check r is what it is there on some interesting path; where there is no check every edge that leads on is one that interesting paths take. So
 * at each block the values that r can have are those of interesting paths, and what an edge brings is what its operations make of them. */
#include "path/spare_checks.h"

struct values { ARRAY(path_word) list; };

static int
compare_words(const void *a, const void *b)
{
	path_word x = *(const path_word *)a, y = *(const path_word *)b;

	return x < y ? -1 : x > y;
}

static void
settle(struct values *values)
{
	size_t kept = 0;

	if (values->list.count > 0)
		qsort(values->list.at, values->list.count, sizeof *values->list.at, compare_words);
	for (size_t i = 0; i < values->list.count; i++)
		if (kept == 0 || values->list.at[kept - 1] != values->list.at[i])
			values->list.at[kept++] = values->list.at[i];
	values->list.count = kept;
}

static bool
has(const struct values *values, path_word value)
{
	return values->list.count > 0 && bsearch(&value, values->list.at, values->list.count, sizeof value, compare_words) != NULL;
}

static void
do_all(const struct word_ops *ops, struct word_walk *walk)
{
	for (size_t i = 0; i < ops->list.count; i++)
		word_op_do(&ops->list.at[i], walk);
}

/* What r is at each block, on all interesting paths. */
static struct values *
values_at_blocks(const struct word_plan *w)
{
	const struct flow_graph *g = w->plan->graph;
	struct values *at = mem_new(g->blocks.count, sizeof *at);

	for (size_t i = 0; i < w->plan->paths.count; i++) {
		const struct flow_path *path = &w->plan->paths.at[i];
		struct word_walk walk = { 0 };

		do_all(&w->entry, &walk);
		for (size_t k = 0; k < path->blocks.count; k++) {
			if (k > 0)
				do_all(&w->of_edge[flow_graph_edge(g, path->blocks.at[k - 1], path->blocks.at[k])], &walk);
			*array_push(&at[path->blocks.at[k]].list) = walk.r;
		}
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		settle(&at[b]);
	return at;
}

/* What the edge needs in place of its block's check. The smaller set is compared: of values that may go on, or of those that may not. */
static void
check_on_edge(struct word_plan *w, uint32_t e, const struct values *before, const struct values *known)
{
	struct values good = { 0 }, bad = { 0 };
	struct word_op op = { .kind = WORD_END };

	for (size_t i = 0; i < before->list.count; i++) {
		struct word_walk walk = { .r = before->list.at[i] };
		struct values *kind;

		do_all(&w->of_edge[e], &walk);
		kind = has(known, walk.r) ? &good : &bad;
		*array_push(&kind->list) = walk.r;
	}
	settle(&good);
	settle(&bad);
	if (good.list.count > 0) {
		const struct values *set = good.list.count <= bad.list.count ? &good : &bad;

		op.kind = set == &good ? WORD_CHK : WORD_REFUSE;
		op.set = mem_new(set->list.count + 1, sizeof *op.set);
		op.set_count = set->list.count;
		for (size_t i = 0; i < set->list.count; i++)
			op.set[i] = set->list.at[i];
	}
	if (bad.list.count > 0)
		*array_push(&w->of_edge[e].list) = op;
	else
		free(op.set);
	array_release(&good.list);
	array_release(&bad.list);
}

/* The block's operations without the check in front. */
static void
drop_check(struct word_ops *ops)
{
	free(ops->list.at[0].set);
	for (size_t i = 1; i < ops->list.count; i++)
		ops->list.at[i - 1] = ops->list.at[i];
	ops->list.count--;
}

void
spare_checks(struct word_plan *w)
{
	const struct flow_graph *g = w->plan->graph;
	struct values *at;

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
		array_release(&at[b].list);
	free(at);
}
