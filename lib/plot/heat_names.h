/* SPDX-License-Identifier: MIT
 * heat_names: the block of a heat map's page that says what rows are. Varints:
 *	functions, nodes, rows, tags, processes, pools, sets, groups
 *	of each node but the root, whose number is 0: its number - its caller's; then of each its function; then, where
 *	there are sets, of each its group + 1, or 0
 *	of each row its node; then of each its tag
 *	of each tag: process, pool, state, and its set, where there are any
 *	of each set: how many groups, and these
 *	of each function, process, pool and group the length of its name; then the bytes of all of these
 * Groups are called by their paths; sets of them are those of heat_rows. */
#ifndef PLOT_HEAT_NAMES_H
#define PLOT_HEAT_NAMES_H

#include "plot/heat_code.h"
#include "plot/heat_rows.h"

#define HEAT_TAG_OTHER UINT32_MAX /* rows of several tags: "(other)" */

struct heat_named_rows {
	struct heat_row_facts *at;
	size_t count, room;
};

void heat_names_add(struct text_buffer *to, struct heat_rows *rows, const struct heat_named_rows *named);

void heat_add_varint(struct text_buffer *to, uint64_t value);
/* A block of other bytes, compressed. */
void heat_add_deflated(struct text_buffer *to, enum heat_block_kind kind, const struct text_buffer *plain);

#endif
