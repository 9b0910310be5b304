/* SPDX-License-Identifier: MIT
 * regions: every walk from a block passes the same next block; between the two is a link, and a region is one or
 * several consecutive links. */
#include "path/regions.h"

#include "base/bytes.h"

#define PATHS_MOST (UINT64_C(1) << 32)

struct flow_graph *
region_graph(const struct region *r, const struct flow_graph *g, uint32_t **origin, uint32_t **place)
{
	struct flow_graph *part = flow_graph_new(text_from(g->function));

	*origin = mem_new(g->edges.count + 1, sizeof **origin);
	*place = mem_new(g->blocks.count, sizeof **place);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		if (r->holds[b])
			(*place)[b] = flow_graph_add_block(part, text_from(g->blocks.at[b].name));
	for (uint32_t e = 0; e < g->edges.count; e++) {
		const struct flow_edge *edge = &g->edges.at[e];

		if (!r->holds[edge->from] || !r->holds[edge->to] || edge->from == r->exit)
			continue;
		(*origin)[part->edges.count] = e;
		flow_graph_add_edge(part, (*place)[edge->from], (*place)[edge->to]);
	}
	part->entry = part->first = (*place)[r->entry];
	part->exit = (*place)[r->exit];
	return part;
}

/* --- links --- */

/* The part between a block and the next that every walk passes. */
struct link {
	uint32_t exit;			/* or NO_BLOCK */
	uint32_t size;
	uint64_t paths;			/* 0: not a region, because of a loop or another way in; or too many */
};

/* A search from one block up to another. What was met is of this search when met[block] is its number. */
struct walk {
	const struct flow_graph *graph;
	uint32_t *met, number;
	bool *open;
	uint32_t *blocks, count;	/* those met, in the order in which they were left: each after those it leads
					 * to */
	struct { uint32_t block, next; } *stack;
};

/* False: there is a loop. */
static bool
walk_between(struct walk *w, uint32_t from, uint32_t to)
{
	size_t depth = 0;
	bool loop = false;

	w->number++;
	w->count = 0;
	w->stack[depth].block = from;
	w->stack[depth++].next = 0;
	w->met[from] = w->number;
	w->open[from] = true;
	while (depth > 0) {
		uint32_t at = w->stack[depth - 1].block, next;
		const struct flow_block *block = &w->graph->blocks.at[at];

		if (at == to || w->stack[depth - 1].next == block->out.count) {
			w->open[at] = false;
			w->blocks[w->count++] = at;
			depth--;
			continue;
		}
		next = w->graph->edges.at[block->out.at[w->stack[depth - 1].next++]].to;
		if (w->met[next] == w->number) {
			loop |= w->open[next];
			continue;
		}
		w->met[next] = w->number;
		w->open[next] = true;
		w->stack[depth].block = next;
		w->stack[depth++].next = 0;
	}
	return !loop;
}

/* No way in except by the first block; no edge from after the last block leads in. */
static bool
has_one_way_in(const struct walk *w, uint32_t entry, uint32_t exit)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct flow_block *block = &w->graph->blocks.at[w->blocks[i]];

		for (size_t k = 0; k < block->in.count && w->blocks[i] != entry; k++) {
			uint32_t from = w->graph->edges.at[block->in.at[k]].from;

			if (w->met[from] != w->number || from == exit)
				return false;
		}
	}
	return true;
}

static uint64_t
count_paths(const struct walk *w, uint32_t exit, uint64_t *paths)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct flow_block *block = &w->graph->blocks.at[w->blocks[i]];
		uint64_t all = w->blocks[i] == exit;

		for (size_t k = 0; k < block->out.count && w->blocks[i] != exit && all < PATHS_MOST; k++)
			all += paths[w->graph->edges.at[block->out.at[k]].to];
		if (all >= PATHS_MOST)
			return 0;
		paths[w->blocks[i]] = all;
	}
	return paths[w->blocks[w->count - 1]];
}

static struct walk
walk_new(const struct flow_graph *g)
{
	struct walk w = { .graph = g };

	w.met = mem_new(g->blocks.count, sizeof *w.met);
	w.open = mem_new(g->blocks.count, sizeof *w.open);
	w.blocks = mem_new(g->blocks.count, sizeof *w.blocks);
	w.stack = mem_new(g->blocks.count + 1, sizeof *w.stack);
	return w;
}

static void
walk_release(struct walk *w)
{
	free(w->met);
	free(w->open);
	free(w->blocks);
	free(w->stack);
}

static struct link *
find_links(const struct flow_graph *g)
{
	struct link *links = mem_new(g->blocks.count, sizeof *links);
	uint32_t *after = mem_new(g->blocks.count, sizeof *after);
	uint64_t *paths = mem_new(g->blocks.count, sizeof *paths);
	struct walk w = walk_new(g);

	flow_graph_post_dominators(g, after);
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		links[b].exit = after[b];
		if (after[b] == NO_BLOCK || !walk_between(&w, b, after[b]) || !has_one_way_in(&w, b, after[b]))
			continue;
		links[b].paths = count_paths(&w, after[b], paths);
		links[b].size = w.count;
	}
	walk_release(&w);
	free(after);
	free(paths);
	return links;
}

/* --- finding --- */

/* What spoils a link, a loop or another way in, spoils each region that it would be a link of. */
void
regions_find(struct regions *out, const struct flow_graph *g)
{
	struct link *links = find_links(g);

	out->list.count = 0;
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		struct region r = { .entry = b, .exit = b, .size = 1, .paths = 1 };

		while (links[r.exit].paths > 0 && r.paths < PATHS_MOST) {
			const struct link *next = &links[r.exit];

			r.exit = next->exit;
			r.size += next->size - 1;
			r.paths *= next->paths;		/* both are below 2^32 */
			if (r.paths >= 2 && r.paths < PATHS_MOST)
				*array_push(&out->list) = r;
		}
	}
	free(links);
}

/* --- choosing --- */

static int
compare_regions(const void *x, const void *y, void *graph)
{
	const struct region *a = x, *b = y;
	const struct flow_graph *g = graph;
	int names = strcmp(g->blocks.at[a->entry].name, g->blocks.at[b->entry].name);

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return names != 0 ? names : strcmp(g->blocks.at[a->exit].name, g->blocks.at[b->exit].name);
}

/* What the chosen regions have of each block. */
struct chosen { bool *entry, *middle, *exit; };

/* The inside of one, with its exit, is disjoint from the other's, and no entry is in the middle of the other. */
static bool
is_apart(const struct region *r, const struct chosen *c, struct walk *w)
{
	if (c->middle[r->entry] || c->middle[r->exit] || c->exit[r->exit])
		return false;
	(void)walk_between(w, r->entry, r->exit);
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t b = w->blocks[i];

		if (b != r->entry && b != r->exit && (c->entry[b] || c->middle[b] || c->exit[b]))
			return false;
	}
	return true;
}

static void
take(struct region *r, struct chosen *c, const struct walk *w)
{
	r->holds = mem_new(w->graph->blocks.count, sizeof *r->holds);
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t b = w->blocks[i];

		r->holds[b] = true;
		*(b == r->entry ? &c->entry[b] : b == r->exit ? &c->exit[b] : &c->middle[b]) = true;
	}
}

void
regions_choose(struct regions *regions, const struct flow_graph *g)
{
	struct chosen c = { mem_new(g->blocks.count, sizeof *c.entry), mem_new(g->blocks.count, sizeof *c.middle),
			    mem_new(g->blocks.count, sizeof *c.exit) };
	struct region *at = regions->list.at;
	struct walk w = walk_new(g);
	size_t chosen = 0;

	if (regions->list.count > 0)
		qsort_r(at, regions->list.count, sizeof *at, compare_regions, (void *)(uintptr_t)g);
	for (size_t i = 0; i < regions->list.count; i++)
		if (is_apart(&at[i], &c, &w)) {
			take(&at[i], &c, &w);
			at[chosen++] = at[i];
		}
	regions->list.count = chosen;
	walk_release(&w);
	free(c.entry);
	free(c.middle);
	free(c.exit);
}

void
regions_release(struct regions *regions)
{
	for (size_t i = 0; i < regions->list.count; i++)
		free(regions->list.at[i].holds);
	array_release(&regions->list);
}
