/* SPDX-License-Identifier: MIT
 * counted_event: what the numbers of a picture are of: samples, cycles, ns of cpu-clock. */
#ifndef STKPLOT_COUNTED_EVENT_H
#define STKPLOT_COUNTED_EVENT_H

#include "base/text_buffer.h"
#include "model/model.h"
#include "model/sample_columns.h"

struct counted_event {
	struct text_buffer name;	/* of the first */
	bool met, several;
	uint64_t last;			/* id in the present stream, and 1 more; 0: none yet */
	struct text_buffer unit;
};

void counted_event_release(struct counted_event *event);	/* a zeroed one is empty */
/* A stream begins. */
void counted_event_turn(struct counted_event *event);
/* Of the chosen rows of a block: rows as selection_rows returns them. */
void counted_event_add(struct counted_event *event, const struct model *model, const struct sample_columns *columns,
		       const uint32_t *rows, uint32_t count);
/* What follows a number. plain: each sample counts 1, so that they are samples whatever their event is; so are those
 * without the name of an event. Valid until release; nothing in it needs to be masked. */
const char *counted_event_unit(struct counted_event *event, bool plain);
/* Warns where weights of different units were added up. */
void counted_event_warn(const struct counted_event *event, bool plain);

#endif
