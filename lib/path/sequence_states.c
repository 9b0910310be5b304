/* SPDX-License-Identifier: MIT
 * sequence_states: sets are bits, and found by their hash. */
#include "path/sequence_states.h"

#include "base/hash_map.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Events that differ for a sequence: at most as many as it has names, and as many again for blocks that have two. */
#define EVENTS_MOST 256u
#define UNKNOWN     UINT32_MAX

struct sequence_states {
	const struct call_sequence *of;
	size_t words;				/* of a set: its places, and last whether it was found */
	ARRAY(uint64_t) sets;
	ARRAY(struct sequence_state) list;
	ARRAY(uint32_t) next;			/* EVENTS_MOST of each */
	ARRAY(uint64_t) events;			/* their names */
	struct hash_map by_set;
	uint64_t *scratch;
	bool failed;
};

static void
set_place(uint64_t *set, size_t place)
{
	set[place / 64] |= UINT64_C(1) << place % 64;
}

static bool
has_place(const uint64_t *set, size_t place)
{
	return (set[place / 64] >> place % 64 & 1) != 0;
}

/* A gap may be empty. */
static void
come_to(const struct sequence_states *s, uint64_t *set, size_t place)
{
	set_place(set, place);
	if (place < s->of->items.count && s->of->items.at[place].name == 0)
		set_place(set, place + 1);
}

/* The state of the set in scratch. */
static uint32_t
state_of_scratch(struct sequence_states *s, bool complete)
{
	size_t last = s->of->items.count, bytes = s->words * sizeof *s->scratch;
	uint64_t hash = XXH3_64bits(s->scratch, bytes);
	uint32_t at = hash_map_start(&s->by_set, hash), id;
	bool empty = true;

	while ((id = hash_map_next(&s->by_set, hash, &at)) != 0)
		if (memcmp(s->sets.at + (id - 1) * s->words, s->scratch, bytes) == 0)
			return id - 1;
	if ((s->list.count + 1) * (bytes + EVENTS_MOST * sizeof *s->next.at) > SEQUENCE_STATE_BYTES_MOST) {
		s->failed = true;
		return SEQUENCE_START;
	}
	array_reserve(&s->sets, s->words);
	memcpy(s->sets.at + s->sets.count, s->scratch, bytes);
	s->sets.count += s->words;
	for (size_t i = 0; i + 1 < s->words; i++)
		empty &= s->scratch[i] == 0;
	*array_push(&s->list) = (struct sequence_state){
		.complete = complete, .found = s->scratch[s->words - 1] != 0,
		.may_end = s->of->to_end && has_place(s->scratch, last - 1), .dead = empty
	};
	array_reserve(&s->next, EVENTS_MOST);
	memset(s->next.at + s->next.count, 0xff, EVENTS_MOST * sizeof *s->next.at);
	s->next.count += EVENTS_MOST;
	hash_map_put(&s->by_set, hash, (uint32_t)s->list.count);
	return (uint32_t)s->list.count - 1;
}

void
sequence_states_open(struct sequence_states **out, const struct call_sequence *sequence)
{
	struct sequence_states *s = mem_new(1, sizeof *s);

	s->of = sequence;
	s->words = sequence->items.count / 64 + 2;
	s->scratch = mem_new(s->words, sizeof *s->scratch);
	set_place(s->scratch, 0);
	(void)state_of_scratch(s, false);
	*out = s;
}

void
sequence_states_close(struct sequence_states *s)
{
	if (s == NULL)
		return;
	array_release(&s->sets);
	array_release(&s->list);
	array_release(&s->next);
	array_release(&s->events);
	hash_map_release(&s->by_set);
	free(s->scratch);
	free(s);
}

unsigned
sequence_states_event(struct sequence_states *s, uint64_t names)
{
	for (size_t i = 0; i < s->events.count; i++)
		if (s->events.at[i] == names)
			return (unsigned)i;
	assert(s->events.count < EVENTS_MOST);
	*array_push(&s->events) = names;
	return (unsigned)s->events.count - 1;
}

static uint32_t
make_next(struct sequence_states *s, uint32_t state, uint64_t names)
{
	const struct call_sequence *of = s->of;
	const uint64_t *set = s->sets.at + state * s->words;
	bool complete;

	memset(s->scratch, 0, s->words * sizeof *s->scratch);
	for (size_t place = 0; place < of->items.count; place++) {
		const struct sequence_item *item = &of->items.at[place];

		if (!has_place(set, place))
			continue;
		if (item->name == 0 && (names & item->without) == 0)
			come_to(s, s->scratch, place);
		else if ((names & item->name) != 0)
			come_to(s, s->scratch, place + 1);
	}
	complete = !of->to_end && has_place(s->scratch, of->items.count);
	/* whether it is complete is part of the state, because the end is a place; nothing leads on from there */
	s->scratch[s->words - 1] = set[s->words - 1] != 0 || complete;
	return state_of_scratch(s, complete);
}

uint32_t
sequence_states_next(struct sequence_states *s, uint32_t state, unsigned event)
{
	uint32_t next = s->next.at[(size_t)state * EVENTS_MOST + event];

	if (next == UNKNOWN) {
		next = make_next(s, state, s->events.at[event]);
		s->next.at[(size_t)state * EVENTS_MOST + event] = next;
	}
	return next;
}

const struct sequence_state *
sequence_states_at(const struct sequence_states *s, uint32_t state)
{
	return &s->list.at[state];
}

uint32_t
sequence_states_count(const struct sequence_states *s)
{
	return (uint32_t)s->list.count;
}

bool
sequence_states_failed(const struct sequence_states *s)
{
	return s->failed;
}
