/* SPDX-License-Identifier: MIT
 * heat_cells: counts by cell of time and by row, from samples in nearly any order.
 *
 *	heat_cells_add(cells, &samples, rows)			for each block
 *	heat_cells_settle(cells)
 *	heat_cells_range(cells, ..., &counts)			as often as wanted, ranges in ascending order
 *
 * They are kept as runs of neighbouring cells with equal counts: of two million samples in 40 bytes each, then in about
 * 3. Where those exceed the memory that was allowed, cells become longer: heat_cells_facts says how long they are. So
 * memory is bounded by that, by 84 MB for the last two million samples, and by 40 bytes for each row. */
#ifndef PLOT_HEAT_CELLS_H
#define PLOT_HEAT_CELLS_H

#include "base/time_range.h"
#include "plot/heat_code.h"
#include "plot/heat_samples.h"

struct heat_cells;

struct heat_facts {
	int64_t cell_ns; /* as long as cells are */
	int64_t first_cell, last_cell; /* from 1970 or the clock's start, of the samples; first > last: no samples */
	uint64_t untimed; /* samples without a time, which are not counted */
	uint64_t samples, weight; /* all others; */
	uint64_t runs; /* as these, nearly: a run may be in two pieces */
	uint64_t unit; /* the greatest number that divides all weights; 0 without any */
	struct time_range times; /* the exact ones */
};

/* A cell length that divides a minute, and for how many bytes of runs there is room. */
void heat_cells_open(struct heat_cells **out, int64_t cell_ns, uint64_t memory);
void heat_cells_close(struct heat_cells *cells);

/* rows: of each of the samples. */
void heat_cells_add(struct heat_cells *cells, const struct heat_samples *samples, const uint32_t *rows);

/* All samples were added. */
void heat_cells_settle(struct heat_cells *cells);
const struct heat_facts *heat_cells_facts(const struct heat_cells *cells);
/* The weight of each row, as far as there are rows. */
const uint64_t *heat_cells_row_weights(const struct heat_cells *cells, size_t *count);
/* How many runs begin in an interval, about. */
double heat_cells_density(const struct heat_cells *cells, int64_t from_cell, int64_t to_cell);

/* The counts, divided by the unit, of the cells from..to - 1, joined to cells `times` as long; from and to are
 * multiples of that, and start 0 of a run is at `from`. Row n is called row_numbers[n], several may have the same
 * number, all of which are below `numbers`. A range that begins before the end of the one before costs reading all
 * runs again. */
struct heat_range {
	int64_t from, to;
	uint32_t times;
};
void heat_cells_range(struct heat_cells *cells, struct heat_range range, const uint32_t *row_numbers, uint32_t numbers,
		      struct heat_counts *to);

/* The same runs with `times` cells joined to one. */
void heat_counts_join(const struct heat_counts *from, uint32_t times, struct heat_counts *to);
/* The runs in the cells from..to - 1, which become 0..to - from - 1. */
void heat_counts_cut(const struct heat_counts *from, uint32_t from_cell, uint32_t to_cell, struct heat_counts *to);
uint64_t heat_counts_sum(const struct heat_counts *counts);

#endif
