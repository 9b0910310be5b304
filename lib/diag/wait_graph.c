/* SPDX-License-Identifier: MIT
 * wait_graph: locks by their addresses first, then who wants which, then the way of each thread, once. */
#include "diag/wait_graph.h"

#include "base/bytes.h"
#include "base/text_table.h"

/* --- locks --- */

static uint32_t
lock_new(struct wait_graph *graph, uint64_t address, uint32_t class)
{
	*array_push(&graph->locks) = (struct wait_lock){ .address = address, .class = class, .holder = NOBODY };
	return (uint32_t)graph->locks.count - 1;
}

static uint32_t
lock_find(const struct wait_graph *graph, uint64_t address)
{
	uint64_t hash = hash_pair(address, 0);
	uint32_t at = hash_map_start(&graph->by_address, hash), number;

	while ((number = hash_map_next(&graph->by_address, hash, &at)) != 0)
		if (graph->locks.at[number - 1].address == address)
			return number - 1;
	return NOBODY;
}

/* Locks without an address are a lock for each thread: what is not known to be the same is not called so. */
static uint32_t
lock_at(struct wait_graph *graph, uint64_t address, uint32_t class)
{
	uint32_t lock = address == 0 ? NOBODY : lock_find(graph, address);

	if (lock != NOBODY)
		return lock;
	lock = lock_new(graph, address, class);
	if (address != 0)
		hash_map_put(&graph->by_address, hash_pair(address, 0), lock + 1);
	return lock;
}

/* Whether a thread waits on, or to get back, what it locked further below in its stack. */
static bool
gave_up(const struct dump_line *lines, uint32_t count, uint64_t address)
{
	for (uint32_t i = 0; i < count; i++)
		if (lines[i].address == address && (lines[i].relation == STK_RELATION_WAITING_ON ||
						    lines[i].relation == STK_RELATION_WAITING_TO_RELOCK ||
						    lines[i].relation == STK_RELATION_WAITING_TO_LOCK))
			return true;
	return false;
}

/* A line that is below `depth` frames belongs to the next frame above: the one that locked. */
static uint32_t
function_at(const struct stack_facts *facts, const struct dump_thread *thread, uint32_t depth)
{
	return stack_fact_place(facts, thread->stack, depth > 0 ? depth - 1 : 0);
}

static void
hold(struct wait_graph *graph, const struct dump_line *line, uint32_t thread, uint32_t function)
{
	uint32_t lock = lock_at(graph, line->address, line->class);
	struct wait_lock *held = &graph->locks.at[lock];

	if (held->holder != NOBODY && held->holder != thread) {
		graph->contradictions++;
		return;
	}
	/* the outermost line of a monitor that was locked several times is the one that got it */
	held->holder = thread;
	held->held_at = function;
}

static void
find_holders(struct wait_graph *graph, const struct diag_dump *dump, const struct stack_facts *facts)
{
	for (uint32_t t = 0; t < dump->threads.count; t++) {
		const struct dump_thread *thread = &dump->threads.at[t];
		const struct dump_line *lines = dump_lines(dump, thread);

		for (uint32_t i = 0; i < thread->lines; i++) {
			if (lines[i].address == 0)
				continue;
			if (lines[i].relation == STK_RELATION_OWNS)
				hold(graph, &lines[i], t, stack_fact_place(facts, thread->stack, 0));
			else if (lines[i].relation == STK_RELATION_LOCKED &&
				 !gave_up(lines, thread->lines, lines[i].address))
				hold(graph, &lines[i], t, function_at(facts, thread, lines[i].depth));
		}
	}
}

/* The threads of a dump by their names: places from 1. */
static struct hash_map
threads_by_name(const struct diag_dump *dump)
{
	struct hash_map map = { 0 };

	for (uint32_t t = (uint32_t)dump->threads.count; t-- > 0; )
		hash_map_put(&map, hash_pair(dump->threads.at[t].name, 0), t + 1);
	return map;
}

static uint32_t
thread_of_name(const struct diag_dump *dump, const struct hash_map *map, uint32_t name)
{
	uint64_t hash = hash_pair(name, 0);
	uint32_t at = hash_map_start(map, hash), place, found = NOBODY;

	while ((place = hash_map_next(map, hash, &at)) != 0)
		if (dump->threads.at[place - 1].name == name && place - 1 < found)
			found = place - 1;
	return found;
}

/* What the VM found itself: a dump without the owners of synchronizers has them there. */
static void
take_told(struct wait_graph *graph, const struct diag_dump *dump)
{
	struct hash_map map = { 0 };

	if (dump->told.count > 0)
		map = threads_by_name(dump);
	for (size_t i = 0; i < dump->told.count; i++) {
		const struct told_wait *told = &dump->told.at[i];
		uint32_t lock = told->address == 0 ? NOBODY : lock_at(graph, told->address, told->class);

		if (lock != NOBODY && graph->locks.at[lock].holder == NOBODY)
			graph->locks.at[lock].holder = thread_of_name(dump, &map, told->owner);
	}
	hash_map_release(&map);
}

/* Whether a line says that its thread cannot go on without the lock. Parking is so only for what somebody owns, or what
 * its stack shows to be a lock: threads also park for conditions. */
static bool
is_wanted(const struct wait_graph *graph, const struct stack_fact *fact, const struct dump_line *line,
	  struct stk_text class)
{
	switch (line->relation) {
	case STK_RELATION_WAITING_TO_LOCK:
	case STK_RELATION_WAITING_TO_RELOCK: return true;
	case STK_RELATION_WAITING_ON:        return text_starts(class, "the Class initialization monitor");
	case STK_RELATION_PARKING:
		return (line->address != 0 && lock_find(graph, line->address) != NOBODY &&
			graph->locks.at[lock_find(graph, line->address)].holder != NOBODY) ||
			fact->waits == WAIT_LOCK;
	default: return false;
	}
}

/* --- ways --- */

/* Follows the holders from a thread until one whose way is known, one that waits for nobody, or one that is on this
 * way. */
static void
follow(struct wait_graph *graph, uint32_t thread, uint32_t *state, uint32_t turn)
{
	uint32_t at = thread, next;

	graph->path.count = 0;
	while (state[at] == 0) {
		state[at] = turn;
		*array_push(&graph->path) = at;
		next = wait_graph_holder(graph, at);
		if (next == NOBODY || next == at)
			break;
		at = next;
	}
	if (state[at] == turn && wait_graph_holder(graph, at) != NOBODY && wait_graph_holder(graph, at) != at) {
		uint32_t number = ++graph->cycles, in = at;

		do {
			graph->nodes.at[in].cycle = number;
			graph->nodes.at[in].doomed = true;
			graph->nodes.at[in].root = at;
			in = wait_graph_holder(graph, in);
		} while (in != at);
	}
	while (graph->path.count > 0) {
		uint32_t on = graph->path.at[--graph->path.count];
		struct wait_node *node = &graph->nodes.at[on];

		next = wait_graph_holder(graph, on);
		if (node->cycle != 0 || next == NOBODY || next == on)
			continue;
		node->root = graph->nodes.at[next].root;
		if (graph->nodes.at[next].ends_at != NOBODY)
			node->ends_at = graph->nodes.at[next].ends_at;
		node->depth = graph->nodes.at[next].depth + 1;
		node->doomed = graph->nodes.at[next].doomed;
	}
}

static void
find_ways(struct wait_graph *graph)
{
	uint32_t *state = mem_new(graph->nodes.count + 1, sizeof *state);

	for (uint32_t t = 0; t < graph->nodes.count; t++)
		if (state[t] == 0)
			follow(graph, t, state, t + 1);
	free(state);
	for (uint32_t t = 0; t < graph->nodes.count; t++)
		if (wait_graph_holder(graph, t) != NOBODY)
			graph->nodes.at[wait_graph_holder(graph, t)].keeps = true;
	for (uint32_t t = 0; t < graph->nodes.count; t++)
		if (graph->nodes.at[t].ends_at != NOBODY && !graph->nodes.at[t].doomed)
			graph->locks.at[graph->nodes.at[t].ends_at].waiters++;
}

static void
find_wants(struct wait_graph *graph, const struct diag_dump *dump, const struct stack_facts *facts)
{
	for (uint32_t t = 0; t < dump->threads.count; t++) {
		const struct dump_thread *thread = &dump->threads.at[t];
		const struct dump_line *lines = dump_lines(dump, thread);

		*array_push(&graph->nodes) = (struct wait_node){ .wants = NOBODY, .root = t, .ends_at = NOBODY };
		for (uint32_t i = 0; i < thread->lines; i++) {
			struct stk_text class = stack_facts_text(facts, lines[i].class);
			uint32_t lock;

			if (!is_wanted(graph, stack_fact(facts, thread->stack), &lines[i], class))
				continue;
			lock = lock_at(graph, lines[i].address, lines[i].class);
			graph->nodes.at[t].wants = graph->nodes.at[t].ends_at = lock;
			graph->nodes.at[t].wanted_at = function_at(facts, thread, lines[i].depth);
			break;
		}
	}
}

void
wait_graph_build(struct wait_graph *graph, const struct diag_dump *dump, const struct stack_facts *facts)
{
	graph->locks.count = graph->nodes.count = 0;
	graph->cycles = graph->contradictions = 0;
	hash_map_clear(&graph->by_address);
	find_holders(graph, dump, facts);
	take_told(graph, dump);
	find_wants(graph, dump, facts);
	find_ways(graph);
}

void
wait_graph_release(struct wait_graph *graph)
{
	array_release(&graph->locks);
	array_release(&graph->nodes);
	array_release(&graph->path);
	hash_map_release(&graph->by_address);
}
