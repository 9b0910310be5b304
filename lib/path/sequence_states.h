/* SPDX-License-Identifier: MIT
 * sequence_states: the automaton of one call sequence. A state is the set of places in the sequence that one call may
 * have come to; states are made when they are first reached. */
#ifndef PATH_SEQUENCE_STATES_H
#define PATH_SEQUENCE_STATES_H

#include "path/call_sequences.h"

/* All states of one sequence together. */
#define SEQUENCE_STATE_BYTES_MOST ((size_t)256 << 20)

struct sequence_states;

struct sequence_state {
	bool complete;			/* the last event completed the sequence, whose end is a name */
	bool found;			/* that was so before, or is now */
	bool may_end;			/* the call's end completes the sequence, whose end is a gap */
	bool dead;			/* nothing can complete it any more */
};

/* The sequence is borrowed. */
void sequence_states_open(struct sequence_states **out, const struct call_sequence *sequence);
void sequence_states_close(struct sequence_states *states);

/* The number of a set of names, from 0: what is passed as an event. */
unsigned sequence_states_event(struct sequence_states *states, uint64_t names);
/* The state after an event; of a call that just began, its beginning is the first event after SEQUENCE_START. */
uint32_t sequence_states_next(struct sequence_states *states, uint32_t state, unsigned event);
const struct sequence_state *sequence_states_at(const struct sequence_states *states, uint32_t state);
uint32_t sequence_states_count(const struct sequence_states *states);
/* States took too much memory: what was counted since is not right. */
bool sequence_states_failed(const struct sequence_states *states);

#define SEQUENCE_START 0u

#endif
