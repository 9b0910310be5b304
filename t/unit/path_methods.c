/* SPDX-License-Identifier: MIT
 * path_methods: over 10,000 graphs, half of them made at random and half put together as programs are (ifs, loops,
 * switches, one in another), every method that says it is exact counts the paths of interest as often as they were
 * walked, in every way of keeping ids, and so does a plan that was written and read again. Probes that are left out of
 * programs because they can be done without change nothing. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "path/path_machine.h"
#include "path/plan_lines.h"
#include "probe/spare_checks.h"
#include "probe/spare_visits.h"

#include <stdlib.h>
#include <string.h>

#define GRAPHS 10000
#define WALKS  30
#define LONGEST 60

static uint64_t seed = 88172645463325252u;

static unsigned
chance(unsigned below)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return (unsigned)(seed >> 33) % below;
}

static uint32_t
new_block(struct flow_graph *g)
{
	char name[16];

	snprintf(name, sizeof name, "b%zu", g->blocks.count);
	return flow_graph_add_block(g, text_from(name));
}

/* --- graphs --- */

static struct flow_graph *
random_graph(bool loops)
{
	struct flow_graph *g = flow_graph_new(text_from("random"));
	unsigned n = 4 + chance(7);

	for (unsigned i = 0; i < n; i++)
		(void)new_block(g);
	for (unsigned i = 0; i + 1 < n; i++)
		for (unsigned k = 1 + chance(3); k > 0; k--)
			flow_graph_add_edge(
				g, i, loops && i > 0 && chance(4) == 0 ? 1 + chance(n - 2) : i + 1 + chance(n - 1 - i));
	return g;
}

/* Code that begins at a block; where it ends. */
static uint32_t
structured_code(struct flow_graph *g, uint32_t from, unsigned depth, bool loops)
{
	for (unsigned pieces = 1 + chance(2); pieces > 0; pieces--) {
		uint32_t join, ways = 1 + chance(3);

		if (depth == 0 || chance(4) == 0) {
			join = new_block(g);
			flow_graph_add_edge(g, from, join);
			from = join;
		} else if (loops && chance(3) == 0) {		/* while: from tests, the body comes back */
			uint32_t test = new_block(g), body = new_block(g), end;

			flow_graph_add_edge(g, from, test);
			flow_graph_add_edge(g, test, body);
			end = structured_code(g, body, depth - 1, loops);
			flow_graph_add_edge(g, end, test);
			from = new_block(g);
			flow_graph_add_edge(g, test, from);
		} else {					/* if, if else, switch */
			join = new_block(g);
			for (uint32_t w = 0; w < ways; w++) {
				uint32_t way = new_block(g);

				flow_graph_add_edge(g, from, way);
				flow_graph_add_edge(g, structured_code(g, way, depth - 1, loops), join);
			}
			if (ways == 1 || chance(2) == 0)
				flow_graph_add_edge(g, from, join);
			from = join;
		}
	}
	return from;
}

static struct flow_graph *
structured_graph(bool loops)
{
	struct flow_graph *g = flow_graph_new(text_from("structured"));
	uint32_t end = structured_code(g, new_block(g), 2, loops), exit = new_block(g);

	flow_graph_add_edge(g, end, exit);
	return g;
}

/* The exit is the last block. */
static struct flow_graph *
good_graph(bool structured, bool loops)
{
	for (;;) {
		struct flow_graph *g = structured ? structured_graph(loops) : random_graph(loops);
		struct stk_error err = { 0 };
		uint32_t fault;

		if (flow_graph_seal(g, 0, (uint32_t)g->blocks.count - 1, &fault, &err) == 0)
			return g;
		flow_graph_free(g);
	}
}

/* --- walks --- */

static bool
random_walk(const struct flow_graph *g, struct flow_path *path)
{
	uint32_t block = g->entry;

	*path = (struct flow_path){ 0 };
	*array_push(&path->blocks) = block;
	while (block != g->exit && path->blocks.count < LONGEST) {
		const struct flow_block *at = &g->blocks.at[block];

		block = g->edges.at[at->out.at[chance((unsigned)at->out.count)]].to;
		*array_push(&path->blocks) = block;
	}
	return block == g->exit;
}

static bool
same_path(const struct flow_path *a, const struct flow_path *b)
{
	return a->blocks.count == b->blocks.count &&
	       memcmp(a->blocks.at, b->blocks.at, a->blocks.count * sizeof *a->blocks.at) == 0;
}

struct sample { struct flow_path walks[WALKS]; unsigned walk_count, interesting[4]; unsigned interesting_count; };

static void
take_sample(struct sample *s, const struct flow_graph *g)
{
	*s = (struct sample){ 0 };
	for (unsigned i = 0; i < WALKS; i++)
		if (random_walk(g, &s->walks[s->walk_count]))
			s->walk_count++;
		else
			array_release(&s->walks[s->walk_count].blocks);
	for (unsigned i = 0; i < s->walk_count && s->interesting_count < 4; i++) {
		bool known = false;

		for (unsigned k = 0; k < s->interesting_count; k++)
			known |= same_path(&s->walks[s->interesting[k]], &s->walks[i]);
		if (!known && chance(2) == 0)
			s->interesting[s->interesting_count++] = i;
	}
}

/* --- checking --- */

static unsigned long long tried[PATH_METHODS], wrong[PATH_METHODS], inexact[PATH_METHODS], refused[PATH_METHODS],
	kept[KEEPINGS];

/* How many of the paths were not counted as often as they were walked. */
static unsigned
run_plan(const struct path_plan *plan, enum path_keeping keeping, const struct sample *s)
{
	struct path_machine *m;
	struct stk_error err = { 0 };
	unsigned bad = 0;

	if (path_machine_open(&m, plan, keeping, true, &err) < 0)
		return 1000;
	for (unsigned w = 0; w < s->walk_count; w++) {
		struct path_activation *a = path_machine_begin(m);

		for (size_t k = 0; k < s->walks[w].blocks.count; k++)
			bad += path_machine_step(m, a, s->walks[w].blocks.at[k]) == PATH_NO_EDGE;
		path_machine_finish(m, a);
	}
	for (unsigned i = 0; i < s->interesting_count; i++) {
		uint64_t truth = 0;

		for (unsigned w = 0; w < s->walk_count; w++)
			truth += same_path(&s->walks[w], &s->walks[s->interesting[i]]);
		bad += path_machine_count(m, i) != truth;
		bad += path_machine_walked(m, i) != truth;
	}
	path_machine_close(m);
	return bad;
}

struct text { ARRAY(char) bytes; };

static int
keep_bytes(void *context, const char *bytes, size_t size, struct stk_error *err)
{
	struct text *text = context;

	(void)err;
	array_reserve(&text->bytes, size);
	memcpy(text->bytes.at + text->bytes.count, bytes, size);
	text->bytes.count += size;
	return 0;
}

/* Written, read, and written again: the same bytes. */
static bool
goes_round(const struct path_plan *plan, const struct sample *s)
{
	struct text first = { 0 }, second = { 0 };
	struct stk_error err = { 0 };
	struct path_plan *again = NULL;
	struct flow_graph *graph;
	bool good = plan_lines_write(plan, keep_bytes, &first, &err) == 0 &&
		    plan_lines_read(&again, &graph, "plan", first.bytes.at, first.bytes.count, &err) == 0 &&
		    plan_lines_write(again, keep_bytes, &second, &err) == 0 &&
		    first.bytes.count == second.bytes.count &&
		    memcmp(first.bytes.at, second.bytes.at, first.bytes.count) == 0;

	if (again != NULL) {
		good = good && (!again->exact || run_plan(again, again->keeping, s) == 0);
		path_plan_free(again);
		flow_graph_free(graph);
	}
	if (!good)
		printf("# %s\n", err.text);
	array_release(&first.bytes);
	array_release(&second.bytes);
	return good;
}

static void
try_method(const struct flow_graph *g, enum path_method method, const struct sample *s, bool round)
{
	struct flow_path *paths = mem_new(4, sizeof *paths);
	struct stk_error err = { 0 };
	struct path_plan *plan;

	for (unsigned i = 0; i < s->interesting_count; i++)
		paths[i] = flow_path_copy(&s->walks[s->interesting[i]]);
	if (path_plan_make(&plan, g, method, paths, s->interesting_count, &err) < 0) {
		refused[method]++;
	} else {
		tried[method]++;
		if (!plan->exact)
			inexact[method] += run_plan(plan, plan->keeping, s) > 0;
		for (enum path_keeping k = plan->keeping; k < KEEP_SPILL && plan->exact; k++)
			if (!(k == KEEP_SHIFT64 || k == KEEP_SHIFT128) || method >= PATH_PAP) {
				kept[k]++;
				wrong[method] += run_plan(plan, k, s) > 0;
			}
		if (round)
			wrong[method] += !goes_round(plan, s);
		path_plan_free(plan);
	}
	free(paths);
}

/* --- probes that can be done without --- */

static unsigned long long probes_had, probes_left, spared_wrong;

/* Counts checks, look-ups and visits too. */
static void
do_ops(const struct word_ops *ops, struct word_walk *at, uint64_t *visits, unsigned long long *probes)
{
	for (size_t i = 0; i < ops->list.count && !at->ended; i++) {
		const struct word_op *op = &ops->list.at[i];

		word_op_do(op, at);
		if (op->kind == WORD_VISIT)
			visits[op->a + (uint64_t)at->r]++;
		*probes += op->kind == WORD_VISIT || op->kind == WORD_TABLE || op->kind == WORD_CHK ||
			   op->kind == WORD_REFUSE;
	}
}

/* Where r is behind the walk, and what it visited. */
static struct word_walk
walk_words(const struct word_plan *w, const struct flow_path *path, uint64_t *visits, unsigned long long *probes)
{
	struct word_walk at = { 0 };

	do_ops(&w->entry, &at, visits, probes);
	for (size_t k = 0; k < path->blocks.count; k++) {
		if (k > 0)
			do_ops(&w->of_edge[flow_graph_edge(w->plan->graph, path->blocks.at[k - 1], path->blocks.at[k])],
			       &at, visits, probes);
		do_ops(&w->of_block[path->blocks.at[k]], &at, visits, probes);
	}
	return at;
}

/* How often each state was visited. */
static uint64_t *
visits_of_states(const struct word_plan *w, const uint64_t *visits)
{
	uint64_t *states = mem_new(w->sub_paths != NULL ? sub_paths_states(w->sub_paths) : 1, sizeof *states);

	for (uint32_t i = 0; i < w->visits; i++)
		for (uint32_t at = i; at != NO_VISIT; at = w->next_visit != NULL ? w->next_visit[at] : NO_VISIT)
			states[w->state_of_visit[at]] += visits[i];
	return states;
}

/* Sample walks end alike, and visit alike, with all probes and without those that are spared. */
static void
compare_spared(struct word_plan *all, struct word_plan *spared, const struct sample *s)
{
	uint64_t *want = mem_new(all->visits + 1, sizeof *want), *got = mem_new(spared->visits + 1, sizeof *got),
		 *want_states, *got_states;

	for (unsigned w = 0; w < s->walk_count; w++) {
		struct word_walk a = walk_words(all, &s->walks[w], want, &probes_had),
				 b = walk_words(spared, &s->walks[w], got, &probes_left);

		spared_wrong += a.ended != b.ended || (!a.ended && a.r != b.r && all->sub_paths == NULL);
	}
	want_states = visits_of_states(all, want);
	got_states = visits_of_states(spared, got);
	if (all->sub_paths != NULL)
		spared_wrong +=
			memcmp(want_states, got_states, sub_paths_states(all->sub_paths) * sizeof *want_states) != 0;
	free(want_states);
	free(got_states);
	free(want);
	free(got);
}

/* Of paths of interest, or of parts of walks. */
static void
try_spared(const struct flow_graph *g, enum path_method method, const struct sample *s)
{
	struct flow_path *paths = mem_new(4, sizeof *paths);
	bool *leaves = mem_new(g->blocks.count, sizeof *leaves);
	struct word_plan *all, *spared;
	struct stk_error err = { 0 };
	struct path_plan *plan;

	for (unsigned i = 0; i < s->interesting_count; i++) {
		paths[i] = flow_path_copy(&s->walks[s->interesting[i]]);
		if (method == PATH_AC)
			paths[i].blocks.count = 1 + chance((unsigned)paths[i].blocks.count);
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		leaves[b] = chance(5) == 0;
	if (path_plan_make(&plan, g, method, paths, s->interesting_count, &err) == 0) {
		enum path_keeping keeping =
			method == PATH_AC || plan->keeping == KEEP_TABLE
				? KEEP_TABLE
				: (enum path_keeping)(plan->keeping + chance(KEEP_TABLE - plan->keeping));

		if (word_plan_make(&all, plan, keeping, &err) == 0 &&
		    word_plan_make(&spared, plan, keeping, &err) == 0) {
			spare_checks(spared);
			spare_visits(spared, leaves);
			compare_spared(all, spared, s);
			word_plan_free(spared);
		}
		word_plan_free(all);
		path_plan_free(plan);
	}
	free(leaves);
	free(paths);
}

int
main(void)
{
	unsigned long long with_paths = 0;

	for (unsigned i = 0; i < GRAPHS; i++) {
		bool loops = i % 4 >= 2;
		struct flow_graph *g = good_graph(i % 2 == 1, loops);
		struct sample s;

		take_sample(&s, g);
		with_paths += s.interesting_count > 0;
		for (unsigned m = 0; m < PATH_AC && s.interesting_count > 0; m++)
			try_method(g, (enum path_method)m, &s, i % 20 == 0);
		if (i % 3 == 0 && s.interesting_count > 0) {
			try_spared(g, PATH_PSP0, &s);
			try_spared(g, PATH_AC, &s);
		}
		for (unsigned w = 0; w < s.walk_count; w++)
			array_release(&s.walks[w].blocks);
		flow_graph_free(g);
	}
	ok(with_paths > GRAPHS * 9 / 10, "graphs with paths of interest: %llu", with_paths);
	for (unsigned m = 0; m < PATH_AC; m++) {
		bool acyclic_only = m <= PATH_POISON;

		ok(wrong[m] == 0 && tried[m] > GRAPHS / (acyclic_only ? 3 : 2) && (acyclic_only || refused[m] == 0),
		   "%s: %llu graphs, %llu wrong, %llu refused for their loops", path_method_names[m], tried[m],
		   wrong[m], refused[m]);
	}
	ok(inexact[PATH_SPP] > 50 && inexact[PATH_PREPP] > 50,
	   "spp and prepp count others as interesting ones: in %llu and %llu of the graphs", inexact[PATH_SPP],
	   inexact[PATH_PREPP]);
	ok(kept[KEEP_U64] > 0 && kept[KEEP_SHIFT64] > 0 && kept[KEEP_SHIFT128] > 0 && kept[KEEP_TABLE] > 0,
	   "ids were kept in each way: %llu, %llu, %llu, %llu times", kept[KEEP_U64], kept[KEEP_SHIFT64],
	   kept[KEEP_SHIFT128], kept[KEEP_TABLE]);
	ok(spared_wrong == 0 && probes_left > 0 && probes_left < probes_had * 3 / 4,
	   "checks, look-ups and counts that can be done without change nothing: %llu of %llu left, %llu wrong",
	   probes_left, probes_had, spared_wrong);
	return tap_end();
}
