/* SPDX-License-Identifier: MIT
 * part_moments: samples by part of what was recorded (a processor, a source, a host), by group, and by time, as a small
 * panel for each part. Time is cut into moments, which become longer ones when there are too many. */
#ifndef PLOT_PART_MOMENTS_H
#define PLOT_PART_MOMENTS_H

#include "base/pair_sums.h"
#include "base/text_table.h"
#include "plot/chart.h"

#define PARTS_MOST	16u	/* panels */
/* Groups that are none: they keep their name where they have no colour. */
#define NO_GROUP	"(none)"
#define NO_STACK	"(no stack)"	/* of threads whose group, which their name decides, the records do not say */

struct part_of_pair { uint32_t part, group; };

struct part_moments {			/* a zeroed struct has none */
	struct text_table pairs;	/* of a part and a group */
	ARRAY(struct part_of_pair) of_pair;
	struct pair_sums sums;		/* by pair and moment: weight is samples */
	int64_t origin_ns;
	unsigned unit;			/* of moment_units */
	uint32_t first, last;		/* moments with samples */
	uint64_t untimed;
};

void part_moments_release(struct part_moments *moments);
/* A sample; part and group are numbers of texts. */
void part_moments_add(struct part_moments *moments, uint32_t part, uint32_t group, int64_t time_ns);
/* Adds panels to a chart whose first one has the colours of the groups; none to one without panels. */
void part_moments_draw(const struct part_moments *moments, struct chart *chart, const struct text_table *parts,
		       const struct text_table *groups);

#endif
