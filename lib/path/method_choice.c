/* SPDX-License-Identifier: MIT
 * method_choice: the table, top down. */
#include "path/method_choice.h"

#include "path/regions.h"

#include <stdio.h>

struct property { const char *name; bool known, favours_psp0; double value; enum path_method otherwise; };

static uint32_t
count_loops(const struct flow_graph *g, const bool *back)
{
	uint32_t loops = 0;

	for (uint32_t e = 0; e < g->edges.count; e++)
		loops += back[e];
	return loops;
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
	loops = count_loops(g, back);
	share = (double)flow_graph_loop_blocks(g, back) / (double)g->blocks.count;
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
