/* SPDX-License-Identifier: MIT
 * class_states: in which states the threads of each class were. */
#include "classify/class_states.h"

#include <string.h>

void
class_states_release(struct class_states *s)
{
	array_release(&s->counted);
	array_release(&s->noted);
	array_release(&s->places);
}

void
class_states_expect(struct class_states *s, uint32_t last)
{
	array_lengthen(&s->noted, (last + 1u) * (size_t)STATES_COUNT);
}

void
class_states_settle(struct class_states *s, bool counted)
{
	array_lengthen(&s->counted, s->noted.count);
	for (size_t i = 0; i < s->places.count; i++) {
		size_t place = s->places.at[i];

		if (counted)
			s->counted.at[place] += s->noted.at[place];
		s->noted.at[place] = 0;
	}
	s->places.count = 0;
}

const uint64_t *
class_states_of(const struct class_states *s, uint32_t class)
{
	return (class + 1u) * (size_t)STATES_COUNT <= s->counted.count ? &s->counted.at[class * (size_t)STATES_COUNT]
								       : NULL;
}

void
class_states_restore(struct class_states *s, uint32_t class, const uint64_t is[STATES_COUNT])
{
	array_lengthen(&s->counted, (class + 1u) * (size_t)STATES_COUNT);
	memcpy(&s->counted.at[class * (size_t)STATES_COUNT], is, STATES_COUNT * sizeof *is);
}
