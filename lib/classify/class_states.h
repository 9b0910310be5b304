/* SPDX-License-Identifier: MIT
 * class_states: in which states the threads of each class were. */
#ifndef CLASSIFY_CLASS_STATES_H
#define CLASSIFY_CLASS_STATES_H

#include "base/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATES_COUNT 9		/* of enum stk_state */

/* A zeroed one is empty. */
struct class_states {
	ARRAY(uint64_t) counted;	/* STATES_COUNT a class */
	/* of the current dump */
	ARRAY(uint64_t) noted;		/* likewise */
	ARRAY(size_t) places;		/* in noted, that are not 0 */
};

void class_states_release(struct class_states *states);

/* There are classes up to this one. */
void class_states_expect(struct class_states *states, uint32_t last);
/* The dump ends: what was noted of it is counted, or dropped. */
void class_states_settle(struct class_states *states, bool counted);

/* STATES_COUNT of them; NULL when none were seen */
const uint64_t *class_states_of(const struct class_states *states, uint32_t class);
void class_states_restore(struct class_states *states, uint32_t class, const uint64_t is[STATES_COUNT]);

/* Threads of a class that is expected are in a state. */
static inline void
class_states_note(struct class_states *s, uint32_t class, uint64_t state, uint64_t times)
{
	size_t place = class * (size_t)STATES_COUNT + (state < STATES_COUNT ? state : 0);

	if (s->noted.at[place] == 0 && times > 0)
		*array_push(&s->places) = place;
	s->noted.at[place] += times;
}

#endif
