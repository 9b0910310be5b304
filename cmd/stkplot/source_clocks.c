/* SPDX-License-Identifier: MIT
 * source_clocks: the zone is that of the first source, until another one differs. */
#include "source_clocks.h"

#include "base/bytes.h"

#include <stdio.h>

void
source_clocks_add_zone(struct source_clocks *c, struct stk_text zone)
{
	if (zone.size == 0 || zone.size >= sizeof c->zone || c->zones_differ)
		return;
	c->zones_differ = c->zone[0] != '\0' && !text_is(zone, c->zone);
	(void)snprintf(c->zone, sizeof c->zone, "%.*s", c->zones_differ ? 0 : (int)zone.size, zone.data);
}

void
source_clocks_add(struct source_clocks *c, struct model *model)
{
	for (uint32_t id = 0; (id = model_next(model, STK_SOURCE, id)) != 0; ) {
		struct stk_source source = model_source(model, id);

		c->monotonic |= source.clock == STK_CLOCK_MONOTONIC;
		c->wall |= source.clock == STK_CLOCK_WALL;
		source_clocks_add_zone(c, model_string(model, source.zone));
	}
}
