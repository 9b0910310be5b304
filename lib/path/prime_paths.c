/* SPDX-License-Identifier: MIT
 * prime_paths: from each block on, depth first over blocks that are not on the path; what cannot be extended at either
 * end is one. */
#include "path/prime_paths.h"

#define STEPS_MOST 2000000000u		/* of the search, in addition to the bound on what it finds */

struct prime_search {
	const struct flow_graph *graph;
	struct flow_paths *out;
	bool *on_path;
	struct { uint32_t block, next; bool longer; } *stack;
	size_t depth, blocks;
	uint64_t steps;
	struct stk_error *err;
};

static int
keep(struct prime_search *s, bool round)
{
	struct flow_path path = { 0 };

	if (s->out->list.count >= PATHS_MOST || s->blocks + s->depth > 10 * (size_t)PATH_BLOCKS_MOST)
		return stk_fail(s->err, STK_EUSAGE, "'%s' has more than %u prime paths", s->graph->function,
				PATHS_MOST);
	array_reserve(&path.blocks, s->depth + 1);
	for (size_t i = 0; i < s->depth; i++)
		path.blocks.at[path.blocks.count++] = s->stack[i].block;
	if (round)
		path.blocks.at[path.blocks.count++] = s->stack[0].block;
	s->blocks += path.blocks.count;
	*array_push(&s->out->list) = path;
	return 0;
}

/* Whether something leads to the first block that is not on the path; or the last one, with which it is a round. */
static bool
can_begin_earlier(const struct prime_search *s)
{
	const struct flow_block *first = &s->graph->blocks.at[s->stack[0].block];

	for (size_t k = 0; k < first->in.count; k++) {
		uint32_t from = s->graph->edges.at[first->in.at[k]].from;

		if (from == s->graph->entry && s->graph->entry != s->graph->first)
			continue;	/* that is ours */
		if (!s->on_path[from] || from == s->stack[s->depth - 1].block)
			return true;
	}
	return false;
}

static int
search_from(struct prime_search *s, uint32_t from)
{
	s->depth = 1;
	s->stack[0].block = from;
	s->stack[0].next = 0;
	s->stack[0].longer = false;
	s->on_path[from] = true;
	while (s->depth > 0) {
		const struct flow_block *block = &s->graph->blocks.at[s->stack[s->depth - 1].block];
		uint32_t to;

		if (++s->steps > STEPS_MOST)
			return stk_fail(s->err, STK_EUSAGE, "the prime paths of '%s' are too many to search for",
					s->graph->function);
		if (s->stack[s->depth - 1].next == block->out.count) {
			if (!s->stack[s->depth - 1].longer && !can_begin_earlier(s) && keep(s, false) < 0)
				return -1;
			s->on_path[s->stack[--s->depth].block] = false;
			continue;
		}
		to = s->graph->edges.at[block->out.at[s->stack[s->depth - 1].next++]].to;
		if (to == from) {
			s->stack[s->depth - 1].longer = true;
			if (keep(s, true) < 0)
				return -1;
		} else if (!s->on_path[to]) {
			s->stack[s->depth - 1].longer = true;
			s->on_path[to] = true;
			s->stack[s->depth].block = to;
			s->stack[s->depth].next = 0;
			s->stack[s->depth++].longer = false;
		}
	}
	return 0;
}

int
prime_paths_find(struct flow_paths *out, const struct flow_graph *graph, struct stk_error *err)
{
	struct prime_search s = { .graph = graph, .out = out, .err = err };
	int result = 0;

	*out = (struct flow_paths){ 0 };
	s.on_path = mem_new(graph->blocks.count, sizeof *s.on_path);
	s.stack = mem_new(graph->blocks.count + 1, sizeof *s.stack);
	for (uint32_t b = 0; b < graph->blocks.count && result == 0; b++)
		if (graph->entry == graph->first || b != graph->entry)
			result = search_from(&s, b);
	free(s.on_path);
	free(s.stack);
	if (result < 0)
		flow_paths_release(out);
	return result;
}
