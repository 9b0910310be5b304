/* SPDX-License-Identifier: MIT
 * heat_parts: the blocks of a heat map's page, within a limit of bytes: names and rows, totals by time, a coarse level
 * over the whole recording, and fine blocks, each of at most 131,072 runs and, in a recording of up to two days, one
 * hour. Where this is too large, cells become longer, and rare stacks become one, HEAT_OTHER, of each function that
 * begins stacks; totals stay exact.
 *
 * Where the fine blocks are kept beside the page, it alone is limited. The level is coarser the longer the recording
 * is; where that of a page has to be coarser still, its finest form is beside it as well: the middle. */
#ifndef PLOT_HEAT_PARTS_H
#define PLOT_HEAT_PARTS_H

#include "plot/heat_cells.h"
#include "plot/heat_rows.h"

#define HEAT_RUNS_MOST 131072

struct heat_part {
	uint32_t first, cells, runs;
	uint64_t sum;
	size_t begin, end;
}; /* bytes begin to end - 1 of `bytes` */

struct heat_part_list {
	struct heat_part *at;
	size_t count, room;
}; /* an array */

/* Where fine counts are: in the page, in a file beside it that is made of `bytes`, or in the recording itself, of which
 * the page makes them: then there are no fine blocks here, and the level is in varints. */
enum heat_place { HEAT_INSIDE, HEAT_BESIDE, HEAT_RECORDING };

struct heat_parts {
	int64_t begin_ns, cell_ns; /* cell 0 begins there; multiples of 15 minutes and of nothing less */
	uint32_t cells; /* up to the last that has samples */
	uint32_t first_used; /* the first that has some */
	uint64_t unit; /* counts times this are weights */
	uint64_t sum; /* of all counts */
	uint32_t level_cells, level_times; /* cells of the level, and how many fine ones each has */
	uint32_t totals, totals_times; /* the same of the totals */
	uint32_t rows; /* as the blocks number them, the heaviest first */
	uint64_t other_rows, other_sum; /* how many rows became HEAT_OTHER, and what they counted */
	double whole_bytes; /* what the page would have been without longer cells, about; 0: as it
						 * is */
	int64_t wanted_cell_ns;
	struct text_buffer names, total_block, level, bytes;
	struct heat_part_list fine, middle; /* cells of the middle are `middle_times` fine ones */
	uint32_t middle_times;
	enum heat_place place;
	uint32_t *row_numbers; /* by row of heat_rows */
};

/* -1 with *err: counts are too large for a page. limit: of all blocks together, in bytes of a page; those that are not
 * in the page do not count. */
int heat_parts_make(struct heat_parts *to, struct heat_cells *cells, struct heat_rows *rows, uint64_t limit,
		    enum heat_place place, struct stk_error *err) STK_MUST_CHECK;
void heat_parts_release(struct heat_parts *parts);

#endif
