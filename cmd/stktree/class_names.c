/* SPDX-License-Identifier: MIT
 * class_names: classes by their frames. */
#include "class_names.h"

#include "base/memory.h"
#include "report/leaf_labels.h"

#include <stdlib.h>

#define LABEL_FRAMES 4		/* shown, where these tell a class from the others */

void
class_names(struct recording *const *recordings, size_t recordings_count, struct stk_text *names, size_t count,
	    bool shortened, struct text_buffer *room)
{
	for (size_t i = 0; i < count; i++) {
		struct stk_text frames = text_of("", 0);

		for (size_t r = 0; r < recordings_count && frames.size == 0; r++)
			frames = recording_class(recordings[r], names[i]);
		if (frames.size > 0)
			names[i] = frames;
	}
	if (shortened)
		leaf_labels(names, count, LABEL_FRAMES, room);
}
