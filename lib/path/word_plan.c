/* SPDX-License-Identifier: MIT
 * word_plan: arithmetic is translated probe by probe; tables come from the automaton of the paths. */
#include "path/word_plan.h"

#include "path/path_trie.h"

static struct word_op *
add_op(struct word_ops *to, enum word_kind kind)
{
	struct word_op *op = array_push(&to->list);

	*op = (struct word_op){ .kind = kind };
	return op;
}

void
word_ops_release(struct word_ops *ops)
{
	for (size_t i = 0; i < ops->list.count; i++) {
		word_set_release(&ops->list.at[i].set);
		free(ops->list.at[i].table);
	}
	array_release(&ops->list);
}

/* --- doing --- */

void
word_op_do(const struct word_op *op, struct word_walk *w)
{
	switch (op->kind) {
	case WORD_SET:   w->r = op->a; break;
	case WORD_ADD:   w->r = (uint64_t)(w->r + op->a); break;
	case WORD_MUL:   w->r = (uint64_t)w->r * op->a + op->b; break;
	case WORD_SHIFT: w->r = ((op->shift < 128 ? w->r << op->shift : 0) | op->digits) & op->mask; break;
	case WORD_LSET:  w->l = op->a; break;
	case WORD_LADD:  w->l += op->a; break;
	case WORD_LJOIN: w->r = (uint64_t)w->r * op->a + w->l; break;
	case WORD_LSHIFT: w->r = ((op->shift < 128 ? w->r << op->shift : 0) | w->l) & op->mask; break;
	case WORD_CHK:   w->ended = !word_set_has(&op->set, w->r); break;
	case WORD_REFUSE: w->ended = word_set_has(&op->set, w->r); break;
	case WORD_LCHK:  w->ended = !word_set_has(&op->set, w->l); break;
	case WORD_TABLE:
		w->r = op->table[(uint64_t)w->r];
		w->ended = op->ends && w->r == 0;
		break;
	case WORD_END:   w->ended = true; break;
	case WORD_SPILL:
	case WORD_COUNT:
	case WORD_VISIT: break;
	}
}

void
word_ops_do(const struct word_ops *ops, struct word_walk *w)
{
	for (size_t i = 0; i < ops->list.count && !w->ended; i++)
		word_op_do(&ops->list.at[i], w);
}

/* --- arithmetic --- */

static uint64_t
low_u64(const mpz_t number)
{
	uint64_t value = 0;
	mpz_t low;

	mpz_init(low);
	mpz_fdiv_r_2exp(low, number, 64);
	mpz_export(&value, NULL, -1, sizeof value, 0, 0, low);
	mpz_clear(low);
	return value;
}

static bool
shifts(const struct word_plan *w)
{
	return w->keeping == KEEP_SHIFT64 || w->keeping == KEEP_SHIFT128;
}

static const enum word_kind kind_of_probe[PROBE_KINDS] = {
	[PROBE_SET] = WORD_SET,   [PROBE_ADD] = WORD_ADD,     [PROBE_MUL] = WORD_MUL, [PROBE_LSET] = WORD_LSET,
	[PROBE_LADD] = WORD_LADD, [PROBE_LJOIN] = WORD_LJOIN, [PROBE_CHK] = WORD_CHK, [PROBE_LCHK] = WORD_LCHK,
	[PROBE_END] = WORD_END,   [PROBE_COUNT] = WORD_COUNT
};

/* r * base + digit for each digit becomes: r shifted, and digits put in. What is above the word's bits would be shifted
 * out anyway. */
static void
make_shift(const struct word_plan *w, struct word_op *op, const struct probe *probe)
{
	op->mask = w->keeping == KEEP_SHIFT64 ? UINT64_MAX : ~(path_word)0;
	if (probe->kind == PROBE_LJOIN) {
		op->kind = WORD_LSHIFT;
		op->shift = digit_bits(op->a);
		return;
	}
	op->kind = WORD_SHIFT;
	for (size_t i = 0; i < probe->digits.count; i++) {
		unsigned bits = digit_bits(probe->digits.at[i].base);

		op->digits = (bits < 128 ? op->digits << bits : 0) | probe->digits.at[i].digit;
		op->shift += bits;
	}
	op->digits &= op->mask;
}

static void
translate(const struct word_plan *w, struct word_ops *to, const struct probes *probes)
{
	for (size_t i = 0; i < probes->list.count; i++) {
		const struct probe *probe = &probes->list.at[i];
		struct word_op *op = add_op(to, kind_of_probe[probe->kind]);

		op->a = low_u64(probe->a);
		op->b = low_u64(probe->b);
		if (shifts(w) && (probe->kind == PROBE_MUL || probe->kind == PROBE_LJOIN))
			make_shift(w, op, probe);
		else if (w->keeping == KEEP_SPILL && probe->kind == PROBE_MUL)
			op->kind = WORD_SPILL;
		for (size_t k = 0; k < probe->set_count; k++)
			word_set_add(&op->set, low_u64(probe->set[k]));
	}
}

/* Shifts change what r is at each block: the sets of checks are what the interesting paths make of it. Until they are
 * known no check ends anything. */
static void
learn_sets(struct word_plan *w)
{
	const struct flow_graph *g = w->plan->graph;
	struct word_op **checks = mem_new(g->blocks.count, sizeof *checks);

	for (uint32_t b = 0; b < g->blocks.count; b++)
		if (w->of_block[b].list.count > 0 && w->of_block[b].list.at[0].kind == WORD_CHK) {
			checks[b] = &w->of_block[b].list.at[0];
			checks[b]->set.list.count = 0;
		}
	for (size_t i = 0; i < w->plan->paths.count; i++) {
		const struct flow_path *path = &w->plan->paths.at[i];
		struct word_walk walk = { 0 };

		word_ops_do(&w->entry, &walk);
		for (size_t k = 0; k < path->blocks.count; k++) {
			uint32_t b = path->blocks.at[k];

			if (k > 0)
				word_ops_do(&w->of_edge[flow_graph_edge(g, path->blocks.at[k - 1], b)], &walk);
			if (checks[b] == NULL)
				word_ops_do(&w->of_block[b], &walk);
			else
				word_set_add(&checks[b]->set, walk.r);
		}
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		if (checks[b] != NULL)
			word_set_settle(&checks[b]->set);
	free(checks);
}

static void
make_arithmetic(struct word_plan *w)
{
	for (uint32_t e = 0; e < w->plan->graph->edges.count; e++)
		translate(w, &w->of_edge[e], &w->plan->of_edge[e]);
	for (uint32_t b = 0; b < w->plan->graph->blocks.count; b++)
		translate(w, &w->of_block[b], &w->plan->of_block[b]);
	translate(w, &w->entry, &w->plan->entry);
	if (w->keeping == KEEP_SPILL)
		w->entry.list.at[0].a = 1;	/* before all digits, so that leading zeros count */
	if (shifts(w))
		learn_sets(w);
}

/* --- tables --- */

void
word_ops_settle(struct word_ops *ops, uint32_t first)
{
	struct word_op *op = &ops->list.at[0];
	bool same = true, one = true, ends = false;

	for (size_t i = first; i < op->table_count; i++) {
		same &= op->table[i] == i;
		one &= op->table[i] == op->table[first];
		ends |= first > 0 && op->table[i] == 0;
	}
	op->ends = ends;
	if (one && ends)
		op->kind = WORD_END;
	else if (one && !same) {
		op->kind = WORD_SET;
		op->a = op->table[first];
	}
	if (same)
		word_ops_release(ops);
}

/* States in breadth-first order, so that consecutive blocks number theirs alike and most edges need do nothing. */
static uint32_t *
states_in_order(const struct path_trie *trie, uint32_t count)
{
	uint32_t *order = mem_new(count, sizeof *order), *child = mem_new(count, sizeof *child),
		 *next = mem_new(count, sizeof *next), filled = 1;

	for (uint32_t s = count; s-- > 1; ) {
		uint32_t from = path_trie_from(trie, s);

		next[s] = child[from];
		child[from] = s;
	}
	for (uint32_t i = 0; i < filled; i++)
		for (uint32_t s = child[order[i]]; s != 0; s = next[s])
			order[filled++] = s;
	free(child);
	free(next);
	return order;
}

static void
make_tables(struct word_plan *w)
{
	const struct flow_graph *g = w->plan->graph;
	struct path_trie *trie;
	uint32_t count, *order, *number, *most = mem_new(g->blocks.count, sizeof *most);

	path_trie_open(&trie, w->plan->paths.at, w->plan->paths.count);
	count = path_trie_states(trie);
	order = states_in_order(trie, count);
	number = mem_new(count, sizeof *number);
	for (uint32_t i = 1; i < count; i++)
		number[order[i]] = ++most[path_trie_block(trie, order[i])];
	for (uint32_t e = 0; e < g->edges.count; e++)
		if (most[g->edges.at[e].from] > 0) {
			struct word_op *op = add_op(&w->of_edge[e], WORD_TABLE);

			op->table_count = (size_t)most[g->edges.at[e].from] + 1;
			op->table = mem_new(op->table_count, sizeof *op->table);
		}
	for (uint32_t s = 1; s < count; s++) {
		uint32_t from = path_trie_from(trie, s);

		if (from != 0)
			w->of_edge[flow_graph_edge(g, path_trie_block(trie, from), path_trie_block(trie, s))]
				.list.at[0]
				.table[number[from]] = number[s];
	}
	for (uint32_t e = 0; e < g->edges.count; e++)
		if (w->of_edge[e].list.count > 0)
			word_ops_settle(&w->of_edge[e], 1);
	add_op(&w->entry, WORD_SET)->a = 1;
	for (size_t i = 0; i < w->plan->paths.count; i++)
		w->ids[i] = number[path_trie_end(trie, &w->plan->paths.at[i])];
	free(order);
	free(number);
	free(most);
	path_trie_close(trie);
}

/* The numbers of a block's states are places after its base, in state_of_visit; the start state is one of them where it
 * is possible. */
static void
make_sub_path_tables(struct word_plan *w)
{
	const struct flow_graph *g = w->plan->graph;
	uint32_t states, *base = mem_new(g->blocks.count + 1, sizeof *base), *number,
			 *fill = mem_new(g->blocks.count, sizeof *fill);

	sub_paths_open(&w->sub_paths, w->plan->paths.at, w->plan->paths.count);
	states = sub_paths_states(w->sub_paths);
	number = mem_new(states, sizeof *number);
	for (uint32_t s = 1; s < states; s++)
		base[sub_paths_block(w->sub_paths, s) + 1]++;
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		/* number 0 is the start's then */
		fill[b] = sub_paths_follow(w->sub_paths, SUB_PATHS_START, b) == SUB_PATHS_START;
		base[b + 1] += base[b] + fill[b];
	}
	w->visits = base[g->blocks.count];
	w->state_of_visit = mem_new(w->visits, sizeof *w->state_of_visit);
	for (uint32_t s = 1; s < states; s++) {
		uint32_t b = sub_paths_block(w->sub_paths, s);

		number[s] = fill[b]++;
		w->state_of_visit[base[b] + number[s]] = s;
	}
	for (uint32_t e = 0; e < g->edges.count; e++) {
		uint32_t from = g->edges.at[e].from;
		struct word_op *op = add_op(&w->of_edge[e], WORD_TABLE);

		op->table_count = base[from + 1] - base[from];
		op->table = mem_new(op->table_count, sizeof *op->table);
		for (uint32_t i = 0; i < op->table_count; i++)
			op->table[i] = number[sub_paths_follow(w->sub_paths, w->state_of_visit[base[from] + i],
							       g->edges.at[e].to)];
		word_ops_settle(&w->of_edge[e], 0);
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		add_op(&w->of_block[b], WORD_VISIT)->a = base[b];
	add_op(&w->entry, WORD_SET)->a = number[sub_paths_follow(w->sub_paths, SUB_PATHS_START, g->entry)];
	w->first_visit = base;
	free(number);
	free(fill);
}

/* --- making --- */

/* The word with which each interesting path ends. */
static int
learn_ids(struct word_plan *w, struct stk_error *err)
{
	for (size_t i = 0; i < w->plan->paths.count; i++) {
		const struct flow_path *path = &w->plan->paths.at[i];
		struct word_walk walk = { 0 };

		word_ops_do(&w->entry, &walk);
		for (size_t k = 0; k < path->blocks.count && !walk.ended; k++) {
			if (k > 0)
				word_ops_do(&w->of_edge[flow_graph_edge(w->plan->graph, path->blocks.at[k - 1],
									path->blocks.at[k])],
					    &walk);
			word_ops_do(&w->of_block[path->blocks.at[k]], &walk);
		}
		if (walk.ended)
			return stk_fail(err, STK_EUSAGE, "the plan ends interesting path %zu", i + 1);
		w->ids[i] = walk.r;
	}
	return 0;
}

/* No two of the paths may end with the same word, where that is promised. */
static int
compare_ids(const struct word_plan *w, struct stk_error *err)
{
	struct word_set ids = { 0 };
	size_t different;

	for (size_t i = 0; i < w->plan->paths.count; i++)
		word_set_add(&ids, w->ids[i]);
	word_set_settle(&ids);
	different = ids.list.count;
	word_set_release(&ids);
	return different == w->plan->paths.count
		       ? 0
		       : stk_fail(err, STK_EUSAGE, "kept in this way, two interesting paths have one id");
}

static bool
is_possible(const struct path_plan *plan, enum path_keeping keeping)
{
	switch (keeping) {
	case KEEP_TABLE: return plan->paths.count > 0;
	case KEEP_SPILL: return plan->method == PATH_PAP && plan->paths.count == 0;
	case KEEP_SHIFT64:
	case KEEP_SHIFT128: return plan->method >= PATH_PAP && plan->method < PATH_TRIE && plan->paths.count > 0;
	default: return plan->method < PATH_TRIE;
	}
}

int
word_plan_make(struct word_plan **out, const struct path_plan *plan, enum path_keeping keeping, struct stk_error *err)
{
	struct word_plan *w;

	*out = NULL;
	if (!is_possible(plan, keeping))
		return stk_fail(err, STK_EUSAGE, "a plan of %s %s interesting paths cannot be kept as %s",
				path_method_names[plan->method], plan->paths.count > 0 ? "with" : "without",
				path_keeping_names[keeping]);
	if (keeping < plan->keeping)
		return stk_fail(err, STK_EUSAGE, "%s is not exact for this plan: ids would overflow; it needs %s",
				path_keeping_names[keeping], path_keeping_names[plan->keeping]);
	w = *out = mem_new(1, sizeof *w);
	w->plan = plan;
	w->keeping = keeping;
	w->of_edge = mem_new(plan->graph->edges.count + 1, sizeof *w->of_edge);
	w->of_block = mem_new(plan->graph->blocks.count, sizeof *w->of_block);
	if (plan->method == PATH_AC) {
		make_sub_path_tables(w);
		return 0;
	}
	w->ids = mem_new(plan->paths.count + 1, sizeof *w->ids);
	if (keeping == KEEP_TABLE)
		make_tables(w);
	else
		make_arithmetic(w);
	if ((keeping == KEEP_TABLE || learn_ids(w, err) == 0) && (!plan->exact || compare_ids(w, err) == 0))
		return 0;
	word_plan_free(w);
	*out = NULL;
	return -1;
}

void
word_plan_free(struct word_plan *w)
{
	if (w == NULL)
		return;
	word_ops_release(&w->entry);
	for (uint32_t e = 0; e < w->plan->graph->edges.count; e++)
		word_ops_release(&w->of_edge[e]);
	for (uint32_t b = 0; b < w->plan->graph->blocks.count; b++)
		word_ops_release(&w->of_block[b]);
	free(w->of_edge);
	free(w->of_block);
	free(w->ids);
	free(w->state_of_visit);
	free(w->first_visit);
	free(w->next_visit);
	sub_paths_close(w->sub_paths);
	free(w);
}
