/* SPDX-License-Identifier: MIT
 * wait_graph: of random dumps, each thread's way ends where following the holders one by one ends; threads that come
 * back to themselves are in a ring. */
#include "../lib/tap.h"

#include "diag/wait_graph.h"

#include <stdlib.h>

#define MOST 12

static uint64_t state = 1;

static unsigned
chance(unsigned below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

/* Thread t wants lock wants[t] + 1 unless that is NOBODY; lock l + 1 is held by thread holders[l]. */
static void
dump_make(struct diag_dump *dump, unsigned threads, const uint32_t *wants, unsigned locks, const uint32_t *holders)
{
	dump->threads.count = dump->lines.count = 0;
	for (unsigned t = 0; t < threads; t++) {
		struct dump_thread thread = { .key = t + 1, .name = t + 1,
					      .first_line = (uint32_t)dump->lines.count };

		if (wants[t] != NOBODY)
			*array_push(&dump->lines) = (struct dump_line){ STK_RELATION_WAITING_TO_LOCK, 1, 1,
									 wants[t] + 1 };
		for (unsigned l = 0; l < locks; l++)
			if (holders[l] == t && l != wants[t])
				*array_push(&dump->lines) = (struct dump_line){ STK_RELATION_LOCKED, 1, 2, l + 1 };
		thread.lines = (uint32_t)dump->lines.count - thread.first_line;
		*array_push(&dump->threads) = thread;
	}
}

static uint32_t
next_of(uint32_t thread, const uint32_t *wants, const uint32_t *holders)
{
	return wants[thread] == NOBODY || holders[wants[thread]] == thread ? NOBODY : holders[wants[thread]];
}

/* Whether following the holders comes back to the thread. */
static bool
in_ring(uint32_t thread, const uint32_t *wants, const uint32_t *holders)
{
	uint32_t at = thread;

	for (unsigned steps = 0; steps <= MOST; steps++) {
		at = next_of(at, wants, holders);
		if (at == NOBODY || at == thread)
			return at == thread;
	}
	return false;
}

static unsigned
wrong_ways(const struct wait_graph *graph, unsigned threads, const uint32_t *wants, const uint32_t *holders)
{
	unsigned wrong = 0;

	for (uint32_t t = 0; t < threads; t++) {
		const struct wait_node *node = &graph->nodes.at[t];
		uint32_t at = t, steps = 0;
		bool ring = in_ring(t, wants, holders), into_ring = ring;

		while (!into_ring && next_of(at, wants, holders) != NOBODY) {
			at = next_of(at, wants, holders);
			steps++;
			into_ring = in_ring(at, wants, holders);
		}
		wrong += (node->cycle != 0) != ring || node->doomed != into_ring;
		if (!into_ring)
			wrong += node->root != at || node->depth != steps;
		if (ring && next_of(t, wants, holders) != NOBODY)
			wrong += node->cycle != graph->nodes.at[next_of(t, wants, holders)].cycle;
	}
	return wrong;
}

static unsigned
count_waiters(const struct wait_graph *graph)
{
	unsigned count = 0;

	for (size_t l = 0; l < graph->locks.count; l++)
		count += graph->locks.at[l].waiters;
	return count;
}

static void
test_random(struct stack_facts *facts)
{
	struct wait_graph graph = { 0 };
	struct diag_dump dump = { 0 };
	unsigned wrong = 0, uncounted = 0, rings = 0;

	for (unsigned round = 0; round < 20000; round++) {
		unsigned threads = chance(MOST + 1), locks = chance(MOST) + 1, waiting = 0;
		uint32_t wants[MOST], holders[MOST];

		for (unsigned l = 0; l < locks; l++)
			holders[l] = threads == 0 || chance(4) == 0 ? NOBODY : chance(threads);
		for (unsigned t = 0; t < threads; t++) {
			wants[t] = chance(3) == 0 ? NOBODY : chance(locks);
			if (wants[t] != NOBODY && holders[wants[t]] == t)
				holders[wants[t]] = NOBODY;	/* it would not wait for itself */
		}
		dump_make(&dump, threads, wants, locks, holders);
		wait_graph_build(&graph, &dump, facts);
		wrong += wrong_ways(&graph, threads, wants, holders);
		for (unsigned t = 0; t < threads; t++)
			waiting += wants[t] != NOBODY && !graph.nodes.at[t].doomed;
		uncounted += waiting != count_waiters(&graph);
		rings += graph.cycles > 0;
	}
	is_u64(wrong, 0, "20000 dumps of 0 to 12 threads: ways and rings are those of a walk");
	is_u64(uncounted, 0, "... each waiting thread that is not doomed is one lock's waiter");
	ok(rings > 1000, "... and %u of them had rings", rings);
	array_release(&dump.threads);
	array_release(&dump.lines);
	wait_graph_release(&graph);
}

/* A long chain and a long ring end, and take no more stack than a short one. */
static void
test_long(struct stack_facts *facts, unsigned threads, bool ring)
{
	uint32_t *wants = mem_new(threads, sizeof *wants), *holders = mem_new(threads, sizeof *holders);
	struct wait_graph graph = { 0 };
	struct diag_dump dump = { 0 };

	for (unsigned t = 0; t < threads; t++) {
		struct dump_thread thread = { .key = t + 1, .first_line = (uint32_t)dump.lines.count };

		if (t + 1 < threads || ring)
			*array_push(&dump.lines) = (struct dump_line){ STK_RELATION_WAITING_TO_LOCK, 1, 1,
									(t + 1) % threads + 1 };
		*array_push(&dump.lines) = (struct dump_line){ STK_RELATION_LOCKED, 1, 2, t + 1 };
		thread.lines = (uint32_t)dump.lines.count - thread.first_line;
		*array_push(&dump.threads) = thread;
	}
	wait_graph_build(&graph, &dump, facts);
	is_u64(graph.cycles, ring, "%u threads one behind the other: %s", threads, ring ? "a ring" : "no ring");
	is_u64(graph.nodes.at[0].depth, ring ? 0 : threads - 1, "... the first has all others before it");
	free(wants);
	free(holders);
	array_release(&dump.threads);
	array_release(&dump.lines);
	wait_graph_release(&graph);
}

static void
test_contradiction(struct stack_facts *facts)
{
	struct wait_graph graph = { 0 };
	struct diag_dump dump = { 0 };

	for (unsigned t = 0; t < 2; t++) {
		*array_push(&dump.threads) = (struct dump_thread){ .key = t + 1, .first_line = t, .lines = 1 };
		*array_push(&dump.lines) = (struct dump_line){ STK_RELATION_LOCKED, 1, 1, 7 };
	}
	wait_graph_build(&graph, &dump, facts);
	is_u64(graph.contradictions, 1, "a monitor with two holders is a contradiction");
	is_u64(graph.locks.at[0].holder, 0, "... and the first one's");
	array_release(&dump.threads);
	array_release(&dump.lines);
	wait_graph_release(&graph);
}

int
main(void)
{
	struct text_table texts = { 0 };
	struct stack_facts *facts;

	(void)text_table_number(&texts, (struct stk_text){ "app.Lock", 8 });
	stack_facts_open(&facts, &texts, NULL, NULL);
	test_random(facts);
	test_long(facts, 100000, false);
	test_long(facts, 10000, true);
	test_long(facts, 1, false);
	test_long(facts, 2, true);
	test_contradiction(facts);
	stack_facts_close(facts);
	text_table_release(&texts);
	return tap_end();
}
