/* SPDX-License-Identifier: MIT
 * call_graph: the calls are made a graph without rings by a walk in depth, which prefers calls that cost most; then
 * functions get the chains of their callers, callers first. */
#include "ingest/call_graph.h"

#include "base/memory.h"
#include "ingest/ingest.h"
#include "model/recorder.h"

#include <stdlib.h>

#define CHAINS_MOST 100u	/* of a function */
#define UNSEEN      0u
#define ACTIVE      1u
#define DONE        2u

uint32_t
call_graph_node(struct call_graph *g, uint32_t frame)
{
	*array_push(&g->nodes) = (struct call_node){ .frame = frame };
	return (uint32_t)g->nodes.count - 1;
}

void
call_graph_add(struct call_graph *g, uint32_t from, uint32_t to, uint64_t cost, uint64_t times)
{
	uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = hash_map_start(&g->calls_map, hash), id;
	struct call *call;

	while ((id = hash_map_next(&g->calls_map, hash, &at)) != 0)
		if (g->calls.at[id - 1].from == from && g->calls.at[id - 1].to == to)
			break;
	if (id == 0) {
		*array_push(&g->calls) = (struct call){ .from = from, .to = to };
		id = (uint32_t)g->calls.count;
		hash_map_put(&g->calls_map, hash, id);
	}
	call = &g->calls.at[id - 1];
	if (__builtin_add_overflow(call->cost, cost, &call->cost))
		call->cost = UINT64_MAX;
	if (__builtin_add_overflow(call->times, times, &call->times))
		call->times = UINT64_MAX;
}

/* --- without rings --- */

static int
by_cost(const void *a, const void *b, void *context)
{
	const struct call_graph *g = context;
	const struct call *p = &g->calls.at[*(const uint32_t *)a], *q = &g->calls.at[*(const uint32_t *)b];

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	if (p->cost != q->cost)
		return p->cost > q->cost ? -1 : 1;
	return p->to < q->to ? -1 : p->to > q->to;
}

static int
by_callee(const void *a, const void *b, void *context)
{
	const struct call_graph *g = context;
	const struct call *p = &g->calls.at[*(const uint32_t *)a], *q = &g->calls.at[*(const uint32_t *)b];

	if (p->to != q->to)
		return p->to < q->to ? -1 : 1;
	return p->from < q->from ? -1 : p->from > q->from;
}

static void
sort_calls(struct call_graph *g)
{
	g->out.count = g->in.count = 0;
	for (uint32_t c = 0; c < g->calls.count; c++)
		*array_push(&g->out) = *array_push(&g->in) = c;
	if (g->calls.count == 0)
		return;
	qsort_r(g->out.at, g->out.count, sizeof *g->out.at, by_cost, g);
	qsort_r(g->in.at, g->in.count, sizeof *g->in.at, by_callee, g);
	for (uint32_t i = 0; i < g->calls.count; i++) {
		struct call_node *from = &g->nodes.at[g->calls.at[g->out.at[i]].from];
		struct call_node *to = &g->nodes.at[g->calls.at[g->in.at[i]].to];

		from->first_out = from->outs++ == 0 ? i : from->first_out;
		to->first_in = to->ins++ == 0 ? i : to->first_in;
	}
}

/* Walks from a node to all that it calls; the order gets callees before their callers. next: of each node, how many of
 * its calls were followed. */
static void
walk(struct call_graph *g, uint32_t root, unsigned char *seen, uint32_t *next)
{
	*array_push(&g->path) = root;
	seen[root] = ACTIVE;
	while (g->path.count > 0) {
		uint32_t node = g->path.at[g->path.count - 1];
		const struct call_node *is = &g->nodes.at[node];
		struct call *call;

		if (next[node] == is->outs) {
			seen[node] = DONE;
			*array_push(&g->order) = node;
			g->path.count--;
			continue;
		}
		call = &g->calls.at[g->out.at[is->first_out + next[node]++]];
		call->back = seen[call->to] == ACTIVE;
		g->left_out += call->back;
		if (seen[call->to] == UNSEEN) {
			seen[call->to] = ACTIVE;
			*array_push(&g->path) = call->to;
		}
	}
}

/* Whether nothing but itself calls it. */
static bool
is_root(const struct call_graph *g, uint32_t node)
{
	const struct call_node *is = &g->nodes.at[node];

	return is->ins == 0 || (is->ins == 1 && g->calls.at[g->in.at[is->first_in]].from == node);
}

static void
order_nodes(struct call_graph *g)
{
	unsigned char *seen = mem_new(g->nodes.count + 1, 1);
	uint32_t *next = mem_new(g->nodes.count + 1, sizeof *next);

	g->order.count = 0;
	for (uint32_t n = 0; n < g->nodes.count; n++)
		if (seen[n] == UNSEEN && is_root(g, n))
			walk(g, n, seen, next);
	for (uint32_t n = 0; n < g->nodes.count; n++)	/* only called in rings */
		if (seen[n] == UNSEEN)
			walk(g, n, seen, next);
	free(seen);
	free(next);
}

/* --- chains --- */

/* What a call counts for among those to the same function: its cost, or where none costs anything, how often. */
static double
weight_of(const struct call *call, bool by_times)
{
	return call->back ? 0 : by_times ? (double)call->times + 1 : (double)call->cost;
}

static int
by_share(const void *a, const void *b)
{
	const struct call_chain *p = a, *q = b;

	if (p->share != q->share)
		return p->share > q->share ? -1 : 1;
	return p->stack < q->stack ? -1 : p->stack > q->stack;
}

/* Adds the chains of a caller to the present ones. */
static void
add_caller(struct call_graph *g, const struct call *call, double part)
{
	const struct call_node *from = &g->nodes.at[call->from];

	for (size_t c = 0; part > 0 && c < from->chains; c++) {
		struct call_chain chain = g->chains.at[from->first_chain + c];

		chain.share *= part;
		*array_push(&g->present) = chain;
	}
}

static void
gather_callers(struct call_graph *g, const struct call_node *node)
{
	double whole = 0;
	bool by_times = false;

	g->present.count = 0;
	for (unsigned pass = 0; pass < 2 && whole <= 0; pass++) {
		by_times = pass == 1;
		for (uint32_t i = 0; i < node->ins; i++)
			whole += weight_of(&g->calls.at[g->in.at[node->first_in + i]], by_times);
	}
	for (uint32_t i = 0; whole > 0 && i < node->ins; i++) {
		const struct call *call = &g->calls.at[g->in.at[node->first_in + i]];

		add_caller(g, call, weight_of(call, by_times) / whole);
	}
	if (g->present.count == 0)
		*array_push(&g->present) = (struct call_chain){ .share = 1 };
	qsort(g->present.at, g->present.count, sizeof *g->present.at, by_share);
}

/* Only so many chains, none of which is too deep: the others become one. */
static void
merge_rest(struct call_graph *g, struct recorder *recorder, uint32_t other)
{
	struct call_chain rest = { .depth = 1 };
	size_t kept = 0;

	for (size_t c = 0; c < g->present.count; c++) {
		struct call_chain *chain = &g->present.at[c];

		if (chain->depth >= INGEST_DEPTH_MAX || (kept + 1 >= CHAINS_MOST && g->present.count > CHAINS_MOST))
			rest.share += chain->share;
		else
			g->present.at[kept++] = *chain;
	}
	g->present.count = kept;
	if (rest.share <= 0)
		return;
	rest.stack = recorder_stack(recorder, 0, other);
	*array_push(&g->present) = rest;
}

void
call_graph_settle(struct call_graph *g, struct recorder *recorder, uint32_t other)
{
	sort_calls(g);
	order_nodes(g);
	g->chains.count = 0;
	for (size_t i = g->order.count; i > 0; i--) {
		struct call_node *node = &g->nodes.at[g->order.at[i - 1]];

		gather_callers(g, node);
		merge_rest(g, recorder, other);
		node->first_chain = g->chains.count;
		node->chains = g->present.count;
		for (size_t c = 0; c < g->present.count; c++) {
			struct call_chain chain = g->present.at[c];

			chain.stack = recorder_stack(recorder, chain.stack, node->frame);
			chain.depth++;
			*array_push(&g->chains) = chain;
		}
	}
}

const struct call_chain *
call_graph_chains(const struct call_graph *g, uint32_t node, size_t *count)
{
	*count = g->nodes.at[node].chains;
	return g->chains.at + g->nodes.at[node].first_chain;
}

void
call_graph_clear(struct call_graph *g)
{
	g->nodes.count = g->calls.count = g->chains.count = 0;
	hash_map_clear(&g->calls_map);
}

void
call_graph_release(struct call_graph *g)
{
	array_release(&g->nodes);
	array_release(&g->calls);
	array_release(&g->out);
	array_release(&g->in);
	array_release(&g->order);
	array_release(&g->path);
	array_release(&g->chains);
	array_release(&g->present);
	hash_map_release(&g->calls_map);
}
