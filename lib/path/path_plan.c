/* SPDX-License-Identifier: MIT
 * path_plan: the methods, each a few lines that use weights, digits of joins, checks, and regions. */
#include "path/path_plan.h"

#include "path/path_pieces.h"
#include "path/regions.h"

#include "base/bytes.h"

#include <stdio.h>

const char *const path_method_names[PATH_METHODS] = { "epp",     "spp",  "espp", "prepp", "poison", "pap",
						      "pap-epp", "psp0", "psp1", "psp2",  "psp3",   "trie",
						      "ac" };
const char *const probe_names[PROBE_KINDS] = { "set",   "add", "mul",  "lset", "ladd",
					       "ljoin", "chk", "lchk", "end",  "count" };

/* --- probes --- */

struct probe *
probes_add(struct probes *probes, enum probe_kind kind)
{
	struct probe *probe = array_push(&probes->list);

	*probe = (struct probe){ .kind = kind };
	mpz_init(probe->a);
	mpz_init(probe->b);
	return probe;
}

static void
probe_release(struct probe *probe)
{
	mpz_clear(probe->a);
	mpz_clear(probe->b);
	for (size_t i = 0; i < probe->set_count; i++)
		mpz_clear(probe->set[i]);
	free(probe->set);
	array_release(&probe->digits);
}

static void
probes_release(struct probes *probes)
{
	for (size_t i = 0; i < probes->list.count; i++)
		probe_release(&probes->list.at[i]);
	array_release(&probes->list);
}

static void
set_u64(mpz_t to, uint64_t value)
{
	mpz_import(to, 1, 1, sizeof value, 0, 0, &value);
}

static void
add_number(struct probes *probes, enum probe_kind kind, uint64_t value)
{
	set_u64(probes_add(probes, kind)->a, value);
}

static void
add_digit(struct probes *probes, uint32_t base, uint32_t digit)
{
	struct probe *probe = probes_add(probes, PROBE_MUL);

	mpz_set_ui(probe->a, base);
	mpz_set_ui(probe->b, digit);
	*array_push(&probe->digits) = (struct probe_digit){ base, digit };
}

static int
compare_numbers(const void *a, const void *b)
{
	return mpz_cmp(*(const mpz_t *)a, *(const mpz_t *)b);
}

/* Sorts a set and drops what is there twice. An empty set is an end. */
static void
settle_set(struct probe *probe)
{
	size_t kept = 0;

	if (probe->set_count > 0)
		qsort(probe->set, probe->set_count, sizeof *probe->set, compare_numbers);
	for (size_t i = 0; i < probe->set_count; i++)
		if (kept > 0 && mpz_cmp(probe->set[kept - 1], probe->set[i]) == 0)
			mpz_clear(probe->set[i]);
		else
			memmove(&probe->set[kept++], &probe->set[i], sizeof *probe->set);
	probe->set_count = kept;
	if (kept == 0)
		probe->kind = PROBE_END;
}

static void
add_member(struct probe *probe, const mpz_t value)
{
	if ((probe->set_count & (probe->set_count - 1)) == 0)	/* it grows at powers of two */
		probe->set =
			mem_resize(probe->set, probe->set_count == 0 ? 1 : probe->set_count * 2, sizeof *probe->set);
	mpz_init_set(probe->set[probe->set_count++], value);
}

/* --- plans --- */

struct path_plan *
path_plan_new(const struct flow_graph *graph, enum path_method method)
{
	struct path_plan *plan = mem_new(1, sizeof *plan);

	plan->graph = graph;
	plan->method = method;
	plan->of_edge = mem_new(graph->edges.count + 1, sizeof *plan->of_edge);
	plan->of_block = mem_new(graph->blocks.count, sizeof *plan->of_block);
	return plan;
}

void
path_plan_free(struct path_plan *plan)
{
	if (plan == NULL)
		return;
	probes_release(&plan->entry);
	for (size_t e = 0; e < plan->graph->edges.count; e++)
		probes_release(&plan->of_edge[e]);
	for (size_t b = 0; b < plan->graph->blocks.count; b++)
		probes_release(&plan->of_block[b]);
	for (size_t i = 0; i < plan->paths.count; i++) {
		array_release(&plan->paths.at[i].blocks);
		if (plan->ids != NULL)
			mpz_clear(plan->ids[i]);
	}
	free(plan->ids);
	free(plan->of_edge);
	free(plan->of_block);
	array_release(&plan->paths);
	free(plan);
}

/* --- walking --- */

struct walk { mpz_t r, l; bool ended; };

/* Called when r is at a block, after the edge's probes. */
typedef void arrive_function(void *context, uint32_t block, const mpz_t r);

static bool
is_member(const struct probe *probe, const mpz_t value)
{
	return probe->set_count > 0 &&
	       bsearch(value, probe->set, probe->set_count, sizeof *probe->set, compare_numbers) != NULL;
}

static void
do_probe(struct walk *w, const struct probe *probe)
{
	switch (probe->kind) {
	case PROBE_SET:   mpz_set(w->r, probe->a); break;
	case PROBE_ADD:   mpz_add(w->r, w->r, probe->a); break;
	case PROBE_MUL:   mpz_mul(w->r, w->r, probe->a); mpz_add(w->r, w->r, probe->b); break;
	case PROBE_LSET:  mpz_set(w->l, probe->a); break;
	case PROBE_LADD:  mpz_add(w->l, w->l, probe->a); break;
	case PROBE_LJOIN: mpz_mul(w->r, w->r, probe->a); mpz_add(w->r, w->r, w->l); break;
	case PROBE_CHK:   w->ended = !is_member(probe, w->r); break;
	case PROBE_LCHK:  w->ended = !is_member(probe, w->l); break;
	case PROBE_END:   w->ended = true; break;
	case PROBE_COUNT:
	case PROBE_KINDS: break;
	}
}

static void
do_probes(struct walk *w, const struct probes *probes)
{
	for (size_t i = 0; i < probes->list.count && !w->ended; i++)
		do_probe(w, &probes->list.at[i]);
}

static void
walk_path(const struct path_plan *plan, const struct flow_path *path, struct walk *w, arrive_function *arrive,
	  void *context)
{
	mpz_set_ui(w->r, 0);
	mpz_set_ui(w->l, 0);
	w->ended = false;
	do_probes(w, &plan->entry);
	for (size_t i = 0; i < path->blocks.count && !w->ended; i++) {
		if (i > 0)
			do_probes(w, &plan->of_edge[flow_graph_edge(plan->graph, path->blocks.at[i - 1],
								    path->blocks.at[i])]);
		if (arrive != NULL)
			arrive(context, path->blocks.at[i], w->r);
		do_probes(w, &plan->of_block[path->blocks.at[i]]);
	}
}

int
path_plan_compute_ids(struct path_plan *plan, struct stk_error *err)
{
	struct walk w;

	mpz_inits(w.r, w.l, NULL);
	plan->ids = mem_new(plan->paths.count + 1, sizeof *plan->ids);
	for (size_t i = 0; i < plan->paths.count; i++) {
		walk_path(plan, &plan->paths.at[i], &w, NULL, NULL);
		mpz_init_set(plan->ids[i], w.r);
		if (plan->method >= PATH_TRIE)		/* states are not numbers: ids are the paths' own */
			set_u64(plan->ids[i], i);
		if (w.ended)
			(void)stk_fail(err, STK_EUSAGE, "the plan ends interesting path %zu", i + 1);
	}
	mpz_clears(w.r, w.l, NULL);
	return err->code == STK_EOK ? 0 : -1;
}

/* --- what is of interest --- */

struct interest {
	bool *edge, *block;		/* lies on an interesting path */
};

static void
find_interest(const struct path_plan *plan, struct interest *in)
{
	in->edge = mem_new(plan->graph->edges.count + 1, sizeof *in->edge);
	in->block = mem_new(plan->graph->blocks.count, sizeof *in->block);
	for (size_t i = 0; i < plan->paths.count; i++) {
		const struct flow_path *path = &plan->paths.at[i];

		for (size_t k = 0; k < path->blocks.count; k++) {
			in->block[path->blocks.at[k]] = true;
			if (k > 0)
				in->edge[flow_graph_edge(plan->graph, path->blocks.at[k - 1], path->blocks.at[k])] =
					true;
		}
	}
}

static void
interest_release(struct interest *in)
{
	free(in->edge);
	free(in->block);
}

/* --- sums: epp, spp, espp, prepp --- */

static void
add_weights(struct path_plan *plan, const struct edge_weights *weights)
{
	for (uint32_t e = 0; e < plan->graph->edges.count; e++)
		if (weights->weight[e] != 0)
			add_number(&plan->of_edge[e], PROBE_ADD, weights->weight[e]);
}

static int
plan_sum(struct path_plan *plan, enum weighing how, struct stk_error *err)
{
	struct edge_weights weights;
	struct interest in;
	int result;

	find_interest(plan, &in);
	add_number(&plan->entry, PROBE_SET, 0);
	result = edge_weights_of(&weights, plan->graph, how, in.edge, plan->paths.at, plan->paths.count, err);
	if (result == 0)
		add_weights(plan, &weights);
	edge_weights_release(&weights);
	interest_release(&in);
	plan->exact = how == WEIGH_ESPP || how == WEIGH_POISON;
	plan->keeping = KEEP_U64;
	return result;
}

static int
plan_epp(struct path_plan *plan, struct stk_error *err)
{
	const struct flow_graph *g = plan->graph;
	struct path_pieces pieces;
	int result = path_pieces_make(&pieces, g, err);

	add_number(&plan->entry, PROBE_SET, 0);
	for (uint32_t e = 0; e < g->edges.count && result == 0; e++) {
		uint64_t ends, begins, weight = path_pieces_weight(&pieces, e, &ends, &begins);

		if (pieces.back[e]) {
			add_number(&plan->of_edge[e], PROBE_ADD, ends);
			(void)probes_add(&plan->of_edge[e], PROBE_COUNT);
			add_number(&plan->of_edge[e], PROBE_SET, begins);
		} else if (weight != 0) {
			add_number(&plan->of_edge[e], PROBE_ADD, weight);
		}
	}
	for (size_t i = 0; i < plan->paths.count && result == 0; i++)
		for (size_t k = 1; k < plan->paths.at[i].blocks.count && result == 0; k++)
			if (pieces.back[flow_graph_edge(g, plan->paths.at[i].blocks.at[k - 1],
							plan->paths.at[i].blocks.at[k])])
				result = stk_fail(
					err, STK_EUSAGE,
					"epp counts paths piece by piece, cut at the edges that lead back: interesting path %zu has one",
					i + 1);
	plan->all_paths = pieces.weights.paths;
	plan->exact = true;
	plan->keeping = KEEP_U64;
	path_pieces_release(&pieces);
	return result;
}

/* --- digits: pap and psp --- */

/* A digit on each edge into a join: which way it was entered. kept: edges of the graph at hand (NULL: all); done:
 * blocks that are handled elsewhere (NULL: none). */
static void
add_digits(struct path_plan *plan, const bool *kept, const bool *done)
{
	const struct flow_graph *g = plan->graph;

	add_number(&plan->entry, PROBE_SET, 0);
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		const struct flow_block *block = &g->blocks.at[b];
		uint32_t base = 0, digit = 0;

		for (size_t k = 0; k < block->in.count; k++)
			base += kept == NULL || kept[block->in.at[k]];
		for (size_t k = 0; k < block->in.count && base > 1 && (done == NULL || !done[b]); k++)
			if (kept == NULL || kept[block->in.at[k]])
				add_digit(&plan->of_edge[block->in.at[k]], base, digit++);
	}
}

static void
note_arrival(void *context, uint32_t block, const mpz_t r)
{
	struct probe **checks = context;

	if (checks[block] != NULL)
		add_member(checks[block], r);
}

/* A check where an edge that was chosen among several arrives: r must be what it is there on an interesting path. */
static void
add_checks(struct path_plan *plan)
{
	const struct flow_graph *g = plan->graph;
	struct probe **checks = mem_new(g->blocks.count, sizeof *checks);
	struct probes *lists = mem_new(g->blocks.count, sizeof *lists);
	struct walk w;

	mpz_inits(w.r, w.l, NULL);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		for (size_t k = 0; k < g->blocks.at[b].in.count && checks[b] == NULL; k++)
			if (g->blocks.at[g->edges.at[g->blocks.at[b].in.at[k]].from].out.count > 1)
				checks[b] = probes_add(&lists[b], PROBE_CHK);
	for (size_t i = 0; i < plan->paths.count; i++)
		/* there are no checks in the plan yet */
		walk_path(plan, &plan->paths.at[i], &w, note_arrival, checks);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		if (checks[b] != NULL) {
			settle_set(checks[b]);
			plan->of_block[b] = lists[b];
		}
	mpz_clears(w.r, w.l, NULL);
	free(checks);
	free(lists);
}

/* Ends on the edges that leave what is of interest; what only they lead to is not kept. */
static void
add_ends(struct path_plan *plan, const struct interest *in, bool *kept)
{
	for (uint32_t e = 0; e < plan->graph->edges.count; e++) {
		kept[e] = in->edge[e];
		if (!in->edge[e] && in->block[plan->graph->edges.at[e].from])
			(void)probes_add(&plan->of_edge[e], PROBE_END);
	}
}

/* --- pulling up --- */

/* mul x i, then mul y k: mul xy (iy + k). */
static void
absorb(struct probes *before, const struct probe *after)
{
	struct probe *probe = before->list.count > 0 ? &before->list.at[0] : NULL;

	if (probe == NULL) {
		probe = probes_add(before, PROBE_MUL);
		mpz_set_ui(probe->a, 1);
	}
	mpz_mul(probe->a, probe->a, after->a);
	mpz_mul(probe->b, probe->b, after->a);
	mpz_add(probe->b, probe->b, after->b);
	for (size_t i = 0; i < after->digits.count; i++)
		*array_push(&probe->digits) = after->digits.at[i];
}

/* The probe on the only way out of a block is done on the ways into it instead. */
static void
pull_up(struct path_plan *plan, uint32_t b, const struct flow_graph *kept, const uint32_t *origin)
{
	const struct flow_block *block = &kept->blocks.at[b];
	struct probes *out;
	struct probe *only;

	if (block->out.count != 1 || b == kept->exit)
		return;
	out = &plan->of_edge[origin[block->out.at[0]]];
	if (out->list.count == 0 || kept->edges.at[block->out.at[0]].to == b ||
	    (b == kept->entry && block->in.count > 0))
		return;
	only = &out->list.at[0];
	if (b == kept->entry) {
		struct probe *set = &plan->entry.list.at[0];

		mpz_mul(set->a, set->a, only->a);
		mpz_add(set->a, set->a, only->b);
	}
	for (size_t k = 0; k < block->in.count; k++)
		absorb(&plan->of_edge[origin[block->in.at[k]]], only);
	probes_release(out);
}

static void
pull_all_up(struct path_plan *plan, const bool *keep)
{
	const struct flow_graph *g = plan->graph;
	uint32_t *origin, *order = mem_new(g->blocks.count, sizeof *order), count;
	struct flow_graph *kept = flow_graph_part(g, keep, g->entry, g->exit, &origin);
	bool *back = mem_new(g->edges.count + 1, sizeof *back);

	flow_graph_back_edges(kept, back);
	count = flow_graph_order(kept, back, order);
	for (uint32_t i = count; i-- > 0; )
		pull_up(plan, order[i], kept, origin);
	flow_graph_free(kept);
	free(origin);
	free(order);
	free(back);
}

/* --- regions: pap-epp, psp1 and psp3 --- */

/* What interesting paths do within a region, each way once; in the numbers that its blocks have in its own graph. */
static void
find_fragments(const struct path_plan *plan, const struct region *r, const uint32_t *place, struct flow_path **out,
	       size_t *count)
{
	ARRAY(struct flow_path) found = { 0 };

	for (size_t i = 0; i < plan->paths.count; i++) {
		struct flow_path at = { 0 };
		bool inside = false;

		for (size_t k = 0; k < plan->paths.at[i].blocks.count; k++) {
			uint32_t b = plan->paths.at[i].blocks.at[k];
			bool known = false;

			if (b == r->entry) {
				inside = true;
				at.blocks.count = 0;
			}
			if (inside)
				*array_push(&at.blocks) = place[b];
			if (!inside || b != r->exit)
				continue;
			for (size_t f = 0; f < found.count && !known; f++)
				known = found.at[f].blocks.count == at.blocks.count &&
					memcmp(found.at[f].blocks.at, at.blocks.at,
					       at.blocks.count * sizeof *at.blocks.at) == 0;
			if (!known) {
				*array_push(&found) = at;
				at = (struct flow_path){ 0 };
			}
			inside = false;
		}
		array_release(&at.blocks);
	}
	*out = found.at;
	*count = found.count;
}

static void
add_in_front(struct probes *probes, struct probes *front)
{
	for (size_t i = 0; i < probes->list.count; i++)
		*array_push(&front->list) = probes->list.at[i];
	array_release(&probes->list);
	*probes = *front;
}

/* At the region's exit: l must be the local id of a fragment. */
static void
add_local_check(struct probes *to, const struct edge_weights *weights, const struct flow_graph *part,
		const struct flow_path *fragments, size_t count)
{
	struct probe *check = probes_add(to, PROBE_LCHK);

	for (size_t f = 0; f < count; f++) {
		mpz_t id;

		mpz_init(id);
		set_u64(id, edge_weights_sum(weights, part, &fragments[f]));
		add_member(check, id);
		mpz_clear(id);
	}
	settle_set(check);
}

/* Local ids within the region, a check at its exit, and the local id as a digit of the whole. pap-epp has a number for
 * each way through and checks nothing. */
static int
add_region(struct path_plan *plan, const struct region *r, const struct flow_graph *graph, const uint32_t *graph_origin,
	   struct stk_error *err)
{
	uint32_t *origin, *place;
	struct flow_graph *part = region_graph(r, graph, &origin, &place);
	bool *interesting = mem_new(part->edges.count + 1, sizeof *interesting);
	struct probes at_exit = { 0 };
	struct edge_weights weights;
	struct flow_path *fragments;
	bool checked = plan->method != PATH_PAP_EPP;
	size_t count;
	int result;

	find_fragments(plan, r, place, &fragments, &count);
	for (size_t f = 0; f < count; f++)
		for (size_t k = 1; k < fragments[f].blocks.count; k++)
			interesting[flow_graph_edge(part, fragments[f].blocks.at[k - 1], fragments[f].blocks.at[k])] =
				true;
	result = edge_weights_of(&weights, part, checked && count > 0 ? WEIGH_ESPP : WEIGH_EPP, interesting, fragments,
				 count, err);
	add_number(&plan->of_block[r->entry], PROBE_LSET, 0);
	for (uint32_t e = 0; e < part->edges.count && result == 0; e++)
		if (weights.weight[e] != 0)
			add_number(&plan->of_edge[graph_origin[origin[e]]], PROBE_LADD, weights.weight[e]);
	if (checked && result == 0)
		add_local_check(&at_exit, &weights, part, fragments, count);
	add_number(&at_exit, PROBE_LJOIN, r->paths);
	add_in_front(&plan->of_block[r->exit], &at_exit);
	for (size_t f = 0; f < count; f++)
		array_release(&fragments[f].blocks);
	free(fragments);
	edge_weights_release(&weights);
	flow_graph_free(part);
	free(interesting);
	free(place);
	free(origin);
	return result;
}

static int
add_regions(struct path_plan *plan, const bool *keep, bool *done, struct stk_error *err)
{
	const struct flow_graph *g = plan->graph;
	uint32_t *origin;
	struct flow_graph *graph = flow_graph_part(g, keep, g->entry, g->exit, &origin);
	struct regions regions = { 0 };
	int result = 0;

	regions_find(&regions, graph);
	regions_choose(&regions, graph);
	for (size_t i = 0; i < regions.list.count && result == 0; i++) {
		const struct region *r = &regions.list.at[i];

		result = add_region(plan, r, graph, origin, err);
		for (uint32_t b = 0; b < g->blocks.count; b++)
			done[b] |= r->holds[b] && b != r->entry;
	}
	regions_release(&regions);
	flow_graph_free(graph);
	free(origin);
	return result;
}

static int
plan_psp(struct path_plan *plan, bool ends, bool with_regions, bool pulled, struct stk_error *err)
{
	const struct flow_graph *g = plan->graph;
	bool *kept = mem_new(g->edges.count + 1, sizeof *kept), *done = mem_new(g->blocks.count, sizeof *done);
	struct interest in;
	int result = 0;

	find_interest(plan, &in);
	for (uint32_t e = 0; e < g->edges.count; e++)
		kept[e] = true;
	if (ends)
		add_ends(plan, &in, kept);
	if (with_regions)
		result = add_regions(plan, kept, done, err);
	if (result == 0)
		add_digits(plan, kept, done);
	if (result == 0 && pulled)
		pull_all_up(plan, kept);
	plan->exact = true;
	interest_release(&in);
	free(kept);
	free(done);
	return result;
}

/* --- making --- */

static int
add_method(struct path_plan *plan, struct stk_error *err)
{
	switch (plan->method) {
	case PATH_EPP:    return plan_epp(plan, err);
	case PATH_SPP:    return plan_sum(plan, WEIGH_SPP, err);
	case PATH_ESPP:   return plan_sum(plan, WEIGH_ESPP, err);
	case PATH_PREPP:  return plan_sum(plan, WEIGH_PREPP, err);
	case PATH_POISON: return plan_sum(plan, WEIGH_POISON, err);
	case PATH_PAP:    return plan_psp(plan, false, false, false, err);
	case PATH_PAP_EPP:
	case PATH_PSP1:   return plan_psp(plan, false, true, false, err);
	case PATH_PSP2:   return plan_psp(plan, true, false, true, err);
	case PATH_PSP3:   return plan_psp(plan, true, true, false, err);
	case PATH_TRIE:
	case PATH_AC:
		plan->exact = true;
		return 0;
	case PATH_PSP0:
		if (plan_psp(plan, false, false, false, err) < 0)
			return -1;
		add_checks(plan);
		return 0;
	case PATH_METHODS: break;
	}
	return -1;
}

int
path_plan_make(struct path_plan **out, const struct flow_graph *graph, enum path_method method, struct flow_path *paths,
	       size_t count, struct stk_error *err)
{
	struct path_plan *plan = *out = path_plan_new(graph, method);

	for (size_t i = 0; i < count; i++)
		*array_push(&plan->paths) = paths[i];
	if (count == 0 && method != PATH_EPP && method != PATH_PAP)
		(void)stk_fail(err, STK_EUSAGE, "%s needs interesting paths", path_method_names[method]);
	if (err->code == STK_EOK && add_method(plan, err) == 0 && path_plan_compute_ids(plan, err) == 0) {
		plan->keeping = path_keeping_choose(plan);
		return 0;
	}
	path_plan_free(plan);
	*out = NULL;
	return -1;
}

static void
add_cost(struct plan_cost *cost, const struct probes *probes)
{
	for (size_t i = 0; i < probes->list.count; i++) {
		const struct probe *probe = &probes->list.at[i];

		cost->probes++;
		cost->checks += probe->kind == PROBE_CHK || probe->kind == PROBE_LCHK;
		cost->set_members += probe->set_count;
	}
}

void
path_plan_cost(const struct path_plan *plan, struct plan_cost *cost)
{
	*cost = (struct plan_cost){ 0 };
	add_cost(cost, &plan->entry);
	for (size_t e = 0; e < plan->graph->edges.count; e++)
		add_cost(cost, &plan->of_edge[e]);
	for (size_t b = 0; b < plan->graph->blocks.count; b++)
		add_cost(cost, &plan->of_block[b]);
}
