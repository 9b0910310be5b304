/* SPDX-License-Identifier: MIT
 * source_clocks: which clocks the sources of the input have, and their zone. */
#ifndef STKPLOT_SOURCE_CLOCKS_H
#define STKPLOT_SOURCE_CLOCKS_H

#include "model/model.h"

struct source_clocks {			/* zeroed: no sources yet */
	bool monotonic, wall;		/* some source has such a clock */
	bool zones_differ;
	char zone[100];			/* of the sources, when all have one; else "" */
};

void source_clocks_add_zone(struct source_clocks *clocks, struct stk_text zone);
/* The sources of a stream that has no more definitions. */
void source_clocks_add(struct source_clocks *clocks, struct model *model);

/* Whether all times count from an unknown start. */
static inline bool
source_clocks_are_monotonic(const struct source_clocks *clocks)
{
	return clocks->monotonic && !clocks->wall;
}

#endif
