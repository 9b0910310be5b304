/* SPDX-License-Identifier: MIT
 * heat_code: the counts of a heat map as bytes. What is counted is a row (a stack of one process, pool and state), and
 * time is cut into equal cells. A row's counts are stored as runs: neighbouring cells with the same count.
 *
 * The bytes: u8 'S', u8 version 1, u8 kind, u8 coding 5, u32 runs (little-endian), then one range code over
 *	rows that are not empty; for each: rows left out before it; runs - 1; for each run:
 *	cells left out before it; count - 1, up to 3 as it is, then what is above; length - 1
 * Each number is its bit length, two bits below the highest, and the others as they are. The bit length is found by
 * steps up or down from that which is expected, so that most numbers take two or three decisions. What is expected of a
 * number depends on the row so far: on the mean of its gaps and lengths, and on its last count. */
#ifndef PLOT_HEAT_CODE_H
#define PLOT_HEAT_CODE_H

#include "base/array.h"
#include "base/text_buffer.h"

#define HEAT_CELLS_MOST (UINT32_C(1) << 30)
#define HEAT_COUNT_MOST (UINT64_C(1) << 53) /* of a run: what a double holds exactly */
#define HEAT_HEAD_BYTES 8

enum heat_block_kind {
	HEAT_PROBE = 0,
	HEAT_NAMES = 2,
	HEAT_TOTALS = 3,
	HEAT_LEVEL = 4,
	HEAT_FINE = 5,
	HEAT_PLACES = 6
};
enum heat_coding { HEAT_AS_IS = 0, HEAT_VARINTS = 1, HEAT_RANGE_CODED = 5 };

struct heat_run {
	uint32_t start, length; /* cells; length at least 1 */
	uint64_t count; /* in each of them; at least 1 */
};

struct heat_row {
	uint32_t row, end;
}; /* its runs end before this one */

/* Runs by row. Rows ascend, and have runs; runs of a row ascend, and neighbours that touch have different counts. */
struct heat_counts {
	ARRAY(struct heat_row) rows;
	ARRAY(struct heat_run) runs;
};

void heat_counts_clear(struct heat_counts *counts);
void heat_counts_release(struct heat_counts *counts);

/* The first 8 bytes of any block; size: what the kind says. */
void heat_code_head(struct text_buffer *to, enum heat_block_kind kind, enum heat_coding coding, uint32_t size);

/* Appends a block of counts in `cells` cells. */
void heat_code_write(struct text_buffer *to, enum heat_block_kind kind, uint32_t cells,
		     const struct heat_counts *counts);

/* Reads a block, of which the cells and the number of rows that there are must be known. -1 with *err: damaged. */
int heat_code_read(struct stk_text from, uint32_t cells, uint32_t rows, struct heat_counts *to,
		   struct stk_error *err) STK_MUST_CHECK;

#endif
