/* SPDX-License-Identifier: MIT
 * sequence_counts: for each thread a stack of calls, and groups of calls that are in the same state. Groups that come
 * to the same state become one: the smaller tree of groups hangs below the larger. */
#include "path/sequence_counts.h"

#include "base/bytes.h"
#include "base/hash_map.h"
#include "path/sequence_states.h"

#include <stdlib.h>
#include <string.h>

#define UNSEEN UINT16_MAX

/* A function that a sequence names. */
struct named {
	struct text_table blocks;
	ARRAY(uint16_t) events;		/* for begin, end and each block, of each sequence; UNSEEN: not seen by it */
	bool known;			/* there were calls of it, or its graph */
	bool has_graph;
};

/* Calls of a sequence's root that are in the same state: those that refer to it, and to groups below it. */
struct group {
	uint32_t state, above, users, depth, sequence;	/* above 0: none. users: calls and groups that refer to it */
	uint64_t calls;
};

struct followed { uint32_t sequence, group; };

struct open_call {
	uint64_t number;
	uint32_t function;
	size_t followed;		/* how many the calls below it have */
};

struct thread {
	uint64_t process, number;
	ARRAY(struct open_call) calls;
	ARRAY(struct followed) followed;
	struct live { ARRAY(uint32_t) groups; } *live;	/* of each sequence: those that are none's, and not dead */
};

struct process { uint64_t number, last_call; };

struct sequence_counts {
	const struct call_sequences *of;
	size_t count;			/* of sequences */
	struct sequence_states **states;
	struct sequence_count *counts;
	uint64_t *known;		/* of each sequence, the names that were seen */
	struct named *named;		/* of each function, from 1 */
	ARRAY(struct thread) threads;
	struct hash_map by_thread;
	ARRAY(struct process) processes;
	struct hash_map by_process;
	ARRAY(struct group) groups;	/* group n is groups.at[n - 1] */
	ARRAY(uint32_t) free_groups;
	ARRAY(uint32_t) group_in;	/* of each state, while groups are joined */
	size_t open_calls;
};

/* --- opening and closing --- */

void
sequence_counts_open(struct sequence_counts **out, const struct call_sequences *sequences)
{
	struct sequence_counts *c = mem_new(1, sizeof *c);

	c->of = sequences;
	c->count = sequences->list.count;
	c->states = mem_new(c->count + 1, sizeof *c->states);
	c->counts = mem_new(c->count + 1, sizeof *c->counts);
	c->known = mem_new(c->count + 1, sizeof *c->known);
	c->named = mem_new(sequences->functions.texts.count + 1, sizeof *c->named);
	for (size_t s = 0; s < c->count; s++)
		sequence_states_open(&c->states[s], &sequences->list.at[s]);
	*out = c;
}

void
sequence_counts_close(struct sequence_counts *c)
{
	if (c == NULL)
		return;
	for (size_t s = 0; s < c->count; s++)
		sequence_states_close(c->states[s]);
	for (size_t f = 0; f <= c->of->functions.texts.count; f++) {
		text_table_release(&c->named[f].blocks);
		array_release(&c->named[f].events);
	}
	for (size_t t = 0; t < c->threads.count; t++) {
		for (size_t s = 0; s < c->count; s++)
			array_release(&c->threads.at[t].live[s].groups);
		free(c->threads.at[t].live);
		array_release(&c->threads.at[t].calls);
		array_release(&c->threads.at[t].followed);
	}
	array_release(&c->threads);
	array_release(&c->processes);
	array_release(&c->groups);
	array_release(&c->free_groups);
	array_release(&c->group_in);
	hash_map_release(&c->by_thread);
	hash_map_release(&c->by_process);
	free(c->states);
	free(c->counts);
	free(c->known);
	free(c->named);
	free(c);
}

/* --- groups --- */

static struct group *
group_at(struct sequence_counts *c, uint32_t group)
{
	return &c->groups.at[group - 1];
}

static uint32_t
top_group(struct sequence_counts *c, uint32_t group)
{
	while (group_at(c, group)->above != 0)
		group = group_at(c, group)->above;
	return group;
}

/* A group of one call. */
static uint32_t
new_group(struct sequence_counts *c, uint32_t sequence, uint32_t state)
{
	uint32_t group;

	if (c->free_groups.count > 0) {
		group = c->free_groups.at[--c->free_groups.count];
	} else {
		(void)array_push(&c->groups);
		group = (uint32_t)c->groups.count;
	}
	*group_at(c, group) = (struct group){ .state = state, .sequence = sequence, .users = 1, .calls = 1 };
	return group;
}

/* Returns the one above the other. */
static uint32_t
join_groups(struct sequence_counts *c, uint32_t a, uint32_t b)
{
	uint32_t above = group_at(c, a)->depth >= group_at(c, b)->depth ? a : b, below = above == a ? b : a;

	if (group_at(c, above)->depth == group_at(c, below)->depth)
		group_at(c, above)->depth++;
	group_at(c, below)->above = above;
	group_at(c, above)->users++;
	group_at(c, above)->calls += group_at(c, below)->calls;
	return above;
}

static void
forget_live(struct thread *thread, uint32_t sequence, uint32_t group)
{
	struct live *live = &thread->live[sequence];

	for (size_t i = live->groups.count; i-- > 0; )
		if (live->groups.at[i] == group)
			live->groups.at[i] = live->groups.at[--live->groups.count];
}

/* A call that referred to it is over. */
static void
leave_group(struct sequence_counts *c, struct thread *thread, uint32_t group)
{
	group_at(c, top_group(c, group))->calls--;
	while (group != 0 && --group_at(c, group)->users == 0) {
		uint32_t above = group_at(c, group)->above;

		if (above == 0)
			forget_live(thread, group_at(c, group)->sequence, group);
		*array_push(&c->free_groups) = group;
		group = above;
	}
}

/* --- events --- */

/* Those of a place of a function, in all sequences. block: from 1, of SEQUENCE_BLOCK. */
static const uint16_t *
events_of(struct sequence_counts *c, uint32_t function, enum sequence_place place, struct stk_text block)
{
	struct named *f = &c->named[function];
	size_t known, row = 0;

	if (f->events.count == 0)
		array_lengthen(&f->events, 2 * c->count);
	known = f->blocks.texts.count;
	row = place == SEQUENCE_BEGINS ? 0 : place == SEQUENCE_ENDS ? 1 : 1 + text_table_number(&f->blocks, block);
	array_lengthen(&f->events, (2 + f->blocks.texts.count) * c->count);
	for (size_t s = 0; s < c->count && (!f->known || f->blocks.texts.count > known); s++) {
		const struct call_sequence *of = &c->of->list.at[s];
		uint64_t names;

		for (unsigned end = 0; end < 2 && !f->known; end++)
			f->events.at[end * c->count + s] =
				call_sequence_sees(of, function, end ? SEQUENCE_ENDS : SEQUENCE_BEGINS,
						   text_of("", 0), &names)
					? (uint16_t)sequence_states_event(c->states[s], names) : UNSEEN;
		if (f->blocks.texts.count > known) {
			bool sees = call_sequence_sees(of, function, SEQUENCE_BLOCK, block, &names);

			f->events.at[row * c->count + s] =
				sees ? (uint16_t)sequence_states_event(c->states[s], names) : UNSEEN;
			c->known[s] |= names;
		}
	}
	f->known = true;
	return &f->events.at[row * c->count];
}

/* Groups that came to the same state become one; dead ones are followed no more. */
static void
join_live(struct sequence_counts *c, uint32_t sequence, struct live *live)
{
	const struct sequence_states *states = c->states[sequence];
	size_t kept = 0;

	array_lengthen(&c->group_in, sequence_states_count(states));
	for (size_t i = 0; i < live->groups.count; i++) {
		uint32_t group = live->groups.at[i], state = group_at(c, group)->state, *in = &c->group_in.at[state];

		if (sequence_states_at(states, state)->dead)
			continue;
		if (*in != 0) {
			live->groups.at[*in - 1] = join_groups(c, live->groups.at[*in - 1], group);
			continue;
		}
		live->groups.at[kept++] = group;
		*in = (uint32_t)kept;
	}
	live->groups.count = kept;
	for (size_t i = 0; i < kept; i++)
		c->group_in.at[group_at(c, live->groups.at[i])->state] = 0;
}

static void
count_arrival(struct sequence_counts *c, uint32_t sequence, uint32_t before, uint32_t state, uint64_t calls)
{
	const struct sequence_state *now = sequence_states_at(c->states[sequence], state);

	if (!now->complete)
		return;
	c->counts[sequence].times += calls;
	if (!sequence_states_at(c->states[sequence], before)->found)
		c->counts[sequence].on += calls;
}

static void
feed_live(struct sequence_counts *c, uint32_t sequence, struct live *live, unsigned event)
{
	bool moved = false;

	for (size_t i = 0; i < live->groups.count; i++) {
		struct group *group = group_at(c, live->groups.at[i]);
		uint32_t next = sequence_states_next(c->states[sequence], group->state, event);

		count_arrival(c, sequence, group->state, next, group->calls);
		moved |= next != group->state;
		group->state = next;
	}
	if (moved)
		join_live(c, sequence, live);
}

static void
feed(struct sequence_counts *c, struct thread *thread, const uint16_t *events)
{
	for (size_t s = 0; s < c->count; s++)
		if (events[s] != UNSEEN && thread->live[s].groups.count > 0)
			feed_live(c, (uint32_t)s, &thread->live[s], events[s]);
}

/* Sequences that begin with this function are looked for from here on. */
static void
follow(struct sequence_counts *c, struct thread *thread, uint32_t function, const uint16_t *events)
{
	for (uint32_t s = 0; s < c->count; s++) {
		uint32_t state;

		if (c->of->list.at[s].root != function)
			continue;
		state = sequence_states_next(c->states[s], SEQUENCE_START, events[s]);
		c->counts[s].calls++;
		count_arrival(c, s, SEQUENCE_START, state, 1);
		*array_push(&thread->followed) = (struct followed){ s, new_group(c, s, state) };
		*array_push(&thread->live[s].groups) = thread->followed.at[thread->followed.count - 1].group;
		join_live(c, s, &thread->live[s]);
	}
}

/* --- calls --- */

/* The innermost call is over. ended: it came to its end. */
static void
end_call(struct sequence_counts *c, struct thread *thread, bool ended)
{
	const struct open_call call = thread->calls.at[--thread->calls.count];

	c->open_calls--;
	if (ended && call.function != 0)
		feed(c, thread, events_of(c, call.function, SEQUENCE_ENDS, text_of("", 0)));
	while (thread->followed.count > call.followed) {
		const struct followed *f = &thread->followed.at[--thread->followed.count];
		const struct group *group = group_at(c, top_group(c, f->group));

		if (!ended) {
			c->counts[f->sequence].unfinished++;
		} else if (sequence_states_at(c->states[f->sequence], group->state)->may_end) {
			c->counts[f->sequence].on++;
			c->counts[f->sequence].times++;
		}
		leave_group(c, thread, f->group);
	}
}

static void
break_thread(struct sequence_counts *c, struct thread *thread)
{
	while (thread->calls.count > 0)
		end_call(c, thread, false);
}

void
sequence_counts_break(struct sequence_counts *c)
{
	for (size_t t = 0; t < c->threads.count; t++)
		break_thread(c, &c->threads.at[t]);
}

static struct thread *
thread_of(struct sequence_counts *c, const struct sequence_call *call)
{
	uint64_t hash = hash_pair(call->process, call->thread);
	uint32_t at = hash_map_start(&c->by_thread, hash), id;
	struct thread *thread;

	while ((id = hash_map_next(&c->by_thread, hash, &at)) != 0)
		if (c->threads.at[id - 1].process == call->process && c->threads.at[id - 1].number == call->thread)
			return &c->threads.at[id - 1];
	thread = array_push(&c->threads);
	*thread = (struct thread){ .process = call->process, .number = call->thread };
	thread->live = mem_new(c->count + 1, sizeof *thread->live);
	hash_map_put(&c->by_thread, hash, (uint32_t)c->threads.count);
	return thread;
}

/* Numbers of calls grow, so that one that does not is of another process with the same number, a later run. */
static void
note_process(struct sequence_counts *c, const struct sequence_call *call)
{
	uint64_t hash = hash_pair(call->process, 0);
	uint32_t at = hash_map_start(&c->by_process, hash), id;

	while ((id = hash_map_next(&c->by_process, hash, &at)) != 0) {
		struct process *process = &c->processes.at[id - 1];

		if (process->number != call->process)
			continue;
		for (size_t t = 0; t < c->threads.count && call->number <= process->last_call; t++)
			if (c->threads.at[t].process == call->process)
				break_thread(c, &c->threads.at[t]);
		process->last_call = call->number;
		return;
	}
	*array_push(&c->processes) = (struct process){ call->process, call->number };
	hash_map_put(&c->by_process, hash, (uint32_t)c->processes.count);
}

int
sequence_counts_begin(struct sequence_counts *c, const struct sequence_call *call)
{
	struct thread *thread;
	const uint16_t *events;
	struct open_call open = { .number = call->number,
				  .function = text_table_find(&c->of->functions, call->function) };

	note_process(c, call);
	if (c->open_calls >= SEQUENCE_CALLS_MOST)
		return -1;
	thread = thread_of(c, call);
	open.followed = thread->followed.count;
	*array_push(&thread->calls) = open;
	c->open_calls++;
	if (open.function == 0)
		return 0;
	events = events_of(c, open.function, SEQUENCE_BEGINS, text_of("", 0));
	feed(c, thread, events);
	follow(c, thread, open.function, events);
	return 0;
}

/* Makes the call the innermost one, and returns it. NULL: its beginning is not known. */
static struct open_call *
turn_to(struct sequence_counts *c, struct thread *thread, uint64_t number)
{
	size_t at = thread->calls.count;

	while (at > 0 && thread->calls.at[at - 1].number > number)
		at--;
	if (at == 0 || thread->calls.at[at - 1].number != number)
		return NULL;
	while (thread->calls.count > at)
		end_call(c, thread, false);
	return &thread->calls.at[at - 1];
}

int
sequence_counts_block(struct sequence_counts *c, const struct sequence_call *call, struct stk_text block)
{
	struct thread *thread = thread_of(c, call);
	const struct open_call *open = turn_to(c, thread, call->number);

	if (open == NULL)
		return -1;
	if (open->function != 0)
		feed(c, thread, events_of(c, open->function, SEQUENCE_BLOCK, block));
	return 0;
}

int
sequence_counts_end(struct sequence_counts *c, const struct sequence_call *call)
{
	struct thread *thread = thread_of(c, call);

	if (turn_to(c, thread, call->number) == NULL)
		return -1;
	end_call(c, thread, true);
	return 0;
}

/* --- results --- */

void
sequence_counts_graph(struct sequence_counts *c, struct stk_text function, struct stk_text block)
{
	uint32_t number = text_table_find(&c->of->functions, function);

	if (number == 0)
		return;
	(void)events_of(c, number, SEQUENCE_BLOCK, block);
	c->named[number].has_graph = true;
}

const struct sequence_name *
sequence_counts_unknown(const struct sequence_counts *c, size_t sequence, size_t *at)
{
	const struct call_sequence *of = &c->of->list.at[sequence];

	for (; *at < of->names.count; ++*at) {
		const struct sequence_name *name = &of->names.at[*at];
		const struct named *f = &c->named[name->function];
		bool lacks = f->has_graph && name->place == SEQUENCE_BLOCK && (c->known[sequence] >> *at & 1) == 0;

		if (f->known && !lacks)
			continue;
		++*at;
		return name;
	}
	return NULL;
}

struct sequence_count
sequence_counts_of(const struct sequence_counts *c, size_t sequence)
{
	return c->counts[sequence];
}

int
sequence_counts_check(const struct sequence_counts *c, struct stk_error *err)
{
	for (size_t s = 0; s < c->count; s++)
		if (sequence_states_failed(c->states[s]))
			return stk_fail(err, STK_EUSAGE,
					"the sequence of line %u needs more than 256 MB of states: use fewer gaps",
					c->of->list.at[s].line);
	return 0;
}
