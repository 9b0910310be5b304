/* SPDX-License-Identifier: MIT
 * path_machine: a step is a search for the edge, and its and the block's few operations on words. */
#include "path/path_machine.h"

#include "path/path_pieces.h"
#include "path/path_trie.h"
#include "path/word_plan.h"

#include <xxhash.h>

#define COUNTED_ELSEWHERE (TRIE_NOWHERE - 1)	/* it was counted, but not as one of the plan's paths */

struct counted { path_word id; uint32_t piece; uint64_t count; };

/* A stored piece of an id: the one before it, and the digits since, after a leading 1. */
struct piece { uint32_t before; uint64_t digits; };

struct path_activation {
	uint32_t block;			/* the current one, NO_BLOCK before the first */
	struct word_walk walk;
	uint32_t piece;			/* 0: none was stored */
	uint32_t true_state;		/* verify: of the automaton of the paths */
	bool broken;
};

struct path_machine {
	const struct path_plan *plan;
	struct word_plan *words;
	bool verify;
	struct path_trie *trie;		/* verify */
	uint64_t *visits, *occurred;	/* of sub-paths: of each state; of each path, once everything was added up */
	uint64_t *added;		/* of each path: counted elsewhere; NULL: nothing was */
	struct hash_map by_blocks;	/* then: the plan's paths */
	ARRAY(struct counted) ids;	/* of the plan's paths first, in their order; then any other that was counted */
	struct hash_map by_id;
	size_t paths;
	uint64_t *walked;		/* verify: each path */
	ARRAY(struct piece) pieces;	/* 1, 2, ... */
	struct hash_map by_piece;
	struct path_totals totals;
};

/* --- counts by id --- */

static struct counted *
id_of(struct path_machine *m, path_word id, uint32_t piece, bool make)
{
	struct { path_word id; uint64_t piece; uint64_t unused; } key = { id, piece, 0 };
	uint64_t hash = XXH3_64bits(&key, sizeof key);
	uint32_t at = hash_map_start(&m->by_id, hash), found;

	while ((found = hash_map_next(&m->by_id, hash, &at)) != 0)
		if (m->ids.at[found - 1].id == id && m->ids.at[found - 1].piece == piece)
			return &m->ids.at[found - 1];
	if (!make)
		return NULL;
	*array_push(&m->ids) = (struct counted){ id, piece, 0 };
	hash_map_put(&m->by_id, hash, (uint32_t)m->ids.count);
	return &m->ids.at[m->ids.count - 1];
}

/* --- pieces --- */

static uint32_t
put_away(struct path_machine *m, uint32_t before, uint64_t digits)
{
	const uint64_t key[2] = { before, digits };
	uint64_t hash = XXH3_64bits(key, sizeof key);
	uint32_t at = hash_map_start(&m->by_piece, hash), id;

	while ((id = hash_map_next(&m->by_piece, hash, &at)) != 0)
		if (m->pieces.at[id - 1].before == before && m->pieces.at[id - 1].digits == digits)
			return id;
	*array_push(&m->pieces) = (struct piece){ before, digits };
	hash_map_put(&m->by_piece, hash, (uint32_t)m->pieces.count);
	return (uint32_t)m->pieces.count;
}

static void
put_digit_in(struct path_machine *m, struct path_activation *a, const struct word_op *op)
{
	if (a->walk.r >= spill_limit(op->a)) {
		a->piece = put_away(m, a->piece, (uint64_t)a->walk.r);
		a->walk.r = 1;
	}
	a->walk.r = a->walk.r * op->a + op->b;
}

/* --- steps --- */

static void
operate_all(struct path_machine *m, struct path_activation *a, const struct word_ops *ops)
{
	for (size_t i = 0; i < ops->list.count && !a->walk.ended; i++) {
		const struct word_op *op = &ops->list.at[i];

		word_op_do(op, &a->walk);
		m->totals.probes++;
		if (op->kind == WORD_SPILL) {
			put_digit_in(m, a, op);
		} else if (op->kind == WORD_VISIT) {
			m->visits[op->a + (uint64_t)a->walk.r]++;
		} else if (op->kind == WORD_COUNT) {
			id_of(m, a->walk.r, 0, true)->count++;
			m->totals.counted++;
		}
	}
}

struct path_activation *
path_machine_begin(struct path_machine *m)
{
	struct path_activation *a = mem_new(1, sizeof *a);
	uint32_t none = NO_BLOCK;

	a->block = none;
	a->true_state = TRIE_NOWHERE;
	m->totals.activations++;
	return a;
}

static enum path_step
enter(struct path_machine *m, struct path_activation *a, uint32_t block)
{
	uint32_t edge = a->block == NO_BLOCK ? NO_EDGE : flow_graph_edge(m->plan->graph, a->block, block);

	if (a->block == NO_BLOCK ? block != m->plan->graph->entry : edge == NO_EDGE) {
		a->broken = true;
		return PATH_NO_EDGE;
	}
	if (m->verify)
		a->true_state = a->block == NO_BLOCK            ? path_trie_start(m->trie, block)
				: a->true_state == TRIE_NOWHERE ? TRIE_NOWHERE
								: path_trie_next(m->trie, a->true_state, block);
	operate_all(m, a, edge == NO_EDGE ? &m->words->entry : &m->words->of_edge[edge]);
	operate_all(m, a, &m->words->of_block[block]);
	a->block = block;
	return a->walk.ended ? PATH_ENDED : PATH_ON;
}

enum path_step
path_machine_step(struct path_machine *m, struct path_activation *a, uint32_t block)
{
	const struct flow_graph *g = m->plan->graph;

	if (a->broken)
		return PATH_NO_EDGE;
	m->totals.blocks++;
	m->totals.skipped += a->walk.ended;
	if (a->block == NO_BLOCK && g->entry != g->first && block == g->first)
		(void)enter(m, a, g->entry);
	return enter(m, a, block);
}

/* Which of the plan's paths it was, according to the plan. */
static uint32_t
credit(struct path_machine *m, const struct path_activation *a)
{
	struct counted *found;

	if (m->visits != NULL)
		return COUNTED_ELSEWHERE;
	found = a->walk.ended ? NULL : id_of(m, a->walk.r, a->piece, m->paths == 0 || m->plan->method == PATH_EPP);
	if (found == NULL)
		return TRIE_NOWHERE;
	found->count++;
	return (size_t)(found - m->ids.at) < m->paths ? (uint32_t)(found - m->ids.at) : COUNTED_ELSEWHERE;
}

static void
verify(struct path_machine *m, const struct path_activation *a, uint32_t credited)
{
	uint32_t path = a->true_state == TRIE_NOWHERE ? TRIE_NOWHERE : path_trie_path(m->trie, a->true_state);

	if (path != TRIE_NOWHERE)
		m->walked[path]++;
	m->totals.wrong += credited < m->paths && credited != path;
}

void
path_machine_finish(struct path_machine *m, struct path_activation *a)
{
	if (a->broken) {
		m->totals.broken++;
	} else if (a->block != m->plan->graph->exit) {
		m->totals.unfinished++;
	} else {
		uint32_t credited = credit(m, a);

		m->totals.finished++;
		m->totals.counted += credited != TRIE_NOWHERE;
		m->totals.ended += credited == TRIE_NOWHERE;
		if (m->verify)
			verify(m, a, credited);
	}
	free(a);
}

/* --- opening --- */

int
path_machine_open(struct path_machine **out, const struct path_plan *plan, enum path_keeping keeping, bool verify_too,
		  struct stk_error *err)
{
	struct path_machine *m = *out = mem_new(1, sizeof *m);

	m->plan = plan;
	if (word_plan_make(&m->words, plan, keeping, err) < 0) {
		path_machine_close(m);
		*out = NULL;
		return -1;
	}
	m->verify = verify_too && plan->paths.count > 0 && plan->method != PATH_AC;
	m->walked = mem_new(plan->paths.count + 1, sizeof *m->walked);
	if (m->verify)
		path_trie_open(&m->trie, plan->paths.at, plan->paths.count);
	if (plan->method == PATH_AC) {
		m->visits = mem_new(m->words->visits, sizeof *m->visits);
		m->occurred = mem_new(plan->paths.count, sizeof *m->occurred);
	}
	for (size_t i = 0; i < plan->paths.count && m->visits == NULL; i++)
		if (id_of(m, m->words->ids[i], 0, false) != NULL)
			*array_push(&m->ids) =
				(struct counted){ m->words->ids[i], 0, 0 }; /* another's id: that one gets all counts */
		else
			(void)id_of(m, m->words->ids[i], 0, true);
	m->paths = plan->paths.count;
	return 0;
}

void
path_machine_close(struct path_machine *m)
{
	if (m == NULL)
		return;
	word_plan_free(m->words);
	free(m->visits);
	free(m->occurred);
	free(m->added);
	hash_map_release(&m->by_blocks);
	free(m->walked);
	path_trie_close(m->trie);
	array_release(&m->ids);
	array_release(&m->pieces);
	hash_map_release(&m->by_id);
	hash_map_release(&m->by_piece);
	free(m);
}

/* --- what was counted --- */

const struct path_totals *
path_machine_totals(const struct path_machine *m)
{
	return &m->totals;
}

void
path_machine_settle(struct path_machine *m)
{
	uint64_t *visits;

	if (m->visits == NULL)
		return;
	visits = mem_new(sub_paths_states(m->words->sub_paths), sizeof *visits);
	for (size_t i = 0; i < m->words->visits; i++)
		visits[m->words->state_of_visit[i]] += m->visits[i];
	sub_paths_counts(m->words->sub_paths, visits, m->occurred);
	free(visits);
}

uint64_t
path_machine_count(const struct path_machine *m, size_t path)
{
	return (m->visits != NULL ? m->occurred[path] : m->ids.at[path].count) +
	       (m->added != NULL ? m->added[path] : 0);
}

static uint64_t
hash_of_blocks(const struct flow_path *path)
{
	return XXH3_64bits(path->blocks.at, path->blocks.count * sizeof *path->blocks.at);
}

bool
path_machine_add(struct path_machine *m, const struct flow_path *path, uint64_t count)
{
	uint64_t hash = hash_of_blocks(path);
	uint32_t at, id;

	if (m->added == NULL) {
		m->added = mem_new(m->paths + 1, sizeof *m->added);
		for (size_t i = 0; i < m->paths; i++)
			hash_map_put(&m->by_blocks, hash_of_blocks(&m->plan->paths.at[i]), (uint32_t)i + 1);
	}
	at = hash_map_start(&m->by_blocks, hash);
	while ((id = hash_map_next(&m->by_blocks, hash, &at)) != 0) {
		const struct flow_path *known = &m->plan->paths.at[id - 1];

		if (known->blocks.count != path->blocks.count ||
		    memcmp(known->blocks.at, path->blocks.at, path->blocks.count * sizeof *path->blocks.at) != 0)
			continue;
		m->added[id - 1] += count;
		return true;
	}
	return false;
}

void
path_machine_distrust(struct path_machine *m)
{
	m->totals.distrusted = true;
}

uint64_t
path_machine_walked(const struct path_machine *m, size_t path)
{
	return m->walked[path];
}

/* Back from the exit: at each join the digit says which way it was entered; when a piece is used up, the one before it
 * is next. */
static void
decode(const struct path_machine *m, const struct counted *counted, struct flow_path *path)
{
	const struct flow_graph *g = m->plan->graph;
	uint32_t block = g->exit, piece = counted->piece;
	uint64_t r = (uint64_t)counted->id;

	path->blocks.count = 0;
	*array_push(&path->blocks) = block;
	while (block != g->entry) {
		const struct flow_block *at = &g->blocks.at[block];
		uint32_t edge = at->in.at[0];

		if (at->in.count > 1) {
			if (r == 1 && piece != 0) {
				r = m->pieces.at[piece - 1].digits;
				piece = m->pieces.at[piece - 1].before;
			}
			edge = at->in.at[r % at->in.count];
			r /= at->in.count;
		}
		block = g->edges.at[edge].from;
		*array_push(&path->blocks) = block;
	}
	for (size_t i = 0, k = path->blocks.count - 1; i < k; i++, k--) {
		uint32_t other = path->blocks.at[i];

		path->blocks.at[i] = path->blocks.at[k];
		path->blocks.at[k] = other;
	}
}

static int
compare_counts(const void *a, const void *b)
{
	const struct counted *x = *(const struct counted *const *)a, *y = *(const struct counted *const *)b;

	return x->count != y->count ? (x->count > y->count ? -1 : 1) : x < y ? -1 : 1;
}

int
path_machine_each(const struct path_machine *m, path_found_function *found, void *context, struct stk_error *err)
{
	const struct counted **order = mem_new(m->ids.count + 1, sizeof *order);
	struct path_pieces pieces = { 0 };
	struct flow_path path = { 0 };
	size_t count = 0;
	int result = m->plan->method == PATH_EPP ? path_pieces_make(&pieces, m->plan->graph, err) : 0;

	for (size_t i = m->paths; i < m->ids.count; i++)
		order[count++] = &m->ids.at[i];
	if (count > 0)
		qsort(order, count, sizeof *order, compare_counts);
	for (size_t i = 0; i < count && result == 0; i++) {
		if (m->plan->method == PATH_EPP && !path_pieces_path(&pieces, (uint64_t)order[i]->id, &path)) {
			result = stk_fail(err, STK_EUSAGE, "an id that no path has");
			break;
		}
		if (m->plan->method != PATH_EPP)
			decode(m, order[i], &path);
		result = found(context, &path, order[i]->count, err);
	}
	path_pieces_release(&pieces);
	array_release(&path.blocks);
	free(order);
	return result;
}
