/* SPDX-License-Identifier: MIT
 * regions: for every block, what is reached from it without passing a candidate for the way out. */
#include "path/regions.h"

#define PATHS_MOST (UINT64_C(1) << 32)

struct flow_graph *
region_graph(const struct region *r, const struct flow_graph *g, uint32_t **origin)
{
	bool *keep = mem_new(g->edges.count + 1, sizeof *keep);
	struct flow_graph *part;

	for (uint32_t e = 0; e < g->edges.count; e++)
		keep[e] = r->holds[g->edges.at[e].from] && r->holds[g->edges.at[e].to] && g->edges.at[e].from != r->exit;
	part = flow_graph_part(g, keep, r->entry, r->exit, origin);
	free(keep);
	return part;
}

/* What is reached from the entry up to the exit. False: it goes on without the exit, or comes back to the entry. */
static bool
fill(struct region *r, const struct flow_graph *g, uint32_t *todo)
{
	size_t count = 0;

	memset(r->holds, 0, g->blocks.count * sizeof *r->holds);
	r->holds[r->entry] = true;
	r->size = 1;
	todo[count++] = r->entry;
	while (count > 0) {
		uint32_t b = todo[--count];
		const struct flow_block *block = &g->blocks.at[b];

		if (b == r->exit)
			continue;
		if (b == g->exit)
			return false;
		for (size_t k = 0; k < block->out.count; k++) {
			uint32_t to = g->edges.at[block->out.at[k]].to;

			if (to == r->entry)
				return false;
			if (!r->holds[to]) {
				r->holds[to] = true;
				r->size++;
				todo[count++] = to;
			}
		}
	}
	return r->holds[r->exit] && (!r->holds[g->entry] || g->entry == r->entry);
}

/* No way in but by the entry; nothing comes in from behind the exit. */
static bool
has_one_way_in(const struct region *r, const struct flow_graph *g)
{
	for (uint32_t b = 0; b < g->blocks.count; b++)
		for (size_t k = 0; r->holds[b] && b != r->entry && k < g->blocks.at[b].in.count; k++) {
			uint32_t from = g->edges.at[g->blocks.at[b].in.at[k]].from;

			if (!r->holds[from] || from == r->exit)
				return false;
		}
	return true;
}

/* 0: it has a loop, or too many. */
static uint64_t
count_paths(const struct region *r, const struct flow_graph *g)
{
	uint32_t *origin, *order = mem_new(g->blocks.count, sizeof *order), count;
	struct flow_graph *part = region_graph(r, g, &origin);
	bool *back = mem_new(part->edges.count + 1, sizeof *back), loop = false;
	uint64_t *paths = mem_new(g->blocks.count, sizeof *paths), all;

	flow_graph_back_edges(part, back);
	for (uint32_t e = 0; e < part->edges.count; e++)
		loop |= back[e];
	count = flow_graph_order(part, NULL, order);
	for (uint32_t i = count; i-- > 0 && !loop; ) {
		const struct flow_block *block = &part->blocks.at[order[i]];

		paths[order[i]] = order[i] == r->exit;
		for (size_t k = 0; k < block->out.count; k++)
			paths[order[i]] += paths[part->edges.at[block->out.at[k]].to];
		loop |= paths[order[i]] >= PATHS_MOST;
	}
	all = loop ? 0 : paths[r->entry];
	flow_graph_free(part);
	free(origin);
	free(order);
	free(back);
	free(paths);
	return all;
}

void
regions_find(struct regions *out, const struct flow_graph *g)
{
	uint32_t *todo = mem_new(g->blocks.count, sizeof *todo);
	struct region r = { .holds = mem_new(g->blocks.count, sizeof *r.holds) };

	out->list.count = 0;
	for (r.entry = 0; r.entry < g->blocks.count; r.entry++)
		for (r.exit = 0; r.exit < g->blocks.count; r.exit++) {
			if (r.entry == r.exit || g->blocks.at[r.exit].in.count == 0 || !fill(&r, g, todo) || !has_one_way_in(&r, g))
				continue;
			r.paths = count_paths(&r, g);
			if (r.paths < 2)
				continue;
			*array_push(&out->list) = r;
			r.holds = mem_new(g->blocks.count, sizeof *r.holds);
		}
	free(r.holds);
	free(todo);
}

/* --- choosing --- */

static bool
goes_before(const struct region *a, const struct region *b, const struct flow_graph *g)
{
	int names = strcmp(g->blocks.at[a->entry].name, g->blocks.at[b->entry].name);

	if (a->size != b->size)
		return a->size > b->size;
	return names != 0 ? names < 0 : strcmp(g->blocks.at[a->exit].name, g->blocks.at[b->exit].name) < 0;
}

/* One's inside, its exit too, is not the other's, and no entry lies in the middle of the other. */
static bool
are_apart(const struct region *a, const struct region *b, const struct flow_graph *g)
{
	for (uint32_t block = 0; block < g->blocks.count; block++)
		if (a->holds[block] && block != a->entry && b->holds[block] && block != b->entry)
			return false;
	return !(b->holds[a->entry] && a->entry != b->entry && a->entry != b->exit) && !(a->holds[b->entry] && b->entry != a->entry && b->entry != a->exit);
}

void
regions_choose(struct regions *regions, const struct flow_graph *g)
{
	struct region *at = regions->list.at;
	size_t chosen = 0;

	for (size_t i = 1; i < regions->list.count; i++)	/* there are few */
		for (size_t k = i; k > 0 && goes_before(&at[k], &at[k - 1], g); k--) {
			struct region other = at[k];

			at[k] = at[k - 1];
			at[k - 1] = other;
		}
	for (size_t i = 0; i < regions->list.count; i++) {
		bool apart = true;

		for (size_t k = 0; k < chosen && apart; k++)
			apart = are_apart(&at[i], &at[k], g);
		if (apart) {
			struct region other = at[chosen];

			at[chosen++] = at[i];
			at[i] = other;
		}
	}
	for (size_t i = chosen; i < regions->list.count; i++)
		free(at[i].holds);
	regions->list.count = chosen;
}

void
regions_release(struct regions *regions)
{
	for (size_t i = 0; i < regions->list.count; i++)
		free(regions->list.at[i].holds);
	array_release(&regions->list);
}
