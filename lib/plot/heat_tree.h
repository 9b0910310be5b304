/* SPDX-License-Identifier: MIT
 * heat_tree: what a heat map's page must know to read samples out of a recording that is beside it, such as a time
 * tree: where the blocks of samples are, and which row a sample belongs to, by its ids.
 *
 *	heat_tree_add(tree, &block, &samples)			for each block of samples that was counted
 *	heat_tree_turn(tree, rows)				before the ids of rows are forgotten, and at the end
 *	heat_tree_write(tree, &to, ..., row_numbers) */
#ifndef PLOT_HEAT_TREE_H
#define PLOT_HEAT_TREE_H

#include "plot/heat_rows.h"

struct heat_tree;

/* How times become cells of the page, and weights counts. */
struct heat_grid {
	int64_t begin_ns, cell_ns;
	uint64_t unit;
};

void heat_tree_open(struct heat_tree **out);
void heat_tree_close(struct heat_tree *tree);
void heat_tree_add(struct heat_tree *tree, const struct stk_block *block, const struct heat_samples *samples);
void heat_tree_turn(struct heat_tree *tree, const struct heat_rows *rows);

/* NULL; or why a page cannot find the rows of these samples by their ids. */
const char *heat_tree_obstacle(const struct heat_tree *tree);
/* The recording has at least as many bytes. */
uint64_t heat_tree_bytes(const struct heat_tree *tree);

/* -1 with *err: the file cannot be read. Row n is called row_numbers[n]; NULL: n. Varints:
 *	streams; of each: events that count, and their ids; G; threads, of each its id - that of the one before, then
 *	of each its prefix outside of dumps, and in dumps; keys, of each it - the one before, then of each its row. A
 *	key is stack * G + prefix * 16 + state
 *	blocks, by first cell; of each: first cell - that of the one before, stream, cells, samples, sum, place in the
 *	file, bytes, their Adler-32. A block has cells up to the last of those before it as well. */
int heat_tree_write(struct heat_tree *tree, struct text_buffer *to, const char *path, const struct heat_grid *grid,
		    const uint32_t *row_numbers, struct stk_error *err) STK_MUST_CHECK;

#endif
