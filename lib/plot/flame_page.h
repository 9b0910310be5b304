/* SPDX-License-Identifier: MIT
 * flame_page: a flame graph as one HTML page. Its block of names, n, is varints:
 *	names, nodes, rows, modules, 1 where nodes have groups
 *	of each node but the root, whose number is 0: its number - its caller's; then of each its name; then of each its
 *	group, if nodes have groups
 *	of each row its node; then of each its state
 *	of each name its module + 1, 0 none; of each name, then of each module, its length; then the bytes of all
 * Of a comparison, block c has a byte of marks for each node, and for each name, the first for what has no stack (see
 * flame_difference.h).
 * Its block of counts, l: of each row how many of its cells have counts; for each: cells left out before it, and
 * the count. */
#ifndef PLOT_FLAME_PAGE_H
#define PLOT_FLAME_PAGE_H

#include "plot/flame_counts.h"
#include "plot/palette.h"

#define FLAME_PAGE_BYTES (2 << 20)	/* of a page, usually */

/* Texts are borrowed. */
struct flame_page_options {
	const char *title;
	const char *zone;		/* a name of the zone database, or "" */
	const char *unit;		/* what is counted: "samples", the event's name */
	const char *command;		/* that gives the same numbers; of a comparison: in shares */
	const char *sides[2];		/* names of the recordings that are compared; NULL: there is one */
	double seconds[2];		/* how long these are; 0: not known */
	bool shares;			/* the comparison begins with shares, not with samples a second */
	const struct scheme *scheme;	/* of the groups; NULL */
	bool monotonic;			/* times count from an unknown start */
	bool icicle;			/* the root is at the top */
	enum palette palette;
	bool plain;			/* blocks as base64 */
	uint64_t max_bytes;		/* small paths become FLAME_REST until the page is not larger */
};

/* -1 with *err (STK_EUSAGE): max_bytes is less than a page without data. *least: the counts of a path that is kept. */
int flame_page_add(struct text_buffer *to, const struct flame_tree *tree, const struct flame_page_options *options,
		   uint64_t *least, struct stk_error *err) STK_MUST_CHECK;

/* The two blocks alone, for other pages with a flame graph. */
void flame_page_add_blocks(struct text_buffer *to, const struct flame_tree *tree, bool plain);

#endif
