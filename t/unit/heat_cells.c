/* SPDX-License-Identifier: MIT
 * Counts by cell and row are those of the samples: against plain sums, for samples in order and not, with weights,
 * for any range, for longer cells, for several rows in one, and when the memory that was allowed makes cells longer. */
#include "../lib/tap.h"

#include "plot/heat_cells.h"

#define CELL_NS 20000000
#define ROWS 40
#define CELLS 60000 /* of the sums: 20 minutes */

static uint64_t seed = 88172645463325252u;

static uint32_t
below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % limit;
}

static uint64_t sums[ROWS][CELLS];

static void
add(struct heat_cells *cells, int64_t time_ns, uint32_t row, uint64_t weight)
{
	uint64_t time = (uint64_t)time_ns;
	struct sample_columns columns = { .time = { &time, 0 }, .weight = { &weight, 0 } };

	heat_cells_add(cells, &(struct heat_samples){ .columns = &columns, .count = 1 }, &row);
}

enum order { IN_ORDER, NEARLY, ANY };

static void
fill(struct heat_cells *cells, int64_t begin, unsigned samples, enum order order, uint64_t unit, bool weights)
{
	memset(sums, 0, sizeof sums);
	for (unsigned i = 0; i < samples; i++) {
		uint32_t cell = order == ANY ? below(CELLS) : (uint32_t)((uint64_t)i * (CELLS - 100) / samples);
		uint32_t row = below(4) == 0 ? below(ROWS) : (cell / 500) % ROWS;
		uint64_t weight = unit * (weights ? 1 + below(3) : 1);

		cell += order == NEARLY ? below(60) : 0;
		add(cells, begin + (int64_t)cell * CELL_NS + below(CELL_NS), row, weight);
		sums[row][cell] += weight / unit;
	}
	heat_cells_settle(cells);
}

/* Of all cells in the range; numbers: row n is n / joined. */
static unsigned
differences(struct heat_cells *cells, int64_t begin_cell, uint32_t from, uint32_t to, uint32_t times, uint32_t joined)
{
	struct heat_counts counts = { 0 };
	uint32_t numbers[ROWS], run = 0, wrong = 0, wide = (to - from) / times;
	uint64_t *got = calloc((size_t)ROWS * wide, sizeof *got);

	for (uint32_t r = 0; r < ROWS; r++)
		numbers[r] = r / joined;
	heat_cells_range(cells, (struct heat_range){ begin_cell + from, begin_cell + to, times }, numbers, ROWS,
			 &counts);
	for (size_t r = 0; r < counts.rows.count; r++)
		for (uint32_t end = 0; run < counts.rows.at[r].end; run++) {
			const struct heat_run *at = &counts.runs.at[run];

			wrong += at->start < end || at->length == 0 || at->count == 0;
			end = at->start + at->length;
			for (uint32_t c = at->start; c < end; c++)
				got[(size_t)counts.rows.at[r].row * wide + c] += at->count;
		}
	for (uint32_t r = 0; r < ROWS; r++)
		for (uint32_t c = 0; c < wide * times; c++)
			got[(size_t)(r / joined) * wide + c / times] -= sums[r][from + c];
	for (size_t i = 0; i < (size_t)ROWS * wide; i++)
		wrong += got[i] != 0;
	free(got);
	heat_counts_release(&counts);
	return wrong;
}

static void
try(const char *what, int64_t begin, unsigned samples, enum order order, uint64_t unit, bool weights)
{
	struct heat_cells *cells;
	unsigned wrong = 0;
	int64_t first = begin / CELL_NS;

	heat_cells_open(&cells, CELL_NS, UINT64_C(1) << 30);
	fill(cells, begin, samples, order, unit, weights);
	is_u64(heat_cells_facts(cells)->samples, samples, "%s: all samples", what);
	is_u64(heat_cells_facts(cells)->unit, unit, "%s: the unit of weights", what);
	for (unsigned i = 0; i < 30; i++) {
		uint32_t times = 1 + below(4) * below(20), from = below(CELLS / 2),
			 length = below(CELLS / 2 - times) / times + 1;

		wrong += differences(cells, first, from, from + length * times, times, 1 + below(3));
	}
	is_u64(wrong, 0, "%s: counts of ranges", what);
	is_u64(differences(cells, first, 0, CELLS, 1, 1), 0, "%s: counts of all", what);
	heat_cells_close(cells);
}

/* The runs of random samples are many: 1 MB is not enough for them with cells of 20 ms. */
static void
try_little_memory(void)
{
	const int64_t begin = INT64_C(1700000100) * 1000000000;
	struct heat_cells *cells;
	int64_t cell_ns;

	heat_cells_open(&cells, CELL_NS, 100000);
	fill(cells, begin, 300000, ANY, 1, true);
	cell_ns = heat_cells_facts(cells)->cell_ns;
	ok(cell_ns > CELL_NS && INT64_C(60000000000) % cell_ns == 0, "cells become longer where memory ends");
	for (uint32_t r = 0; r < ROWS; r++) /* what is expected of cells of the new length */
		for (uint32_t c = 0, times = (uint32_t)(cell_ns / CELL_NS); c < CELLS; c++) {
			uint64_t count = sums[r][c];

			sums[r][c] = 0;
			sums[r][c / times] += count;
		}
	is_u64(differences(cells, begin / cell_ns, 0, CELLS / (uint32_t)(cell_ns / CELL_NS), 1, 1), 0,
	       "... and counts stay");
	heat_cells_close(cells);
}

/* Years between samples do not fit into cells of 20 ms. */
static void
try_long_span(void)
{
	struct heat_cells *cells;
	struct heat_counts counts = { 0 };
	const struct heat_facts *facts;
	uint32_t one = 0;

	heat_cells_open(&cells, CELL_NS, UINT64_C(1) << 30);
	add(cells, 0, 0, 1);
	add(cells, INT64_C(4000000000) * 1000000000, 0, 2);
	add(cells, 5, 0, 4);
	heat_cells_settle(cells);
	facts = heat_cells_facts(cells);
	ok(facts->last_cell - facts->first_cell < HEAT_CELLS_MOST, "cells are few enough over any span");
	heat_cells_range(cells, (struct heat_range){ facts->first_cell, facts->last_cell + 1, 1 }, &one, 1, &counts);
	is_u64(heat_counts_sum(&counts), 7, "... and all samples are in them");
	is_u64(counts.runs.count, 2, "... in two");
	heat_counts_release(&counts);
	heat_cells_close(cells);
}

int
main(void)
{
	try("in order", INT64_C(1700000000) * 1000000000, 200000, IN_ORDER, 1, false);
	try("nearly in order", INT64_C(1700000000) * 1000000000, 2300000, NEARLY, 1, false);
	try("in any order", 0, 100000, ANY, 1, true);
	try("weights", INT64_C(-1000) * 1000000000, 50000, NEARLY, 10101010, true);
	try("one sample", INT64_C(7) * 1000000000, 1, IN_ORDER, 1, false);
	try_little_memory();
	try_long_span();
	return tap_end();
}
