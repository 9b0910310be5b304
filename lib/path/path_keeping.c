/* SPDX-License-Identifier: MIT
 * path_keeping: computes how large ids become through the graph, and along the paths of interest. */
#include "path/path_plan.h"

#include "base/memory.h"

const char *const path_keeping_names[KEEPINGS] = { "u64", "shift64", "shift128", "table", "spill" };

#define SPILL_ROOM 8u			/* bits of a word that are free for one more digit, at least */

static bool
fits_u64(const mpz_t number)
{
	return mpz_sizeinbase(number, 2) <= 64;
}

static bool
is_ended(const struct probes *probes)
{
	return probes->list.count > 0 && probes->list.at[0].kind == PROBE_END;
}

/* The largest value that the probes can give r. False: of l only is known that it is less than what it is joined
 * with. */
static void
grow(mpz_t r, const struct probes *probes)
{
	for (size_t i = 0; i < probes->list.count; i++) {
		const struct probe *probe = &probes->list.at[i];

		switch (probe->kind) {
		case PROBE_SET:   mpz_set(r, probe->a); break;
		case PROBE_ADD:   mpz_add(r, r, probe->a); break;
		case PROBE_MUL:   mpz_mul(r, r, probe->a); mpz_add(r, r, probe->b); break;
		case PROBE_LJOIN: mpz_add_ui(r, r, 1); mpz_mul(r, r, probe->a); break;
		case PROBE_CHK:
			if (mpz_cmp(r, probe->set[probe->set_count - 1]) > 0)
				mpz_set(r, probe->set[probe->set_count - 1]);
			break;
		default: break;
		}
	}
}

/* Whether r stays below 2^64 whatever is walked: edges into blocks that check r need not be followed from where they
 * come, because a check leaves no more than its set. */
static bool
never_overflows(const struct path_plan *plan)
{
	const struct flow_graph *g = plan->graph;
	uint32_t *order = mem_new(g->blocks.count, sizeof *order), *origin, count;
	bool *keep = mem_new(g->edges.count + 1, sizeof *keep), *back = mem_new(g->edges.count + 1, sizeof *back),
	     fits = true;
	mpz_t *most = mem_new(g->blocks.count, sizeof *most), r;
	struct flow_graph *walked;

	for (uint32_t e = 0; e < g->edges.count; e++)
		keep[e] = !is_ended(&plan->of_edge[e]);
	walked = flow_graph_part(g, keep, g->entry, g->exit, &origin);
	flow_graph_back_edges(walked, back);
	count = flow_graph_order(walked, back, order);
	mpz_init(r);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		mpz_init(most[b]);
	for (uint32_t e = 0; e < walked->edges.count; e++)	/* a loop is bounded only where it begins anew */
		if (back[e]) {
			const struct probes *at = &plan->of_block[walked->edges.at[e].to];
			bool checked = at->list.count > 0 && at->list.at[0].kind == PROBE_CHK;

			fits &= checked || is_ended(at);
			if (checked)
				mpz_set(most[walked->edges.at[e].to], at->list.at[0].set[at->list.at[0].set_count - 1]);
		}
	grow(most[g->entry], &plan->entry);
	for (uint32_t i = 0; i < count && fits; i++) {
		const struct flow_block *block = &walked->blocks.at[order[i]];

		if (is_ended(&plan->of_block[order[i]]))
			continue;
		grow(most[order[i]], &plan->of_block[order[i]]);
		for (size_t k = 0; k < block->out.count && fits; k++) {
			uint32_t to = walked->edges.at[block->out.at[k]].to;

			mpz_set(r, most[order[i]]);
			grow(r, &plan->of_edge[origin[block->out.at[k]]]);
			fits = fits_u64(r);
			if (mpz_cmp(r, most[to]) > 0 && !back[block->out.at[k]])
				mpz_set(most[to], r);
		}
		fits = fits && fits_u64(most[order[i]]);
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		mpz_clear(most[b]);
	mpz_clear(r);
	flow_graph_free(walked);
	free(origin);
	free(order);
	free(keep);
	free(back);
	free(most);
	return fits;
}

unsigned
digit_bits(uint64_t base)
{
	return base <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(base - 1);
}

uint64_t
spill_limit(uint64_t base)
{
	unsigned bits = digit_bits(base);

	return UINT64_C(1) << (64 - (bits > SPILL_ROOM ? bits : SPILL_ROOM));
}

static uint64_t
bits_of_probes(const struct probes *probes)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < probes->list.count; i++) {
		const struct probe *probe = &probes->list.at[i];

		for (size_t d = 0; d < probe->digits.count; d++)
			bits += digit_bits(probe->digits.at[d].base);
		if (probe->kind == PROBE_LJOIN)
			bits += digit_bits(mpz_get_ui(probe->a));
	}
	return bits;
}

/* The longest of the interesting paths, in bits, when each digit is shifted in. A code that was shifted out does not
 * matter: equal low bits mean equal last choices, and an interesting path that fits is known to its first block, to
 * which no walk comes back. */
static uint64_t
most_bits(const struct path_plan *plan)
{
	uint64_t most = 0;

	for (size_t i = 0; i < plan->paths.count; i++) {
		const struct flow_path *path = &plan->paths.at[i];
		uint64_t bits = 0;

		for (size_t k = 0; k < path->blocks.count; k++) {
			if (k > 0)
				bits += bits_of_probes(&plan->of_edge[flow_graph_edge(
					plan->graph, path->blocks.at[k - 1], path->blocks.at[k])]);
			bits += bits_of_probes(&plan->of_block[path->blocks.at[k]]);
		}
		most = bits > most ? bits : most;
	}
	return most;
}

enum path_keeping
path_keeping_choose(const struct path_plan *plan)
{
	uint64_t bits;

	if (plan->method >= PATH_TRIE)
		return KEEP_TABLE;
	if (plan->method <= PATH_POISON || never_overflows(plan))
		return KEEP_U64;
	if (plan->paths.count == 0)
		return KEEP_SPILL;
	bits = most_bits(plan);
	return bits <= 64 ? KEEP_SHIFT64 : bits <= 128 ? KEEP_SHIFT128 : KEEP_TABLE;
}
