/* SPDX-License-Identifier: MIT
 * path_machine: probes become operations on machine words once; then a step is a search for the edge and a few of these. */
#include "path/path_machine.h"

#include "path/path_trie.h"
#include "path/sub_paths.h"

#include <xxhash.h>

#define COUNTED_ELSEWHERE (TRIE_NOWHERE - 1)	/* it was counted, as none of the plan's paths */
#define SPILL_BITS 56			/* pieces are put away when they reach this */

__extension__ typedef unsigned __int128 word;

struct operation { enum probe_kind kind; uint64_t a, b; unsigned shift; word digits, *set; size_t set_count; };	/* digits: put in behind the shift */

struct operations { ARRAY(struct operation) list; };

struct counted { word id; uint32_t piece; uint64_t count; };

/* A piece of an id that was put away: the one before it, and the digits since, behind a leading 1. */
struct piece { uint32_t before; uint64_t digits; };

struct path_activation {
	uint32_t block;			/* the present one, NO_BLOCK before the first */
	word r;
	uint64_t l;
	uint32_t piece;			/* 0: none was put away */
	uint32_t state, true_state;	/* of the automaton, for the plan and for verify */
	bool ended, broken;
};

struct path_machine {
	const struct path_plan *plan;
	enum path_keeping keeping;
	bool verify;
	struct operations entry, *of_edge, *of_block;
	struct path_trie *trie;
	struct sub_paths *sub_paths;	/* in its place, of PATH_AC */
	ARRAY(struct counted) ids;	/* of the plan's paths first, in their order; then whatever was counted */
	struct hash_map by_id;
	size_t paths;
	uint64_t *walked, *credited;	/* of each path; by the automaton */
	ARRAY(struct piece) pieces;	/* 1, 2, ... */
	struct hash_map by_piece;
	struct path_totals totals;
};

/* --- counts by id --- */

static struct counted *
id_of(struct path_machine *m, word id, uint32_t piece, bool make)
{
	struct { word id; uint64_t piece; uint64_t unused; } key = { id, piece, 0 };
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

/* --- operations --- */

static bool
shifts(const struct path_machine *m)
{
	return m->keeping == KEEP_SHIFT64 || m->keeping == KEEP_SHIFT128;
}

/* r * base + digit for each digit becomes: r shifted, or digits put in. Constants are of this word's bits: what is above them would be shifted out anyway. */
static void
translate_digits(struct operation *op, const struct probe *probe)
{
	for (size_t i = 0; i < probe->digits.count; i++) {
		unsigned bits = digit_bits(probe->digits.at[i].base);

		op->digits = (bits < 128 ? op->digits << bits : 0) | probe->digits.at[i].digit;
		op->shift += bits;
	}
}

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

static void
translate(struct path_machine *m, struct operations *to, const struct probes *probes)
{
	for (size_t i = 0; i < probes->list.count; i++) {
		const struct probe *probe = &probes->list.at[i];
		struct operation *op = array_push(&to->list);

		*op = (struct operation){ .kind = probe->kind, .a = low_u64(probe->a), .b = low_u64(probe->b) };
		if (probe->kind == PROBE_MUL && shifts(m))
			translate_digits(op, probe);
		if (probe->kind == PROBE_LJOIN && shifts(m))
			op->shift = digit_bits(op->a);
		if (probe->kind == PROBE_CHK || probe->kind == PROBE_LCHK) {
			op->set = mem_new(probe->set_count + 1, sizeof *op->set);
			for (size_t k = 0; k < probe->set_count; k++)
				op->set[op->set_count++] = low_u64(probe->set[k]);
		}
	}
}

static void
operations_release(struct operations *ops)
{
	for (size_t i = 0; i < ops->list.count; i++)
		free(ops->list.at[i].set);
	array_release(&ops->list);
}

static bool
is_in(const struct operation *op, word value)
{
	size_t low = 0, high = op->set_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (op->set[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < op->set_count && op->set[low] == value;
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
put_digit_in(struct path_machine *m, struct path_activation *a, const struct operation *op)
{
	if (a->r >> SPILL_BITS != 0) {
		a->piece = put_away(m, a->piece, (uint64_t)a->r);
		a->r = 1;
	}
	a->r = a->r * op->a + op->b;
}

/* --- steps --- */

static void
operate(struct path_machine *m, struct path_activation *a, const struct operation *op)
{
	switch (op->kind) {
	case PROBE_SET:
		a->r = op->a;
		break;
	case PROBE_ADD:
		a->r = (uint64_t)(a->r + op->a);
		break;
	case PROBE_MUL:
		if (m->keeping == KEEP_SPILL)
			put_digit_in(m, a, op);
		else if (shifts(m))
			a->r = (op->shift < 128 ? a->r << op->shift : 0) | op->digits;
		else
			a->r = (uint64_t)a->r * op->a + op->b;
		break;
	case PROBE_LSET:
		a->l = op->a;
		break;
	case PROBE_LADD:
		a->l += op->a;
		break;
	case PROBE_LJOIN:
		a->r = shifts(m) ? (op->shift < 128 ? a->r << op->shift : 0) | a->l : (word)((uint64_t)a->r * op->a + a->l);
		break;
	case PROBE_CHK:
		a->ended = !is_in(op, a->r);
		break;
	case PROBE_LCHK:
		a->ended = !is_in(op, a->l);
		break;
	case PROBE_END:
		a->ended = true;
		break;
	case PROBE_COUNT:
		id_of(m, a->r, 0, true)->count++;
		m->totals.counted++;
		break;
	case PROBE_KINDS:
		break;
	}
	if (m->keeping == KEEP_SHIFT64)
		a->r = (uint64_t)a->r;
	m->totals.probes++;
}

static void
operate_all(struct path_machine *m, struct path_activation *a, const struct operations *ops)
{
	for (size_t i = 0; i < ops->list.count && !a->ended; i++)
		operate(m, a, &ops->list.at[i]);
}

static void
step_automaton(struct path_machine *m, struct path_activation *a, uint32_t block)
{
	uint32_t *state = m->keeping == KEEP_TABLE ? &a->state : &a->true_state;

	*state = a->block == NO_BLOCK ? path_trie_start(m->trie, block) : *state == TRIE_NOWHERE ? TRIE_NOWHERE : path_trie_next(m->trie, *state, block);
	if (m->keeping == KEEP_TABLE) {
		m->totals.probes++;
		a->ended = a->state == TRIE_NOWHERE;
	}
}

struct path_activation *
path_machine_begin(struct path_machine *m)
{
	struct path_activation *a = mem_new(1, sizeof *a);
	uint32_t none = NO_BLOCK;

	a->block = none;
	a->state = a->true_state = TRIE_NOWHERE;
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
	if (m->sub_paths != NULL) {
		a->state = sub_paths_step(m->sub_paths, a->block == NO_BLOCK ? SUB_PATHS_START : a->state, block);
		m->totals.probes++;
	}
	if (m->trie != NULL && !(m->keeping == KEEP_TABLE && a->ended))
		step_automaton(m, a, block);
	if (m->keeping != KEEP_TABLE && !a->ended) {
		operate_all(m, a, edge == NO_EDGE ? &m->entry : &m->of_edge[edge]);
		if (m->keeping == KEEP_SPILL && edge == NO_EDGE)
			a->r = 1;
		operate_all(m, a, &m->of_block[block]);
	}
	a->block = block;
	return a->ended ? PATH_ENDED : PATH_ON;
}

enum path_step
path_machine_step(struct path_machine *m, struct path_activation *a, uint32_t block)
{
	const struct flow_graph *g = m->plan->graph;

	if (a->broken)
		return PATH_NO_EDGE;
	m->totals.blocks++;
	m->totals.skipped += a->ended;
	if (a->block == NO_BLOCK && g->entry != g->first && block == g->first)
		(void)enter(m, a, g->entry);
	return enter(m, a, block);
}

/* Which of the plan's paths it was, as the plan has it. */
static uint32_t
credit(struct path_machine *m, const struct path_activation *a)
{
	struct counted *found;

	if (m->sub_paths != NULL)
		return COUNTED_ELSEWHERE;
	if (m->keeping == KEEP_TABLE) {
		uint32_t path = a->ended ? TRIE_NOWHERE : path_trie_path(m->trie, a->state);

		if (path != TRIE_NOWHERE)
			m->credited[path]++;
		return path;
	}
	found = a->ended ? NULL : id_of(m, a->r, a->piece, m->paths == 0 || m->plan->method == PATH_EPP);
	if (found == NULL)
		return TRIE_NOWHERE;
	found->count++;
	return (size_t)(found - m->ids.at) < m->paths ? (uint32_t)(found - m->ids.at) : COUNTED_ELSEWHERE;
}

static void
verify(struct path_machine *m, const struct path_activation *a, uint32_t credited)
{
	uint32_t state = m->keeping == KEEP_TABLE ? a->state : a->true_state;
	uint32_t path = state == TRIE_NOWHERE ? TRIE_NOWHERE : path_trie_path(m->trie, state);

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

static int
compare_words(const void *a, const void *b)
{
	word x = *(const word *)a, y = *(const word *)b;

	return x < y ? -1 : x > y;
}

/* Shifts change what r is at each block: the sets of checks are what the interesting paths make of it. Until they are known no check ends anything. */
static void
learn_sets(struct path_machine *m)
{
	const struct flow_graph *g = m->plan->graph;
	struct operations *kept = mem_new(g->blocks.count, sizeof *kept);

	for (uint32_t b = 0; b < g->blocks.count; b++)
		if (m->of_block[b].list.count > 0 && m->of_block[b].list.at[0].kind == PROBE_CHK) {
			kept[b] = m->of_block[b];
			m->of_block[b] = (struct operations){ 0 };
			kept[b].list.at[0].set_count = 0;
			free(kept[b].list.at[0].set);
			kept[b].list.at[0].set = NULL;
		}
	for (size_t i = 0; i < m->plan->paths.count; i++) {
		const struct flow_path *path = &m->plan->paths.at[i];
		struct path_activation *a = path_machine_begin(m);

		for (size_t k = 0; k < path->blocks.count; k++) {
			struct operations *check = &kept[path->blocks.at[k]];

			(void)enter(m, a, path->blocks.at[k]);
			if (check->list.count > 0) {
				struct operation *op = &check->list.at[0];

				if ((op->set_count & (op->set_count - 1)) == 0)
					op->set = mem_resize(op->set, op->set_count == 0 ? 1 : op->set_count * 2, sizeof *op->set);
				op->set[op->set_count++] = a->r;
			}
		}
		free(a);
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		if (kept[b].list.count > 0) {
			struct operation *op = &kept[b].list.at[0];

			if (op->set_count > 0)
				qsort(op->set, op->set_count, sizeof *op->set, compare_words);
			m->of_block[b] = kept[b];
		}
	free(kept);
}

/* The word with which each interesting path ends. */
static int
learn_ids(struct path_machine *m, struct stk_error *err)
{
	for (size_t i = 0; i < m->plan->paths.count && m->sub_paths == NULL; i++) {
		const struct flow_path *path = &m->plan->paths.at[i];
		struct path_activation *a = path_machine_begin(m);

		for (size_t k = 0; k < path->blocks.count && !a->ended; k++)
			(void)enter(m, a, path->blocks.at[k]);
		if (a->ended)
			(void)stk_fail(err, STK_EUSAGE, "the plan ends interesting path %zu", i + 1);
		else if (m->keeping != KEEP_TABLE && id_of(m, a->r, a->piece, false) != NULL && m->plan->exact)
			(void)stk_fail(err, STK_EUSAGE, "kept in this way, interesting path %zu has the id of another", i + 1);
		if (m->keeping != KEEP_TABLE && id_of(m, a->r, a->piece, false) != NULL)
			*array_push(&m->ids) = (struct counted){ a->r, a->piece, 0 };	/* another's id: that one gets all counts */
		else if (m->keeping != KEEP_TABLE)
			(void)id_of(m, a->r, a->piece, true);
		free(a);
	}
	m->paths = m->plan->paths.count;
	m->totals = (struct path_totals){ 0 };
	return err->code == STK_EOK ? 0 : -1;
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
path_machine_open(struct path_machine **out, const struct path_plan *plan, enum path_keeping keeping, bool verify_too, struct stk_error *err)
{
	struct path_machine *m;

	*out = NULL;
	if (!is_possible(plan, keeping))
		return stk_fail(err, STK_EUSAGE, "a plan of %s %s interesting paths cannot be kept as %s", path_method_names[plan->method], plan->paths.count > 0 ? "with" : "without",
			path_keeping_names[keeping]);
	if (keeping < plan->keeping)
		return stk_fail(err, STK_EUSAGE, "%s is not exact for this plan: ids would overflow; it needs %s", path_keeping_names[keeping], path_keeping_names[plan->keeping]);
	m = *out = mem_new(1, sizeof *m);
	m->plan = plan;
	m->keeping = keeping;
	m->verify = verify_too && plan->paths.count > 0 && plan->method != PATH_AC;
	m->of_edge = mem_new(plan->graph->edges.count + 1, sizeof *m->of_edge);
	m->of_block = mem_new(plan->graph->blocks.count, sizeof *m->of_block);
	m->walked = mem_new(plan->paths.count + 1, sizeof *m->walked);
	m->credited = mem_new(plan->paths.count + 1, sizeof *m->credited);
	if (plan->method == PATH_AC)
		sub_paths_open(&m->sub_paths, plan->paths.at, plan->paths.count);
	else if (m->verify || keeping == KEEP_TABLE)
		path_trie_open(&m->trie, plan->paths.at, plan->paths.count);
	translate(m, &m->entry, &plan->entry);
	for (uint32_t e = 0; e < plan->graph->edges.count; e++)
		translate(m, &m->of_edge[e], &plan->of_edge[e]);
	for (uint32_t b = 0; b < plan->graph->blocks.count; b++)
		translate(m, &m->of_block[b], &plan->of_block[b]);
	if (shifts(m))
		learn_sets(m);
	if (learn_ids(m, err) == 0)
		return 0;
	path_machine_close(m);
	*out = NULL;
	return -1;
}

void
path_machine_close(struct path_machine *m)
{
	if (m == NULL)
		return;
	operations_release(&m->entry);
	for (uint32_t e = 0; e < m->plan->graph->edges.count; e++)
		operations_release(&m->of_edge[e]);
	for (uint32_t b = 0; b < m->plan->graph->blocks.count; b++)
		operations_release(&m->of_block[b]);
	free(m->of_edge);
	free(m->of_block);
	free(m->walked);
	free(m->credited);
	path_trie_close(m->trie);
	sub_paths_close(m->sub_paths);
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
	if (m->sub_paths != NULL)
		sub_paths_counts(m->sub_paths, m->credited);
}

uint64_t
path_machine_count(const struct path_machine *m, size_t path)
{
	return m->keeping == KEEP_TABLE ? m->credited[path] : m->ids.at[path].count;
}

uint64_t
path_machine_walked(const struct path_machine *m, size_t path)
{
	return m->walked[path];
}

/* Back from the exit: at each join the digit says which way it was entered; a piece that is used up is followed by the one before it. */
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
	struct flow_path path = { 0 };
	size_t count = 0;
	int result = 0;

	for (size_t i = m->paths; i < m->ids.count; i++)
		order[count++] = &m->ids.at[i];
	if (count > 0)
		qsort(order, count, sizeof *order, compare_counts);
	for (size_t i = 0; i < count && result == 0; i++) {
		if (m->plan->method == PATH_EPP && !path_plan_epp_path(m->plan, (uint64_t)order[i]->id, &path)) {
			result = stk_fail(err, STK_EUSAGE, "an id that no path has");
			break;
		}
		if (m->plan->method != PATH_EPP)
			decode(m, order[i], &path);
		result = found(context, &path, order[i]->count, err);
	}
	array_release(&path.blocks);
	free(order);
	return result;
}
