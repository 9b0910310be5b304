/* SPDX-License-Identifier: MIT
 * zone_clocks: which clocks the zones of the world had over a span of time. Zones whose clocks were the same all along
 * are one. */
#ifndef TREND_ZONE_CLOCKS_H
#define TREND_ZONE_CLOCKS_H

#include "base/time_text.h"

#define ZONE_NAME_MOST 64

struct offset_change {
	int64_t at_s;
	int offset_s;
};

struct offset_changes {
	struct offset_change *at;
	size_t count, room;
};

struct zone_clock {
	char name[ZONE_NAME_MOST]; /* of the zones that had it the best known, or the first */
	struct time_zone *zone;
	unsigned zones; /* how many had it */
	struct offset_changes changes; /* the first: what it was at the beginning */
};

struct zone_clocks {
	struct zone_clock *at;
	size_t count, room;
	bool listed;	  /* false: the machine has no list of zones, and none is here */
	unsigned missing; /* zones of the list that could not be read */
};

/* Of a span of not more than some decades. */
void zone_clocks_open(struct zone_clocks *out, int64_t from_ns, int64_t to_ns);
void zone_clocks_close(struct zone_clocks *clocks);
/* Whether it showed this many seconds from UTC, or less at one time and more at another. */
bool zone_clock_covers(const struct zone_clock *clock, int offset_s);

#endif
