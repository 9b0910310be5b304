/* SPDX-License-Identifier: MIT
 * holder_panels: what holds a metric such as the heap, as stktrend --against wrote it: its base and leak, and above it
 * what each class of threads held, hour by hour. */
#ifndef PLOT_HOLDER_PANELS_H
#define PLOT_HOLDER_PANELS_H

#include "base/text_table.h"
#include "plot/chart.h"

struct held_value { int64_t time_ns; double value; };

struct holder {
	uint64_t id;
	struct stk_text against, part, name, what;
	double per_thread, low, high, held, share;
	ARRAY(struct held_value) values;
};

struct holder_panels {			/* a zeroed one is empty */
	ARRAY(struct holder) list;
	struct text_table texts;
	size_t first;			/* of the present stream */
};

void holder_panels_release(struct holder_panels *panels);
void holder_panels_turn(struct holder_panels *panels);	/* a stream begins: ids are new ones */
void holder_panels_take(struct holder_panels *panels, const struct stk_holder *row);
void holder_panels_take_held(struct holder_panels *panels, const struct stk_held *row);

/* The label of a class, frames with a separator as leaf_labels takes it. */
typedef struct stk_text holder_label(void *context, struct stk_text class_name);

/* Adds the panel of a metric, if anything was written of it; the chart has its axis. */
void holder_panels_add(const struct holder_panels *panels, struct chart *chart, struct stk_text against,
		       struct stk_text part, holder_label *label, void *context);

#endif
