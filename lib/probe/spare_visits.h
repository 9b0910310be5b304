/* SPDX-License-Identifier: MIT
 * spare_visits: a plan of sub-paths looks r up on every edge and counts every block that is come to. Much of both can
 * be done without. */
#ifndef PROBE_SPARE_VISITS_H
#define PROBE_SPARE_VISITS_H

#include "path/word_plan.h"

/* Blocks with one way in have the numbers of the block before them, so that visits are others. Blocks that are come to
 * only from blocks that lead nowhere else are not counted any more: next_visit says of which visits theirs are. leaves:
 * of each block, whether a call may end in the midst of it, by what it calls: what follows such a block is counted.
 * Other plans are left as they are. */
void spare_visits(struct word_plan *plan, const bool *leaves);

#endif
