/* SPDX-License-Identifier: MIT
 * method_choice: the table, top down. */
#include "path/method_choice.h"

#include "path/regions.h"

#include <stdio.h>

struct property { const char *name; bool known, favours_psp0; double value; enum path_method otherwise; };

/* Blocks in a loop: those between a back edge's end and its beginning. */
static double
share_in_loops(const struct flow_graph *g, const bool *back, uint32_t *loops)
{
	bool *in_loop = mem_new(g->blocks.count, sizeof *in_loop), *seen = mem_new(g->blocks.count, sizeof *seen);
	uint32_t *todo = mem_new(g->blocks.count, sizeof *todo), count = 0;

	*loops = 0;
	for (uint32_t e = 0; e < g->edges.count; e++) {
		size_t open = 0;

		if (!back[e])
			continue;
		++*loops;
		memset(seen, 0, g->blocks.count * sizeof *seen);
		seen[g->edges.at[e].to] = in_loop[g->edges.at[e].to] = true;
		if (!seen[g->edges.at[e].from]) {
			seen[g->edges.at[e].from] = in_loop[g->edges.at[e].from] = true;
			todo[open++] = g->edges.at[e].from;
		}
		while (open > 0) {
			const struct flow_block *block = &g->blocks.at[todo[--open]];

			for (size_t k = 0; k < block->in.count; k++) {
				uint32_t from = g->edges.at[block->in.at[k]].from;

				if (!seen[from]) {
					seen[from] = in_loop[from] = true;
					todo[open++] = from;
				}
			}
		}
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		count += in_loop[b];
	free(in_loop);
	free(seen);
	free(todo);
	return (double)count / (double)g->blocks.count;
}

enum path_method
method_choose(const struct flow_graph *g, int64_t time_ns, bool any, char *why, size_t room)
{
	bool *back = mem_new(g->edges.count + 1, sizeof *back);
	uint32_t loops, largest = 0;
	double share, ms = (double)time_ns / 1e6;
	struct regions regions = { 0 };
	size_t first = 0, count;

	flow_graph_back_edges(g, back);
	share = share_in_loops(g, back, &loops);
	free(back);
	regions_find(&regions, g);
	count = regions.list.count;
	for (size_t i = 0; i < count; i++)
		largest = regions.list.at[i].size > largest ? regions.list.at[i].size : largest;
	regions_release(&regions);

	const struct property table[] = {
		{ "milliseconds a run", time_ns > 0, ms >= 500, ms, PATH_PSP2 },
		{ "of the blocks in loops", true, share < 0.85, share, PATH_PSP2 },
		{ "regions", true, count < 2, (double)count, PATH_PSP2 },
		{ "loops", true, loops >= 4, loops, PATH_PSP2 },
		{ "blocks in the largest region", true, largest < 7, largest, PATH_PSP2 },
		{ "blocks", true, g->blocks.count < 20, (double)g->blocks.count, PATH_PSP1 },
	};

	while (!table[first].known)
		first++;
	for (size_t i = first; any && i < sizeof table / sizeof *table; i++)
		if (table[i].known && table[i].favours_psp0) {
			first = i;
			break;
		}
	snprintf(why, room, "%.4g %s", table[first].value, table[first].name);
	return table[first].favours_psp0 ? PATH_PSP0 : table[first].otherwise;
}
