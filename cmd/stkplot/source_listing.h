/* SPDX-License-Identifier: MIT
 * source_listing: the lines of a source file with how often the blocks that begin on them were reached. */
#ifndef STKPLOT_SOURCE_LISTING_H
#define STKPLOT_SOURCE_LISTING_H

#include "flow_picture.h"

#include "report/counting_methods.h"

struct listed_line {
	uint64_t most; /* of the counts of its blocks */
	uint32_t blocks, reached;
	bool overlaps; /* a block's counts do not add up: only whether it was reached is known */
	bool inexact;
};

struct source_listing {
	struct text_buffer source;
	ARRAY(struct stk_text) lines;
	ARRAY(struct listed_line) marks; /* by line */
	char *path; /* of the source, as it was found */
	struct stk_text file; /* as the program names it */
	uint32_t blocks, reached; /* with a line */
	uint32_t beyond, unplaced; /* on lines that the source does not have; without a line */
	uint64_t lost; /* calls whose paths were not counted */
	bool inexact; /* some of its counts */
};

/* All functions of `file`, or only the one with a number, unless that is 0. The source is looked for in `directory`,
 * by the file's name as it is, then without its first folders. -1 with *err: it is not there. */
int source_listing_make(struct source_listing *out, struct flow_pictures *pictures,
			struct counting_methods *methods, const struct tally *lost, struct stk_text file,
			uint32_t function, const char *directory, struct stk_error *err) STK_MUST_CHECK;
void source_listing_release(struct source_listing *listing);

/* "util.c: 12 of 15 blocks were reached" and what else is to be known, a sentence each, without a line end. */
void source_listing_add_words(struct text_buffer *to, const struct source_listing *listing);
void source_listing_add_text(struct text_buffer *to, const struct source_listing *listing);
void source_listing_add_page(struct text_buffer *to, const struct source_listing *listing, const char *title,
			     enum palette palette);

#endif
