/* SPDX-License-Identifier: MIT
 * segment_walk: the segments of a signature, and those below. */
#include "classify/segment_walk.h"

#include <string.h>

void
segment_walk(struct segment_walk *w, const struct segments *segments, const uint32_t *nodes, uint32_t count)
{
	const struct segment *list = segments_list(segments);

	array_lengthen(&w->round, segments_count(segments) + 1u);
	if (++w->rounds == 0) {		/* all numbers were used: start anew */
		memset(w->round.at, 0, w->round.count * sizeof *w->round.at);
		w->rounds = 1;
	}
	w->met.count = w->todo.count = 0;
	for (uint32_t i = count; i-- > 0; )
		*array_push(&w->todo) = nodes[i];
	while (w->todo.count > 0) {
		uint32_t segment = w->todo.at[--w->todo.count];
		const struct segment *is = &list[segment - 1];

		if (w->round.at[segment] == w->rounds)
			continue;
		w->round.at[segment] = w->rounds;
		*array_push(&w->met) = segment;
		if (is->first != 0) {
			*array_push(&w->todo) = is->second;
			*array_push(&w->todo) = is->first;
		}
	}
}

void
segment_walk_release(struct segment_walk *w)
{
	array_release(&w->met);
	array_release(&w->todo);
	array_release(&w->round);
}
