/* SPDX-License-Identifier: MIT
 * spare_visits: a plan of sub-paths looks r up on every edge and counts every block that is reached. Much of both is
 * not needed. */
#ifndef PROBE_SPARE_VISITS_H
#define PROBE_SPARE_VISITS_H

#include "path/word_plan.h"

/* Blocks with one way in have the numbers of the block before them, so that visits are others. Blocks that are reached
 * only from blocks that lead nowhere else are no longer counted: next_visit says which visits include theirs. leaves:
 * of each block, whether a call may end in the middle of it, because of what it calls: what follows such a block is
 * counted. Other plans are not changed. */
void spare_visits(struct word_plan *plan, const bool *leaves);

#endif
